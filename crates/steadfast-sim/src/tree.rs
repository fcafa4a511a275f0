//! Trees of tasks: a task that starts others, which start others, under one driver
//! that dies anywhere.
//!
//! ```text
//! seed ─► draw (graph, policies, budgets, who fails) ─► spec (a workflow with a
//!         canary in every goal, input, output and tool result)
//!      ─► process (driver and person, crashes) ─► logs + world ─► oracle
//! ```
//!
//! The oracle reads the logs and the world, and knows from the draw alone what may
//! stand where, who may call what, and what each task gives back.
//!
//! Not here: a single task, see [`crate::run`].

mod canary;
mod draw;
mod log;
mod model;
mod oracle;
mod process;
mod skill;
mod spec;

use std::collections::BTreeSet;
use std::sync::Arc;

use steadfast::rules::StandardRules;

use crate::dice::Dice;
use crate::property::Violations;
use crate::run::Crashes;
use crate::world::{Crash, Side};

pub use draw::{Draw, Node, Policy, Work};
pub use process::{Run, execute};

/// What came of some trees.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub runs: u64,
    pub crashes: u64,
    pub completed: u64,
    pub failed: u64,
    pub cancelled: u64,
    /// Tasks with a log of their own, the first ones included.
    pub tasks: u64,
    pub events: u64,
    /// Reports taken in.
    pub delivered: u64,
    /// Deeds that were done in the world.
    pub deeds: u64,
    /// Calls beyond what a task may call, as models proposed them.
    pub overreaches: u64,
    /// Runs with a crash that gave back what the run without gave.
    pub same: u64,
    /// Of the chains of all logs: equal where all bytes are.
    pub mark: u64,
    pub failures: Vec<(u64, Violations)>,
}

impl Report {
    pub fn add(&mut self, other: Report) {
        self.runs += other.runs;
        self.crashes += other.crashes;
        self.completed += other.completed;
        self.failed += other.failed;
        self.cancelled += other.cancelled;
        self.tasks += other.tasks;
        self.events += other.events;
        self.delivered += other.delivered;
        self.deeds += other.deeds;
        self.overreaches += other.overreaches;
        self.same += other.same;
        self.mark = self.mark.wrapping_add(other.mark);
        self.failures.extend(other.failures);
    }
}

/// Runs the tree of a seed, without a crash and with those that are asked for.
pub fn seed(seed: u64, crashes: Crashes, rules: &Arc<StandardRules>) -> Report {
    let draw = Draw::of(seed);
    let mut report = Report::default();
    let reference = execute(&draw, &[], rules);
    judge(&draw, &reference, None, &[], &mut report);
    let points = points(seed, crashes, &reference);
    for crash in points {
        let run = execute(&draw, &[crash], rules);
        judge(&draw, &run, Some(&reference), &[crash], &mut report);
    }
    report
}

fn judge(draw: &Draw, run: &Run, reference: Option<&Run>, crashes: &[Crash], report: &mut Report) {
    let (seen, mut violations) = oracle::judge(draw, run);
    if let Some(reference) = reference.filter(|_| draw.is_comparable()) {
        let (before, _) = oracle::judge(draw, reference);
        if before.gives != seen.gives {
            violations.push(format!(
                "it gave {:?}, and without a crash {:?}",
                seen.gives, before.gives
            ));
        } else {
            report.same += 1;
        }
    }
    report.runs += 1;
    report.mark = report.mark.wrapping_add(run.mark);
    report.crashes += u64::from(run.crashes);
    report.completed += u64::from(seen.completed);
    report.failed += u64::from(seen.failed);
    report.cancelled += u64::from(!seen.completed && !seen.failed);
    report.tasks += seen.tasks;
    report.events += seen.events;
    report.delivered += seen.delivered;
    report.deeds += run.world.effects.deeds().len() as u64;
    report.overreaches += seen.overreaches;
    if !violations.is_empty() {
        let mut told = vec![format!("{crashes:?}")];
        told.extend(violations);
        report.failures.push((draw.seed, told));
    }
}

/// Where a tree's process dies: each batch of any task is one boundary with two
/// sides, and so is each call of a skill.
fn points(seed: u64, crashes: Crashes, reference: &Run) -> Vec<Crash> {
    let starts: BTreeSet<u64> = reference.batches.iter().copied().collect();
    let mut all = Vec::new();
    for side in [Side::Before, Side::After] {
        all.extend(starts.iter().map(|seq| Crash::Append { seq: *seq, side }));
        let effects = 0..reference.world.effects.count();
        all.extend(effects.map(|ordinal| Crash::Effect { ordinal, side }));
    }
    match crashes {
        Crashes::None => Vec::new(),
        Crashes::AllBoundaries => all,
        Crashes::Seeded(count) => (0..count)
            .filter_map(|at| Dice::of(&[seed, at, 0x7_4ee]).pick(&all).copied())
            .collect(),
    }
}
