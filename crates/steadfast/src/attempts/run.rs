//! One run of one input, in a log of its own in memory.

use std::sync::Arc;

use serde::Serialize;
use steadfast_core::budget::BudgetChange;
use steadfast_core::content::Salt;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Principal, Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Outcome, Start, Waiting};
use steadfast_core::workflow::Workflow;
use steadfast_store::{MemoryLog, Takeover, load_events};

use super::count::{First, firsts};
use super::effective::effective;
use super::kinds::{self, Kind};
use super::{Error, Plan};
use crate::driver::{Driver, Memory, Rest, Settings, Stop, Unobserved};
use crate::model::Model;

/// Approvals that a measurement gives in one run.
const APPROVALS_MAX: usize = 1_000;

/// One run, measured.
#[derive(Clone, Debug, Serialize)]
pub struct Measured {
    /// Number of the input, from 0.
    pub input: usize,
    /// Number of its run, from 0.
    pub repeat: u32,
    pub ended: Ended,
    /// Why it failed or waits.
    pub diagnosis: Option<String>,
    pub firsts: Vec<First>,
    /// Skips and misorders that took effect, in words: none, if all is well.
    pub effective: Vec<String>,
    pub model_calls: u64,
    pub tokens: u64,
    pub elapsed_ms: u64,
    #[serde(skip)]
    pub(super) kinds: Vec<Kind>,
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    Completed,
    Failed,
    Cancelled,
    /// For a person: a deed in doubt, or a real one that needs approval.
    Waiting,
}

impl Ended {
    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Ended::Completed => "completed",
            Ended::Failed => "failed",
            Ended::Cancelled => "cancelled",
            Ended::Waiting => "waiting",
        }
    }
}

pub(super) async fn run(
    plan: &Plan,
    workflow: &Workflow,
    trial: usize,
    repeat: u32,
    model: Arc<dyn Model>,
) -> Result<Measured, Error> {
    let log = Arc::new(MemoryLog::new());
    let driver = Driver {
        log: log.clone(),
        model,
        validator: None,
        reviewer: None,
        skills: plan.skills.clone(),
        rules: Arc::clone(&plan.rules),
        clock: Arc::clone(&plan.clock),
        observer: Arc::new(Unobserved),
        holder: "attempts".to_owned(),
        settings: Settings {
            snapshot_every: 0,
            ..Settings::default()
        },
        memory: Memory::default(),
        stop: Stop::default(),
    };
    let id = TaskId::new(format!("t_{trial}_{repeat}"));
    let one = &plan.trials[trial];
    let start = Start {
        workflow: plan.spec.clone(),
        principal: Principal::from("attempts"),
        input: one.input.clone(),
        documents: one.documents.clone(),
        facts: std::collections::BTreeMap::new(),
        parent: None,
        window: plan.window,
        budget: BudgetChange::default(),
    };
    // Nothing of this log leaves the process, so nothing can be guessed from it.
    driver.start(&id, Salt([0; 32]), start).await?;
    let rest = rest(&driver, &id, plan.doubled).await?;
    let events = load_events(log.as_ref(), &id, Seq(1))
        .await
        .map_err(crate::driver::Error::from)?;
    let (ended, diagnosis) = ended(&rest);
    Ok(Measured {
        input: trial,
        repeat,
        ended,
        diagnosis,
        firsts: firsts(&events),
        effective: effective(workflow, &events, plan.rules.rules()),
        model_calls: events.iter().filter(|event| is_asked(event)).count() as u64,
        tokens: tokens(&events),
        elapsed_ms: elapsed(&events),
        kinds: kinds::of(one),
    })
}

/// Drives until the task ends or a person must act. Where only stand-ins act,
/// there is nothing to approve, and the answer is yes.
async fn rest(driver: &Driver, id: &TaskId, doubled: bool) -> Result<Rest, Error> {
    let mut rest = driver.run(id, Takeover::IfExpired).await?;
    for _ in 0..APPROVALS_MAX {
        let Rest::Waiting(Waiting::Approval { calls }) = &rest else {
            break;
        };
        if !doubled {
            break;
        }
        for call in calls {
            let approve = Command::Decide {
                call: call.clone(),
                approved: true,
                reason: None,
            };
            let by = Principal::from("attempts");
            Driver::post(driver.log.as_ref(), id, by, &approve, driver.clock.now()).await?;
        }
        rest = driver.run(id, Takeover::IfExpired).await?;
    }
    Ok(rest)
}

fn ended(rest: &Rest) -> (Ended, Option<String>) {
    match rest {
        Rest::Ended(Outcome::Completed { .. }) => (Ended::Completed, None),
        Rest::Ended(Outcome::Failed { diagnosis, .. }) => (Ended::Failed, Some(diagnosis.clone())),
        Rest::Ended(Outcome::Cancelled) => (Ended::Cancelled, None),
        Rest::Waiting(Waiting::Approval { .. }) => (
            Ended::Waiting,
            Some("a real deed needs a person's approval".to_owned()),
        ),
        Rest::Waiting(Waiting::Budget { .. }) => {
            (Ended::Waiting, Some("a budget is exhausted".to_owned()))
        }
        Rest::Waiting(Waiting::Children { .. }) => (
            Ended::Waiting,
            Some("a sub-task waits for a person".to_owned()),
        ),
        Rest::Stopped => (Ended::Waiting, Some("it was told to stop".to_owned())),
        Rest::Waiting(_) => (Ended::Waiting, Some("a deed is in doubt".to_owned())),
    }
}

fn is_asked(event: &Event) -> bool {
    matches!(event.body, Body::ModelReplied(_) | Body::ModelFailed(_))
}

fn tokens(events: &[Event]) -> u64 {
    let usages = events.iter().filter_map(|event| match &event.body {
        Body::ModelReplied(body) => body.usage,
        _ => None,
    });
    usages
        .map(|usage| usage.input_tokens + usage.output_tokens)
        .sum()
}

fn elapsed(events: &[Event]) -> u64 {
    match (events.first(), events.last()) {
        (Some(first), Some(last)) => last.at.ms_since(first.at),
        _ => 0,
    }
}
