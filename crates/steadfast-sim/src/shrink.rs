//! From a failing plan to a small one, and to a test that can be pasted.
//!
//! Greedy: a simpler plan that still fails takes the place of the old one,
//! until none of the simplifications does.

use std::sync::Arc;

use steadfast::rules::StandardRules;

use crate::model::Kind;
use crate::plan::Plan;
use crate::property::Violations;
use crate::run::{Failure, one};
use crate::world::Crash;

/// Runs that one shrinking may take.
const RUNS_MAX: u32 = 2_000;

/// The smallest failing plan that is found.
pub fn shrink(failure: &Failure, rules: &Arc<StandardRules>) -> Failure {
    let mut found = failure.clone();
    let mut runs = 0;
    loop {
        let mut better = None;
        for plan in simpler(&found.plan) {
            runs += 1;
            if runs > RUNS_MAX {
                return found;
            }
            let violations = one(&plan, rules);
            if !violations.is_empty() {
                better = Some(Failure { plan, violations });
                break;
            }
        }
        match better {
            Some(better) => found = better,
            None => return found,
        }
    }
}

/// Plans that have one thing less, the largest parts first.
fn simpler(plan: &Plan) -> Vec<Plan> {
    let mut plans = Vec::new();
    let mut with = |change: &dyn Fn(&mut Plan) -> bool| {
        let mut plan = plan.clone();
        if change(&mut plan) {
            plans.push(plan);
        }
    };
    for at in 0..plan.faults.crashes.len() {
        with(&|plan| {
            plan.faults.crashes.remove(at);
            true
        });
    }
    for ordinal in plan.faults.skills.keys() {
        with(&|plan| plan.faults.skills.remove(ordinal).is_some());
    }
    for at in 0..plan.faults.commands.len() {
        with(&|plan| {
            plan.faults.commands.remove(at);
            true
        });
    }
    with(&|plan| std::mem::take(&mut plan.model_failing_percent) > 0);
    with(&|plan| plan.faults.outage.take().is_some());
    with(&|plan| std::mem::take(&mut plan.snapshot_every) > 0);
    with(&|plan| std::mem::take(&mut plan.doubled));
    for kind in [Kind::Honest, Kind::Lazy, Kind::Parallel] {
        with(&|plan| std::mem::replace(&mut plan.model, kind) > kind);
    }
    shapes(plan, &mut plans);
    for at in 0..plan.faults.crashes.len() {
        plans.extend(earlier(plan, at));
    }
    plans
}

fn shapes(plan: &Plan, plans: &mut Vec<Plan>) {
    let Some(shape) = &plan.shape else { return };
    let mut with = |change: &dyn Fn(&mut crate::workflow::Shape)| {
        let mut changed = shape.clone();
        change(&mut changed);
        if changed != *shape {
            plans.push(Plan {
                shape: Some(changed),
                ..plan.clone()
            });
        }
    };
    for at in 0..shape.states.len() {
        if shape.states.len() > 1 {
            with(&|shape| drop(shape.states.remove(at)));
        }
        for turn in 0..shape.states[at].turns.len() {
            if shape.states[at].turns.len() > 1 {
                with(&|shape| {
                    shape.states[at].turns.remove(turn);
                });
            }
            with(&|shape| shape.states[at].turns[turn].approval = false);
            with(&|shape| shape.states[at].turns[turn].verified = false);
            with(&|shape| shape.states[at].turns[turn].apart = false);
            with(&|shape| shape.states[at].turns[turn].open = false);
            with(&|shape| shape.states[at].turns[turn].after_previous = false);
        }
        with(&|shape| shape.states[at].any = false);
        with(&|shape| shape.states[at].optional = false);
        with(&|shape| shape.states[at].skippable = false);
        with(&|shape| shape.states[at].retry = false);
        with(&|shape| shape.states[at].failure = crate::workflow::Failure::Retry);
    }
    with(&|shape| shape.answer_by_model = false);
    with(&|shape| shape.runtime = false);
    with(&|shape| shape.all_tools = false);
    with(&|shape| shape.urged = false);
    with(&|shape| shape.hasty = false);
    with(&|shape| shape.purse.tokens = None);
    with(&|shape| shape.purse.model_calls = None);
    with(&|shape| shape.purse.skill_calls = None);
    with(&|shape| shape.purse.ask = false);
    with(&|shape| shape.talk = 0);
    with(&|shape| shape.talk = shape.talk.min(1));
}

/// The same crash at an earlier point.
fn earlier(plan: &Plan, at: usize) -> Vec<Plan> {
    let points = |point: u64| [point / 2, point.saturating_sub(1)];
    let crashes: Vec<Crash> = match plan.faults.crashes[at] {
        Crash::Append { seq, side } => points(seq)
            .into_iter()
            .filter(|less| (1..seq).contains(less))
            .map(|seq| Crash::Append { seq, side })
            .collect(),
        Crash::Effect { ordinal, side } => points(u64::from(ordinal))
            .into_iter()
            .filter(|less| *less < u64::from(ordinal))
            .map(|less| Crash::Effect {
                ordinal: less as u32,
                side,
            })
            .collect(),
    };
    let replaced = |crash| {
        let mut plan = plan.clone();
        plan.faults.crashes[at] = crash;
        plan
    };
    crashes.into_iter().map(replaced).collect()
}

/// A test of the failing plan, for `tests/it/found.rs`.
pub fn as_test(plan: &Plan, violations: &Violations) -> String {
    let said: String = violations
        .iter()
        .map(|one| format!("// {}\n", one.replace('\n', "\n// ")))
        .collect();
    let shape = match &plan.shape {
        Some(shape) => format!("Some({})", spelled(&format!("{shape:#?}"))),
        None => "None".to_owned(),
    };
    format!(
        "{said}#[test]\nfn seed_{seed}() {{\n    let plan = Plan {{\n        seed: {seed},\n        \
         shape: {shape},\n        model: Kind::{model:?},\n        faults: Faults {{\n            \
         crashes: vec!{crashes},\n            skills: BTreeMap::from({skills}),\n            \
         commands: vec!{commands},\n            outage: {outage:?},\n        }},\n        model_failing_percent: {failing},\n        \
         snapshot_every: {snapshots},\n        doubled: {doubled},\n    }};\n    \
         assert_eq!(one(&plan, &rules()), Vec::<String>::new());\n}}\n",
        seed = plan.seed,
        model = plan.model,
        crashes = spelled(&format!("{:?}", plan.faults.crashes)),
        skills = pairs(plan),
        outage = plan.faults.outage,
        commands = spelled(&format!("{:?}", plan.faults.commands)),
        failing = plan.model_failing_percent,
        snapshots = plan.snapshot_every,
        doubled = plan.doubled,
    )
}

fn pairs(plan: &Plan) -> String {
    let pairs: Vec<String> = plan
        .faults
        .skills
        .iter()
        .map(|(ordinal, fault)| format!("({ordinal}, SkillFault::{fault:?})"))
        .collect();
    format!("[{}]", pairs.join(", "))
}

/// Debug text as Rust source: names get their types, lists become vectors.
fn spelled(debug: &str) -> String {
    let mut text = debug.to_owned();
    for (from, to) in [
        ("states: [", "states: vec!["),
        ("turns: [", "turns: vec!["),
        ("failure: Retry", "failure: Failure::Retry"),
        ("failure: Back", "failure: Failure::Back"),
        ("failure: Failed", "failure: Failure::Failed"),
        ("Append {", "Crash::Append {"),
        ("Effect {", "Crash::Effect {"),
        (", side: ", ", side: Side::"),
        (" Cancel)", " Command::Cancel)"),
        (" Pause)", " Command::Pause)"),
        (" Say {", " Command::Say {"),
        (" Repair {", " Command::Repair {"),
        ("please\" }", "please\".to_owned() }"),
    ] {
        text = text.replace(from, to);
    }
    for effect in ["Read", "Idempotent", "Irreversible"] {
        // The pretty form puts the value on a line of its own.
        text = text.replace(&format!(" {effect},"), &format!(" EffectClass::{effect},"));
    }
    text
}
