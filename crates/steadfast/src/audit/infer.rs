//! A workflow drafted from runs that went well: to be read and corrected by a
//! person, not to be trusted.
//!
//! What every run did is mandatory, what only some did is optional. A step
//! stands before another where it did so in every run that has both; steps
//! without such an order share a state. Repeats in a row become a bounded loop.

mod order;
mod write;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use steadfast_core::limits;
use steadfast_core::rules::Rules;
use steadfast_core::workflow::Workflow;
use steadfast_core::workflow::spec::Spec;

use super::error::Error;
use super::monitor::{FindingKind, monitor};
use super::options::Options;
use super::outcome;
use super::run::Run;

/// A draft.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The workflow file, with comments.
    pub yaml: String,
    pub spec: Spec,
    /// Runs that the draft was drawn from.
    pub runs: usize,
    /// Runs among them that fit it.
    pub fitting: usize,
}

/// A step of the good runs: the n-th call of a skill.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    skill: String,
    nth: usize,
}

/// What the runs say about their steps.
#[derive(Debug, Default)]
struct Seen {
    /// For each run, its items in order.
    orders: Vec<Vec<Item>>,
    /// How often an item was repeated in a row, at most.
    loops: BTreeMap<Item, usize>,
    /// Failures in a row of a skill, at most.
    failures: BTreeMap<String, u32>,
    ports: BTreeMap<String, Port>,
}

/// The arguments that were seen of a skill.
#[derive(Debug, Default)]
struct Port {
    calls: usize,
    fields: BTreeMap<String, (usize, BTreeSet<&'static str>)>,
}

/// States of the draft, in order.
#[derive(Debug)]
struct StateDraft {
    /// With whether it is mandatory, and the skills of the state before it.
    uses: Vec<(Item, bool, Vec<String>)>,
    /// Entries of the state, at most, where it loops.
    rounds: Option<usize>,
}

/// Drafts a workflow.
///
/// # Errors
///
/// [`Error::NothingToInfer`] without a call, [`Error::TooManyStates`] where no
/// workflow is large enough.
pub fn infer(
    name: &str,
    runs: &[Run],
    options: &Options,
    rules: Rules<'_>,
) -> Result<Draft, Error> {
    let seen = Seen::of(runs, options);
    let states = order::states(&seen);
    if states.is_empty() {
        return Err(Error::NothingToInfer);
    }
    if states.len() > limits::STATES_MAX {
        return Err(Error::TooManyStates {
            count: states.len(),
            max: limits::STATES_MAX,
        });
    }
    let spec = spec(name, &states, &seen);
    let spec: Spec = serde_json::from_value(spec).expect("the draft has the form of a workflow");
    let workflow = Workflow::compile(spec.clone()).expect("the draft's targets are its own states");
    let fits = |run: &&Run| {
        let verdict = monitor(&workflow, run, options, rules);
        let about_order = |kind| !matches!(kind, FindingKind::Argument);
        !verdict
            .findings
            .iter()
            .any(|finding| about_order(finding.kind))
    };
    let with_calls: Vec<&Run> = runs
        .iter()
        .filter(|run| run.calls().next().is_some())
        .collect();
    let fitting = with_calls.iter().copied().filter(|run| fits(run)).count();
    Ok(Draft {
        yaml: write::yaml(name, &states, &seen, with_calls.len(), fitting),
        spec,
        runs: with_calls.len(),
        fitting,
    })
}

impl Seen {
    fn of(runs: &[Run], options: &Options) -> Seen {
        let mut seen = Seen::default();
        let mut sequences = Vec::new();
        for run in runs {
            let sequence = seen.sequence(run, options);
            if !sequence.is_empty() {
                sequences.push(sequence);
            }
        }
        let least = least_counts(&sequences);
        for sequence in &sequences {
            let items = seen.items(sequence, &least);
            seen.orders.push(items);
        }
        seen
    }

    /// The skills of a run whose calls succeeded, in order.
    fn sequence(&mut self, run: &Run, options: &Options) -> Vec<String> {
        let mut sequence = Vec::new();
        let mut failing: BTreeMap<&str, u32> = BTreeMap::new();
        for (_, call) in run.calls() {
            if options.free.contains(&call.skill) || call.skill.is_empty() {
                continue;
            }
            self.ports
                .entry(call.skill.clone())
                .or_default()
                .saw(&call.args);
            let failures = failing.entry(&call.skill).or_default();
            if outcome::succeeded_by_signs(call) {
                *failures = 0;
                sequence.push(call.skill.clone());
            } else {
                *failures += 1;
                let most = self.failures.entry(call.skill.clone()).or_default();
                *most = (*most).max(*failures);
            }
        }
        sequence
    }

    /// Calls as items. As many of a skill as every run with it has are steps of
    /// their own; a further one in a row is another round of the step before,
    /// and any other is a step that is optional.
    fn items(&mut self, sequence: &[String], least: &BTreeMap<String, usize>) -> Vec<Item> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut items: Vec<Item> = Vec::new();
        let mut rounds = 1;
        for (at, skill) in sequence.iter().enumerate() {
            let count = counts.entry(skill).or_default();
            let in_a_row = at > 0 && sequence[at - 1] == *skill;
            if in_a_row && *count >= least[skill] {
                rounds += 1;
                if let Some(last) = items.last() {
                    let most = self.loops.entry(last.clone()).or_default();
                    *most = (*most).max(rounds);
                }
                continue;
            }
            rounds = 1;
            *count += 1;
            items.push(Item {
                skill: skill.clone(),
                nth: *count,
            });
        }
        items
    }
}

/// For each skill, how often every run that has it calls it.
fn least_counts(sequences: &[Vec<String>]) -> BTreeMap<String, usize> {
    let mut least: BTreeMap<String, usize> = BTreeMap::new();
    for sequence in sequences {
        let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
        for skill in sequence {
            *counts.entry(skill).or_default() += 1;
        }
        for (skill, count) in counts {
            let entry = least.entry(skill.clone()).or_insert(count);
            *entry = (*entry).min(count);
        }
    }
    least
}

impl Port {
    fn saw(&mut self, args: &Value) {
        let Value::Object(fields) = args else { return };
        self.calls += 1;
        for (name, value) in fields {
            let (count, types) = self.fields.entry(name.clone()).or_default();
            *count += 1;
            types.insert(type_of(value));
        }
    }

    /// The union of what was seen; null where nothing was.
    fn schema(&self) -> Value {
        if self.calls == 0 {
            return Value::Null;
        }
        let property = |types: &BTreeSet<&str>| {
            let mut types: Vec<&str> = types.iter().copied().collect();
            if types.contains(&"number") {
                types.retain(|one| *one != "integer");
            }
            match types[..] {
                [one] => json!({ "type": one }),
                _ => json!({ "type": types }),
            }
        };
        let properties: Map<String, Value> = self
            .fields
            .iter()
            .map(|(name, (_, types))| (name.clone(), property(types)))
            .collect();
        let always = self
            .fields
            .iter()
            .filter(|(_, (count, _))| *count == self.calls);
        let required: Vec<&String> = always.map(|(name, _)| name).collect();
        json!({ "type": "object", "properties": properties, "required": required })
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn state_name(number: usize) -> String {
    format!("S{}", number + 1)
}

/// The draft as data; [`write`] says the same with comments.
fn spec(name: &str, states: &[StateDraft], seen: &Seen) -> Value {
    let mut all = Map::new();
    for (number, state) in states.iter().enumerate() {
        all.insert(
            state_name(number),
            write::state(number, state, states.len()),
        );
    }
    let skills: Map<String, Value> = seen
        .ports
        .iter()
        .filter(|(skill, _)| states.iter().any(|state| state.has(skill)))
        .map(|(skill, port)| (skill.clone(), write::skill(skill, port, seen)))
        .collect();
    json!({
        "workflow_id": name,
        "initial_state": state_name(0),
        "states": all,
        "skills": skills,
    })
}

impl StateDraft {
    fn has(&self, skill: &str) -> bool {
        self.uses.iter().any(|(item, _, _)| item.skill == skill)
    }

    fn is_mandatory(&self) -> bool {
        self.uses.iter().any(|(_, mandatory, _)| *mandatory)
    }
}
