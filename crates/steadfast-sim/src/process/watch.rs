//! What stands beside a run and looks on: it keeps the task as it ended, and says
//! outcomes again that were said before.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use steadfast::driver::Observer;
use steadfast::rules::StandardRules;
use steadfast_core::event::Event;
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::{CallId, Seq};
use steadfast_core::proposal::Reply;
use steadfast_core::task::Task;
use steadfast_core::task::input::{Input, SkillError};
use steadfast_core::task::record::Turn;

use crate::world::World;

/// Keeps the live task, and says each outcome a second time to see that
/// nothing comes of it.
pub(super) struct Watcher {
    pub(super) live: Mutex<Option<Task>>,
    pub(super) rules: Arc<StandardRules>,
    pub(super) world: Arc<World>,
    pub(super) doubled: bool,
}

impl Observer for Watcher {
    fn recorded(&self, event: &Event, task: &Task) {
        if event.seq != task.state.seq {
            return;
        }
        if task.state.outcome().is_some() {
            *self.live.lock().unwrap_or_else(PoisonError::into_inner) = Some(task.clone());
        }
        if !self.doubled {
            return;
        }
        let turn = Turn {
            now: event.at,
            epoch: event.epoch,
            rules: self.rules.rules(),
            utc_offset: None,
        };
        // What comes of time alone is not the late word's doing.
        let anyway = task.record(Input::Wake, turn).map(|made| made.events);
        for input in late(task) {
            match task.record(input.clone(), turn) {
                Ok(recorded) if recorded.events.is_empty() => {}
                Ok(recorded) if anyway.as_ref().is_ok_and(|made| *made == recorded.events) => {}
                Ok(recorded) => self.world.complain(format!(
                    "after event {}: a late {input:?} made `{}`",
                    event.seq,
                    recorded.events[0].body.kind()
                )),
                Err(error) => self.world.complain(error.to_string()),
            }
        }
    }
}

/// Late words: outcomes of earlier intents, of calls that are closed, and of the
/// last step's model call.
fn late(task: &Task) -> Vec<Input> {
    let mut inputs = Vec::new();
    let stands = &task.state.stands;
    let lost = SkillError::new(SkillFailure::Lost, "late");
    let mut say = |call: &CallId, intent: Seq| {
        for outcome in [Ok(json!({"ok": true, "done": true})), Err(lost.clone())] {
            inputs.push(Input::SkillDone {
                call: call.clone(),
                intent,
                outcome,
                usage: None,
            });
        }
    };
    for (call, open) in stands
        .calls
        .iter()
        .filter(|(_, open)| open.intent > Seq::ZERO)
    {
        say(call, Seq(open.intent.0 - 1));
    }
    let Some(step) = task.state.beliefs.steps.back() else {
        return inputs;
    };
    for call in step
        .calls
        .iter()
        .filter(|one| !stands.calls.contains_key(&one.call))
    {
        say(&call.call, step.seq);
    }
    let call = CallId::new(format!("m{}.1", step.no));
    if stands.model.as_ref().is_none_or(|slot| slot.call != call) {
        let outcome = Ok(Reply::say("late", "late words"));
        inputs.push(Input::ModelDone { call, outcome });
    }
    inputs
}
