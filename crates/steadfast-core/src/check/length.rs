//! Length in the unit that was asked for.

use std::ops::Range;

use crate::check::CheckContext;
use crate::check::answer::Answer;
use crate::check::bound::{self, Side};
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::{Bound, LengthUnit};
use crate::text::length;

pub(super) fn check(
    answer: &Answer<'_>,
    unit: LengthUnit,
    bound: &Bound<u64>,
    context: &CheckContext<'_>,
) -> Outcome {
    if !bound::is_given(bound) {
        return Outcome::NotChecked(Why::NoBound);
    }
    let text = answer.text;
    let found: Vec<Range<usize>> = match unit {
        LengthUnit::Characters => length::characters(text),
        LengthUnit::Graphemes => length::graphemes(text),
        LengthUnit::Words => length::words(text),
        LengthUnit::Sentences => length::sentences(text),
        LengthUnit::Paragraphs => length::paragraphs(text),
        LengthUnit::Lines => length::written_lines(text),
        LengthUnit::Tokens => {
            let count = u64::from(context.tokenizer.count(text));
            if !context.tokenizer.is_exact() && !is_certain(bound, count) {
                return Outcome::NotChecked(Why::NotCertain);
            }
            return judge(answer, bound, unit, count, []);
        }
    };
    let count = super::answer::wide(found.len());
    // What is too much is one place: from the first unit beyond the bound.
    let excess = found.get(bound::most(bound)).map(|first| {
        let end = found.last().map_or(first.end, |last| last.end);
        first.start..end
    });
    judge(answer, bound, unit, count, excess)
}

fn judge(
    answer: &Answer<'_>,
    bound: &Bound<u64>,
    unit: LengthUnit,
    count: u64,
    excess: impl IntoIterator<Item = Range<usize>>,
) -> Outcome {
    if bound::count_side(bound, count) == Side::Within {
        return Outcome::Kept;
    }
    let unit = named(unit);
    let found = Said::new(
        format!("{count} {}", unit.zh),
        format!("{count} {}", unit.en),
    );
    answer.broken(bound::said(bound, &unit), found, excess)
}

/// Whether an upper estimate of a count decides: it shows that a maximum is
/// kept and that a minimum is not reached, and nothing else.
fn is_certain(bound: &Bound<u64>, count: u64) -> bool {
    match bound::count_side(bound, count) {
        Side::Below => true,
        Side::Within => bound.min.is_none() && bound.about.is_none(),
        Side::Above => false,
    }
}

pub(super) fn named(unit: LengthUnit) -> Said {
    let (zh, en) = match unit {
        LengthUnit::Characters => ("字", "characters"),
        LengthUnit::Graphemes => ("个字符（含空格）", "characters with blanks"),
        LengthUnit::Words => ("个词", "words"),
        LengthUnit::Sentences => ("句", "sentences"),
        LengthUnit::Paragraphs => ("段", "paragraphs"),
        LengthUnit::Lines => ("行", "lines"),
        LengthUnit::Tokens => ("个 token", "tokens"),
    };
    Said::new(zh, en)
}
