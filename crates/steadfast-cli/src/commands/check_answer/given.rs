//! The constraints and sources that `check-answer` is given.
//!
//! The file has the article's shape: an object with a list `constraints`, or
//! that list alone. A constraint is an object with the `type` and fields of a
//! rule and perhaps `words` and `force`, or a plain string, which is read like a
//! message of a user; what is not understood of it is prose.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value};
use steadfast_core::check::KnownSource;
use steadfast_core::id::Seq;
use steadfast_core::json;
use steadfast_core::ledger::{Constraint, ConstraintId, Expiry, Force, Operation, Rule, Scope};
use steadfast_core::source::Source;
use steadfast_core::text::reader::read_message;

use crate::error::Error;
use crate::input;

/// Keys of a constraint that say nothing about what it asks.
const ORIGIN: [&str; 7] = [
    "id", "source", "message", "since", "excepts", "scope", "expiry",
];

pub(super) fn constraints(path: &Path) -> Result<Vec<Constraint>, Error> {
    let wrong = |pointer: String, reason: String| Error::Ledger {
        path: path.to_owned(),
        pointer,
        reason,
    };
    let file = value(path)?;
    let (list, at) = match &file {
        Value::Object(fields) => {
            let known = ["version", "goal", "constraints", "output"];
            if let Some(key) = fields.keys().find(|key| !known.contains(&key.as_str())) {
                return Err(wrong(format!("/{key}"), "unknown key".to_owned()));
            }
            if fields.contains_key("output") {
                let reason = "an output contract is not read here; give it as constraints";
                return Err(wrong("/output".to_owned(), reason.to_owned()));
            }
            (fields.get("constraints"), "/constraints")
        }
        other => (Some(other), ""),
    };
    let Some(items) = list.and_then(Value::as_array) else {
        return Err(wrong(
            at.to_owned(),
            "expected a list of constraints".to_owned(),
        ));
    };
    let mut all = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let read = match item {
            Value::String(words) if !words.trim().is_empty() => read_words(words),
            Value::Object(fields) => read_object(fields).map(|one| vec![one]),
            _ => Err("expected a string or an object".to_owned()),
        };
        let read = read.map_err(|reason| wrong(format!("{at}/{index}"), reason))?;
        for (rule, force, words) in read {
            let id = u32::try_from(all.len() + 1).unwrap_or(u32::MAX);
            all.push(constraint(id, rule, force, words));
        }
    }
    Ok(all)
}

pub(super) fn sources(path: &Path) -> Result<Vec<KnownSource>, Error> {
    serde_json::from_value(value(path)?).map_err(|error| Error::Ledger {
        path: path.to_owned(),
        pointer: String::new(),
        reason: error.to_string(),
    })
}

fn value(path: &Path) -> Result<Value, Error> {
    let text = input::file("ledger", path)?;
    json::parse(&text).map_err(|error| Error::Ledger {
        path: path.to_owned(),
        pointer: String::new(),
        reason: error.to_string(),
    })
}

type Read = (Rule, Force, String);

fn read_words(words: &str) -> Result<Vec<Read>, String> {
    let patches = read_message(words, None).patches.into_iter();
    let rules = patches.filter_map(|patch| match patch.operation {
        Operation::Add(draft) => Some((draft.rule, draft.force, words.to_owned())),
        _ => None,
    });
    let mut rules: Vec<Read> = rules.collect();
    if rules.is_empty() {
        let text = words.to_owned();
        rules.push((Rule::Prose { text }, Force::Must, words.to_owned()));
    }
    Ok(rules)
}

fn read_object(fields: &Map<String, Value>) -> Result<Read, String> {
    let mut rule = fields.clone();
    for key in ORIGIN {
        rule.remove(key);
    }
    let force = match rule.remove("force") {
        Some(force) => Force::deserialize(force).map_err(|error| error.to_string())?,
        None => Force::Must,
    };
    let words = match rule.remove("words") {
        Some(Value::String(words)) => words,
        Some(_) => return Err("`words` is no string".to_owned()),
        None => Value::Object(rule.clone()).to_string(),
    };
    let given: Vec<String> = rule.keys().cloned().collect();
    let rule: Rule =
        serde_json::from_value(Value::Object(rule)).map_err(|error| error.to_string())?;
    // A misspelt key would silently ask for nothing.
    let known = serde_json::to_value(&rule).map_err(|error| error.to_string())?;
    match given.iter().find(|key| known.get(key.as_str()).is_none()) {
        Some(key) if key != "matching" => Err(format!("unknown key `{key}`")),
        _ => Ok((rule, force, words)),
    }
}

fn constraint(id: u32, rule: Rule, force: Force, words: String) -> Constraint {
    Constraint {
        id: ConstraintId(id),
        rule,
        force,
        scope: Scope::Task,
        expiry: Expiry::Never,
        source: Source::Policy,
        message: Seq::ZERO,
        words,
        since: 1,
        excepts: None,
    }
}
