//! `--write`: what fits a model, put into the settings file that describes it.

use steadfast::settings::{handling_lines, with_handling};
use steadfast_core::handling::Handling;

use crate::error::Error;
use crate::input;
use crate::printer::Printer;
use crate::settings::Settings;

pub(super) fn handling(
    model: &str,
    handling: &Handling,
    settings: &Settings,
    printer: &Printer,
) -> Result<(), Error> {
    if handling.is_empty() {
        printer.say("nothing to write: the model is handled as it should be");
        return Ok(());
    }
    let Some(path) = settings.resolved.file_of_model(model) else {
        return Err(Error::NotWritten {
            why: format!("no settings file describes the model `{model}`"),
            lines: handling_lines(model, handling),
        });
    };
    let text = input::file("settings", &path)?;
    let changed = with_handling(&text, model, handling).map_err(|refused| Error::NotWritten {
        why: format!("`{}` is not changed: {refused}", path.display()),
        lines: refused.lines,
    })?;
    std::fs::write(&path, changed).map_err(|source| Error::Write {
        path: path.clone(),
        source,
    })?;
    printer.say(&format!("written to `{}`", path.display()));
    Ok(())
}
