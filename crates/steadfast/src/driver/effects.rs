//! The loop, and the carrying out of effects.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures::future::{AbortHandle, Abortable, BoxFuture, Either, select};
use futures::stream::{FuturesUnordered, StreamExt};
use serde_json::Value;
use steadfast_core::context::Request;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::{CallId, Seq, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_core::task::input::{Input, SkillError};
use steadfast_core::task::state::{Lifecycle, Stage};
use steadfast_core::task::{Effect, Intent, Waiting};
use steadfast_store::load_events;

use super::child::{Resting, Tended};
use super::session::Session;
use super::{Driver, Error, Rest, child, inbox, redact, validate};
use crate::model::{Model, ask};
use crate::skill::{Meter, Skill, SkillCall, TaskModel};

/// The effects at work, each with a handle to abandon it by.
#[derive(Default)]
struct AtWork {
    futures: FuturesUnordered<BoxFuture<'static, Done>>,
    handles: BTreeMap<CallId, AbortHandle>,
    /// Sub-tasks that wait for a person.
    resting: Resting,
    /// Sub-tasks that were told that nobody waits for them.
    dismissed: BTreeSet<CallId>,
    /// Sub-tasks that were told that this task is paused.
    paused: BTreeSet<CallId>,
}

/// What came of an effect.
enum Done {
    Outcome(Input),
    Child {
        call: CallId,
        tended: Result<Tended, Error>,
    },
    Abandoned,
}

/// Drives a task until it rests.
pub(super) async fn drive(session: &mut Session<'_>) -> Result<Rest, Error> {
    let mut at_work = AtWork::default();
    loop {
        take_inbox(session).await?;
        at_work.abandon_closed(session);
        if session.driver.stop.is_set() {
            if !at_work.has_deed(session) {
                return Ok(Rest::Stopped);
            }
            step(session, &mut at_work, None).await?;
            continue;
        }
        at_work.pass_on_pause(session).await?;
        session.set_memory().await?;
        let due = session.task.due(session.now(), session.lease.epoch);
        let mut started = false;
        for effect in &due.effects {
            if !at_work.handles.contains_key(effect.call()) {
                started |= begin(session, &mut at_work, effect).await?;
            } else if matches!(effect, Effect::StopChild { .. }) {
                at_work.dismiss(session, effect.call()).await?;
            }
        }
        if started {
            // An intent was recorded: what else is due may have changed.
            continue;
        }
        if let Some(children) = at_work.all_rest(session) {
            return Ok(Rest::Waiting(match session.task.state.stands.lifecycle {
                Lifecycle::Paused => Waiting::Paused,
                _ => Waiting::Children { children },
            }));
        }
        if at_work.futures.is_empty() {
            if let Some(waiting) = due.waiting {
                return Ok(match waiting {
                    Waiting::Ended { outcome } => Rest::Ended(outcome),
                    other => Rest::Waiting(other),
                });
            }
            let Some(at) = due.wake_at else {
                return Err(Error::Stalled {
                    task: session.task.state.task.clone(),
                });
            };
            wait(session, at).await?;
            continue;
        }
        step(session, &mut at_work, due.wake_at).await?;
    }
}

/// Waits for the next outcome, timer or look at the inbox, and records it.
async fn step(
    session: &mut Session<'_>,
    at_work: &mut AtWork,
    wake_at: Option<Timestamp>,
) -> Result<(), Error> {
    let clock = Arc::clone(&session.driver.clock);
    let poll = clock.now().plus_ms(session.driver.settings.inbox_poll_ms);
    let until = wake_at.map_or(poll, |at| at.min(poll));
    let sleep = clock.sleep_until(until);
    let done = match select(at_work.futures.next(), sleep).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    };
    if let Some(done) = done {
        if let Some(input) = at_work.outcome(done)? {
            let input = redact::input(&session.redactor, input);
            session
                .commit(None, |task, turn| task.record(input.clone(), turn))
                .await?;
        }
        return Ok(());
    }
    if wake_at.is_some_and(|at| at <= session.now()) {
        session
            .commit(None, |task, turn| task.record(Input::Wake, turn))
            .await?;
    }
    keep_lease(session).await
}

/// Waits for a time with nothing at work, still looking at the inbox.
async fn wait(session: &mut Session<'_>, at: Timestamp) -> Result<(), Error> {
    let clock = &session.driver.clock;
    let poll = clock.now().plus_ms(session.driver.settings.inbox_poll_ms);
    clock.sleep_until(at.min(poll)).await;
    keep_lease(session).await?;
    if at <= session.now() {
        session
            .commit(None, |task, turn| task.record(Input::Wake, turn))
            .await?;
    }
    Ok(())
}

async fn keep_lease(session: &mut Session<'_>) -> Result<(), Error> {
    let third = session.driver.settings.lease_ms / 3;
    let now = session.driver.clock.now();
    if session.lease.expires_at.ms_since(now) < third * 2 {
        session.renew().await?;
    }
    Ok(())
}

async fn take_inbox(session: &mut Session<'_>) -> Result<(), Error> {
    let id = session.task.state.task.clone();
    for (item_id, item) in session.driver.log.inbox(&id).await? {
        let input = inbox::input(&item).map_err(|reason| Error::Inbox {
            task: id.clone(),
            item: item_id.0,
            reason,
        })?;
        let input = redact::input(&session.redactor, input);
        let note = session
            .commit(Some(item_id), |task, turn| task.record(input.clone(), turn))
            .await?;
        if let Some(note) = note {
            tracing::info!(task = %id, item = item_id.0, note, "inbox item changed nothing");
        }
    }
    Ok(())
}

/// Records the intent where it is missing and sets the effect to work. Says
/// whether anything was recorded.
async fn begin(
    session: &mut Session<'_>,
    at_work: &mut AtWork,
    effect: &Effect,
) -> Result<bool, Error> {
    let call = effect.call().clone();
    match effect {
        Effect::CallModel { .. } => {
            let request = session.request(&call).await?;
            let model = Arc::clone(&session.driver.model);
            at_work.put(
                call.clone(),
                model_call(session.driver, model, call, request),
            );
            Ok(false)
        }
        Effect::Review { .. } => {
            let (model, request) = (session.reviewer()?, session.review_request(&call)?);
            at_work.put(
                call.clone(),
                model_call(session.driver, model, call, request),
            );
            Ok(false)
        }
        Effect::CallSkill { intent, .. } | Effect::VerifyDeed { intent, .. } => {
            if *intent == Intent::Needed {
                session
                    .commit(None, |task, turn| task.begin_call(&call, turn))
                    .await?;
            }
            let verify = matches!(effect, Effect::VerifyDeed { .. });
            let stage = session
                .task
                .state
                .stands
                .calls
                .get(&call)
                .map(|call| &call.stage);
            if matches!(stage, Some(Stage::Called { .. } | Stage::Verifying)) {
                let future = skill_call(session, &call, verify)?;
                at_work.put(call, future);
            }
            Ok(*intent == Intent::Needed)
        }
        Effect::Summarise { .. } => {
            if let Some(future) = session.summarise(&call).await? {
                at_work.put(call, future);
            }
            Ok(false)
        }
        // A person decides, and the decision comes by the inbox.
        Effect::AskApproval { .. } => Ok(false),
        Effect::Recall { .. } => {
            let future = session.recall(&call);
            at_work.put(call, future);
            Ok(false)
        }
        Effect::Repair { .. } => {
            let id = session.task.state.task.clone();
            let history = load_events(session.driver.log.as_ref(), &id, Seq(1)).await?;
            // Where another writer was first, it is due again with the longer log.
            session
                .commit(None, |task, turn| task.repair(&history, turn))
                .await?;
            Ok(true)
        }
        Effect::Validate { .. } => {
            if let Some(future) = validate::ask(session.driver, &session.task, &call) {
                at_work.put(call, future);
            }
            Ok(false)
        }
        Effect::StartChild { intent, .. } => {
            if *intent == Intent::Needed {
                session
                    .commit(None, |task, turn| task.begin_call(&call, turn))
                    .await?;
                return Ok(true);
            }
            at_work.put_child(session, call, false);
            Ok(false)
        }
        Effect::StopChild { .. } => {
            at_work.dismissed.insert(call.clone());
            at_work.put_child(session, call, true);
            Ok(false)
        }
    }
}

impl AtWork {
    fn put(&mut self, call: CallId, future: BoxFuture<'static, Input>) {
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(call, handle);
        let abortable = Abortable::new(future, registration);
        self.futures.push(Box::pin(async move {
            abortable.await.map_or(Done::Abandoned, Done::Outcome)
        }));
    }

    /// Sets the child of a call to work; with `stop`, to come to its end.
    fn put_child(&mut self, session: &Session<'_>, call: CallId, stop: bool) {
        let resting = self.resting.clone();
        let Some(tended) = child::tend(session, &call, resting, stop) else {
            return;
        };
        let (handle, registration) = AbortHandle::new_pair();
        self.handles.insert(call.clone(), handle);
        let abortable = Abortable::new(tended, registration);
        self.futures.push(Box::pin(async move {
            match abortable.await {
                Ok(tended) => Done::Child { call, tended },
                Err(_) => Done::Abandoned,
            }
        }));
    }

    /// Lets the sub-tasks at work rest while this task is paused, and go on with it.
    async fn pass_on_pause(&mut self, session: &Session<'_>) -> Result<(), Error> {
        let paused = session.task.state.stands.lifecycle == Lifecycle::Paused;
        self.resting.set_parent_paused(paused);
        for (call, child) in &session.task.state.stands.children {
            if self.paused.contains(call) == paused {
                continue;
            }
            match child::pass_on(session.driver, &child.task, paused).await {
                // It is not made yet, and is told at the next look.
                Err(Error::Log(steadfast_store::Error::UnknownTask { .. })) => continue,
                told => told?,
            }
            match paused {
                true => self.paused.insert(call.clone()),
                false => self.paused.remove(call),
            };
        }
        Ok(())
    }

    /// Tells a child at work that nobody waits for it, once.
    async fn dismiss(&mut self, session: &Session<'_>, call: &CallId) -> Result<(), Error> {
        let child = session.task.state.stands.children.get(call);
        if let Some(child) = child
            && !self.dismissed.contains(call)
        {
            let told = child::dismiss(session.driver, &child.task).await;
            match told {
                // It is not made yet, and is told at the next look.
                Err(Error::Log(steadfast_store::Error::UnknownTask { .. })) => {}
                told => {
                    told?;
                    self.dismissed.insert(call.clone());
                }
            }
        }
        Ok(())
    }

    /// What is to be recorded of what came of an effect. A child's report is not: it
    /// lies in the inbox.
    fn outcome(&mut self, done: Option<Done>) -> Result<Option<Input>, Error> {
        match done {
            None | Some(Done::Abandoned) => Ok(None),
            Some(Done::Outcome(input)) => {
                let call = match &input {
                    Input::ModelDone { call, .. }
                    | Input::SkillDone { call, .. }
                    | Input::Validated { call, .. } => Some(call),
                    Input::Summarised(done) => Some(&done.call),
                    Input::Searched(search) => Some(&search.call),
                    Input::Command { .. }
                    | Input::ChildDone { .. }
                    | Input::ParentLeft
                    | Input::ParentPaused
                    | Input::ParentResumed
                    | Input::Wake => None,
                };
                if let Some(call) = call {
                    self.handles.remove(call);
                }
                Ok(Some(input))
            }
            Some(Done::Child { call, tended }) => {
                self.handles.remove(&call);
                match tended? {
                    Tended::Reported | Tended::Stopped => Ok(None),
                    Tended::Unmade(report) => Ok(Some(Input::ChildDone {
                        report: Box::new(report),
                    })),
                }
            }
        }
    }

    /// The sub-tasks at work, where all that is at work are sub-tasks that wait for a
    /// person, and no other call is about to be made again.
    fn all_rest(&self, session: &Session<'_>) -> Option<Vec<TaskId>> {
        let resting = self.resting.all();
        let rests = |call: &CallId| resting.contains_key(call);
        if self.handles.is_empty() || !self.handles.keys().all(rests) {
            return None;
        }
        let now = session.now();
        let mut calls = session.task.state.stands.calls.values();
        // One whose time has come and which did not begin waits as well: for room in
        // a budget or beside the others, which only they can give.
        let later = calls.any(|call| match call.stage {
            Stage::Ready { not_before, .. } => not_before.is_some_and(|at| at > now),
            _ => false,
        });
        let children = resting.into_values().map(|(child, _)| child);
        (!later).then(|| children.collect())
    }

    /// Whether something is being carried out that cannot be done again.
    fn has_deed(&self, session: &Session<'_>) -> bool {
        let stands = &session.task.state.stands;
        let mut ids = self.handles.keys();
        ids.any(|id| {
            // A child comes to rest by itself, and may have a deed in flight.
            if stands.children.contains_key(id) {
                return true;
            }
            let call = stands.calls.get(id).filter(|call| !call.may_repeat());
            call.is_some_and(|call| !matches!(call.stage, Stage::Validating { .. }))
        })
    }

    /// Abandons what the task no longer waits for, such as a model call after a
    /// cancel. A deed in flight stays open, so it is let settle.
    fn abandon_closed(&mut self, session: &Session<'_>) {
        let stands = &session.task.state.stands;
        self.handles.retain(|call, handle| {
            let open = stands.calls.contains_key(call)
                || stands.model.as_ref().is_some_and(|slot| slot.call == *call)
                || stands.summaries.iter().any(|job| job.call == *call)
                || session.task.is_recall(call)
                || stands.validations.is_open(Some(call))
                || stands.review.as_ref().is_some_and(|one| one.call == *call);
            if !open {
                handle.abort();
            }
            open
        });
    }
}

fn model_call(
    driver: &Driver,
    model: Arc<dyn Model>,
    call: CallId,
    request: Request,
) -> BoxFuture<'static, Input> {
    let clock = Arc::clone(&driver.clock);
    let timeout_ms = driver.settings.model_timeout_ms;
    Box::pin(async move {
        let outcome = ask(model.as_ref(), clock.as_ref(), &request, timeout_ms).await;
        Input::ModelDone { call, outcome }
    })
}

fn skill_call(
    session: &Session<'_>,
    id: &CallId,
    verify: bool,
) -> Result<BoxFuture<'static, Input>, Error> {
    let call = &session.task.state.stands.calls[id];
    let name = match verify {
        true => session
            .task
            .verifier(call)
            .cloned()
            .unwrap_or_else(|| call.skill.clone()),
        false => call.skill.clone(),
    };
    let skill = session.driver.skills.get(name.as_str()).cloned();
    let skill = skill.ok_or_else(|| Error::NoSkill {
        skill: name.to_string(),
    })?;
    let declared = session
        .task
        .workflow
        .skill(name.as_str())
        .and_then(|spec| spec.timeout_ms);
    let request = SkillCall {
        task: session.task.state.task.clone(),
        call: id.clone(),
        args: call.args.json(),
        key: call.key,
        attempt: call.attempt,
        timeout_ms: declared.unwrap_or(limits::SKILL_TIMEOUT_MS_DEFAULT),
        meter: Meter::default(),
        model: TaskModel::of(&session.driver.model),
    };
    let clock = Arc::clone(&session.driver.clock);
    let intent = call.intent;
    Ok(Box::pin(async move {
        let outcome = carry_out(skill, &request, clock).await;
        Input::SkillDone {
            call: request.call,
            intent,
            outcome,
            usage: request.meter.read(),
        }
    }))
}

async fn carry_out(
    skill: Arc<dyn Skill>,
    request: &SkillCall,
    clock: Arc<dyn crate::clock::Clock>,
) -> Result<Value, SkillError> {
    let until = clock.now().plus_ms(request.timeout_ms);
    let outcome = match select(skill.call(request), clock.sleep_until(until)).await {
        Either::Left((outcome, _)) => outcome,
        Either::Right(_) => {
            let message = format!("no result within {} ms", request.timeout_ms);
            return Err(SkillError::new(SkillFailure::Timeout, message));
        }
    };
    let result = outcome.map_err(|e| SkillError {
        class: e.class,
        message: e.message,
        retry_after_ms: e.retry_after_ms,
    })?;
    let bytes = result.to_string().len() as u64;
    if bytes > limits::CONTENT_BYTES_MAX {
        // The deed may well be done; only its result cannot be kept.
        let message = format!(
            "the result has {bytes} bytes, at most {} are kept",
            limits::CONTENT_BYTES_MAX
        );
        return Err(SkillError::new(SkillFailure::Lost, message));
    }
    Ok(result)
}
