//! `steadfast unpause`: a paused task may go on.

use steadfast_core::task::input::Command;

use crate::args::One;
use crate::commands::cancel::post;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;

pub(crate) async fn run(args: &One, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let (_, task) = post(args, &Command::Resume, settings).await?;
    let id = &task.state.task;
    let resume = settings.command(&format!("resume {id}"));
    printer.say(&format!(
        "task {id} may go on; where nobody drives it: `{resume}`"
    ));
    if printer.json {
        printer.json(&serde_json::json!({ "task": id, "posted": "unpause" }))?;
    }
    Ok(Exit::Ok)
}
