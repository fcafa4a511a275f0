//! `steadfast mcp pin`: writes down the tools that a workflow uses as they are
//! offered now, so that one that changes later is not called.

use serde::Serialize;
use steadfast::skill::mcp::{Pins, pin};

use super::{ask, named};
use crate::args::McpFile;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::workflow;

/// What became of one tool.
#[derive(Serialize)]
struct Line {
    server: String,
    tool: String,
    what: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pin: Option<String>,
}

pub(crate) async fn run(args: &McpFile, printer: &Printer) -> Result<Exit, Error> {
    let spec = workflow::resolved(&args.workflow, args.registry.as_deref())?;
    let path = Pins::path(&args.workflow);
    let old = workflow::pins(&args.workflow)?.unwrap_or_default();
    let mut new = Pins::default();
    let mut lines = Vec::new();
    let named = named(&spec);
    for asked in ask(&spec, &args.workflow).await? {
        let name = asked.server.name();
        let offered = asked.tools.as_deref().unwrap_or_default();
        if let Err(error) = &asked.tools {
            printer.say(&format!("{name}: {error}"));
        }
        for tool in named.get(name).into_iter().flatten() {
            let before = old.servers.get(name).and_then(|tools| tools.get(*tool));
            let found = offered.iter().find(|one| one.name == **tool);
            if let Some(found) = found {
                new.add(name, found);
            } else if let Some(before) = before {
                // What could not be asked stays as it was.
                new.keep(name, tool, before.clone());
            }
            let now = found.map(|tool| pin(tool).to_string());
            lines.push(Line {
                server: name.to_owned(),
                tool: (*tool).to_owned(),
                what: match (before, &now) {
                    (_, None) => "not offered",
                    (None, Some(_)) => "pinned",
                    (Some(before), Some(now)) if before.pin == *now => "unchanged",
                    (Some(_), Some(_)) => "changed, pinned anew",
                },
                pin: now,
            });
        }
    }
    if !new.servers.is_empty() {
        std::fs::write(&path, new.text()).map_err(|source| Error::Write {
            path: path.clone(),
            source,
        })?;
    }
    show(&lines, printer)?;
    let missing = lines.iter().any(|line| line.pin.is_none());
    printer.say(&format!("{}: {} tools", path.display(), lines.len()));
    Ok(if missing { Exit::User } else { Exit::Ok })
}

fn show(lines: &[Line], printer: &Printer) -> Result<(), Error> {
    if printer.json {
        return printer.json(&lines);
    }
    for line in lines {
        let pin = line.pin.as_deref().unwrap_or("-");
        printer.data(&format!(
            "{}/{}  {}  {pin}",
            line.server, line.tool, line.what
        ))?;
    }
    Ok(())
}
