//! What an input turns into: it is judged against the state as it is now, not
//! as it was when the effect began, and becomes a batch of events.
//!
//! One batch holds the reply, the gate's decisions, the machine's moves, and
//! the intents of the reads and the model call that follow. It is appended as a
//! whole, or not at all.

use std::collections::BTreeMap;

use crate::content::{Content, Salt};
use crate::context::Request;
use crate::event::budget::{BudgetSet, PriceSet};
use crate::event::machine::Place;
use crate::event::model::{Finish, HandlingSet, ModelFailure, ModelReplied, ProposedCall, Usage};
use crate::event::proposal::{
    AnswerAdmitted, AnswerRefused, ApprovalDecided, ApprovalRequested, CallAdmitted, CallRefused,
};
use crate::event::task::{
    CancelRequested, Cause, Document, RoundEnded, TaskCompleted, TaskFailed, TaskFailing,
    TaskPaused, TaskResumed, TaskStarted, UserSent, WorkflowAccepted,
};
use crate::event::{Body, Event};
use crate::handling::Handling;
use crate::id::{CallId, Epoch, Principal, Seq, TaskId, Timestamp};
use crate::ledger::Trigger;
use crate::limits;
use crate::price::Price;
use crate::proposal::{ModelError, Reply, ReplyCall};
use crate::rules::Rules;
use crate::source::Source;
use crate::task::admit::Admitted;
use crate::task::input::{Command, Input, Start};
use crate::task::instruct::Proposal;
use crate::task::state::{Lifecycle, Stage};
use crate::task::variables::RuleError;
use crate::task::{Corrupt, Task, advance};
use crate::workflow::gate::Refusal;
use crate::workflow::spec::Approval;
use crate::workflow::{Problem, Workflow};

/// A batch to append, and the task as it is once the batch is in the log.
#[derive(Debug)]
pub struct Recorded {
    /// Seqs follow the task's last one.
    pub events: Vec<Event>,
    pub task: Task,
    /// The context of the model call that the batch opens, where it opens one.
    pub request: Option<Request>,
    /// Why the input changed nothing, where it did not.
    pub note: Option<String>,
}

/// An input that cannot be recorded at all.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    #[error("the workflow does not compile: {}", .0.first().map_or("", |p| &p.message))]
    Workflow(Vec<Problem>),
    #[error("the core made an event that does not follow: {0}")]
    Bug(#[from] Corrupt),
}

/// Who writes, when, and by which rules.
#[derive(Clone, Copy, Debug)]
pub struct Turn<'a> {
    pub now: Timestamp,
    pub epoch: Epoch,
    pub rules: Rules<'a>,
    /// Seconds by which clocks in the workflow's zone are ahead of UTC; none
    /// where it names no zone.
    pub utc_offset: Option<i32>,
}

/// A task that is being moved on: each event is applied as it is made, so the
/// next decision sees it.
pub(super) struct Draft<'a> {
    pub(super) task: Task,
    pub(super) turn: Turn<'a>,
    /// When the last event before this batch happened.
    pub(super) idle_since: Timestamp,
    pub(super) events: Vec<Event>,
    pub(super) request: Option<Request>,
    pub(super) note: Option<String>,
}

impl Task {
    /// The first batch of a task. Nothing is called yet: `due` asks to be woken
    /// at once.
    ///
    /// # Errors
    ///
    /// [`RecordError::Workflow`] when the workflow leaves no machine to run.
    pub fn start(
        id: TaskId,
        salt: Salt,
        start: Start,
        turn: Turn<'_>,
    ) -> Result<Recorded, RecordError> {
        let workflow = Workflow::compile(start.workflow).map_err(RecordError::Workflow)?;
        let documents = start.documents.into_iter();
        let started = TaskStarted {
            workflow_id: workflow.spec.workflow_id.clone(),
            workflow: salt.seal_json(&workflow.spec),
            fingerprint: workflow.fingerprint,
            input: salt.seal_text(&start.input),
            documents: documents
                .map(|(name, text)| Document {
                    name,
                    text: salt.seal_text(&text),
                })
                .collect(),
            facts: BTreeMap::new(),
            facts_sealed: (!start.facts.is_empty()).then(|| salt.seal_json(&start.facts)),
            parent: start.parent.map(|mut parent| {
                if let Some(given) = &mut parent.handoff
                    && let Some(bytes) = given.inherited.payload()
                {
                    given.inherited = salt.seal(std::sync::Arc::clone(bytes));
                }
                parent
            }),
            behavior: Vec::new(),
            budget: start.budget,
            window: start.window,
        };
        let first = Event {
            seq: Seq(1),
            at: turn.now,
            epoch: turn.epoch,
            source: Source::User {
                principal: start.principal,
            },
            body: Body::TaskStarted(Box::new(started)),
        };
        let task = Task::begin(id, salt, &first)?;
        let mut draft = Draft {
            task,
            turn,
            idle_since: turn.now,
            events: vec![first],
            request: None,
            note: None,
        };
        draft.first_rules()?;
        // The first intents are the running driver's, made under its own epoch.
        let entered = draft.enter_initial();
        draft.end_with(entered)?;
        Ok(draft.finish())
    }

    /// What an input turns into. An outcome of a call that is no longer open (a
    /// late or doubled reply) turns into nothing.
    ///
    /// # Errors
    ///
    /// [`RecordError::Workflow`] for a changed workflow that leaves no machine.
    pub fn record(&self, input: Input, turn: Turn<'_>) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        match input {
            Input::ModelDone { call, outcome } => {
                draft.carry(|draft| draft.model_done(&call, outcome))?;
            }
            Input::SkillDone {
                call,
                intent,
                outcome,
                usage,
            } => {
                draft.carry(|draft| draft.skill_done(&call, intent, outcome, usage))?;
            }
            Input::Searched(search) => draft.carry(|draft| draft.searched(search))?,
            Input::Summarised(done) => draft.carry(|draft| draft.summarised(done))?,
            Input::Command {
                principal,
                command:
                    Command::AcceptWorkflow {
                        workflow,
                        differences,
                    },
            } => {
                let workflow = Workflow::compile(*workflow).map_err(RecordError::Workflow)?;
                let accepted = WorkflowAccepted {
                    workflow: self.state.salt.seal_json(&workflow.spec),
                    fingerprint: workflow.fingerprint,
                    differences,
                };
                draft.carry(|draft| draft.accept_workflow(principal, accepted))?;
            }
            Input::Command { principal, command } => {
                draft.carry(|draft| draft.command(principal, command))?;
            }
            Input::Validated { call, outcome } => {
                draft.carry(|draft| draft.validator_done(&call, outcome))?;
            }
            Input::ChildDone { report } => draft.carry(|draft| draft.child_done(*report))?,
            Input::ParentLeft => draft.carry(|draft| draft.parent_left())?,
            Input::ParentPaused => draft.carry(|draft| draft.parent_paused())?,
            Input::ParentResumed => draft.carry(|draft| draft.parent_resumed())?,
            Input::Wake => draft.carry(|_| Ok(()))?,
        }
        Ok(draft.finish())
    }

    /// Records what the model's tokens cost, where that is news. Calls nothing.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn set_price(
        &self,
        model: &str,
        price: Option<&Price>,
        turn: Turn<'_>,
    ) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        if self.state.outcome().is_none() && self.state.stands.price.as_ref() != price {
            draft.runtime(Body::PriceSet(PriceSet {
                model: model.to_owned(),
                price: price.cloned(),
            }))?;
        }
        Ok(draft.finish())
    }

    /// Records how the model is handled, where that is news. Calls nothing.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn set_handling(
        &self,
        model: &str,
        handling: Handling,
        turn: Turn<'_>,
    ) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        if self.state.outcome().is_none() && self.state.stands.handling != handling {
            draft.runtime(Body::HandlingSet(HandlingSet {
                model: model.to_owned(),
                handling,
            }))?;
        }
        Ok(draft.finish())
    }

    /// Records that a skill call (or the question whether its deed was done) is
    /// about to be carried out. An approval that no longer fits what would run
    /// is asked for anew instead.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn begin_call(&self, call: &CallId, turn: Turn<'_>) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        // A leave that was good until now is none for what begins now.
        draft.run_out(Trigger::Time(turn.now))?;
        draft.begin_call(call)?;
        Ok(draft.finish())
    }
}

/// Why a draft stops: a bug, or a rule that its author must mend.
#[derive(Debug)]
pub(super) enum Stop {
    Bug(Corrupt),
    Rule(RuleError),
}

impl From<Corrupt> for Stop {
    fn from(bug: Corrupt) -> Self {
        Stop::Bug(bug)
    }
}

impl From<RuleError> for Stop {
    fn from(rule: RuleError) -> Self {
        Stop::Rule(rule)
    }
}

impl<'a> Draft<'a> {
    pub(super) fn of(task: &Task, turn: Turn<'a>) -> Draft<'a> {
        Draft {
            task: task.clone(),
            turn,
            idle_since: task.state.last_at,
            events: Vec::new(),
            request: None,
            note: None,
        }
    }

    pub(super) fn finish(self) -> Recorded {
        let Draft {
            task,
            events,
            request,
            note,
            ..
        } = self;
        Recorded {
            events,
            task,
            request,
            note,
        }
    }

    /// Runs one handler and moves the task on. A rule that does not evaluate
    /// ends the task with a diagnosis: no model can mend it.
    pub(super) fn carry(
        &mut self,
        handle: impl FnOnce(&mut Self) -> Result<(), Stop>,
    ) -> Result<(), RecordError> {
        let running = self.task.state.outcome().is_none();
        let now = Trigger::Time(self.turn.now);
        let ended = if running { self.run_out(now) } else { Ok(()) };
        let result = ended
            .map_err(Stop::Bug)
            .and_then(|()| handle(self))
            .and_then(|()| advance::advance(self));
        self.end_with(result)
    }

    fn end_with(&mut self, result: Result<(), Stop>) -> Result<(), RecordError> {
        match result {
            Ok(()) => Ok(()),
            Err(Stop::Bug(bug)) => Err(RecordError::Bug(bug)),
            Err(Stop::Rule(rule)) => {
                let diagnosis = rule.to_string();
                let cause = Cause::Rule {
                    expression: rule.expression,
                };
                Ok(self.fail(cause, diagnosis)?)
            }
        }
    }

    pub(super) fn push(&mut self, source: Source, body: Body) -> Result<(), Corrupt> {
        let event = Event {
            seq: self.task.state.seq.next(),
            at: self.turn.now,
            epoch: self.turn.epoch,
            source,
            body,
        };
        self.task.apply(&event)?;
        self.events.push(event);
        Ok(())
    }

    pub(super) fn runtime(&mut self, body: Body) -> Result<(), Corrupt> {
        self.push(Source::Runtime, body)
    }

    /// Ends the task, or lets it end as soon as no deed is in flight any more: a
    /// log must not end with one of which nobody knows whether it was done.
    pub(super) fn fail(&mut self, cause: Cause, diagnosis: String) -> Result<(), Corrupt> {
        if self.task.state.has_deed_in_flight() {
            return self.runtime(Body::TaskFailing(TaskFailing { cause, diagnosis }));
        }
        self.runtime(Body::TaskFailed(TaskFailed { cause, diagnosis }))
    }

    /// The parent waits for this task no more: it is cancelled, unless it has ended.
    fn parent_left(&mut self) -> Result<(), Stop> {
        let open = matches!(
            self.task.state.stands.lifecycle,
            Lifecycle::Running | Lifecycle::Listening | Lifecycle::Paused
        );
        if !open {
            self.note = Some("the task is already coming to its end".to_owned());
            return Ok(());
        }
        Ok(self.runtime(Body::CancelRequested(CancelRequested {}))?)
    }

    fn parent_paused(&mut self) -> Result<(), Stop> {
        if !self.task.state.is_running() {
            self.note = Some("the task is not at work".to_owned());
            return Ok(());
        }
        Ok(self.runtime(Body::TaskPaused(TaskPaused {}))?)
    }

    /// One that a person paused waits for a person.
    fn parent_resumed(&mut self) -> Result<(), Stop> {
        if !self.task.state.stands.paused_with_parent {
            self.note = Some("the task did not rest with its parent".to_owned());
            return Ok(());
        }
        self.runtime(Body::TaskResumed(TaskResumed {}))?;
        self.decide_anew()
    }

    fn command(&mut self, principal: Principal, command: Command) -> Result<(), Stop> {
        if let Command::Repair {
            cause,
            level,
            value,
            reason,
        } = command
        {
            let (value, reason) = (value.as_ref(), reason.as_deref());
            return self.person_repairs(principal, cause, level, value, reason);
        }
        if self.task.state.outcome().is_some() {
            self.note = Some("the task has ended".to_owned());
            return Ok(());
        }
        let lifecycle = &self.task.state.stands.lifecycle;
        let user = Source::User {
            principal: principal.clone(),
        };
        match command {
            Command::Say { text } => self.said(user, &text, Vec::new())?,
            Command::Instruct { text, proposals } => self.said(user, &text, proposals)?,
            Command::Answer { question, choice } => {
                let refused = self.choose(&user, question, choice)?;
                self.note = refused.map(|refused| refused.to_string());
            }
            Command::SetFact { name, value } => self.set_fact(principal, name, &value)?,
            // A person's own pause outlasts that of the parent.
            Command::Pause
                if *lifecycle == Lifecycle::Running
                    || self.task.state.stands.paused_with_parent =>
            {
                self.push(user, Body::TaskPaused(TaskPaused {}))?;
            }
            Command::Resume if *lifecycle == Lifecycle::Paused => {
                self.push(user, Body::TaskResumed(TaskResumed {}))?;
                self.decide_anew()?;
            }
            Command::Cancel
                if matches!(
                    lifecycle,
                    Lifecycle::Running | Lifecycle::Listening | Lifecycle::Paused
                ) =>
            {
                self.push(user, Body::CancelRequested(CancelRequested {}))?;
            }
            Command::Pause | Command::Resume | Command::Cancel => {
                self.note = Some("the task already is".to_owned());
            }
            Command::Decide {
                call,
                approved,
                reason,
            } => {
                self.decide(principal, &call, approved, reason)?;
            }
            Command::Settle { call, done } => self.settle(principal, &call, done)?,
            Command::SetBudget { change } => {
                self.push(user, Body::BudgetSet(Box::new(BudgetSet { change })))?;
            }
            Command::Repair { .. } | Command::AcceptWorkflow { .. } => {
                unreachable!("taken before")
            }
        }
        Ok(())
    }

    fn said(&mut self, user: Source, text: &str, proposals: Vec<Proposal>) -> Result<(), Stop> {
        let sent = UserSent {
            text: self.task.state.salt.seal_text(text),
        };
        let held = self.task.state.holds_answer();
        let open = self.task.state.stands.validations.open.as_ref();
        let looked = open.is_some_and(|look| look.answer.is_some());
        self.push(user.clone(), Body::UserSent(sent))?;
        let message = self.task.state.seq;
        self.hear(&user, message, text, proposals)?;
        if held {
            self.decide_anew()?;
        } else if looked {
            self.answer_unheard()?;
        }
        match self.task.state.is_listening() {
            true => self.enter_initial(),
            false => Ok(()),
        }
    }

    /// An answer that was being looked at when new words came does not know them.
    fn answer_unheard(&mut self) -> Result<(), Stop> {
        let at_done = self.task.state.beliefs.place == Some(Place::Done);
        let by_itself = at_done && self.task.delivers_checked();
        match self.task.state.is_running() && !by_itself {
            true => self.propose_answer(),
            false => Ok(()),
        }
    }

    /// The rules that a task begins with: the workflow's, then what the user's
    /// own first words say.
    fn first_rules(&mut self) -> Result<(), Corrupt> {
        let first = Seq(1);
        let rules = self.task.workflow.ledger.clone();
        self.inherit()?;
        self.give(&Source::Policy, first, &rules.policy)?;
        self.give(&Source::Developer, first, &rules.developer)?;
        let owner = self.task.state.ledger.owner.clone();
        let text = self.task.state.input.text().into_owned();
        let user = Source::User { principal: owner };
        self.hear(&user, first, &text, Vec::new())
    }

    fn accept_workflow(
        &mut self,
        principal: Principal,
        accepted: WorkflowAccepted,
    ) -> Result<(), Stop> {
        if self.task.state.outcome().is_some() {
            self.note = Some("the task has ended".to_owned());
            return Ok(());
        }
        let user = Source::User { principal };
        let rules = self.task.workflow.ledger.clone();
        self.push(user, Body::WorkflowAccepted(Box::new(accepted)))?;
        if self.task.workflow.ledger != rules {
            self.give_anew()?;
        }
        let gone = self
            .task
            .state
            .current()
            .filter(|name| !self.task.workflow.machine.states.contains_key(*name));
        if let Some(state) = gone {
            let state = state.to_string();
            let diagnosis = format!("the accepted workflow has no state `{state}`");
            self.fail(Cause::Workflow { state }, diagnosis)?;
        }
        Ok(())
    }

    fn decide(
        &mut self,
        principal: Principal,
        call: &CallId,
        approved: bool,
        reason: Option<String>,
    ) -> Result<(), Stop> {
        if self.decide_on_answer(&principal, call, approved, reason.as_deref())?
            || self.decide_on_look(&principal, call, approved, reason.as_deref())?
        {
            return Ok(());
        }
        let stage = self
            .task
            .state
            .stands
            .calls
            .get(call)
            .map(|call| &call.stage);
        let Some(&Stage::Approval { binding }) = stage else {
            self.note = Some(format!("call `{call}` does not wait for approval"));
            return Ok(());
        };
        let reason = reason.map(|text| self.task.state.salt.seal_text(&text));
        let skill = self
            .task
            .state
            .stands
            .calls
            .get(call)
            .map(|call| &call.skill);
        let spec = skill.and_then(|skill| self.task.workflow.skill(skill.as_str()));
        let lasts = spec.and_then(|spec| spec.approval_ms).filter(|_| approved);
        let body = ApprovalDecided {
            call: call.clone(),
            binding,
            approved,
            reason,
            expires_at: lasts.map(|ms| self.turn.now.plus_ms(ms)),
        };
        self.push(Source::Approver { principal }, Body::ApprovalDecided(body))?;
        self.after_outcome()
    }

    fn settle(&mut self, principal: Principal, call: &CallId, done: bool) -> Result<(), Stop> {
        let open = self.task.state.stands.calls.get(call);
        if !open.is_some_and(|call| call.is_in_doubt(self.turn.epoch)) {
            self.note = Some(format!("call `{call}` is not in doubt"));
            return Ok(());
        }
        let answer = serde_json::json!({ "settled": "done" });
        self.settled(Source::Approver { principal }, call, done, &answer)
    }

    fn model_done(
        &mut self,
        call: &CallId,
        outcome: Result<Reply, ModelError>,
    ) -> Result<(), Stop> {
        if self.is_review(call) {
            return self.reviewed(outcome);
        }
        let open = self.task.state.stands.model.as_ref();
        if !open.is_some_and(|slot| slot.call == *call && slot.retry_at.is_none()) {
            self.note = Some(format!("model call `{call}` is not open"));
            return Ok(());
        }
        match outcome {
            Ok(reply) => self.replied(call, reply),
            Err(error) => self.model_failed(call, &error),
        }
    }

    fn replied(&mut self, call: &CallId, reply: Reply) -> Result<(), Stop> {
        let salt = self.task.state.salt;
        let text = reply.text.clone().filter(|text| !text.trim().is_empty());
        let calls = reply.calls.iter().map(|one| ProposedCall {
            id: one.id.clone(),
            skill: one.skill.clone(),
            args: salt.seal_text(&one.args),
        });
        let replied = ModelReplied {
            call: call.clone(),
            model: reply.model.clone(),
            text: text.as_deref().map(|text| salt.seal_text(text)),
            calls: calls.collect(),
            finish: reply.finish,
            usage: reply.usage,
            counted: self.counted(&reply, text.as_deref()),
            extra: (!reply.extra.is_null()).then(|| salt.seal_json(&reply.extra)),
        };
        let usable = replied.is_usable();
        let source = Source::Model { model: reply.model };
        self.push(source, Body::ModelReplied(Box::new(replied)))?;
        if !usable {
            let (class, message) = match reply.finish {
                Finish::Length => (ModelFailure::OutputBudget, "cut at the output limit"),
                Finish::ContentFilter => (ModelFailure::Rejected, "withheld by the provider"),
                _ => (ModelFailure::Empty, "neither text nor a call"),
            };
            return self.model_failed(call, &ModelError::new(class, message));
        }
        if reply.calls.is_empty() {
            return self.propose_answer();
        }
        self.propose_calls(&reply.calls)
    }

    /// The tokens of a reply of which the provider says nothing, as far as its
    /// words show: what a model thought unseen is in no count of ours.
    fn counted(&self, reply: &Reply, text: Option<&str>) -> Option<Usage> {
        if reply.usage.is_some() {
            return None;
        }
        let tokenizer = self.turn.rules.tokenizer;
        let of_call = |call: &ReplyCall| tokenizer.count(&call.skill) + tokenizer.count(&call.args);
        let output = text.map_or(0, |text| tokenizer.count(text))
            + reply.calls.iter().map(of_call).sum::<u32>();
        let slot = self.task.state.stands.model.as_ref();
        Some(Usage {
            input_tokens: slot.map_or(0, |slot| slot.tokens.into()),
            output_tokens: output.into(),
            cached_input_tokens: 0,
        })
    }

    fn id_in_step(&self, index: usize) -> CallId {
        let step = self.task.state.beliefs.steps.back();
        let call = step.and_then(|step| step.calls.get(index));
        let id = call.map(|call| call.call.clone());
        id.expect("the reply's step was just made")
    }

    /// The calls of one reply, in its order. Each is judged on receipts that
    /// exist, never on one that another call of the same reply might bring: its
    /// arguments were written without that one's result.
    fn propose_calls(&mut self, calls: &[ReplyCall]) -> Result<(), Stop> {
        for (index, call) in calls.iter().enumerate() {
            if index < limits::CALLS_PER_REPLY_MAX && self.task.is_proposal(&call.skill) {
                let id = self.id_in_step(index);
                self.hear_model(index as u32, &id, call)?;
                continue;
            }
            let admitted = if index >= limits::CALLS_PER_REPLY_MAX {
                let limit = limits::CALLS_PER_REPLY_MAX as u32;
                Err(Refusal::TooManyCalls { limit })
            } else {
                self.judge(call)?
            };
            let id = self.id_in_step(index);
            match admitted {
                Ok(admitted) => {
                    let body = CallAdmitted {
                        call: id.clone(),
                        skill: admitted.skill,
                        state: admitted.state,
                        args: admitted.args,
                        key: admitted.key,
                        effect: admitted.effect,
                        proposed_as: Some(index as u32),
                        observed: admitted.observed,
                        tainted: admitted.tainted,
                    };
                    self.runtime(Body::CallAdmitted(body))?;
                    self.ask_approval(&id)?;
                }
                Err(refusal) => {
                    let body = CallRefused {
                        call: id,
                        skill: call.skill.clone(),
                        args: self.task.state.salt.seal_text(&call.args),
                        proposed_as: index as u32,
                        refusal,
                        due: self.task.due_skills(),
                    };
                    self.runtime(Body::CallRefused(body))?;
                }
            }
        }
        Ok(())
    }

    /// The gate's word on a call. One that is of a state behind optional ones is
    /// judged again where the machine then stands: a rule may pass over more.
    fn judge(&mut self, call: &ReplyCall) -> Result<Result<Admitted, Refusal>, Stop> {
        let Turn { epoch, rules, .. } = self.turn;
        loop {
            let verdict = self
                .task
                .admit_call(&call.skill, &call.args, epoch, rules)?;
            let behind = verdict.as_ref().is_ok_and(|admitted| {
                admitted.state.is_some() && admitted.state.as_ref() != self.task.state.current()
            });
            let before = self.events.len();
            if behind {
                self.pass_optional(Some(&call.skill))?;
            }
            if self.events.len() == before {
                return Ok(verdict);
            }
        }
    }

    /// Asks a person, where the call's skill needs one; the validator before, so
    /// that a person decides on what was looked at.
    pub(super) fn ask_approval(&mut self, id: &CallId) -> Result<(), Corrupt> {
        let vetted = self.task.workflow.spec.validation.validator.is_some();
        if self.needs_approval(id) && vetted && !self.vet_deed(id)? {
            return Ok(());
        }
        self.ask_person(id)
    }

    fn needs_approval(&self, id: &CallId) -> bool {
        let call = &self.task.state.stands.calls[id];
        let spec = self.task.workflow.skill(call.skill.as_str());
        spec.is_some_and(|spec| spec.approval == Approval::Required)
            || self.task.must_ask(call.skill.as_str())
            || self.task.holds_tainted(call)
    }

    pub(super) fn ask_person(&mut self, id: &CallId) -> Result<(), Corrupt> {
        if self.needs_approval(id) {
            let binding = self.binding(id);
            self.runtime(Body::ApprovalRequested(ApprovalRequested {
                call: id.clone(),
                binding,
            }))?;
        }
        Ok(())
    }

    /// What an approval of a call is good for: this skill, these arguments, this
    /// ledger, this workflow, and the facts that arguments are named after, as they
    /// were when it was asked for.
    pub(super) fn binding(&self, id: &CallId) -> crate::hash::Hash {
        let state = &self.task.state;
        let call = &state.stands.calls[id];
        let args = call.args.json();
        let named = args.as_object().into_iter().flatten();
        let facts: BTreeMap<&str, Seq> = named
            .filter_map(|(name, _)| Some((name.as_str(), state.facts.get(name)?.seq)))
            .collect();
        let bound = (
            id,
            &call.skill,
            call.args.hash,
            state.ledger_version(),
            state.fingerprint,
            facts,
        );
        state.salt.seal_json(&bound).hash
    }

    /// Delivers an answer: it ends the task, or the round of a conversation. Words
    /// that came meanwhile begin the next round at once.
    pub(super) fn send_out(&mut self, answer: Content) -> Result<(), Stop> {
        if !self.task.workflow.spec.conversation {
            return Ok(self.runtime(Body::TaskCompleted(TaskCompleted { answer }))?);
        }
        let round = self.task.state.stands.round.ended + 1;
        self.runtime(Body::RoundEnded(RoundEnded { round, answer }))?;
        self.run_out(Trigger::Answer)?;
        match self.task.state.has_unseen_message() {
            true => self.enter_initial(),
            false => Ok(()),
        }
    }

    /// The last step's text, as the answer.
    pub(super) fn propose_answer(&mut self) -> Result<(), Stop> {
        let step = self.task.state.beliefs.steps.back();
        let answer = step
            .and_then(|step| step.text.clone())
            .expect("a reply of text alone");
        let may_end = self.task.open_states().1;
        match self.task.admit_answer(&answer, self.turn.rules) {
            Ok(_) if self.withhold(&answer)? || self.vet_answer(&answer)? => {}
            Ok(observed) => {
                self.pass_optional(None)?;
                let not_checked = self.task.not_checked(&answer, self.turn.rules);
                self.look_at_end(None, not_checked.len())?;
                let answered = AnswerAdmitted {
                    answer: answer.clone(),
                    not_checked,
                    observed,
                };
                self.runtime(Body::AnswerAdmitted(answered))?;
                self.send_out(answer)?;
            }
            Err(refusal) => {
                let ends = may_end && matches!(refusal, Refusal::NotChecked { .. });
                let due = self.task.due_skills();
                let repair = self.repair(&answer, &refusal);
                let refused = AnswerRefused {
                    repair,
                    answer,
                    refusal,
                    due,
                };
                let seen = refused.refusal.clone();
                self.runtime(Body::AnswerRefused(refused))?;
                self.look_at_end(Some(&seen), 0)?;
                if self.stop_if_spent()? {
                    return Ok(());
                }
                if ends && self.task.delivers_checked() {
                    // The model has nothing more to do: the checked text goes out.
                    self.pass_optional(None)?;
                }
            }
        }
        Ok(())
    }
}
