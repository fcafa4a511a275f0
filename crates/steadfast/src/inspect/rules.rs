//! Rules that contradict each other, and rules that stand where models look
//! least.

use std::collections::BTreeMap;

use steadfast_core::ledger::patch::{Draft, Operation};
use steadfast_core::ledger::question::language;
use steadfast_core::ledger::relation::{Relation, relate};
use steadfast_core::ledger::{Force, Scope, words};
use steadfast_core::text::reader::read_message;

use super::entry::Entry;
use super::finding::{Finding, FindingKind, Place, excerpt};

/// Tokens behind a hard rule from which on it is far from the end.
const FAR_TOKENS: u32 = 4_000;
/// Tokens at the end within which a second mention brings it back.
const NEAR_TOKENS: u32 = 1_000;
/// Rules of one text that are shown.
const PLACES_MAX: usize = 4;
/// Rules of a context that are compared with each other.
const RULES_MAX: usize = 64;

/// A rule with the words that say it.
struct Said<'a> {
    draft: Draft,
    entry: &'a Entry,
    words: &'a str,
    /// Whether the words themselves take another rule back.
    replaces: bool,
    /// Tokens of the context behind the entry.
    behind: u32,
}

fn said(entries: &[Entry]) -> Vec<Said<'_>> {
    let all: u32 = entries.iter().map(|entry| entry.tokens).sum();
    let mut until = 0;
    let mut found = Vec::new();
    for entry in entries {
        until += entry.tokens;
        if !entry.voice.instructs() {
            continue;
        }
        for patch in read_message(&entry.text, None).patches {
            let (draft, replaces) = match patch.operation {
                Operation::Add(draft) => (draft, false),
                Operation::Override { with, .. } => (with, true),
                _ => continue,
            };
            if draft.scope != Scope::NextAnswer && found.len() < RULES_MAX {
                found.push(Said {
                    draft,
                    entry,
                    words: &entry.text[patch.span],
                    replaces,
                    behind: all - until,
                });
            }
        }
    }
    found
}

/// Pairs of rules on one thing that are not the same.
pub(super) fn contradictions(entries: &[Entry]) -> Vec<Finding> {
    let said = said(entries);
    let mut found = Vec::new();
    for (at, new) in said.iter().enumerate() {
        for old in &said[..at] {
            let why = match relate(&old.draft.rule, &new.draft.rule) {
                Relation::Contrary => "no answer can keep both",
                Relation::Looser => "the later one allows more",
                Relation::Tighter => "the later one allows less",
                Relation::Unclear => "they cannot be compared",
                Relation::Apart | Relation::Same | Relation::Across => continue,
            };
            let stands = if new.replaces {
                ", and the one that was replaced still stands"
            } else {
                ""
            };
            let lang = language(new.words);
            let message = format!(
                "two rules on one thing, “{}” in #{} and “{}” in #{}: {why}{stands}",
                words::rule(&old.draft.rule, lang),
                old.entry.message,
                words::rule(&new.draft.rule, lang),
                new.entry.message,
            );
            let places = vec![
                Place::at(old.entry, old.words),
                Place::at(new.entry, new.words),
            ];
            found.push(Finding::new(FindingKind::Contradiction, message, places));
        }
    }
    found
}

/// Hard rules with much behind them, said again nowhere near the end: one
/// finding for all of one text.
pub(super) fn far(entries: &[Entry]) -> Vec<Finding> {
    let said = said(entries);
    let is_near = |rule: &Said<'_>| {
        said.iter().any(|other| {
            other.behind <= NEAR_TOKENS
                && relate(&rule.draft.rule, &other.draft.rule) != Relation::Apart
        }) || tail(entries).any(|entry| entry.text.contains(rule.words))
    };
    let mut far: BTreeMap<usize, Vec<&Said<'_>>> = BTreeMap::new();
    for rule in &said {
        if rule.draft.force == Force::Must && rule.behind > FAR_TOKENS && !is_near(rule) {
            far.entry(rule.entry.message).or_default().push(rule);
        }
    }
    far.values()
        .map(|rules| {
            let first = excerpt(rules[0].words);
            let message = match rules.len() {
                1 => format!("the rule “{first}” has"),
                n => format!("{n} rules, the first of them “{first}”, have"),
            };
            let message = format!(
                "{message} {} tokens behind and no second mention near the end",
                rules[0].behind
            );
            let places = rules.iter().take(PLACES_MAX);
            let places = places.map(|rule| Place::at(rule.entry, rule.words));
            Finding::new(FindingKind::FarRule, message, places.collect())
        })
        .collect()
}

/// What stands within the last tokens.
fn tail(entries: &[Entry]) -> impl Iterator<Item = &Entry> {
    let mut behind = 0;
    entries.iter().rev().take_while(move |entry| {
        let near = behind <= NEAR_TOKENS;
        behind += entry.tokens;
        near
    })
}
