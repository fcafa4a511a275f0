//! Whether a summary says what its source says, by rule.
//!
//! Each claim (a sentence of the summary) is aligned with the source sentences
//! that share its words, names and numbers, in Chinese, English or across, and
//! compared: numbers with unit and magnitude, bounds, polarity, modality,
//! quantifiers, dates, identifiers, names, quoted words, rules that nobody gave,
//! and who said it. A finding names the exact pair that differs.
//!
//! What a summary leaves out is no fault, except the references that it was
//! told to keep. Inference is not judged: a claim in other words with no number,
//! name or polarity of its own passes.

mod agree;
mod align;
mod amount;
mod authority;
mod date;
mod edit;
mod lexicon;
mod modality;
mod name;
mod polarity;
mod quantifier;
mod quotation;
mod reading;
mod reference;
mod rule;

use std::ops::Range;

use serde::Serialize;

use crate::id::Seq;
use crate::limits::{FIDELITY_FINDINGS_MAX, FIDELITY_SOURCE_BYTES_MAX, FIDELITY_SUMMARY_BYTES_MAX};

pub use agree::agrees;
pub use rule::{Stripped, rules_in, strip_rules};

use align::{Aligned, Sources};
use reading::{Reading, Sentence};

/// Who is behind a piece of source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Not known: a claim of who said it is held against the words alone.
    #[default]
    Unknown,
    /// A person with a say: what the user asked came from here.
    User,
    /// The agent's own words.
    Agent,
    /// A tool's result, a file, a page: data.
    Data,
}

/// One piece of the source.
#[derive(Clone, Copy, Debug)]
pub struct SourceSpan<'a> {
    /// The event that it stands in.
    pub seq: Seq,
    pub by: Speaker,
    pub text: &'a str,
}

/// What is compared beyond the words.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Data references (`art_7f`, a path) that the summary has to keep.
    pub references: &'a [String],
    /// In a sentence that is otherwise a copy, any word for another that is no
    /// known synonym is a finding too. For edits of a text, not for summaries.
    pub strict: bool,
}

/// What differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    Number,
    /// The same figure ten, a thousand or ten thousand times.
    Magnitude,
    Unit,
    Bound,
    Date,
    Identifier,
    Name,
    Quotation,
    /// A negation or an opposite came in or went.
    Polarity,
    /// A word stands for another of the same kind (red, blue).
    Contrast,
    Modality,
    Quantifier,
    /// A rule that the source does not give.
    InventedRule,
    /// A permission that the source does not give.
    InventedPermission,
    DroppedReference,
    /// "The user asked", where the user did not.
    Authority,
    /// An unknown word for another in a copied sentence (strict).
    Substitution,
    /// Words put into a copied sentence.
    Insertion,
    /// It differs from a constraint or fact in force.
    NotInForce,
    /// Longer than what is compared.
    TooLong,
}

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    pub seq: Seq,
    /// Bytes of that span's text.
    pub span: Range<usize>,
    pub text: String,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Bytes of the summary.
    pub span: Range<usize>,
    pub text: String,
    /// What the source has in its place; none where it has nothing.
    pub source: Option<Place>,
    pub why: String,
}

/// A sentence of the summary with the source sentences it was held against,
/// the nearest first. None: nothing in the source speaks of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    pub span: Range<usize>,
    pub sources: Vec<Place>,
}

/// The outcome of a comparison.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    pub faithful: bool,
    pub findings: Vec<Finding>,
    pub claims: Vec<Claim>,
}

/// One claim beside its source, as the comparisons see it.
struct Pair<'r, 'a> {
    summary: &'r Reading<'a>,
    claim: &'r Sentence,
    sources: &'r Sources<'a>,
    aligned: &'r [Aligned],
}

impl<'r> Pair<'r, '_> {
    fn finding(
        &self,
        kind: FindingKind,
        span: Range<usize>,
        source: Option<Place>,
        why: impl Into<String>,
    ) -> Finding {
        Finding {
            kind,
            text: self.summary.text[span.clone()].to_owned(),
            span,
            source,
            why: why.into(),
        }
    }

    /// The nearest source sentence.
    fn nearest(&self) -> Option<(&'r Reading<'r>, &'r Sentence, f64)> {
        let best = self.aligned.first()?;
        let (reading, sentence) = self.sources.sentence(best.at);
        Some((reading, sentence, best.share))
    }

    /// The aligned source sentences with their texts.
    fn aligned(&self) -> impl Iterator<Item = (usize, &'r Reading<'r>, &'r Sentence)> + '_ {
        self.aligned.iter().map(|one| {
            let (reading, sentence) = self.sources.sentence(one.at);
            (one.at.0, reading, sentence)
        })
    }
}

/// Holds a summary against its source, piece by piece.
pub fn compare(source: &[SourceSpan<'_>], summary: &str, options: &Options<'_>) -> Verdict {
    let mut verdict = whole(source, summary, options);
    verdict.findings.truncate(FIDELITY_FINDINGS_MAX);
    verdict
}

/// The same with all findings.
fn whole(source: &[SourceSpan<'_>], summary: &str, options: &Options<'_>) -> Verdict {
    let (cut, is_cut) = cut(summary, FIDELITY_SUMMARY_BYTES_MAX);
    let summary_reading = Reading::of(cut);
    let sources = Sources::of(source, FIDELITY_SOURCE_BYTES_MAX);
    let mut findings = Vec::new();
    let mut claims = Vec::new();
    for claim in &summary_reading.sentences {
        let aligned = sources.align(claim);
        let pair = Pair {
            summary: &summary_reading,
            claim,
            sources: &sources,
            aligned: &aligned,
        };
        check(&pair, options, &mut findings);
        claims.push(Claim {
            span: claim.span.clone(),
            sources: aligned
                .iter()
                .map(|one| {
                    let (reading, sentence) = sources.sentence(one.at);
                    reading.place(sources.seq(one.at.0), sentence.span.clone())
                })
                .collect(),
        });
    }
    reference::check(cut, options.references, &mut findings);
    if is_cut {
        findings.push(Finding {
            kind: FindingKind::TooLong,
            span: cut.len()..summary.len(),
            text: String::new(),
            source: None,
            why: format!("only the first {FIDELITY_SUMMARY_BYTES_MAX} bytes are compared"),
        });
    }
    if sources.is_worn_out() {
        findings.push(Finding {
            kind: FindingKind::TooLong,
            span: cut.len()..cut.len(),
            text: String::new(),
            source: None,
            why: "more names, quotations and dates than are looked up in so long a source"
                .to_owned(),
        });
    }
    findings.sort_by_key(|one| (one.span.start, one.kind));
    findings.dedup_by(|a, b| a.kind == b.kind && a.span == b.span);
    Verdict {
        faithful: findings.is_empty(),
        findings,
        claims,
    }
}

/// The same for one source text of unknown speaker.
pub fn compare_text(source: &str, summary: &str, options: &Options<'_>) -> Verdict {
    let span = SourceSpan {
        seq: Seq(0),
        by: Speaker::Unknown,
        text: source,
    };
    compare(&[span], summary, options)
}

fn check(pair: &Pair<'_, '_>, options: &Options<'_>, findings: &mut Vec<Finding>) {
    amount::check(pair, findings);
    date::check(pair, findings);
    name::identifiers(pair, findings);
    name::names(pair, findings);
    name::doers(pair, findings);
    quotation::check(pair, findings);
    let ruled = rule::check(pair, findings);
    if !ruled {
        modality::check(pair, findings);
    }
    polarity::check(pair, findings);
    quantifier::check(pair, findings);
    edit::check(pair, options.strict, findings);
    authority::check(pair, findings);
}

/// The longest whole beginning within a limit, and whether anything is left.
fn cut(text: &str, limit: usize) -> (&str, bool) {
    if text.len() <= limit {
        return (text, false);
    }
    let mut end = limit;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], true)
}

#[cfg(test)]
mod tests;
