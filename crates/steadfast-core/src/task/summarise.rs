//! Summaries made anew: asked of a model when a step has left, read by another
//! template when a phase begins, rebuilt from time to time. Always from the raw
//! events of the step, never from a summary.
//!
//! The summary by rule is in place before anything here begins, and stays until
//! another one has passed every check: nothing waits for a summariser, and
//! nothing is lost by one that fails, lies or says nothing.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::archive::ask::{self, Wanted};
use crate::archive::compose::{Candidate, compose_in};
use crate::archive::offer::{self, Fault, Measure};
use crate::archive::raw::RawStep;
use crate::archive::source::Source;
use crate::archive::{Archived, Summary};
use crate::budget::Amounts;
use crate::content::Content;
use crate::context::{Request, request_hash};
use crate::event::Body;
use crate::event::archive::Maker;
use crate::event::memory::{
    Asked, MemorySet, NotTaken, Occasion, SummaryAsked, SummaryRefused, SummaryReplaced,
};
use crate::event::model::{ModelFailure, Usage};
use crate::id::{CallId, Epoch};
use crate::ledger::Constraint;
use crate::limits;
use crate::proposal::{ModelError, Reply};
use crate::rules::Tokenizer;
use crate::task::record::{Draft, RecordError, Recorded, Stop, Turn};
use crate::task::state::SummaryJob;
use crate::task::{Corrupt, Due, Effect, Task};

/// The raw events of a step, and the summariser's reply where one was asked.
#[derive(Clone, Debug)]
pub struct Summarised {
    pub call: CallId,
    /// None: they are gone.
    pub raw: Option<Box<RawStep>>,
    pub outcome: Option<Result<Reply, ModelError>>,
}

impl Task {
    /// Records how the archive is kept, where that is news. Calls nothing.
    ///
    /// # Errors
    ///
    /// Only [`RecordError::Bug`].
    pub fn set_memory(&self, memory: MemorySet, turn: Turn<'_>) -> Result<Recorded, RecordError> {
        let mut draft = Draft::of(self, turn);
        if self.state.outcome().is_none() && self.state.stands.memory.as_ref() != Some(&memory) {
            draft.runtime(Body::MemorySet(Box::new(memory)))?;
        }
        Ok(draft.finish())
    }

    /// Whether there is anything that a keeper of the archive would do by rule:
    /// templates of phases to read by, or an archive long enough to be rebuilt.
    pub fn wants_memory(&self) -> bool {
        let mut phases = self.workflow.spec.phases.values();
        let mut plan = self.state.beliefs.plan.iter();
        phases.any(|phase| !phase.fields.is_empty())
            || plan.any(|phase| !phase.fields.is_empty())
            || self.state.beliefs.archive.archived >= limits::ARCHIVE_REBUILD_STEPS
    }

    /// What the summariser is sent for an open job: the same whenever it is asked.
    /// None where the raw events are no longer those that it was opened for.
    pub fn summary_request(&self, job: &SummaryJob, raw: &RawStep) -> Option<Request> {
        let asked = job.asked.as_ref()?;
        let fault = asked.fault.as_ref().map(|fault| fault.text().into_owned());
        let request = self.ask(job, raw, fault.as_deref());
        let same = request_hash(&request, &self.state.salt) == asked.context;
        same.then_some(request)
    }

    fn ask(&self, job: &SummaryJob, raw: &RawStep, fault: Option<&str>) -> Request {
        let ruled = self.by_rule(job, raw);
        let source = Source::of(self, raw, &ruled.summary);
        let wanted = Wanted {
            step: job.step,
            fields: self.template(job),
            fault,
            lang: self.lang(),
        };
        ask::request(&source, &wanted)
    }

    fn by_rule(&self, job: &SummaryJob, raw: &RawStep) -> Candidate {
        let phase = job.phase.as_deref().unwrap_or_default();
        compose_in(self, &raw.step, raw.to.as_ref(), phase)
    }

    fn template(&self, job: &SummaryJob) -> &[String] {
        let phase = job.phase.as_deref().unwrap_or_default();
        self.template_of(phase)
    }

    /// What summaries keep beside the four, in a phase.
    pub(crate) fn template_of(&self, phase: &str) -> &[String] {
        let spec = self.workflow.spec.phases.get(phase);
        let mut plan = self.state.beliefs.plan.iter();
        let planned = || plan.find(|one| one.name == phase).map(|one| &one.fields);
        let fields = spec.map(|spec| &spec.fields).or_else(planned);
        fields.map(Vec::as_slice).unwrap_or_default()
    }

    /// The effects of open jobs.
    pub(super) fn summaries_due(&self, epoch: Epoch, due: &mut Due) {
        let jobs = self.state.stands.summaries.iter();
        for job in jobs.take(limits::SUMMARIES_AT_ONCE) {
            match self.may_summarise(job, epoch) {
                true => due.effects.push(Effect::Summarise {
                    call: job.call.clone(),
                }),
                // There is no room to ask a second time: it is given up.
                false => due.wake(self.state.last_at),
            }
        }
    }

    /// Whether a job may be carried out under `epoch`: who did so under an earlier
    /// one may have spent what it reserved, without living to say so.
    fn may_summarise(&self, job: &SummaryJob, epoch: Epoch) -> bool {
        let lost = epoch.0.saturating_sub(job.epoch.0);
        let more = job.reserved().times(lost);
        let now = self.state.last_at;
        lost == 0 || self.fits(more, job.state.as_ref(), u32::MAX, now).is_ok()
    }

    /// Whether the next context waits for steps to be read by the template of the
    /// phase that has begun. No model is waited for.
    pub(super) fn is_rereading(&self) -> bool {
        let mut jobs = self.state.stands.summaries.iter();
        jobs.any(|job| job.why == Occasion::Phase && job.asked.is_none())
    }

    fn entry(&self, step: u32) -> Option<&Archived> {
        let mut entries = self.state.beliefs.archive.entries.iter();
        entries.find(|one| one.step == step)
    }

    fn constraints_and_facts(&self) -> (Vec<Constraint>, BTreeMap<String, Value>) {
        let rules = self.state.ledger.in_force().cloned().collect();
        let facts = self.state.facts.iter();
        let facts = facts.map(|(name, fact)| (name.clone(), fact.value.clone()));
        (rules, facts.collect())
    }
}

impl Draft<'_> {
    /// Asks for a better summary of the step that was just archived, where a
    /// summariser is there and the step is long enough to gain by it.
    pub(super) fn summary_of_left(&mut self, raw: &RawStep) -> Result<(), Corrupt> {
        let job = self.job(raw.step.no, Occasion::Left);
        match job {
            Some(job) => self.ask_model(job, raw, 1, None),
            None => Ok(()),
        }
    }

    /// What would be asked of an archived step; none where nobody can be asked, or
    /// too much is open already.
    fn job(&self, step: u32, why: Occasion) -> Option<SummaryJob> {
        let stands = &self.task.state.stands;
        let able = stands.memory.is_some() && stands.summaries.len() < limits::SUMMARIES_OPEN_MAX;
        let entry = self.task.entry(step).filter(|_| able)?;
        let phase = match why {
            Occasion::Left | Occasion::Rebuild => entry.phase.clone(),
            Occasion::Phase => Some(self.task.phase().to_owned()),
        };
        Some(SummaryJob {
            call: CallId::new(format!("a{step}.{}", self.task.state.seq.next().0)),
            step,
            opened: entry.opened,
            archived: entry.archived,
            why,
            phase: phase.filter(|name| !name.is_empty()),
            asked: None,
            state: self.task.state.current().cloned(),
            epoch: self.turn.epoch,
        })
    }

    fn open(&mut self, job: SummaryJob) -> Result<(), Corrupt> {
        self.runtime(Body::SummaryAsked(Box::new(SummaryAsked {
            call: job.call,
            step: job.step,
            opened: job.opened,
            archived: job.archived,
            why: job.why,
            phase: job.phase,
            asked: job.asked,
        })))
    }

    /// Opens a call of the summariser, where the step is worth it and budgets have
    /// room for it.
    fn ask_model(
        &mut self,
        mut job: SummaryJob,
        raw: &RawStep,
        attempt: u32,
        fault: Option<&str>,
    ) -> Result<(), Corrupt> {
        let memory = self.task.state.stands.memory.as_ref();
        let Some(summariser) = memory.and_then(|memory| memory.summariser.clone()) else {
            return Ok(());
        };
        let ruled = self.task.by_rule(&job, raw);
        let source = Source::of(&self.task, raw, &ruled.summary);
        if source.tokens() <= limits::VERBATIM_TOKENS_MAX {
            return Ok(());
        }
        let request = self.task.ask(&job, raw, fault);
        let tokens = tokens_of(&request, self.turn.rules.tokenizer);
        let price = summariser.price.as_ref();
        let reserved = Amounts {
            micros: price.map_or(0, |price| {
                price.cost_micros_max(tokens.into(), limits::SUMMARY_OUTPUT_TOKENS.into())
            }),
            ..self.reservation(tokens, limits::SUMMARY_OUTPUT_TOKENS)
        };
        let bounds = self.task.money_bounds();
        let priced = |money: &crate::budget::Money| price.is_some_and(|p| money.measures(p));
        let now = self.turn.now;
        let fits = self.task.fits(reserved, job.state.as_ref(), u32::MAX, now);
        if fits.is_err() || !bounds.iter().all(priced) {
            let what = match fits {
                Err(exhausted) => exhausted.to_string(),
                Ok(()) => format!("nobody knows what `{}` costs", summariser.model),
            };
            return self.refuse(&job, Fault::of(NotTaken::NoBudget, what), None, false);
        }
        let salt = self.task.state.salt;
        job.asked = Some(Asked {
            model: summariser.model,
            attempt,
            fault: fault.map(|fault| salt.seal_text(fault)),
            context: request_hash(&request, &salt),
            tokens,
            reserved,
        });
        self.open(job)
    }

    /// Takes the outcome of a job in.
    pub(super) fn summarised(&mut self, done: Summarised) -> Result<(), Stop> {
        let jobs = &self.task.state.stands.summaries;
        let Some(job) = jobs.iter().find(|job| job.call == done.call).cloned() else {
            self.note = Some(format!("summary `{}` is not asked for", done.call));
            return Ok(());
        };
        let entry = self.task.entry(job.step).cloned();
        let (Some(entry), Some(raw)) = (entry, done.raw) else {
            let because = match self.task.entry(job.step) {
                None => NotTaken::NotKept,
                Some(_) => NotTaken::NoSource,
            };
            let unknown = done.outcome.is_some();
            return Ok(self.refuse(&job, Fault::of(because, String::new()), None, unknown)?);
        };
        match (&job.asked, done.outcome) {
            (None, _) => Ok(self.reread(&job, &entry, &raw)?),
            (Some(asked), Some(outcome)) => {
                let attempt = asked.attempt;
                Ok(self.offered(&job, attempt, &entry, &raw, outcome)?)
            }
            (Some(_), None) => Ok(self.refuse(
                &job,
                Fault::of(NotTaken::NoSource, String::new()),
                None,
                false,
            )?),
        }
    }

    /// A step read again by rule.
    fn reread(&mut self, job: &SummaryJob, entry: &Archived, raw: &RawStep) -> Result<(), Corrupt> {
        let ruled = self.task.by_rule(job, raw);
        let fields = self.task.template(job);
        let gained = |name: &crate::archive::FieldName| match name {
            crate::archive::FieldName::Phase(name) => fields.contains(name),
            _ => false,
        };
        let better = match (job.why, entry.by_model) {
            // A good summary of a model's stays where the template adds nothing.
            (Occasion::Phase, true) => ruled.summary.fields.iter().any(|one| gained(&one.name)),
            (_, false) => ruled.text != entry.text.text(),
            (_, true) => !self.still_holds(job, entry, raw, &ruled),
        };
        match better {
            true => self.replace(job, &ruled, None)?,
            false => self.refuse(job, Fault::of(NotTaken::Same, String::new()), None, false)?,
        }
        if job.why == Occasion::Phase
            && better
            && let Some(next) = self.job(job.step, Occasion::Phase)
        {
            return self.ask_model(next, raw, 1, None);
        }
        Ok(())
    }

    /// Whether a model's summary would be taken again today.
    fn still_holds(
        &self,
        job: &SummaryJob,
        entry: &Archived,
        raw: &RawStep,
        ruled: &Candidate,
    ) -> bool {
        let summary = entry.summary.as_ref().and_then(|content| content.payload());
        let summary: Option<Summary> = summary.and_then(|bytes| serde_json::from_slice(bytes).ok());
        let Some(summary) = summary else { return false };
        let source = Source::of(&self.task, raw, &ruled.summary);
        let (constraints, facts) = self.task.constraints_and_facts();
        let measure = Measure {
            source: &source,
            ruled,
            fields: self.task.template(job),
            constraints: &constraints,
            facts: &facts,
            lang: self.task.lang(),
        };
        let shown = summary.text(self.task.lang());
        entry.text.text() == shown && offer::holds(&summary.fields, &measure).is_ok()
    }

    fn offered(
        &mut self,
        job: &SummaryJob,
        attempt: u32,
        entry: &Archived,
        raw: &RawStep,
        outcome: Result<Reply, ModelError>,
    ) -> Result<(), Corrupt> {
        let reply = match outcome {
            Ok(reply) => reply,
            Err(error) => {
                let because = match error.class {
                    ModelFailure::Timeout => NotTaken::Timeout,
                    _ => NotTaken::Error,
                };
                let unknown = !error.class.costs_nothing();
                let fault = Fault::of(because, error.message);
                return self.refuse(job, fault, None, unknown);
            }
        };
        let usage = Some(self.used(job, &reply));
        let said = reply.text.as_deref();
        let said = said.map(|text| self.task.state.salt.seal_text(text));
        let ruled = self.task.by_rule(job, raw);
        let source = Source::of(&self.task, raw, &ruled.summary);
        let (constraints, facts) = self.task.constraints_and_facts();
        let measure = Measure {
            source: &source,
            ruled: &ruled,
            fields: self.task.template(job),
            constraints: &constraints,
            facts: &facts,
            lang: self.task.lang(),
        };
        match offer::weigh(&reply, &measure) {
            Ok(taken) => {
                let salt = self.task.state.salt;
                let body = SummaryReplaced {
                    call: job.call.clone(),
                    step: job.step,
                    by: Maker::Model { model: reply.model },
                    phase: taken.summary.phase.clone(),
                    importance: taken.summary.importance,
                    tokens: taken.tokens,
                    summary: salt.seal_own(&taken.summary),
                    text: salt.seal_text(&taken.text),
                    words: entry.words.clone(),
                    rules_stripped: taken.rules_stripped,
                    reply: said,
                    usage,
                };
                self.runtime(Body::SummaryReplaced(Box::new(body)))
            }
            Err(fault) => {
                let told = format!("{}: {}", fault.because.name(), fault.what);
                self.refuse_offer(job, fault, said, usage, false)?;
                if attempt >= limits::SUMMARY_ATTEMPTS_MAX {
                    return Ok(());
                }
                let again = SummaryJob {
                    call: CallId::new(format!("a{}.{}", job.step, self.task.state.seq.next().0)),
                    asked: None,
                    epoch: self.turn.epoch,
                    ..job.clone()
                };
                self.ask_model(again, raw, attempt + 1, Some(&told))
            }
        }
    }

    fn used(&self, job: &SummaryJob, reply: &Reply) -> Usage {
        let tokenizer = self.turn.rules.tokenizer;
        let counted = || Usage {
            input_tokens: job.asked.as_ref().map_or(0, |asked| asked.tokens.into()),
            output_tokens: tokenizer
                .count(reply.text.as_deref().unwrap_or_default())
                .into(),
            cached_input_tokens: 0,
        };
        reply.usage.unwrap_or_else(counted)
    }

    fn replace(
        &mut self,
        job: &SummaryJob,
        ruled: &Candidate,
        usage: Option<Usage>,
    ) -> Result<(), Corrupt> {
        let salt = self.task.state.salt;
        let body = SummaryReplaced {
            call: job.call.clone(),
            step: job.step,
            by: Maker::Rule,
            phase: ruled.summary.phase.clone(),
            importance: ruled.summary.importance,
            tokens: ruled.tokens(),
            summary: salt.seal_own(&ruled.summary),
            text: salt.seal_text(&ruled.text),
            words: ruled.words.as_deref().map(|words| salt.seal_text(words)),
            rules_stripped: 0,
            reply: None,
            usage,
        };
        self.runtime(Body::SummaryReplaced(Box::new(body)))
    }

    fn refuse(
        &mut self,
        job: &SummaryJob,
        fault: Fault,
        usage: Option<Usage>,
        unknown: bool,
    ) -> Result<(), Corrupt> {
        self.refuse_offer(job, fault, None, usage, unknown)
    }

    fn refuse_offer(
        &mut self,
        job: &SummaryJob,
        fault: Fault,
        reply: Option<Content>,
        usage: Option<Usage>,
        unknown: bool,
    ) -> Result<(), Corrupt> {
        let what = Some(fault.what).filter(|what| !what.is_empty());
        let what: Option<String> =
            what.map(|what| what.chars().take(limits::DIAGNOSIS_CHARS_MAX).collect());
        let body = SummaryRefused {
            call: job.call.clone(),
            step: job.step,
            because: fault.because,
            fault: what.map(|what| self.task.state.salt.seal_text(&what)),
            reply,
            usage,
            unknown,
        };
        self.runtime(Body::SummaryRefused(body))
    }

    /// Another phase has begun: what it needs of earlier steps is read from their
    /// raw events, by its template. Once a phase; the newest and what matters.
    pub(super) fn reread_for_phase(&mut self) -> Result<(), Corrupt> {
        let task = &self.task;
        let archive = &task.state.beliefs.archive;
        let phase = task.phase();
        let done = archive.reread_for.as_deref() == Some(phase);
        if task.state.stands.memory.is_none() || done || task.template_of(phase).is_empty() {
            return Ok(());
        }
        let needs = task.workflow.spec.phases.get(phase);
        let needs = needs.map(|spec| spec.needs.as_slice());
        let needs = needs.unwrap_or_default();
        let wanted = |one: &&Archived| {
            let of = one.phase.as_deref().unwrap_or_default();
            of != phase && (needs.is_empty() || needs.iter().any(|need| need == of))
        };
        let mut found: Vec<(u8, u32)> = archive
            .entries
            .iter()
            .filter(wanted)
            .map(|one| (one.importance, one.step))
            .collect();
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(limits::PHASE_REREAD_MAX);
        let mut steps: Vec<u32> = found.into_iter().map(|(_, step)| step).collect();
        steps.sort_unstable();
        self.read_again(&steps, Occasion::Phase)
    }

    /// From time to time, part of the archive is made anew from raw events.
    pub(super) fn rebuild_archive(&mut self) -> Result<(), Corrupt> {
        let archive = &self.task.state.beliefs.archive;
        let since = archive.archived.saturating_sub(archive.rebuilt_at);
        let able = self.task.state.stands.memory.is_some();
        if !able || since < limits::ARCHIVE_REBUILD_STEPS {
            return Ok(());
        }
        let steps = archive.entries.iter().map(|one| one.step);
        let behind = steps.clone().filter(|step| *step > archive.rebuilt_to);
        let mut batch: Vec<u32> = behind.take(limits::ARCHIVE_REBUILD_BATCH).collect();
        if batch.is_empty() {
            batch = steps.take(limits::ARCHIVE_REBUILD_BATCH).collect();
        }
        self.read_again(&batch, Occasion::Rebuild)
    }

    fn read_again(&mut self, steps: &[u32], why: Occasion) -> Result<(), Corrupt> {
        for step in steps {
            if let Some(job) = self.job(*step, why) {
                self.open(job)?;
            }
        }
        Ok(())
    }

    /// Gives up what was at work when its process died, where there is no room to
    /// ask again.
    pub(super) fn give_up_lost_summaries(&mut self) -> Result<(), Corrupt> {
        let epoch = self.turn.epoch;
        let jobs = self.task.state.stands.summaries.iter();
        let lost = jobs.filter(|job| !self.task.may_summarise(job, epoch));
        let lost: Vec<SummaryJob> = lost.cloned().collect();
        for job in &lost {
            self.refuse(job, Fault::of(NotTaken::Lost, String::new()), None, false)?;
        }
        Ok(())
    }
}

/// Tokens of a request, its schema among them.
fn tokens_of(request: &Request, tokenizer: &dyn Tokenizer) -> u32 {
    let texts: u32 = request
        .messages
        .iter()
        .map(|message| tokenizer.count(&message.text()) + 4)
        .sum();
    texts + tokenizer.count(&request.answer_schema.to_string())
}
