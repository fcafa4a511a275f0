//! An event as people read it: number, time, source, kind, and the gist.

use steadfast_core::budget::Amounts;
use steadfast_core::check::review::Verdict;
use steadfast_core::event::ledger::LedgerChanged;
use steadfast_core::event::proposal::Taint;
use steadfast_core::event::review::ReviewReturned;
use steadfast_core::event::skill::Relay;
use steadfast_core::event::{Body, Envelope, Event};
use steadfast_core::ledger::entry::ChangeKind;
use steadfast_core::ledger::{Choice, ConstraintId};
use steadfast_core::source::Source;
use steadfast_core::workflow::gate::Refusal;

use crate::content::{excerpt, short};
use crate::time;

/// Characters of a text in a line.
const SHOWN: usize = 100;

/// One line. Without the event (its format is newer) the envelope speaks.
pub(super) fn line(envelope: &Envelope, event: Option<&Event>) -> String {
    let (source, gist) = match event {
        Some(event) => (source(&event.source), gist(&event.body)),
        None => {
            let gist = format!("(format {}, newer than this build)", envelope.v);
            (short(envelope.source.get(), 24), gist)
        }
    };
    let at = time::utc(envelope.ts);
    let line = format!(
        "{:>5}  {at}  {source:<20}  {:<18}  {gist}",
        envelope.seq.0, envelope.kind
    );
    line.trim_end().to_owned()
}

fn source(source: &Source) -> String {
    match source {
        Source::Policy => "policy".to_owned(),
        Source::Developer => "developer".to_owned(),
        Source::User { principal } => format!("user {principal}"),
        Source::Approver { principal } => format!("approver {principal}"),
        Source::Runtime => "runtime".to_owned(),
        Source::Model { model } => format!("model {model}"),
        Source::Skill { skill } => format!("skill {skill}"),
        Source::Document { name } => format!("document {name}"),
    }
}

fn gist(body: &Body) -> String {
    match body {
        Body::TaskStarted(body) => {
            format!("{}: {}", body.workflow_id, excerpt(&body.input, SHOWN))
        }
        Body::UserSent(body) => excerpt(&body.text, SHOWN),
        Body::TaskPaused(_)
        | Body::TaskResumed(_)
        | Body::CancelRequested(_)
        | Body::TaskCancelled(_) => String::new(),
        Body::TaskCompleted(body) => excerpt(&body.answer, SHOWN),
        Body::ChildStarted(body) => format!(
            "{} {} as {} attempt {}",
            body.call, body.task, body.child, body.attempt
        ),
        Body::ChildEnded(body) => {
            let how = json(&body.how);
            let what = body.output.as_ref().or(body.why.as_ref());
            let what = what.map_or_else(String::new, |one| excerpt(one, SHOWN));
            format!(
                "{} {} {}: {what}",
                body.call,
                body.child,
                how.trim_matches('"')
            )
        }
        Body::PatchProposed(body) => {
            format!("{}: {}", body.call, excerpt(&body.message, SHOWN))
        }
        Body::ReviewerSet(body) => match &body.model {
            Some(model) => model.clone(),
            None => "none".to_owned(),
        },
        Body::ReviewCalled(body) => format!(
            "{} attempt {}: {} tokens, {} reserved, about {}",
            body.call,
            body.attempt,
            body.tokens,
            body.reserved.tokens,
            excerpt(&body.asked, SHOWN)
        ),
        Body::ReviewReturned(body) => reviewed(body),
        Body::RoundEnded(body) => format!("{}: {}", body.round, excerpt(&body.answer, SHOWN)),
        Body::TaskFailing(body) => short(&body.diagnosis, SHOWN),
        Body::TaskFailed(body) => short(&body.diagnosis, SHOWN),
        Body::BudgetSet(body) => short(&json(&body.change), SHOWN),
        Body::PriceSet(body) => match &body.price {
            Some(price) => format!("{} {}", body.model, short(&json(price), SHOWN)),
            None => format!("{} unknown", body.model),
        },
        Body::BudgetExhausted(body) => body.exhausted.to_string(),
        Body::PhasesPlanned(body) => {
            format!("{}: {}", body.call, excerpt(&body.message, SHOWN))
        }
        Body::ValidationAsked(body) => format!("{}: {} is asked", body.call, body.validator),
        Body::Validated(body) => {
            let found = body.found.as_ref().map(|found| excerpt(found, SHOWN));
            let call = body
                .call
                .as_ref()
                .map_or(String::new(), |call| format!("{call} "));
            format!(
                "{call}{} {} {}",
                body.at.name(),
                body.verdict.name(),
                found.unwrap_or_default()
            )
        }
        Body::RepairAsked(body) => format!("{}: {} is wrong", body.repair, body.cause),
        Body::RepairDropped(body) => format!("{}: {}", body.repair, short(&body.why, SHOWN)),
        Body::Repaired(body) => format!(
            "{} level {}: beliefs of events {}–{} are void, {} deeds stand",
            body.repair,
            body.level.number(),
            body.from,
            body.to,
            body.kept.len()
        ),
        Body::DeedKept(body) => {
            format!("{} {} stands, for {}", body.call, body.skill, body.state)
        }
        Body::PhaseEntered(body) => {
            let from = body.from.as_deref().unwrap_or("start");
            format!("{from} → {}: {}", body.to, body.condition)
        }
        Body::StepArchived(body) => {
            let text = short(&body.text.text(), SHOWN);
            format!("step {} importance {}: {text}", body.step, body.importance)
        }
        Body::MemorySet(body) => {
            let summaries = match &body.summariser {
                Some(summariser) => format!("summaries by {}", summariser.model),
                None => "summaries by rule".to_owned(),
            };
            match (&body.embedder, body.recall) {
                (Some(embedder), _) => format!("{summaries}; recall with {embedder}"),
                (None, true) => format!("{summaries}; recall lexical only"),
                (None, false) => summaries,
            }
        }
        Body::Recalled(body) => {
            let steps: Vec<String> = body.hits.iter().map(|hit| hit.step.to_string()).collect();
            let failed = body.failed.as_ref();
            let failed =
                failed.map_or_else(String::new, |why| format!(" ({})", excerpt(why, SHOWN)));
            format!(
                "{} {} of {} summaries, {}: steps {}{failed}",
                body.call,
                body.hits.len(),
                body.searched,
                body.mode.name(),
                steps.join(", ")
            )
        }
        Body::SummaryAsked(body) => {
            let of = match &body.asked {
                Some(asked) => format!("{} attempt {}", asked.model, asked.attempt),
                None => "by rule".to_owned(),
            };
            format!(
                "{} step {} ({}), {of}",
                body.call,
                body.step,
                body.why.name()
            )
        }
        Body::SummaryReplaced(body) => {
            let text = short(&body.text.text(), SHOWN);
            format!("{} step {}: {text}", body.call, body.step)
        }
        Body::SummaryRefused(body) => {
            let fault = body.fault.as_ref();
            let fault =
                fault.map_or_else(String::new, |fault| format!(": {}", excerpt(fault, SHOWN)));
            let because = body.because.name();
            format!("{} step {} {because}{fault}", body.call, body.step)
        }
        Body::ClockRead(body) => match body.rested_seconds {
            Some(rested) => format!("{}, after {rested} s without an event", body.zone),
            None => body.zone.clone(),
        },
        Body::HandlingSet(body) => {
            format!("{} {}", body.model, short(&json(&body.handling), SHOWN))
        }
        Body::WorkflowAccepted(body) => short(&body.differences.join("; "), SHOWN),
        Body::ModelCalled(body) => format!(
            "{} step {} attempt {}: {} tokens{}, context {}",
            body.call,
            body.step,
            body.attempt,
            body.tokens,
            reserved(body.reserved),
            body.context.short()
        ),
        Body::ModelReplied(body) => {
            let calls: Vec<String> = body
                .calls
                .iter()
                .map(|call| format!("{} {}", short(&call.skill, 40), excerpt(&call.args, SHOWN)))
                .collect();
            let text = body
                .text
                .as_ref()
                .map(|text| excerpt(text, SHOWN))
                .unwrap_or_default();
            let said = if text.is_empty() {
                String::new()
            } else {
                format!("{text} ")
            };
            let took = body
                .usage
                .or(body.counted)
                .map_or_else(String::new, |usage| {
                    format!("{}+{} tokens ", usage.input_tokens, usage.output_tokens)
                });
            format!("{} {took}{said}{}", body.call, calls.join("; "))
                .trim_end()
                .to_owned()
        }
        Body::ModelFailed(body) => {
            format!(
                "{} {}: {}",
                body.call,
                body.class.name(),
                excerpt(&body.message, SHOWN)
            )
        }
        Body::CallAdmitted(body) => {
            let state = body
                .state
                .as_ref()
                .map_or_else(String::new, |state| format!(" for {state}"));
            format!(
                "{} {}{state} {}{}{}",
                body.call,
                body.skill,
                excerpt(&body.args, SHOWN),
                observed(&body.observed, body.skill.as_str()),
                tainted(&body.tainted)
            )
        }
        Body::CallRefused(body) => {
            let why = body.refusal.explain(&body.skill);
            format!(
                "{} [{}] {}",
                body.call,
                body.refusal.code(),
                short(&why, SHOWN)
            )
        }
        Body::AnswerAdmitted(body) => {
            let answer = excerpt(&body.answer, SHOWN);
            answer + &observed(&body.observed, "the answer")
        }
        Body::AnswerRefused(body) => {
            format!(
                "[{}] {}",
                body.refusal.code(),
                short(&body.refusal.explain("the answer"), SHOWN)
            )
        }
        Body::ApprovalRequested(body) => format!("{} bound to {}", body.call, body.binding.short()),
        Body::ApprovalDecided(body) => {
            let word = if body.approved { "approved" } else { "denied" };
            let reason = body.reason.as_ref().map_or_else(String::new, |reason| {
                format!(": {}", excerpt(reason, SHOWN))
            });
            format!("{} {word}{reason}", body.call)
        }
        Body::SkillCalled(body) if body.verifying => {
            format!("{} asked whether it was done", body.call)
        }
        Body::SkillCalled(body) => format!("{} attempt {}", body.call, body.attempt),
        Body::SkillReturned(body) => {
            let because = body.because.as_ref().map_or_else(String::new, |why| {
                format!(" did not pass ({})", short(why, SHOWN))
            });
            let result = excerpt(&body.result, SHOWN);
            format!("{}{because} {} {result}", body.call, relay(&body.relay))
        }
        Body::SkillFailed(body) => {
            let doubt = if body.in_doubt { ", in doubt" } else { "" };
            format!(
                "{} {}{doubt}: {}",
                body.call,
                body.class.name(),
                excerpt(&body.message, SHOWN)
            )
        }
        Body::DeedSettled(body) => {
            format!(
                "{} {}",
                body.call,
                if body.done {
                    "was done"
                } else {
                    "was not done"
                }
            )
        }
        Body::StateEntered(body) => {
            let from = body
                .from
                .as_ref()
                .map_or_else(|| "start".to_owned(), ToString::to_string);
            let to = if body.retry {
                format!("{from}_RETRY")
            } else {
                body.to.to_string()
            };
            let when = body.condition.as_ref().map_or_else(String::new, |rule| {
                format!(" because {}", short(rule, SHOWN))
            });
            format!("{from} → {to}{when}")
        }
        Body::StateSkipped(body) => {
            format!("{} because {}", body.state, short(&body.condition, SHOWN))
        }
        Body::LedgerChanged(body) => changed(body),
        Body::PatchRefused(body) => format!("{}: {}", body.refused.code(), body.refused),
        Body::QuestionOpened(body) => {
            let text = body.content.json();
            let text = text.get("text").and_then(|text| text.as_str());
            format!(
                "{}: {}",
                body.question,
                short(text.unwrap_or("(erased)"), SHOWN)
            )
        }
        Body::QuestionAnswered(body) => match body.choice {
            Choice::Option(number) => format!("{}: option {number}", body.question),
            Choice::Keep => format!("{}: as it is", body.question),
        },
        Body::FactSet(body) => format!("{} = {}", body.name, excerpt(&body.value, SHOWN)),
    }
}

/// The version, what happened, and the words or rules that it is about.
fn changed(body: &LedgerChanged) -> String {
    let mut gist = format!("v{} {}", body.version, kind(body.what));
    if let Some(id) = body.brings {
        gist.push_str(&format!(" {id}"));
    }
    if !body.removes.is_empty() {
        let gone: Vec<String> = body.removes.iter().map(ToString::to_string).collect();
        gist.push_str(&format!(" in place of {}", gone.join(", ")));
    }
    let change = body.change.json();
    let constraint = change.get("constraint").unwrap_or(&change);
    match constraint.get("words").and_then(|words| words.as_str()) {
        Some(words) => format!("{gist}: {}", short(words, SHOWN)),
        None => gist,
    }
}

/// Each constraint and what the reviewer made of it.
fn reviewed(body: &ReviewReturned) -> String {
    let answer = body.answer.text();
    let one = |(id, verdict): (&ConstraintId, &Verdict)| match verdict {
        Verdict::Kept => format!("{id} kept"),
        Verdict::Broken { start, end } => {
            let at = |byte: u64| usize::try_from(byte).unwrap_or(usize::MAX);
            let words = answer.get(at(*start)..at(*end)).unwrap_or("(erased)");
            format!("{id} broken by “{}”", short(words, SHOWN))
        }
        Verdict::CannotTell { because } => format!("{id} unknown: {}", because.said().en),
    };
    let all: Vec<String> = body.verdicts.iter().map(one).collect();
    format!("{} {}", body.call, all.join("; "))
}

fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Overridden => "overridden",
        ChangeKind::Excepted => "excepted",
        ChangeKind::Suspended => "suspended",
        ChangeKind::Revoked => "revoked",
        ChangeKind::Goal => "goal",
        ChangeKind::Request => "request",
        ChangeKind::Ended => "ended",
    }
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("what an event holds is JSON")
}

fn reserved(reserved: Option<Amounts>) -> String {
    match reserved {
        Some(amounts) if amounts.micros > 0 => {
            let (tokens, micros) = (amounts.tokens, amounts.micros);
            format!(", {tokens} reserved, {micros} micro-units")
        }
        Some(amounts) => format!(", {} reserved", amounts.tokens),
        None => String::new(),
    }
}

fn relay(relay: &Relay) -> String {
    match &relay.next_required {
        Some(next) => format!("[{}, next {next}]", relay.contract_step),
        None => format!("[{}]", relay.contract_step),
    }
}

/// Arguments that only untrusted text names.
fn tainted(all: &[Taint]) -> String {
    let one = |taint: &Taint| format!(" (`{}` only from event {})", taint.argument, taint.from);
    all.iter().map(one).collect()
}

/// What guards that only observe would have refused.
fn observed(refusals: &[Refusal], proposed: &str) -> String {
    let one = |refusal: &Refusal| {
        let why = refusal.explain(proposed);
        format!(" (observed [{}] {})", refusal.code(), short(&why, SHOWN))
    };
    refusals.iter().map(one).collect()
}
