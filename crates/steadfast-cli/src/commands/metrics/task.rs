//! `steadfast metrics TASK`: what a task took, how often it was looked at and what
//! that found, and how often it had to be repaired. All of it is a function of
//! the log.

use serde_json::{Value, json};
use steadfast_core::task::Task;
use steadfast_core::validate::Validations;

use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

pub(super) async fn run(task: &str, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    let (spent, counters) = (&task.state.stands.spent, &task.state.stands.counters);
    let repairs = &task.state.stands.repairs;
    let validations = &task.state.stands.validations;
    if printer.json {
        printer.json(&json!({
            "task": id, "steps": counters.steps, "tokens": spent.tokens(),
            "tokens_per_step": per_step(&task), "proposals": counters.proposals,
            "refusals": counters.refusals, "skip_attempts": counters.skip_attempts,
            "order_attempts": counters.order_attempts, "validation": validated(&task),
            "repairs": { "levels": repairs.made, "shares_percent": repairs.shares() },
        }))?;
        return Ok(Exit::Ok);
    }
    printer.data(&format!(
        "steps {}, tokens {} ({:.0} a step), proposals {}, refused {}",
        counters.steps,
        spent.tokens(),
        per_step(&task),
        counters.proposals,
        counters.refusals
    ))?;
    for (at, count) in &validations.counts {
        printer.data(&format!(
            "validation at {}: {} run ({} by a model), {} with issues, {} that could not verify",
            at.name(),
            count.run,
            count.by_model,
            count.issues,
            count.cannot_verify
        ))?;
    }
    if let Some(rate) = validations.trigger_rate() {
        printer.data(&format!(
            "trigger rate {:.1} %, validators used {} tokens ({:.1} % of all)",
            rate * 100.0,
            validations.tokens,
            share(validations, &task)
        ))?;
    }
    if let Some(shares) = repairs.shares() {
        printer.data(&format!(
            "repairs {}: level 1 {:.0} %, level 2 {:.0} %, level 3 {:.0} %",
            shares.repairs, shares.correct, shares.roll_back, shares.restart
        ))?;
    }
    Ok(Exit::Ok)
}

fn per_step(task: &Task) -> f64 {
    let steps = task.state.stands.counters.steps.max(1);
    task.state.stands.spent.tokens() as f64 / f64::from(steps)
}

/// What validators took of all tokens, in percent.
fn share(validations: &Validations, task: &Task) -> f64 {
    let all = task.state.stands.spent.tokens().max(1);
    validations.tokens as f64 * 100.0 / all as f64
}

fn validated(task: &Task) -> Value {
    let validations = &task.state.stands.validations;
    let counts = validations.counts.iter();
    let by: serde_json::Map<String, Value> = counts
        .map(|(at, count)| (at.name().to_owned(), json!(count)))
        .collect();
    json!({
        "by_checkpoint": by, "trigger_rate": validations.trigger_rate(),
        "tokens": validations.tokens, "tokens_percent": share(validations, task),
    })
}
