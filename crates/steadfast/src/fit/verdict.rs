//! Whether to change to a model: what stands against it, and what is open.

use serde::Serialize;
use steadfast_core::handling::RetryChange;

use super::compare::{CHANCE_MAX, Change, Changed, divided, paired};
use super::set::{Kind, Set};
use super::trial::{Ran, Trial};
use crate::cases::{Attempted, Bound, MISORDER_TARGET, Outcome, SKIP_TARGET, attempted};

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// Nothing was found against it.
    Adopt,
    /// Nothing is shown against it, and not all is well: a person decides.
    Open,
    Reject,
}

impl Advice {
    pub fn name(self) -> &'static str {
        match self {
            Advice::Adopt => "adopt",
            Advice::Open => "open",
            Advice::Reject => "reject",
        }
    }
}

/// What a reason weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Weight {
    Note,
    Doubt,
    Against,
}

/// A reason, in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reason {
    pub weight: Weight,
    pub text: String,
}

/// What a trial comes to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    pub advice: Advice,
    /// The weightiest first.
    pub reasons: Vec<Reason>,
    pub skips: Attempted,
    pub misorders: Attempted,
    /// How the model should be waited for, where it had to be.
    #[serde(skip_serializing_if = "RetryChange::is_empty")]
    pub retry: RetryChange,
}

/// A model that was waited for is given this many times what was seen.
const PATIENCE_FACTOR: u64 = 4;

/// Judges a trial, alone or against that of today's model (`today`: its trial,
/// and what differs). `patience_ms` is how long a task waits for the model as it
/// is set now.
pub fn verdict(
    set: &Set,
    tried: &Trial,
    today: Option<(&Trial, &[Changed])>,
    patience_ms: u64,
) -> Verdict {
    let mut reasons = Vec::new();
    let mut say = |weight, text: String| reasons.push(Reason { weight, text });
    let runs = tried.sum(|one| one.runs);
    let skips = attempted(tried.sum(|one| one.skips), runs, SKIP_TARGET);
    let misorders = attempted(tried.sum(|one| one.misorders), runs, MISORDER_TARGET);

    let effective = tried.sum(|one| one.effective);
    if effective > 0 {
        let text = format!("a skip or misorder took effect in {effective} of {runs} runs");
        say(Weight::Against, text);
    }
    if tried.passed().count == 0 {
        say(Weight::Against, "no case passed".to_owned());
    }
    let broken: Vec<&Ran> = of(tried, |one| one.outcome == Outcome::Broken);
    if !broken.is_empty() {
        let text = format!("{} could not be run: {}", broken.len(), names(&broken));
        say(Weight::Doubt, text);
    }
    match today {
        Some((today, changed)) => against(tried, today, changed, &mut say),
        None => alone(tried, &mut say),
    }
    let attempts = [("step left out", &skips), ("broken order", &misorders)];
    for (what, found) in attempts {
        if found.bound == Bound::Above {
            let (share, target) = (found.share * 100.0, found.target * 100.0);
            let text = format!(
                "a {what} was tried in {share:.1} % of runs ({:.1} % at least), the target is {target} %; none took effect",
                found.low * 100.0
            );
            say(Weight::Doubt, text);
        }
    }
    for (kind, have) in set.short() {
        let text = format!("{have} of {} {} cases", kind.wanted(), kind.name());
        say(Weight::Note, text);
    }
    bounds(tried, &mut say);
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.weight));
    let advice = match reasons.first().map(|reason| reason.weight) {
        Some(Weight::Against) => Advice::Reject,
        Some(Weight::Doubt) => Advice::Open,
        _ => Advice::Adopt,
    };
    Verdict {
        advice,
        reasons,
        skips,
        misorders,
        retry: retry(tried, patience_ms),
    }
}

type Say<'a> = &'a mut dyn FnMut(Weight, String);

/// Without another model, each failure speaks for itself; one of a past incident
/// stands against the change.
fn alone(tried: &Trial, say: Say<'_>) {
    let failed = |kind: Kind| {
        let cases = tried.cases.iter();
        let failed = cases.filter(|one| one.kind == kind && one.outcome == Outcome::Failed);
        failed.collect::<Vec<_>>()
    };
    for kind in Kind::ALL {
        let failed = failed(kind);
        if failed.is_empty() {
            continue;
        }
        let weight = match kind {
            Kind::Past => Weight::Against,
            _ => Weight::Doubt,
        };
        let what = kind.name();
        let text = format!("{} {what} cases failed: {}", failed.len(), names(&failed));
        say(weight, text);
    }
}

/// What today's model passed counts: what neither does is no matter of the change.
fn against(tried: &Trial, today: &Trial, changed: &[Changed], say: Say<'_>) {
    let broke = |past: bool| {
        let broke = changed.iter().filter(|one| one.change == Change::Broke);
        let of_kind = broke.filter(|one| (one.kind == Kind::Past) == past);
        let names: Vec<String> = of_kind.map(|one| format!("`{}`", one.case_id)).collect();
        names
    };
    for (past, weight, what) in [
        (true, Weight::Against, "past incidents come again"),
        (false, Weight::Doubt, "cases that pass today fail"),
    ] {
        let broke = broke(past);
        if !broke.is_empty() {
            say(weight, format!("{what}: {}", broke.join(", ")));
        }
    }
    for (what, holds) in [
        ("fewer cases pass", Ran::has_passed as fn(&Ran) -> bool),
        ("fewer runs keep to the contract", Ran::is_clean),
    ] {
        let (better, worse) = divided(today, tried, holds);
        let chance = paired(better, worse);
        if worse > better && chance < CHANCE_MAX {
            let text = format!(
                "{what} than today: {worse} cases are worse, {better} better (chance {chance:.3})"
            );
            say(Weight::Against, text);
        }
    }
}

/// What so few cases cannot rule out.
fn bounds(tried: &Trial, say: Say<'_>) {
    let passed = tried.passed();
    let most = 100.0 - passed.low;
    let text = format!(
        "{} of {} cases passed: up to {most:.0} % of such cases may fail, at 95 %",
        passed.count, passed.of
    );
    say(Weight::Note, text);
}

/// More patience, where the longest wait took more than half of what there is.
fn retry(tried: &Trial, patience_ms: u64) -> RetryChange {
    let waited = tried.waited_ms();
    let short = waited > patience_ms / 2;
    // To whole seconds: no measurement of a wait is better than that.
    let enough = (waited * PATIENCE_FACTOR).div_ceil(1_000) * 1_000;
    RetryChange {
        patience_ms: short.then_some(enough),
        ..RetryChange::default()
    }
}

fn of(trial: &Trial, holds: fn(&Ran) -> bool) -> Vec<&Ran> {
    trial.cases.iter().filter(|one| holds(one)).collect()
}

fn names(cases: &[&Ran]) -> String {
    let names: Vec<String> = cases
        .iter()
        .map(|one| format!("`{}`", one.case_id))
        .collect();
    names.join(", ")
}
