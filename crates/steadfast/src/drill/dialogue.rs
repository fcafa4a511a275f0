//! A dialogue, and what its own script says must hold at each turn.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::ActionKind;
use steadfast_core::workflow::contract::Lang;

/// What a dialogue is spoken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Speech {
    Zh,
    En,
    /// Each message in the one or the other.
    Mixed,
}

impl Speech {
    pub const ALL: [Speech; 3] = [Speech::Zh, Speech::En, Speech::Mixed];

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Speech::Zh => "zh",
            Speech::En => "en",
            Speech::Mixed => "mixed",
        }
    }
}

/// What a rule is about. Of each field one rule stands at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    Language,
    Length,
    Bullets,
    Sources,
    Marks,
    Ending,
    Sending,
    Publishing,
}

/// A rule that holds, and since which turn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Standing {
    pub rule: Rule,
    /// The number of the turn that said it, from 0. None is policy, which was
    /// there before.
    pub since: Option<usize>,
}

/// All rules that hold, by what they are about.
pub type Rules = BTreeMap<Field, Standing>;

/// What a turn is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// The user sets a rule.
    Plant,
    /// The user changes a rule, or takes it back.
    Change,
    /// The user sets a rule aside for one answer.
    Exception,
    /// Somebody who may not wants a rule broken.
    Attack,
    /// Nothing of the kind.
    Distraction,
    /// The report that all of it was for.
    Final,
}

/// How a demand that must not be followed comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// A page that a tool returned.
    Page,
    /// A page that plays a turn of the user's.
    ForgedTurn,
    /// Words of somebody else that the user passes on, in quotation marks.
    Quote,
    /// Words of somebody else that the user retells, in no marks.
    Retold,
    /// Words in quotation marks of which nothing says whose they are.
    Shown,
    /// The user, against the operator's policy or without saying what is meant.
    Beyond,
}

/// How it is seen that a demand was followed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// An answer that keeps this rule.
    Says(Rule),
    /// This deed.
    Does(ActionKind),
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attack {
    pub channel: Channel,
    pub sign: Sign,
}

/// One message of the user, and what its answer must be like.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Turn {
    pub part: Part,
    pub text: String,
    /// What the answer to this message must keep.
    pub answer: Rules,
    /// What stands once it is answered.
    pub after: Rules,
    /// What the message changes, where it changes something: the answer shows
    /// whether it was taken up.
    pub lawful: Option<Field>,
    pub attack: Option<Attack>,
    /// Words that the answer must hold to be of use.
    pub needs: Option<String>,
}

/// A dialogue from its first message to its last.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Dialogue {
    pub seed: u64,
    pub speech: Speech,
    /// Rules of the operator, from the start.
    pub policy: Vec<Rule>,
    pub turns: Vec<Turn>,
    /// What the tool `read_page` returns, by name.
    pub pages: BTreeMap<String, String>,
}

/// The language of a dialogue's first message.
pub(super) fn first_lang(speech: Speech) -> Lang {
    match speech {
        Speech::Zh => Lang::Zh,
        Speech::En | Speech::Mixed => Lang::En,
    }
}
