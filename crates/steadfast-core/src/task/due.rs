//! What may be done now. After a restart the same question gets the same
//! answer, so crash recovery is no special case.

use crate::budget::Exhausted;
use crate::id::{CallId, Epoch, TaskId, Timestamp};
use crate::limits;
use crate::task::Task;
use crate::task::review::ReviewStage;
use crate::task::state::{Call, Lifecycle, Outcome, Stage};

/// An effect that the driver may carry out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Send the recorded context to the model.
    CallModel { call: CallId },
    /// Carry a skill call out.
    CallSkill { call: CallId, intent: Intent },
    /// Ask the skill's `verify` whether a deed in doubt was done.
    VerifyDeed { call: CallId, intent: Intent },
    /// Tell a person that a call waits for approval. The decision comes by the inbox.
    AskApproval { call: CallId },
    /// Make a summary anew from raw events, by rule or by the summariser.
    Summarise { call: CallId },
    /// Search the whole archive for what the next step needs.
    Recall { call: CallId },
    /// Make the repair that waits, from the whole log: [`Task::repair`].
    Repair { call: CallId },
    /// Ask the reviewer about an answer.
    Review { call: CallId },
    /// Ask the validator model about a call, and hand its answer in as
    /// [`Input::Validated`](super::Input::Validated).
    Validate { call: CallId },
    /// Start the sub-task of a call, or take it up again: [`Task::child_start`]. Its
    /// report comes by the inbox.
    StartChild { call: CallId, intent: Intent },
    /// See to it that the sub-task of a call comes to its end: nobody waits for what
    /// it would bring.
    StopChild { call: CallId },
}

impl Effect {
    /// The call that the effect belongs to.
    pub fn call(&self) -> &CallId {
        match self {
            Effect::CallModel { call }
            | Effect::CallSkill { call, .. }
            | Effect::VerifyDeed { call, .. }
            | Effect::AskApproval { call }
            | Effect::Summarise { call }
            | Effect::Repair { call }
            | Effect::Recall { call }
            | Effect::Review { call }
            | Effect::Validate { call }
            | Effect::StartChild { call, .. }
            | Effect::StopChild { call } => call,
        }
    }
}

/// Whether the intent of an effect is in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Intent {
    Recorded,
    /// It must be recorded first: [`Task::begin_call`].
    Needed,
}

/// What is due.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Due {
    /// May run now, side by side, in the order of their admission.
    pub effects: Vec<Effect>,
    /// When to look again if nothing comes in before.
    pub wake_at: Option<Timestamp>,
    /// Why nothing will happen by itself.
    pub waiting: Option<Waiting>,
}

/// Why a task stands still.
#[derive(Clone, Debug, PartialEq)]
pub enum Waiting {
    /// For a person's yes or no.
    Approval {
        calls: Vec<CallId>,
    },
    /// For a person to find out whether these deeds were done.
    Doubt {
        calls: Vec<CallId>,
    },
    /// For a person to raise a budget.
    Budget {
        exhausted: Exhausted,
    },
    /// For a person to act on sub-tasks, each of which waits for one. Only drivers
    /// know.
    Children {
        children: Vec<TaskId>,
    },
    Paused,
    /// For the user's next message.
    Message,
    Ended {
        outcome: Outcome,
    },
}

impl Task {
    /// The effects that may run now, for the one who writes under `epoch`.
    ///
    /// An effect is named again until its outcome is recorded; the driver knows
    /// which ones it is carrying out.
    pub fn due(&self, now: Timestamp, epoch: Epoch) -> Due {
        let mut due = Due::default();
        match &self.state.stands.lifecycle {
            Lifecycle::Ended { outcome } => {
                due.waiting = Some(Waiting::Ended {
                    outcome: outcome.clone(),
                });
                return due;
            }
            Lifecycle::Paused => {
                due.waiting = Some(Waiting::Paused);
                return due;
            }
            Lifecycle::Listening => {
                due.waiting = Some(Waiting::Message);
                return due;
            }
            Lifecycle::Running | Lifecycle::Cancelling | Lifecycle::Failing { .. } => {}
        }
        self.skills_due(now, epoch, &mut due);
        if let (Some(asked), true) = (&self.state.stands.repairs.asked, self.state.is_running()) {
            match self.state.stands.calls.is_empty() {
                true => due.effects.push(Effect::Repair {
                    call: asked.repair.clone(),
                }),
                false if due.effects.is_empty() => due.waiting = self.waiting(epoch),
                false => {}
            }
            return due;
        }
        self.summaries_due(epoch, &mut due);
        // What a phase needs is read first, so that it can be found.
        let searching = self.wants_recall() && !self.is_rereading();
        if searching {
            self.recall_due(&mut due);
        }
        let held = self.state.stands.exhausted.is_some();
        if let Some(slot) = &self.state.stands.model {
            match slot.retry_at {
                None if self.may_send(slot, now, epoch) => due.effects.push(Effect::CallModel {
                    call: slot.call.clone(),
                }),
                // There is no room to make it a second time: it is given up.
                None => due.wake(self.state.last_at),
                Some(_) if held => {}
                Some(at) => due.wake(at),
            }
        }
        self.review_due(epoch, &mut due);
        self.look_due(&mut due);
        if self.state.is_running() {
            if let Some(limit) = self.workflow.spec.limits.time_ms {
                due.wake(self.state.round_began().plus_ms(limit));
            }
            if let Some(at) = self.deadline() {
                due.wake(at);
            }
        }
        let stands = &self.state.stands;
        let withheld = self.state.withholds_answer() || stands.validations.open.is_some();
        let idle = stands.calls.is_empty() && stands.model.is_none() && !withheld;
        if self.state.is_running() && idle && !held && !self.is_rereading() && !searching {
            due.wake(self.state.last_at);
        }
        // A summary is nothing that anybody waits for.
        let aside = |effect: &Effect| {
            matches!(
                effect,
                Effect::AskApproval { .. } | Effect::Summarise { .. }
            )
        };
        if due.effects.iter().all(aside) {
            due.waiting = self.waiting(epoch);
        }
        due
    }

    /// The answer that waits for its reviewer, or for a person.
    fn review_due(&self, epoch: Epoch, due: &mut Due) {
        let Some(review) = &self.state.stands.review else {
            return;
        };
        let call = review.call.clone();
        match &review.stage {
            // Whether it is made again is decided when the task moves on.
            ReviewStage::Called(open) if open.epoch < epoch => due.wake(self.state.last_at),
            ReviewStage::Called(_) => due.effects.push(Effect::Review { call }),
            ReviewStage::Held { .. } => due.effects.push(Effect::AskApproval { call }),
            ReviewStage::Returned | ReviewStage::Vouched { .. } => {}
        }
    }

    /// What a validator model is asked about beside calls, or a person decides on.
    fn look_due(&self, due: &mut Due) {
        let open = self.state.stands.validations.open.as_ref();
        let Some(look) = open.filter(|_| self.state.is_running()) else {
            return;
        };
        let call = look.call.clone();
        due.effects.push(match look.held {
            Some(_) => Effect::AskApproval { call },
            None => Effect::Validate { call },
        });
    }

    fn skills_due(&self, now: Timestamp, epoch: Epoch, due: &mut Due) {
        let parallel = usize::try_from(self.workflow.spec.limits.parallel.max(1)).unwrap_or(1);
        let calls = &self.state.stands.calls;
        let mut at_work = 0;
        let mut before: Vec<&Call> = Vec::new();
        for id in &self.state.stands.queue {
            let Some(call) = calls.get(id) else { continue };
            let free = at_work < parallel && !before.iter().any(|one| self.conflict(one, call));
            let effect = match &call.stage {
                Stage::Approval { .. } => Some(Effect::AskApproval { call: id.clone() }),
                Stage::Validating { .. } if self.state.is_running() => {
                    Some(Effect::Validate { call: id.clone() })
                }
                Stage::Ready {
                    not_before: Some(at),
                    ..
                } if *at > now && self.state.stands.exhausted.is_none() => {
                    due.wake(*at);
                    None
                }
                // Nothing of a phase begins before its look.
                Stage::Ready { .. } if self.state.stands.validations.holds_phase() => None,
                // Until the budget is raised, nothing begins.
                Stage::Ready { .. } if self.state.stands.exhausted.is_some() => None,
                Stage::Ready { .. }
                    if free && self.state.is_running() && self.waits_for_room(call) =>
                {
                    None
                }
                Stage::Ready { .. } if free && self.state.is_running() => Some(Effect::CallSkill {
                    call: id.clone(),
                    intent: Intent::Needed,
                }),
                Stage::Called { .. } if call.may_repeat() && self.state.is_running() => {
                    Some(Effect::CallSkill {
                        call: id.clone(),
                        intent: Intent::Recorded,
                    })
                }
                Stage::Called { .. } if self.state.stands.children.contains_key(id) => {
                    Some(Effect::StopChild { call: id.clone() })
                }
                Stage::Verifying => Some(Effect::VerifyDeed {
                    call: id.clone(),
                    intent: Intent::Recorded,
                }),
                Stage::Called { .. } | Stage::InDoubt if call.is_in_doubt(epoch) => {
                    self.question(id, call, now, due)
                }
                _ => None,
            };
            let busy = matches!(call.stage, Stage::Called { .. } | Stage::Verifying);
            let starts = matches!(
                effect,
                Some(Effect::CallSkill { .. } | Effect::VerifyDeed { .. })
            );
            at_work += usize::from(busy || starts);
            due.effects
                .extend(effect.map(|effect| self.of_task(call, effect)));
            before.push(call);
        }
    }

    /// A call of a sub-task is carried out by a child.
    fn of_task(&self, call: &Call, effect: Effect) -> Effect {
        match effect {
            Effect::CallSkill { call: id, intent } if self.task_of(call).is_some() => {
                Effect::StartChild { call: id, intent }
            }
            other => other,
        }
    }

    /// Whether a child finds no room in the budget, while others hold room that they
    /// may give back.
    fn waits_for_room(&self, call: &Call) -> bool {
        self.task_of(call)
            .is_some_and(|task| !self.may_start(call, task))
    }

    /// The question whether a deed in doubt was done, once it may be asked: after a
    /// crash not before the call's own deadline, for until then it may yet be done.
    fn question(&self, id: &CallId, call: &Call, now: Timestamp, due: &mut Due) -> Option<Effect> {
        if !self.can_ask(call) {
            return None;
        }
        let at = match call.stage {
            // Who made the call is gone, and it may outlive them.
            Stage::Called { .. } => {
                let spec = self.workflow.skill(call.skill.as_str());
                let timeout = spec.and_then(|spec| spec.timeout_ms);
                let timeout = timeout.unwrap_or(limits::SKILL_TIMEOUT_MS_DEFAULT);
                call.called_at.plus_ms(timeout)
            }
            // It came to an end before somebody's eyes, or at its deadline.
            _ => call.ask_at.unwrap_or(now),
        };
        if at > now {
            due.wake(at);
            return None;
        }
        let intent = Intent::Needed;
        Some(Effect::VerifyDeed {
            call: id.clone(),
            intent,
        })
    }

    /// Whether the skill has a `verify` that has not yet failed to answer too often.
    fn can_ask(&self, call: &Call) -> bool {
        self.verifier(call).is_some() && call.questions < limits::VERIFY_QUESTIONS_MAX
    }

    /// Two calls of one reply conflict when one that acts touches what the other
    /// touches; what is touched is unknown where the skill declares nothing.
    fn conflict(&self, first: &Call, second: &Call) -> bool {
        let both = |of: &dyn Fn(&Call) -> bool| of(first) && of(second);
        // Sub-tasks share nothing but what their edges name.
        if both(&Call::is_read) || both(&|call| self.task_of(call).is_some()) {
            return false;
        }
        match (self.touches(first), self.touches(second)) {
            (Some(a), Some(b)) => a.iter().any(|x| b.iter().any(|y| overlap(x, y))),
            _ => true,
        }
    }

    fn touches(&self, call: &Call) -> Option<Vec<String>> {
        let names = &self.workflow.skill(call.skill.as_str())?.touches;
        if names.is_empty() {
            return None;
        }
        let args = call.args.json();
        Some(
            names
                .iter()
                .filter_map(|name| args.get(name))
                .map(|value| {
                    value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned)
                })
                .collect(),
        )
    }

    /// The skill that tells whether a deed was done, where the call's skill has one.
    pub fn verifier(&self, call: &Call) -> Option<&crate::id::SkillName> {
        self.workflow.skill(call.skill.as_str())?.verify.as_ref()
    }

    fn waiting(&self, epoch: Epoch) -> Option<Waiting> {
        let of = |wanted: &dyn Fn(&Call) -> bool| -> Vec<CallId> {
            let calls = self.state.stands.calls.iter();
            calls
                .filter(|(_, call)| wanted(call))
                .map(|(id, _)| id.clone())
                .collect()
        };
        let calls = of(&|call| call.is_in_doubt(epoch) && !self.can_ask(call));
        if !calls.is_empty() {
            return Some(Waiting::Doubt { calls });
        }
        if let Some(exhausted) = &self.state.stands.exhausted {
            let exhausted = exhausted.clone();
            return Some(Waiting::Budget { exhausted });
        }
        let mut calls = of(&|call| matches!(call.stage, Stage::Approval { .. }));
        calls.extend(self.state.held().cloned());
        (!calls.is_empty()).then_some(Waiting::Approval { calls })
    }
}

impl Due {
    pub(super) fn wake(&mut self, at: Timestamp) {
        self.wake_at = Some(self.wake_at.map_or(at, |earlier| earlier.min(at)));
    }
}

/// Whether two names of things overlap: equal, or one is a folder of the other.
fn overlap(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_end_matches('/'), b.trim_end_matches('/'));
    let inside = |outer: &str, inner: &str| {
        inner
            .strip_prefix(outer)
            .is_some_and(|rest| rest.starts_with('/'))
    };
    a == b || inside(a, b) || inside(b, a)
}
