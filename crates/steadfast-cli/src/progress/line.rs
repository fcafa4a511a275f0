//! The line that an event is worth, if it is worth one.

use std::collections::BTreeMap;

use steadfast_core::event::ledger::LedgerChanged;
use steadfast_core::event::skill::{SkillFailed, SkillReturned};
use steadfast_core::event::validation::Verdict;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, StateName, Timestamp};
use steadfast_core::ledger::entry::ChangeKind;
use steadfast_core::task::Task;
use steadfast_core::workflow::gate::Refusal;

use crate::content::{excerpt, short};
use crate::time;

/// Characters of a reason or message in a line.
const SHOWN: usize = 160;

/// Where the lines left off.
#[derive(Default)]
pub(super) struct Lines {
    tokens: u64,
    at: Option<Timestamp>,
    /// Skill and state of each call that was seen open. A task as an observer
    /// gets it is behind the whole batch, where a settled call is gone.
    calls: BTreeMap<CallId, (String, Option<StateName>)>,
}

impl Lines {
    pub(super) fn of(&mut self, event: &Event, task: &Task) -> Option<String> {
        self.look(event, task);
        let line = match &event.body {
            Body::ModelFailed(body) => {
                let then = match body.retry_at {
                    Some(at) if body.class.heals_with_time() => {
                        let span = time::span(at.ms_since(event.at));
                        format!("waits for the provider until {} ({span})", time::utc(at))
                    }
                    at => again(at, event.at),
                };
                let why = excerpt(&body.message, SHOWN);
                format!("model failed ({}), {then}: {why}", body.class.name())
            }
            Body::CallRefused(body) => refused(&body.refusal, &body.skill),
            Body::AnswerRefused(body) => refused(&body.refusal, "the answer"),
            Body::SkillReturned(body) => self.returned(body, event, task),
            Body::SkillFailed(body) => self.failed(body, event, task),
            Body::DeedSettled(body) => {
                let done = if body.done {
                    "was done"
                } else {
                    "was not done"
                };
                format!("{} {done} (settled)", self.skill(&body.call, task))
            }
            Body::ApprovalDecided(body) => {
                let word = if body.approved { "approved" } else { "denied" };
                format!("{} {word}", self.skill(&body.call, task))
            }
            Body::StateSkipped(body) => format!("{} passed over: {}", body.state, body.condition),
            Body::WorkflowAccepted(_) => "workflow accepted as it is now".to_owned(),
            Body::UserSent(body) => format!("user: {}", excerpt(&body.text, SHOWN)),
            Body::TaskPaused(_) => "paused".to_owned(),
            Body::TaskResumed(_) => "unpaused".to_owned(),
            Body::CancelRequested(_) => "cancelling".to_owned(),
            Body::LedgerChanged(body) => changed(body),
            Body::PatchRefused(body) => {
                format!("not taken ({}): {}", body.refused.code(), body.refused)
            }
            Body::QuestionOpened(body) => {
                let question = body.content.json();
                let text = question.get("text").and_then(|text| text.as_str());
                format!("{} waits: {}", body.question, text.unwrap_or("(erased)"))
            }
            Body::QuestionAnswered(body) => format!("{} answered", body.question),
            Body::FactSet(body) => {
                format!("{} = {}", body.name, excerpt(&body.value, SHOWN))
            }
            Body::Validated(body) if body.verdict != Verdict::Passed => {
                let found = body.found.as_ref().map(|found| excerpt(found, SHOWN));
                let (at, verdict) = (body.at.name(), body.verdict.name());
                format!(
                    "validation at {at}: {verdict} {}",
                    found.unwrap_or_default()
                )
            }
            Body::RepairAsked(body) => format!("to be repaired: {} is wrong", body.cause),
            Body::RepairDropped(body) => format!("no repair: {}", short(&body.why, SHOWN)),
            Body::Repaired(body) => format!(
                "repaired at level {}: events {}–{} count no more, {} deeds stand",
                body.level.number(),
                body.from,
                body.to,
                body.kept.len()
            ),
            Body::DeedKept(body) => format!("{} was done before, and stands", body.skill),
            Body::PhaseEntered(body) => format!("phase {}", body.to),
            Body::PhasesPlanned(body) => short(&body.message.text(), SHOWN),
            Body::ChildStarted(body) => match body.attempt {
                1 => format!("{} started as {}", body.task, body.child),
                attempt => format!("{} started as {}, attempt {attempt}", body.task, body.child),
            },
            Body::BudgetSet(_) => "budget changed".to_owned(),
            Body::BudgetExhausted(body) => body.exhausted.to_string(),
            Body::TaskFailing(body) => {
                format!("{}; a deed in flight settles first", body.diagnosis)
            }
            Body::PriceSet(_)
            | Body::ValidationAsked(_)
            | Body::Validated(_)
            | Body::StepArchived(_)
            | Body::MemorySet(_)
            | Body::SummaryAsked(_)
            | Body::SummaryReplaced(_)
            | Body::SummaryRefused(_)
            | Body::Recalled(_)
            | Body::ClockRead(_)
            | Body::HandlingSet(_)
            | Body::TaskStarted(_)
            | Body::TaskCancelled(_)
            | Body::TaskCompleted(_)
            | Body::RoundEnded(_)
            | Body::ReviewerSet(_)
            | Body::ReviewCalled(_)
            | Body::ReviewReturned(_)
            | Body::PatchProposed(_)
            | Body::ChildEnded(_)
            | Body::TaskFailed(_)
            | Body::ModelCalled(_)
            | Body::ModelReplied(_)
            | Body::CallAdmitted(_)
            | Body::SkillCalled(_)
            | Body::AnswerAdmitted(_)
            | Body::ApprovalRequested(_)
            | Body::StateEntered(_) => return None,
        };
        Some(line)
    }

    /// The name of a call's skill.
    pub(super) fn skill(&self, call: &CallId, task: &Task) -> String {
        if let Some((skill, _)) = self.calls.get(call) {
            return skill.clone();
        }
        let calls = task.state.beliefs.steps.iter().flat_map(|step| &step.calls);
        let mut of_call = calls
            .filter(|one| one.call == *call)
            .map(|one| one.skill.clone());
        of_call.next().unwrap_or_else(|| call.to_string())
    }

    fn look(&mut self, event: &Event, task: &Task) {
        if self.at.is_none() {
            // A resumed task is not charged for what was before.
            (self.at, self.tokens) = (Some(event.at), spent_before(event, task));
            for (id, call) in &task.state.stands.calls {
                self.calls
                    .insert(id.clone(), (call.skill.to_string(), call.state.clone()));
            }
        }
        if let Body::CallAdmitted(body) = &event.body {
            let known = (body.skill.to_string(), body.state.clone());
            self.calls.insert(body.call.clone(), known);
        }
    }

    fn returned(&mut self, body: &SkillReturned, event: &Event, task: &Task) -> String {
        let outcome = match (body.success, &body.because) {
            (true, _) => "ok".to_owned(),
            (false, Some(why)) => format!(
                "did not pass: {}, the result was {}",
                short(why, SHOWN),
                excerpt(&body.result, SHOWN)
            ),
            (false, None) => "did not pass".to_owned(),
        };
        let (skill, state) = (self.skill(&body.call, task), self.state(&body.call));
        let cost = self.cost(event, task);
        format!(
            "[{}] {skill} {outcome} ({state}{cost})",
            body.relay.contract_step
        )
    }

    fn failed(&self, body: &SkillFailed, event: &Event, task: &Task) -> String {
        let then = match body.in_doubt {
            true => "in doubt".to_owned(),
            false => again(body.retry_at, event.at),
        };
        let (skill, state) = (self.skill(&body.call, task), self.state(&body.call));
        let why = excerpt(&body.message, SHOWN);
        format!(
            "{skill} failed ({state}{}), {then}: {why}",
            body.class.name()
        )
    }

    fn state(&self, call: &CallId) -> String {
        let state = self.calls.get(call).and_then(|(_, state)| state.as_ref());
        state.map_or_else(String::new, |state| format!("{state}, "))
    }

    /// Tokens and time since the line before.
    fn cost(&mut self, event: &Event, task: &Task) -> String {
        let tokens = task.state.stands.spent.tokens();
        let used = tokens.saturating_sub(self.tokens);
        let ms = self.at.map_or(0, |at| event.at.ms_since(at));
        (self.tokens, self.at) = (tokens, Some(event.at));
        format!("{used} tokens, {}", time::span(ms))
    }
}

/// A change of what is in force, as it is announced.
fn changed(body: &LedgerChanged) -> String {
    let what = match body.what {
        ChangeKind::Added => "new rule",
        ChangeKind::Overridden => "changed rule",
        ChangeKind::Excepted => "exception",
        ChangeKind::Suspended => "rule at rest",
        ChangeKind::Revoked => "rule revoked",
        ChangeKind::Goal => "new goal",
        ChangeKind::Request => "request",
        ChangeKind::Ended => "rule ended",
    };
    let names: Vec<String> = body
        .brings
        .iter()
        .chain(&body.removes)
        .map(ToString::to_string)
        .collect();
    let change = body.change.json();
    let constraint = change.get("constraint").unwrap_or(&change);
    let words = constraint.get("words").and_then(|words| words.as_str());
    let words = words.map_or_else(String::new, |words| format!(": {}", short(words, SHOWN)));
    format!("v{} {what} {}{words}", body.version, names.join(", "))
}

fn refused(refusal: &Refusal, proposed: &str) -> String {
    format!(
        "refused [{}]: {}",
        refusal.code(),
        short(&refusal.explain(proposed), SHOWN)
    )
}

fn again(at: Option<Timestamp>, now: Timestamp) -> String {
    match at {
        Some(at) => format!("again in {}", time::span(at.ms_since(now))),
        None => "not tried again".to_owned(),
    }
}

/// Tokens spent before the first event that is seen.
fn spent_before(event: &Event, task: &Task) -> u64 {
    let spent = task.state.stands.spent.tokens();
    match &event.body {
        Body::TaskStarted(_) => 0,
        Body::ModelReplied(body) => {
            let own = body
                .usage
                .map_or(0, |usage| usage.input_tokens + usage.output_tokens);
            spent.saturating_sub(own)
        }
        _ => spent,
    }
}
