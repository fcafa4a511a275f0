//! The draft as a file: data in JSON's flow style, which is YAML too, between
//! comments that say what to look at.

use serde_json::{Map, Value, json};
use steadfast_core::limits;

use super::{Port, Seen, StateDraft, state_name};

/// A state as the format wants it.
pub(super) fn state(number: usize, state: &StateDraft, count: usize) -> Value {
    let name = state_name(number);
    let next = if number + 1 < count {
        state_name(number + 1)
    } else {
        "DONE".to_owned()
    };
    let mut fields = Map::new();
    match &state.uses[..] {
        [(item, _, _)] => drop(fields.insert("skill".to_owned(), json!(item.skill))),
        uses => {
            let uses: Vec<Value> = uses
                .iter()
                .map(|(item, mandatory, requires)| {
                    let mut one = Map::new();
                    one.insert("skill".to_owned(), json!(item.skill));
                    if !requires.is_empty() {
                        one.insert("requires".to_owned(), json!(requires));
                    }
                    if !mandatory {
                        one.insert("mandatory".to_owned(), json!(false));
                    }
                    Value::Object(one)
                })
                .collect();
            fields.insert("skills".to_owned(), Value::Array(uses));
        }
    }
    if !state.is_mandatory() {
        fields.insert("mandatory".to_owned(), json!(false));
    }
    let onward = match state.rounds {
        Some(rounds) => json!([
            { "when": format!("counters.visits.{name} < {rounds}"), "to": name },
            { "to": next },
        ]),
        None => json!(next),
    };
    fields.insert("on_success".to_owned(), onward);
    fields.insert("on_failure".to_owned(), json!(format!("{name}_RETRY")));
    Value::Object(fields)
}

/// A skill as the format wants it.
pub(super) fn skill(name: &str, port: &Port, seen: &Seen) -> Value {
    let mut fields = Map::new();
    fields.insert("kind".to_owned(), json!("command"));
    fields.insert(
        "description".to_owned(),
        json!(format!("Carries out {name}.")),
    );
    let schema = port.schema();
    if !schema.is_null() {
        fields.insert("input".to_owned(), schema);
    }
    let failures = seen.failures.get(name).copied().unwrap_or_default();
    if failures >= limits::RETRY_ATTEMPTS_DEFAULT {
        let attempts = (failures + 1).min(limits::RETRY_ATTEMPTS_MAX);
        fields.insert("retry".to_owned(), json!({ "attempts": attempts }));
    }
    fields.insert(
        "config".to_owned(),
        json!({ "command": [format!("./{}.sh", file_name(name))] }),
    );
    Value::Object(fields)
}

fn file_name(skill: &str) -> String {
    skill
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect()
}

/// The whole file.
pub(super) fn yaml(
    name: &str,
    states: &[StateDraft],
    seen: &Seen,
    runs: usize,
    fitting: usize,
) -> String {
    let mut text = format!(
        "# Drafted from {runs} runs, of which {fitting} fit it. Read it before you use it:\n\
         # the runs show what was done, not what must be done.\n\
         # - Is the order needed, or was it habit?\n\
         # - Is what is mandatory here mandatory, and what is optional optional?\n\
         # - Each skill needs its `effect` (read, idempotent, irreversible) and a real\n\
         #   `description`; `kind` and `config` are placeholders.\n\
         workflow_id: {}\ninitial_state: S1\n\nstates:\n",
        json!(name)
    );
    for (number, draft) in states.iter().enumerate() {
        text += &format!("  {}:\n", state_name(number));
        lines(&state(number, draft, states.len()), 4, &mut text);
    }
    text += "\nskills:\n";
    for (name, port) in &seen.ports {
        if states.iter().any(|state| state.has(name)) {
            text += &format!("  {}:\n", json!(name));
            lines(&skill(name, port, seen), 4, &mut text);
            let calls = port.calls;
            text += &format!("    # effect: ?   ({calls} calls with arguments seen)\n");
        }
    }
    text
}

/// Fields a line each, their values in flow style.
fn lines(value: &Value, indent: usize, text: &mut String) {
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        let pad = " ".repeat(indent);
        match value {
            Value::Array(all) if all.iter().all(Value::is_object) => {
                *text += &format!("{pad}{name}:\n");
                for one in all {
                    *text += &format!("{pad}  - {one}\n");
                }
            }
            _ => *text += &format!("{pad}{name}: {value}\n"),
        }
    }
}
