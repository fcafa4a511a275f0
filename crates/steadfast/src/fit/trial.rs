//! The set, run by one model under one mark-up of the contract.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde::Serialize;
use steadfast_core::handling::Handling;
use steadfast_core::workflow::spec::Markup;

use super::set::{Kind, Set};
use crate::audit::rates::Rate;
use crate::cases::{File, Job, Outcome, Stage, Tested, test};
use crate::model::{Handled, Model};

/// What is to be tried.
#[derive(Clone)]
pub struct Try {
    /// Gives the model of one run: a script begins anew, an endpoint is shared.
    pub model: Rc<dyn Fn() -> Arc<dyn Model>>,
    /// None leaves it as the model's settings and the workflow say.
    pub markup: Option<Markup>,
    /// Runs of each case; at least one.
    pub repeats: u32,
    /// Runs at the same time; at least one.
    pub parallel: usize,
}

/// What became of a set.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Trial {
    pub model: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub markup: Option<Markup>,
    /// By kind and name.
    pub cases: Vec<Ran>,
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ran {
    pub case_id: String,
    pub kind: Kind,
    pub outcome: Outcome,
    pub runs: u32,
    pub passed: u32,
    /// Runs in which the model first tried to answer early, or to call a later
    /// step, and such in which that took effect.
    pub skips: u32,
    pub misorders: u32,
    pub effective: u32,
    pub tokens: u64,
    /// Model calls without a usable reply, by class.
    pub failed_calls: BTreeMap<&'static str, u32>,
    /// The longest time that a run waited for the model to answer again.
    pub waited_ms: u64,
    /// Why it failed, or could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

impl Ran {
    /// Whether every run passed, and none tried to leave the workflow.
    pub fn is_clean(&self) -> bool {
        self.outcome == Outcome::Passed && self.skips == 0 && self.misorders == 0
    }

    pub fn has_passed(&self) -> bool {
        self.outcome == Outcome::Passed
    }

    fn of(tested: Tested, kind: Kind) -> Ran {
        let first = tested.failures.first().map(|one| one.message.clone());
        Ran {
            kind,
            outcome: tested.outcome,
            runs: tested.runs,
            passed: tested.passed,
            skips: tested.skips,
            misorders: tested.misorders,
            effective: tested.effective,
            tokens: tested.tokens,
            failed_calls: tested.failed_calls,
            waited_ms: tested.waited_ms,
            why: tested.error.or(first),
            case_id: tested.case_id,
        }
    }

    fn without_stage(file: &File, kind: Kind) -> Ran {
        Ran {
            case_id: file.case.case_id.clone(),
            kind,
            outcome: Outcome::Broken,
            runs: 0,
            passed: 0,
            skips: 0,
            misorders: 0,
            effective: 0,
            tokens: 0,
            failed_calls: BTreeMap::new(),
            waited_ms: 0,
            why: Some("its workflow does not run".to_owned()),
        }
    }
}

impl Trial {
    /// Cases without a fault, of all.
    pub fn clean(&self) -> Rate {
        self.share(Ran::is_clean)
    }

    /// Cases that passed, of all.
    pub fn passed(&self) -> Rate {
        self.share(Ran::has_passed)
    }

    /// The same of one kind.
    pub fn passed_of(&self, kind: Kind) -> Rate {
        let of_kind = || self.cases.iter().filter(|one| one.kind == kind);
        let passed = of_kind().filter(|one| one.has_passed()).count();
        Rate::new(passed as u64, of_kind().count() as u64)
    }

    fn share(&self, holds: fn(&Ran) -> bool) -> Rate {
        let count = self.cases.iter().filter(|one| holds(one)).count();
        Rate::new(count as u64, self.cases.len() as u64)
    }

    /// A count over all runs.
    pub fn sum(&self, of: fn(&Ran) -> u32) -> u64 {
        self.cases.iter().map(|one| u64::from(of(one))).sum()
    }

    pub fn tokens(&self) -> u64 {
        self.cases.iter().map(|one| one.tokens).sum()
    }

    /// The longest time that a run waited for the model.
    pub fn waited_ms(&self) -> u64 {
        let waited = self.cases.iter().map(|one| one.waited_ms);
        waited.max().unwrap_or_default()
    }
}

/// Runs a set. `stage_of` gives what the case runs in, with the full list of
/// skills offered (see [`Stage::free`]); `told` is called as each case is done.
pub async fn trial(
    set: &Set,
    stage_of: &dyn Fn(&File) -> Option<Arc<Stage>>,
    one: &Try,
    told: &mut dyn FnMut(&str),
) -> Trial {
    let kinds: BTreeMap<&str, Kind> = set
        .members
        .iter()
        .map(|member| (member.file.case.case_id.as_str(), member.kind))
        .collect();
    let mut jobs = Vec::new();
    let mut cases = Vec::new();
    for member in &set.members {
        let Some(stage) = stage_of(&member.file) else {
            cases.push(Ran::without_stage(&member.file, member.kind));
            continue;
        };
        let (model, markup) = (Rc::clone(&one.model), one.markup);
        jobs.push(Job {
            file: member.file.clone(),
            stage,
            model: Box::new(move || Ok(marked(model(), markup))),
            repeats: one.repeats.max(1),
        });
    }
    test(jobs, one.parallel, &mut |tested| {
        told(&tested.case_id);
        let kind = kinds[tested.case_id.as_str()];
        cases.push(Ran::of(tested, kind));
    })
    .await;
    cases.sort_by(|a, b| (a.kind, &a.case_id).cmp(&(b.kind, &b.case_id)));
    Trial {
        model: (one.model)().name().to_owned(),
        markup: one.markup,
        cases,
    }
}

fn marked(model: Arc<dyn Model>, markup: Option<Markup>) -> Arc<dyn Model> {
    let Some(markup) = markup else { return model };
    let handling = Handling {
        markup: Some(markup),
        ..Handling::default()
    };
    Arc::new(Handled::new(model, handling))
}

impl std::fmt::Debug for Try {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Try({:?}, {} runs)", self.markup, self.repeats)
    }
}
