//! `steadfast schema`: the JSON Schema of workflow files, for editors.

use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn run(printer: &Printer) -> Result<Exit, Error> {
    let schema = steadfast::spec::json_schema();
    printer.data(&serde_json::to_string_pretty(&schema).expect("a schema is JSON"))?;
    Ok(Exit::Ok)
}
