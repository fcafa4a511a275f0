//! Whether words carry what a model reads from them.
//!
//! A model cites words of a message, and the words stand there; that does not
//! make its reading right. Its rule comes in without a question only where what
//! the rule says can be found in the words themselves, and our own reader does
//! not read them otherwise. All else is asked.

use std::mem::discriminant;

use crate::decimal::Decimal;
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::rule::{Action, Bound, Format, Part, Rule, SourceMatch};
use crate::ledger::words;
use crate::text::number::numbers;
use crate::text::reader::read_message;
use crate::workflow::contract::Lang;

/// Whether the rule stands in the words that are cited for it.
pub(super) fn carries(cited: &str, draft: &Draft) -> bool {
    let patches = read_message(cited, None).patches;
    let read: Vec<&Rule> = patches
        .iter()
        .filter_map(|patch| rule_of(&patch.operation))
        .collect();
    if read.contains(&&draft.rule) {
        return true;
    }
    let kind = discriminant(&draft.rule);
    if read.iter().any(|rule| discriminant(*rule) == kind) {
        return false;
    }
    names(cited, &draft.rule)
}

/// Whether all free text of a proposal stands in the message: no words of a
/// model's own may come to stand among the rules, not even in a question.
pub(super) fn own_words(text: &str, operation: &Operation) -> bool {
    let about = match operation {
        Operation::Revoke { about, .. } => about.as_ref(),
        _ => None,
    };
    let text = text.to_lowercase();
    let has = |one: &String| text.contains(&one.to_lowercase());
    let mut rules = rule_of(operation).into_iter().chain(about);
    rules.all(|rule| match rule {
        Rule::Phrase { text, .. }
        | Rule::StartsWith { text }
        | Rule::EndsWith { text }
        | Rule::Repeat { text }
        | Rule::Prose { text } => has(text),
        Rule::OneOf { options } => options.iter().all(has),
        Rule::ParagraphStart { word, .. } => has(word),
        Rule::Permission { name, .. } | Rule::Amount { name, .. } | Rule::Date { name, .. } => {
            has(name)
        }
        Rule::Letters { letters, .. } | Rule::WordsWithLetters { letters, .. } => has(letters),
        Rule::Punctuation { marks, .. } => marks.chars().count() <= 3 || has(marks),
        Rule::Sources { sources, .. } => sources.iter().all(|source| match source {
            SourceMatch::Domain(name) | SourceMatch::Host(name) => has(name),
            SourceMatch::Grade(grade) => {
                ["official", "internal"].contains(&grade.as_str()) || has(grade)
            }
        }),
        Rule::Format {
            format: Format::Other { named },
        } => has(named),
        Rule::Format {
            format: Format::Json {
                schema: Some(schema),
            },
        } => has(&schema.to_string()),
        Rule::Language { language } => language.len() <= 3,
        Rule::Structure { part, .. } => match part {
            Part::Sections {
                marker: Some(marker),
            }
            | Part::Postscript { marker } => has(marker),
            _ => true,
        },
        Rule::Action {
            action: Action::Skill(skill),
            ..
        } => has(&skill.to_string()),
        Rule::Action { .. }
        | Rule::Format { .. }
        | Rule::Length { .. }
        | Rule::Quoted
        | Rule::Case { .. }
        | Rule::CapitalWords { .. } => true,
    })
}

fn rule_of(operation: &Operation) -> Option<&Rule> {
    match operation {
        Operation::Add(draft) | Operation::Override { with: draft, .. } => Some(&draft.rule),
        Operation::Exception { with, .. } => with.as_ref().map(|draft| &draft.rule),
        _ => None,
    }
}

/// Whether all that a rule names stands in the words. Rules that name nothing,
/// and those about deeds, are for the reader or for a person.
fn names(cited: &str, rule: &Rule) -> bool {
    let said = cited.to_lowercase();
    let has = |text: &str| !text.trim().is_empty() && said.contains(&text.to_lowercase());
    match rule {
        Rule::Language { language } => [Lang::En, Lang::Zh]
            .into_iter()
            .any(|lang| has(&words::tongue(language, lang))),
        Rule::Length { bound, .. } | Rule::Structure { bound, .. } => counts(cited, bound),
        Rule::Amount { name, bound, .. } => {
            let ends = ends(bound);
            has(name) && !ends.is_empty() && ends.into_iter().all(|end| stands(cited, *end))
        }
        Rule::Sources { sources, .. } => sources.iter().all(|source| match source {
            SourceMatch::Domain(host) | SourceMatch::Host(host) => has(host),
            SourceMatch::Grade(grade) => has(grade),
        }),
        Rule::Format { format } => match format {
            Format::Other { named } => has(named),
            Format::Json { schema: Some(_) } => false,
            format => has(&words::form(format, Lang::En)) || has(&words::form(format, Lang::Zh)),
        },
        Rule::Prose { text } => has(text),
        _ => false,
    }
}

fn counts(cited: &str, bound: &Bound<u64>) -> bool {
    let ends = ends(bound);
    let number = |end: u64| i64::try_from(end).ok().map(Decimal::from);
    let all = ends
        .iter()
        .all(|end| number(**end).is_some_and(|end| stands(cited, end)));
    !ends.is_empty() && all
}

fn ends<T>(bound: &Bound<T>) -> Vec<&T> {
    let (min, max) = (bound.min.as_ref(), bound.max.as_ref());
    let sides = min.into_iter().chain(max).map(|end| &end.value);
    sides.chain(bound.about.as_ref()).collect()
}

/// Whether a number stands in the words, in figures or in words.
fn stands(cited: &str, number: Decimal) -> bool {
    numbers(cited)
        .iter()
        .any(|one| one.value == number || one.upto == Some(number))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::rule::{ActionKind, ActionMode, LengthUnit};

    fn length(bound: Bound<u64>) -> Rule {
        let unit = LengthUnit::Words;
        Rule::Length { unit, bound }
    }

    #[test]
    fn a_rule_is_carried_by_words_that_name_what_it_says() {
        let language = |tag: &str| Rule::Language {
            language: tag.to_owned(),
        };
        let forbid = Rule::Action {
            mode: ActionMode::Forbid,
            action: Action::Kind(ActionKind::Publish),
        };
        for (cited, rule, carried) in [
            ("300", length(Bound::at_most(300)), true),
            ("三百", length(Bound::at_most(300)), true),
            ("short", length(Bound::at_most(300)), false),
            // The reader reads a lower bound.
            ("at least 300 words", length(Bound::at_most(300)), false),
            ("at most 300 words", length(Bound::at_most(300)), true),
            ("English", language("en"), true),
            ("英文", language("en"), true),
            ("改成英文", language("zh"), false),
            ("hello", language("en"), false),
            ("不得发布", forbid.clone(), true),
            ("the report is done", forbid, false),
            (
                "kindness to readers",
                Rule::Prose {
                    text: "kindness".to_owned(),
                },
                true,
            ),
            // The reader reads more than that.
            (
                "be kind to readers",
                Rule::Prose {
                    text: "be kind".to_owned(),
                },
                false,
            ),
            (
                "be kind to readers",
                Rule::Prose {
                    text: "be rude".to_owned(),
                },
                false,
            ),
        ] {
            let draft = Draft::must(rule.clone());
            assert_eq!(carries(cited, &draft), carried, "{cited}: {rule:?}");
        }
    }
}
