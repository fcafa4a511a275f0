//! `steadfast send`: the user says something to a task.

use steadfast_core::task::input::Command;

use crate::args::Send;
use crate::commands::cancel::post;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;
use crate::settings::Settings;

pub(crate) async fn run(
    args: &Send,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let command = Command::Say {
        text: input::text(&args.text)?,
    };
    let (_, task) = post(&args.one, &command, settings).await?;
    let id = &task.state.task;
    let resume = settings.command(&format!("resume {id}"));
    printer.say(&format!(
        "kept for task {id}; where nobody drives it: `{resume}`"
    ));
    if printer.json {
        printer.json(&serde_json::json!({ "task": id, "posted": "send" }))?;
    }
    Ok(Exit::Ok)
}
