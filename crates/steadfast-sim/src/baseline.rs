//! The naive loop that the guarantees are shown against: a contract in the
//! prompt, the full history, no gate.
//!
//! It does what is commonly done: every call that the model proposes is carried
//! out, an error is tried again, the first text is the answer, and a process
//! that died starts the task anew. It is told the same contract, and meets the
//! same models and the same world.

use std::sync::Arc;

use steadfast::skill::{SkillCall, Skills};
use steadfast_core::context::{
    FragmentKind, Message, Part, Request, RequestCall, Tool, ToolChoice,
};
use steadfast_core::id::{CallId, TaskId};
use steadfast_core::proposal::Reply;
use steadfast_core::workflow::contract::{self, Style};
use steadfast_core::workflow::{Spec, Workflow};

use crate::dice::Mark;
use crate::executor::{Ran, run};
use crate::workflow::Case;
use crate::world::{Deed, World};

/// Turns after which the loop gives up: it has no bound of its own.
const TURNS_MAX: usize = 40;
/// Times that a call is made before the model hears of its error.
const ATTEMPTS: u32 = 2;
/// Times that a process is started.
const STARTS_MAX: u32 = 5;

/// What the naive loop did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Naive {
    /// Each call that was carried out, with its arguments, and whether it succeeded.
    pub calls: Vec<(String, String, bool)>,
    /// Order in which results stand in the history.
    pub history: Vec<String>,
    pub answer: Option<String>,
    /// Requests that the model was sent.
    pub turns: usize,
    pub starts: u32,
}

/// A function from a request and the number of the turn to a reply.
pub type Say<'a> = dyn Fn(&Request, usize) -> Reply + 'a;

/// Runs the naive loop until it answers or gives up.
pub fn naive(case: &Case, world: &Arc<World>, skills: &Skills, say: &Say<'_>) -> Naive {
    let mut done = Naive::default();
    for _ in 0..STARTS_MAX {
        done.starts += 1;
        match run(world, attempt(case, skills, say, &mut done)) {
            Ran::Finished(()) => break,
            Ran::Crashed => {}
            Ran::Stuck(_) => break,
        }
    }
    done
}

async fn attempt(case: &Case, skills: &Skills, say: &Say<'_>, done: &mut Naive) {
    let mut messages = opening(case);
    for turn in 0..TURNS_MAX {
        let request = Request {
            messages: messages.clone(),
            tools: tools(&case.spec),
            tool_choice: ToolChoice::Auto,
            output_tokens_max: 1_000,
            answer_schema: serde_json::Value::Null,
        };
        done.turns += 1;
        let reply = say(&request, turn);
        if reply.calls.is_empty() {
            done.answer = reply.text;
            return;
        }
        let calls: Vec<RequestCall> = reply
            .calls
            .iter()
            .enumerate()
            .map(|(index, call)| RequestCall {
                id: CallId::new(format!("n{turn}.{index}")),
                skill: call.skill.clone(),
                args: call.args.clone(),
            })
            .collect();
        messages.push(Message::Assistant {
            text: reply.text,
            calls: calls.clone(),
        });
        // All at once, and the results as they come.
        let results = side_by_side(&calls, skills).await;
        for (call, text, success) in results {
            done.calls
                .push((call.skill.clone(), call.args.clone(), success));
            done.history.push(call.id.to_string());
            messages.push(Message::Tool {
                call: call.id,
                skill: call.skill,
                text,
            });
        }
    }
}

/// Runs all calls at once; results in the order in which they come.
async fn side_by_side(calls: &[RequestCall], skills: &Skills) -> Vec<(RequestCall, String, bool)> {
    let mut open: Vec<_> = calls
        .iter()
        .map(|call| (call.clone(), Box::pin(carry_out(call.clone(), skills))))
        .collect();
    let mut results = Vec::new();
    std::future::poll_fn(|context| {
        open.retain_mut(|(call, future)| match future.as_mut().poll(context) {
            std::task::Poll::Ready((text, success)) => {
                results.push((call.clone(), text, success));
                false
            }
            std::task::Poll::Pending => true,
        });
        match open.is_empty() {
            true => std::task::Poll::Ready(()),
            false => std::task::Poll::Pending,
        }
    })
    .await;
    results
}

async fn carry_out(call: RequestCall, skills: &Skills) -> (String, bool) {
    let Some(skill) = skills.get(&call.skill) else {
        return (format!("no skill {}", call.skill), false);
    };
    let args: serde_json::Value = serde_json::from_str(&call.args).unwrap_or_default();
    let mut said = String::new();
    for attempt in 1..=ATTEMPTS {
        // A key per request, as a model or a client library makes it.
        let mut mark = Mark::new();
        mark.text(call.id.as_str());
        mark.number(u64::from(attempt));
        let key = steadfast_core::hash::Hash::of_bytes(&mark.value().to_le_bytes());
        let made = SkillCall {
            task: TaskId::from("t_naive"),
            call: call.id.clone(),
            args: args.clone(),
            key,
            attempt,
            timeout_ms: 60_000,
            meter: steadfast::skill::Meter::default(),
            model: steadfast::skill::TaskModel::default(),
        };
        match skill.call(&made).await {
            Ok(result) => {
                let success = result["ok"] != serde_json::json!(false);
                let text = serde_json::json!({"skill": call.skill, "result": result});
                return (text.to_string(), success);
            }
            Err(error) => said = error.message,
        }
    }
    (
        serde_json::json!({"skill": call.skill, "error": said}).to_string(),
        false,
    )
}

fn opening(case: &Case) -> Vec<Message> {
    let workflow = Workflow::compile(case.spec.clone());
    let contract = workflow
        .map(|workflow| contract::contract(&workflow, None, Style::default()))
        .unwrap_or_default();
    let part = |kind, text: &str| Part {
        kind,
        text: text.to_owned(),
    };
    vec![
        Message::System {
            parts: vec![part(FragmentKind::Contract, &contract)],
        },
        Message::User {
            parts: vec![part(FragmentKind::Task, &case.input)],
        },
        // Every skill is open all the time; the prompt can only ask.
        Message::User {
            parts: vec![part(
                FragmentKind::Notice,
                &format!("Follow the steps. {contract}"),
            )],
        },
    ]
}

fn tools(spec: &Spec) -> Vec<Tool> {
    let verifiers: Vec<_> = spec
        .skills
        .values()
        .filter_map(|skill| skill.verify.clone())
        .collect();
    let offered = spec
        .skills
        .iter()
        .filter(|(name, _)| !verifiers.contains(name));
    offered
        .map(|(name, skill)| Tool {
            name: name.clone(),
            description: skill.description.clone(),
            input: skill.input.clone(),
        })
        .collect()
}

/// The mandatory skills that an answer was given without. Sets of which any one
/// is enough count as done with one.
pub fn skipped(spec: &Spec, naive: &Naive) -> Vec<String> {
    use steadfast_core::workflow::spec::{Complete, UseSpec};
    let succeeded = |name: &str| {
        naive
            .calls
            .iter()
            .any(|(skill, _, ok)| *ok && skill == name)
    };
    let mut missing = Vec::new();
    for state in spec
        .states
        .values()
        .filter(|state| state.mandatory != Some(false))
    {
        let set = state.skills.iter().filter_map(|one| match one {
            UseSpec::Name(name) => Some(name.to_string()),
            UseSpec::Full(full) => (full.mandatory != Some(false)).then(|| full.skill.to_string()),
        });
        let names: Vec<String> = state
            .skill
            .iter()
            .map(ToString::to_string)
            .chain(set)
            .collect();
        let any = state.complete == Complete::Any && names.iter().any(|name| succeeded(name));
        if !any {
            missing.extend(names.into_iter().filter(|name| !succeeded(name)));
        }
    }
    missing
}

/// Deeds that were done more than once with the same arguments.
pub fn done_twice(world: &World) -> Vec<String> {
    let deeds = world.effects.deeds();
    let same = |one: &Deed| {
        deeds
            .iter()
            .filter(|d| d.skill == one.skill && d.args == one.args)
            .count()
    };
    let mut twice: Vec<String> = deeds
        .iter()
        .filter(|deed| same(deed) > 1)
        .map(|deed| deed.skill.clone())
        .collect();
    twice.dedup();
    twice
}
