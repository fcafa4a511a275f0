//! Calls that were made again, with the same outcome.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use steadfast_core::validate::likeness::{Likeness, Outcome};
use steadfast_core::validate::trail::{Pass, Trail};

use super::entry::{Entry, Voice};
use super::finding::{Finding, FindingKind, Place};
use super::values::call_of;

/// Circles, and single calls that were made again although their result still
/// stands. What a user asked for in between is neither.
pub(super) fn repeated(entries: &[Entry]) -> Vec<Finding> {
    let cosmetic = BTreeSet::new();
    let mut trail = Trail::default();
    // By the last call of a circle: the newest finding replaces the older one.
    let mut circles: BTreeMap<(usize, usize), Finding> = BTreeMap::new();
    let mut begun = 0;
    for (at, entry) in entries.iter().enumerate() {
        if entry.voice == Voice::User {
            trail.user_spoke();
            begun = at;
        }
        let Some((skill, args)) = call_of(entries, at) else {
            continue;
        };
        let result = serde_json::from_str(entry.text.trim())
            .unwrap_or_else(|_| Value::String(entry.text.clone()));
        let circle = trail.passed(Pass {
            call: Likeness::of(skill, args, &cosmetic),
            outcome: Outcome::done(&result, &cosmetic),
        });
        let Some(circle) = circle.filter(|circle| circle.advice().is_some()) else {
            continue;
        };
        let alike = if circle.same {
            "the same"
        } else {
            "nearly the same"
        };
        let message = if circle.period == 1 {
            format!(
                "`{skill}` was called {} times with {alike} arguments and the same outcome",
                circle.repetitions
            )
        } else {
            format!(
                "{} calls went round {} times with {alike} arguments and the same outcomes, `{skill}` last",
                circle.period, circle.repetitions
            )
        };
        let finding = Finding::new(FindingKind::Repeated, message, vec![Place::of(entry)]);
        circles.insert((begun, circle.period), finding);
    }
    circles.into_values().collect()
}
