//! The readings of the IFEval reference (Zhou et al. 2023, and its Spanish
//! form in M-IFEval, in their later published state), for evaluation only.
//!
//! Where the reference has a reading of its own (a bullet may be empty, a
//! paragraph is what `***` parts, a keyword counts within a word), this profile
//! follows it, so that agreement with recorded verdicts says something about
//! the checkers and not about the readings. No reading here is the product's.

mod lines;
mod tokens;

use crate::check::answer::{Answer, wide};
use crate::check::bound::{Side, count_side, said};
use crate::check::evidence::{Outcome, Said};
use crate::ledger::Rule;
use crate::ledger::rule::{Bound, Format, LengthUnit, LetterCase, Matching, Part};
use crate::text::language;

/// The set whose reading is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    English,
    Spanish,
}

/// The outcome by the reference; none where its reading is the product's own.
pub(super) fn check(answer: &Answer<'_>, rule: &Rule, set: Set) -> Option<Outcome> {
    let text = answer.text;
    let holds = match rule {
        Rule::Language { language } => language::detect(text).is_none_or(|found| found == language),
        Rule::Length { unit, bound } => return length(answer, *unit, bound, set),
        Rule::Format {
            format: Format::Json { schema: None },
        } => tokens::is_json(text),
        Rule::Structure { part, bound } => return structure(answer, part, bound, set),
        Rule::Phrase {
            text: phrase,
            bound,
            matching,
        } => return Some(phrase_count(answer, phrase, bound, *matching)),
        Rule::Letters { letters, bound } => {
            let lower = text.to_lowercase();
            let wanted = letters.to_lowercase();
            let found = lower.chars().filter(|c| wanted.contains(*c)).count();
            return Some(count(answer, bound, found));
        }
        Rule::WordsWithLetters { letters, bound } => {
            let wanted = letters.to_lowercase();
            let words = tokens::spanish(text).into_iter();
            let found = words.filter(|word| word.to_lowercase().contains(|c| wanted.contains(c)));
            return Some(count(answer, bound, found.count()));
        }
        Rule::CapitalWords { bound } => {
            let words = match set {
                Set::English => tokens::treebank(text),
                Set::Spanish => tokens::spanish(text),
            };
            let found = words.into_iter().filter(|word| is_upper(word)).count();
            return Some(count(answer, bound, found));
        }
        Rule::Case {
            case: LetterCase::Upper,
        } => match set {
            Set::English => is_upper(text),
            // What has no letters is upper case there.
            Set::Spanish => !text.chars().any(|c| c.is_alphabetic() && !c.is_uppercase()),
        },
        Rule::Case {
            case: LetterCase::Lower,
        } => text.chars().any(char::is_lowercase) && !text.chars().any(is_capital),
        Rule::Punctuation { marks, bound } => {
            let found = text.chars().filter(|c| marks.contains(*c)).count();
            return Some(count(answer, bound, found));
        }
        Rule::EndsWith { text: wanted } => {
            let own = text.trim().trim_matches('"').to_lowercase();
            let own = match set {
                Set::English => &own,
                Set::Spanish => own.strip_suffix('.').unwrap_or(&own),
            };
            own.ends_with(&wanted.trim().to_lowercase())
        }
        Rule::Repeat { text: wanted } => {
            let own = text.trim().to_lowercase();
            own.starts_with(&wanted.trim().to_lowercase())
        }
        Rule::Quoted => {
            let own = text.trim();
            own.len() > 1 && own.starts_with('"') && own.ends_with('"')
        }
        Rule::OneOf { options } => options.iter().any(|option| text.contains(option.as_str())),
        Rule::ParagraphStart {
            paragraph,
            paragraphs,
            word,
        } => lines::paragraph_start(text, *paragraph, *paragraphs, word, set),
        _ => return None,
    };
    Some(verdict(answer, holds))
}

fn is_capital(c: char) -> bool {
    // Title-case letters such as ǅ are neither, and end both.
    c.is_uppercase() || (!c.is_lowercase() && c.to_lowercase().next() != Some(c))
}

fn is_upper(text: &str) -> bool {
    text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase)
}

fn length(answer: &Answer<'_>, unit: LengthUnit, bound: &Bound<u64>, set: Set) -> Option<Outcome> {
    let text = answer.text;
    let found = match (unit, set) {
        (LengthUnit::Words, Set::English) => tokens::word_runs(text),
        (LengthUnit::Words, Set::Spanish) => {
            tokens::spanish_words(&lines::without_list_marks(text).replace('\n', " "))
        }
        (LengthUnit::Sentences, Set::English) => tokens::sentences(text),
        (LengthUnit::Sentences, Set::Spanish) => {
            tokens::sentences(&lines::without_list_marks(text))
        }
        (LengthUnit::Paragraphs, _) => match lines::starred_paragraphs(text) {
            Some(found) => found,
            None => return Some(verdict(answer, false)),
        },
        _ => return None,
    };
    Some(count(answer, bound, found))
}

fn structure(answer: &Answer<'_>, part: &Part, bound: &Bound<u64>, set: Set) -> Option<Outcome> {
    let text = answer.text;
    let found = match part {
        Part::Bullets => match set {
            Set::English => lines::star_bullets(text) + lines::dash_bullets(text),
            Set::Spanish => lines::star_bullets(text),
        },
        Part::Placeholders => lines::placeholders(text),
        Part::Highlights => lines::highlights(text),
        Part::Sections {
            marker: Some(marker),
        } => lines::sections(text, marker.trim()),
        Part::Title => lines::titles(text),
        Part::Postscript { marker } => usize::from(lines::has_postscript(text, marker.trim())),
        Part::Responses => lines::responses(text),
        Part::Questions => lines::spanish_pairs(text, '¿', '?'),
        Part::Exclamations => lines::spanish_pairs(text, '¡', '!'),
        _ => return None,
    };
    Some(count(answer, bound, found))
}

/// A keyword is a pattern there and counts within words, unless borders are
/// asked for.
fn phrase_count(
    answer: &Answer<'_>,
    phrase: &str,
    bound: &Bound<u64>,
    matching: Matching,
) -> Outcome {
    let (text, phrase) = (answer.text.to_lowercase(), phrase.to_lowercase());
    let found = lines::pattern_ends(&text, &phrase);
    let bordered = |(start, end): &(usize, usize)| {
        !matching.whole_words || tokens::is_bordered(&text, *start, *end)
    };
    count(
        answer,
        bound,
        found.iter().filter(|one| bordered(one)).count(),
    )
}

fn count(answer: &Answer<'_>, bound: &Bound<u64>, found: usize) -> Outcome {
    let found = wide(found);
    if count_side(bound, found) == Side::Within {
        return Outcome::Kept;
    }
    let unit = Said::new("", "");
    let counted = Said::new(found.to_string(), found.to_string());
    answer.broken(said(bound, &unit), counted, [])
}

fn verdict(answer: &Answer<'_>, holds: bool) -> Outcome {
    if holds {
        return Outcome::Kept;
    }
    let allowed = Said::new("按参考实现", "by the reference");
    answer.broken(allowed, Said::new("不符", "it does not hold"), [])
}
