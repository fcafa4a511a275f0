//! `steadfast resolve`: a person decides on a call that waits for approval, or
//! says whether a deed in doubt was done.
//!
//! A decision is bound to one call. Without a name it is taken only where a
//! single call waits, so that an answer never goes to an arbitrary question.

use std::sync::Arc;

use steadfast_core::id::{CallId, Epoch};
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_core::task::state::{Call, Stage};
use steadfast_store::SqliteLog;

use crate::args::Resolve;
use crate::commands::resume;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{drive, pending, report, secrets, store};

/// What a call waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Approval,
    Doubt,
}

impl Question {
    fn what(self) -> &'static str {
        match self {
            Question::Approval => "approval",
            Question::Doubt => "word on whether it was done",
        }
    }
}

pub(crate) async fn run(
    args: Resolve,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    if let Some(outcome) = task.state.outcome() {
        return Err(Error::Ended {
            task: id,
            how: super::cancel::how(outcome),
        });
    }
    let asked = if args.approve || args.deny {
        Question::Approval
    } else {
        Question::Doubt
    };
    let call = which(&log, &task, args.call.as_deref(), asked).await?;
    let command = match asked {
        Question::Approval => Command::Decide {
            call: call.clone(),
            approved: args.approve,
            reason: args.reason.clone(),
        },
        Question::Doubt => Command::Settle {
            call: call.clone(),
            done: args.done,
        },
    };
    let by = settings.principal(args.by.as_deref());
    let command = secrets::cleaned(&command, &task, settings);
    pending::post(&log, &id, by, &command).await?;

    printer.say(&format!(
        "{}: {}",
        verdict(&args),
        report::shown(&task, &call)
    ));
    if args.resume {
        return resume::go_on(&log, &id, args.onward, settings, printer).await;
    }
    if printer.json {
        printer
            .json(&serde_json::json!({ "task": id, "call": call, "decided": verdict(&args) }))?;
    }
    printer.say(&format!(
        "go on with `{}`",
        settings.command(&format!("resume {id}"))
    ));
    Ok(Exit::Ok)
}

fn verdict(args: &Resolve) -> &'static str {
    match (args.approve, args.deny, args.done) {
        (true, _, _) => "approved",
        (_, true, _) => "denied",
        (_, _, true) => "settled as done",
        _ => "settled as not done",
    }
}

/// The call that the decision is on.
async fn which(
    log: &Arc<SqliteLog>,
    task: &Task,
    given: Option<&str>,
    asked: Question,
) -> Result<CallId, Error> {
    let id = &task.state.task;
    let held = drive::is_held(log.as_ref(), id).await?;
    let decided = pending::decided(log.as_ref(), task).await?;
    let open: Vec<(CallId, Question)> = open(task, held);
    let Some(given) = given else {
        let waiting: Vec<&(CallId, Question)> = open
            .iter()
            .filter(|(call, _)| !decided.contains(call))
            .collect();
        return match waiting.as_slice() {
            [] => Err(Error::NothingOpen { task: id.clone() }),
            [(call, question)] if *question == asked => Ok(call.clone()),
            [(call, _)] => Err(not_open(task, call.as_str(), asked)),
            several => {
                let line = |(call, question): &&(CallId, Question)| {
                    format!(
                        "{call} waits for {}: {}",
                        question.what(),
                        report::shown(task, call)
                    )
                };
                let calls = several.iter().map(line).collect();
                Err(Error::SeveralOpen {
                    task: id.clone(),
                    calls,
                })
            }
        };
    };
    let call = CallId::new(given);
    if decided.contains(&call) {
        return Err(Error::Decided {
            task: id.clone(),
            call: given.to_owned(),
        });
    }
    if open.contains(&(call.clone(), asked)) {
        return Ok(call);
    }
    Err(not_open(task, given, asked))
}

fn not_open(task: &Task, call: &str, asked: Question) -> Error {
    let (task, call) = (task.state.task.clone(), call.to_owned());
    Error::NotOpen {
        task,
        call,
        what: asked.what(),
    }
}

/// The calls on which a person can decide, in the order of their admission. A
/// deed whose process died is in doubt; one that a living process is at is not.
fn open(task: &Task, held: bool) -> Vec<(CallId, Question)> {
    let question = |call: &Call| match call.stage {
        Stage::Approval { .. } => Some(Question::Approval),
        Stage::InDoubt => Some(Question::Doubt),
        _ if !held && call.is_in_doubt(Epoch(u64::MAX)) => Some(Question::Doubt),
        _ => None,
    };
    let stands = &task.state.stands;
    let calls = stands
        .queue
        .iter()
        .filter_map(|id| Some((id, stands.calls.get(id)?)));
    calls
        .filter_map(|(id, call)| Some((id.clone(), question(call)?)))
        .chain(
            task.state
                .held()
                .map(|held| (held.clone(), Question::Approval)),
        )
        .collect()
}
