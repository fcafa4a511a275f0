//! Facts out of results: what a skill declares that it `provides`.
//!
//! A newer value of the same standing replaces the older one; one of a person's
//! own is never touched. A value that is declared to go one way only does not go
//! back, so that 97 % never becomes 42 % (field report R16).

use serde_json::Value;

use crate::event::Body;
use crate::event::ledger::FactSet;
use crate::facts;
use crate::limits;
use crate::source::Source;
use crate::task::Corrupt;
use crate::task::record::Draft;
use crate::task::state::Call;
use crate::workflow::spec::{Monotone, SkillSpec};

impl Draft<'_> {
    /// Sets the facts of a result that counts.
    pub(super) fn provide(
        &mut self,
        call: &Call,
        spec: &SkillSpec,
        result: &Value,
    ) -> Result<(), Corrupt> {
        let source = Source::Skill {
            skill: call.skill.clone(),
        };
        for (name, provides) in &spec.provides {
            let state = &self.task.state;
            let present = state.facts.get(name);
            let full = state.facts.len() >= limits::FACTS_MAX && present.is_none();
            let value = provides.find(result).filter(|value| fits(value));
            let Some(value) = value.filter(|_| !full) else {
                continue;
            };
            let goes_back = present.is_some_and(|fact| {
                let way = provides.monotone();
                way.is_some_and(|way| is_back(way, &fact.value, value))
            });
            let may = facts::may_set(&state.facts, name, value, &source, &state.ledger.owner);
            if goes_back || may.is_err() {
                continue;
            }
            let (name, value) = (name.clone(), state.salt.seal_json(value));
            self.push(source.clone(), Body::FactSet(FactSet { name, value }))?;
        }
        Ok(())
    }
}

/// A fact is a value, not a document.
fn fits(value: &Value) -> bool {
    !value.is_null() && value.to_string().len() <= limits::FACT_BYTES_MAX
}

fn is_back(way: Monotone, before: &Value, after: &Value) -> bool {
    let (Some(before), Some(after)) = (number(before), number(after)) else {
        return false;
    };
    match way {
        Monotone::Up => after < before,
        Monotone::Down => after > before,
    }
}

/// A number, also where it stands in a text: `97`, `"97 %"`.
fn number(value: &Value) -> Option<crate::decimal::Decimal> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().trim_end_matches(['%', '％']).trim().to_owned(),
        _ => return None,
    };
    text.parse().ok()
}
