//! The books of a run, kept by the oracle from the events alone: what was spent
//! and reserved never passes a budget, and nothing is called once it ran out.

use steadfast_core::budget::OnExhausted;
use steadfast_core::event::model::{ModelCalled, ModelFailure};
use steadfast_core::event::{Body, Event};
use steadfast_core::workflow::Spec;

/// Tokens, model calls, skill calls.
type Three = [u64; 3];

/// The books, at some event.
#[derive(Clone, Debug, Default)]
pub(super) struct Books {
    limits: [Option<u64>; 3],
    spent: Three,
    /// What the open model call holds, and the epoch it was last settled in.
    open: Option<(Three, u64)>,
    /// The budget ran out, and nobody has raised it.
    empty: bool,
    /// Something ended the task, or will.
    over: bool,
}

impl Books {
    pub(super) fn new(spec: &Spec) -> Books {
        let budget = &spec.budget;
        Books {
            limits: [budget.tokens, budget.model_calls, budget.skill_calls],
            ..Books::default()
        }
    }

    /// Takes the next event; the error says which rule it breaks.
    ///
    /// # Errors
    ///
    /// A sentence.
    pub(super) fn step(&mut self, event: &Event) -> Result<(), String> {
        let epoch = event.epoch.0;
        match &event.body {
            Body::ModelCalled(body) => {
                self.may_call("a model")?;
                self.open = Some((bound(body)?, epoch));
            }
            Body::ModelReplied(body) => {
                let usage = body.usage.or(body.counted).unwrap_or_default();
                self.lost(epoch, 0);
                self.open = Some(([0; 3], epoch));
                self.spend([usage.input_tokens + usage.output_tokens, 1, 0]);
            }
            Body::ModelFailed(body) => {
                // Of these the provider may have worked, and charged.
                let charged = matches!(
                    body.class,
                    ModelFailure::Timeout
                        | ModelFailure::Transport
                        | ModelFailure::Malformed
                        | ModelFailure::Empty
                        | ModelFailure::OutputBudget
                );
                match body.made_at_most {
                    Some(calls) => self.given_up(epoch, calls)?,
                    None => self.lost(epoch, u64::from(charged)),
                }
                self.open = None;
            }
            Body::SkillCalled(body) if !body.verifying => {
                self.may_call("a skill")?;
                self.spend([0, 0, 1]);
            }
            Body::BudgetExhausted(body) => {
                self.empty = true;
                self.over |= body.then == OnExhausted::Fail;
                return Ok(());
            }
            Body::BudgetSet(body) => {
                let set = &body.change.task;
                let set = [set.tokens, set.model_calls, set.skill_calls];
                for (limit, set) in self.limits.iter_mut().zip(set) {
                    *limit = set.or(*limit);
                }
                self.empty = false;
            }
            // What the open call took is nobody's to hear; the task may be open again.
            Body::RepairAsked(_) => {
                self.lost(epoch, 1);
                self.open = None;
                self.over = false;
                self.empty = false;
                return Ok(());
            }
            Body::CancelRequested(_) | Body::TaskFailing(_) => {
                self.over = true;
                self.open = None;
                return Ok(());
            }
            Body::TaskFailed(_) | Body::TaskCancelled(_) | Body::TaskCompleted(_) => {
                self.over = true;
                return Ok(());
            }
            _ => return Ok(()),
        }
        self.hold()
    }

    fn may_call(&self, what: &str) -> Result<(), String> {
        match (self.empty, self.over) {
            (true, _) => Err(format!("{what} was called after the budget ran out")),
            (_, true) => Err(format!("{what} was called after the task was told to end")),
            _ => Ok(()),
        }
    }

    /// The open call was sent by each epoch since, of which nothing is known.
    fn lost(&mut self, epoch: u64, own: u64) {
        if let Some((held, since)) = self.open {
            let calls = epoch.saturating_sub(since) + own;
            self.spend(held.map(|one| one * calls));
        }
    }

    /// A call that was lost is given up: it was made at least once, and at most
    /// once by each process before this one.
    fn given_up(&mut self, epoch: u64, calls: u64) -> Result<(), String> {
        let Some((held, since)) = self.open else {
            return Err("a call is given up that nobody made".to_owned());
        };
        if calls == 0 || calls > epoch.saturating_sub(since) {
            return Err(format!("{calls} calls between epochs {since} and {epoch}"));
        }
        self.spend(held.map(|one| one * calls));
        Ok(())
    }

    fn spend(&mut self, amounts: Three) {
        for (spent, amount) in self.spent.iter_mut().zip(amounts) {
            *spent = spent.saturating_add(amount);
        }
    }

    /// Spent and reserved together stay within every limit.
    fn hold(&self) -> Result<(), String> {
        let held = self.open.map_or([0; 3], |(held, _)| held);
        let names = ["tokens", "model calls", "skill calls"];
        for (at, name) in names.into_iter().enumerate() {
            let sum = self.spent[at].saturating_add(held[at]);
            if let Some(limit) = self.limits[at].filter(|limit| sum > *limit) {
                return Err(format!("budget: {sum} of {limit} {name}"));
            }
        }
        Ok(())
    }
}

fn bound(body: &ModelCalled) -> Result<Three, String> {
    let reserved = body.reserved.ok_or("a model call reserves nothing")?;
    let least = u64::from(body.tokens) + u64::from(body.output_tokens_max);
    if reserved.tokens < least || reserved.model_calls != 1 {
        return Err(format!("{reserved:?} reserved for {least} tokens"));
    }
    Ok([reserved.tokens, 1, 0])
}
