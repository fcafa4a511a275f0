//! Carrying a plan out: a driver that is started again whenever it dies, and a
//! person beside it who decides and settles. What comes of it is a [`Run`].

mod watch;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use steadfast::driver::{Driver, Rest, Settings};
use steadfast::rules::StandardRules;
use steadfast::skill::{Skill, Skills};
use steadfast_core::budget::{Bounds, BudgetChange};
use steadfast_core::content::Salt;
use steadfast_core::event::Event;

use steadfast_core::event::task::Window;
use steadfast_core::id::{CallId, Principal, Seq, SkillName, TaskId};

use steadfast_core::task::input::Command;

use steadfast_core::task::{Start, Task, Waiting};
use steadfast_core::workflow::Spec;
use steadfast_store::{Log, Stored, Takeover, load_events};

use crate::dice::Dice;
use crate::executor::{Ran, now, run};
use crate::model::SimModel;
use crate::plan::Plan;
use crate::property::Violations;
use crate::talk;
use crate::workflow::Case;
use crate::world::log::USER;
use crate::world::{Role, SimLog, SimSkill, World};
use watch::Watcher;

/// Times that a person acts or a process starts again in one run.
const RESTARTS_MAX: u32 = 60;

/// A run that came to its end.
#[derive(Debug)]
pub struct Run {
    pub world: Arc<World>,
    pub log: Arc<SimLog>,
    pub id: TaskId,
    pub salt: Salt,
    pub events: Vec<Event>,
    pub stored: Vec<Stored>,
    pub live: Option<Task>,
    pub crashes: u32,
    /// What went wrong while it ran.
    pub violations: Violations,
}

/// The skills of a case, in a world.
pub fn skills(spec: &Spec, world: &Arc<World>) -> Skills {
    let verifiers: Vec<&SkillName> = spec
        .skills
        .values()
        .filter_map(|spec| spec.verify.as_ref())
        .collect();
    let skill = |(name, spec): (&SkillName, &steadfast_core::workflow::spec::SkillSpec)| {
        let role = match () {
            () if verifiers.contains(&name) => Role::Verify,
            () if spec.checks.is_some() => Role::Check,
            () => Role::Plain,
        };
        let (name, spec, world) = (name.clone(), spec.clone(), Arc::clone(world));
        let skill = SimSkill {
            name: name.to_string(),
            role,
            spec,
            world,
        };
        (name, Arc::new(skill) as Arc<dyn Skill>)
    };
    spec.skills.iter().map(skill).collect()
}

/// What starts a case.
pub fn start(case: &Case) -> Start {
    Start {
        workflow: case.spec.clone(),
        principal: Principal::from(USER),
        input: case.input.clone(),
        documents: Vec::new(),
        facts: BTreeMap::from([("flag".to_owned(), json!(case.flag))]),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    }
}

/// Carries a plan out.
pub fn execute(plan: &Plan, rules: &Arc<StandardRules>) -> Run {
    let case = plan.case();
    let world = World::new(&plan.faults, plan.seed);
    let model = SimModel {
        kind: plan.model,
        seed: plan.seed,
        world: Arc::clone(&world),
        failing_percent: plan.model_failing_percent,
    };
    let skills = skills(&case.spec, &world);
    execute_with(plan, &case, world, Arc::new(model), skills, rules)
}

/// The salt of a seed: tasks of one seed must hash alike.
pub fn salt(seed: u64) -> Salt {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    Salt(bytes)
}

/// Carries a plan out with a case, a model and skills of one's own.
pub fn execute_with(
    plan: &Plan,
    case: &Case,
    world: Arc<World>,
    model: Arc<dyn steadfast::model::Model>,
    skills: Skills,
    rules: &Arc<StandardRules>,
) -> Run {
    let log = Arc::new(SimLog::new(Arc::clone(&world)));
    let watcher = Arc::new(Watcher {
        live: Mutex::new(None),
        rules: Arc::clone(rules),
        world: Arc::clone(&world),
        doubled: plan.doubled,
    });
    let driver = Driver {
        log: log.clone(),
        model,
        validator: None,
        reviewer: None,
        skills,
        rules: Arc::clone(rules),
        clock: Arc::new(Following(Arc::clone(&world))),
        observer: watcher.clone(),
        holder: "driver".to_owned(),
        settings: Settings {
            snapshot_every: plan.snapshot_every,
            // An outage of minutes is looked at less often, to keep a run short.
            inbox_poll_ms: match plan.faults.outage {
                Some(_) => 5_000,
                None => Settings::default().inbox_poll_ms,
            },
            ..Settings::default()
        },
        memory: Default::default(),
        stop: Default::default(),
    };
    let id = TaskId::from("t_sim");
    let (crashes, violations) = (0, Vec::new());
    let mut process = Process {
        driver,
        world: &world,
        id: &id,
        plan,
        crashes,
        said: 0,
        violations,
    };
    if process.begin(case, plan.seed) {
        process.drive();
    }
    let (crashes, mut violations) = (process.crashes, process.violations);
    violations.extend(world.complaints());
    let events = now(load_events(log.as_ref(), &id, Seq(1))).unwrap_or_else(|error| {
        violations.push(error.to_string());
        Vec::new()
    });
    let stored = now(log.read(&id, Seq(1), usize::MAX)).unwrap_or_default();
    let live = watcher
        .live
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .take();
    Run {
        world,
        log,
        id,
        salt: salt(plan.seed),
        events,
        stored,
        live,
        crashes,
        violations,
    }
}

/// The world's clock, as a driver holds one.
#[derive(Debug)]
pub struct Following(pub Arc<World>);

#[async_trait::async_trait]
impl steadfast::clock::Clock for Following {
    fn now(&self) -> steadfast_core::id::Timestamp {
        self.0.now()
    }

    async fn sleep_until(&self, at: steadfast_core::id::Timestamp) {
        self.0.clock.sleep_until(at).await;
    }
}

/// A driver that is started again whenever it dies, with a person beside it.
struct Process<'a> {
    driver: Driver,

    world: &'a World,
    id: &'a TaskId,
    plan: &'a Plan,
    crashes: u32,
    /// Messages that the person has said.
    said: u32,
    violations: Violations,
}

impl Process<'_> {
    /// Starts the task. A process that dies before the first append has left an
    /// empty task, and the next attempt goes on with it.
    fn begin(&mut self, case: &Case, seed: u64) -> bool {
        for _ in 0..3 {
            let begun = run(
                self.world,
                self.driver.start(self.id, salt(seed), start(case)),
            );
            match begun {
                Ran::Finished(Ok(())) => return true,
                Ran::Finished(Err(error)) => {
                    self.violations.push(format!("cannot start: {error}"));
                    return false;
                }
                Ran::Stuck(why) => {
                    self.violations.push(why);
                    return false;
                }
                // Of the same name, so that it need not wait for its own lease.
                Ran::Crashed => self.crashes += 1,
            }
            if self.world.head() > Seq::ZERO {
                return true;
            }
        }
        false
    }

    fn restart(&mut self) {
        self.crashes += 1;
        self.driver.holder = format!("driver-{}", self.crashes);
        self.world.effects.forget_work();
    }

    fn drive(&mut self) {
        let mut takeover = Takeover::IfExpired;
        for _ in 0..RESTARTS_MAX {
            if self.crashes > 0 {
                takeover = Takeover::Force;
            }
            match run(self.world, self.driver.run(self.id, takeover)) {
                Ran::Crashed => self.restart(),
                Ran::Stuck(why) => return self.violations.push(why),
                Ran::Finished(Err(error)) => {
                    return self.violations.push(format!("{}: {error}", error.code()));
                }
                Ran::Finished(Ok(Rest::Ended(_))) => return,
                Ran::Finished(Ok(Rest::Waiting(waiting))) => self.person(&waiting),
                Ran::Finished(Ok(Rest::Stopped)) => {
                    return self.violations.push("nobody stopped it".to_owned());
                }
            }
        }
        self.violations
            .push(format!("no end after {RESTARTS_MAX} restarts"));
    }

    /// A person who raises what ran out, once and for good.
    fn raise(&self) -> Command {
        let bounds = Bounds {
            tokens: Some(u64::MAX),
            money: None,
            model_calls: Some(u64::MAX),
            skill_calls: Some(u64::MAX),
            time_ms: Some(u64::MAX),
        };
        Command::SetBudget {
            change: BudgetChange {
                task: bounds.clone(),
                step: bounds,
                ..BudgetChange::default()
            },
        }
    }

    /// What the person says next; the last word ends the conversation.
    fn next_message(&mut self) -> Command {
        let rounds = self.plan.shape.as_ref().map_or(0, |shape| shape.talk);
        self.said += 1;
        match self.said <= rounds {
            true => Command::Say {
                text: talk::message(self.plan.seed, self.said).to_owned(),
            },
            false => Command::Cancel,
        }
    }

    /// What the person does: decides by chance, settles by a look at the world.
    fn person(&mut self, waiting: &Waiting) {
        let commands: Vec<Command> = match waiting {
            Waiting::Approval { calls } => {
                let decide = |call: &CallId| {
                    let mut mark = crate::dice::Mark::new();
                    mark.text(call.as_str());
                    let approved = !Dice::of(&[self.plan.seed, mark.value()]).chance(20);
                    Command::Decide {
                        call: call.clone(),
                        approved,
                        reason: None,
                    }
                };
                calls.iter().map(decide).collect()
            }
            Waiting::Doubt { calls } => {
                let settle = |call: &CallId| {
                    let done = self.world.was_done(call);
                    Command::Settle {
                        call: call.clone(),
                        done,
                    }
                };
                calls.iter().map(settle).collect()
            }
            Waiting::Paused => vec![Command::Resume],
            Waiting::Budget { .. } => vec![self.raise()],
            Waiting::Message => vec![self.next_message()],
            // No sub-tasks here.
            Waiting::Children { .. } | Waiting::Ended { .. } => Vec::new(),
        };
        for command in &commands {
            let user = Principal::from(USER);
            let log = self.driver.log.as_ref();
            if let Err(error) = now(Driver::post(log, self.id, user, command, self.world.now())) {
                self.violations.push(error.to_string());
            }
        }
    }
}
