//! What a call may still take: the bounds in force, held against the books.
//!
//! A call is asked about before it is made, with its upper bound; the answer
//! counts what is spent, what is unknown and what other calls have reserved.

use crate::budget::{Amounts, Bounds, Exhausted, OnExhausted, Resource, Scope, Tally, ancestry};
use crate::event::Body;
use crate::event::budget::BudgetExhausted;
use crate::event::model::{ModelFailed, ModelFailure};
use crate::event::task::Cause;
use crate::id::{Epoch, StateName, Timestamp};
use crate::limits;
use crate::task::record::{Draft, Stop};
use crate::task::state::ModelSlot;
use crate::task::{Corrupt, Task};

/// One of the counts of an amount.
type Count = fn(&Amounts) -> u64;

impl Task {
    /// The bounds in force: what an operator set, else what the workflow says.
    pub fn bounds(&self, scope: &Scope) -> Bounds {
        let (set, spec) = (&self.state.stands.budget, &self.workflow.spec);
        match scope {
            Scope::Task => {
                let mut declared = spec.budget.bounds();
                let both = declared.tokens.into_iter().chain(spec.limits.tokens);
                declared.tokens = both.min();
                set.task.or(&declared)
            }
            Scope::State(name) => {
                let none = Bounds::default();
                let set = set.states.get(name).unwrap_or(&none);
                set.or(self.workflow.machine.budgets.get(name).unwrap_or(&none))
            }
            Scope::Step(_) => set.step.or(&spec.budget.step),
        }
    }

    /// What becomes of the task when a call does not fit.
    pub fn on_exhausted(&self) -> OnExhausted {
        let declared = self.workflow.spec.budget.on_exhausted;
        self.state.stands.budget.on_exhausted.unwrap_or(declared)
    }

    /// Every budget of money that holds anywhere in the task, as its bounds say.
    pub fn money_bounds(&self) -> Vec<crate::budget::Money> {
        let set = &self.state.stands.budget;
        let names = self
            .workflow
            .machine
            .budgets
            .keys()
            .chain(set.states.keys());
        let states = names.map(|name| Scope::State(name.clone()));
        let scopes = [Scope::Task, Scope::Step(0)].into_iter().chain(states);
        scopes
            .filter_map(|scope| self.bounds(&scope).money)
            .collect()
    }

    /// What a call of a skill takes at least. One that asks a model takes tokens:
    /// how many shows only when it returns, but without any left it is not made.
    pub(super) fn asked_by(&self, skill: &str) -> Amounts {
        let spec = self.workflow.skill(skill);
        let asks_model = spec.is_some_and(|spec| spec.kind.as_deref() == Some("prompt"));
        Amounts {
            tokens: asks_model.into(),
            ..Amounts::SKILL_CALL
        }
    }

    /// Whether a call fits everywhere it counts.
    pub(super) fn fits(
        &self,
        asked: Amounts,
        state: Option<&StateName>,
        step: u32,
        now: Timestamp,
    ) -> Result<(), Exhausted> {
        self.fits_in(scopes(state, step), asked, now)
    }

    /// The same for some scopes only.
    pub(super) fn fits_in(
        &self,
        scopes: impl Iterator<Item = Scope>,
        asked: Amounts,
        now: Timestamp,
    ) -> Result<(), Exhausted> {
        for scope in scopes {
            let bounds = self.bounds(&scope);
            let tally = self.tally(&scope);
            self.priced(&scope, &bounds, asked)?;
            let currency = bounds.money.as_ref().map(|money| money.currency.clone());
            let micros = bounds.money.as_ref().map(|money| money.micros);
            let counted: [(Resource, Option<u64>, Count); 4] = [
                (Resource::Tokens, bounds.tokens, |a| a.tokens),
                (Resource::Money, micros, |a| a.micros),
                (Resource::ModelCalls, bounds.model_calls, |a| a.model_calls),
                (Resource::SkillCalls, bounds.skill_calls, |a| a.skill_calls),
            ];
            for (resource, limit, of) in counted {
                let (spent, reserved) = (of(&tally.used()), of(&tally.reserved));
                let (Some(limit), asked @ 1..) = (limit, of(&asked)) else {
                    continue;
                };
                if spent.saturating_add(reserved).saturating_add(asked) > limit {
                    return Err(Exhausted {
                        scope,
                        resource,
                        limit,
                        spent,
                        reserved,
                        asked,
                        currency: currency.filter(|_| resource == Resource::Money),
                        unpriced: false,
                    });
                }
            }
            self.in_time(&scope, &bounds, now)?;
        }
        Ok(())
    }

    /// A model call under a budget of money needs a price.
    fn priced(&self, scope: &Scope, bounds: &Bounds, asked: Amounts) -> Result<(), Exhausted> {
        let Some(money) = bounds.money.as_ref().filter(|_| asked.model_calls > 0) else {
            return Ok(());
        };
        let price = self.state.stands.price.as_ref();
        if price.is_some_and(|price| money.measures(price)) {
            return Ok(());
        }
        let tally = self.tally(scope);
        Err(Exhausted {
            scope: scope.clone(),
            resource: Resource::Money,
            limit: money.micros,
            spent: tally.used().micros,
            reserved: tally.reserved.micros,
            asked: 0,
            currency: Some(money.currency.clone()),
            unpriced: true,
        })
    }

    fn in_time(&self, scope: &Scope, bounds: &Bounds, now: Timestamp) -> Result<(), Exhausted> {
        let elapsed = self.elapsed_ms(scope, now);
        match bounds.time_ms {
            Some(limit) if elapsed >= limit => Err(Exhausted {
                scope: scope.clone(),
                resource: Resource::Time,
                limit,
                spent: elapsed,
                reserved: 0,
                asked: 0,
                currency: None,
                unpriced: false,
            }),
            _ => Ok(()),
        }
    }

    /// The scopes that count just now.
    fn present_scopes(&self) -> impl Iterator<Item = Scope> {
        scopes(self.state.current(), self.state.stands.account.step_no)
    }

    /// A budget of time that has run out, where that ends the task by itself.
    pub(super) fn overdue(&self, now: Timestamp) -> Option<Exhausted> {
        if self.on_exhausted() == OnExhausted::Ask {
            return None;
        }
        self.present_scopes()
            .find_map(|scope| self.in_time(&scope, &self.bounds(&scope), now).err())
    }

    /// When the next budget of time runs out, where that ends the task by itself.
    pub(super) fn deadline(&self) -> Option<Timestamp> {
        if self.on_exhausted() == OnExhausted::Ask {
            return None;
        }
        let last = self.state.last_at;
        let ends = |scope: Scope| {
            let limit = self.bounds(&scope).time_ms?;
            Some(last.plus_ms(limit.saturating_sub(self.elapsed_ms(&scope, last))))
        };
        self.present_scopes().filter_map(ends).min()
    }

    pub(super) fn tally(&self, scope: &Scope) -> Tally {
        let account = &self.state.stands.account;
        match scope {
            Scope::Task => account.task,
            Scope::State(name) => account.states.get(name).copied().unwrap_or_default(),
            Scope::Step(no) if *no == account.step_no => account.step,
            Scope::Step(_) => Tally::default(),
        }
    }

    fn elapsed_ms(&self, scope: &Scope, now: Timestamp) -> u64 {
        let account = &self.state.stands.account;
        match scope {
            Scope::Task => now.ms_since(self.state.started_at),
            Scope::State(name) => {
                let before = account.state_ms.get(name).copied().unwrap_or(0);
                let here = self.state.current();
                let inside = here.is_some_and(|here| ancestry(here).any(|one| one == *name));
                before + u64::from(inside) * now.ms_since(account.state_since)
            }
            Scope::Step(no) if *no == account.step_no => now.ms_since(account.step_since),
            Scope::Step(_) => 0,
        }
    }

    /// How often a call can have been made by the processes before `epoch`: each
    /// made it only where the budget had room for those before it. One that held
    /// the task while it was paused, or only looked at it, made none.
    fn made_at_most(&self, slot: &ModelSlot, epoch: Epoch) -> u64 {
        let before = epoch.0.saturating_sub(slot.epoch.0);
        let fits = |more: &u64| {
            let more = slot.reserved.times(*more);
            let now = self.state.last_at;
            let fit = self.fits(more, slot.state.as_ref(), slot.step, now);
            // Time that has run out since says nothing about then.
            fit.is_ok() || fit.is_err_and(|no| no.resource == Resource::Time)
        };
        1 + (1..before).take_while(fits).count() as u64
    }

    /// Whether an open model call may be sent under `epoch`. Who sent it under an
    /// earlier one may have spent what it reserved, without living to say so; and
    /// a context that tells an old time must not be shown again.
    pub(super) fn may_send(&self, slot: &ModelSlot, now: Timestamp, epoch: Epoch) -> bool {
        let lost = epoch.0.saturating_sub(slot.epoch.0);
        let more = slot.reserved.times(lost);
        let told = self.state.stands.clock.as_ref();
        let is_old = told.is_some_and(|clock| {
            let age = now.0.saturating_sub(clock.at.0) / 1_000_000;
            u64::try_from(age).is_ok_and(|age| age >= limits::CLOCK_REST_SECONDS)
        });
        lost == 0 || !is_old && self.fits(more, slot.state.as_ref(), slot.step, now).is_ok()
    }
}

/// The scopes in which a call of a state and step counts.
fn scopes(state: Option<&StateName>, step: u32) -> impl Iterator<Item = Scope> {
    let names: Vec<StateName> = state.into_iter().flat_map(ancestry).collect();
    std::iter::once(Scope::Task)
        .chain(names.into_iter().map(Scope::State))
        .chain(std::iter::once(Scope::Step(step)))
}

impl Draft<'_> {
    /// What a model call can take at most: its context, with the margin of the
    /// count, and the whole allowance.
    pub(super) fn reservation(&self, tokens: u32, output_tokens_max: u32) -> Amounts {
        let percent = match self.turn.rules.tokenizer.is_exact() {
            true => limits::EXACT_MARGIN_PERCENT,
            false => limits::ESTIMATE_MARGIN_PERCENT,
        };
        let (input, output) = (u64::from(tokens), u64::from(output_tokens_max));
        let input = input + (input * u64::from(percent)).div_ceil(100);
        let price = self.state().stands.price.as_ref();
        Amounts {
            tokens: input + output,
            micros: price.map_or(0, |price| price.cost_micros_max(input, output)),
            model_calls: 1,
            skill_calls: 0,
        }
    }

    /// Records that a call is not made, and what becomes of the task.
    pub(super) fn exhaust(&mut self, exhausted: Exhausted) -> Result<(), Corrupt> {
        let then = self.task.on_exhausted();
        let diagnosis = exhausted.to_string();
        self.runtime(Body::BudgetExhausted(BudgetExhausted {
            exhausted: exhausted.clone(),
            then,
        }))?;
        match then {
            OnExhausted::Fail => self.fail(Cause::Budget { exhausted }, diagnosis),
            OnExhausted::Ask => Ok(()),
        }
    }

    /// Gives up a call that was at work when its process died, where there is no
    /// room to make it again.
    pub(super) fn give_up_lost(&mut self) -> Result<(), Stop> {
        let Some(slot) = &self.state().stands.model else {
            return Ok(());
        };
        let open = slot.retry_at.is_none();
        if !open || self.task.may_send(slot, self.turn.now, self.turn.epoch) {
            return Ok(());
        }
        let message = "its process died before a reply was recorded";
        let failed = ModelFailed {
            call: slot.call.clone(),
            class: ModelFailure::Lost,
            message: self.state().salt.seal_text(message),
            retry_at: Some(self.turn.now),
            made_at_most: Some(self.task.made_at_most(slot, self.turn.epoch)),
        };
        Ok(self.runtime(Body::ModelFailed(failed))?)
    }

    fn state(&self) -> &crate::task::State {
        &self.task.state
    }
}
