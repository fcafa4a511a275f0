//! The constraints and sources that `check-answer` is given.
//!
//! The ledger file is the one of `docs/ledger.md`; its list of constraints alone
//! will do too.

use std::path::Path;

use serde_json::Value;
use steadfast_core::check::KnownSource;
use steadfast_core::id::Seq;
use steadfast_core::json;
use steadfast_core::ledger::exchange::{self, sentence};
use steadfast_core::ledger::rule::Format;
use steadfast_core::ledger::{
    Constraint, ConstraintId, Expiry, Force, Given, Operation, OutputContract, Rule, Scope,
};
use steadfast_core::source::Source;

use crate::error::Error;
use crate::input;

pub(super) fn constraints(path: &Path) -> Result<Vec<Constraint>, Error> {
    let file = value(path)?;
    let given = if file.is_array() {
        let mut errors = Vec::new();
        let given = exchange::constraints(&file, "", &sentence, &mut errors);
        if errors.is_empty() {
            Ok(given)
        } else {
            Err(errors)
        }
    } else {
        exchange::import(&file, &sentence).map(|imported| imported.rules)
    };
    let given = given.map_err(|errors| Error::Import {
        path: path.to_owned(),
        errors,
    })?;
    let mut all = Vec::new();
    for Given { operation, words } in given {
        let Some((rule, force)) = asked(operation) else {
            continue;
        };
        let id = u32::try_from(all.len() + 1).unwrap_or(u32::MAX);
        all.push(constraint(id, rule, force, words));
    }
    Ok(all)
}

/// What a reading asks of an answer; a goal or a request for one asks nothing
/// that a rule could check.
fn asked(operation: Operation) -> Option<(Rule, Force)> {
    match operation {
        Operation::Add(draft) => Some((draft.rule, draft.force)),
        Operation::SetOutput {
            output: OutputContract { format, schema },
        } => {
            let format = match (format, schema) {
                (_, Some(schema)) => Format::Json {
                    schema: Some(schema),
                },
                (format, None) => format?,
            };
            Some((Rule::Format { format }, Force::Must))
        }
        _ => None,
    }
}

pub(super) fn sources(path: &Path) -> Result<Vec<KnownSource>, Error> {
    serde_json::from_value(value(path)?).map_err(|error| Error::Ledger {
        path: path.to_owned(),
        reason: error.to_string(),
    })
}

fn value(path: &Path) -> Result<Value, Error> {
    let text = input::file("ledger", path)?;
    json::parse(&text).map_err(|error| Error::Ledger {
        path: path.to_owned(),
        reason: error.to_string(),
    })
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
