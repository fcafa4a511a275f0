//! Anomalies of a running task, from the raw calls that the state keeps: the same
//! or nearly the same with the same outcome, alone or in cycles of up to eight.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::validate::likeness::{Likeness, Outcome};
use crate::validate::state::{Passed, Told};
use crate::validate::trail::{Circle, Pass, Trail};

/// What circle the last of these calls is part of.
pub fn circle<'a>(
    passes: impl IntoIterator<Item = &'a Passed>,
    cosmetic: &BTreeSet<String>,
) -> Option<Circle> {
    let mut trail = Trail::default();
    let mut last = None;
    for passed in passes {
        last = trail.passed(pass(passed, cosmetic));
    }
    last
}

fn pass(passed: &Passed, cosmetic: &BTreeSet<String>) -> Pass {
    let name = |hash: &crate::hash::Hash| Value::String(hash.to_string());
    let args = match &passed.args {
        Told::Text(content) => content.json(),
        Told::Name(hash) => name(hash),
    };
    let outcome = match (&passed.outcome, passed.failed) {
        (Told::Text(content), true) => Outcome::failed(&content.text()),
        (Told::Text(content), false) => Outcome::done(&content.json(), cosmetic),
        (Told::Name(hash), _) => Outcome::done(&name(hash), cosmetic),
    };
    Pass {
        call: Likeness::of(&passed.skill, &args, cosmetic),
        outcome,
    }
}
