//! A task that is moved on by the core alone, step by step: no driver, no log,
//! no skill, and a clock that counts.

use serde_json::Value;
use steadfast::rules::StandardRules;
use steadfast_core::event::{Event, Sealed, seal};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Timestamp};
use steadfast_core::proposal::Reply;
use steadfast_core::task::input::Input;
use steadfast_core::task::record::Turn;
use steadfast_core::task::{Effect, Recorded, Task};

use crate::scene::{self, Words};

/// Time between two inputs.
const PACE_MS: u64 = 40;
const EPOCH: Epoch = Epoch(1);

/// What came from outside in one step.
pub(crate) struct Turned {
    reply: Reply,
    result: Value,
}

/// A task, and the hash that its next event names.
#[derive(Clone)]
pub(crate) struct Grown {
    pub(crate) task: Task,
    prev: Hash,
    now: Timestamp,
}

impl Grown {
    /// A new task with its first model call open. `keep` is given every batch.
    pub(crate) fn begin(rules: &StandardRules, keep: &mut dyn FnMut(Vec<Sealed>)) -> Grown {
        let now = Timestamp(1_700_000_000_000_000);
        let turn = turn(rules, now);
        // Large enough that the loop never ends by itself.
        let start = scene::start(9_000_000);
        let first = Task::start(scene::id(), scene::SALT, start, turn).expect("it starts");
        let mut grown = Grown {
            task: first.task.clone(),
            prev: Hash::ZERO,
            now,
        };
        keep(grown.adopt(first));
        keep(grown.record(Input::Wake, rules));
        grown
    }

    /// One step: the reply that proposes the call that is due, and its result.
    /// Ends with the next context assembled and its model call open.
    pub(crate) fn step(
        &mut self,
        turn: Turned,
        rules: &StandardRules,
        keep: &mut dyn FnMut(Vec<Sealed>),
    ) {
        let due = self.task.due(self.now, EPOCH);
        let [Effect::CallModel { call }] = &due.effects[..] else {
            panic!("a model call is due, not {due:?}")
        };
        let (call, outcome) = (call.clone(), Ok(turn.reply));
        keep(self.record(Input::ModelDone { call, outcome }, rules));
        let due = self.task.due(self.now, EPOCH);
        let [Effect::CallSkill { call, .. }] = &due.effects[..] else {
            panic!("a skill call is due, not {due:?}")
        };
        let done = Input::SkillDone {
            call: call.clone(),
            intent: self.task.state.stands.calls[call].intent,
            outcome: Ok(turn.result),
            usage: None,
        };
        keep(self.record(done, rules));
    }

    /// What model and skill give in the next step.
    pub(crate) fn next(&self, words: Words) -> Turned {
        let slot = self.task.state.stands.model.as_ref();
        let step = u64::from(slot.expect("a model call is open").step);
        let due = self.task.due_skills();
        Turned {
            reply: words.reply(step, due[0].as_str()),
            result: words.result(step),
        }
    }

    fn record(&mut self, input: Input, rules: &StandardRules) -> Vec<Sealed> {
        self.now = self.now.plus_ms(PACE_MS);
        let recorded = self.task.record(input, turn(rules, self.now));
        let recorded = recorded.expect("the core makes what follows");
        assert_eq!(recorded.note, None, "every input of the bench counts");
        self.adopt(recorded)
    }

    fn adopt(&mut self, recorded: Recorded) -> Vec<Sealed> {
        let mut events: Vec<Event> = recorded.events;
        let sealed = seal(self.prev, &mut events);
        self.prev = sealed.last().map_or(self.prev, |last| last.hash);
        self.task = recorded.task;
        sealed
    }
}

fn turn(rules: &StandardRules, now: Timestamp) -> Turn<'_> {
    Turn {
        now,
        epoch: EPOCH,
        rules: rules.rules(),
        utc_offset: None,
    }
}
