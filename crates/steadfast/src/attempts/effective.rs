//! What took effect: the calls that were carried out and the answer that was
//! given, held against the workflow by code that knows nothing of the gate.

use std::collections::BTreeMap;

use steadfast_core::event::{Body, Event};
use steadfast_core::rules::Rules;
use steadfast_core::workflow::Workflow;

use crate::audit::{self, Call, FindingKind, Options, Place, Run, Step, StepKind};

/// Skips and misorders that a log shows as done, in words.
pub(crate) fn effective(workflow: &Workflow, events: &[Event], rules: Rules<'_>) -> Vec<String> {
    let options = Options {
        arguments: false,
        exact_repeats: false,
        circles: false,
        ..Options::default()
    };
    let verdict = audit::monitor(workflow, &done(events), &options, rules);
    let counts = |kind: FindingKind| {
        matches!(
            kind,
            FindingKind::Skipped | FindingKind::OutOfOrder | FindingKind::EarlyAnswer
        )
    };
    let findings = verdict.findings.into_iter();
    findings
        .filter(|finding| counts(finding.kind))
        .map(|finding| finding.message)
        .collect()
}

/// The run as an outsider sees it: calls with their results, and the answer.
/// A call without a result is not there, for it may not have been done.
fn done(events: &[Event]) -> Run {
    let mut run = Run::default();
    let mut calls = BTreeMap::new();
    for event in events {
        let place = Place::line(event.seq.0);
        let kind = match &event.body {
            Body::CallAdmitted(body) => {
                calls.insert(body.call.clone(), body.skill.to_string());
                continue;
            }
            Body::SkillReturned(body) => StepKind::Call(Call {
                skill: calls.get(&body.call).cloned().unwrap_or_default(),
                result: Some(body.result.json()),
                succeeded: Some(body.success),
                ..Call::default()
            }),
            Body::SkillFailed(body) if !body.in_doubt => StepKind::Call(Call {
                skill: calls.get(&body.call).cloned().unwrap_or_default(),
                succeeded: Some(false),
                ..Call::default()
            }),
            Body::TaskCompleted(body) => StepKind::Answer {
                text: body.answer.text().into_owned(),
            },
            _ => continue,
        };
        run.steps.push(Step { place, kind });
    }
    run
}
