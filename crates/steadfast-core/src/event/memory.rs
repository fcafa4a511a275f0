//! What becomes of summaries after they were made by rule: asked of a model, put
//! in place, or not taken.
//!
//! A summary is only ever replaced, never edited, and only by one that was made
//! from the raw events of its step. Whatever goes wrong leaves the one before.

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::content::{Content, HoldsContent};
use crate::event::archive::Maker;
use crate::event::model::Usage;
use crate::hash::Hash;
use crate::id::{CallId, Seq};
use crate::price::Price;

/// The driver keeps the archive from here on: it can read raw events again, and
/// ask this model for summaries. Recorded before it does either, so that what is
/// due is a function of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemorySet {
    /// None: summaries are made by rule alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summariser: Option<Summariser>,
    /// Whether it searches the whole archive before a context is made.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub recall: bool,
    /// What it searches by meaning with; none searches by words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedder: Option<String>,
}

/// The model that is asked for summaries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summariser {
    pub model: String,
    /// None: nobody knows, and under a budget of money it is not asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
}

/// A summary is to be made anew from the raw events of its step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryAsked {
    pub call: CallId,
    pub step: u32,
    /// The event that opened the step.
    pub opened: Seq,
    /// The event that took it into the archive: its raw events end there.
    pub archived: Seq,
    pub why: Occasion,
    /// The phase whose template it is made by; none outside of any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Of a model; none is made by rule, and calls nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
}

/// The call of the summariser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Asked {
    pub model: String,
    pub attempt: u32,
    /// What was wrong with the attempt before, as the model is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Content>,
    /// Hash over all that the model sees.
    pub context: Hash,
    pub tokens: u32,
    /// What the call can take at most.
    pub reserved: Amounts,
}

/// Why a summary is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// The step has just left the working layer.
    Left,
    /// Another phase began, whose template the step has not been read by.
    Phase,
    /// The archive is rebuilt from time to time.
    Rebuild,
}

impl Occasion {
    pub fn name(self) -> &'static str {
        match self {
            Occasion::Left => "left",
            Occasion::Phase => "phase",
            Occasion::Rebuild => "rebuild",
        }
    }
}

/// A summary took the place of the one before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryReplaced {
    pub call: CallId,
    pub step: u32,
    pub by: Maker,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// 1 (noise) to 5 (a deed).
    pub importance: u8,
    /// What a context shows of it, in tokens of the script estimate.
    pub tokens: u32,
    /// The whole summary: [`crate::archive::Summary`].
    pub summary: Content,
    /// The lines that a context shows.
    pub text: Content,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Content>,
    /// Sentences that gave rules: taken out before it was weighed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rules_stripped: u32,
    /// The reply as it came; none where no model gave one, and in logs from before
    /// it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Content>,
    /// What the call took, by the provider's word or by the runtime's count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// A summary was not taken: the one before stays.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryRefused {
    pub call: CallId,
    pub step: u32,
    pub because: NotTaken,
    /// What exactly differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<Content>,
    /// The reply as it came; none where no model gave one, and in logs from before
    /// it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Content>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// Whether the call may have taken all that it reserved.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
}

/// Why a summary was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NotTaken {
    /// The call failed.
    Error,
    /// No reply in time.
    Timeout,
    /// No JSON of the shape that was asked for: half of one, or another.
    Malformed,
    /// Nothing in it, or nothing but rules.
    Empty,
    /// Longer than the step may keep.
    Grew,
    /// Under the floor of [`crate::limits::SUMMARY_FLOOR_PERCENT`].
    Starved,
    /// It speaks as somebody else, or calls tools.
    Role,
    /// A claim rests on no event of the step.
    Uncited,
    /// It differs from the raw events.
    Unfaithful,
    /// It differs from what is in force now.
    NotInForce,
    /// The raw events are gone.
    NoSource,
    /// Made anew, it says what the one before said.
    Same,
    /// The summary is in the state no more.
    NotKept,
    /// A budget has no room for the call.
    NoBudget,
    /// The process died with the call at work, and there is no room to make it
    /// again.
    Lost,
}

impl NotTaken {
    pub fn name(self) -> &'static str {
        match self {
            NotTaken::Error => "error",
            NotTaken::Timeout => "timeout",
            NotTaken::Malformed => "malformed",
            NotTaken::Empty => "empty",
            NotTaken::Grew => "grew",
            NotTaken::Starved => "starved",
            NotTaken::Role => "role",
            NotTaken::Uncited => "uncited",
            NotTaken::Unfaithful => "unfaithful",
            NotTaken::NotInForce => "not_in_force",
            NotTaken::NoSource => "no_source",
            NotTaken::Same => "same",
            NotTaken::NotKept => "not_kept",
            NotTaken::NoBudget => "no_budget",
            NotTaken::Lost => "lost",
        }
    }
}

impl HoldsContent for SummaryAsked {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        if let Some(asked) = &mut self.asked {
            asked.fault.visit_content(visit);
        }
    }
}

impl HoldsContent for SummaryReplaced {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.summary.visit_content(visit);
        self.text.visit_content(visit);
        self.words.visit_content(visit);
        self.reply.visit_content(visit);
    }
}

impl HoldsContent for SummaryRefused {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.fault.visit_content(visit);
        self.reply.visit_content(visit);
    }
}
