//! `steadfast mcp list`: which servers answer, which tools they offer, and how
//! these stand to their pins.

use serde::Serialize;
use steadfast::skill::mcp::Standing;

use super::{Asked, ask, named, one_line};
use crate::args::McpFile;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::workflow;

#[derive(Serialize)]
struct ServerLine {
    server: String,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    tools: Vec<ToolLine>,
}

#[derive(Serialize)]
struct ToolLine {
    tool: String,
    standing: &'static str,
    /// Whether a skill of the workflow is this tool.
    used: bool,
    /// The server's words, for people.
    description: String,
}

pub(crate) async fn run(args: &McpFile, printer: &Printer) -> Result<Exit, Error> {
    let spec = workflow::resolved(&args.workflow, args.registry.as_deref())?;
    let named = named(&spec);
    let asked = ask(&spec, &args.workflow).await?;
    let lines: Vec<ServerLine> = asked
        .iter()
        .map(|asked| {
            let used = named.get(asked.server.name());
            line(asked, |tool| used.is_some_and(|tools| tools.contains(tool)))
        })
        .collect();
    let fine = lines.iter().all(|server| {
        let used = server.tools.iter().filter(|tool| tool.used);
        server.error.is_none() && used.clone().all(|tool| tool.standing == "pinned")
    });
    show(&lines, printer)?;
    Ok(if fine { Exit::Ok } else { Exit::User })
}

fn line(asked: &Asked, used: impl Fn(&str) -> bool) -> ServerLine {
    let server = asked.server.name().to_owned();
    let offered = match &asked.tools {
        Ok(tools) => tools,
        Err(error) => {
            return ServerLine {
                server,
                state: "down",
                error: Some(one_line(&error.message, 600)),
                tools: Vec::new(),
            };
        }
    };
    let standings = asked.server.standings(offered);
    let tools = standings
        .into_iter()
        .map(|(tool, standing): (_, Standing)| {
            let offered = offered.iter().find(|one| one.name == tool);
            ToolLine {
                standing: standing.name(),
                used: used(&tool),
                description: offered.map_or_else(String::new, |one| one.description.clone()),
                tool: one_line(&tool, 200),
            }
        });
    ServerLine {
        server,
        state: "ready",
        error: None,
        tools: tools.collect(),
    }
}

fn show(lines: &[ServerLine], printer: &Printer) -> Result<(), Error> {
    if printer.json {
        return printer.json(&lines);
    }
    for server in lines {
        printer.data(&format!("{}: {}", server.server, server.state))?;
        if let Some(error) = &server.error {
            printer.data(&format!("  {error}"))?;
        }
        let widest = server
            .tools
            .iter()
            .map(|tool| tool.tool.chars().count())
            .max();
        for tool in &server.tools {
            let used = if tool.used { "used" } else { "" };
            let words = one_line(&tool.description, 60);
            let width = widest.unwrap_or(0);
            let line = format!(
                "  {:width$}  {:10}  {used:4}  {words}",
                tool.tool, tool.standing
            );
            printer.data(line.trim_end())?;
        }
    }
    Ok(())
}
