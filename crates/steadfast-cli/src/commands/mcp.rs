//! `steadfast mcp`: the tool servers of a workflow, what they offer, and the
//! pins that hold it fast.

mod list;
mod pin;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use steadfast::skill::mcp::{self, HostError, Server, ToolInfo};
use steadfast_core::workflow::Spec;

use crate::args::{Mcp, McpVerb};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::workflow;

pub(crate) async fn run(args: Mcp, printer: &Printer) -> Result<Exit, Error> {
    match args.verb {
        McpVerb::List(args) => list::run(&args, printer).await,
        McpVerb::Pin(args) => pin::run(&args, printer).await,
    }
}

/// What a server offers, or why that cannot be said.
struct Asked {
    server: Arc<Server>,
    tools: Result<Vec<ToolInfo>, HostError>,
}

/// Asks all servers of a workflow side by side: a slow one costs its own time.
async fn ask(spec: &Spec, file: &std::path::Path) -> Result<Vec<Asked>, Error> {
    let (servers, errors) = mcp::servers(spec, workflow::folder(file));
    if let Some(error) = errors.into_iter().next() {
        return Err(error.into());
    }
    let asked = servers.into_values().map(|server| async {
        let tools = server.tools().await;
        Asked { server, tools }
    });
    Ok(futures::future::join_all(asked).await)
}

/// The tools that skills name, by server.
fn named(spec: &Spec) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut named: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let places = spec
        .skills
        .values()
        .filter_map(|skill| skill.mcp.as_deref());
    for (server, tool) in places.filter_map(|place| place.split_once('/')) {
        named.entry(server).or_default().insert(tool);
    }
    named
}

/// A text of a server as one line for people: no control characters, since a
/// terminal obeys them.
fn one_line(text: &str, chars: usize) -> String {
    let plain = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let words: Vec<String> = plain
        .collect::<String>()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    let line = words.join(" ");
    match line.char_indices().nth(chars) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
