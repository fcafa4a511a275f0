//! References to data that a summary has to keep: without them the data is lost.

use super::{Finding, FindingKind};

pub(super) fn check(summary: &str, references: &[String], findings: &mut Vec<Finding>) {
    for reference in references {
        if stands(summary, reference) {
            continue;
        }
        findings.push(Finding {
            kind: FindingKind::DroppedReference,
            span: summary.len()..summary.len(),
            text: String::new(),
            source: None,
            why: format!("the reference `{reference}` is left out"),
        });
    }
}

fn stands(summary: &str, reference: &str) -> bool {
    let joined = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !reference.is_empty()
        && summary.match_indices(reference).any(|(at, _)| {
            let before = summary[..at].chars().next_back();
            let after = summary[at + reference.len()..].chars().next();
            !before.is_some_and(joined) && !after.is_some_and(joined)
        })
}
