//! A task on a bench: replies and results are put in by hand, and the events
//! that come out are read as short lines.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast_core::content::{HoldsContent, Salt};
use steadfast_core::event::memory::{Occasion, SummaryAsked, SummaryReplaced};
use steadfast_core::event::model::Usage;
use steadfast_core::event::task::Window;
use steadfast_core::event::{Body, Event};
use steadfast_core::handling::Handling;
use steadfast_core::id::{CallId, Epoch, Principal, Seq, TaskId, Timestamp};
use steadfast_core::price::Price;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::rules::{Conditions, Rules, SchemaIssue, Schemas, ScriptEstimate};
use steadfast_core::source::Source;
use steadfast_core::task::input::{Command, Input, SkillError};
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Due, Outcome, Recorded, Start, State, Task};

/// `required` and `type: string`, which is all that these tests need.
pub(crate) struct FewSchemas;

impl Schemas for FewSchemas {
    fn check(&self, _: &Value) -> Result<(), String> {
        Ok(())
    }

    fn issues(&self, schema: &Value, value: &Value) -> Vec<SchemaIssue> {
        let issue = |path: &str, message: &str| SchemaIssue {
            path: path.to_owned(),
            message: message.to_owned(),
        };
        let required = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        let missing = required
            .filter_map(Value::as_str)
            .filter(|name| value.get(name).is_none())
            .map(|name| issue("", &format!("`{name}` is missing")));
        let properties = schema
            .get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let wrong = properties
            .filter(|(name, schema)| {
                schema.get("type") == Some(&json!("string"))
                    && value.get(name.as_str()).is_some_and(|v| !v.is_string())
            })
            .map(|(name, _)| issue(&format!("/{name}"), "is not a string"));
        missing.chain(wrong).collect()
    }
}

/// Dotted paths, `==` against a JSON literal, and string literals.
pub(crate) struct FewConditions;

impl Conditions for FewConditions {
    fn references(&self, expression: &str) -> Result<Vec<String>, String> {
        let root = expression.split(['.', ' ', '[']).next().unwrap_or_default();
        Ok(vec![root.to_owned()])
    }

    fn evaluate(&self, expression: &str, variables: &Value) -> Result<Value, String> {
        if let Some((left, right)) = expression.split_once(" == ") {
            let right: Value = serde_json::from_str(right).map_err(|e| e.to_string())?;
            return Ok(json!(self.evaluate(left, variables)? == right));
        }
        if let Some((left, right)) = expression.split_once(" >= ") {
            let right: i64 = right.parse().map_err(|_| "no number".to_owned())?;
            let left = self.evaluate(left, variables)?.as_i64().unwrap_or_default();
            return Ok(json!(left >= right));
        }
        if let Some((left, right)) = expression.split_once(" in ") {
            let name: String = serde_json::from_str(left).map_err(|e| e.to_string())?;
            let has = variables
                .get(right)
                .and_then(|all| all.get(&name))
                .is_some();
            return Ok(json!(has));
        }
        let pointer = format!("/{}", expression.replace('.', "/"));
        variables
            .pointer(&pointer)
            .cloned()
            .ok_or_else(|| format!("no `{expression}`"))
    }
}

pub(crate) const RULES: Rules<'static> = Rules {
    schemas: &FewSchemas,
    conditions: &FewConditions,
    tokenizer: &ScriptEstimate,
};

pub(crate) struct Bench {
    pub(crate) task: Task,
    pub(crate) events: Vec<Event>,
    pub(crate) now: Timestamp,
    pub(crate) epoch: Epoch,
    pub(crate) utc_offset: Option<i32>,
    pub(crate) request: Option<steadfast_core::context::Request>,
    shown: usize,
    /// Takes batches in without looking, where a test only wants to come far.
    pub(crate) hurried: bool,
}

pub(crate) const SALT: Salt = Salt([7; 32]);

impl Bench {
    pub(crate) fn new(workflow: Value) -> Bench {
        Bench::with(
            workflow,
            "write the report",
            Window {
                tokens: 32_000,
                output_tokens: 1_000,
            },
        )
    }

    pub(crate) fn with(workflow: Value, input: &str, window: Window) -> Bench {
        let start = Start {
            workflow: serde_json::from_value(workflow).expect("a spec"),
            principal: Principal::from("ann"),
            input: input.to_owned(),
            documents: Vec::new(),
            facts: BTreeMap::new(),
            parent: None,
            budget: Default::default(),
            window,
        };
        let now = Timestamp(1_000_000);
        let turn = Turn {
            now,
            epoch: Epoch(1),
            rules: RULES,
            utc_offset: None,
        };
        let recorded = Task::start(TaskId::from("t_1"), SALT, start, turn).expect("it starts");
        let mut bench = Bench {
            task: recorded.task.clone(),
            events: Vec::new(),
            now,
            epoch: Epoch(1),
            utc_offset: None,
            request: None,
            shown: 0,
            hurried: false,
        };
        bench.adopt(recorded);
        assert_eq!(
            bench.due().wake_at,
            Some(now),
            "a new task is moved on at once"
        );
        let recorded = bench
            .task
            .record(Input::Wake, bench.turn())
            .expect("it records");
        bench.adopt(recorded);
        bench
    }

    pub(crate) fn turn(&self) -> Turn<'static> {
        Turn {
            now: self.now,
            epoch: self.epoch,
            rules: RULES,
            utc_offset: self.utc_offset,
        }
    }

    /// Takes a batch in, and checks what must hold of every batch: the fold of
    /// the log is the live state, from the start and from what is stored.
    pub(crate) fn adopt(&mut self, recorded: Recorded) {
        self.events.extend(recorded.events);
        self.task = recorded.task;
        if recorded.request.is_some() {
            self.request = recorded.request;
        }
        if self.hurried {
            return;
        }
        let mut contents = BTreeMap::new();
        let stored: Vec<Event> =
            steadfast_core::event::seal(steadfast_core::hash::Hash::ZERO, &mut self.events.clone())
                .iter()
                .map(|sealed| {
                    for content in &sealed.contents {
                        contents.insert(content.hash, content.payload().expect("sealed").clone());
                    }
                    let mut event = steadfast_core::event::open(&sealed.bytes).expect("it opens");
                    event.body.visit_content(&mut |content| {
                        let bytes = contents
                            .get(&content.hash)
                            .expect("stored before it is named");
                        assert!(content.load(&SALT, bytes.clone()));
                    });
                    event
                })
                .collect();
        assert_eq!(stored, self.events);
        // A state that names bytes which no event holds could not be resumed.
        self.task.state.clone().visit_content(&mut |content| {
            assert!(
                contents.contains_key(&content.hash),
                "{content:?} is in no event"
            );
        });
        let folded = Task::fold(TaskId::from("t_1"), SALT, &stored).expect("it folds");
        assert_eq!(folded.state, self.task.state);
        let snapshot = serde_json::to_vec(&self.task.state).expect("a state is JSON");
        let loaded: State = serde_json::from_slice(&snapshot).expect("a snapshot reads");
        assert_eq!(loaded, self.task.state);
    }

    /// Puts a summary into the log that no check has seen, as an older build might
    /// have let it in.
    pub(crate) fn forge(&mut self, step: u32, mut body: SummaryReplaced) {
        let entries = self.task.state.beliefs.archive.entries.iter();
        let entry = entries.clone().find(|one| one.step == step).expect("kept");
        body.call = CallId::from("forged");
        let asked = SummaryAsked {
            call: body.call.clone(),
            step,
            opened: entry.opened,
            archived: entry.archived,
            why: Occasion::Left,
            phase: None,
            asked: None,
        };
        let (mut task, mut events) = (self.task.clone(), Vec::new());
        let asked = Body::SummaryAsked(Box::new(asked));
        for body in [asked, Body::SummaryReplaced(Box::new(body))] {
            let event = Event {
                seq: task.state.seq.next(),
                at: self.now,
                epoch: self.epoch,
                source: Source::Runtime,
                body,
            };
            task.apply(&event).expect("it follows");
            events.push(event);
        }
        self.adopt(Recorded {
            events,
            task,
            request: None,
            note: None,
        });
    }

    /// Lets the time come that is waited for.
    pub(crate) fn wake(&mut self) {
        self.now = self.due().wake_at.expect("something is waited for");
        let recorded = self.task.record(Input::Wake, self.turn());
        self.adopt(recorded.expect("it records"));
    }

    /// The same, where anything is waited for.
    pub(crate) fn wake_if_due(&mut self) {
        if self.due().wake_at.is_some() {
            self.wake();
        }
    }

    pub(crate) fn set_price(&mut self, price: &Price) {
        let recorded = self.task.set_price("m", Some(price), self.turn());
        self.adopt(recorded.expect("it records"));
    }

    pub(crate) fn set_handling(&mut self, handling: Handling) {
        let recorded = self.task.set_handling("m", handling, self.turn());
        self.adopt(recorded.expect("it records"));
    }

    pub(crate) fn input(&mut self, input: Input) -> Option<String> {
        self.now = self.now.plus_ms(10);
        let recorded = self.task.record(input, self.turn()).expect("it records");
        let note = recorded.note.clone();
        self.adopt(recorded);
        note
    }

    pub(crate) fn reply(&mut self, reply: Reply) {
        let call = self.model_call();
        self.input(Input::ModelDone {
            call,
            outcome: Ok(reply),
        });
    }

    pub(crate) fn model_fails(&mut self, error: ModelError) {
        let call = self.model_call();
        self.input(Input::ModelDone {
            call,
            outcome: Err(error),
        });
    }

    pub(crate) fn model_call(&self) -> CallId {
        self.task
            .state
            .stands
            .model
            .as_ref()
            .expect("a model call is open")
            .call
            .clone()
    }

    pub(crate) fn say(&mut self, text: &str) {
        self.reply(Reply::say("m", text));
    }

    pub(crate) fn call(&mut self, skill: &str, args: Value) {
        self.reply(Reply::call("m", &[(skill, args)]));
    }

    pub(crate) fn begin(&mut self, call: &str) {
        let recorded = self
            .task
            .begin_call(&CallId::from(call), self.turn())
            .expect("begins");
        self.adopt(recorded);
    }

    pub(crate) fn result(&mut self, call: &str, result: Value) {
        let intent = self.intent(call);
        self.input(Input::SkillDone {
            call: CallId::from(call),
            intent,
            outcome: Ok(result),
            usage: None,
        });
    }

    /// A result of a skill that says what it used.
    pub(crate) fn result_with(&mut self, call: &str, result: Value, input: u64, output: u64) {
        let usage = Usage {
            input_tokens: input,
            output_tokens: output,
            cached_input_tokens: 0,
        };
        let intent = self.intent(call);
        self.input(Input::SkillDone {
            call: CallId::from(call),
            intent,
            outcome: Ok(result),
            usage: Some(usage),
        });
    }

    /// The open intent of a call; of a closed one, none that was ever made.
    fn intent(&self, call: &str) -> Seq {
        let call = self.task.state.stands.calls.get(call);
        call.map_or(Seq::ZERO, |call| call.intent)
    }

    pub(crate) fn skill_fails(&mut self, call: &str, error: SkillError) {
        let intent = self.intent(call);
        self.input(Input::SkillDone {
            call: CallId::from(call),
            intent,
            outcome: Err(error),
            usage: None,
        });
    }

    pub(crate) fn command(&mut self, command: Command) -> Option<String> {
        self.input(Input::Command {
            principal: Principal::from("ann"),
            command,
        })
    }

    pub(crate) fn due(&self) -> Due {
        self.task.due(self.now, self.epoch)
    }

    /// Calls the skill with the model and gives it its result, an intent included.
    pub(crate) fn succeed(&mut self, skill: &str, args: Value, result: Value) {
        self.call(skill, args);
        let call = self
            .task
            .state
            .stands
            .queue
            .first()
            .expect("admitted")
            .clone();
        self.begin(call.as_str());
        self.result(call.as_str(), result);
    }

    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.task.state.outcome()
    }

    /// The events since the last look, a line each.
    pub(crate) fn new_lines(&mut self) -> String {
        let lines: Vec<String> = self.events[self.shown..].iter().map(line).collect();
        self.shown = self.events.len();
        lines.join("\n") + "\n"
    }
}

fn line(event: &Event) -> String {
    let kind = event.body.kind();
    match &event.body {
        Body::ModelCalled(b) => format!("{kind} {} max {}", b.call, b.output_tokens_max),
        Body::ModelFailed(b) => format!(
            "{kind} {} {} retry {}",
            b.call,
            b.class.name(),
            b.retry_at.is_some()
        ),
        Body::CallAdmitted(b) => format!("{kind} {} {} {}", b.call, b.skill, b.args.text()),
        Body::CallRefused(b) => format!(
            "{kind} {} {}: {}",
            b.call,
            b.refusal.code(),
            b.refusal.explain(&b.skill)
        ),
        Body::AnswerRefused(b) => format!(
            "{kind} {}: {}",
            b.refusal.code(),
            b.refusal.explain("the answer")
        ),
        Body::AnswerAdmitted(b) => format!("{kind} {:?}", b.answer),
        Body::TaskCompleted(b) => format!("{kind} {:?}", b.answer),
        Body::TaskFailed(b) => format!("{kind} {}", b.diagnosis),
        Body::TaskFailing(b) => format!("{kind} {}", b.diagnosis),
        Body::BudgetExhausted(b) => format!("{kind} {}", b.exhausted),
        Body::SkillCalled(b) if b.verifying => format!("{kind} {} verifying", b.call),
        Body::SkillCalled(b) => format!("{kind} {} attempt {}", b.call, b.attempt),
        Body::SkillReturned(b) => {
            let next = b.relay.next_required.as_deref().unwrap_or("-");
            format!(
                "{kind} {} {} {} next {next}",
                b.call,
                if b.success { "ok" } else { "no" },
                b.relay.contract_step
            )
        }
        Body::SkillFailed(b) => {
            let then = if b.in_doubt {
                "in doubt"
            } else if b.retry_at.is_some() {
                "retry"
            } else {
                "over"
            };
            format!("{kind} {} {} {then}", b.call, b.class.name())
        }
        Body::DeedSettled(b) => format!("{kind} {} done {}", b.call, b.done),
        Body::StateEntered(b) if b.retry => format!("{kind} {} again", b.to),
        Body::StateEntered(b) => format!("{kind} {}", b.to),
        Body::StateSkipped(b) => format!("{kind} {}", b.state),
        Body::ApprovalRequested(b) => format!("{kind} {}", b.call),
        Body::ApprovalDecided(b) => format!("{kind} {} {}", b.call, b.approved),
        Body::LedgerChanged(b) => {
            let what = serde_json::to_value(b.what).expect("a word");
            let came = b.brings.map_or_else(String::new, |id| format!(" {id}"));
            let went: Vec<String> = b.removes.iter().map(|id| format!(" -{id}")).collect();
            let what = what.as_str().expect("a word");
            format!("{kind} v{} {what}{came}{}", b.version, went.concat())
        }
        Body::PatchRefused(b) => format!("{kind} {}: {}", b.refused.code(), b.refused),
        Body::QuestionOpened(b) => format!("{kind} {} {:?}", b.question, b.why),
        Body::QuestionAnswered(b) => format!("{kind} {} {:?}", b.question, b.choice),
        Body::FactSet(b) => format!("{kind} {} {}", b.name, b.value.text()),
        _ => kind.to_owned(),
    }
}

/// The article's pipeline, with a check that binds the answer.
pub(crate) fn pipeline() -> Value {
    json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY"},
            "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY"}
        },
        "skills": {
            "extract_keywords": {"kind": "function", "effect": "read",
                "input": {"type": "object", "required": ["input"]}},
            "search_knowledge": {"kind": "function", "effect": "read",
                "input": {"type": "object", "required": ["keywords"]}},
            "format_check": {"kind": "function", "effect": "read", "checks": "draft",
                "success_when": "result.passed",
                "input": {"type": "object", "required": ["draft"],
                    "properties": {"draft": {"type": "string"}}}}
        }
    })
}

/// Two mails: one idempotent deed, one that cannot be taken back.
pub(crate) fn deeds() -> Value {
    json!({
        "workflow_id": "deeds",
        "initial_state": "A",
        "states": {
            "A": {"skill": "save", "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "send", "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "skills": {
            "save": {"kind": "function", "effect": "idempotent", "key_arg": "key"},
            "send": {"kind": "function", "effect": "irreversible", "claims_when": ["mail sent", "已发送"]}
        }
    })
}
