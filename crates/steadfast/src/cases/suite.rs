//! Many cases, each as often as asked, several at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::stream::{FuturesUnordered, StreamExt};
use serde::Serialize;
use steadfast_core::event::{Body, Event};

use super::error::Error;
use super::judge::{Failure, judge};
use super::read::File;
use super::run::{Stage, Trace, run};
use crate::attempts::{Tried, firsts};
use crate::model::Model;

/// Gives the model of one run; the words say why there is none.
pub type Models = Box<dyn Fn() -> Result<Arc<dyn Model>, String>>;

/// A case that is to be run.
pub struct Job {
    pub file: File,
    pub stage: Arc<Stage>,
    pub model: Models,
    /// Runs; at least one is made.
    pub repeats: u32,
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Passed,
    Failed,
    /// It could not be run.
    Broken,
}

/// A case, tested.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tested {
    pub case_id: String,
    pub group: String,
    pub file: std::path::PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub added_reason: Option<String>,
    pub outcome: Outcome,
    pub model: String,
    pub runs: u32,
    pub passed: u32,
    pub pass_at_least: u32,
    /// The path of the run that is told of: the first that failed, else the last.
    pub path: Vec<String>,
    /// Of the first run that failed.
    pub failures: Vec<Failure>,
    /// Why it could not be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// Runs in which the model first tried to answer early, and to call a later
    /// step.
    pub skips: u32,
    pub misorders: u32,
    /// Runs in which a skip or misorder took effect.
    pub effective: u32,
    pub tokens: u64,
    /// Model calls without a usable reply, by class.
    pub failed_calls: BTreeMap<&'static str, u32>,
    /// The longest time that a run waited for a model that could not be called.
    pub waited_ms: u64,
    pub elapsed_ms: u64,
}

/// Runs all jobs, and hands each case on as it is done, in no particular order.
/// Dropping the future stops; what was handed on stays.
pub async fn test(jobs: Vec<Job>, parallel: usize, sink: &mut dyn FnMut(Tested)) {
    let mut waiting = jobs.into_iter();
    let mut at_work = FuturesUnordered::new();
    loop {
        while at_work.len() < parallel.max(1) {
            let Some(job) = waiting.next() else { break };
            at_work.push(one(job));
        }
        match at_work.next().await {
            Some(tested) => sink(tested),
            None => return,
        }
    }
}

async fn one(job: Job) -> Tested {
    let case = &job.file.case;
    let runs = job.repeats.max(case.repeats.unwrap_or(1)).max(1);
    // A bound is a share where the command makes more runs than the case asks for.
    let asked = case.repeats.unwrap_or(1).max(1);
    let least = match case.pass_at_least {
        Some(least) => (least * runs).div_ceil(asked),
        None => runs,
    };
    let began = job.stage.clock.now();
    let mut tested = Tested {
        case_id: case.case_id.clone(),
        group: job.file.group.clone(),
        file: job.file.path.clone(),
        added_reason: case.added_reason.clone(),
        outcome: Outcome::Broken,
        model: String::new(),
        runs: 0,
        passed: 0,
        pass_at_least: least,
        path: Vec::new(),
        failures: Vec::new(),
        error: None,
        code: None,
        skips: 0,
        misorders: 0,
        effective: 0,
        tokens: 0,
        failed_calls: BTreeMap::new(),
        waited_ms: 0,
        elapsed_ms: 0,
    };
    for _ in 0..runs {
        let model = match (job.model)() {
            Ok(model) => model,
            Err(why) => {
                tested.error = Some(why);
                break;
            }
        };
        model.name().clone_into(&mut tested.model);
        if let Err(error) = once(&job, model, &mut tested).await {
            let hint = error.hint().map(|hint| format!("; {hint}"));
            tested.error = Some(format!("{error}{}", hint.unwrap_or_default()));
            tested.code = Some(error.code());
            break;
        }
    }
    tested.outcome = match (&tested.error, tested.passed >= least) {
        (Some(_), _) => Outcome::Broken,
        // What took effect is no matter of rates.
        (None, true) if tested.effective == 0 => Outcome::Passed,
        (None, _) => Outcome::Failed,
    };
    tested.elapsed_ms = job.stage.clock.now().ms_since(began);
    tested
}

async fn once(job: &Job, model: Arc<dyn Model>, tested: &mut Tested) -> Result<(), Error> {
    let case = &job.file.case;
    let folder = job.file.path.parent().unwrap_or(std::path::Path::new(""));
    let rules = job.stage.rules(model.name());
    let trace = run(&job.stage, case, folder, model).await?;
    let failures = judge(case, &job.stage.workflow, &trace, rules.rules()).await;
    tested.runs += 1;
    tested.tokens += trace.tokens();
    count(&trace, &failures, tested);
    if tested.failures.is_empty() {
        tested.path = trace.path.all();
    }
    if failures.is_empty() {
        tested.passed += 1;
    } else if tested.failures.is_empty() {
        tested.failures = failures;
    }
    Ok(())
}

fn count(trace: &Trace, failures: &[Failure], tested: &mut Tested) {
    let firsts = firsts(&trace.events);
    let any = |tried: Tried| u32::from(firsts.iter().any(|first| first.tried == tried));
    tested.skips += any(Tried::Skip);
    tested.misorders += any(Tried::Misorder);
    let took_effect = |one: &Failure| one.kind == super::FailureKind::Effective;
    tested.effective += u32::from(failures.iter().any(took_effect));
    waits(&trace.events, tested);
}

/// Counts failed calls, and how long the model was waited for in one go.
fn waits(events: &[Event], tested: &mut Tested) {
    let mut since = None;
    for event in events {
        match &event.body {
            Body::ModelFailed(body) => {
                *tested.failed_calls.entry(body.class.name()).or_default() += 1;
                if body.class.heals_with_time() {
                    since = since.or(Some(event.at));
                }
            }
            Body::ModelReplied(_) => since = None,
            _ => {}
        }
        if let Some(since) = since {
            tested.waited_ms = tested.waited_ms.max(event.at.ms_since(since));
        }
    }
}

impl std::fmt::Debug for Job {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Job({}, {} runs)", self.file.case.case_id, self.repeats)
    }
}
