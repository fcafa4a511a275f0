//! A summary beside what is in force now: constraints of the ledger, and facts.

use std::collections::BTreeMap;

use serde_json::Value;

use super::align::Sources;
use super::reading::{Reading, within};
use super::{Finding, FindingKind, Pair, Place, SourceSpan, Speaker, amount, modality, polarity};
use crate::id::Seq;
use crate::ledger::Constraint;
use crate::limits::FIDELITY_SOURCE_BYTES_MAX;

/// How much of a constraint's words a claim shares before it speaks of it.
const SPEAKS_OF_IT: f64 = 0.35;

/// What of a summary contradicts what is in force. A claim that speaks of a
/// constraint must have its numbers, bounds, polarity and force; one that names
/// a fact must have its value. What it does not speak of is no finding.
pub fn agrees(
    summary: &str,
    constraints: &[Constraint],
    facts: &BTreeMap<String, Value>,
) -> Vec<Finding> {
    let spans: Vec<SourceSpan<'_>> = constraints
        .iter()
        .map(|one| SourceSpan {
            seq: one.message,
            by: Speaker::User,
            text: &one.words,
        })
        .collect();
    let reading = Reading::of(summary);
    let sources = Sources::of(&spans, FIDELITY_SOURCE_BYTES_MAX);
    let mut findings = Vec::new();
    for claim in &reading.sentences {
        let mut aligned = sources.align(claim);
        aligned.retain(|one| {
            let (_, sentence) = sources.sentence(one.at);
            let shared = sentence.keys.intersection(&claim.keys).count();
            one.share >= SPEAKS_OF_IT || shared * 2 >= sentence.keys.len() && shared >= 2
        });
        aligned.truncate(1);
        if aligned.is_empty() {
            continue;
        }
        let pair = Pair {
            summary: &reading,
            claim,
            sources: &sources,
            aligned: &aligned,
        };
        let from = findings.len();
        let has_amounts = pair.aligned().any(|(_, reading, sentence)| {
            within(&reading.amounts, &sentence.span, |one| &one.span)
                .next()
                .is_some()
        });
        if has_amounts {
            amount::check(&pair, &mut findings);
        }
        polarity::check(&pair, &mut findings);
        modality::check(&pair, &mut findings);
        for one in &mut findings[from..] {
            one.why = format!("differs from a constraint in force: {}", one.why);
        }
    }
    for (name, value) in facts {
        fact(&reading, name, value, &mut findings);
    }
    findings
}

/// A claim that names a fact and gives it another number, date or id.
fn fact(summary: &Reading<'_>, name: &str, value: &Value, findings: &mut Vec<Finding>) {
    let words = name.replace(['_', '.', '-', '/'], " ");
    let name_words = Reading::of(&words);
    let Some(wanted) = name_words.sentences.first().map(|one| &one.keys) else {
        return;
    };
    let said = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let current = Reading::of(&said);
    for claim in &summary.sentences {
        let piece = &summary.text[claim.span.clone()];
        if wanted.is_empty() || !wanted.is_subset(&claim.keys) || piece.contains(said.as_str()) {
            continue;
        }
        let amounts: Vec<_> = within(&summary.amounts, &claim.span, |one| &one.span).collect();
        let stale = match (current.amounts.first(), amounts.as_slice()) {
            (Some(now), [_, ..]) => amounts
                .iter()
                .all(|one| {
                    one.quantity.number.value != now.quantity.number.value
                        && one.quantity.in_base() != now.quantity.in_base()
                })
                .then(|| amounts[0].span.clone()),
            _ => {
                let ids = within(&summary.identifiers, &claim.span, |one| &one.span).next();
                let dates = within(&summary.dates, &claim.span, |one| &one.span).next();
                match (
                    current.identifiers.first(),
                    ids,
                    current.dates.first(),
                    dates,
                ) {
                    (Some(now), Some(one), ..) if now.kind == one.kind => Some(one.span.clone()),
                    (_, _, Some(now), Some(one)) if now.date != one.date => Some(one.span.clone()),
                    _ => None,
                }
            }
        };
        if let Some(span) = stale {
            findings.push(Finding {
                kind: FindingKind::NotInForce,
                text: summary.text[span.clone()].to_owned(),
                span,
                source: Some(Place {
                    seq: Seq::ZERO,
                    span: 0..said.len(),
                    text: said.clone(),
                }),
                why: format!("the fact `{name}` is now `{said}`"),
            });
        }
    }
}
