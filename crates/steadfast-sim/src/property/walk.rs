//! A plain walk over a spec along the events of a log.
//!
//! It keeps the path by which the machine came to where it stands. Coming back
//! to a state of the path cuts the path there, and all that was achieved from
//! there on counts no more. At the end the path must be whole.

use std::collections::{BTreeMap, BTreeSet};

use steadfast_core::event::machine::{Place, StateEntered};
use steadfast_core::event::model::Finish;
use steadfast_core::event::proposal::CallAdmitted;
use steadfast_core::event::repair::{DeedKept, Level};
use steadfast_core::event::task::{Cause, TaskFailed, TaskFailing};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, SkillName, StateName};
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::{
    Approval, Complete, EdgesSpec, EffectClass, StateSpec, UseSpec,
};

use super::books::Books;
use crate::workflow::FLAG;

/// What a walk has found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Walked {
    pub path: Vec<StateName>,
    pub complete: BTreeSet<StateName>,
    pub answer: Option<String>,
    /// Rounds of a conversation that came to an answer.
    pub rounds: u32,
    pub ended: bool,
    pub usable_replies: usize,
}

/// The walk, at some event.
#[derive(Clone, Debug)]
pub struct Walk<'a> {
    spec: &'a Spec,
    flag: bool,
    place: Option<Place>,
    path: Vec<StateName>,
    /// By state and skill; for a check, the text that it passed.
    receipts: BTreeMap<(StateName, SkillName), Option<String>>,
    skipped: BTreeSet<StateName>,
    open: BTreeMap<CallId, CallAdmitted>,
    approved: BTreeSet<CallId>,
    succeeded: BTreeSet<SkillName>,
    failures: u32,
    /// Calls of the last reply without a verdict, by their place in it.
    unanswered: BTreeSet<u32>,
    /// The last reply is a text that awaits its verdict.
    answering: Option<String>,
    admitted: Option<String>,
    said: bool,
    books: Books,
    found: Walked,
    /// Deeds by call, with where they were done. No roll-back takes one out.
    deeds: BTreeMap<CallId, (StateName, SkillName)>,
    /// Of them, those whose receipts do not count since a repair: how many stand
    /// for a skill of a state, which is not called before they are taken.
    standing: BTreeMap<(StateName, SkillName), u32>,
    /// The deeds of `standing`.
    untaken: BTreeSet<CallId>,
    /// A repair is asked for; whether it reopened a task that had ended.
    mending: Option<bool>,
}

impl<'a> Walk<'a> {
    /// What a repair makes of the walk: beliefs as they were at `then`, all that
    /// stands as it is now.
    fn rolled_back(&self, then: &Walk<'a>) -> Walk<'a> {
        let mut walk = Walk {
            open: BTreeMap::new(),
            approved: self.approved.clone(),
            succeeded: self.succeeded.clone(),
            said: self.said,
            books: self.books.clone(),
            deeds: self.deeds.clone(),
            mending: None,
            unanswered: BTreeSet::new(),
            answering: None,
            ..then.clone()
        };
        walk.found.usable_replies = self.found.usable_replies;
        walk.found.rounds = self.found.rounds;
        walk.found.ended = false;
        // What was done since, and what an earlier repair had left standing.
        walk.untaken.clone_from(&then.untaken);
        for call in self.deeds.keys() {
            if !then.deeds.contains_key(call) {
                walk.untaken.insert(call.clone());
            }
        }
        walk.standing.clear();
        for call in &walk.untaken {
            *walk.standing.entry(walk.deeds[call].clone()).or_default() += 1;
        }
        walk
    }

    /// A restart begins where the machine does.
    fn restart(&mut self) {
        self.place = None;
        self.path.clear();
        self.receipts.clear();
        self.skipped.clear();
        self.failures = 0;
    }

    fn keep(&mut self, body: &DeedKept) -> Result<(), String> {
        let at = (body.state.clone(), body.skill.clone());
        if self.place != Some(Place::State(body.state.clone())) {
            return Err(format!("the deed `{}` is kept elsewhere", body.call));
        }
        if !self.untaken.remove(&body.call) || self.deeds.get(&body.call) != Some(&at) {
            return Err(format!("`{}` is no deed that stands", body.call));
        }
        if let Some(left) = self.standing.get_mut(&at) {
            *left -= 1;
        }
        self.receipts.insert(at, None);
        Ok(())
    }

    pub fn new(spec: &'a Spec, flag: bool) -> Walk<'a> {
        Walk {
            spec,
            flag,
            place: None,
            path: Vec::new(),
            receipts: BTreeMap::new(),
            skipped: BTreeSet::new(),
            open: BTreeMap::new(),
            approved: BTreeSet::new(),
            succeeded: BTreeSet::new(),
            failures: 0,
            unanswered: BTreeSet::new(),
            answering: None,
            admitted: None,
            said: false,
            books: Books::new(spec),
            found: Walked::default(),
            deeds: BTreeMap::new(),
            standing: BTreeMap::new(),
            untaken: BTreeSet::new(),
            mending: None,
        }
    }

    pub fn walked(&self) -> Walked {
        let complete = self
            .path
            .iter()
            .filter(|name| self.is_complete(name))
            .cloned()
            .collect();
        Walked {
            path: self.path.clone(),
            complete,
            ..self.found.clone()
        }
    }

    /// What of the walk decides how it can go on, for telling states apart.
    pub fn essence(&self) -> String {
        let open: Vec<_> = self
            .open
            .values()
            .map(|one| (&one.skill, &one.state))
            .collect();
        format!(
            "{:?} {:?} {:?} {:?} {open:?} {:?} {:?} {}",
            self.place,
            self.path,
            self.receipts,
            self.skipped,
            self.succeeded,
            self.found.ended,
            self.failures > 0,
        )
    }

    /// Takes the next event; the error says which rule it breaks.
    ///
    /// # Errors
    ///
    /// A sentence.
    pub fn step(&mut self, event: &Event) -> Result<(), String> {
        // What may be repeated and was at work when a task ended still comes back.
        let outcome = match &event.body {
            Body::SkillReturned(body) => Some(&body.call),
            Body::SkillFailed(body) => Some(&body.call),
            _ => None,
        };
        let reopens = matches!(&event.body, Body::RepairAsked(_));
        let late = outcome.is_some_and(|call| self.may_repeat(call));
        if self.found.ended && !late && !reopens {
            return Err(format!("`{}` after the end", event.body.kind()));
        }
        self.books.step(event)?;
        match &event.body {
            Body::ModelReplied(body) => {
                self.all_answered()?;
                let cut = matches!(body.finish, Finish::Length | Finish::ContentFilter);
                if cut || (body.text.is_none() && body.calls.is_empty()) {
                    return Ok(());
                }
                self.found.usable_replies += 1;
                self.unanswered = (0..body.calls.len() as u32).collect();
                if body.calls.is_empty() {
                    self.answering = body.text.as_ref().map(|text| text.text().into_owned());
                }
                Ok(())
            }
            Body::ModelCalled(_) => self.all_answered(),
            Body::CallAdmitted(body) => self.admit(body),
            Body::CallRefused(body) => self.answer_call(body.proposed_as),
            Body::PhasesPlanned(body) => self.answer_call(body.proposed_as),
            Body::AnswerAdmitted(body) => {
                let text = body.answer.text().into_owned();
                if self
                    .answering
                    .take()
                    .is_some_and(|proposed| proposed != text)
                {
                    return Err("another answer was admitted than proposed".to_owned());
                }
                self.admitted = Some(text);
                Ok(())
            }
            Body::AnswerRefused(_) => {
                self.answering = None;
                Ok(())
            }
            Body::ApprovalRequested(body) => {
                self.approved.remove(&body.call);
                Ok(())
            }
            Body::ApprovalDecided(body) if body.approved => {
                self.approved.insert(body.call.clone());
                Ok(())
            }
            Body::ApprovalDecided(body) => self.close(&body.call, None, false),
            Body::SkillCalled(body) => self.called(&body.call, body.verifying),
            Body::SkillReturned(body) => {
                let argument = |open: &CallAdmitted| {
                    let skill = self.spec.skills.get(&open.skill)?;
                    let args = open.args.json();
                    Some(args.get(skill.checks.as_ref()?)?.as_str()?.to_owned())
                };
                let checked = self.open.get(&body.call).and_then(argument);
                self.close(&body.call, checked, body.success)
            }
            Body::SkillFailed(body) if body.in_doubt => Ok(()),
            Body::SkillFailed(body) if body.retry_at.is_some() => {
                self.failures += 1;
                Ok(())
            }
            Body::SkillFailed(body) => self.close(&body.call, None, false),
            Body::DeedSettled(body) => self.close(&body.call, None, body.done),
            Body::StateEntered(body) => self.enter(body),
            Body::StateSkipped(body) => self.skip(&body.state, &body.condition),
            Body::TaskCompleted(body) => {
                self.found.ended = true;
                self.complete(&body.answer.text())
            }
            Body::RoundEnded(body) => self.round(&body.answer.text()),
            Body::TaskFailing(TaskFailing { cause, .. })
            | Body::TaskFailed(TaskFailed { cause, .. }) => {
                self.found.ended = matches!(event.body, Body::TaskFailed(_));
                match cause {
                    // A rule can break in the middle of a reply.
                    Cause::Rule { .. } => Ok(()),
                    _ => self.all_answered(),
                }
            }
            Body::TaskCancelled(_) => {
                self.found.ended = true;
                self.all_answered()
            }
            Body::UserSent(_) => {
                self.said = true;
                Ok(())
            }
            Body::RepairAsked(_) => {
                self.mending = Some(self.found.ended);
                self.found.ended = false;
                self.all_answered()
            }
            Body::RepairDropped(_) => {
                let reopened = self.mending.take();
                self.found.ended = reopened.ok_or("no repair was asked for")?;
                Ok(())
            }
            // `walk` puts the walk back; here it is judged whether it may.
            Body::Repaired(body) => match self.mending {
                None => Err("no repair was asked for".to_owned()),
                Some(_) if body.from > event.seq => Err("it voids what is to come".to_owned()),
                Some(_) => Ok(()),
            },
            Body::DeedKept(body) => self.keep(body),
            Body::ValidationAsked(_)
            | Body::Validated(_)
            | Body::BudgetSet(_)
            | Body::PriceSet(_)
            | Body::HandlingSet(_)
            | Body::BudgetExhausted(_)
            | Body::StepArchived(_)
            | Body::MemorySet(_)
            | Body::SummaryAsked(_)
            | Body::SummaryReplaced(_)
            | Body::SummaryRefused(_)
            | Body::Recalled(_)
            | Body::PhaseEntered(_)
            | Body::ClockRead(_)
            | Body::ReviewerSet(_)
            | Body::ReviewCalled(_)
            | Body::ReviewReturned(_)
            | Body::PatchProposed(_)
            | Body::ChildStarted(_)
            | Body::ChildEnded(_)
            | Body::TaskStarted(_)
            | Body::TaskPaused(_)
            | Body::TaskResumed(_)
            | Body::CancelRequested(_)
            | Body::WorkflowAccepted(_)
            | Body::ModelFailed(_)
            | Body::LedgerChanged(_)
            | Body::PatchRefused(_)
            | Body::QuestionOpened(_)
            | Body::QuestionAnswered(_)
            | Body::FactSet(_) => Ok(()),
        }
    }

    fn may_repeat(&self, call: &CallId) -> bool {
        let effect = self.open.get(call).and_then(|open| open.effect);
        matches!(effect, Some(EffectClass::Read | EffectClass::Idempotent))
    }

    fn all_answered(&self) -> Result<(), String> {
        match (self.unanswered.first(), &self.answering) {
            (Some(call), _) => Err(format!("call {call} of the last reply has no verdict")),
            (_, Some(text)) => Err(format!("the answer `{text}` has no verdict")),
            _ => Ok(()),
        }
    }

    fn answer_call(&mut self, index: u32) -> Result<(), String> {
        match self.unanswered.remove(&index) {
            true => Ok(()),
            false => Err(format!("a second verdict on call {index}")),
        }
    }

    fn admit(&mut self, body: &CallAdmitted) -> Result<(), String> {
        if let Some(index) = body.proposed_as {
            self.answer_call(index)?;
        }
        let state = match (&self.place, &body.state) {
            (Some(Place::State(here)), Some(state)) if here == state => state.clone(),
            (place, state) => return Err(format!("`{}` for {state:?} in {place:?}", body.skill)),
        };
        let has = |skill: &SkillName| self.receipts.contains_key(&(state.clone(), skill.clone()));
        let uses = uses(&self.spec.states[&state]);
        let one = uses.iter().find(|one| one.skill == body.skill);
        let one = one.ok_or_else(|| format!("`{}` is not of state {state}", body.skill))?;
        if let Some(first) = one.requires.iter().find(|skill| !has(skill)) {
            return Err(format!("misorder: `{}` before `{first}`", body.skill));
        }
        if has(&body.skill) {
            return Err(format!("`{}` again in {state}", body.skill));
        }
        self.open.insert(body.call.clone(), body.clone());
        Ok(())
    }

    fn called(&self, call: &CallId, verifying: bool) -> Result<(), String> {
        let open = self
            .open
            .get(call)
            .ok_or_else(|| format!("`{call}` is not admitted"))?;
        let needed = self.spec.skills[&open.skill].approval == Approval::Required;
        if needed && !self.approved.contains(call) {
            return Err(format!("`{}` without approval", open.skill));
        }
        let at = open.state.clone().map(|state| (state, open.skill.clone()));
        let stands = at.and_then(|at| self.standing.get(&at));
        if stands.is_some_and(|stands| *stands > 0) {
            return Err(format!("`{}` again, though its deed stands", open.skill));
        }
        // A question about a deed in doubt settles what is in flight, and begins nothing.
        if self.mending.is_some() && !verifying {
            return Err(format!("`{}` began while a repair waited", open.skill));
        }
        Ok(())
    }

    fn close(
        &mut self,
        call: &CallId,
        checked: Option<String>,
        success: bool,
    ) -> Result<(), String> {
        let open = self
            .open
            .remove(call)
            .ok_or_else(|| format!("`{call}` is not open"))?;
        if success {
            self.succeeded.insert(open.skill.clone());
            if let Some(state) = open.state.clone()
                && open.effect != Some(EffectClass::Read)
            {
                self.deeds.insert(call.clone(), (state, open.skill.clone()));
            }
            if let Some(state) = open.state {
                self.receipts.insert((state, open.skill), checked);
            }
        } else {
            self.failures += 1;
        }
        Ok(())
    }

    fn is_complete(&self, name: &StateName) -> bool {
        let state = &self.spec.states[name];
        let has = |one: &Use| {
            self.receipts
                .contains_key(&(name.clone(), one.skill.clone()))
        };
        let uses = uses(state);
        let whole = match state.complete {
            Complete::All => uses.iter().all(|one| !one.mandatory || has(one)),
            Complete::Any => true,
        };
        self.skipped.contains(name) || (whole && uses.iter().any(has))
    }

    fn enter(&mut self, body: &StateEntered) -> Result<(), String> {
        let to = match &body.to {
            Place::State(name) => name.as_str(),
            Place::Done => "DONE",
            Place::Failed => "FAILED",
        };
        match &self.place {
            None if to == self.spec.initial_state.as_str() => {}
            Some(Place::State(here)) if body.retry => {
                if *here != StateName::from(to) || self.failures == 0 {
                    return Err(format!("a retry of {to} in {here}"));
                }
                return Ok(());
            }
            Some(Place::State(here)) => {
                let state = &self.spec.states[here];
                let success = self.is_complete(here) && self.target(&state.on_success) == Some(to);
                let retry = format!("{here}_RETRY");
                let failure = state.on_failure.as_ref().is_some_and(|edges| {
                    let target = self.target(edges);
                    target == Some(to) || (to == "FAILED" && target == Some(&retry))
                });
                let failed = failure && self.failures > 0;
                if !(success || failed) {
                    return Err(format!("from {here} to {to} without a reason"));
                }
            }
            // New words of the user reopen what was done.
            Some(Place::Done) if self.said => {}
            place => return Err(format!("from {place:?} to {to}")),
        }
        self.failures = 0;
        if let Place::State(name) = &body.to {
            if let Some(at) = self.path.iter().position(|one| one == name) {
                let gone: BTreeSet<StateName> = self.path.drain(at..).collect();
                self.receipts.retain(|(state, _), _| !gone.contains(state));
                self.skipped.retain(|state| !gone.contains(state));
            }
            self.path.push(name.clone());
        }
        self.place = Some(body.to.clone());
        Ok(())
    }

    /// The target of the first edge whose condition holds. There is one
    /// condition only, so this needs no evaluator.
    fn target<'e>(&self, edges: &'e EdgesSpec) -> Option<&'e str> {
        match edges {
            EdgesSpec::One(to) => Some(to),
            EdgesSpec::Many(edges) => edges
                .iter()
                .find(|edge| {
                    edge.when
                        .as_ref()
                        .is_none_or(|when| when == FLAG && self.flag)
                })
                .map(|edge| edge.to.as_str()),
        }
    }

    fn skip(&mut self, name: &StateName, condition: &str) -> Result<(), String> {
        let here = self.place == Some(Place::State(name.clone()));
        let state = &self.spec.states[name];
        let ruled = state.skip_when.as_deref() == Some(FLAG) && self.flag;
        let begun = self.receipts.keys().any(|(of, _)| of == name);
        let optional = condition == "optional" && state.mandatory == Some(false) && !begun;
        if !here || !(ruled || optional) {
            return Err(format!("skip: {name} was passed over without a rule"));
        }
        self.skipped.insert(name.clone());
        Ok(())
    }

    /// An answer ends a round of a conversation: it needs all that the answer of a
    /// task needs, and nothing of it counts for the next one.
    fn round(&mut self, answer: &str) -> Result<(), String> {
        if !self.spec.conversation {
            return Err("a round of what is no conversation".to_owned());
        }
        self.complete(answer)?;
        self.found.rounds += 1;
        self.place = None;
        self.path.clear();
        self.receipts.clear();
        self.skipped.clear();
        self.failures = 0;
        self.admitted = None;
        self.said = false;
        Ok(())
    }

    fn complete(&mut self, answer: &str) -> Result<(), String> {
        self.found.answer = Some(answer.to_owned());
        self.all_answered()?;
        if self.admitted.as_deref() != Some(answer) {
            return Err("the answer that was delivered was not admitted".to_owned());
        }
        if self.place != Some(Place::Done) {
            return Err(format!("skip: completed in {:?}", self.place));
        }
        for (name, state) in &self.spec.states {
            let walked = self.path.contains(name);
            if (state.mandatory != Some(false) && !walked) || (walked && !self.is_complete(name)) {
                return Err(format!("skip: completed without {name}"));
            }
        }
        self.delivered(answer)?;
        self.claims(answer)
    }

    /// Every mandatory check passed on the very bytes.
    fn delivered(&self, answer: &str) -> Result<(), String> {
        for name in self
            .path
            .iter()
            .filter(|name| !self.skipped.contains(*name))
        {
            if self.spec.states[name].mandatory == Some(false) {
                continue;
            }
            for one in uses(&self.spec.states[name])
                .iter()
                .filter(|one| one.mandatory)
            {
                if self.spec.skills[&one.skill].checks.is_none() {
                    continue;
                }
                let passed = self.receipts.get(&(name.clone(), one.skill.clone()));
                if passed.and_then(Option::as_deref) != Some(answer) {
                    return Err(format!("delivered bytes that `{}` did not pass", one.skill));
                }
            }
        }
        Ok(())
    }

    fn claims(&self, answer: &str) -> Result<(), String> {
        for (name, skill) in &self.spec.skills {
            let claimed = skill
                .claims_when
                .iter()
                .any(|phrase| answer.contains(phrase));
            if claimed && !self.succeeded.contains(name) {
                return Err(format!("the answer claims `{name}`, which never succeeded"));
            }
        }
        Ok(())
    }
}

struct Use {
    skill: SkillName,
    requires: Vec<SkillName>,
    mandatory: bool,
}

/// The skills of a state, from either way of writing them.
fn uses(state: &StateSpec) -> Vec<Use> {
    let plain = |skill: &SkillName| Use {
        skill: skill.clone(),
        requires: Vec::new(),
        mandatory: true,
    };
    let set = state.skills.iter().map(|one| match one {
        UseSpec::Name(skill) => plain(skill),
        UseSpec::Full(full) => Use {
            skill: full.skill.clone(),
            requires: full.requires.clone(),
            mandatory: full.mandatory != Some(false),
        },
    });
    state.skill.iter().map(plain).chain(set).collect()
}

/// Walks a whole log. At a repair the walk goes on from what it was before the range
/// that the repair voids.
pub(super) fn along(spec: &Spec, flag: bool, events: &[Event]) -> (Walked, Vec<String>) {
    let mut walk = Walk::new(spec, flag);
    let mut violations = Vec::new();
    let repaired = |event: &Event| matches!(event.body, Body::Repaired(_));
    let keeps = events.iter().any(repaired);
    let mut before: Vec<Walk<'_>> = Vec::new();
    for event in events {
        if keeps {
            before.push(walk.clone());
        }
        if let Err(violation) = walk.step(event) {
            violations.push(format!("event {}: {violation}", event.seq));
        }
        if let Body::Repaired(body) = &event.body {
            // Events count from 1; the walk before `from` is the one after its last.
            let at = usize::try_from(body.from.0).unwrap_or(1) - 1;
            match before.get(at) {
                Some(then) => walk = walk.rolled_back(then),
                None => violations.push(format!("event {}: rolled back to nowhere", event.seq)),
            }
            if body.level == Level::Restart {
                walk.restart();
            }
        }
    }
    (walk.walked(), violations)
}
