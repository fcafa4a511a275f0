//! What the events of summaries made anew do to the state, the books among it.

use crate::budget::Amounts;
use crate::event::Event;
use crate::event::memory::{NotTaken, Occasion, SummaryAsked, SummaryRefused, SummaryReplaced};
use crate::event::model::Usage;
use crate::id::{CallId, Epoch};
use crate::task::state::{State, SummaryJob};

impl State {
    pub(super) fn summary_asked(&mut self, event: &Event, body: &SummaryAsked) {
        let archive = &mut self.beliefs.archive;
        match body.why {
            Occasion::Left => {}
            Occasion::Phase => archive.reread_for.clone_from(&body.phase),
            Occasion::Rebuild => {
                archive.rebuilt_at = archive.archived;
                archive.rebuilt_to = body.step;
            }
        }
        let job = SummaryJob {
            call: body.call.clone(),
            step: body.step,
            opened: body.opened,
            archived: body.archived,
            why: body.why,
            phase: body.phase.clone(),
            asked: body.asked.clone(),
            state: self.current().cloned(),
            epoch: event.epoch,
        };
        let account = &mut self.stands.account;
        account.reserve_aside(job.state.as_ref(), job.reserved());
        self.stands.spent.model_calls += u64::from(job.asked.is_some());
        self.stands.summaries.push(job);
    }

    pub(super) fn summary_replaced(
        &mut self,
        event: &Event,
        body: &SummaryReplaced,
    ) -> Result<(), String> {
        self.close_summary(event.epoch, &body.call, body.usage, false)?;
        self.beliefs.archive.replace(event.seq, body);
        Ok(())
    }

    pub(super) fn summary_refused(
        &mut self,
        event: &Event,
        body: &SummaryRefused,
    ) -> Result<(), String> {
        // One that no budget has room for was never asked for.
        if body.because == NotTaken::NoBudget {
            return Ok(());
        }
        self.close_summary(event.epoch, &body.call, body.usage, body.unknown)
    }

    /// Lets go of what is being made anew. A call may have been made, so what it
    /// reserved stays in the books.
    pub(super) fn abandon_summaries(&mut self, epoch: Epoch) {
        for job in std::mem::take(&mut self.stands.summaries) {
            let unrecorded = epoch.0.saturating_sub(job.epoch.0);
            self.summary_unknown(&job, unrecorded + 1);
            let account = &mut self.stands.account;
            account.settle_aside(job.state.as_ref(), job.reserved(), Amounts::default());
        }
    }

    fn close_summary(
        &mut self,
        epoch: Epoch,
        call: &CallId,
        usage: Option<Usage>,
        unknown: bool,
    ) -> Result<(), String> {
        let jobs = &mut self.stands.summaries;
        let at = jobs.iter().position(|job| job.call == *call);
        let job = jobs.remove(at.ok_or_else(|| format!("summary `{call}` is not asked for"))?);
        let unrecorded = epoch.0.saturating_sub(job.epoch.0);
        self.summary_unknown(&job, unrecorded + u64::from(unknown));
        let memory = self.stands.memory.as_ref();
        let summariser = memory.and_then(|memory| memory.summariser.as_ref());
        let price = summariser.and_then(|summariser| summariser.price.as_ref());
        let took = usage.map_or_else(Amounts::default, |usage| Amounts {
            tokens: usage.input_tokens.saturating_add(usage.output_tokens),
            micros: price.map_or(0, |price| price.cost_micros(&usage)),
            model_calls: 1,
            skill_calls: 0,
        });
        let spent = &mut self.stands.spent;
        let usage = usage.unwrap_or_default();
        spent.input_tokens = spent.input_tokens.saturating_add(usage.input_tokens);
        spent.output_tokens = spent.output_tokens.saturating_add(usage.output_tokens);
        spent.micros = spent.micros.saturating_add(took.micros);
        let account = &mut self.stands.account;
        account.settle_aside(job.state.as_ref(), job.reserved(), took);
        Ok(())
    }

    fn summary_unknown(&mut self, job: &SummaryJob, calls: u64) {
        let lost = job.reserved().times(calls);
        let spent = &mut self.stands.spent;
        spent.unknown_tokens = spent.unknown_tokens.saturating_add(lost.tokens);
        spent.unknown_micros = spent.unknown_micros.saturating_add(lost.micros);
        let account = &mut self.stands.account;
        account.unknown_aside(job.state.as_ref(), job.reserved(), calls);
    }
}
