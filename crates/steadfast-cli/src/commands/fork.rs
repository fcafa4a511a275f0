//! `steadfast fork`: a task gone on with from an earlier point, as a new one.

use serde_json::json;
use steadfast::replay;
use steadfast_core::id::{Seq, TaskId};

use crate::args::Fork;
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

pub(crate) async fn run(
    args: &Fork,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let new = args
        .name
        .clone()
        .map_or_else(store::new_task_id, TaskId::new);
    if !TaskId::is_valid(new.as_str()) {
        return Err(steadfast_store::Error::BadTaskId { task: new }.into());
    }
    let origin = Origin::load(settings, &id)?;
    let forked = replay::fork(log.as_ref(), &id, Seq(args.at), &new).await?;
    // So that it can be resumed like the one that it came from.
    if let Some(origin) = origin {
        origin.save(settings, &new)?;
    }
    if printer.json {
        let behind = forked.behind.iter();
        let behind: Vec<_> = behind
            .map(|(seq, skill)| json!({ "seq": seq, "skill": skill }))
            .collect();
        printer.json(&json!({
            "task": forked.task, "from": id, "at": forked.at, "deeds_behind": behind,
        }))?;
    } else {
        printer.data(forked.task.as_str())?;
    }
    printer.say(&format!(
        "it has the events of {id} up to {}; deeds up to there are done, and stay so",
        forked.at
    ));
    if !forked.behind.is_empty() {
        let behind = forked.behind.iter();
        let behind: Vec<String> = behind
            .map(|(seq, skill)| format!("{skill} (event {seq})"))
            .collect();
        printer.say(&format!(
            "{id} did more behind that point, which the new task knows nothing of and may do again: {}",
            behind.join(", ")
        ));
    }
    let resume = settings.command(&format!("resume {}", forked.task));
    printer.say(&format!("go on with `{resume}`"));
    Ok(Exit::Ok)
}
