//! What a run did that its case does not expect.

use serde::Serialize;
use serde_json::Value;
use steadfast_core::check::{self, CheckContext, Outcome, Profile};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Seq};
use steadfast_core::ledger::exchange::{self, sentence};
use steadfast_core::ledger::rule::Format;
use steadfast_core::ledger::{Given, Operation, OutputContract, Rule};
use steadfast_core::rules::Rules;
use steadfast_core::workflow::Workflow;

use super::run::{End, Trace};
use super::seen;
use super::spec::{Case, Forbidden, ForbiddenCall};
use crate::attempts::effective;

/// One expectation that a run does not meet.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    pub kind: FailureKind,
    /// What is wrong, in a sentence.
    pub message: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub expected: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actual: Vec<String>,
    /// The first step of the path that differs, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<usize>,
    /// The event at which it went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub event: Option<Seq>,
    /// The rule that was broken, or that turned the run, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    /// What the model saw at that point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// A skip or misorder took effect.
    Effective,
    End,
    Path,
    Output,
    Check,
    Ledger,
    Forbidden,
    /// What the model saw.
    Context,
}

impl FailureKind {
    pub fn name(self) -> &'static str {
        match self {
            FailureKind::Effective => "effective",
            FailureKind::End => "end",
            FailureKind::Path => "path",
            FailureKind::Output => "output",
            FailureKind::Check => "check",
            FailureKind::Ledger => "ledger",
            FailureKind::Forbidden => "forbidden",
            FailureKind::Context => "context",
        }
    }
}

impl Failure {
    pub(super) fn new(kind: FailureKind, message: impl Into<String>) -> Failure {
        Failure {
            kind,
            message: message.into(),
            expected: Vec::new(),
            actual: Vec::new(),
            step: None,
            event: None,
            because: None,
            context: None,
        }
    }
}

/// Holds a run against its case. Empty when all is as expected.
pub async fn judge(
    case: &Case,
    workflow: &Workflow,
    trace: &Trace,
    rules: Rules<'_>,
) -> Vec<Failure> {
    let mut found = Vec::new();
    // The monitor knows no rounds; those of a conversation are the gate's alone.
    if !workflow.spec.conversation {
        let took_effect = effective(workflow, &trace.events, rules);
        found.extend(
            took_effect
                .into_iter()
                .map(|one| Failure::new(FailureKind::Effective, one)),
        );
    }
    found.extend(path(case, trace));
    found.extend(end(case, trace));
    found.extend(output(case, workflow, trace));
    found.extend(checks(case, trace, rules));
    found.extend(ledger(case, trace));
    found.extend(forbidden(case, trace));
    found.extend(seen::seen(case, trace).await);
    let last = trace.events.last().map_or(Seq(1), |event| event.seq.next());
    for failure in &mut found {
        let at = failure.event.unwrap_or(last);
        failure.context = trace.context_before(at).await;
    }
    found
}

fn path(case: &Case, trace: &Trace) -> Option<Failure> {
    if case.expected_path.is_empty() {
        return None;
    }
    // A task may fail without a move of the machine, at a limit for one: `FAILED`
    // then says how the run ends, and is no state that was entered.
    let failed = trace.end == End::Failed && !trace.path.all().iter().any(|name| name == "FAILED");
    let expected = match case.expected_path.split_last() {
        Some((last, before)) if failed && last == "FAILED" => before,
        _ => &case.expected_path[..],
    };
    let parting = trace.path.parting(expected)?;
    let told = trace.path.as_told(expected);
    let step = parting.at + 1;
    let message = match (&parting.expected, &parting.actual) {
        (Some(expected), Some(actual)) => {
            format!("step {step} entered `{actual}`, expected `{expected}`")
        }
        (Some(expected), None) => format!("step {step} was not taken, expected `{expected}`"),
        (None, actual) => {
            format!(
                "step {step} entered `{}`, none was expected",
                actual.as_deref().unwrap_or("?")
            )
        }
    };
    let until = parting
        .seq
        .unwrap_or_else(|| trace.events.last().map_or(Seq(1), |event| event.seq.next()));
    Some(Failure {
        expected: case.expected_path.clone(),
        actual: told.iter().map(|step| step.name.clone()).collect(),
        step: Some(step),
        event: parting.seq,
        because: turned(&trace.events, until),
        ..Failure::new(FailureKind::Path, message)
    })
}

/// What the gate refused, what failed, or which condition led on, last before an
/// event.
fn turned(events: &[Event], until: Seq) -> Option<String> {
    let before = events.iter().rev().filter(|event| event.seq <= until);
    before.into_iter().find_map(|event| match &event.body {
        Body::CallRefused(body) => Some(format!(
            "{} {}",
            body.refusal.code(),
            body.refusal.explain(&body.skill)
        )),
        Body::AnswerRefused(body) => {
            let why = body.refusal.explain("answer");
            let repair = body
                .repair
                .as_ref()
                .map(|repair| format!(": {}", repair.text()));
            Some(format!(
                "{} {why}{}",
                body.refusal.code(),
                repair.unwrap_or_default()
            ))
        }
        Body::SkillReturned(body) if !body.success => {
            let why = body
                .because
                .as_deref()
                .unwrap_or("it does not count as success");
            Some(format!(
                "the result of {} did not count: {why}",
                called(events, &body.call)
            ))
        }
        Body::SkillFailed(body) => {
            let (skill, class) = (called(events, &body.call), body.class.name());
            Some(format!("{skill} failed ({class}): {}", body.message.text()))
        }
        Body::StateSkipped(body) => Some(format!(
            "`{}` was passed over by `{}`",
            body.state, body.condition
        )),
        Body::StateEntered(body) => {
            let condition = body.condition.as_ref()?;
            Some(format!(
                "the edge to `{}` was taken by `{condition}`",
                body.to
            ))
        }
        Body::ModelFailed(body) => Some(format!("the model failed: {}", body.message.text())),
        _ => None,
    })
}

fn called(events: &[Event], call: &CallId) -> String {
    let name = events.iter().find_map(|event| match &event.body {
        Body::CallAdmitted(body) if body.call == *call => Some(format!("`{}`", body.skill)),
        _ => None,
    });
    name.unwrap_or_else(|| format!("call `{call}`"))
}

fn end(case: &Case, trace: &Trace) -> Option<Failure> {
    let last = case.expected_path.last().map(String::as_str);
    let (expected, holds) = match last {
        Some("FAILED") => ("failed", trace.end == End::Failed),
        _ if case.approvals == super::Approvals::Wait && trace.end == End::Waiting => return None,
        _ => (
            "completed",
            matches!(trace.end, End::Completed | End::Listening),
        ),
    };
    if holds {
        return None;
    }
    let how = serde_json::to_value(trace.end).unwrap_or_default();
    let how = how.as_str().unwrap_or_default().to_owned();
    let message = match &trace.diagnosis {
        Some(why) => format!("the run ended as {how}: {why}"),
        None => format!("the run ended as {how}"),
    };
    Some(Failure {
        expected: vec![expected.to_owned()],
        actual: vec![how],
        because: turned(&trace.events, Seq(u64::MAX)),
        ..Failure::new(FailureKind::End, message)
    })
}

fn output(case: &Case, workflow: &Workflow, trace: &Trace) -> Vec<Failure> {
    let answer = trace.answer.as_deref().unwrap_or_default();
    let missing = |wanted: &&String| {
        let mark = wanted.strip_suffix("_passed");
        let mark = mark.filter(|skill| workflow.spec.skills.contains_key(*skill));
        let passed = mark.is_some_and(|skill| counted(&trace.events, skill));
        !passed && !answer.contains(wanted.as_str())
    };
    let failure = |wanted: &String| Failure {
        expected: vec![wanted.clone()],
        actual: vec![answer.to_owned()],
        ..Failure::new(
            FailureKind::Output,
            format!("the answer does not hold `{wanted}`"),
        )
    };
    case.expected_output_contains
        .iter()
        .filter(missing)
        .map(failure)
        .collect()
}

/// Whether the last result of a skill counted.
fn counted(events: &[Event], skill: &str) -> bool {
    let name = format!("`{skill}`");
    let last = events.iter().rev().find_map(|event| match &event.body {
        Body::SkillReturned(body) if called(events, &body.call) == name => Some(body.success),
        _ => None,
    });
    last == Some(true)
}

fn checks(case: &Case, trace: &Trace, rules: Rules<'_>) -> Vec<Failure> {
    if case.answer_checks.is_empty() {
        return Vec::new();
    }
    let Some(answer) = &trace.answer else {
        return vec![Failure::new(
            FailureKind::Check,
            "there is no answer to check",
        )];
    };
    let context = CheckContext {
        schemas: rules.schemas,
        tokenizer: rules.tokenizer,
        sources: &[],
        profile: Profile::Product,
    };
    let list = Value::Array(case.answer_checks.clone());
    // What does not read was found when the case was held against its workflow.
    let given = told(exchange::constraints(&list, "", &sentence, &mut Vec::new()));
    let mut found = Vec::new();
    for Given { operation, words } in given {
        let Some(rule) = rule(operation) else {
            let message = format!("“{words}” asks nothing that a rule can check");
            found.push(Failure::new(FailureKind::Check, message));
            continue;
        };
        match check::check_rule(answer, &rule, &context) {
            Outcome::Kept => {}
            Outcome::NotChecked(why) => found.push(Failure {
                because: Some(words.clone()),
                ..Failure::new(
                    FailureKind::Check,
                    format!("“{words}” could not be checked: {}", why.said().en),
                )
            }),
            Outcome::Broken(evidence) => found.push(Failure {
                expected: vec![evidence.allowed.en.clone()],
                actual: vec![evidence.found.en.clone()],
                because: Some(words.clone()),
                ..Failure::new(FailureKind::Check, format!("the answer breaks “{words}”"))
            }),
        }
    }
    found
}

/// What is read of constraints. A sentence is held to the rules that are read
/// from it; what is left of its words is prose only where nothing was read.
fn told(given: Vec<Given>) -> Vec<Given> {
    let is_prose = |one: &Given| matches!(&one.operation, Operation::Add(draft) if matches!(draft.rule, Rule::Prose { .. }));
    let read: std::collections::BTreeSet<String> = given
        .iter()
        .filter(|one| !is_prose(one))
        .map(|one| one.words.clone())
        .collect();
    let stands = |one: &Given| !(is_prose(one) && read.contains(&one.words));
    given.into_iter().filter(stands).collect()
}

fn rule(operation: Operation) -> Option<Rule> {
    match operation {
        Operation::Add(draft) => Some(draft.rule),
        Operation::SetOutput {
            output: OutputContract { format, schema },
        } => {
            let format = match (format, schema) {
                (_, Some(schema)) => Format::Json {
                    schema: Some(schema),
                },
                (format, None) => format?,
            };
            Some(Rule::Format { format })
        }
        _ => None,
    }
}

fn ledger(case: &Case, trace: &Trace) -> Vec<Failure> {
    let in_force: Vec<&Rule> = trace.ledger.in_force().map(|one| &one.rule).collect();
    let shown = || -> Vec<String> {
        trace
            .ledger
            .in_force()
            .map(|one| format!("{} “{}”", one.id, one.words))
            .collect()
    };
    let mut found = Vec::new();
    let mut wrong = |message: String, words: &str| {
        found.push(Failure {
            expected: vec![words.to_owned()],
            actual: shown(),
            because: Some(words.to_owned()),
            ..Failure::new(FailureKind::Ledger, message)
        });
    };
    if let Some(expected) = &case.expected_ledger {
        let file = Value::Object(expected.clone().into_iter().collect());
        let imported = exchange::import(&file, &sentence).unwrap_or_default();
        if let Some(goal) = &imported.goal {
            let actual = trace.ledger.goal.text.as_deref().unwrap_or(&case.input);
            if actual != goal {
                wrong(format!("the goal is “{actual}”"), goal);
            }
        }
        for Given { operation, words } in told(imported.rules) {
            match rule(operation) {
                Some(rule) if in_force.contains(&&rule) => {}
                Some(_) => wrong(format!("“{words}” is not in force"), &words),
                None => wrong(
                    format!("“{words}” is no rule that could be in force"),
                    &words,
                ),
            }
        }
    }
    let list = Value::Array(case.not_in_force.clone());
    for Given { operation, words } in
        told(exchange::constraints(&list, "", &sentence, &mut Vec::new()))
    {
        if rule(operation).is_some_and(|rule| in_force.contains(&&rule)) {
            wrong(format!("“{words}” is in force"), &words);
        }
    }
    found
}

fn forbidden(case: &Case, trace: &Trace) -> Vec<Failure> {
    let one = |rule: &Forbidden| {
        let call = match rule {
            Forbidden::Skill(skill) => ForbiddenCall {
                skill: skill.clone(),
                args: std::collections::BTreeMap::new(),
                attempted: false,
            },
            Forbidden::Call(call) => call.clone(),
        };
        let below = trace.children.iter().map(|child| &child.events);
        let seq = std::iter::once(&trace.events)
            .chain(below)
            .find_map(|events| made(&call, events))?;
        let how = if call.attempted {
            "proposed or made"
        } else {
            "made"
        };
        Some(Failure {
            event: Some(seq),
            because: Some(format!("`{}` is forbidden in this case", call.skill)),
            ..Failure::new(
                FailureKind::Forbidden,
                format!("`{}` was {how}", call.skill),
            )
        })
    };
    case.forbidden.iter().filter_map(one).collect()
}

/// The event by which a forbidden call was made, or proposed where that counts.
fn made(rule: &ForbiddenCall, events: &[Event]) -> Option<Seq> {
    let fits = |args: &Value| {
        rule.args
            .iter()
            .all(|(name, value)| args.get(name) == Some(value))
    };
    let mut admitted = std::collections::BTreeSet::new();
    for event in events {
        match &event.body {
            Body::CallAdmitted(body)
                if body.skill.as_str() == rule.skill && fits(&body.args.json()) =>
            {
                if rule.attempted {
                    return Some(event.seq);
                }
                admitted.insert(body.call.clone());
            }
            Body::CallRefused(body)
                if rule.attempted && body.skill == rule.skill && fits(&body.args.json()) =>
            {
                return Some(event.seq);
            }
            Body::SkillCalled(body) if admitted.contains(&body.call) => return Some(event.seq),
            _ => {}
        }
    }
    None
}
