//! Where a run came to rest: the answer on stdout, everything else on stderr,
//! and what a person does next.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;
use steadfast::driver::Rest;
use steadfast_core::budget::{Money, Resource, Scope};
use steadfast_core::check::review::{Asked, Verdict};
use steadfast_core::event::proposal::Taint;
use steadfast_core::event::task::Cause;
use steadfast_core::id::CallId;
use steadfast_core::task::review::Review;
use steadfast_core::task::{Outcome, Task, Waiting};
use steadfast_core::validate::state::Look;

use crate::content::visible;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::time;

/// A run as programs read it.
#[derive(Serialize)]
struct Summary<'a> {
    task: &'a str,
    workflow: &'a str,
    /// `completed`, `failed`, `cancelled`, or `waiting`.
    outcome: &'static str,
    answer: Option<String>,
    diagnosis: Option<&'a str>,
    cause: Option<&'a Cause>,
    waiting: Option<WaitingFor>,
    steps: u32,
    elapsed_ms: u64,
    tokens: Tokens,
    #[serde(skip_serializing_if = "Option::is_none")]
    cost: Option<Cost>,
    model_calls: u64,
    skill_calls: u64,
    attempts: Attempts,
}

#[derive(Serialize)]
struct Tokens {
    input: u64,
    output: u64,
    /// Upper bound of what calls without a recorded reply may have used.
    unknown: u64,
}

/// What the task cost, where its model has a price.
#[derive(Serialize)]
struct Cost {
    spent: Money,
    /// Upper bound of what calls without a recorded reply may have cost.
    unknown: Money,
}

/// What the model tried. A skip or misorder is refused, so these count attempts.
#[derive(Serialize)]
struct Attempts {
    proposals: u64,
    refused: u64,
    skips: u64,
    misorders: u64,
    /// What guards that observe would have refused, by the code of the reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    observed: BTreeMap<String, u64>,
}

#[derive(Serialize)]
struct WaitingFor {
    /// `approval`, `doubt`, `budget`, `unpause`, or `message`.
    r#for: &'static str,
    calls: Vec<OpenCall>,
}

#[derive(Serialize)]
struct OpenCall {
    call: CallId,
    skill: String,
    args: Value,
    key: String,
}

/// Reports and gives the exit code.
pub(crate) fn report(
    task: &Task,
    rest: &Rest,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    say_observed(task, settings, printer);
    say(task, rest, settings, printer);
    if printer.json {
        printer.json(&summary(task, rest))?;
    } else if let Some(answer) = answer(task, rest) {
        printer.data(&answer)?;
    }
    Ok(match rest {
        Rest::Ended(Outcome::Completed { .. }) => Exit::Ok,
        Rest::Ended(Outcome::Failed { .. }) => Exit::Halted,
        Rest::Ended(Outcome::Cancelled) => Exit::User,
        // What was asked for is there.
        Rest::Waiting(Waiting::Message) => Exit::Ok,
        Rest::Waiting(_) => Exit::Waiting,
        Rest::Stopped => Exit::Signal(15),
    })
}

/// The answer that a run ended with: the task's, or that of the last round of a
/// conversation.
fn answer(task: &Task, rest: &Rest) -> Option<String> {
    match rest {
        Rest::Ended(Outcome::Completed { answer }) => Some(answer.text().into_owned()),
        Rest::Waiting(Waiting::Message) => {
            let answer = task.state.stands.round.answer.as_ref();
            answer.map(|answer| answer.text().into_owned())
        }
        _ => None,
    }
}

fn say(task: &Task, rest: &Rest, settings: &Settings, printer: &Printer) {
    let id = &task.state.task;
    let costs = costs(task);
    match rest {
        Rest::Ended(Outcome::Completed { .. }) => {
            printer.say(&format!("task {id} completed ({costs})"));
        }
        Rest::Ended(Outcome::Failed { diagnosis, .. }) => {
            printer.say(&format!("task {id} failed: {diagnosis} ({costs})"));
            let log = settings.command(&format!("log {id}"));
            printer.say(&format!("\nhint: see what happened with `{log}`"));
        }
        Rest::Ended(Outcome::Cancelled) => {
            printer.say(&format!("task {id} was cancelled ({costs})"));
        }
        Rest::Waiting(waiting) => say_waiting(task, waiting, settings, printer),
        Rest::Stopped => {}
    }
}

/// What would have been refused, had the guards not only observed.
fn say_observed(task: &Task, settings: &Settings, printer: &Printer) {
    let observed = &task.state.stands.counters.observed;
    let all: u64 = observed.values().sum();
    if all == 0 {
        return;
    }
    let codes: Vec<String> = observed
        .iter()
        .map(|(code, count)| format!("{count} × {code}"))
        .collect();
    let log = settings.command(&format!("log {}", task.state.task));
    printer.say(&format!(
        "observed: {all} would have been refused ({}); `{log}` shows them",
        codes.join(", ")
    ));
}

fn costs(task: &Task) -> String {
    let state = &task.state;
    let time = time::span(state.last_at.ms_since(state.started_at));
    let cost = cost(task).map_or_else(String::new, |cost| format!("{cost}, "));
    format!(
        "{} {}, {} tokens, {cost}{time}",
        state.stands.counters.steps,
        if state.stands.counters.steps == 1 {
            "step"
        } else {
            "steps"
        },
        state.stands.spent.tokens()
    )
}

/// The currency that the task's model is priced in, where it costs anything.
fn price(task: &Task) -> Option<&str> {
    let price = task.state.stands.price.as_ref();
    let price = price.filter(|price| !price.is_free())?;
    Some(&price.currency)
}

fn money(micros: u64, currency: &str) -> Money {
    Money {
        micros,
        currency: currency.to_owned(),
    }
}

/// What the task has cost at most, where its model has a price.
pub(crate) fn cost(task: &Task) -> Option<Money> {
    let spent = task.state.stands.spent;
    Some(money(spent.micros + spent.unknown_micros, price(task)?))
}

pub(crate) fn say_waiting(task: &Task, waiting: &Waiting, settings: &Settings, printer: &Printer) {
    let id = &task.state.task;
    let resolve =
        |call: &CallId, how: &str| settings.command(&format!("resolve {id} {call} {how}"));
    match waiting {
        Waiting::Approval { calls } => {
            for call in calls {
                printer.say(&format!(
                    "call {call} waits for approval: {}{}",
                    shown(task, call),
                    tainted(task, call)
                ));
                printer.say(&format!("  yes: {}", resolve(call, "--approve")));
                printer.say(&format!("  no:  {}", resolve(call, "--deny --reason TEXT")));
            }
        }
        Waiting::Doubt { calls } => {
            for call in calls {
                printer.say(&format!(
                    "call {call} may or may not have been done: {}",
                    shown(task, call)
                ));
                printer.say(&format!("  it was:     {}", resolve(call, "--done")));
                printer.say(&format!("  it was not: {}", resolve(call, "--not-done")));
            }
        }
        Waiting::Budget { exhausted } => {
            printer.say(&format!("task {id} waits: {exhausted}"));
            let scope = match &exhausted.scope {
                Scope::Task => String::new(),
                Scope::State(name) => format!("{name}."),
                Scope::Step(_) => "step.".to_owned(),
            };
            let key = match exhausted.resource {
                Resource::ModelCalls => "calls",
                Resource::Time => "time",
                other => other.name(),
            };
            let resume = settings.command(&format!("resume {id} --budget {scope}{key}=…"));
            printer.say(&format!("raise it and go on with `{resume}`"));
            return;
        }
        Waiting::Children { children } => {
            let count = match children.len() {
                1 => "a sub-task".to_owned(),
                more => format!("{more} sub-tasks"),
            };
            printer.say(&format!("task {id} waits for {count}"));
        }
        Waiting::Paused => {
            let unpause = settings.command(&format!("unpause {id}"));
            printer.say(&format!(
                "task {id} is paused; let it go on with `{unpause}`"
            ));
            return;
        }
        Waiting::Message => {
            let chat = settings.command(&format!("chat --resume {id}"));
            printer.say(&format!(
                "task {id} waits for your next message; go on with `{chat}`"
            ));
            return;
        }
        Waiting::Ended { .. } => return,
    }
    let resume = settings.command(&format!("resume {id}"));
    printer.say(&format!("then go on with `{resume}`"));
}

/// A call as a person decides on it: skill and the exact arguments.
pub(crate) fn shown(task: &Task, call: &CallId) -> String {
    match task.state.stands.calls.get(call) {
        // Whole, however long: what is approved is every byte of it.
        Some(open) => format!("{} {}", open.skill, visible(&open.args.text())),
        None => {
            let stands = &task.state.stands;
            let review = stands.review.as_ref().filter(|one| one.call == *call);
            let look = stands.validations.held().filter(|one| one.call == *call);
            match (review, look) {
                (Some(review), _) => held(task, review),
                (None, Some(look)) => not_passed(task, look),
                (None, None) => "it is no longer open".to_owned(),
            }
        }
    }
}

/// What a validation did not pass, with what was found; of an answer every byte.
fn not_passed(task: &Task, look: &Look) -> String {
    let found = look.held.as_ref().map(|found| visible(&found.text()));
    let found = found.unwrap_or_default();
    match &look.answer {
        Some(answer) => {
            let answer = visible(&answer.text());
            format!("the answer, of which its validation says {found}:\n{answer}")
        }
        None => {
            let phase = visible(task.phase());
            format!("phase `{phase}` begins, and its validation says {found}")
        }
    }
}

/// Which arguments of a call only untrusted text names, a line each.
pub(crate) fn tainted(task: &Task, call: &CallId) -> String {
    let open = task.state.stands.calls.get(call);
    let all = open.map(|open| open.tainted.as_slice()).unwrap_or_default();
    let one = |taint: &Taint| {
        let Taint { argument, from } = taint;
        format!("\n  `{argument}` stands only in what came from outside (event {from})")
    };
    all.iter().map(one).collect()
}

/// An answer that a person lets out or not: which rules nobody can tell it keeps,
/// why, and every byte of it.
fn held(task: &Task, review: &Review) -> String {
    let rules = review.verdicts.iter().filter_map(|(id, verdict)| {
        let Verdict::CannotTell { because } = verdict else {
            return None;
        };
        let asked = Asked::of(task.state.ledger.constraint(*id)?)?;
        let words = visible(&asked.text);
        Some(format!("{id} “{words}” ({})", because.said().en))
    });
    let rules: Vec<String> = rules.collect();
    let answer = visible(&review.answer.text());
    format!(
        "the answer; it is unknown whether it keeps {}:\n{answer}",
        rules.join(", ")
    )
}

fn summary<'a>(task: &'a Task, rest: &'a Rest) -> Summary<'a> {
    let state = &task.state;
    let (spent, counters) = (state.stands.spent, &state.stands.counters);
    let (outcome, answer, diagnosis, cause) = match rest {
        Rest::Ended(Outcome::Completed { answer }) => {
            ("completed", Some(answer.text().into_owned()), None, None)
        }
        Rest::Ended(Outcome::Failed { reason, diagnosis }) => {
            ("failed", None, Some(diagnosis.as_str()), Some(reason))
        }
        Rest::Ended(Outcome::Cancelled) => ("cancelled", None, None, None),
        Rest::Waiting(_) => ("waiting", self::answer(task, rest), None, None),
        Rest::Stopped => ("stopped", None, None, None),
    };
    Summary {
        task: state.task.as_str(),
        workflow: &task.workflow.spec.workflow_id,
        outcome,
        answer,
        diagnosis,
        cause,
        waiting: waiting_for(task, rest),
        steps: counters.steps,
        elapsed_ms: state.last_at.ms_since(state.started_at),
        tokens: Tokens {
            input: spent.input_tokens,
            output: spent.output_tokens,
            unknown: spent.unknown_tokens,
        },
        cost: price(task).map(|currency| Cost {
            spent: money(spent.micros, currency),
            unknown: money(spent.unknown_micros, currency),
        }),
        model_calls: spent.model_calls,
        skill_calls: spent.skill_calls,
        attempts: Attempts {
            proposals: counters.proposals,
            refused: counters.refusals,
            skips: counters.skip_attempts,
            misorders: counters.order_attempts,
            observed: counters.observed.clone(),
        },
    }
}

fn waiting_for(task: &Task, rest: &Rest) -> Option<WaitingFor> {
    let open = |calls: &[CallId]| -> Vec<OpenCall> {
        let found = calls
            .iter()
            .filter_map(|id| Some((id, task.state.stands.calls.get(id)?)));
        found
            .map(|(id, call)| OpenCall {
                call: id.clone(),
                skill: call.skill.to_string(),
                args: call.args.json(),
                key: call.key.to_string(),
            })
            .collect()
    };
    let Rest::Waiting(waiting) = rest else {
        return None;
    };
    match waiting {
        Waiting::Approval { calls } => Some(WaitingFor {
            r#for: "approval",
            calls: open(calls),
        }),
        Waiting::Doubt { calls } => Some(WaitingFor {
            r#for: "doubt",
            calls: open(calls),
        }),
        Waiting::Budget { .. } => Some(WaitingFor {
            r#for: "budget",
            calls: Vec::new(),
        }),
        Waiting::Children { .. } => Some(WaitingFor {
            r#for: "children",
            calls: Vec::new(),
        }),
        Waiting::Paused => Some(WaitingFor {
            r#for: "unpause",
            calls: Vec::new(),
        }),
        Waiting::Message => Some(WaitingFor {
            r#for: "message",
            calls: Vec::new(),
        }),
        Waiting::Ended { .. } => None,
    }
}
