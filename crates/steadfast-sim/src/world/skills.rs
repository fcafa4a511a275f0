//! Skills of the simulated world. What they return is a function of their
//! arguments; what they do is counted; how they fail is in the plan.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::clock::Clock;
use steadfast::skill::{Skill, SkillCall, SkillError};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::deeds::{Deed, Effect};
use super::{Crash, Side, SkillFault, World};
use crate::dice::Mark;

/// What a simulated skill is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Looks or acts, by its effect class.
    Plain,
    /// Passes a text that has been revised often enough.
    Check,
    /// Tells whether the deed of the call that it is asked about was done.
    Verify,
}

/// A skill of the simulated world.
#[derive(Debug)]
pub struct SimSkill {
    pub name: String,
    pub role: Role,
    pub spec: SkillSpec,
    pub world: Arc<World>,
}

/// Whether the simulated check passes a text. A text of revision 2 always does.
pub fn passes(text: &str) -> bool {
    let mut mark = Mark::new();
    mark.text(text);
    text.contains("rev2") || text.contains("rev3") || !mark.value().is_multiple_of(3)
}

impl SimSkill {
    fn acts(&self) -> bool {
        self.role == Role::Plain && self.spec.effect != Some(EffectClass::Read)
    }

    fn act(&self, call: &SkillCall) {
        // Who keeps keys does the same thing once, however often it is asked.
        let keeps_keys = self.spec.effect == Some(EffectClass::Idempotent);
        if keeps_keys && self.world.effects.has_key(&self.name, &call.key) {
            return;
        }
        self.world.effects.act(Deed {
            skill: self.name.clone(),
            key: call.key,
            args: call.args.to_string(),
            call: call.call.clone(),
            head: self.world.head(),
        });
    }

    fn result(&self, call: &SkillCall, fault: Option<SkillFault>) -> Value {
        if fault == Some(SkillFault::BadShape) {
            return json!({ "broken": true });
        }
        match self.role {
            Role::Verify => json!({ "done": self.world.was_done(&call.call) }),
            Role::Check => {
                let text = call.args["text"].as_str().unwrap_or_default();
                json!({ "ok": passes(text) && fault.is_none() })
            }
            Role::Plain => {
                let mut mark = Mark::new();
                mark.text(&self.name);
                mark.text(call.args["q"].as_str().unwrap_or_default());
                json!({ "ok": fault.is_none(), "value": mark.value() % 1_000 })
            }
        }
    }

    async fn work(&self, call: &SkillCall, effect: Effect) -> Result<Value, SkillError> {
        let at = |wanted: Side| {
            move |crash: &Crash| {
                matches!(crash, Crash::Effect { ordinal, side }
                    if *ordinal == effect.ordinal && *side == wanted)
            }
        };
        self.world.clock.sleep_until(effect.due_at).await;
        self.world.crash_if(at(Side::Before)).await;
        let fault = effect.fault;
        let failed = |class: SkillFailure| Err(SkillError::new(class, format!("{fault:?}")));
        match fault {
            Some(SkillFault::Reported) => return failed(SkillFailure::Reported),
            Some(SkillFault::NotStarted) => return failed(SkillFailure::NotStarted),
            Some(SkillFault::LostBefore) => return failed(SkillFailure::Lost),
            // It looked, found that it cannot be, and did nothing.
            Some(SkillFault::Negative) => {}
            None
            | Some(
                SkillFault::LostAfter
                | SkillFault::TimeoutAfter
                | SkillFault::Hang
                | SkillFault::BadShape,
            ) if self.acts() => self.act(call),
            _ => {}
        }
        self.world.crash_if(at(Side::After)).await;
        match fault {
            Some(SkillFault::LostAfter) => failed(SkillFailure::Lost),
            Some(SkillFault::TimeoutAfter) => failed(SkillFailure::Timeout),
            Some(SkillFault::Hang) => std::future::pending().await,
            _ => Ok(self.result(call, fault)),
        }
    }
}

#[async_trait]
impl Skill for SimSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let world = &self.world;
        let mark = match self.role {
            Role::Verify => world.head(),
            _ => steadfast_core::id::Seq::ZERO,
        };
        let effect = world
            .effects
            .begin(&call.call, call.attempt, mark, world.now());
        let span = world.effects.enter(&self.name, &call.call, world.now());
        let outcome = self.work(call, effect).await;
        world.effects.leave(span, world.now());
        outcome
    }
}
