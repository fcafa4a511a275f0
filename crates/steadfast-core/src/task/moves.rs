//! The moves of the machine: which edge is followed, and what stands in its way.

use crate::event::Body;
use crate::event::machine::{Place, StateEntered, StateSkipped};
use crate::event::task::Cause;
use crate::id::{CallId, SkillName, StateName};
use crate::limits;
use crate::task::record::{Draft, Stop};
use crate::task::state::{CallOutcome, Lifecycle};
use crate::workflow::{Edge, StateDef, Target};

impl Draft<'_> {
    pub(super) fn enter_initial(&mut self) -> Result<(), Stop> {
        let initial = self.task.workflow.machine.initial.clone();
        self.go(Target::State(initial), None, None)
    }

    /// Follows the machine once no call of the present state is at work. A pause
    /// holds back effects, not what their outcomes mean.
    pub(super) fn after_outcome(&mut self) -> Result<(), Stop> {
        if !matches!(
            self.task.state.stands.lifecycle,
            Lifecycle::Running | Lifecycle::Paused
        ) {
            return Ok(());
        }
        // The repair that waits decides where the machine stands; it must not be
        // ended over what is about to be void.
        if self.task.state.stands.repairs.asked.is_some() {
            return Ok(());
        }
        let Some(name) = self.task.state.current().cloned() else {
            return Ok(());
        };
        let calls = self.task.state.stands.calls.values();
        if calls
            .into_iter()
            .any(|call| call.state.as_ref() == Some(&name))
        {
            return Ok(());
        }
        let state = self.task.workflow.machine.state(&name).clone();
        if self.task.is_complete(&state) {
            self.follow(&state.on_success, &state)
        } else if self.task.state.beliefs.visit.unhandled > 0 {
            self.follow(&state.on_failure, &state)
        } else {
            Ok(())
        }
    }

    /// Takes the first edge whose condition holds.
    fn follow(&mut self, edges: &[Edge], state: &StateDef) -> Result<(), Stop> {
        for edge in edges {
            let holds = match &edge.when {
                Some(condition) => self.task.holds(condition, None, self.turn.rules)?,
                None => true,
            };
            if holds {
                return self.go(edge.to.clone(), Some(state), edge.when.clone());
            }
        }
        let name = state.name.to_string();
        let diagnosis = format!("no edge of state `{name}` applies");
        Ok(self.fail(Cause::Workflow { state: name }, diagnosis)?)
    }

    pub(super) fn go(
        &mut self,
        to: Target,
        from: Option<&StateDef>,
        condition: Option<String>,
    ) -> Result<(), Stop> {
        let by = from.and_then(|state| self.last_call(&state.name));
        let origin = from.map(|state| state.name.clone());
        let mut entered = StateEntered {
            from: origin,
            to: Place::Done,
            by,
            condition,
            retry: false,
        };
        match to {
            Target::Done => Ok(self.runtime(Body::StateEntered(entered))?),
            Target::Failed => {
                entered.to = Place::Failed;
                self.runtime(Body::StateEntered(entered))?;
                let state = from.map_or_else(String::new, |state| state.name.to_string());
                let diagnosis = format!(
                    "state `{state}` failed, and its edge leads to FAILED{}",
                    self.last_failure()
                );
                Ok(self.fail(Cause::Workflow { state }, diagnosis)?)
            }
            Target::Retry => {
                let state = from.expect("only a state has a retry edge");
                let attempts = self.attempts(state);
                let failures = self.task.state.beliefs.visit.failures;
                if failures < attempts {
                    entered.to = Place::State(state.name.clone());
                    entered.retry = true;
                    return Ok(self.runtime(Body::StateEntered(entered))?);
                }
                entered.to = Place::Failed;
                let name = state.name.to_string();
                self.runtime(Body::StateEntered(entered))?;
                let diagnosis = format!(
                    "state `{name}` failed {failures} times, and its retries are spent{}",
                    self.last_failure()
                );
                Ok(self.fail(Cause::Workflow { state: name }, diagnosis)?)
            }
            Target::State(name) => {
                let stands = &self.task.state.stands;
                let of = |visits: &std::collections::BTreeMap<_, u32>| {
                    visits.get(&name).copied().unwrap_or_default()
                };
                let visits = of(&stands.counters.visits) - of(&stands.round.visits);
                let limit = self.task.workflow.spec.limits.visits;
                if visits >= limit {
                    let diagnosis = format!(
                        "state `{name}` would be entered more than {limit} times{}",
                        self.last_failure()
                    );
                    let cause = Cause::Limit {
                        limit: "visits".to_owned(),
                        value: u64::from(limit),
                    };
                    return Ok(self.fail(cause, diagnosis)?);
                }
                entered.to = Place::State(name.clone());
                self.runtime(Body::StateEntered(entered))?;
                if self.keep_deeds(&name)? {
                    return self.after_outcome();
                }
                self.skip_if_ruled(&name)
            }
        }
    }

    /// Passes over optional states until the machine stands where `skill` is
    /// called, or at DONE for none. The gate has found the way already.
    pub(super) fn pass_optional(&mut self, skill: Option<&str>) -> Result<(), Stop> {
        let (states, done) = self.task.open_states();
        let stop = skill.and_then(|skill| states.iter().position(|s| s.find(skill).is_some()));
        let passed = match (skill, stop) {
            (Some(_), Some(stop)) => stop,
            (None, _) if done => states.len(),
            _ => return Ok(()),
        };
        let passed: Vec<StateDef> = states[..passed].iter().map(|s| (*s).clone()).collect();
        for state in passed {
            let condition = "optional".to_owned();
            let body = StateSkipped {
                state: state.name.clone(),
                condition,
            };
            self.runtime(Body::StateSkipped(body))?;
            self.follow(&state.on_success, &state)?;
        }
        Ok(())
    }

    fn skip_if_ruled(&mut self, name: &StateName) -> Result<(), Stop> {
        let state = self.task.workflow.machine.state(name).clone();
        let Some(condition) = &state.skip_when else {
            return Ok(());
        };
        if !self.task.holds(condition, None, self.turn.rules)? {
            return Ok(());
        }
        let skipped = StateSkipped {
            state: name.clone(),
            condition: condition.clone(),
        };
        self.runtime(Body::StateSkipped(skipped))?;
        self.follow(&state.on_success, &state)
    }

    fn attempts(&self, state: &StateDef) -> u32 {
        let of_skill = |skill: &SkillName| {
            self.task
                .workflow
                .skill(skill.as_str())
                .and_then(|spec| spec.retry)
        };
        let policies = state.uses.iter().map(|one| {
            state
                .retry
                .or_else(|| of_skill(&one.skill))
                .unwrap_or_default()
                .attempts
        });
        policies.max().unwrap_or(limits::RETRY_ATTEMPTS_DEFAULT)
    }

    /// The last call that came to its end for a state.
    fn last_call(&self, state: &StateName) -> Option<CallId> {
        let receipts = self.task.state.beliefs.receipts.get(state);
        let newest = receipts.and_then(|all| all.values().max_by_key(|one| one.seq));
        match self.task.state.beliefs.visit.unhandled {
            0 => newest.map(|receipt| receipt.call.clone()),
            _ => {
                let steps = self.task.state.beliefs.steps.iter().rev();
                let mut calls = steps.flat_map(|step| step.calls.iter().rev());
                calls
                    .find(|call| call.outcome.is_failure())
                    .map(|call| call.call.clone())
            }
        }
    }

    /// What went wrong last, for a diagnosis.
    pub(super) fn last_failure(&self) -> String {
        let steps = self.task.state.beliefs.steps.iter().rev();
        let mut calls = steps.flat_map(|step| step.calls.iter().rev());
        let Some(call) = calls.find(|call| call.outcome.is_failure()) else {
            return String::new();
        };
        let why = match &call.outcome {
            CallOutcome::Returned {
                because: Some(because),
                result,
                ..
            } => format!("{because}, the result was {}", shortened(&result.text())),
            CallOutcome::Failed { message, .. } => shortened(&message.text()),
            CallOutcome::Denied { reason } => match reason {
                Some(reason) => format!("a person said no: {}", shortened(&reason.text())),
                None => "a person said no".to_owned(),
            },
            CallOutcome::Settled { .. } => "the deed was found not done".to_owned(),
            _ => return String::new(),
        };
        let skill = format!("`{}`", call.skill);
        match why.contains(&skill) {
            true => format!(": {why}"),
            false => format!(": {skill}: {why}"),
        }
    }
}

/// The beginning of a text, for a diagnosis.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(limits::DIAGNOSIS_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
