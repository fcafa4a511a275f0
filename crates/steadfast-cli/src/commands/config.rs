//! `steadfast config`: the settings as they are, and what is wrong with them.

use serde_json::{Map, Value, json};
use steadfast::settings::{self, Origin, schema};

use crate::args::{Config, ConfigCommand, ConfigShow};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;

pub(crate) fn run(
    args: &Config,
    settings: &Settings,
    wrong: Option<settings::Error>,
    printer: &Printer,
) -> Result<Exit, Error> {
    match (&args.command, wrong) {
        (ConfigCommand::Schema, _) => {
            let schema = serde_json::to_string_pretty(&schema()).expect("a schema is JSON");
            printer.data(&schema)?;
            Ok(Exit::Ok)
        }
        (ConfigCommand::Check, wrong) => check(wrong, printer),
        (ConfigCommand::Show(_), Some(wrong)) => Err(wrong.into()),
        (ConfigCommand::Show(args), None) => show(args, settings, printer),
    }
}

fn check(wrong: Option<settings::Error>, printer: &Printer) -> Result<Exit, Error> {
    let problems = wrong.map(|error| error.problems).unwrap_or_default();
    if printer.json {
        let problems = problems.iter().map(|problem| {
            let place = problem.place.as_ref().map(
                |place| json!({"file": place.file, "line": place.line, "column": place.column}),
            );
            json!({"code": problem.code, "message": problem.message,
                "hint": problem.hint, "place": place})
        });
        printer.json(&json!({"problems": problems.collect::<Vec<Value>>()}))?;
    } else {
        for problem in &problems {
            let hint = match problem.hint.as_str() {
                "" => String::new(),
                hint => format!("\n  hint: {hint}"),
            };
            printer.data(&format!("error[{}]: {problem}{hint}", problem.code))?;
        }
    }
    if problems.is_empty() {
        printer.say("nothing is wrong");
        return Ok(Exit::Ok);
    }
    Ok(Exit::Halted)
}

fn show(args: &ConfigShow, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let resolved = &settings.resolved;
    if args.toml {
        printer.data(&settings::to_toml(&resolved.settings))?;
        return Ok(Exit::Ok);
    }
    let mut values = resolved.values.clone();
    let defaults = [
        ("durability", json!("full")),
        ("model", json!("auto")),
        ("store", json!(settings.store)),
        ("user", json!(settings.principal(None))),
    ];
    for (name, value) in defaults {
        let default = (value, Origin::Default);
        values.entry(name.to_owned()).or_insert(default);
    }
    if printer.json {
        let values: Map<String, Value> = values
            .into_iter()
            .map(|(name, (value, origin))| {
                let one = json!({"value": value, "origin": origin.to_string()});
                (name, one)
            })
            .collect();
        printer.json(&values)?;
        return Ok(Exit::Ok);
    }
    let rows: Vec<(String, String)> = values
        .iter()
        .map(|(name, (value, origin))| (format!("{name} = {value}"), origin.to_string()))
        .collect();
    let width = rows.iter().map(|(value, _)| value.chars().count()).max();
    let width = width.unwrap_or_default();
    for (value, origin) in rows {
        printer.data(&format!("{value:width$}  # {origin}"))?;
    }
    Ok(Exit::Ok)
}
