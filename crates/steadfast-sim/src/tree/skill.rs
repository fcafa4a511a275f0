//! The skills of a tree. Each notes which task called it, and some fail by plan.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::clock::Clock;
use steadfast::skill::{Skill, SkillCall, SkillError};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::{CallId, Seq, TaskId};
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::canary::{Spot, Who, canary};
use super::draw::Draw;
use crate::world::{Crash, Deed, Side, World};

/// Which tasks called which skills; and the children of each node in the order in
/// which they first called one.
#[derive(Debug, Default)]
pub(super) struct Callers {
    pub(super) made: Vec<(TaskId, String)>,
    children: BTreeMap<Who, Vec<TaskId>>,
}

/// A skill of a tree.
#[derive(Debug)]
pub(super) struct TreeSkill {
    pub(super) name: String,
    pub(super) spec: SkillSpec,
    pub(super) draw: Draw,
    pub(super) world: Arc<World>,
    pub(super) callers: Arc<Mutex<Callers>>,
}

/// A call's name in the whole tree: those of two tasks are alike.
pub(super) fn global(task: &TaskId, call: &CallId) -> CallId {
    CallId::new(format!("{task}/{call}"))
}

impl TreeSkill {
    fn who(&self, q: &str) -> Who {
        let all = Who::all(&self.draw).into_iter();
        let mut of = all.filter(|who| canary(self.draw.seed, *who, Spot::Input) == q);
        of.next().unwrap_or(Who::First)
    }

    /// Whether this call is one that fails: its task is among the first of its node.
    fn fails(&self, who: Who, task: &TaskId) -> bool {
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.made.push((task.clone(), self.name.clone()));
        let of = callers.children.entry(who).or_default();
        let at = of.iter().position(|one| one == task).unwrap_or_else(|| {
            of.push(task.clone());
            of.len() - 1
        });
        match who {
            Who::Node(node) | Who::Inner(node) => {
                (at as u64) < u64::from(self.draw.nodes[node].failing)
            }
            Who::First | Who::Called => false,
        }
    }
}

#[async_trait]
impl Skill for TreeSkill {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let q = call.args["q"].as_str().unwrap_or_default();
        let who = self.who(q);
        let global = global(&call.task, &call.call);
        let effects = &self.world.effects;
        let effect = effects.begin(&global, call.attempt, Seq::ZERO, self.world.now());
        let at = |wanted: Side| {
            move |crash: &Crash| {
                matches!(crash, Crash::Effect { ordinal, side }
                    if *ordinal == effect.ordinal && *side == wanted)
            }
        };
        let fails = self.fails(who, &call.task);
        self.world.clock.sleep_until(effect.due_at).await;
        self.world.crash_if(at(Side::Before)).await;
        if fails {
            return Err(SkillError::new(SkillFailure::Reported, "not today"));
        }
        if self.spec.effect != Some(EffectClass::Read) {
            effects.act(Deed {
                skill: self.name.clone(),
                key: call.key,
                args: call.args.to_string(),
                call: global,
                head: self.world.head(),
            });
        }
        self.world.crash_if(at(Side::After)).await;
        Ok(json!({"found": canary(self.draw.seed, who, Spot::Tool)}))
    }
}
