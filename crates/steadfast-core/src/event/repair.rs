//! Repairs: what was found wrong, and what became of it.
//!
//! A repair voids beliefs of a range of events. Nothing is deleted: the range
//! stays in the log, deeds in it stand, and what people said in it holds.

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::id::{CallId, Seq, SkillName, StateName};
use crate::source::Source;
use crate::task::state::Beliefs;

/// Something is wrong and will be repaired as soon as nothing is in flight.
/// Until then nothing new begins. The source says who found it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RepairAsked {
    /// Names the repair within the task: `r1`.
    pub repair: CallId,
    pub cause: Fault,
    /// The least level that will do; none where the range decides it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// The right value is known, and is put in beside this event.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub known: bool,
    /// Why, in the words of who asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Content>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "wrong", rename_all = "snake_case")]
pub enum Fault {
    /// The value of a fact.
    Fact { name: String },
    /// The result of a call.
    Call { call: CallId },
    /// What was decided at a step.
    Step { step: u32 },
    /// What a phase brought, by the word of the checkpoint that it ends at.
    Phase { name: String },
    /// The way that the task took as a whole, by a checkpoint's or a person's word.
    Course { code: String },
}

/// How far a repair reaches (long-task article, 5.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// 1: the right value is put in, and the last decision taken again.
    Correct,
    /// 2: back to before the first event that rests on the fault.
    RollBack,
    /// 3: from the start, with the cause in sight.
    Restart,
}

/// The repair was made: beliefs are as they were before `from`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repaired {
    pub repair: CallId,
    pub cause: Fault,
    pub level: Level,
    /// The first and the last event whose beliefs are void.
    pub from: Seq,
    pub to: Seq,
    /// The event that rests on the fault first: it read the wrong value, or wrote it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Seq>,
    pub beliefs: Box<Beliefs>,
    /// Values that were found in the range, as they were before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<FactThen>,
    /// Deeds that stand: none of them is done again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<Kept>,
    /// What a restart is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<Lesson>,
}

/// A fact as it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FactThen {
    pub name: String,
    /// None where it had no value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub then: Option<Held>,
}

/// A value with whose it was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Held {
    pub value: Content,
    pub source: Source,
    pub seq: Seq,
}

/// A deed that a repair let stand.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Kept {
    pub call: CallId,
    pub skill: SkillName,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateName>,
    /// The event that says that it was done.
    pub seq: Seq,
    pub args: Content,
    pub result: Content,
    /// It may rest on what was wrong: a person has to look, or a compensation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tainted: bool,
    /// Its receipt counts again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub taken: bool,
}

/// What went wrong before a restart, as a rule of the runtime's own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Lesson {
    pub cause: Fault,
    pub words: Option<Content>,
    /// The step up to which it is shown.
    pub until_step: u32,
}

/// A repair that was asked for cannot be made. All stays as it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RepairDropped {
    pub repair: CallId,
    /// Why, for a person.
    pub why: String,
}

/// The machine came to a state whose deed stands: its receipt counts, and the
/// skill is not called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeedKept {
    pub call: CallId,
    pub state: StateName,
    pub skill: SkillName,
}

impl Level {
    /// As people count them.
    pub fn number(self) -> u8 {
        match self {
            Level::Correct => 1,
            Level::RollBack => 2,
            Level::Restart => 3,
        }
    }

    /// The level of a number.
    pub fn of(number: u8) -> Option<Level> {
        [Level::Correct, Level::RollBack, Level::Restart]
            .into_iter()
            .find(|level| level.number() == number)
    }

    /// The next one up.
    pub fn up(self) -> Option<Level> {
        Level::of(self.number() + 1)
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Fault::Fact { name } => write!(f, "fact `{name}`"),
            Fault::Call { call } => write!(f, "the result of call `{call}`"),
            Fault::Step { step } => write!(f, "the decision of step {step}"),
            Fault::Phase { name } => write!(f, "what phase `{name}` brought"),
            Fault::Course { code } => write!(f, "the course of the task: {code}"),
        }
    }
}

impl HoldsContent for Repaired {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.beliefs.visit_content(visit);
        for fact in &mut self.facts {
            if let Some(held) = &mut fact.then {
                held.value.visit_content(visit);
            }
        }
        self.kept.visit_content(visit);
        self.lesson.visit_content(visit);
    }
}

impl HoldsContent for Kept {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.args.visit_content(visit);
        self.result.visit_content(visit);
    }
}

impl HoldsContent for Lesson {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.words.visit_content(visit);
    }
}
