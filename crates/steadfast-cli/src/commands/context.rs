//! `steadfast context`: what a model saw at a step, of what it was made, and
//! what was left out. Rendered from the log; no model is called.

mod bill;
mod page;

use serde::Serialize;
use serde_json::Value;
use steadfast::driver;
use steadfast_core::content::HoldsContent;
use steadfast_core::context::{Fragment, Manifest, Request};
use steadfast_core::event::Body;
use steadfast_core::event::model::ModelCalled;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_store::{Log, load_events};

use crate::args::Context as Args;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

/// A recorded context.
pub(super) struct Seen {
    pub(super) called: ModelCalled,
    pub(super) manifest: Manifest,
}

/// One fragment with the words that a model reads of it.
pub(super) struct Part {
    pub(super) text: String,
}

pub(crate) async fn run(
    args: &Args,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let log = log.as_ref();
    let id = store::find(log, &args.task).await?;
    let all = seen(log, &id).await?;
    if let Some([from, to]) = args
        .diff
        .as_deref()
        .and_then(|two| <[u32; 2]>::try_from(two).ok())
    {
        let (from, to) = (
            of_step(&all, &id, Some(from))?,
            of_step(&all, &id, Some(to))?,
        );
        let texts = (parts(log, &id, from).await?, parts(log, &id, to).await?);
        return bill::differences(printer, (from, &texts.0), (to, &texts.1)).map(|()| Exit::Ok);
    }
    let one = of_step(&all, &id, args.step)?;
    if args.bom {
        let texts = parts(log, &id, one).await?;
        let before = all
            .iter()
            .rev()
            .find(|other| other.called.basis < one.called.basis);
        bill::show(printer, one, before, &texts)?;
        return Ok(Exit::Ok);
    }
    let salt = log.header(&id).await?.salt;
    let (call, manifest) = (&one.called.call, &one.called.manifest);
    let expected = Some(one.called.context);
    let request = driver::rebuild_context(log, &id, &salt, call, manifest, expected).await?;
    if args.raw || printer.json {
        printer.json(&Whole {
            step: one.called.step,
            call: call.as_str(),
            context: one.called.context,
            request: &request,
        })?;
    } else {
        printer.data(&page::page(one, &request))?;
    }
    Ok(Exit::Ok)
}

/// A context as programs read it.
#[derive(Serialize)]
struct Whole<'a> {
    step: u32,
    call: &'a str,
    context: Hash,
    request: &'a Request,
}

/// Every context of the log, oldest first.
async fn seen(log: &dyn Log, id: &TaskId) -> Result<Vec<Seen>, Error> {
    let mut all = Vec::new();
    for event in load_events(log, id, Seq(1)).await? {
        let Body::ModelCalled(called) = event.body else {
            continue;
        };
        // One that does not read was written by a newer build.
        if let Ok(manifest) = serde_json::from_str(&called.manifest.text()) {
            let called = *called;
            all.push(Seen { called, manifest });
        }
    }
    Ok(all)
}

/// The last context of a step, or of the task.
fn of_step<'a>(all: &'a [Seen], id: &TaskId, step: Option<u32>) -> Result<&'a Seen, Error> {
    let wanted = |one: &&Seen| step.is_none_or(|step| one.called.step == step);
    all.iter()
        .rev()
        .find(wanted)
        .ok_or_else(|| Error::NoContext {
            task: id.clone(),
            step,
            last: all.last().map_or(0, |one| one.called.step),
        })
}

/// The texts of a context's fragments, in order; what was erased is empty.
async fn parts(log: &dyn Log, id: &TaskId, one: &Seen) -> Result<Vec<Part>, Error> {
    let salt = log.header(id).await?.salt;
    let stored = log.content(id, &one.manifest.names()).await?;
    let mut parts = Vec::new();
    for entry in &one.manifest.entries {
        let bytes = stored.get(&entry.hash);
        let read = bytes.and_then(|bytes| serde_json::from_slice::<Fragment>(bytes).ok());
        let Some(mut fragment) = read else {
            let text = String::new();
            parts.push(Part { text });
            continue;
        };
        let mut wanted = Vec::new();
        fragment.visit_content(&mut |content| wanted.push(content.hash));
        let payloads = log.content(id, &wanted).await?;
        fragment.visit_content(&mut |content| {
            if let Some(bytes) = payloads.get(&content.hash) {
                content.load(&salt, bytes.clone());
            }
        });
        let text = fragment.text();
        parts.push(Part { text });
    }
    Ok(parts)
}

/// One of our own words, as it stands in JSON.
pub(super) fn word<T: Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}
