//! `steadfast log`: what happened in a task, for people, for programs, or as it
//! is stored.

mod line;

use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;
use steadfast::driver::transitions;
use steadfast_core::content::{HoldsContent, Salt};
use steadfast_core::event::envelope::OpenError;
use steadfast_core::event::{Envelope, Event};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;
use steadfast_store::{Log, Stored, load_events, transfer};

use crate::args;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{content, store};

/// An event as programs read it. The body is missing where its format is newer
/// than this build.
#[derive(Serialize)]
struct Shown<'a> {
    v: u32,
    seq: u64,
    /// Microseconds since 1970 UTC.
    ts: i64,
    epoch: u64,
    source: &'a RawValue,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<Value>,
    prev: Hash,
}

pub(crate) async fn run(
    args: &args::Log,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    if let Some(path) = &args.export {
        return export(log.as_ref(), &id, path, printer).await;
    }
    if args.jsonl {
        let events = load_events(log.as_ref(), &id, Seq(1)).await?;
        let lines = transitions(&id, &events);
        lines.iter().try_for_each(|line| printer.json(line))?;
        return Ok(Exit::Ok);
    }
    let salt = log.header(&id).await?.salt;
    let mut from = Seq(args.from.max(1));
    loop {
        let page = log.read(&id, from, limits::READ_EVENTS_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(Exit::Ok);
        };
        from = last.seq.next();
        for stored in &page {
            if args.raw {
                printer.data(&String::from_utf8_lossy(&stored.bytes))?;
            } else {
                show(log.as_ref(), &id, &salt, stored, printer).await?;
            }
        }
    }
}

/// Writes the file whole, or leaves none behind.
async fn export(log: &dyn Log, id: &TaskId, path: &Path, printer: &Printer) -> Result<Exit, Error> {
    let exported = if path == Path::new("-") {
        transfer::export(log, id, std::io::stdout().lock()).await?
    } else {
        if path.exists() {
            let path = path.to_owned();
            return Err(Error::FileExists { path });
        }
        let mut unfinished = path.to_owned().into_os_string();
        unfinished.push(".new");
        let unwritable = |source| Error::Write {
            path: path.to_owned(),
            source,
        };
        let file = std::fs::File::create(&unfinished).map_err(unwritable)?;
        let out = std::io::BufWriter::new(&file);
        match transfer::export(log, id, out).await {
            Ok(exported) => {
                file.sync_all().map_err(unwritable)?;
                std::fs::rename(&unfinished, path).map_err(unwritable)?;
                exported
            }
            Err(error) => {
                // The error that counts is the first one.
                let _ = std::fs::remove_file(&unfinished);
                return Err(error.into());
            }
        }
    };
    let missing = match exported.missing {
        0 => String::new(),
        some => format!(", {some} missing"),
    };
    printer.say(&format!(
        "exported task {id}: {} events, {} contents{missing}",
        exported.events, exported.contents
    ));
    Ok(Exit::Ok)
}

async fn show(
    log: &dyn Log,
    id: &TaskId,
    salt: &Salt,
    stored: &Stored,
    printer: &Printer,
) -> Result<(), Error> {
    let undecodable = |source| {
        let (task, seq) = (id.clone(), stored.seq);
        Error::Store(steadfast_store::Error::Undecodable { task, seq, source })
    };
    let envelope = Envelope::read(&stored.bytes).map_err(undecodable)?;
    let event = match envelope.event() {
        Ok(event) => Some(fill(log, id, salt, event).await?),
        Err(OpenError::Newer { .. }) => None,
        Err(source) => return Err(undecodable(source)),
    };
    if !printer.json {
        return printer.data(&line::line(&envelope, event.as_ref()));
    }
    printer.json(&Shown {
        v: envelope.v,
        seq: envelope.seq.0,
        ts: envelope.ts.0,
        epoch: envelope.epoch.0,
        source: &envelope.source,
        kind: &envelope.kind,
        body: event.map(|mut event| content::expanded(&mut event.body)),
        prev: envelope.prev,
    })
}

/// Loads what is kept of an event's content. What was erased stays a name.
async fn fill(log: &dyn Log, id: &TaskId, salt: &Salt, mut event: Event) -> Result<Event, Error> {
    let mut wanted = Vec::new();
    event
        .body
        .visit_content(&mut |content| wanted.push(content.hash));
    let payloads = log.content(id, &wanted).await?;
    event.body.visit_content(&mut |content| {
        if let Some(bytes) = payloads.get(&content.hash) {
            content.load(salt, bytes.clone());
        }
    });
    Ok(event)
}
