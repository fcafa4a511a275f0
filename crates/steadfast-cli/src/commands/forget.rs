//! `steadfast forget`: drops what a task was about. Its events stay.

use serde_json::json;
use steadfast::clock::{Clock, SystemClock};
use steadfast_core::id::TaskId;
use steadfast_store::{Head, Log, Takeover};

use crate::args::Forget;
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{drive, holder, store};

/// For how long the task is held while it is forgotten: writing a large store
/// anew takes a while.
const HOLD_MS: u64 = 600_000;

pub(crate) async fn run(
    args: &Forget,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let events = log.head(&id).await?.seq;
    if log.erased(&id).await?.is_some() {
        // A second call cleans what the first could not.
        Origin::remove(settings, &id)?;
        log.scrub().await?;
        return told(&id, events.0, "was forgotten before", printer);
    }
    refuse_living(log.as_ref(), &id).await?;
    if !args.yes {
        return Err(Error::NotConfirmed { task: id });
    }
    let now = SystemClock::new().now();
    let name = holder::name();
    let lease = log.lease(&id, &name, now, HOLD_MS, Takeover::IfExpired);
    let lease = match lease.await {
        // Whoever held it is gone.
        Err(steadfast_store::Error::Busy { holder, .. }) if holder::is_gone(&holder) => {
            log.lease(&id, &name, now, HOLD_MS, Takeover::Force).await?
        }
        other => other?,
    };
    // First the file beside the store: with the tombstone all is done.
    Origin::remove(settings, &id)?;
    log.forget(&lease, now).await?;
    told(&id, events.0, "is forgotten", printer)
}

/// A task that may still act is not forgotten under its own feet. One that
/// cannot be read any more cannot act either.
async fn refuse_living(log: &dyn Log, id: &TaskId) -> Result<(), Error> {
    if drive::is_held(log, id).await? {
        let now = SystemClock::new().now();
        // Its refusal names the holder.
        let name = holder::name();
        log.lease(id, &name, now, 1, Takeover::IfExpired).await?;
    }
    if log.head(id).await? == Head::EMPTY {
        return Ok(());
    }
    match store::load(log, id).await {
        Ok(task) if task.state.outcome().is_none() => Err(Error::NotEnded { task: id.clone() }),
        Ok(_) | Err(Error::Driver(_)) => Ok(()),
        Err(error) => Err(error),
    }
}

fn told(id: &TaskId, events: u64, how: &str, printer: &Printer) -> Result<Exit, Error> {
    if printer.json {
        printer.json(&json!({ "task": id, "forgotten": true, "events": events }))?;
    } else {
        printer.data(&format!(
            "task {id} {how}: {events} events stay, what they name is gone"
        ))?;
    }
    Ok(Exit::Ok)
}
