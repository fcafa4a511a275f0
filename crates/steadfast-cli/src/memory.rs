//! What a task's archive is kept with: the summariser that its workflow names,
//! else the settings.

use steadfast::driver::Memory;
use steadfast_core::workflow::Spec;

use crate::error::Error;
use crate::model;
use crate::printer::Printer;
use crate::settings::Settings;

/// The memory of a task that runs `spec`. A summariser that cannot be had is an
/// error here, before anything begins: it was asked for.
pub(crate) fn of(spec: &Spec, settings: &Settings, printer: &Printer) -> Result<Memory, Error> {
    let named = spec.memory.summariser.as_deref();
    let named = named.or(settings.resolved.settings.summariser.as_deref());
    let Some(name) = named else {
        return Ok(Memory::default());
    };
    let (summariser, why) = model::choose(name, settings)?;
    printer.say(&format!("summariser: {why}"));
    Ok(Memory {
        summariser: Some(summariser),
    })
}
