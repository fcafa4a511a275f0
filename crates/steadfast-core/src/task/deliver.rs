//! Delivery: at DONE, the text that passed the checks goes out, and no other.

use crate::content::Content;
use crate::event::Body;
use crate::event::machine::Place;
use crate::event::proposal::{AnswerAdmitted, AnswerRefused};
use crate::event::task::Cause;
use crate::id::StateName;
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
            Ok(_) if self.withhold(&answer)? || self.vet_answer(&answer)? => Ok(()),
            Ok(observed) => {
                let not_checked = self.task.not_checked(&answer, self.turn.rules);
                self.look_at_end(None, not_checked.len())?;
                let body = AnswerAdmitted {
                    answer: answer.clone(),
                    not_checked,
                    observed,
                };
                self.runtime(Body::AnswerAdmitted(body))?;
                self.send_out(answer)
            }
            Err(Refusal::NewMessage) => match self.place_to_reopen() {
                Some(to) => self.reopen_check(to),
                None => self.deliver_unheard(answer),
            },
            Err(refusal) => self.refuse_checked(answer, refusal, None),
        }
    }

    /// Refuses the checked text, and has it written anew where that may help.
    pub(super) fn refuse_checked(
        &mut self,
        answer: Content,
        refusal: Refusal,
        repair: Option<Content>,
    ) -> Result<(), Stop> {
        let why = refusal.explain("the answer");
        let again = match refusal {
            Refusal::BreaksRules { .. } => Some("the checked text breaks a rule in force"),
            Refusal::NotValidated => Some("the checked text did not pass its validation"),
            Refusal::NotVouched { .. } => Some("a person did not let the checked text out"),
            _ => None,
        };
        let body = AnswerRefused {
            repair: repair.or_else(|| self.repair(&answer, &refusal)),
            answer,
            refusal,
            due: Vec::new(),
        };
        self.runtime(Body::AnswerRefused(body))?;
        if self.stop_if_spent()? {
            return Ok(());
        }
        if let Some((to, again)) = self.place_to_reopen().zip(again) {
            return self.go(Target::State(to), None, Some(again.to_owned()));
        }
        let cause = Cause::Workflow {
            state: "DONE".to_owned(),
        };
        Ok(self.fail(
            cause,
            format!("the checked text cannot be delivered: {why}"),
        )?)
    }

    /// Delivers although the user has said something that no model has read: what
    /// was done since the check cannot be taken back. The log says so.
    fn deliver_unheard(&mut self, answer: Content) -> Result<(), Stop> {
        if self.vet_answer(&answer)? {
            return Ok(());
        }
        let observed = vec![Refusal::NewMessage];
        self.runtime(Body::AnswerAdmitted(AnswerAdmitted {
            answer: answer.clone(),
            not_checked: self.task.not_checked(&answer, self.turn.rules),
            observed,
        }))?;
        self.send_out(answer)
    }

    /// Where the machine goes back to when the user's words reopen the check:
    /// along the check's failure edge, else to the check itself. Nowhere, once
    /// something that acts on the world was done behind that place: going back
    /// would do it again.
    fn place_to_reopen(&self) -> Option<StateName> {
        let machine = &self.task.workflow.machine;
        let has_check = |state: &&StateDef| {
            let mut uses = state.uses.iter();
            uses.any(|one| {
                let spec = self.task.workflow.skill(one.skill.as_str());
                spec.is_some_and(|spec| spec.checks.is_some())
            })
        };
        let check = machine.mandatory().find(has_check)?;
        let edge = check.on_failure.iter().find_map(|edge| match &edge.to {
            Target::State(name) => Some(name.clone()),
            _ => None,
        });
        let to = edge.unwrap_or_else(|| check.name.clone());
        let receipts = self.task.state.beliefs.receipts.get(&to);
        let since = receipts.and_then(|all| all.values().map(|one| one.seq).min());
        let mut deeds = self.task.state.stands.deeds.iter();
        let acted = deeds.any(|deed| since.is_none_or(|since| deed.seq >= since));
        (!acted).then_some(to)
    }

    fn reopen_check(&mut self, to: StateName) -> Result<(), Stop> {
        let condition = Some("the user said something new".to_owned());
        self.go(Target::State(to), None, condition)
    }
}
