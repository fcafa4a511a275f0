//! Mutated gold sequences: a workflow is drafted from each gold sequence, one
//! thing is done wrong, and the monitor must say what.
//!
//! The gold has no results, so values that an agent would read off them follow
//! from nothing here; how often that happens on the gold itself is printed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use serde_json::{Value, json};
use steadfast::audit::{self, Call, FindingKind, Options, Place, Role, Run, Step, StepKind, infer};
use steadfast::core::workflow::Workflow;
use steadfast::rules::StandardRules;

use super::dice::Dice;
use super::score::{Score, share};
use super::{is_there, print, python, text};

const MUTATIONS: [&str; 4] = ["drop", "swap", "duplicate", "wrong argument"];

pub(super) fn run(data: &Path, seed: u64, as_json: bool) -> Result<()> {
    let folder = data.join("bfcl");
    if !is_there(&folder) {
        return Ok(());
    }
    let docs = documentation(&folder.join("func_doc"))?;
    let rules = StandardRules::default();
    let options = Options::default();
    let mut dice = Dice::new(seed);
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    let (mut sequences, mut fitting, mut calls, mut alarmed) = (0, 0, 0, 0);
    for set in ["base", "miss_func", "miss_param"] {
        for run in gold(&folder, set)? {
            let mut draft =
                infer::infer("gold", std::slice::from_ref(&run), &options, rules.rules())?;
            sequences += 1;
            fitting += draft.fitting;
            for (name, skill) in &mut draft.spec.skills {
                if let Some(doc) = docs.get(name.as_str()) {
                    skill.description.clone_from(doc);
                }
            }
            let workflow = Workflow::compile(draft.spec).expect("a draft compiles");
            let found = audit::monitor(&workflow, &run, &options, rules.rules()).findings;
            calls += run.calls().count();
            alarmed += found
                .iter()
                .filter(|one| one.kind == FindingKind::Argument)
                .count();
            for mutation in MUTATIONS {
                let Some((mutated, wanted)) = mutate(&run, mutation, &mut dice) else {
                    continue;
                };
                judge(&workflow, &mutated, &wanted, mutation, &mut scores, &rules);
            }
        }
    }
    if as_json {
        let scores: BTreeMap<&str, Value> = scores
            .iter()
            .map(|(name, score)| (*name, score.json()))
            .collect();
        let all = json!({ "sequences": sequences, "fitting": fitting, "calls": calls, "argument_alarms_on_gold": alarmed, "mutations": scores });
        return print(&all.to_string());
    }
    print(&format!(
        "{sequences} gold sequences, {fitting} fit the workflow drafted from them; seed {seed}"
    ))?;
    for (name, score) in &scores {
        print(&score.line(name))?;
    }
    print(&format!(
        "argument alarms on the gold itself: {alarmed} of {calls} calls ({})",
        share(alarmed, calls)
    ))
}

/// What the monitor must say: one of these kinds, about one of these skills.
struct Wanted {
    kinds: &'static [FindingKind],
    skills: Vec<String>,
}

/// Counts the findings of a mutation's own family: order, or arguments.
fn judge(
    workflow: &Arc<Workflow>,
    run: &Run,
    wanted: &Wanted,
    mutation: &'static str,
    scores: &mut BTreeMap<&str, Score>,
    rules: &StandardRules,
) {
    let verdict = audit::monitor(workflow, run, &Options::default(), rules.rules());
    let about_arguments = mutation == "wrong argument";
    let score = scores.entry(mutation).or_default();
    score.wanted += 1;
    let mut met = false;
    for finding in &verdict.findings {
        if (finding.kind == FindingKind::Argument) != about_arguments {
            continue;
        }
        score.found += 1;
        let skill = finding.skill.as_deref().unwrap_or_default();
        let fits = wanted.kinds.contains(&finding.kind)
            && wanted.skills.iter().any(|one| one == skill)
            && (!about_arguments || finding.message.contains(WRONG));
        if fits && !met {
            met = true;
            score.right += 1;
        }
    }
}

/// The value of a wrong argument, found nowhere in the data.
const WRONG: &str = "zq-48613";

fn mutate(run: &Run, mutation: &str, dice: &mut Dice) -> Option<(Run, Wanted)> {
    let mut run = run.clone();
    let calls: Vec<usize> = run
        .steps
        .iter()
        .enumerate()
        .filter(|(_, step)| matches!(step.kind, StepKind::Call(_)))
        .map(|(at, _)| at)
        .collect();
    let skill = |run: &Run, at: usize| match &run.steps[at].kind {
        StepKind::Call(call) => call.skill.clone(),
        _ => String::new(),
    };
    let wanted = match mutation {
        "drop" => {
            let at = calls[dice.below(calls.len())];
            let dropped = skill(&run, at);
            run.steps.remove(at);
            Wanted {
                kinds: &[FindingKind::Skipped, FindingKind::EarlyAnswer],
                skills: vec![dropped],
            }
        }
        "swap" => {
            let pairs: Vec<(usize, usize)> = calls
                .windows(2)
                .map(|pair| (pair[0], pair[1]))
                .filter(|(a, b)| skill(&run, *a) != skill(&run, *b))
                .collect();
            let (a, b) = *pairs.get(dice.below(pairs.len().max(1)))?;
            let skills = vec![skill(&run, a), skill(&run, b)];
            run.steps.swap(a, b);
            Wanted {
                kinds: &[FindingKind::OutOfOrder],
                skills,
            }
        }
        "duplicate" => {
            let at = calls[dice.below(calls.len())];
            let twice = run.steps[at].clone();
            let later: Vec<usize> = calls.iter().copied().filter(|one| *one >= at).collect();
            let after = later[dice.below(later.len())];
            let skills = vec![skill(&run, at)];
            run.steps.insert(after + 1, twice);
            Wanted {
                kinds: &[FindingKind::Repeated],
                skills,
            }
        }
        _ => {
            let with_values: Vec<usize> = calls
                .into_iter()
                .filter(|at| match &run.steps[*at].kind {
                    StepKind::Call(call) => {
                        call.args.as_object().is_some_and(|args| !args.is_empty())
                    }
                    _ => false,
                })
                .collect();
            let at = *with_values.get(dice.below(with_values.len().max(1)))?;
            let skills = vec![skill(&run, at)];
            let StepKind::Call(call) = &mut run.steps[at].kind else {
                return None;
            };
            let args = call.args.as_object_mut()?;
            let number = dice.below(args.len());
            *args.values_mut().nth(number)? = json!(WRONG);
            Wanted {
                kinds: &[FindingKind::Argument],
                skills,
            }
        }
    };
    for (index, step) in run.steps.iter_mut().enumerate() {
        step.place.index = Some(index);
    }
    Some((run, wanted))
}

/// Gold sequences as runs: the user's words of each turn, then its calls.
fn gold(folder: &Path, set: &str) -> Result<Vec<Run>> {
    let name = format!("BFCL_v4_multi_turn_{set}.jsonl.gz");
    let questions = lines(&text(&folder.join(&name))?)?;
    let asked: BTreeMap<&str, &Value> = questions
        .iter()
        .filter_map(|one| Some((one["id"].as_str()?, &one["question"])))
        .collect();
    let answers = lines(&text(&folder.join("possible_answer").join(&name))?)?;
    let mut runs = Vec::new();
    for answer in &answers {
        let id = answer["id"].as_str().unwrap_or_default();
        let mut run = Run {
            id: id.to_owned(),
            file: name.clone(),
            ..Run::default()
        };
        let turns = answer["ground_truth"]
            .as_array()
            .context("no ground_truth")?;
        for (number, turn) in turns.iter().enumerate() {
            let said = asked.get(id).and_then(|question| question.get(number));
            for message in said.and_then(Value::as_array).into_iter().flatten() {
                let text = message["content"].as_str().unwrap_or_default().to_owned();
                push(
                    &mut run,
                    StepKind::Message {
                        role: Role::User,
                        text,
                    },
                );
            }
            for call in turn.as_array().into_iter().flatten() {
                let (skill, args) = python::call(call.as_str().unwrap_or_default())?;
                let call = Call {
                    skill,
                    args,
                    ..Call::default()
                };
                push(&mut run, StepKind::Call(call));
            }
        }
        if run.calls().count() < 2 {
            continue;
        }
        let text = "done".to_owned();
        push(&mut run, StepKind::Answer { text });
        runs.push(run);
    }
    Ok(runs)
}

fn push(run: &mut Run, kind: StepKind) {
    let place = Place {
        line: None,
        index: Some(run.steps.len()),
    };
    run.steps.push(Step { place, kind });
}

/// What each function's documentation says, by its name.
fn documentation(folder: &Path) -> Result<BTreeMap<String, String>> {
    let mut docs = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .collect();
    files.sort();
    for file in files {
        for doc in lines(&text(&file)?)? {
            let name = doc["name"].as_str().unwrap_or_default().to_owned();
            docs.insert(
                name,
                format!("{} {}", doc["description"], doc["parameters"]),
            );
        }
    }
    Ok(docs)
}

fn lines(text: &str) -> Result<Vec<Value>> {
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
}
