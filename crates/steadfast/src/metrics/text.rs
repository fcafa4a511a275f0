//! The figures as Prometheus reads them (text format 0.0.4).

use std::collections::BTreeMap;
use std::fmt::Write;

use super::measure::Totals;

/// Name, help, and which figure.
pub(crate) type Figure = (&'static str, &'static str, fn(&Totals) -> u64);

pub(crate) const FIGURES: &[Figure] = &[
    ("tasks", "Tasks looked at.", |one| one.tasks),
    ("tasks_ended", "Tasks that have ended.", |one| one.ended),
    (
        "tasks_completed",
        "Tasks that ended with an answer.",
        |one| one.completed,
    ),
    ("steps", "Steps in which a model was called.", |one| {
        one.steps
    }),
    (
        "decisions",
        "First proposals in a visit of a state.",
        |one| one.decisions,
    ),
    ("decisions_proper", "Of them, those that were due.", |one| {
        one.proper
    }),
    (
        "skips_attempted",
        "Of them, answers before the contract was complete.",
        |one| one.skips,
    ),
    (
        "misorders_attempted",
        "Of them, calls out of order.",
        |one| one.misorders,
    ),
    (
        "proposals_refused",
        "Proposals that the gate refused.",
        |one| one.refused,
    ),
    ("tokens", "Tokens of all model calls.", |one| one.tokens),
    ("checks", "Checks of a text that were run.", |one| {
        one.checks
    }),
    ("checks_triggered", "Of them, those that said no.", |one| {
        one.triggered
    }),
    ("retries", "Retries of a state.", |one| one.retries),
    ("backwards", "Moves to an earlier state.", |one| {
        one.backwards
    }),
    (
        "rereads",
        "Reads made before with the same arguments.",
        |one| one.rereads,
    ),
    (
        "model_failures",
        "Model calls without a usable reply.",
        |one| one.model_failures,
    ),
    ("circles", "Rows of calls that went in circles.", |one| {
        one.drift.circles
    }),
    (
        "stale_values_proposed",
        "Proposed calls with a value that had been replaced.",
        |one| one.drift.stale,
    ),
    ("stale_values_used", "Of them, those admitted.", |one| {
        one.drift.stale_used
    }),
    ("margins_near", "Answers and deeds near a bound.", |one| {
        let margin = one.drift.margins.summary();
        margin.map_or(0, |margin| margin.near)
    }),
    ("repairs_level_1", "Repairs by a right value.", |one| {
        one.drift.repairs[0]
    }),
    ("repairs_level_2", "Repairs by rolling back.", |one| {
        one.drift.repairs[1]
    }),
    ("repairs_level_3", "Repairs by a restart.", |one| {
        one.drift.repairs[2]
    }),
    (
        "validation_tokens",
        "Tokens of validators and reviewers.",
        |one| one.drift.price.validation_tokens,
    ),
    ("child_tokens", "Tokens of sub-tasks.", |one| {
        one.drift.price.child_tokens
    }),
    ("prompt_tokens", "Tokens of all prompts.", |one| {
        one.drift.price.prompt_tokens
    }),
    (
        "prompt_tokens_in_full",
        "Estimate of the same with every step in full.",
        |one| one.drift.price.prompt_tokens_in_full,
    ),
    ("steps_reviewed", "Steps that people judged.", |one| {
        one.reviewed
    }),
    ("steps_reviewed_right", "Of them, right ones.", |one| {
        one.reviewed_right
    }),
];

/// All figures, by workflow. They are gauges: what a store holds can shrink.
pub fn prometheus(by_workflow: &BTreeMap<String, Totals>) -> String {
    let mut text = String::new();
    for (name, help, of) in FIGURES {
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "# HELP steadfast_{name} {help}\n# TYPE steadfast_{name} gauge"
        );
        for (workflow, totals) in by_workflow {
            let label = workflow
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = writeln!(
                text,
                "steadfast_{name}{{workflow=\"{label}\"}} {}",
                of(totals)
            );
        }
    }
    text
}
