//! What changed between two versions of a ledger, and by which words of which
//! message.

use std::fmt::Write;

use serde_json::{Value, json};
use steadfast_core::ledger::entry::{Change, ChangeKind};
use steadfast_core::ledger::{Proposer, words};
use steadfast_core::task::Task;
use steadfast_core::task::history::{History, Version};
use steadfast_core::workflow::contract::Lang;

use super::Book;
use super::show::who;
use crate::content::{short, visible};

/// Characters of a quotation.
const QUOTED: usize = 120;

/// The changes after `from` up to `to`, each with what it rests on, and the sum.
pub(crate) fn text(book: &Book, from: &Version, to: &Version, task: &Task) -> String {
    let lang = task.lang();
    let mut out = format!(
        "task {}, v{} to v{}\n",
        task.state.task, from.number, to.number
    );
    for version in book.history.between(from.number, to.number) {
        let _ = writeln!(out, "\nv{} {}", version.number, origin(version));
        for line in changed(version, &book.history, lang) {
            let _ = writeln!(out, "  {line}");
        }
    }
    if from.number == to.number {
        out.push_str("\nno change\n");
    }
    out.truncate(out.trim_end().len());
    out
}

/// Where a version comes from: event, source, words, proposer.
pub(crate) fn origin(version: &Version) -> String {
    let mut parts = vec![format!("event {}, {}", version.seq, who(&version.source))];
    if let Some(cited) = version.cites.filter(|cited| cited.end > 0) {
        parts.push(format!(
            "bytes {}..{} of message {}",
            cited.start, cited.end, cited.message
        ));
    }
    match &version.proposer {
        Some(Proposer::Rule { rule }) => parts.push(format!("read by rule {rule}")),
        Some(Proposer::Model { model }) => parts.push(format!("proposed by model {model}")),
        Some(Proposer::Direct) | None => {}
    }
    if let Some(question) = version.confirms {
        parts.push(format!("the answer to {question}"));
    }
    format!("({})", parts.join(", "))
}

/// The lines of one change: what came in, and what went.
pub(crate) fn changed(version: &Version, history: &History, lang: Lang) -> Vec<String> {
    let mut lines = Vec::new();
    match &version.change {
        Some(Change::Put { constraint, .. }) => lines.push(format!(
            "+ {} {}{} “{}”",
            constraint.id,
            visible(&words::rule(&constraint.rule, lang)),
            words::reach(constraint, lang),
            short(&constraint.words, QUOTED)
        )),
        Some(Change::Suspend { suspension }) => lines.push(format!(
            "~ {} rests{} “{}”",
            suspension.target,
            words::until(&suspension.expiry, lang),
            short(&suspension.words, QUOTED)
        )),
        Some(Change::Goal { goal }) => lines.push(format!(
            "= goal: {}",
            short(goal.text.as_deref().unwrap_or_default(), QUOTED)
        )),
        Some(Change::Request { request }) => lines.push(format!(
            "+ for the next answer: {}",
            short(&request.text, QUOTED)
        )),
        Some(Change::End { request: true, .. }) => {
            lines.push("- the request for the last answer".to_owned());
        }
        Some(Change::Revoke { .. } | Change::End { .. }) | None => {}
    }
    let how = match version.what {
        Some(ChangeKind::Overridden) => "replaced",
        Some(ChangeKind::Revoked) => "revoked",
        Some(ChangeKind::Ended) => "ran out",
        _ => "gone",
    };
    for id in &version.gone {
        // A suspension has no rule of its own.
        let rule = history.constraints.get(id).map_or_else(
            || "the rule that rested is back".to_owned(),
            |life| visible(&words::rule(&life.constraint.rule, lang)),
        );
        lines.push(format!("- {id} {rule} ({how})"));
    }
    lines
}

/// The same for programs.
pub(super) fn json(history: &History, from: u64, to: u64) -> Value {
    let changes: Vec<Value> = history.between(from, to).map(version).collect();
    let added: Vec<String> = history
        .constraints
        .values()
        .filter(|life| {
            let since = life.constraint.since;
            let stays = life.end.as_ref().is_none_or(|end| end.version > to);
            since > from && since <= to && stays
        })
        .map(|life| life.constraint.id.to_string())
        .collect();
    let removed: Vec<String> = history
        .constraints
        .values()
        .filter(|life| {
            let went = life.end.as_ref().map(|end| end.version);
            life.constraint.since <= from && went.is_some_and(|at| at > from && at <= to)
        })
        .map(|life| life.constraint.id.to_string())
        .collect();
    json!({ "from": from, "to": to, "added": added, "removed": removed, "changes": changes })
}

/// One version as programs read it.
pub(super) fn version(one: &Version) -> Value {
    json!({
        "version": one.number,
        "event": one.seq,
        "ts": one.at,
        "source": one.source,
        "what": one.what,
        "brings": one.brings.map(|id| id.to_string()),
        "gone": one.gone.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "cites": one.cites.filter(|cited| cited.end > 0),
        "proposer": one.proposer,
        "confirms": one.confirms.map(|id| id.to_string()),
        "change": one.change,
    })
}
