//! The last contexts of a task that went wrong, and what is wrong with them.
//!
//! A model answers from what it is shown. So the question after a failure is
//! not only what the model did but what stood before it: two values of one
//! thing, the same text twice, a result that a later one replaced, a rule eight
//! thousand tokens from the end. All findings come from rules, with their
//! places; no model is asked. They need a list of messages and nothing else, so
//! logs of other agents can be looked at in the same way ([`import`]).

mod entry;
mod finding;
pub mod import;
mod rules;
mod steps;
mod texts;
mod values;

use steadfast_core::context::Message;
use steadfast_core::rules::Tokenizer;

use entry::Entry;
pub use finding::{Difference, Finding, FindingKind, Place, Report, Sight};

/// One context as a model was shown it.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// What it is called in the report: the call that it was for.
    pub name: String,
    pub messages: Vec<Message>,
}

/// Looks at contexts, oldest first. What is found in several of them is one
/// finding, with the first and the last in which it stands.
pub fn look(contexts: &[Shown], tokenizer: &dyn Tokenizer) -> Report {
    let mut report = Report::default();
    let mut before: Option<Vec<Entry>> = None;
    for context in contexts {
        let entries = entry::entries(&context.messages, tokenizer);
        for finding in findings(&entries, tokenizer) {
            report.add(&context.name, finding);
        }
        report.contexts.push(Sight {
            name: context.name.clone(),
            messages: context.messages.len(),
            tokens: entries.iter().map(|entry| entry.tokens).sum(),
            changed: before.map(|before| finding::difference(&before, &entries)),
        });
        before = Some(entries);
    }
    report
}

fn findings(entries: &[Entry], tokenizer: &dyn Tokenizer) -> Vec<Finding> {
    let mut all = values::records(entries);
    all.extend(rules::contradictions(entries));
    all.extend(values::stale(entries));
    all.extend(texts::redundant(entries, tokenizer));
    all.extend(texts::truncated(entries));
    all.extend(values::missing(entries));
    all.extend(rules::far(entries));
    all.extend(steps::repeated(entries));
    all
}
