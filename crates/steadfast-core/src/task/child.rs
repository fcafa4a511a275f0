//! Sub-tasks of a task: which may begin, what each is given, and what its report
//! turns into.
//!
//! A sub-task is called as a skill is: admitted, begun by an intent, and ended by a
//! result. Beside the intent stands what the child is given, beside the result what
//! it took. Starting it is idempotent, since its id is made of the call; so a
//! crash is no special case here either.

use serde_json::{Map, Value};

use crate::budget::{Amounts, Bounds, BudgetChange, Exhausted, Money, Scope};
use crate::event::Body;
use crate::event::child::{ChildEnd, ChildEnded, ChildStarted, Then};
use crate::event::proposal::{ApprovalRequested, CallAdmitted};
use crate::event::skill::{SkillFailed, SkillFailure};
use crate::event::task::{Cause, Handoff, Parent};
use crate::handoff::edge::{self, Origin};
use crate::handoff::report::ChildReport;
use crate::handoff::{Inherited, Mask, OnChildFailure, TaskSpec, attenuate, child, output};
use crate::hash::Hash;
use crate::id::{CallId, SkillName, TaskId};
use crate::ledger::constraint::Scope as RuleScope;
use crate::ledger::entry::Change;
use crate::ledger::{ConstraintId, Proposer};
use crate::source::Source;
use crate::task::outcome::backoff;
use crate::task::receipts::Receipt;
use crate::task::record::{Draft, Stop};
use crate::task::state::{Call, Child, Stage};
use crate::task::{Corrupt, Start, Task};
use crate::workflow::gate::Refusal;
use crate::workflow::{StateDef, Use};

impl Task {
    /// The sub-task that a call is of.
    pub(super) fn task_of(&self, call: &Call) -> Option<&TaskSpec> {
        self.workflow.task(call.skill.as_str())
    }

    /// All that this task may call; none where it is nobody's child.
    pub fn mask(&self) -> Option<&Mask> {
        let parent = self.state.parent.as_ref()?;
        parent.handoff.as_ref().map(|given| &given.mask)
    }

    fn depth(&self) -> u32 {
        let given = self
            .state
            .parent
            .as_ref()
            .and_then(|one| one.handoff.as_ref());
        given.map_or(0, |given| given.depth)
    }

    /// How many tasks this one, and those below it, may start in all.
    fn children_max(&self) -> u32 {
        let given = self
            .state
            .parent
            .as_ref()
            .and_then(|one| one.handoff.as_ref());
        given.map_or(self.workflow.spec.limits.children, |given| given.children)
    }

    /// Why this task may not call something at all, whatever its place.
    pub(super) fn beyond_mask(&self, skill: &str) -> Option<Refusal> {
        let mask = self.mask()?;
        (!mask.allows(skill)).then_some(Refusal::NotCapable)
    }

    /// Why a further sub-task may not be started: they nest too deep, or are too
    /// many. Those that are admitted and not begun count.
    pub(super) fn beyond_tree(&self, task: &TaskSpec) -> Option<Refusal> {
        let depth = self.workflow.spec.limits.depth;
        if self.depth() >= depth {
            return Some(Refusal::TooManyTasks {
                limit: "depth".to_owned(),
                value: depth,
            });
        }
        let calls = self.state.stands.calls.values();
        let waiting =
            calls.filter(|call| matches!(call.stage, Stage::Ready { .. } | Stage::Approval { .. }));
        let waiting = waiting
            .filter_map(|call| self.task_of(call))
            .map(|one| 1 + one.children);
        let started = self.state.stands.children_started + waiting.sum::<u32>();
        self.no_room_after(started, task)
    }

    fn no_room_after(&self, started: u32, task: &TaskSpec) -> Option<Refusal> {
        let most = self.children_max();
        let asked = started.saturating_add(1).saturating_add(task.children);
        (asked > most).then(|| Refusal::TooManyTasks {
            limit: "children".to_owned(),
            value: most,
        })
    }

    /// The inputs of a sub-task, by the edges that the workflow names. Only these
    /// fields of other outputs are in it.
    pub(super) fn fill_ports(&self, task: &TaskSpec, args: &mut Map<String, Value>) {
        for (input, edge) in &task.input_data {
            let value = match edge.origin() {
                Ok(Origin::Value(value)) => Some(value),
                Ok(Origin::Task { task, field }) => {
                    let newest = self.output_of(&task);
                    newest.and_then(|one| edge::field(&one.result.json(), &field))
                }
                Ok(Origin::Input { field }) => {
                    let text = self.state.input.text();
                    match field.is_empty() {
                        true => Some(Value::String(text.into_owned())),
                        false => crate::json::parse(&text)
                            .ok()
                            .and_then(|input| edge::member(&input, &field).cloned()),
                    }
                }
                Ok(Origin::Fact { name }) => {
                    let fact = self.state.facts.get(&name);
                    fact.map(|fact| fact.value.clone())
                }
                Err(_) => None,
            };
            match value {
                Some(value) => args.insert(input.clone(), value),
                // What a model wrote in its place is not what the edge says.
                None => args.remove(input),
            };
        }
    }

    /// The newest output of a sub-task.
    pub(crate) fn output_of(&self, task: &SkillName) -> Option<&Receipt> {
        let receipts = self.state.beliefs.receipts.values();
        receipts
            .filter_map(|of_state| of_state.get(task.as_str()))
            .max_by_key(|receipt| receipt.seq)
    }

    /// Whether a state that runs sub-tasks is through with all of them.
    pub(super) fn tasks_settled(&self, state: &StateDef) -> bool {
        let here = self.state.current() == Some(&state.name);
        state.uses.iter().all(|one| match here {
            true => self.is_settled(state, &one.skill),
            false => {
                !one.mandatory
                    || self
                        .state
                        .receipt(&state.name, one.skill.as_str())
                        .is_some()
            }
        })
    }

    /// Whether a sub-task of the present state has given its output, or is left out.
    pub(super) fn is_settled(&self, state: &StateDef, task: &SkillName) -> bool {
        self.state.receipt(&state.name, task.as_str()).is_some()
            || self.state.beliefs.visit.left_out.contains(task)
    }

    fn may_begin(&self, state: &StateDef, one: &Use) -> bool {
        let calls = &mut self.state.stands.calls.values();
        let open = calls.any(|call| call.skill == one.skill);
        !open
            && !self.is_settled(state, &one.skill)
            && one.requires.iter().all(|task| self.is_settled(state, task))
    }

    /// What a child takes at most. Where a bound of ours says nothing of what its
    /// own budget leaves open, it is not bounded; where it does, the child gets all
    /// that is left.
    pub(super) fn reserves(&self, call: &Call, task: &TaskSpec) -> Amounts {
        let own = &task.budget;
        let left = |of: fn(&Amounts) -> u64, limit: fn(&Bounds) -> Option<u64>| {
            let scopes = self.child_scopes(call);
            let left = scopes.filter_map(|scope| {
                let limit = limit(&self.bounds(&scope))?;
                let tally = self.tally(&scope);
                Some(limit.saturating_sub(of(&tally.used()) + of(&tally.reserved)))
            });
            // At least one, so that nothing left is not taken for no bound.
            left.min().map_or(0, |left| left.max(1))
        };
        let micros = |bounds: &Bounds| bounds.money.as_ref().map(|money| money.micros);
        Amounts {
            tokens: own
                .tokens
                .unwrap_or_else(|| left(|a| a.tokens, |b| b.tokens)),
            micros: micros(own).unwrap_or_else(|| {
                left(|a| a.micros, |b| b.money.as_ref().map(|money| money.micros))
            }),
            model_calls: own
                .model_calls
                .unwrap_or_else(|| left(|a| a.model_calls, |b| b.model_calls)),
            // The call that it is itself is one more.
            skill_calls: own.skill_calls.unwrap_or_else(|| {
                let left = left(|a| a.skill_calls, |b| b.skill_calls);
                left.saturating_sub(u64::from(left > 1))
            }),
        }
    }

    /// A child's calls are no step of this task.
    fn child_scopes(&self, call: &Call) -> impl Iterator<Item = Scope> + use<> {
        let states: Vec<Scope> = call
            .state
            .iter()
            .flat_map(crate::budget::ancestry)
            .map(Scope::State)
            .collect();
        std::iter::once(Scope::Task).chain(states)
    }

    /// Whether there is room for a child. Where there is none now, but others hold
    /// room that they may give back, it waits for them.
    pub(super) fn child_fits(&self, call: &Call, task: &TaskSpec) -> Result<(), Exhausted> {
        let asked = self.reserves(call, task) + Amounts::SKILL_CALL;
        self.fits_in(self.child_scopes(call), asked, self.state.last_at)
    }

    /// Whether a sub-task may begin now, as far as budgets go.
    pub(super) fn may_start(&self, call: &Call, task: &TaskSpec) -> bool {
        self.child_fits(call, task).is_ok() || self.state.stands.children.is_empty()
    }

    /// All that a child starts from, by what is recorded of it. None where no such
    /// child is at work.
    pub fn child_start(&self, call: &CallId) -> Option<(TaskId, Start)> {
        let open = self.state.stands.calls.get(call)?;
        let given = self.state.stands.children.get(call)?;
        let task = self.workflow.task(open.skill.as_str())?;
        let spec = child::spec(&self.workflow.spec, &open.skill, task, &given.mask);
        let args = open.args.json();
        let inputs = args.as_object().into_iter().flatten();
        let documents = inputs.map(|(name, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            (name.clone(), text)
        });
        let start = Start {
            workflow: spec,
            principal: self.state.ledger.owner.clone(),
            input: task.goal.clone(),
            documents: documents.collect(),
            facts: std::collections::BTreeMap::new(),
            parent: Some(Parent {
                task: self.state.task.clone(),
                seq: open.intent,
                handoff: Some(Box::new(Handoff {
                    call: call.clone(),
                    task: open.skill.clone(),
                    attempt: open.attempt,
                    depth: given.depth,
                    children: given.children,
                    mask: given.mask.clone(),
                    inherited: given.inherited.clone(),
                })),
            }),
            window: self.state.window,
            budget: BudgetChange {
                task: self.bounded_by(given.reserved),
                ..BudgetChange::default()
            },
        };
        Some((given.task.clone(), start))
    }

    /// A child's bounds: what was reserved for it.
    fn bounded_by(&self, reserved: Amounts) -> Bounds {
        let some = |count: u64| (count > 0).then_some(count);
        let currency = self
            .money_bounds()
            .first()
            .map(|money| money.currency.clone());
        Bounds {
            tokens: some(reserved.tokens),
            money: currency
                .zip(some(reserved.micros))
                .map(|(currency, micros)| Money { micros, currency }),
            model_calls: some(reserved.model_calls),
            skill_calls: some(reserved.skill_calls),
            time_ms: None,
        }
    }

    /// The id of a child: nobody can guess it, and nobody chooses it.
    fn child_id(&self, call: &CallId, attempt: u32) -> TaskId {
        let named = (&self.state.task, call, attempt);
        let hash: Hash = self.state.salt.seal_json(&named).hash;
        let digits = hash.as_bytes()[..12]
            .iter()
            .map(|byte| format!("{byte:02x}"));
        TaskId::new(format!("c{}", digits.collect::<String>()))
    }
}

impl Draft<'_> {
    /// In a state that runs sub-tasks, admits each whose needs have come to their
    /// end, as many at a time as may run side by side.
    pub(super) fn start_tasks(&mut self) -> Result<(), Stop> {
        loop {
            let state = &self.task.state;
            if state.stands.model.is_some() || state.has_unseen_message() {
                return Ok(());
            }
            let Some(def) = self.task.current_def().filter(|def| def.runs_tasks) else {
                return Ok(());
            };
            let parallel = self.task.workflow.spec.limits.parallel.max(1) as usize;
            if state.beliefs.visit.unhandled > 0 || state.stands.calls.len() >= parallel {
                return Ok(());
            }
            let next = def.uses.iter().find(|one| self.task.may_begin(def, one));
            let Some(next) = next.map(|one| one.skill.clone()) else {
                return Ok(());
            };
            let def = def.clone();
            self.admit_task(&def, next)?;
            if !self.task.state.is_running() {
                return Ok(());
            }
        }
    }

    fn admit_task(&mut self, state: &StateDef, name: SkillName) -> Result<(), Stop> {
        let workflow = std::sync::Arc::clone(&self.task.workflow);
        let spec = workflow.skill(name.as_str()).cloned().unwrap_or_default();
        let Some(task) = workflow.task(name.as_str()) else {
            return Ok(());
        };
        let beyond = self.task.beyond_mask(name.as_str());
        let beyond = beyond.or_else(|| self.task.beyond_tree(task));
        let rules = self.turn.rules;
        let (args, key) =
            self.task
                .arguments(name.as_str(), &spec, Some(state), Map::new(), None, rules)?;
        let call = CallId::new(format!("s{}.0", self.task.state.stands.counters.steps + 1));
        self.runtime(Body::CallAdmitted(CallAdmitted {
            call: call.clone(),
            skill: name.clone(),
            state: Some(state.name.clone()),
            args: self.task.state.salt.seal_json(&args),
            key,
            effect: spec.effect,
            proposed_as: None,
            observed: Vec::new(),
            // The edges of the workflow name the arguments, and they are the author's.
            tainted: Vec::new(),
        }))?;
        let issues = rules.schemas.issues(&spec.input, &args);
        let unfit = (!issues.is_empty()).then_some(Refusal::BadArguments { issues });
        if let Some(refusal) = beyond.or(unfit) {
            return self.not_started(&call, &refusal.explain(name.as_str()));
        }
        Ok(self.ask_approval(&call)?)
    }

    fn not_started(&mut self, id: &CallId, why: &str) -> Result<(), Stop> {
        let Some(call) = self.task.state.stands.calls.get(id).cloned() else {
            return Ok(());
        };
        let child = self.task.child_id(id, call.attempt + 1);
        let report = ChildReport::not_started(id.clone(), child, why.to_owned());
        self.child_failed(&call, report)
    }

    /// Records what a child is given, beside the intent of its call.
    pub(super) fn give_child(&mut self, id: &CallId) -> Result<(), Corrupt> {
        let Some(call) = self.task.state.stands.calls.get(id).cloned() else {
            return Ok(());
        };
        let workflow = std::sync::Arc::clone(&self.task.workflow);
        let Some(task) = workflow.task(call.skill.as_str()) else {
            return Ok(());
        };
        let place = self.task.phase().to_owned();
        let current = self.task.state.current().cloned();
        let here = |scope: &RuleScope| match scope {
            RuleScope::Task | RuleScope::NextAnswer => true,
            RuleScope::Phase(phase) => *phase == place,
            RuleScope::State(state) => current.as_ref() == Some(state),
        };
        let inherited = attenuate(&self.task.state.ledger, &here, &task.inherit);
        let mask = child::mask(&workflow.spec, task, self.task.mask());
        let body = ChildStarted {
            call: id.clone(),
            child: self.task.child_id(id, call.attempt),
            task: call.skill.clone(),
            attempt: call.attempt,
            depth: self.task.depth() + 1,
            children: task.children,
            reserved: self.task.reserves(&call, task),
            mask,
            inherited: self.task.state.salt.seal_own(&inherited),
        };
        self.runtime(Body::ChildStarted(Box::new(body)))
    }

    /// Why a child whose call is about to begin may not: a bound was reached by
    /// what began since it was admitted.
    pub(super) fn no_room_for(&self, task: &TaskSpec) -> Option<Refusal> {
        let started = self.task.state.stands.children_started;
        self.task.no_room_after(started, task)
    }

    /// The rules that a child is given, before any that its own words bring.
    pub(super) fn inherit(&mut self) -> Result<(), Corrupt> {
        let parent = self.task.state.parent.as_ref();
        let Some(given) = parent.and_then(|parent| parent.handoff.as_ref()) else {
            return Ok(());
        };
        let inherited: Vec<Inherited> = match given.inherited.payload() {
            Some(bytes) => serde_json::from_slice(bytes).expect("made by `give_child`"),
            None => Vec::new(),
        };
        for one in inherited {
            let ledger = &self.task.state.ledger;
            let id = ConstraintId(ledger.made + 1);
            let change = Change::Put {
                constraint: Box::new(one.constraint(id, ledger.version + 1)),
                replaces: Vec::new(),
            };
            self.changed(Source::Policy, &change, None, None, Some(Proposer::Direct))?;
        }
        Ok(())
    }

    /// Takes a child's report in. One that nobody waits for, or that was taken in
    /// before, turns into nothing.
    pub(super) fn child_done(&mut self, report: ChildReport) -> Result<(), Stop> {
        let awaited = self.task.state.stands.children.get(&report.call);
        let call = self.task.state.stands.calls.get(&report.call).cloned();
        let (Some(call), true) = (call, awaited.is_some_and(|one| one.task == report.child)) else {
            self.note = Some(format!("nobody waits for sub-task `{}`", report.child));
            return Ok(());
        };
        let Some(answer) = report
            .answer
            .as_deref()
            .filter(|_| report.how == ChildEnd::Finished)
        else {
            return self.child_failed(&call, report);
        };
        let task = self.task.task_of(&call);
        let typed = task.is_some_and(|task| !task.output_schema.is_null());
        let output = output::of_answer(answer, typed);
        self.runtime(Body::ChildEnded(Box::new(ChildEnded {
            call: report.call.clone(),
            child: report.child,
            how: ChildEnd::Finished,
            then: Then::Delivered,
            spent: report.spent,
            output: Some(self.task.state.salt.seal_json(&output)),
            why: None,
        })))?;
        self.returned(&report.call, &call, &output, None)
    }

    /// A child without an output: what its task's policy makes of it.
    fn child_failed(&mut self, call: &Call, report: ChildReport) -> Result<(), Stop> {
        let name = call.skill.clone();
        let words = match (&report.why, report.how) {
            (Some(why), _) => format!("sub-task `{name}`: {why}"),
            (None, ChildEnd::Stopped) => format!("sub-task `{name}` was cancelled"),
            (None, _) => format!("sub-task `{name}` failed"),
        };
        let then = self.policy_on(call, report.how);
        let why = self.task.state.salt.seal_text(&words);
        let ChildReport {
            call: id,
            child,
            how,
            spent,
            ..
        } = report;
        self.runtime(Body::ChildEnded(Box::new(ChildEnded {
            call: id.clone(),
            child,
            how,
            then,
            spent,
            output: None,
            why: Some(why.clone()),
        })))?;
        let task = self.task.task_of(call);
        let retry = task.and_then(|task| task.retry).unwrap_or_default();
        let retry_at = match then {
            Then::Again => {
                let step = u64::from(self.task.state.stands.counters.steps);
                let pause = backoff(&self.task.state.task, step, call.attempt, retry);
                Some(self.turn.now.plus_ms(pause))
            }
            Then::Asked => Some(self.turn.now),
            Then::Delivered | Then::LeftOut | Then::Failed => None,
        };
        self.runtime(Body::SkillFailed(SkillFailed {
            call: id.clone(),
            class: match how {
                ChildEnd::NotStarted => SkillFailure::NotStarted,
                _ => SkillFailure::Reported,
            },
            message: why,
            in_doubt: false,
            retry_at,
            usage: None,
        }))?;
        if then == Then::Asked {
            let binding = self.binding(&id);
            self.runtime(Body::ApprovalRequested(ApprovalRequested {
                call: id,
                binding,
            }))?;
        }
        if then == Then::Failed && self.aborts(call) {
            let state = call
                .state
                .as_ref()
                .map_or_else(String::new, |name| name.to_string());
            return Ok(self.fail(Cause::Workflow { state }, words)?);
        }
        self.after_outcome()
    }

    fn policy_on(&self, call: &Call, how: ChildEnd) -> Then {
        let Some(task) = self
            .task
            .task_of(call)
            .filter(|_| self.task.state.is_running())
            .filter(|_| self.task.state.stands.repairs.asked.is_none())
        else {
            return Then::Failed;
        };
        let state = call
            .state
            .as_ref()
            .map(|name| self.task.workflow.machine.state(name));
        let by_runtime = state.is_some_and(|state| state.runs_tasks);
        let attempts = task.retry.unwrap_or_default().attempts;
        match task.on_failure {
            OnChildFailure::Continue if by_runtime => Then::LeftOut,
            OnChildFailure::Retry if how == ChildEnd::Failed && call.attempt < attempts => {
                Then::Again
            }
            OnChildFailure::Ask if how != ChildEnd::NotStarted => Then::Asked,
            _ => Then::Failed,
        }
    }

    /// Whether the failure of a child ends the task at once, so that those beside it
    /// are stopped: where the file says of no other way to go.
    fn aborts(&self, call: &Call) -> bool {
        let state = call
            .state
            .as_ref()
            .map(|name| self.task.workflow.machine.state(name));
        self.task.state.is_running()
            && self.task.state.stands.repairs.asked.is_none()
            && state.is_some_and(|state| state.runs_tasks && !state.failure_declared)
    }
}

/// A child at work, as the fold keeps it.
impl Child {
    pub(super) fn of(body: &ChildStarted) -> Child {
        Child {
            task: body.child.clone(),
            depth: body.depth,
            children: body.children,
            reserved: body.reserved,
            mask: body.mask.clone(),
            inherited: body.inherited.clone(),
        }
    }
}
