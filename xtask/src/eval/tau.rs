//! The monitor on trajectories of a real model, with the workflow of
//! `examples/airline-audit`, which was written from the policy's text.
//!
//! The reward says whether the booking database ended as it should; the policy
//! also forbids things that leave no trace in it. So the table is of agreement,
//! not of right and wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Result, ensure};
use serde_json::{Value, json};
use steadfast::audit::read::Hints;
use steadfast::audit::{self, FindingKind, Run, Verdict};
use steadfast::rules::StandardRules;

use super::score::share;
use super::{is_there, options, print, text, workflow};
use crate::shell::root;

/// Calls that change the booking database.
const WRITES: [&str; 6] = [
    "book_reservation",
    "cancel_reservation",
    "send_certificate",
    "update_reservation_baggages",
    "update_reservation_flights",
    "update_reservation_passengers",
];

/// One trajectory with what is known and what was found.
struct Case {
    failed: bool,
    /// Gold writes that the run lacks, and writes that it has beyond them.
    lacked: usize,
    added: usize,
    verdict: Verdict,
}

pub(super) fn run(data: &Path, as_json: bool) -> Result<()> {
    let file = data.join("tau_airline/trajectories.json.gz");
    if !is_there(&file) {
        return Ok(());
    }
    let folder = root().join("examples/airline-audit");
    let workflow = workflow(&folder.join("workflow.yaml"))?;
    let options = options(&folder.join("options.yaml"))?;
    let text = text(&file)?;
    let records: Vec<Value> = serde_json::from_str(&text)?;
    let mut runs = Vec::new();
    let mut source = text.as_bytes();
    audit::read(
        &mut source,
        "trajectories.json",
        Hints::default(),
        &mut |run| runs.push(run),
    )?;
    ensure!(
        runs.len() == records.len(),
        "{} runs of {} records",
        runs.len(),
        records.len()
    );
    let rules = StandardRules::default();
    let cases: Vec<Case> = records
        .iter()
        .zip(&runs)
        .map(|(record, run)| {
            let (lacked, added) = writes(record, run);
            Case {
                failed: record["reward"].as_f64() != Some(1.0),
                lacked,
                added,
                verdict: audit::monitor(&workflow, run, &options, rules.rules()),
            }
        })
        .collect();
    report(&cases, as_json)
}

/// How the successful writes of a run differ from the gold ones.
fn writes(record: &Value, run: &Run) -> (usize, usize) {
    let mut gold: BTreeMap<String, i64> = BTreeMap::new();
    let actions = record
        .pointer("/info/task/actions")
        .and_then(Value::as_array);
    for action in actions.into_iter().flatten() {
        let name = action["name"].as_str().unwrap_or_default();
        if WRITES.contains(&name) {
            *gold
                .entry(format!("{name} {}", action["kwargs"]))
                .or_default() += 1;
        }
    }
    for (_, call) in run.calls() {
        let failed = call.result.as_ref().and_then(Value::as_str);
        let failed = failed.is_some_and(|text| text.starts_with("Error"));
        if WRITES.contains(&call.skill.as_str()) && !failed {
            *gold
                .entry(format!("{} {}", call.skill, call.args))
                .or_default() -= 1;
        }
    }
    let sum = |sign: i64| {
        let all = gold.values().map(|left| (left * sign).max(0)).sum::<i64>();
        usize::try_from(all).unwrap_or(0)
    };
    (sum(1), sum(-1))
}

/// A flag: which runs it is raised on.
type Flag = (String, Box<dyn Fn(&Case) -> bool>);

fn flags(cases: &[Case]) -> Vec<Flag> {
    let mut flags: Vec<Flag> = vec![
        (
            "any finding".to_owned(),
            Box::new(|case: &Case| !case.verdict.findings.is_empty()),
        ),
        (
            "order (all but argument)".to_owned(),
            Box::new(|case: &Case| {
                let mut all = case.verdict.findings.iter();
                all.any(|one| one.kind != FindingKind::Argument)
            }),
        ),
    ];
    let kinds: BTreeSet<FindingKind> = cases
        .iter()
        .flat_map(|case| &case.verdict.findings)
        .map(|one| one.kind)
        .collect();
    for kind in kinds {
        let raised = move |case: &Case| case.verdict.findings.iter().any(|one| one.kind == kind);
        flags.push((kind.name().to_owned(), Box::new(raised)));
    }
    let unconfirmed = |case: &Case| {
        let mut all = case.verdict.findings.iter();
        all.any(|one| {
            one.kind == FindingKind::Skipped && one.skill.as_deref() == Some("user_confirms")
        })
    };
    flags.push(("write without a yes".to_owned(), Box::new(unconfirmed)));
    flags
}

fn report(cases: &[Case], as_json: bool) -> Result<()> {
    let count = |test: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| test(case)).count();
    let failed = count(&|case| case.failed);
    let lacked = |case: &Case| case.lacked > 0;
    let added = |case: &Case| case.added > 0;
    let differs = |case: &Case| case.lacked > 0 || case.added > 0;
    let mut rows = Vec::new();
    for (name, raised) in flags(cases) {
        let both = count(&|case| raised(case) && case.failed);
        let all = count(&|case| raised(case));
        let on_added = count(&|case| raised(case) && added(case));
        rows.push((name, all, both, on_added));
    }
    if as_json {
        let rows: Vec<Value> = rows
            .iter()
            .map(|(name, all, both, on_added)| {
                json!({ "flag": name, "flagged": all, "flagged_failed": both, "flagged_added_write": on_added })
            })
            .collect();
        let runs: Vec<Value> = cases
            .iter()
            .map(|case| json!({ "failed": case.failed, "lacked": case.lacked, "added": case.added, "verdict": case.verdict }))
            .collect();
        let all = json!({ "runs": cases.len(), "failed": failed, "flags": rows, "verdicts": runs });
        return print(&all.to_string());
    }
    print(&format!("{} runs, {failed} failed (reward 0)", cases.len()))?;
    print(&format!(
        "against the gold actions: {} runs lack a write, {} have one more, {} either ({} of the failed)",
        count(&lacked),
        count(&added),
        count(&differs),
        count(&|case| differs(case) && case.failed)
    ))?;
    print(
        "flag                      flagged  of failed  of passed  precision  recall  on runs with an added write",
    )?;
    for (name, all, both, on_added) in rows {
        print(&format!(
            "{name:<25} {all:>7}  {both:>9}  {:>9}  {:>9}  {:>6}  {on_added}",
            all - both,
            share(both, all),
            share(both, failed)
        ))?;
    }
    print(&format!(
        "base rate of failure: {}",
        share(failed, cases.len())
    ))
}
