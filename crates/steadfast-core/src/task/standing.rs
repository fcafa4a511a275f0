//! Where a task stands in its contract: what is due, what is missing, which text
//! the checks have passed.

use std::collections::BTreeMap;

use crate::content::Content;
use crate::event::machine::Place;
use crate::id::{SkillName, StateName};
use crate::task::Task;
use crate::workflow::spec::{AnswerFrom, Complete};
use crate::workflow::{Edge, StateDef, Target, Use};

impl Task {
    /// The skills that may be called now, in the machine's order: those of the
    /// present state, and where it is optional also those of the state after it.
    pub fn due_skills(&self) -> Vec<SkillName> {
        let (states, _) = self.open_states();
        let mut due = Vec::new();
        for state in states {
            let open = |one: &&Use| self.order_refusal(state, one).is_none();
            // The runtime starts sub-tasks by itself.
            let uses = state.uses.iter().filter(|_| !state.runs_tasks).filter(open);
            for one in uses.filter(|_| !self.is_complete(state)) {
                if !due.contains(&one.skill) {
                    due.push(one.skill.clone());
                }
            }
        }
        due
    }

    /// The states whose skills may be called now, and whether DONE is as near:
    /// an optional state may be passed over along an edge without a condition.
    pub(crate) fn open_states(&self) -> (Vec<&StateDef>, bool) {
        let mut states: Vec<&StateDef> = Vec::new();
        let mut next = self.state.current();
        while let Some(name) = next {
            let state = self.workflow.machine.state(name);
            if states.iter().any(|one| one.name == state.name) {
                break;
            }
            states.push(state);
            // A state in which something was begun is not passed over.
            let begun = states.len() == 1
                && (self.state.beliefs.receipts.contains_key(name)
                    || self
                        .state
                        .stands
                        .calls
                        .values()
                        .any(|c| c.state.as_ref() == Some(name)));
            if state.mandatory || begun {
                break;
            }
            match state.on_success.first() {
                Some(Edge {
                    when: None,
                    to: Target::State(to),
                }) => next = Some(to),
                Some(Edge {
                    when: None,
                    to: Target::Done,
                }) => return (states, true),
                _ => break,
            }
        }
        (states, self.state.beliefs.place == Some(Place::Done))
    }

    pub(crate) fn current_def(&self) -> Option<&StateDef> {
        self.state
            .current()
            .map(|name| self.workflow.machine.state(name))
    }

    /// Whether a state has the receipts that it asks for.
    pub(super) fn is_complete(&self, state: &StateDef) -> bool {
        if self.state.beliefs.skipped.contains_key(&state.name) {
            return true;
        }
        if state.runs_tasks {
            return self.tasks_settled(state);
        }
        let has = |one: &Use| {
            self.state
                .receipt(&state.name, one.skill.as_str())
                .is_some()
        };
        match state.complete {
            Complete::All => {
                state.uses.iter().all(|one| !one.mandatory || has(one))
                    && state.uses.iter().any(has)
            }
            Complete::Any => state.uses.iter().any(has),
        }
    }

    /// Mandatory states without a receipt, and their skills.
    pub(super) fn missing(&self) -> Vec<SkillName> {
        let machine = &self.workflow.machine;
        let open = machine.mandatory().filter(|state| !self.is_complete(state));
        let skills = open.flat_map(|state| {
            state.uses.iter().filter(|one| one.mandatory).filter(|one| {
                self.state
                    .receipt(&state.name, one.skill.as_str())
                    .is_none()
            })
        });
        skills.map(|one| one.skill.clone()).collect()
    }

    /// "done/mandatory" of one machine. A sub-workflow is one step of the machine
    /// that runs it.
    pub(super) fn contract_step(&self, group: Option<&StateName>) -> String {
        let mut steps: BTreeMap<&str, bool> = BTreeMap::new();
        for state in self.workflow.machine.mandatory() {
            let inside = match group {
                Some(group) => match state.name.as_str().strip_prefix(group.as_str()) {
                    Some(rest) if rest.starts_with('/') => &rest[1..],
                    _ => continue,
                },
                None => state.name.as_str(),
            };
            let unit = inside.split('/').next().unwrap_or(inside);
            *steps.entry(unit).or_insert(true) &= self.is_complete(state);
        }
        format!(
            "{}/{}",
            steps.values().filter(|done| **done).count(),
            steps.len()
        )
    }

    /// The skills whose check binds the answer, with the text that each passed.
    pub(super) fn checked(&self) -> Vec<(SkillName, Option<&Content>)> {
        let mandatory = self.workflow.machine.mandatory();
        let uses = mandatory.flat_map(|state| state.uses.iter().map(move |one| (state, one)));
        uses.filter(|(state, one)| {
            let checks = self
                .workflow
                .skill(one.skill.as_str())
                .is_some_and(|s| s.checks.is_some());
            checks && one.mandatory && !self.state.beliefs.skipped.contains_key(&state.name)
        })
        .map(|(state, one)| {
            let receipt = self.state.receipt(&state.name, one.skill.as_str());
            (
                one.skill.clone(),
                receipt.and_then(|receipt| receipt.checked.as_ref()),
            )
        })
        .collect()
    }

    /// Whether the runtime delivers the checked text by itself.
    pub(super) fn delivers_checked(&self) -> bool {
        match self.workflow.spec.answer.from {
            Some(from) => from == AnswerFrom::Checked,
            None => !self.checked().is_empty(),
        }
    }
}
