//! The bill of materials of a context, and the difference of two.

use std::collections::BTreeSet;

use serde::Serialize;
use steadfast_core::context::{Entry, FragmentKind, LeftOut, Manifest};
use steadfast_core::hash::Hash;
use steadfast_core::id::Seq;

use super::{Part, Seen, word};
use crate::content::short;
use crate::error::Error;
use crate::printer::Printer;
use crate::table;

/// Characters that a line shows of a fragment.
const SHOWN: usize = 60;
/// Sources that a line names; it counts the rest.
const SOURCES_SHOWN: usize = 6;

/// The bill as programs read it.
#[derive(Serialize)]
struct Shown<'a> {
    step: u32,
    call: &'a str,
    context: Hash,
    /// Tokens of the context before it that stand unchanged at its beginning: what
    /// a provider's cache can reuse.
    prefix_tokens: u32,
    bill: &'a Manifest,
}

pub(super) fn show(
    printer: &Printer,
    one: &Seen,
    before: Option<&Seen>,
    parts: &[Part],
) -> Result<(), Error> {
    let called = &one.called;
    let kept = before.map_or(0, |before| prefix(&before.manifest, &one.manifest));
    if printer.json {
        return printer.json(&Shown {
            step: called.step,
            call: called.call.as_str(),
            context: called.context,
            prefix_tokens: kept,
            bill: &one.manifest,
        });
    }
    let bill = &one.manifest;
    let mut rows = vec![row(["part", "tokens", "share", "events", "words"])];
    for (entry, part) in bill.entries.iter().zip(parts) {
        rows.push(of_entry(entry, part, bill.tokens));
    }
    let share = percent(bill.tool_tokens, bill.tokens);
    rows.push(row([
        "tools",
        &bill.tool_tokens.to_string(),
        &share,
        "",
        "",
    ]));
    printer.data(&table::aligned(&rows))?;
    printer.data(&format!(
        "in all {} of {} tokens; window {}, kept for the reply {}; counted by {}",
        bill.tokens, bill.room, bill.window, bill.output_tokens_max, bill.tokenizer
    ))?;
    printer.data(&format!(
        "unchanged from the context before: the first {kept} tokens ({})",
        percent(kept, bill.tokens)
    ))?;
    for one in &bill.left_out {
        printer.data(&left_out(one))?;
    }
    Ok(())
}

fn of_entry(entry: &Entry, part: &Part, all: u32) -> Vec<String> {
    row([
        &word(&entry.kind),
        &entry.tokens.to_string(),
        &percent(entry.tokens, all),
        &sources(&entry.sources),
        &short(&part.text, SHOWN),
    ])
}

fn row(cells: [&str; 5]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn percent(part: u32, all: u32) -> String {
    format!("{} %", u64::from(part) * 100 / u64::from(all.max(1)))
}

fn sources(all: &[Seq]) -> String {
    let shown = all.iter().take(SOURCES_SHOWN).map(Seq::to_string);
    let mut text = shown.collect::<Vec<_>>().join(",");
    if let Some(more) = all.len().checked_sub(SOURCES_SHOWN).filter(|n| *n > 0) {
        text += &format!(" +{more}");
    }
    text
}

fn left_out(one: &LeftOut) -> String {
    let why = match one.why.as_str() {
        "archive_rank" => {
            "other earlier steps fit the present one better (by words, importance, age; no embedder)"
        }
        "duplicate" => "the same was asked again later, or its receipt is shown",
        "window" => "the window has no room",
        "excerpt" => "shown in part, with a reference to the whole",
        "facts" => "newer facts filled their share",
        other => other,
    };
    format!(
        "left out: {} of events {}: {why}",
        word(&one.kind),
        sources(&one.sources)
    )
}

/// Tokens of the fragments that both contexts begin with.
fn prefix(before: &Manifest, after: &Manifest) -> u32 {
    let pairs = before.entries.iter().zip(&after.entries);
    let same = pairs.take_while(|(a, b)| a.hash == b.hash);
    same.map(|(_, entry)| entry.tokens).sum()
}

/// A fragment that only one of two contexts has.
#[derive(Serialize)]
struct Changed<'a> {
    side: &'static str,
    kind: FragmentKind,
    tokens: u32,
    sources: &'a [Seq],
    text: &'a str,
}

pub(super) fn differences(
    printer: &Printer,
    from: (&Seen, &[Part]),
    to: (&Seen, &[Part]),
) -> Result<(), Error> {
    let names = |seen: &Seen| -> BTreeSet<Hash> {
        seen.manifest
            .entries
            .iter()
            .map(|entry| entry.hash)
            .collect()
    };
    let (of_from, of_to) = (names(from.0), names(to.0));
    let mut changed = Vec::new();
    for (side, (seen, parts), other) in [("-", from, &of_to), ("+", to, &of_from)] {
        for (entry, part) in seen.manifest.entries.iter().zip(parts) {
            if !other.contains(&entry.hash) {
                changed.push(Changed {
                    side,
                    kind: entry.kind,
                    tokens: entry.tokens,
                    sources: &entry.sources,
                    text: &part.text,
                });
            }
        }
    }
    if printer.json {
        return changed.iter().try_for_each(|one| printer.json(one));
    }
    for one in &changed {
        printer.data(&format!(
            "{} {} of events {}, {} tokens: {}",
            one.side,
            word(&one.kind),
            sources(one.sources),
            one.tokens,
            short(one.text, SHOWN)
        ))?;
    }
    let (a, b) = (&from.0.manifest, &to.0.manifest);
    printer.data(&format!(
        "step {}: {} tokens; step {}: {} tokens; in both: {} parts",
        from.0.called.step,
        a.tokens,
        to.0.called.step,
        b.tokens,
        of_from.intersection(&of_to).count()
    ))
}
