//! `steadfast bisect`: the first context that turns a task's outcome.
//!
//! From each of its model calls the task can be gone on with by another model, in
//! memory. Where that still ends well, what went wrong stands behind the call;
//! where it does not, it stands before. Halving finds the first call from which
//! the task can no longer be brought to a good end.

use std::sync::Arc;

use serde_json::json;
use steadfast::cases::{self, Case, Trace};
use steadfast::clock::{Clock, SystemClock};
use steadfast::replay::{self, Original, Turned};
use steadfast::rules::StandardRules;
use steadfast_core::id::Seq;
use steadfast_core::workflow::Workflow;
use steadfast_store::Log;

use crate::args::Bisect;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{input, model, store};

pub(crate) async fn run(
    args: &Bisect,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    let original = replay::read(log.as_ref(), &id).await?;
    let check = check(args)?;
    let (mut models, why) = model::each(&args.model, settings)?;
    let (good, bad) = (Seq(args.good), Seq(args.bad.unwrap_or(u64::MAX)));
    let within = |call: &&replay::Called| call.seq >= good && call.seq <= bad;
    let points: Vec<Seq> = original
        .calls
        .iter()
        .filter(within)
        .map(|call| call.seq)
        .collect();
    if points.len() < 2 {
        return Err(replay::Error::Range { good, bad }.into());
    }
    printer.say(&format!("model: {why}"));
    printer.say(&format!(
        "{} contexts, at most {} replays",
        points.len(),
        most(points.len())
    ));
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let turned = replay::bisect(points.len(), |point| {
        let (at, model) = (points[point], models());
        let (log, original, check) = (log.as_ref(), &original, &check);
        let (workflow, clock) = (&task.workflow, Arc::clone(&clock));
        async move {
            let well = ends_well(log, original, at, model, check, workflow, clock).await?;
            let how = if well { "good" } else { "bad" };
            printer.say(&format!("from event {at}: {how}"));
            Ok::<bool, Error>(well)
        }
    })
    .await?;
    let (first, last) = (points[0], points[points.len() - 1]);
    let (point, tries) = match turned {
        Turned::At { point, tries } => (points[point], tries),
        Turned::NeverGood => {
            return Err(replay::Error::Outcome {
                at: first,
                wanted: "good",
            }
            .into());
        }
        Turned::NeverBad => {
            return Err(replay::Error::Outcome {
                at: last,
                wanted: "bad",
            }
            .into());
        }
    };
    let step = original.events.iter().find_map(|event| match &event.body {
        steadfast_core::event::Body::ModelCalled(body) if event.seq == point => Some(body.step),
        _ => None,
    });
    if printer.json {
        printer.json(&json!({ "task": id, "event": point, "step": step, "replays": tries }))?;
    } else {
        let step = step
            .map(|step| format!(", step {step}"))
            .unwrap_or_default();
        printer.data(&format!(
            "the first context that turns it: event {point}{step}"
        ))?;
    }
    if let Some(step) = step {
        let show = settings.command(&format!("context {id} --step {step}"));
        printer.say(&format!("{tries} replays; see it with `{show}`"));
    }
    Ok(Exit::Ok)
}

/// `⌈log₂ n⌉ + 2`.
fn most(points: usize) -> u32 {
    usize::BITS - (points - 1).leading_zeros() + 2
}

/// What must hold at a good end: a case, or its two most used fields.
fn check(args: &Bisect) -> Result<Case, Error> {
    let mut case = match &args.check {
        Some(path) => {
            let text = input::file("case", path)?;
            let name = path.display().to_string();
            cases::parse(&text, &name).map_err(|diagnostics| Error::CaseFiles {
                count: 1,
                diagnostics,
            })?
        }
        None => Case::default(),
    };
    case.expected_path
        .extend(args.expected_path.iter().cloned());
    case.expected_output_contains
        .extend(args.contains.iter().cloned());
    Ok(case)
}

async fn ends_well(
    log: &dyn Log,
    original: &Original,
    at: Seq,
    model: Arc<dyn steadfast::model::Model>,
    check: &Case,
    workflow: &Workflow,
    clock: Arc<dyn Clock>,
) -> Result<bool, Error> {
    let rules = StandardRules::for_model(model.name());
    let replayed = replay::from_point(log, original, at, model, clock).await?;
    let trace = Trace::of(replayed.log, replayed.task, &replayed.rest).await?;
    let failures = cases::judge(check, workflow, &trace, rules.rules()).await;
    Ok(failures.is_empty())
}
