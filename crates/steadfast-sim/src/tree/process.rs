//! Carrying a tree out: one driver for all of it, started again whenever it dies,
//! and a person who decides, settles and gives up what ran out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use steadfast::driver::{Driver, Rest, Settings, load};
use steadfast::rules::StandardRules;
use steadfast::skill::{Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::Event;
use steadfast_core::event::task::Window;
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Epoch, Principal, Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::{Start, Task, Waiting};
use steadfast_store::{Log, Takeover, load_events};

use super::canary::{self, Spot, Who, canary};
use super::draw::Draw;
use super::log::TreeLog;
use super::model::{Cost, TreeModel};
use super::skill::{Callers, TreeSkill, global};
use super::spec::spec;
use crate::dice::{Dice, Mark};
use crate::executor::{Ran, now, run};
use crate::process::{Following, salt};
use crate::property::Violations;
use crate::world::log::USER;
use crate::world::{Crash, Faults, World};

/// Times that a person acts or a process starts again in one run.
const RESTARTS_MAX: u32 = 80;

/// A tree that came to its end.
#[derive(Debug)]
pub struct Run {
    pub(super) world: Arc<World>,
    /// The first task, and the others in the order in which they were made.
    pub(super) logs: Vec<(Task, Vec<Event>)>,
    /// Events that came after the end of everything, when all were spoken to again.
    pub(super) late: Vec<TaskId>,
    pub(super) canaries: BTreeMap<TaskId, std::collections::BTreeSet<String>>,
    /// The number of the first event of each batch.
    pub(super) batches: Vec<u64>,
    /// Which tasks called which skills.
    pub(super) made: Vec<(TaskId, String)>,
    pub(super) cost: Cost,
    pub crashes: u32,
    /// Of the stored bytes of all logs.
    pub(super) mark: u64,
    pub violations: Violations,
}

fn start(draw: &Draw) -> Start {
    Start {
        workflow: spec(draw),
        principal: Principal::from(USER),
        input: format!(
            "Do all of it {}.",
            canary(draw.seed, Who::First, Spot::Goal)
        ),
        documents: Vec::new(),
        facts: BTreeMap::new(),
        parent: None,
        budget: Default::default(),
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
    }
}

/// Carries a tree out, with crashes.
pub fn execute(draw: &Draw, crashes: &[Crash], rules: &Arc<StandardRules>) -> Run {
    let faults = Faults {
        crashes: crashes.to_vec(),
        ..Faults::default()
    };
    let world = World::new(&faults, draw.seed);
    let log = Arc::new(TreeLog::new(Arc::clone(&world), &draw.commands));
    let callers = Arc::new(Mutex::new(Callers::default()));
    let cost = Arc::new(Mutex::new(Cost::default()));
    let model = TreeModel {
        draw: draw.clone(),
        index: canary::index(draw),
        world: Arc::clone(&world),
        cost: Arc::clone(&cost),
    };
    let mut driver = Driver::new(log.clone(), Arc::new(model), skills(draw, &world, &callers));
    driver.rules = Arc::clone(rules);
    driver.clock = Arc::new(Following(Arc::clone(&world)));
    driver.holder = "driver".to_owned();
    driver.settings = Settings {
        snapshot_every: draw.snapshot_every,
        // Whoever held a lease before died with the process before.
        is_gone: |_| true,
        // Equal draws give equal bytes.
        child_salt: |child, parent| {
            Salt(*Hash::keyed(&parent.0, child.as_str().as_bytes()).as_bytes())
        },
        ..driver.settings
    };
    let mut process = Process {
        driver,
        log: Arc::clone(&log),
        world: &world,
        id: TaskId::from("t_tree"),
        draw,
        crashes: 0,
        violations: Vec::new(),
    };
    if process.begin() {
        process.drive();
    }
    let logs = process.logs();
    let late = process.speak_again();
    let Process {
        crashes,
        mut violations,
        ..
    } = process;
    violations.extend(world.complaints());
    let kept = log.kept();
    let made = callers.lock().unwrap_or_else(PoisonError::into_inner);
    let cost = *cost.lock().unwrap_or_else(PoisonError::into_inner);
    Run {
        logs,
        late,
        canaries: kept.canaries.clone(),
        batches: kept.batches.clone(),
        made: made.made.clone(),
        cost,
        crashes,
        mark: kept.mark.value(),
        violations,
        world: Arc::clone(&world),
    }
}

fn skills(draw: &Draw, world: &Arc<World>, callers: &Arc<Mutex<Callers>>) -> Skills {
    let skills = spec(draw).skills.into_iter().map(|(name, spec)| {
        let skill = TreeSkill {
            name: name.to_string(),
            spec,
            draw: draw.clone(),
            world: Arc::clone(world),
            callers: Arc::clone(callers),
        };
        (name, Arc::new(skill) as Arc<dyn Skill>)
    });
    skills.collect()
}

struct Process<'a> {
    driver: Driver,
    log: Arc<TreeLog>,
    world: &'a World,
    id: TaskId,
    draw: &'a Draw,
    crashes: u32,
    violations: Violations,
}

impl Process<'_> {
    fn restart(&mut self) {
        self.crashes += 1;
        self.driver.holder = format!("driver-{}", self.crashes);
    }

    /// Starts the first task. A process that dies before the first append has left an
    /// empty one, and the next attempt goes on with it.
    fn begin(&mut self) -> bool {
        for _ in 0..3 {
            let started = self
                .driver
                .start(&self.id, salt(self.draw.seed), start(self.draw));
            match run(self.world, started) {
                Ran::Finished(Ok(())) => return true,
                Ran::Finished(Err(error)) => {
                    self.violations.push(format!("cannot start: {error:?}"));
                    return false;
                }
                Ran::Stuck(why) => {
                    self.violations.push(why);
                    return false;
                }
                Ran::Crashed => self.crashes += 1,
            }
            if self.log.kept().total > 0 {
                return true;
            }
        }
        false
    }

    fn drive(&mut self) {
        let mut takeover = Takeover::IfExpired;
        for _ in 0..RESTARTS_MAX {
            if self.crashes > 0 {
                takeover = Takeover::Force;
            }
            match run(self.world, self.driver.run(&self.id, takeover)) {
                Ran::Crashed => self.restart(),
                Ran::Stuck(why) => return self.violations.push(why),
                Ran::Finished(Err(error)) => {
                    return self.violations.push(format!("{}: {error}", error.code()));
                }
                Ran::Finished(Ok(Rest::Ended(_))) => return,
                Ran::Finished(Ok(Rest::Waiting(waiting))) => {
                    if !self.person() {
                        let why = format!("{waiting:?}, and nobody can do anything");
                        return self.violations.push(why);
                    }
                }
                Ran::Finished(Ok(Rest::Stopped)) => {
                    return self.violations.push("nobody stopped it".to_owned());
                }
            }
        }
        self.violations
            .push(format!("no end after {RESTARTS_MAX} restarts"));
    }

    /// Looks at every task, and does what it waits for. Says whether there was
    /// anything.
    fn person(&self) -> bool {
        let mut acted = false;
        for (task, _) in self.logs() {
            let due = task.due(self.world.now(), Epoch(u64::MAX));
            let Some(waiting) = due.waiting else { continue };
            for command in self.answer(&task.state.task, &waiting) {
                self.post(&task.state.task, &command);
                acted = true;
            }
        }
        acted
    }

    fn answer(&self, task: &TaskId, waiting: &Waiting) -> Vec<Command> {
        match waiting {
            Waiting::Approval { calls } => calls
                .iter()
                .map(|call| {
                    let mut mark = Mark::new();
                    mark.text(global(task, call).as_str());
                    Command::Decide {
                        call: call.clone(),
                        approved: Dice::of(&[self.draw.seed, mark.value()]).chance(50),
                        reason: None,
                    }
                })
                .collect(),
            Waiting::Doubt { calls } => {
                let settle = |call: &CallId| Command::Settle {
                    call: call.clone(),
                    done: self.world.was_done(&global(task, call)),
                };
                calls.iter().map(settle).collect()
            }
            Waiting::Paused => vec![Command::Resume],
            Waiting::Budget { .. } => vec![Command::Cancel],
            Waiting::Message | Waiting::Children { .. } | Waiting::Ended { .. } => Vec::new(),
        }
    }

    fn post(&self, task: &TaskId, command: &Command) {
        let log = self.driver.log.as_ref();
        let user = Principal::from(USER);
        let posted = now(Driver::post(log, task, user, command, self.world.now()));
        posted.expect("the inbox of a simulated task is never full");
    }

    /// Every task with its log. One that was made and never begun has none.
    fn logs(&self) -> Vec<(Task, Vec<Event>)> {
        let made = self.log.kept().made.clone();
        let log = self.driver.log.as_ref();
        let of = |id: TaskId| {
            let task = now(load(log, &id)).ok()?;
            Some((task, now(load_events(log, &id, Seq(1))).ok()?))
        };
        made.into_iter().filter_map(of).collect()
    }

    /// Whether something lies in a task's inbox still, such as a repair that a person
    /// asked for at its very end. That opens it, and so it should.
    fn has_mail(&self, id: &TaskId) -> bool {
        now(self.log.inbox(id)).is_ok_and(|items| !items.is_empty())
    }

    /// Speaks to every task after the end and runs it: those whose log grew by it.
    fn speak_again(&mut self) -> Vec<TaskId> {
        let mut late = Vec::new();
        let made = self.log.kept().made.clone();
        for id in made {
            let head = |log: &TreeLog| now(log.head(&id)).map(|head| head.seq).ok();
            let before = head(&self.log);
            if before.is_none_or(|seq| seq == Seq::ZERO) || self.has_mail(&id) {
                continue;
            }
            let text = "One more thing.".to_owned();
            self.post(&id, &Command::Say { text });
            self.post(&id, &Command::Resume);
            if let Ran::Stuck(why) = run(self.world, self.driver.run(&id, Takeover::Force)) {
                self.violations
                    .push(format!("{id}, spoken to again: {why}"));
            }
            if head(&self.log) != before {
                late.push(id);
            }
        }
        late
    }
}
