//! `steadfast cancel`: a task takes no proposals any more and ends. Where
//! nobody drives it, it is driven here until it has.

use std::sync::Arc;

use steadfast::driver::{Memory, Rest};
use steadfast::model::Extractive;
use steadfast::skill::Skills;
use steadfast_core::id::TaskId;
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Task};
use steadfast_store::{SqliteLog, Takeover};

use crate::args::One;
use crate::drive::{self, Engine};
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{pending, report, secrets, store, workflow};

pub(crate) async fn run(args: &One, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let (log, id, rest) = command_now(args, &Command::Cancel, settings, printer).await?;
    match rest {
        None => printer.say(&format!(
            "task {id} will be cancelled by the process that drives it"
        )),
        Some(Rest::Ended(Outcome::Cancelled)) => printer.say(&format!("task {id} was cancelled")),
        Some(rest) => {
            // A deed in doubt must be settled by a person before the task can end.
            let task = store::load(log.as_ref(), &id).await?;
            return report::report(&task, &rest, settings, printer);
        }
    }
    if printer.json {
        printer.json(&serde_json::json!({ "task": id, "posted": "cancel" }))?;
    }
    Ok(Exit::Ok)
}

/// Puts a command into the inbox, and records it at once where no other process
/// drives the task. Gives where the task came to rest, if it was driven here.
pub(crate) async fn command_now(
    args: &One,
    command: &Command,
    settings: &Settings,
    printer: &Printer,
) -> Result<(Arc<SqliteLog>, TaskId, Option<Rest>), Error> {
    let (log, task) = post(args, command, settings).await?;
    let id = task.state.task.clone();
    // A verify may still have to tell whether a deed was done.
    let skills = skills(&log, &task, settings).await;
    let engine = Engine::new(
        Arc::clone(&log),
        Arc::new(Extractive),
        skills,
        Memory::default(),
        printer,
    );
    let rest = match drive::is_held(log.as_ref(), &id).await? {
        true => None,
        false => Some(engine.rest(&id, Takeover::IfExpired).await?),
    };
    Ok((log, id, rest))
}

/// Puts a command into the inbox of a task that has not ended.
pub(crate) async fn post(
    args: &One,
    command: &Command,
    settings: &Settings,
) -> Result<(Arc<SqliteLog>, Task), Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    if let Some(outcome) = task.state.outcome() {
        return Err(Error::Ended {
            task: id,
            how: how(outcome),
        });
    }
    let by = settings.principal(args.user.as_deref());
    let command = secrets::cleaned(command, &task, settings);
    pending::post(&log, &id, by, &command).await?;
    Ok((log, task))
}

pub(crate) fn how(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Completed { .. } => "completed",
        Outcome::Failed { .. } => "failed",
        Outcome::Cancelled => "was cancelled",
    }
}

/// The skills of a task as far as they can be built. Most ends need none, so
/// what cannot be built is named only when it is called for.
async fn skills(log: &Arc<SqliteLog>, task: &Task, settings: &Settings) -> Skills {
    let spec = pending::workflow(log.as_ref(), task).await;
    let origin = Origin::load(settings, &task.state.task).ok().flatten();
    let file = origin.and_then(|origin| origin.workflow);
    match (spec, file) {
        (Ok(spec), Some(file)) => {
            let skills = workflow::skills(&spec, workflow::folder(&file), settings);
            // Nor does an end need their secrets.
            let skills = skills.unwrap_or_default();
            match skills.secrets() {
                Ok(_) => skills,
                Err(_) => Skills::default(),
            }
        }
        _ => Skills::default(),
    }
}
