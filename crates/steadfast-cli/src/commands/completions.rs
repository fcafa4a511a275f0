//! `steadfast completions`: what a shell needs to complete the command.

use clap::CommandFactory;

use crate::args::{Args, Completions};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;

pub(crate) fn run(args: &Completions, printer: &Printer) -> Result<Exit, Error> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "steadfast", &mut script);
    printer.raw(&script)?;
    Ok(Exit::Ok)
}
