//! Values that contradict each other, that a later call replaced, or that come
//! from nowhere.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::entry::{Entry, Voice};
use super::finding::{Finding, FindingKind, Place};
use crate::audit::Ground;

/// Fields that name a record, in the order in which they are looked for.
const NAMES: [&str; 9] = [
    "id", "uuid", "key", "code", "number", "name", "编号", "单号", "名称",
];
/// Values shown in one finding.
const VALUES_SHOWN: usize = 4;

/// Fields of one record with two values. Where the same call gave both, the
/// result as a whole is stale, and is told there. Where the later call may have
/// changed the record, the older value is stale; else the two contradict.
pub(super) fn records(entries: &[Entry]) -> Vec<Finding> {
    // By record and field: the last value and where it stood.
    let mut seen: BTreeMap<(Record, String), (Value, usize)> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, entry) in entries.iter().enumerate() {
        if !matches!(entry.voice, Voice::Result { .. } | Voice::Document) {
            continue;
        }
        let Ok(value) = serde_json::from_str::<Value>(entry.text.trim()) else {
            continue;
        };
        let mut fields = Vec::new();
        draw(&value, "", false, &mut fields);
        for (record, field, value) in fields {
            let key = (record, field);
            match seen.get(&key) {
                Some((other, before))
                    if *other != value && *before != at && !is_same_call(entries, *before, at) =>
                {
                    found.push(two_values(entries, &key, (other, *before), (&value, at)));
                }
                _ => {}
            }
            seen.insert(key, (value, at));
        }
    }
    found
}

fn two_values(
    entries: &[Entry],
    (record, field): &(Record, String),
    (old, before): (&Value, usize),
    (new, at): (&Value, usize),
) -> Finding {
    let places = vec![Place::of(&entries[before]), Place::of(&entries[at])];
    let values = format!(
        "`{field}` of {} is {old} in #{} and {new} in #{}",
        record.told, entries[before].message, entries[at].message
    );
    match call_of(entries, at) {
        Some((skill, args)) if may_change(args, &record.name) => {
            let message =
                format!("{values}, since `{skill}` changed it; the older one still stands");
            Finding::new(FindingKind::Stale, message, places)
        }
        _ => Finding::new(FindingKind::Contradiction, values, places),
    }
}

/// Whether a call says more of a record than its name: one that only names it
/// reads it.
fn may_change(args: &Value, record: &str) -> bool {
    let Value::Object(fields) = args else {
        return false;
    };
    let names = |value: &Value| match value {
        Value::String(text) => text == record,
        Value::Number(number) => number.to_string() == record,
        _ => false,
    };
    fields.values().any(names) && fields.values().any(|value| !names(value))
}

/// A thing that a result tells of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    name: String,
    told: String,
}

/// All scalar fields of records that have a name.
fn draw(value: &Value, kind: &str, inside: bool, found: &mut Vec<(Record, String, Value)>) {
    match value {
        Value::Array(items) => items
            .iter()
            .for_each(|item| draw(item, kind, inside, found)),
        Value::Object(fields) => {
            let named = name_of(fields, kind, inside);
            let inside = inside || named.is_some();
            for (field, value) in fields {
                match (&named, value) {
                    (_, Value::Object(_) | Value::Array(_)) => draw(value, field, inside, found),
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
/// its surroundings (`user`/7 and `order`/7 are two). `user_id` names one only as
/// the first such field of an object that is part of no other record: elsewhere
/// it points to another one.
fn name_of(fields: &Map<String, Value>, kind: &str, inside: bool) -> Option<(String, Record)> {
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
            .filter(|_| !inside)
            .find(|(name, _)| name.ends_with("_id") || name.ends_with("Id"))?;
        Some((name.clone(), scalar(value)?))
    };
    let (by, name) = plain.or_else(first)?;
    let told = if kind.is_empty() || by.ends_with("_id") {
        format!("{by} `{name}`")
    } else {
        format!("{kind} {by} `{name}`")
    };
    Some((by, Record { name, told }))
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
        // The runtime's word on a call that was never made is no value.
        if is_refusal(&entries[at].text) {
            continue;
        }
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

fn is_refusal(text: &str) -> bool {
    let value: Option<Value> = serde_json::from_str(text).ok();
    value.is_some_and(|value| value["refused"]["code"].is_string())
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
