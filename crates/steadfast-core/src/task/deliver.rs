//! Delivery: at DONE, the text that passed the checks goes out, and no other.

use crate::event::Body;
use crate::event::machine::Place;
use crate::event::proposal::{AnswerAdmitted, AnswerRefused};
use crate::event::task::{Cause, TaskCompleted};
use crate::task::record::{Draft, Stop};
use crate::workflow::gate::Refusal;
use crate::workflow::{StateDef, Target};

impl Draft<'_> {
    /// At DONE, delivers the text that passed the checks. New words of the user
    /// reopen the check instead: its pass lapsed, since its inputs changed.
    pub(super) fn deliver(&mut self) -> Result<(), Stop> {
        let idle = self.task.state.stands.calls.is_empty();
        let done = self.task.state.beliefs.place == Some(Place::Done);
        if !done || !idle || !self.task.delivers_checked() {
            return Ok(());
        }
        let checked = self.task.checked();
        let Some(answer) = checked.iter().find_map(|(_, text)| text.cloned()) else {
            return Ok(());
        };
        match self.task.admit_answer(&answer, self.turn.rules) {
            Ok(observed) => {
                let body = AnswerAdmitted {
                    answer: answer.clone(),
                    observed,
                };
                self.runtime(Body::AnswerAdmitted(body))?;
                Ok(self.runtime(Body::TaskCompleted(TaskCompleted { answer }))?)
            }
            Err(Refusal::NewMessage) => self.reopen_check(),
            Err(refusal) => {
                let why = refusal.explain("the answer");
                let body = AnswerRefused {
                    answer,
                    refusal,
                    due: Vec::new(),
                };
                self.runtime(Body::AnswerRefused(body))?;
                let cause = Cause::Workflow {
                    state: "DONE".to_owned(),
                };
                Ok(self.fail(
                    cause,
                    format!("the checked text cannot be delivered: {why}"),
                )?)
            }
        }
    }

    fn reopen_check(&mut self) -> Result<(), Stop> {
        let machine = &self.task.workflow.machine;
        let has_check = |state: &&StateDef| {
            let mut uses = state.uses.iter();
            uses.any(|one| {
                self.task
                    .workflow
                    .skill(one.skill.as_str())
                    .is_some_and(|s| s.checks.is_some())
            })
        };
        let state = machine
            .mandatory()
            .find(has_check)
            .expect("a checked text has its check");
        let edge = state.on_failure.iter().find_map(|edge| match &edge.to {
            Target::State(name) => Some(name.clone()),
            _ => None,
        });
        let to = edge.unwrap_or_else(|| state.name.clone());
        self.go(
            Target::State(to),
            None,
            Some("the user said something new".to_owned()),
        )
    }
}
