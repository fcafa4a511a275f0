//! How much of a step its summary may keep, by how dense the step is.
//!
//! The long-task article gives three grades: 10 % of a step that returns much
//! structured data, 15–25 % of the usual, 40 % of a simple operation. What it goes
//! by is how much of the step later ones can use: whole tables stay behind their
//! reference, and of a deed nearly every word counts.

use crate::limits;
use crate::text::token::{TokenKind, tokens};

/// How dense a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Density {
    /// A deed, or the arguments of a call.
    Sparse,
    /// Prose.
    Plain,
    /// Prose with figures and names.
    Mixed,
    /// Figures and names: tables, lists of records.
    Dense,
    /// Nothing came of it: refused, failed, not accepted.
    Void,
}

impl Density {
    /// Share of the step that its summary may keep.
    pub fn percent(self) -> u32 {
        match self {
            Density::Sparse => 40,
            Density::Plain => 25,
            Density::Mixed => 15,
            Density::Dense | Density::Void => 10,
        }
    }
}

/// The density of data, by the share of its words that hold a digit: figures,
/// dates, ids, versions. A Chinese character counts as half a word.
pub fn of_text(text: &str) -> Density {
    let mut end = text.len().min(limits::DENSITY_BYTES_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (mut halves, mut figures) = (0_usize, 0_usize);
    for token in tokens(&text[..end]) {
        let word = &text[token.span.clone()];
        match token.kind {
            TokenKind::Han => halves += 1,
            TokenKind::Number => {
                halves += 2;
                figures += 2;
            }
            TokenKind::Word => {
                halves += 2;
                let named = word.bytes().any(|b| b.is_ascii_digit());
                figures += 2 * usize::from(named);
            }
            TokenKind::Mark => {}
        }
    }
    let percent = figures * 100 / halves.max(1);
    match percent {
        0..5 => Density::Plain,
        5..30 => Density::Mixed,
        _ => Density::Dense,
    }
}

/// Tokens that the summary of a text may keep. What is short stays as it is.
pub fn budget(tokens: u32, density: Density) -> u32 {
    if tokens <= limits::VERBATIM_TOKENS_MAX {
        return tokens;
    }
    let share = |percent: u32| u32::try_from(u64::from(tokens) * u64::from(percent) / 100);
    let kept = share(density.percent()).unwrap_or(u32::MAX);
    kept.clamp(limits::EXTRACT_TOKENS_MIN, limits::EXTRACT_TOKENS_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grades_of_the_article() {
        let prose = "The meeting went well and everybody agreed on the plan. ".repeat(20);
        let some =
            "Sales rose to 340 in March after a weak start of the year, they said. ".repeat(9);
        let table = "2024-01 312 40.5\n2024-02 298 39.1\n".repeat(40);
        assert_eq!(of_text(&prose), Density::Plain);
        assert_eq!(of_text(&some), Density::Mixed);
        assert_eq!(of_text(&table), Density::Dense);
        assert_eq!(of_text("会议顺利，大家同意这个计划。"), Density::Plain);
        assert_eq!(
            of_text("销售额为 340 万元，比去年同期增长了 12%，会议在月底召开"),
            Density::Mixed
        );
        assert_eq!(budget(180, Density::Dense), 180);
        assert_eq!(budget(1_000, Density::Void), 100);
        assert_eq!(budget(1_000, Density::Dense), 100);
        assert_eq!(budget(1_000, Density::Mixed), 150);
        assert_eq!(budget(1_000, Density::Plain), 250);
        assert_eq!(budget(1_000, Density::Sparse), 400);
    }
}
