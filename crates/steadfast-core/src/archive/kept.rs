//! What the state keeps of the archive: the summaries of the steps that are no
//! longer in view, up to a bound. All of them are in the log.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Serialize};

use crate::archive::terms::Terms;
use crate::content::{Content, HoldsContent};
use crate::event::archive::{Maker, StepArchived};
use crate::event::memory::SummaryReplaced;
use crate::hash::Hash;
use crate::id::{CallId, Seq};
use crate::limits;

/// The summaries, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Archive {
    pub entries: VecDeque<Archived>,
    /// Steps whose summary is in the log alone, since the bound was reached.
    pub gone: u64,
    /// Steps archived in all, and how many they were at the last rebuild.
    #[serde(skip_serializing_if = "is_zero")]
    pub archived: u64,
    #[serde(skip_serializing_if = "is_zero")]
    pub rebuilt_at: u64,
    /// The last step that a rebuild has read.
    #[serde(skip_serializing_if = "is_first")]
    pub rebuilt_to: u32,
    /// The phase whose template earlier steps were read by when it began.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reread_for: Option<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

fn is_first(step: &u32) -> bool {
    *step == 0
}

/// One archived step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Archived {
    pub step: u32,
    /// The event that its summary is from: what came to be in force later is newer.
    pub at: Seq,
    /// The events between which its raw events lie. Zero in snapshots from before
    /// steps were read again.
    #[serde(default)]
    pub opened: Seq,
    #[serde(default)]
    pub archived: Seq,
    /// Whether a model made the summary.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_model: bool,
    /// The whole of it, where a model made it: it is weighed again from time to
    /// time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Content>,
    pub covers: Vec<Seq>,
    pub calls: Vec<CallId>,
    pub asked: Hash,
    pub importance: u8,
    pub phase: Option<String>,
    /// Of its lines, by the script estimate.
    pub tokens: u32,
    pub text: Content,
    pub words: Option<Content>,
    #[serde(skip)]
    terms: OnceLock<Arc<Terms>>,
}

impl PartialEq for Archived {
    fn eq(&self, other: &Self) -> bool {
        let own = |one: &Archived| (one.step, one.at, one.asked, one.importance, one.tokens);
        own(self) == own(other)
            && self.covers == other.covers
            && self.calls == other.calls
            && self.phase == other.phase
            && self.text == other.text
            && self.summary == other.summary
            && (self.opened, self.archived, self.by_model)
                == (other.opened, other.archived, other.by_model)
            && self.words == other.words
    }
}

impl Archived {
    /// The words that it is found by. Read once, since they never change.
    pub(super) fn terms(&self) -> &Terms {
        self.terms
            .get_or_init(|| Arc::new(Terms::of(&self.text.text())))
    }

    /// Whether it speaks of a name: all words of it stand in the text.
    pub(crate) fn names(&self, name: &str) -> bool {
        let wanted = Terms::of(&name.replace(['_', '.', '-', '/'], " "));
        wanted.length > 0 && self.terms().holds(&wanted)
    }
}

impl Archive {
    /// Takes a summary in. Beyond the bound the least important goes, the oldest
    /// of equals first.
    pub fn put(&mut self, at: Seq, body: &StepArchived) {
        self.archived += 1;
        self.entries.push_back(Archived {
            step: body.step,
            at,
            opened: body.opened,
            archived: at,
            by_model: body.by != Maker::Rule,
            summary: None,
            covers: body.covers.clone(),
            calls: body.calls.clone(),
            asked: body.asked,
            importance: body.importance,
            phase: body.phase.clone(),
            tokens: body.tokens,
            text: body.text.clone(),
            words: body.words.clone(),
            terms: OnceLock::new(),
        });
        if self.entries.len() <= limits::ARCHIVE_KEPT {
            return;
        }
        let least = (0..self.entries.len()).min_by_key(|at| self.entries[*at].importance);
        if let Some(at) = least {
            self.entries.remove(at);
            self.gone += 1;
        }
    }
}

impl Archive {
    /// Puts another summary in place of the one before; nothing, where the state
    /// no longer keeps that step.
    pub fn replace(&mut self, at: Seq, body: &SummaryReplaced) {
        let mut entries = self.entries.iter_mut();
        let Some(one) = entries.find(|one| one.step == body.step) else {
            return;
        };
        let by_model = body.by != Maker::Rule;
        one.at = at;
        one.by_model = by_model;
        one.summary = by_model.then(|| body.summary.clone());
        one.importance = body.importance;
        one.phase.clone_from(&body.phase);
        one.tokens = body.tokens;
        one.text = body.text.clone();
        one.words = body.words.clone();
        one.terms = OnceLock::new();
    }
}

impl HoldsContent for Archive {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        for one in &mut self.entries {
            one.summary.visit_content(visit);
            one.text.visit_content(visit);
            one.words.visit_content(visit);
        }
    }
}
