//! What the named field reports need beyond the general world: a workflow from
//! JSON, a script for a model, and skills that do one thing. The scenarios
//! themselves are tests, each named after its report, and each is played on the
//! driver and on the naive loop alike.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;
use steadfast::clock::Clock;
use steadfast::model::Model;
use steadfast::rules::StandardRules;
use steadfast::skill::{Skill, SkillCall, SkillError, Skills};
use steadfast_core::context::{Message, Request};
use steadfast_core::id::SkillName;
use steadfast_core::proposal::{ModelError, Reply};
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::SkillSpec;

use crate::baseline::{Naive, naive};
use crate::model::{Kind, flaw, mark};
use crate::plan::Plan;
use crate::process::{Run, execute_with, skills};
use crate::workflow::Case;
use crate::world::{Faults, World};

/// What a scripted model says, from the request and the steps taken so far.
pub type Script = dyn Fn(&Request, usize) -> Reply + Send + Sync;
/// What a skill does and returns.
pub type Act = dyn Fn(&SkillCall, &World) -> Result<Value, SkillError> + Send + Sync;

/// One scenario, ready to be played.
pub struct Scenario {
    pub case: Case,
    pub script: Arc<Script>,
    pub faults: Faults,
    /// Skills of its own; the rest are the world's.
    pub own: Vec<(&'static str, u64, Arc<Act>)>,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({})", self.case.spec.workflow_id)
    }
}

impl Scenario {
    /// A scenario over a workflow in JSON, in which nothing goes wrong.
    ///
    /// # Panics
    ///
    /// When the JSON is no workflow.
    pub fn new(
        spec: Value,
        script: impl Fn(&Request, usize) -> Reply + Send + Sync + 'static,
    ) -> Scenario {
        let mut spec: Spec = serde_json::from_value(spec).expect("a scenario's workflow reads");
        // Scripts count the steps that they are shown.
        spec.limits.working_steps = steadfast_core::limits::WORKING_STEPS_MAX;
        Scenario {
            case: Case {
                spec,
                input: "Please do it.".to_owned(),
                flag: false,
            },
            script: Arc::new(script),
            faults: Faults::default(),
            own: Vec::new(),
        }
    }

    #[must_use]
    pub fn input(mut self, input: &str) -> Scenario {
        input.clone_into(&mut self.case.input);
        self
    }

    #[must_use]
    pub fn faults(mut self, faults: Faults) -> Scenario {
        self.faults = faults;
        self
    }

    /// Gives a skill a body that acts after `delay_ms`.
    #[must_use]
    pub fn skill(
        mut self,
        name: &'static str,
        delay_ms: u64,
        act: impl Fn(&SkillCall, &World) -> Result<Value, SkillError> + Send + Sync + 'static,
    ) -> Scenario {
        self.own.push((name, delay_ms, Arc::new(act)));
        self
    }

    /// Plays it on the driver.
    pub fn play(&self) -> Run {
        let plan = Plan {
            seed: 1,
            shape: None,
            model: Kind::Honest,
            faults: self.faults.clone(),
            model_failing_percent: 0,
            snapshot_every: 0,
            doubled: false,
        };
        let world = World::new(&plan.faults, plan.seed);
        let script = Arc::clone(&self.script);
        let model = Scripted {
            script,
            world: Arc::clone(&world),
        };
        let skills = self.skills(&world);
        let rules = Arc::new(StandardRules::default());
        execute_with(&plan, &self.case, world, Arc::new(model), skills, &rules)
    }

    /// Plays it on the naive loop.
    pub fn play_naive(&self) -> (Naive, Arc<World>) {
        let world = World::new(&self.faults, 1);
        let skills = self.skills(&world);
        let script = Arc::clone(&self.script);
        let say = move |request: &Request, turn: usize| script(request, turn);
        (naive(&self.case, &world, &skills, &say), world)
    }

    fn skills(&self, world: &Arc<World>) -> Skills {
        let general = skills(&self.case.spec, world);
        let all = self.case.spec.skills.iter().filter_map(|(name, spec)| {
            let own = self.own.iter().find(|(own, ..)| *own == name.as_str());
            let skill: Arc<dyn Skill> = match own {
                Some((_, delay_ms, act)) => Arc::new(Own {
                    name: name.clone(),
                    spec: spec.clone(),
                    delay_ms: *delay_ms,
                    act: Arc::clone(act),
                    world: Arc::clone(world),
                }),
                None => general.get(name.as_str())?.clone(),
            };
            Some((name.clone(), skill))
        });
        all.collect()
    }
}

struct Scripted {
    script: Arc<Script>,
    world: Arc<World>,
}

#[async_trait]
impl Model for Scripted {
    fn name(&self) -> &str {
        "script"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        self.world.sent(mark(request));
        if let Some(flaw) = flaw(request) {
            self.world.complain(format!("malformed context: {flaw}"));
        }
        let assistant = |message: &&Message| matches!(message, Message::Assistant { .. });
        let steps = request.messages.iter().filter(assistant).count();
        Ok((self.script)(request, steps))
    }
}

struct Own {
    name: SkillName,
    spec: SkillSpec,
    delay_ms: u64,
    act: Arc<Act>,
    world: Arc<World>,
}

#[async_trait]
impl Skill for Own {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let effects = &self.world.effects;
        let span = effects.enter(self.name.as_str(), &call.call, self.world.now());
        self.world
            .clock
            .sleep_until(self.world.now().plus_ms(self.delay_ms))
            .await;
        let outcome = (self.act)(call, &self.world);
        effects.leave(span, self.world.now());
        outcome
    }
}
