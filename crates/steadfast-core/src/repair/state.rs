//! What a task remembers of its repairs. None of it can be rolled back.

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::event::repair::{Fault, Kept, Lesson, Level, RepairAsked, Repaired};
use crate::id::{CallId, StateName};
use crate::limits;
use crate::task::state::Outcome;

/// What was repaired, and what waits to be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Repairs {
    /// The repair that is due as soon as nothing is in flight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// Repairs asked for so far.
    pub count: u32,
    /// Repairs made, by level.
    pub made: [u32; 3],
    /// Causes with the level at which each was last repaired, and how often.
    pub causes: Vec<Cause>,
    /// Deeds that repairs let stand, in the order in which they were done.
    pub kept: Vec<Kept>,
    /// What restarts were told.
    pub lessons: Vec<Lesson>,
}

/// A repair that waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub repair: CallId,
    pub cause: Fault,
    pub level: Option<Level>,
    pub known: bool,
    pub words: Option<Content>,
    /// How the task had ended, where the repair opens it again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reopens: Option<Outcome>,
}

/// How often a cause was repaired at a level.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cause {
    pub cause: Fault,
    pub level: Level,
    pub times: u32,
}

/// Shares of the levels, in percent of the repairs made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Shares {
    pub repairs: u32,
    pub correct: f64,
    pub roll_back: f64,
    pub restart: f64,
}

impl Repairs {
    pub fn is_empty(&self) -> bool {
        *self == Repairs::default()
    }

    /// Shares of the levels; none while nothing was repaired.
    pub fn shares(&self) -> Option<Shares> {
        let repairs: u32 = self.made.iter().sum();
        let share = |made: u32| f64::from(made) * 100.0 / f64::from(repairs);
        let [correct, roll_back, restart] = self.made.map(share);
        (repairs > 0).then_some(Shares {
            repairs,
            correct,
            roll_back,
            restart,
        })
    }

    /// The level for a cause: one that came back at a level goes up, and so does
    /// one whose level is spent.
    ///
    /// # Errors
    ///
    /// A diagnosis, for a person.
    pub fn level(&self, cause: &Fault, wanted: Level) -> Result<Level, String> {
        let before = self.causes.iter().find(|one| one.cause == *cause);
        let mut level = match before {
            Some(one) if one.times >= limits::REPAIRS_OF_CAUSE_MAX && one.level >= wanted => {
                match one.level.up() {
                    Some(up) => up,
                    // A restart did not help; another may, as long as there are any.
                    None => one.level,
                }
            }
            Some(one) => one.level.max(wanted),
            None => wanted,
        };
        loop {
            let at = usize::from(level.number() - 1);
            if self.made[at] < limits::REPAIRS_MAX[at] {
                return Ok(level);
            }
            let Some(up) = level.up() else {
                let [one, two, three] = self.made;
                return Err(format!(
                    "{cause} is wrong again, and all repairs are spent \
                     ({one} corrections, {two} roll-backs, {three} restarts)"
                ));
            };
            level = up;
        }
    }

    pub(crate) fn ask(&mut self, body: &RepairAsked, reopens: Option<Outcome>) {
        self.count += 1;
        self.asked = Some(Asked {
            repair: body.repair.clone(),
            cause: body.cause.clone(),
            level: body.level,
            known: body.known,
            words: body.words.clone(),
            reopens,
        });
    }

    pub(crate) fn make(&mut self, body: &Repaired) {
        self.asked = None;
        self.made[usize::from(body.level.number() - 1)] += 1;
        self.kept.clone_from(&body.kept);
        self.lessons.extend(body.lesson.clone());
        let (cause, level) = (body.cause.clone(), body.level);
        let times = match self.causes.iter().position(|one| one.cause == cause) {
            Some(at) => {
                let before = self.causes.remove(at);
                if before.level == level {
                    before.times + 1
                } else {
                    1
                }
            }
            None => 1,
        };
        if self.causes.len() >= limits::REPAIR_CAUSES_KEPT {
            self.causes.remove(0);
        }
        self.causes.push(Cause {
            cause,
            level,
            times,
        });
    }

    /// The deeds whose receipts count again where the machine enters a state: the
    /// oldest one of each skill that was not taken yet.
    pub(crate) fn due_at(&self, state: &StateName) -> Vec<Kept> {
        let mut due: Vec<Kept> = Vec::new();
        let open = self.kept.iter().filter(|one| !one.taken);
        for one in open.filter(|one| one.state.as_ref() == Some(state)) {
            if !due.iter().any(|other| other.skill == one.skill) {
                due.push(one.clone());
            }
        }
        due
    }

    /// Whether a skill was done outside of any state, and so must not be called.
    pub(crate) fn was_done_outside(&self, skill: &str) -> bool {
        let mut outside = self.kept.iter().filter(|one| one.state.is_none());
        outside.any(|one| one.skill.as_str() == skill)
    }
}

impl HoldsContent for Repairs {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        if let Some(asked) = &mut self.asked {
            asked.words.visit_content(visit);
            if let Some(Outcome::Completed { answer }) = &mut asked.reopens {
                answer.visit_content(visit);
            }
        }
        self.kept.visit_content(visit);
        self.lessons.visit_content(visit);
    }
}
