//! Steps that leave the working layer: each is summed up, checked and recorded
//! in the very batch in which it leaves, so that no step is ever out of view
//! without its summary, and a summary that fails changes nothing.

use crate::archive::raw::RawStep;
use crate::archive::{Candidate, compose};
use crate::context::{self, Context, Infeasible, view};
use crate::event::Body;
use crate::event::archive::{Maker, StepArchived, Why};
use crate::task::Corrupt;
use crate::task::record::Draft;

impl Draft<'_> {
    /// Archives what the runtime's own calls have piled up. They open no model
    /// call, at which steps leave otherwise.
    pub(super) fn archive_surplus(&mut self) -> Result<(), Corrupt> {
        let state = &self.task.state;
        let settled = state.stands.calls.is_empty() && state.stands.model.is_none();
        if settled && state.beliefs.steps.len() > view::steps_max(&self.task) {
            self.archive_beyond(view::steps(&self.task), Why::WorkingLayer)?;
        }
        Ok(())
    }

    /// The context of the next call. Steps that it has no room for in full are
    /// archived first, since they would otherwise be shown in no form at all.
    pub(super) fn assemble(
        &mut self,
        allowance: u32,
    ) -> Result<Result<Context, Infeasible>, Corrupt> {
        self.archive_beyond(view::steps(&self.task), Why::WorkingLayer)?;
        // In the batch that made the archive that long, or the next input, whatever
        // it is, would seem to ask for it.
        self.rebuild_archive()?;
        loop {
            let made = context::assemble(&self.task, allowance, self.turn.rules.tokenizer);
            let in_view = self.task.state.beliefs.steps.len();
            match &made {
                // One step at least stays, so this comes to an end.
                Ok(context) if context.steps < in_view => {
                    self.archive_beyond(context.steps.max(1), Why::Window)?;
                    if context.steps == 0 {
                        return Ok(made);
                    }
                }
                _ => return Ok(made),
            }
        }
    }

    /// Archives all but the last `keep` steps.
    fn archive_beyond(&mut self, keep: usize, why: Why) -> Result<(), Corrupt> {
        while self.task.state.beliefs.steps.len() > keep {
            let steps = &self.task.state.beliefs.steps;
            let (Some(step), Some(next)) = (steps.front(), steps.get(1)) else {
                return Ok(());
            };
            let to = next.state.clone();
            let opened = step.seq;
            let candidate = compose(&self.task, step, to.as_ref());
            let raw = RawStep {
                step: step.clone(),
                to,
            };
            self.archive(candidate, opened, Maker::Rule, why)?;
            self.summary_of_left(&raw)?;
        }
        Ok(())
    }

    fn archive(
        &mut self,
        candidate: Candidate,
        opened: crate::id::Seq,
        by: Maker,
        why: Why,
    ) -> Result<(), Corrupt> {
        let salt = self.task.state.salt;
        let tokens = candidate.tokens();
        let body = StepArchived {
            step: candidate.summary.step,
            opened,
            covers: candidate.covers,
            calls: candidate.calls,
            asked: candidate.asked,
            importance: candidate.summary.importance,
            phase: candidate.summary.phase.clone(),
            tokens,
            by,
            why,
            summary: salt.seal_own(&candidate.summary),
            text: salt.seal_text(&candidate.text),
            words: candidate.words.map(|words| salt.seal_text(&words)),
        };
        self.runtime(Body::StepArchived(Box::new(body)))
    }
}
