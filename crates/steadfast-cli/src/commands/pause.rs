//! `steadfast pause`: a task begins nothing new until it is unpaused.

use steadfast_core::task::input::Command;

use crate::args::One;
use crate::commands::cancel::command_now;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;

pub(crate) async fn run(args: &One, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let (_, id, rest) = command_now(args, &Command::Pause, settings, printer).await?;
    printer.say(&match rest {
        None => format!("task {id} will be paused by the process that drives it"),
        Some(_) => format!("task {id} is paused"),
    });
    if printer.json {
        printer.json(&serde_json::json!({ "task": id, "posted": "pause" }))?;
    }
    Ok(Exit::Ok)
}
