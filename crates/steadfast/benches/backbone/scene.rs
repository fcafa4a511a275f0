//! The task that all groups run: a workflow of two states that leads back to
//! its first one, a model that answers by rule, two skills that read.
//!
//! Words are half Chinese, half English; no two steps have the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::driver::Driver;
use steadfast::model::Model;
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::context::Request;
use steadfast_core::event::model::{Finish, Usage};
use steadfast_core::event::task::Window;
use steadfast_core::id::TaskId;
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};
use steadfast_core::task::Start;
use steadfast_core::workflow::Spec;
use steadfast_store::{Durability, Log, SqliteLog, SqliteOptions};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

pub(crate) const SALT: Salt = Salt([9; 32]);
const MODEL: &str = "by-rule";

pub(crate) fn id() -> TaskId {
    TaskId::new("t_bench")
}

/// One of two sizes: the full one, or the one of a quick run.
pub(crate) fn sized(full: u64, quick: u64) -> u64 {
    let wanted = std::env::var("STEADFAST_BENCH_QUICK");
    match wanted.is_ok_and(|value| !value.is_empty() && value != "0") {
        true => quick,
        false => full,
    }
}

/// How many bytes models and skills give, about.
#[derive(Clone, Copy)]
pub(crate) enum Words {
    /// 600 of a reply (text and arguments), 6,000 of a result.
    Usual,
    /// A few.
    Tiny,
}

impl Words {
    /// The model's reply of a step that proposes `skill`.
    pub(crate) fn reply(self, step: u64, skill: &str) -> Reply {
        let (text, question) = match self {
            Words::Usual => (Some(filler(step, 400)), filler(step, 160)),
            Words::Tiny => (None, "?".to_owned()),
        };
        Reply {
            model: MODEL.to_owned(),
            text,
            calls: vec![ReplyCall {
                id: "call_0".to_owned(),
                skill: skill.to_owned(),
                // Spaced as models write, which is not canonical JSON.
                args: format!("{{\"page\": {step}, \"question\": {}}}", json!(question)),
            }],
            finish: Finish::ToolCalls,
            usage: Some(Usage {
                input_tokens: 12_000,
                output_tokens: 180,
                cached_input_tokens: 0,
            }),
            extra: Value::Null,
        }
    }

    /// What a skill gives for a page.
    pub(crate) fn result(self, page: u64) -> Value {
        match self {
            Words::Usual => json!({ "page": page, "text": filler(page, 5_900) }),
            Words::Tiny => json!({ "page": page }),
        }
    }
}

/// `bytes` bytes of words, at most two less; other ones for each number.
fn filler(number: u64, bytes: usize) -> String {
    const WORDS: &str = "the survey of the delta was repeated in spring, 水位比去年同期高出两成; ";
    let mut text = format!("{number:08} ");
    while text.len() < bytes {
        text.push_str(WORDS);
    }
    text.truncate(text.floor_char_boundary(bytes));
    text
}

/// Goes round until `steps` steps were taken, then ends.
pub(crate) fn workflow(steps: u64) -> Spec {
    let port = json!({
        "type": "object",
        "required": ["page", "question"],
        "properties": { "page": { "type": "integer" }, "question": { "type": "string" } }
    });
    let skill = |what: &str| json!({ "kind": "function", "effect": "read", "description": what, "input": port });
    let spec = json!({
        "workflow_id": "rounds",
        "policy": "You read a long survey page by page and note down what changes the plan.",
        "initial_state": "S1",
        "states": {
            "S1": { "skill": "read_page", "on_success": "S2", "on_failure": "S1_RETRY" },
            "S2": {
                "skill": "find_related",
                "on_success": [
                    { "when": format!("counters.steps < {steps}"), "to": "S1" },
                    { "to": "DONE" }
                ],
                "on_failure": "S2_RETRY"
            }
        },
        "skills": {
            "read_page": skill("Reads one page of the survey."),
            "find_related": skill("Finds what other pages say about the same thing.")
        },
        "limits": { "steps": steps + 10, "visits": steps + 10 }
    });
    serde_json::from_value(spec).expect("the workflow is written right")
}

pub(crate) fn start(steps: u64) -> Start {
    Start {
        workflow: workflow(steps),
        principal: "ann".into(),
        input: filler(0, 600),
        documents: Vec::new(),
        facts: BTreeMap::new(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 32_768,
            output_tokens: 4_096,
        },
    }
}

/// A model that proposes what it is offered and ends when nothing is left.
pub(crate) struct ByRule {
    words: Words,
    asked: AtomicU64,
    /// The call that never comes back, and who is told of it.
    hangs_at: Option<(u64, Arc<Notify>)>,
}

impl ByRule {
    pub(crate) fn new(words: Words) -> ByRule {
        ByRule {
            words,
            asked: AtomicU64::new(0),
            hangs_at: None,
        }
    }

    pub(crate) fn hanging_at(words: Words, call: u64, told: Arc<Notify>) -> ByRule {
        ByRule {
            hangs_at: Some((call, told)),
            ..ByRule::new(words)
        }
    }
}

#[async_trait]
impl Model for ByRule {
    fn name(&self) -> &str {
        MODEL
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if let Some((at, told)) = &self.hangs_at
            && *at == asked
        {
            told.notify_one();
            std::future::pending::<()>().await;
        }
        Ok(match request.tools.first() {
            Some(tool) => self.words.reply(asked, tool.name.as_str()),
            None => Reply::say(MODEL, "the plan stands"),
        })
    }
}

pub(crate) fn driver(log: Arc<dyn Log>, model: ByRule) -> Driver {
    let words = model.words;
    let page = move |call: steadfast::skill::SkillCall| async move {
        Ok(words.result(call.args["page"].as_u64().unwrap_or_default()))
    };
    let skill = || Arc::new(FunctionSkill::new(page)) as Arc<dyn Skill>;
    let skills: Skills = [
        ("read_page".into(), skill()),
        ("find_related".into(), skill()),
    ]
    .into_iter()
    .collect();
    Driver::new(log, Arc::new(model), skills)
}

/// A folder on the disk that the build is on; a memory file system would make
/// a sync cost nothing.
pub(crate) fn folder() -> TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("the build's folder is writable")
}

pub(crate) fn sqlite(file: &Path, durability: Durability) -> SqliteLog {
    let options = SqliteOptions {
        durability,
        ..SqliteOptions::default()
    };
    SqliteLog::open(file, options).expect("a new file opens")
}

pub(crate) fn runtime() -> Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts")
}
