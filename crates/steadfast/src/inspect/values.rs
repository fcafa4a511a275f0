//! Values that contradict each other, that a later call replaced, or that come
//! from nowhere.

use std::collections::BTreeMap;

use serde_json::Value;

use super::entry::{Entry, Voice};
use super::finding::{Finding, FindingKind, Place};
use crate::audit::Ground;

/// Fields that name a record, in the order in which they are looked for.
const NAMES: [&str; 9] = [
    "id", "uuid", "key", "code", "number", "name", "编号", "单号", "名称",
];
/// Values shown in one finding.
const VALUES_SHOWN: usize = 4;

/// Fields of one record with two values, in the results of different calls.
/// Where the same call gave both, the older one is stale, not contrary.
pub(super) fn contradictions(entries: &[Entry]) -> Vec<Finding> {
    // By record and field: the last value and where it stood.
    let mut seen: BTreeMap<(String, String), (Value, usize)> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if !matches!(entry.voice, Voice::Result { .. } | Voice::Document) {
            continue;
        }
        let Ok(value) = serde_json::from_str::<Value>(entry.text.trim()) else {
            continue;
        };
        let mut fields = Vec::new();
        records(&value, "", &mut fields);
        for (record, field, value) in fields {
            let key = (record, field);
            match seen.get(&key) {
                Some((other, _)) if *other == value => {}
                Some((other, before)) if *before != at && !is_same_call(entries, *before, at) => {
                    let message = format!(
                        "`{}` of {} is {other} in #{} and {value} in #{}",
                        key.1, key.0, entries[*before].message, entry.message
                    );
                    let places = vec![Place::of(&entries[*before]), Place::of(entry)];
                    found.push(Finding::new(FindingKind::Contradiction, message, places));
                    seen.insert(key, (value, at));
                }
                _ => {
                    seen.insert(key, (value, at));
                }
            }
        }
    }
    found
}

/// All scalar fields of records that have a name.
fn records(value: &Value, kind: &str, found: &mut Vec<(String, String, Value)>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| records(item, kind, found)),
        Value::Object(fields) => {
            let named = name_of(fields, kind);
            for (field, value) in fields {
                match (&named, value) {
                    (_, Value::Object(_) | Value::Array(_)) => records(value, field, found),
                    (Some((by, record)), scalar) if by != field && !scalar.is_null() => {
                        found.push((record.clone(), field.clone(), scalar.clone()));
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// By which field a record is named, and its name. An `id` names a record of
/// its surroundings (`user`/7 and `order`/7 are two); `user_id` names one only
/// as the first field of its object, since elsewhere it points to another.
fn name_of(fields: &serde_json::Map<String, Value>, kind: &str) -> Option<(String, String)> {
    let scalar = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let plain = NAMES
        .iter()
        .find_map(|name| Some(((*name).to_owned(), scalar(fields.get(*name)?)?)));
    let first = || {
        let (name, value) = fields
            .iter()
            .find(|(name, _)| name.ends_with("_id") || name.ends_with("Id"))?;
        Some((name.clone(), scalar(value)?))
    };
    let (by, name) = plain.or_else(first)?;
    let record = if kind.is_empty() || by.len() > 4 {
        format!("{by} `{name}`")
    } else {
        format!("{kind} {by} `{name}`")
    };
    Some((by, record))
}

fn is_same_call(entries: &[Entry], one: usize, other: usize) -> bool {
    match (call_of(entries, one), call_of(entries, other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}

/// The call that a result belongs to.
pub(super) fn call_of(entries: &[Entry], result: usize) -> Option<(&str, &Value)> {
    let Voice::Result {
        call: Some(call), ..
    } = &entries[result].voice
    else {
        return None;
    };
    match &entries[*call].voice {
        Voice::Call { skill, args } => Some((skill, args)),
        _ => None,
    }
}

/// Results that a later call of the same, with the same arguments, replaced.
pub(super) fn stale(entries: &[Entry]) -> Vec<Finding> {
    let mut last: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut found = Vec::new();
    for at in 0..entries.len() {
        let Some((skill, args)) = call_of(entries, at) else {
            continue;
        };
        let key = (skill.to_owned(), args.to_string());
        let Some(before) = last.insert(key, at) else {
            continue;
        };
        if entries[before].text == entries[at].text {
            continue;
        }
        let message = format!(
            "what `{skill}` gave in #{} was replaced in #{} and still stands",
            entries[before].message, entries[at].message
        );
        let places = vec![Place::of(&entries[before]), Place::of(&entries[at])];
        let tokens = entries[before].tokens;
        found.push(Finding::new(FindingKind::Stale, message, places).costing(tokens));
    }
    found
}

/// Arguments that follow from nothing that stands before them.
pub(super) fn missing(entries: &[Entry]) -> Vec<Finding> {
    if !entries.iter().any(|entry| entry.voice == Voice::User) {
        return Vec::new();
    }
    let mut ground = Ground::default();
    let mut found = Vec::new();
    for entry in entries {
        match &entry.voice {
            Voice::User => ground.user_said(&entry.text),
            Voice::Agent => ground.agent_said(&entry.text),
            Voice::Call { skill, args } => {
                let values = ground.unfounded(args);
                if values.is_empty() {
                    continue;
                }
                let shown: Vec<String> = values
                    .iter()
                    .take(VALUES_SHOWN)
                    .map(|(name, value)| format!("`{name}` = `{value}`"))
                    .collect();
                let message = format!(
                    "`{skill}` was called with {}, which stands nowhere before",
                    shown.join(", ")
                );
                found.push(Finding::new(
                    FindingKind::Missing,
                    message,
                    vec![Place::of(entry)],
                ));
            }
            _ => ground.saw(&entry.text),
        }
    }
    found
}
