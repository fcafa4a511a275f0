//! The `ledger` section of a workflow file: the rules that a task begins with.

use serde_json::Value;

use crate::ledger::Given;
use crate::ledger::Rule;
use crate::ledger::exchange::{self, ImportError};
use crate::ledger::patch::{Draft, Operation};
use crate::text::reader::read_message;
use crate::workflow::problem::Problem;
use crate::workflow::spec::LedgerSpec;

/// The section, read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FirstRules {
    pub policy: Vec<Given>,
    pub developer: Vec<Given>,
}

/// Reads the section.
///
/// # Errors
///
/// W0050 for each rule that does not read.
pub(super) fn read(spec: &LedgerSpec) -> Result<FirstRules, Vec<Problem>> {
    let mut errors = Vec::new();
    let list = |rules: &[Value], at: &str, errors: &mut Vec<ImportError>| {
        exchange::constraints(&Value::Array(rules.to_vec()), at, &sentence, errors)
    };
    let mut policy = list(&spec.policy, "/ledger/policy", &mut errors);
    let developer = list(&spec.developer, "/ledger/developer", &mut errors);
    if !spec.output.is_null() {
        policy.extend(exchange::output(
            &spec.output,
            "/ledger/output",
            &mut errors,
        ));
    }
    if errors.is_empty() {
        return Ok(FirstRules { policy, developer });
    }
    Err(errors.iter().map(problem).collect())
}

fn problem(error: &ImportError) -> Problem {
    let path: Vec<&str> = error.pointer.split('/').skip(1).collect();
    Problem::error("W0050", &path, error.fault.to_string()).hint(error.hint())
}

/// What a sentence of the file says as rules; none where it is prose. Where the
/// rules do not rest on all of its words, it stands as prose beside them: no
/// "unless" of the author is lost.
fn sentence(text: &str) -> Vec<Draft> {
    let patches = read_message(text, None).patches;
    let mut drafts = Vec::new();
    for patch in &patches {
        match &patch.operation {
            Operation::Add(draft) => drafts.push(draft.clone()),
            _ => return Vec::new(),
        }
    }
    let rests_on = |at: usize| patches.iter().any(|patch| patch.span.contains(&at));
    let mut words = text.char_indices().filter(|(_, c)| c.is_alphanumeric());
    if !drafts.is_empty() && !words.all(|(at, _)| rests_on(at)) {
        let text = text.to_owned();
        drafts.push(Draft::must(Rule::Prose { text }));
    }
    drafts
}
