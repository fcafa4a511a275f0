//! What a context shows of a long result that is no longer new: its key data.
//!
//! The newest steps stand in full, and so does every result that a receipt in
//! force rests on, since the work builds on it. An older result that another one
//! has taken the place of is shown by whole values and whole sentences, as many
//! as its summary may keep, with the size and the name of the whole. It is cut
//! out by rule and worked out once per step, not once per context.

use std::sync::{Arc, OnceLock};

use crate::archive::density;
use crate::archive::extract::key_data;
use crate::content::Content;
use crate::hash::Hash;
use crate::limits;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::task::state::{CallOutcome, Step};
use crate::workflow::contract::Lang;

/// The key data of results, by the hash of each.
type ByResult = Arc<[(Hash, Arc<str>)]>;

/// The key data of a step's long results, once they were asked for. No part of
/// the state: it follows from the contents.
#[derive(Clone, Debug, Default)]
pub struct Briefs(OnceLock<ByResult>);

impl PartialEq for Briefs {
    fn eq(&self, _: &Briefs) -> bool {
        true
    }
}

impl Briefs {
    /// The key data of a result of the step; none where it is short enough to
    /// stand as it is.
    pub(super) fn of(step: &Step, result: &Content, lang: Lang) -> Option<Arc<str>> {
        let made = step.briefs.0.get_or_init(|| {
            let results = step.calls.iter().filter_map(|call| match &call.outcome {
                CallOutcome::Returned { result, .. } => Some(result),
                _ => None,
            });
            let made = results.filter_map(|one| Some((one.hash, brief(one, lang)?)));
            made.collect()
        });
        let known = made.iter().find(|(hash, _)| *hash == result.hash);
        known.map(|(_, text)| text.clone())
    }
}

fn brief(result: &Content, lang: Lang) -> Option<Arc<str>> {
    let text = result.text();
    let shown = tokens_shown(&text);
    if shown <= limits::VERBATIM_TOKENS_MAX {
        return None;
    }
    let kept = density::budget(shown, density::of_text(&text));
    Some(Arc::from(key_data(&text, kept, lang)))
}

/// What the text would take in full, by the script estimate.
fn tokens_shown(text: &str) -> u32 {
    // Every character is a third of a token at least.
    match text.len() > 12 * limits::RESULT_TOKENS_MAX as usize {
        true => limits::RESULT_TOKENS_MAX,
        false => ScriptEstimate.count(text).min(limits::RESULT_TOKENS_MAX),
    }
}
