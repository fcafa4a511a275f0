//! What one run is: a workflow, a model and what goes wrong, all from a seed.

use steadfast_core::budget::Budget;
use steadfast_core::repair::{Fault, Level};
use steadfast_core::task::input::Command;

use crate::dice::Dice;
use crate::model::Kind;
use crate::workflow::{Case, PATIENCE_MS, Purse, Shape, build, content_pipeline};
use crate::world::{Crash, Faults, Side, SkillFault};

/// One run. Equal plans give equal logs.
#[derive(Clone, Debug)]
pub struct Plan {
    pub seed: u64,
    /// None is the article's content pipeline.
    pub shape: Option<Shape>,
    pub model: Kind,
    pub faults: Faults,
    pub model_failing_percent: u64,
    pub snapshot_every: u64,
    /// Each outcome is said a second time.
    pub doubled: bool,
}

impl Plan {
    /// The plan of a seed, without a crash. `model` overrides the seed's choice.
    pub fn generate(seed: u64, model: Option<Kind>) -> Plan {
        let mut dice = Dice::of(&[seed, 0x91a4]);
        let mut shape = (!dice.chance(5)).then(|| Shape::generate(&mut dice));
        let drawn = dice.pick(&Kind::ALL).copied().unwrap_or(Kind::Honest);
        let mut faults = Faults::default();
        if dice.chance(50) {
            for _ in 0..=dice.below(3) {
                let fault = fault(&mut dice);
                faults.skills.insert(dice.below(12) as u32, fault);
            }
        }
        if dice.chance(15) {
            for _ in 0..=dice.below(2) {
                faults
                    .commands
                    .push((2 + dice.below(40), command(&mut dice)));
            }
        }
        // Of their own dice, so that older seeds stay what they were.
        let mut more = Dice::of(&[seed, 0xb0d6]);
        if let Some(shape) = shape.as_mut().filter(|_| more.chance(15)) {
            shape.purse = Purse::generate(&mut more);
        }
        let mut talk = Dice::of(&[seed, 0x7a1c]);
        if let Some(shape) = shape.as_mut().filter(|_| talk.chance(12)) {
            shape.talk = 1 + talk.below(5) as u32;
        }
        // Repairs have dice of their own, too.
        let mut mend = Dice::of(&[seed, 0x4e9a]);
        if mend.chance(14) {
            for _ in 0..=mend.below(2) {
                let at = 4 + mend.below(60);
                faults.commands.push((at, repair(&mut mend)));
            }
        }
        if more.chance(8) {
            let (from, length) = (more.below(60), more.below(PATIENCE_MS * 5 / 4));
            faults.outage = Some((from, length));
        }
        Plan {
            seed,
            shape,
            model: model.unwrap_or(drawn),
            faults,
            model_failing_percent: if dice.chance(20) { 15 } else { 0 },
            snapshot_every: *dice.pick(&[0, 0, 5, 256]).unwrap_or(&0),
            doubled: dice.chance(15),
        }
    }

    pub fn case(&self) -> Case {
        self.shape.as_ref().map_or_else(content_pipeline, build)
    }

    /// The same plan, with crashes.
    pub fn with_crashes(&self, crashes: Vec<Crash>) -> Plan {
        let mut plan = self.clone();
        plan.faults.crashes = crashes;
        plan
    }

    /// One crash, anywhere in a run that has so many events and effects.
    pub fn seeded_crash(&self, salt: u64, events: usize, effects: u32) -> Crash {
        let mut dice = Dice::of(&[self.seed, salt, 0xc4a5]);
        let side = if dice.chance(50) {
            Side::Before
        } else {
            Side::After
        };
        match effects {
            1.. if dice.chance(40) => Crash::Effect {
                ordinal: dice.below(u64::from(effects)) as u32,
                side,
            },
            _ => Crash::Append {
                seq: 1 + dice.below(events as u64),
                side,
            },
        }
    }

    /// Whether a run with a crash must have the log of one without. What the
    /// user says in between, and a deadline that a new process starts anew, are
    /// not the same in both; nor is a limit on the task's time, since a restart
    /// takes time, and an effect at work when the limit ends the task is only
    /// heard of by a driver that lived on; nor a budget, since a call whose reply
    /// was lost may have been charged; nor an outage, which is by the clock; nor a
    /// conversation, whose messages come when the task rests.
    pub fn is_comparable(&self) -> bool {
        let talks = self.shape.as_ref().is_some_and(|shape| shape.talk > 0);
        !talks
            && self.faults.commands.is_empty()
            && self.case().spec.limits.time_ms.is_none()
            && self.case().spec.budget == Budget::default()
            && self.faults.outage.is_none()
            && !self
                .faults
                .skills
                .values()
                .any(|fault| *fault == SkillFault::Hang)
    }
}

fn fault(dice: &mut Dice) -> SkillFault {
    let faults = [
        SkillFault::Negative,
        SkillFault::Negative,
        SkillFault::Reported,
        SkillFault::NotStarted,
        SkillFault::LostBefore,
        SkillFault::LostAfter,
        SkillFault::LostAfter,
        SkillFault::TimeoutAfter,
        SkillFault::Hang,
        SkillFault::BadShape,
    ];
    dice.pick(&faults).copied().unwrap_or(SkillFault::Reported)
}

/// A person finds something wrong, anywhere, and asks for any level or none.
fn repair(dice: &mut Dice) -> Command {
    let cause = match dice.below(4) {
        0 => Fault::Course {
            code: "the wrong way".to_owned(),
        },
        1 => Fault::Call {
            call: format!("s{}.0", 1 + dice.below(6)).as_str().into(),
        },
        _ => Fault::Step {
            step: 1 + dice.below(6) as u32,
        },
    };
    Command::Repair {
        cause,
        level: Level::of(dice.below(5) as u8),
        value: None,
        reason: None,
    }
}

fn command(dice: &mut Dice) -> Command {
    match dice.below(4) {
        0 => Command::Cancel,
        1 => Command::Pause,
        _ => Command::Say {
            text: "and in English, please".to_owned(),
        },
    }
}
