//! A step left the working layer: its summary takes its place.

use serde::{Deserialize, Serialize};

use crate::content::{Content, HoldsContent};
use crate::hash::Hash;
use crate::id::{CallId, Seq};

/// The oldest step in view was summarised from its raw events, and the summary
/// passed the checks; the step itself stays in the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepArchived {
    pub step: u32,
    /// The reply that opened it.
    pub opened: Seq,
    /// The events that it rests on, in order.
    pub covers: Vec<Seq>,
    /// Its calls, whose results it tells of.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<CallId>,
    /// Names what was asked, by skill and arguments: a later step of the same
    /// name says the same, only newer.
    pub asked: Hash,
    /// 1 (noise) to 5 (a deed).
    pub importance: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// What a context shows of it, in tokens of the script estimate.
    pub tokens: u32,
    pub by: Maker,
    pub why: Why,
    /// The whole summary: [`crate::archive::Summary`].
    pub summary: Content,
    /// The lines that a context shows.
    pub text: Content,
    /// The agent's own words in it, shown only while nothing in force
    /// contradicts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<Content>,
}

/// Who made a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Maker {
    /// The rule that needs no model.
    Rule,
    /// A model; the summary passed the fidelity check.
    Model { model: String },
}

/// Why a step left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// It is older than the working layer reaches.
    WorkingLayer,
    /// The window has no room for it in full.
    Window,
}

impl HoldsContent for StepArchived {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.summary.visit_content(visit);
        self.text.visit_content(visit);
        self.words.visit_content(visit);
    }
}
