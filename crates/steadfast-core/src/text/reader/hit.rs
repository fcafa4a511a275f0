//! A rule that a clause speaks of, before it is known what is to happen to it.

use std::ops::Range;

use crate::ledger::rule::Rule;

#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub(super) rule: Rule,
    /// Folded bytes from the beginning of the message.
    pub(super) span: Range<usize>,
    pub(super) name: &'static str,
}

/// What a rule is about, apart from its value: two of one field overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Language,
    Length(&'static str),
    Format,
    Structure(String),
    Sources,
    Action(String),
    Amount(String),
    Date(String),
    Phrase(String),
    StartsWith,
    EndsWith,
    Case,
    Punctuation(String),
    Quoted,
    Permission(String),
    Letters(String),
    Other,
}

impl Field {
    pub(super) fn of(rule: &Rule) -> Field {
        use crate::ledger::rule::LengthUnit::{
            Characters, Graphemes, Lines, Paragraphs, Sentences, Tokens, Words,
        };
        match rule {
            Rule::Language { .. } => Field::Language,
            Rule::Length { unit, .. } => Field::Length(match unit {
                Characters | Graphemes | Words | Tokens => "whole",
                Sentences => "sentences",
                Paragraphs => "paragraphs",
                Lines => "lines",
            }),
            Rule::Format { .. } => Field::Format,
            Rule::Structure { part, .. } => Field::Structure(format!("{part:?}")),
            Rule::Sources { .. } => Field::Sources,
            Rule::Action { action, .. } => Field::Action(format!("{action:?}")),
            Rule::Amount { name, .. } => Field::Amount(name.clone()),
            Rule::Date { name, .. } => Field::Date(name.clone()),
            Rule::Phrase { text, .. } => Field::Phrase(text.to_lowercase()),
            Rule::StartsWith { .. } => Field::StartsWith,
            Rule::EndsWith { .. } => Field::EndsWith,
            Rule::Case { .. } => Field::Case,
            Rule::Punctuation { marks, .. } => Field::Punctuation(marks.clone()),
            Rule::Quoted => Field::Quoted,
            Rule::Permission { name, .. } => Field::Permission(name.clone()),
            Rule::Letters { letters, .. } => Field::Letters(letters.clone()),
            Rule::WordsWithLetters { .. }
            | Rule::CapitalWords { .. }
            | Rule::ParagraphStart { .. }
            | Rule::OneOf { .. }
            | Rule::Repeat { .. }
            | Rule::Prose { .. } => Field::Other,
        }
    }

    /// Whether its loosening has to wait for a person's plain yes: money,
    /// sending, publishing, deleting, permissions.
    pub(super) fn guarded(&self) -> bool {
        matches!(
            self,
            Field::Action(_) | Field::Amount(_) | Field::Permission(_)
        )
    }

    /// How the answer looks, as against what may be done or relied on.
    pub(super) fn of_answer(&self) -> bool {
        !self.guarded() && !matches!(self, Field::Sources | Field::Date(_) | Field::Other)
    }
}
