//! Real conversations of an agent, taken in as tasks, with each context
//! assembled at three sizes of window. None may be malformed, for either
//! provider's message rules; beside it stands what the whole history would cost.
//!
//! What the agent said and called is proposed again, word for word; the gate
//! judges it anew. The machine is a row of optional states with every tool, so
//! that it holds nothing back: contexts are what is measured.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, anyhow, bail, ensure};
use serde_json::{Value, json};
use steadfast::core::content::Salt;
use steadfast::core::context::{Message, Request};
use steadfast::core::event::Body;
use steadfast::core::event::task::Window;
use steadfast::core::id::{Epoch, Principal, TaskId, Timestamp};
use steadfast::core::proposal::{Reply, ReplyCall};
use steadfast::core::rules::{Rules, Tokenizer};
use steadfast::core::task::input::{Command, Input};
use steadfast::core::task::record::Turn;
use steadfast::core::task::{Effect, Recorded, Start, Task};
use steadfast::rules::{BpeTokenizer, Encoding, StandardRules};

use super::{is_there, print, text};

const WINDOWS: [u32; 3] = [4_096, 8_192, 32_768];
const OUTPUT_TOKENS: u32 = 512;
/// Calls that one answer can rest on.
const STATES: usize = 24;

/// What one window saw.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    contexts: u64,
    malformed: u64,
    /// Over the window less the output reserve, by the model's own tokenizer.
    over: u64,
    /// Logs that ended because what must be shown did not fit.
    infeasible: u64,
    refused_calls: u64,
    tokens: u64,
    /// Tokens of the same calls with the whole history.
    whole: u64,
    tokens_max: u64,
    whole_max: u64,
}

pub(super) fn run(data: &Path, as_json: bool) -> Result<()> {
    let Some(logs) = logs(data)? else {
        return Ok(());
    };
    let mut rows = Vec::new();
    for window in WINDOWS {
        rows.push((window, all(&logs, window)?));
    }
    if as_json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(window, seen)| {
                json!({
                    "window": window, "contexts": seen.contexts, "malformed": seen.malformed,
                    "over_window": seen.over, "infeasible": seen.infeasible,
                    "refused_calls": seen.refused_calls, "tokens": seen.tokens,
                    "tokens_whole_history": seen.whole, "tokens_max": seen.tokens_max,
                    "tokens_whole_history_max": seen.whole_max,
                })
            })
            .collect();
        return print(&json!({ "logs": logs.len(), "windows": rows }).to_string());
    }
    print(&format!("{} logs, o200k tokens", logs.len()))?;
    print(
        "window  contexts  malformed  over  infeasible  calls refused  tokens a call  whole history  largest  of whole history",
    )?;
    for (window, seen) in rows {
        let each = |sum: u64| sum / seen.contexts.max(1);
        print(&format!(
            "{window:>6}  {:>8}  {:>9}  {:>4}  {:>10}  {:>13}  {:>13}  {:>13}  {:>7}  {:>16}",
            seen.contexts,
            seen.malformed,
            seen.over,
            seen.infeasible,
            seen.refused_calls,
            each(seen.tokens),
            each(seen.whole),
            seen.tokens_max,
            seen.whole_max,
        ))?;
    }
    Ok(())
}

fn logs(data: &Path) -> Result<Option<Vec<Value>>> {
    let file = data.join("tau_airline/trajectories.json.gz");
    if !is_there(&file) {
        return Ok(None);
    }
    Ok(Some(serde_json::from_str(&text(&file)?)?))
}

fn all(logs: &[Value], window: u32) -> Result<Seen> {
    let rules = StandardRules::default();
    let mut seen = Seen::default();
    for log in logs {
        let messages = log["traj"].as_array();
        let messages = messages.ok_or_else(|| anyhow!("a log without messages"))?;
        Played::begin(messages, window, &rules, &mut seen)?.rest(messages)?;
    }
    Ok(seen)
}

/// A log as a task that is moved on by its messages.
struct Played<'a> {
    rules: &'a StandardRules,
    tokenizer: BpeTokenizer,
    task: Task,
    now: Timestamp,
    window: u32,
    /// Tokens of all that was said, called and returned so far.
    history: u64,
    seen: &'a mut Seen,
}

impl<'a> Played<'a> {
    fn begin(
        messages: &[Value],
        window: u32,
        rules: &'a StandardRules,
        seen: &'a mut Seen,
    ) -> Result<Played<'a>> {
        let said = |role: &str| {
            let mut of = messages.iter().filter(|one| one["role"] == role);
            of.next().and_then(|one| one["content"].as_str())
        };
        let policy = said("system").unwrap_or_default();
        let input = said("user").ok_or_else(|| anyhow!("a log without a user"))?;
        let start = Start {
            workflow: serde_json::from_value(workflow(policy, messages))?,
            principal: Principal::from("user"),
            input: input.to_owned(),
            documents: Vec::new(),
            facts: BTreeMap::new(),
            parent: None,
            budget: steadfast::core::budget::BudgetChange::default(),
            window: Window {
                tokens: window,
                output_tokens: OUTPUT_TOKENS,
            },
        };
        let now = Timestamp(1_700_000_000_000_000);
        let tokenizer = BpeTokenizer::new(Encoding::O200k);
        let turn = turn(rules, &tokenizer, now);
        let started = Task::start(TaskId::from("t_log"), Salt([3; 32]), start, turn)?;
        let mut played = Played {
            rules,
            tokenizer,
            task: started.task.clone(),
            now,
            window,
            history: 0,
            seen,
        };
        played.adopt(started);
        played.record(Input::Wake)?;
        Ok(played)
    }

    /// Everything after the first message of the user.
    fn rest(&mut self, messages: &[Value]) -> Result<()> {
        let first = messages.iter().position(|one| one["role"] == "user");
        for message in &messages[first.map_or(0, |at| at + 1)..] {
            if self.task.state.outcome().is_some() {
                break;
            }
            match message["role"].as_str() {
                Some("user") => {
                    let text = message["content"].as_str().unwrap_or_default().to_owned();
                    self.history += u64::from(self.tokenizer.count(&text));
                    self.record(Input::Command {
                        principal: Principal::from("user"),
                        command: Command::Say { text },
                    })?;
                }
                Some("assistant") => self.reply(message)?,
                Some("tool") => self.result(message)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn reply(&mut self, message: &Value) -> Result<()> {
        let Some(slot) = &self.task.state.stands.model else {
            return Ok(());
        };
        let call = slot.call.clone();
        let calls = message["tool_calls"].as_array();
        let calls = calls.into_iter().flatten().map(|call| ReplyCall {
            id: call["id"].as_str().unwrap_or_default().to_owned(),
            skill: call["function"]["name"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            args: call["function"]["arguments"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
        });
        let mut reply = Reply::say("log", message["content"].as_str().unwrap_or_default());
        reply.calls = calls.collect();
        if reply.text.as_deref() == Some("") {
            reply.text = None;
        }
        for text in reply
            .text
            .iter()
            .chain(reply.calls.iter().map(|one| &one.args))
        {
            self.history += u64::from(self.tokenizer.count(text));
        }
        let outcome = Ok(reply);
        self.record(Input::ModelDone { call, outcome })
    }

    fn result(&mut self, message: &Value) -> Result<()> {
        let text = message["content"].as_str().unwrap_or_default();
        self.history += u64::from(self.tokenizer.count(text));
        let due = self.task.due(self.now, Epoch(1));
        let called = due.effects.iter().find_map(|effect| match effect {
            Effect::CallSkill { call, .. } => Some(call.clone()),
            _ => None,
        });
        let Some(call) = called else {
            self.seen.refused_calls += 1;
            return Ok(());
        };
        let intent = self.task.state.stands.calls[&call].intent;
        let value = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
        self.record(Input::SkillDone {
            call,
            intent,
            outcome: Ok(value),
            usage: None,
        })
    }

    fn record(&mut self, input: Input) -> Result<()> {
        self.now = self.now.plus_ms(1_000);
        let turn = turn(self.rules, &self.tokenizer, self.now);
        let recorded = self.task.record(input, turn)?;
        self.adopt(recorded);
        Ok(())
    }

    fn adopt(&mut self, recorded: Recorded) {
        if let Some(request) = &recorded.request {
            self.look(request);
        }
        let ended = recorded.events.iter().any(|event| {
            matches!(&event.body, Body::TaskFailed(body) if body.diagnosis.starts_with("the context needs"))
        });
        self.seen.infeasible += u64::from(ended);
        self.task = recorded.task;
    }

    fn look(&mut self, request: &Request) {
        let fixed: u64 = request
            .messages
            .iter()
            .filter(|one| matches!(one, Message::System { .. }))
            .map(|one| u64::from(self.tokenizer.count(&one.text())))
            .sum();
        let tools = serde_json::to_string(&request.tools).unwrap_or_default();
        let tools = u64::from(self.tokenizer.count(&tools));
        let mut tokens = tools + fixed;
        for message in &request.messages {
            if let Message::Assistant { calls, .. } = message {
                let args = calls.iter().map(|one| self.tokenizer.count(&one.args));
                tokens += args.map(u64::from).sum::<u64>();
            }
            if !matches!(message, Message::System { .. }) {
                tokens += u64::from(self.tokenizer.count(&message.text()));
            }
        }
        let whole = tools
            + fixed
            + self.history
            + u64::from(self.tokenizer.count(&self.task.state.input.text()));
        let seen = &mut self.seen;
        seen.contexts += 1;
        seen.malformed += u64::from(malformed(request).is_err());
        seen.over += u64::from(tokens + u64::from(OUTPUT_TOKENS) > u64::from(self.window));
        seen.tokens += tokens;
        seen.whole += whole;
        seen.tokens_max = seen.tokens_max.max(tokens);
        seen.whole_max = seen.whole_max.max(whole);
    }
}

fn turn<'a>(rules: &'a StandardRules, tokenizer: &'a BpeTokenizer, now: Timestamp) -> Turn<'a> {
    Turn {
        now,
        epoch: Epoch(1),
        rules: Rules {
            tokenizer,
            ..rules.rules()
        },
        utc_offset: None,
    }
}

/// A row of optional states, each with all tools that the log uses.
fn workflow(policy: &str, messages: &[Value]) -> Value {
    let calls = messages
        .iter()
        .filter_map(|one| one["tool_calls"].as_array());
    let names = calls
        .flatten()
        .filter_map(|one| one["function"]["name"].as_str());
    let names: BTreeSet<&str> = names.collect();
    let mut states = serde_json::Map::new();
    for at in 0..STATES {
        let next = match at + 1 < STATES {
            true => format!("S{}", at + 1),
            false => "DONE".to_owned(),
        };
        let mut state = json!({ "mandatory": false, "on_success": next });
        if !names.is_empty() {
            state["skills"] = json!(names);
            state["complete"] = json!("any");
        }
        states.insert(format!("S{at}"), state);
    }
    let read = json!({ "kind": "function", "effect": "read" });
    let skills: serde_json::Map<String, Value> = names
        .iter()
        .map(|name| ((*name).to_owned(), read.clone()))
        .collect();
    json!({
        "workflow_id": "log", "conversation": true, "policy": policy,
        "initial_state": "S0", "states": states, "skills": skills,
        "limits": { "steps": 100_000, "visits": 10_000, "refusals": 100 },
    })
}

/// Both providers' rules: the user first, each call with its results right after
/// it, none alone, no id twice, no message without content.
fn malformed(request: &Request) -> Result<()> {
    let mut open: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    let mut first = true;
    for message in &request.messages {
        match message {
            Message::System { .. } => continue,
            Message::Tool { call, text, .. } => {
                ensure!(open.first() == Some(&call.as_str()), "a result alone");
                ensure!(!text.is_empty(), "an empty result");
                open.remove(0);
            }
            Message::User { parts } => {
                ensure!(open.is_empty(), "a call without its result");
                ensure!(
                    parts.iter().any(|one| !one.text.is_empty()),
                    "an empty message"
                );
            }
            Message::Assistant { text, calls } => {
                ensure!(open.is_empty(), "a call without its result");
                let words = text.as_deref().unwrap_or_default();
                ensure!(!words.is_empty() || !calls.is_empty(), "an empty reply");
                open = calls.iter().map(|one| one.id.as_str()).collect();
                ensure!(open.iter().all(|id| ids.insert(*id)), "an id twice");
            }
        }
        if first && !matches!(message, Message::User { .. }) {
            bail!("the user is not first");
        }
        first = false;
    }
    ensure!(open.is_empty(), "a call without its result");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::{root, say};

    /// G11 on real logs; a fifth of them, since the build is a slow one.
    #[test]
    fn g11_real_logs_make_no_malformed_context() {
        let Some(logs) = logs(&root().join("../shared/data")).unwrap() else {
            say("skipped: the airline logs are not at hand");
            return;
        };
        let some: Vec<Value> = logs.into_iter().step_by(5).collect();
        for window in WINDOWS {
            let seen = all(&some, window).unwrap();
            assert!(seen.contexts > 100, "{seen:?}");
            assert_eq!((seen.malformed, seen.over), (0, 0), "{seen:?}");
        }
    }
}
