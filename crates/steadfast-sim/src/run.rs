//! One run: from a seed to a verdict.

use std::collections::BTreeMap;
use std::sync::Arc;

use steadfast::rules::StandardRules;
use steadfast_core::task::Outcome;

use crate::model::Kind;
use crate::plan::Plan;
use crate::process::{Run, execute};
use crate::property::{self, Compared, Depth, Violations};
use crate::world::{Crash, Side};

/// A plan whose run breaks a property.
#[derive(Clone, Debug)]
pub struct Failure {
    pub plan: Plan,
    pub violations: Violations,
}

/// Sums over runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub runs: u64,
    pub events: u64,
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
    pub skips_tried: u64,
    pub misorders_tried: u64,
    /// Skips and misorders that took effect, by the oracle.
    pub effective: u64,
    pub crashes: u64,
    pub settlements: u64,
    /// Runs with a crash whose log is that of the run without.
    pub same: u64,
    pub same_until_settled: u64,
}

impl Tally {
    pub fn add(&mut self, other: &Tally) {
        let Tally {
            runs,
            events,
            completed,
            failed,
            cancelled,
            skips_tried,
            misorders_tried,
            effective,
            crashes,
            settlements,
            same,
            same_until_settled,
        } = other;
        self.runs += runs;
        self.events += events;
        self.completed += completed;
        self.failed += failed;
        self.cancelled += cancelled;
        self.skips_tried += skips_tried;
        self.misorders_tried += misorders_tried;
        self.effective += effective;
        self.crashes += crashes;
        self.settlements += settlements;
        self.same += same;
        self.same_until_settled += same_until_settled;
    }
}

/// What came of some runs, by model.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub by_model: BTreeMap<Kind, Tally>,
    pub failures: Vec<Failure>,
}

/// Failures that a report keeps; it counts no further ones.
const FAILURES_KEPT: usize = 20;

impl Report {
    pub fn add(&mut self, other: Report) {
        for (kind, tally) in other.by_model {
            self.by_model.entry(kind).or_default().add(&tally);
        }
        self.failures.extend(other.failures);
        self.failures.truncate(FAILURES_KEPT);
    }

    pub fn total(&self) -> Tally {
        let mut total = Tally::default();
        self.by_model.values().for_each(|tally| total.add(tally));
        total
    }
}

/// All that must hold of a run, judged with that of its uninterrupted twin.
pub fn judge(
    plan: &Plan,
    run: &Run,
    reference: Option<&Run>,
    rules: &StandardRules,
    tally: &mut Tally,
) -> Violations {
    let case = plan.case();
    let mut violations = run.violations.clone();
    let (walked, broken) = property::walk(&case.spec, case.flag, &run.events);
    tally.effective += broken
        .iter()
        .filter(|one| one.contains("skip") || one.contains("misorder"))
        .count() as u64;
    violations.extend(broken);
    if !walked.ended && violations.is_empty() {
        violations.push("it did not come to its end".to_owned());
    }
    violations.extend(property::deeds(&case.spec, &run.events, &run.world));
    violations.extend(property::ledger(
        run.log.as_ref(),
        &run.id,
        run.salt,
        &run.events,
    ));
    let mut depth = Depth::Whole;
    if let Some(reference) = reference.filter(|_| plan.is_comparable()) {
        match property::compare(&run.stored, &reference.stored) {
            Compared::Same => {
                depth = Depth::Last;
                tally.same += 1;
            }
            Compared::SameUntilSettled { .. } => tally.same_until_settled += 1,
            Compared::Differ { seq, how } => {
                violations.push(format!(
                    "event {seq} differs from the run without crash: {how}"
                ));
            }
        }
    }
    violations.extend(property::replay(
        run.log.as_ref(),
        &run.id,
        run.salt,
        &run.events,
        run.live.as_ref(),
        &run.world,
        rules.rules(),
        depth,
    ));
    count(run, tally);
    violations
}

fn count(run: &Run, tally: &mut Tally) {
    tally.runs += 1;
    tally.events += run.events.len() as u64;
    tally.crashes += u64::from(run.crashes);
    tally.settlements += property::settlements(&run.events) as u64;
    let (skips, misorders) = property::attempts(&run.events);
    tally.skips_tried += skips;
    tally.misorders_tried += misorders;
    match run.live.as_ref().and_then(|task| task.state.outcome()) {
        Some(Outcome::Completed { .. }) => tally.completed += 1,
        Some(Outcome::Failed { .. }) => tally.failed += 1,
        Some(Outcome::Cancelled) => tally.cancelled += 1,
        None => {}
    }
}

/// Which crashes a seed's plan is run with, beside none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crashes {
    None,
    /// This many runs, each with one crash at a seeded point.
    Seeded(u64),
    /// One run for each side of each event boundary.
    AllBoundaries,
}

/// How seeds are run.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    pub crashes: Crashes,
    /// Run everything twice and compare the bytes.
    pub twice: bool,
    pub model: Option<Kind>,
}

/// Runs all that a seed stands for. The uninterrupted run is made and judged
/// once, and counts as a run only where no crash was asked for.
pub fn seed(seed: u64, mode: Mode, rules: &Arc<StandardRules>) -> Report {
    let plan = Plan::generate(seed, mode.model);
    let reference = execute(&plan, rules);
    let mut report = Report::default();
    let mut tally = Tally::default();
    let mut found = judge(&plan, &reference, None, rules, &mut tally);
    if mode.twice {
        found.extend(differs(&plan, &reference, rules));
    }
    keep(&mut report, &plan, found);
    let points = points(&plan, &reference, mode.crashes);
    if mode.crashes != Crashes::None {
        tally = Tally::default();
    }
    for crash in points {
        let plan = plan.with_crashes(vec![crash]);
        let run = execute(&plan, rules);
        let mut found = judge(&plan, &run, Some(&reference), rules, &mut tally);
        if mode.twice {
            found.extend(differs(&plan, &run, rules));
        }
        keep(&mut report, &plan, found);
    }
    report.by_model.insert(plan.model, tally);
    report
}

fn points(plan: &Plan, reference: &Run, crashes: Crashes) -> Vec<Crash> {
    let events = reference.events.len();
    match crashes {
        Crashes::None => Vec::new(),
        Crashes::Seeded(runs) => {
            let effects = reference.world.effects.count();
            (0..runs)
                .map(|salt| plan.seeded_crash(salt, events, effects))
                .collect()
        }
        Crashes::AllBoundaries => (1..=events as u64)
            .flat_map(|seq| [Side::Before, Side::After].map(|side| Crash::Append { seq, side }))
            .collect(),
    }
}

fn keep(report: &mut Report, plan: &Plan, violations: Violations) {
    if !violations.is_empty() && report.failures.len() < FAILURES_KEPT {
        report.failures.push(Failure {
            plan: plan.clone(),
            violations,
        });
    }
}

/// Whether a second run of the same plan stores other bytes.
fn differs(plan: &Plan, first: &Run, rules: &Arc<StandardRules>) -> Option<String> {
    let second = execute(plan, rules);
    (first.stored != second.stored).then(|| "a second run of the plan differs".to_owned())
}

/// Runs one plan, with its twin where it has crashes, and judges it.
pub fn one(plan: &Plan, rules: &Arc<StandardRules>) -> Violations {
    let run = execute(plan, rules);
    let twin =
        (!plan.faults.crashes.is_empty()).then(|| execute(&plan.with_crashes(Vec::new()), rules));
    judge(plan, &run, twin.as_ref(), rules, &mut Tally::default())
}
