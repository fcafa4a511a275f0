//! What a task's archive is kept with: the summariser that its workflow names,
//! else the settings; the embedder of the settings.

use std::sync::Arc;

use steadfast::driver::Memory;
use steadfast::recall::{Embedder as _, LocalEmbedder};
use steadfast::settings::Embedder;
use steadfast_core::workflow::Spec;

use crate::error::Error;
use crate::model;
use crate::printer::Printer;
use crate::settings::{self, Settings};

/// The memory of a task that runs `spec`. A summariser that cannot be had is an
/// error here, before anything begins: it was asked for.
pub(crate) fn of(spec: &Spec, settings: &Settings, printer: &Printer) -> Result<Memory, Error> {
    let named = spec.memory.summariser.as_deref();
    let named = named.or(settings.resolved.settings.summariser.as_deref());
    let mut memory = Memory::default();
    if let Some(name) = named {
        let (summariser, why) = model::choose(name, settings)?;
        printer.say(&format!("summariser: {why}"));
        memory.summariser = Some(summariser);
    }
    memory.embedder = embedder(settings, printer)?;
    Ok(memory)
}

/// The embedder of the settings.
pub(crate) fn embedder(
    settings: &Settings,
    printer: &Printer,
) -> Result<Option<Arc<dyn steadfast::recall::Embedder>>, Error> {
    if settings.resolved.settings.embedder != Some(Embedder::Local) {
        return Ok(None);
    }
    let folder = settings::encoder_folder(None);
    let local = LocalEmbedder::open(&folder)?;
    printer.say(&format!("embedder: {}", local.id()));
    Ok(Some(Arc::new(local)))
}
