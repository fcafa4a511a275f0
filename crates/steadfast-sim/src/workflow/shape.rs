//! The shape of a generated workflow: plain data that chance fills and that the
//! shrinker can take parts out of.

use steadfast_core::workflow::spec::EffectClass;

use crate::dice::Dice;

/// A workflow, before it gets names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    pub states: Vec<Stay>,
    /// The model writes the answer although a text was checked.
    pub answer_by_model: bool,
    /// The runtime makes the calls that it can by itself.
    pub runtime: bool,
    /// All skills are offered, not only those that are due.
    pub all_tools: bool,
    /// The user urges.
    pub urged: bool,
    /// There is a limit on time.
    pub hasty: bool,
    /// The fact that conditions read.
    pub flag: bool,
    pub purse: Purse,
    /// Further messages of a conversation; none is a task with one answer.
    pub talk: u32,
}

/// What a run may cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purse {
    pub tokens: Option<u64>,
    pub model_calls: Option<u64>,
    pub skill_calls: Option<u64>,
    /// A person is asked once it is empty.
    pub ask: bool,
}

impl Purse {
    /// From one that is empty at once to one that is never missed.
    pub fn generate(dice: &mut Dice) -> Purse {
        let mut some = |percent, most| dice.chance(percent).then(|| dice.below(most));
        Purse {
            tokens: some(50, 16_000),
            model_calls: some(40, 12),
            skill_calls: some(40, 10),
            ask: some(50, 1).is_some(),
        }
    }
}

/// One state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stay {
    pub turns: Vec<Turn>,
    /// Any one skill of the set is enough.
    pub any: bool,
    pub failure: Failure,
    /// The contract does not ask for it.
    pub optional: bool,
    /// An optional state that lies beside the way, behind the flag.
    pub beside: bool,
    pub skippable: bool,
    /// The state has a retry policy, so harmless failures repeat by themselves.
    pub retry: bool,
}

/// Where failure leads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Failure {
    #[default]
    Retry,
    Back(usize),
    Failed,
}

/// One skill of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    pub effect: Option<EffectClass>,
    pub check: bool,
    pub approval: bool,
    pub verified: bool,
    /// Requires the skill before it in the set.
    pub after_previous: bool,
    /// The set is complete without it.
    pub open: bool,
    /// Declares what it touches, so that calls can run side by side.
    pub apart: bool,
}

impl Shape {
    /// Two to six states.
    pub fn generate(dice: &mut Dice) -> Shape {
        let count = 2 + dice.below(5) as usize;
        let checked = dice.chance(70);
        let mut states: Vec<Stay> = Vec::new();
        for at in 0..count {
            let last = at + 1 == count;
            let before_optional = states.last().is_some_and(|stay| stay.optional);
            states.push(stay(
                dice,
                at,
                last && checked,
                !last && at > 0 && !before_optional,
            ));
        }
        Shape {
            states,
            answer_by_model: checked && dice.chance(30),
            runtime: dice.chance(15),
            all_tools: dice.chance(30),
            urged: dice.chance(40),
            hasty: dice.chance(5),
            flag: dice.chance(50),
            purse: Purse::default(),
            talk: 0,
        }
    }

    /// Whether the answer must be a checked text.
    pub fn is_checked(&self) -> bool {
        self.states
            .iter()
            .any(|stay| stay.turns.iter().any(|turn| turn.check))
    }
}

fn stay(dice: &mut Dice, at: usize, check: bool, may_be_optional: bool) -> Stay {
    let count = if dice.chance(70) {
        1
    } else {
        2 + dice.below(2) as usize
    };
    let mut turns: Vec<Turn> = (0..count).map(|index| turn(dice, index)).collect();
    if check {
        let after = turns.len() > 1;
        turns.pop();
        let read = Some(EffectClass::Read);
        turns.push(Turn {
            effect: read,
            check: true,
            after_previous: after,
            ..Turn::default()
        });
    }
    let failure = match dice.below(10) {
        0..6 => Failure::Retry,
        6..9 if at > 0 => Failure::Back(dice.below(at as u64 + 1) as usize),
        6..9 => Failure::Retry,
        _ => Failure::Failed,
    };
    let optional = may_be_optional && dice.chance(15);
    Stay {
        any: !check && turns.len() > 1 && dice.chance(25),
        turns,
        failure,
        optional,
        beside: optional && dice.chance(50),
        skippable: !check && !optional && dice.chance(15),
        retry: dice.chance(40),
    }
}

fn turn(dice: &mut Dice, index: usize) -> Turn {
    let effect = match dice.below(10) {
        0..4 => Some(EffectClass::Read),
        4..6 => Some(EffectClass::Idempotent),
        6..9 => Some(EffectClass::Irreversible),
        _ => None,
    };
    let acts = effect != Some(EffectClass::Read);
    Turn {
        effect,
        check: false,
        approval: acts && dice.chance(25),
        verified: effect == Some(EffectClass::Irreversible) && dice.chance(40),
        after_previous: index > 0 && dice.chance(50),
        open: index > 0 && dice.chance(20),
        apart: dice.chance(50),
    }
}
