//! A ledger as people read it: a line a rule, with whose it is, how far it
//! reaches, where it was said, and what it replaced; then what waits and what is
//! no longer in force.

use std::fmt::Write;

use steadfast_core::id::Seq;
use steadfast_core::ledger::entry::ChangeKind;
use steadfast_core::ledger::state::Suspension;
use steadfast_core::ledger::{
    Conflict, Constraint, ConstraintId, Force, Question, question, words,
};
use steadfast_core::source::Source;
use steadfast_core::task::Task;
use steadfast_core::task::history::{History, Life, Version};
use steadfast_core::workflow::contract::Lang;

use crate::content::{short, visible};
use crate::time;

/// Characters of a quotation.
const QUOTED: usize = 120;

/// The whole ledger of a task, which stands at `version` of `latest`.
pub(crate) fn text(task: &Task, history: &History, version: &Version, latest: u64) -> String {
    let ledger = &task.state.ledger;
    let lang = task.lang();
    let mut out = String::new();
    let of = match latest == version.number {
        true => String::new(),
        false => format!(" of {latest}"),
    };
    let _ = writeln!(
        out,
        "task {}, v{}{of}, since event {} at {}",
        task.state.task,
        version.number,
        version.seq,
        time::utc(version.at)
    );
    let goal = match &ledger.goal.text {
        Some(goal) => visible(goal),
        None => short(&input_in_force(task), 4 * QUOTED),
    };
    let _ = writeln!(
        out,
        "goal (event {}, {}): {goal}",
        ledger.goal.message,
        who(&ledger.goal.source)
    );
    let standing = |force: Force| ledger.in_force().filter(move |one| one.force == force);
    for (force, title) in [(Force::Must, "rules"), (Force::Should, "wishes")] {
        section(
            &mut out,
            title,
            standing(force).map(|one| rule(one, history, lang)),
        );
    }
    let resting = ledger
        .constraints
        .iter()
        .filter(|one| !ledger.holds(one.id));
    section(
        &mut out,
        "at rest, and back when the exception ends",
        resting.map(|one| format!("{}{}", rule(one, history, lang), until(task, one.id, lang))),
    );
    let request = ledger.request.iter();
    section(
        &mut out,
        "for the next answer only",
        request.map(|one| format!("{} ({})", short(&one.text, QUOTED), said(one.message, None))),
    );
    section(
        &mut out,
        "waiting for an answer",
        ledger.unresolved.iter().map(open_question),
    );
    let facts = task.state.facts.iter();
    section(
        &mut out,
        "facts",
        facts.map(|(name, fact)| {
            let value = short(&fact.value.to_string(), QUOTED);
            format!(
                "{name} = {value} ({}, event {})",
                who(&fact.source),
                fact.seq
            )
        }),
    );
    let conflicts = task.state.stands.conflicts.iter();
    section(&mut out, "stood against", conflicts.map(conflict));
    let gone = history.constraints.values();
    section(
        &mut out,
        "no longer in force",
        gone.filter_map(|life| past(life, version.number, lang)),
    );
    out.truncate(out.trim_end().len());
    out
}

/// The task's input, without the words of rules that no longer hold: as a model
/// is shown it.
pub(crate) fn input_in_force(task: &Task) -> String {
    let mark = match task.lang() {
        Lang::En => "[no longer in force]",
        Lang::Zh => "[已失效]",
    };
    let mut text = task.state.input.text().into_owned();
    // From the end, so that the places before stay where they are.
    for (start, end) in task.state.dead_words(Seq(1)).into_iter().rev() {
        if text.is_char_boundary(start) && text.is_char_boundary(end) {
            text.replace_range(start..end, mark);
        }
    }
    text
}

fn section(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{title}");
    for item in items {
        let _ = writeln!(out, "  {}", item.replace('\n', "\n  "));
    }
}

/// A demand that was not taken: whose, who won, and how often it came.
fn conflict(one: &Conflict) -> String {
    let won = match (one.standing, one.winner) {
        (Some(rule), Some(rank)) => format!("{rule} ({})", rank.name()),
        (None, Some(rank)) => format!("what {} set", rank.name()),
        (_, None) => "its author has no say here".to_owned(),
    };
    let (by, count) = (who(&one.by), one.count);
    let times = match one.first == one.last {
        true => format!("event {}", one.first),
        false => format!("{count} times, events {} to {}", one.first, one.last),
    };
    format!("{by}: {won} ({times})")
}

/// A rule with its words and origin.
pub(crate) fn rule(one: &Constraint, history: &History, lang: Lang) -> String {
    let replaced: Vec<String> = history
        .constraints
        .values()
        .filter(|life| life.end.as_ref().is_some_and(|end| end.by == Some(one.id)))
        .map(|life| life.constraint.id.to_string())
        .collect();
    let replaced = match replaced.is_empty() {
        true => String::new(),
        false => format!(", in the place of {}", replaced.join(", ")),
    };
    let excepts = one
        .excepts
        .map_or_else(String::new, |base| format!(", an exception to {base}"));
    format!(
        "{} {}{}\n   {}, v{}{replaced}{excepts}: {}",
        one.id,
        visible(&words::rule(&one.rule, lang)),
        words::reach(one, lang),
        who(&one.source),
        one.since,
        said(place(one), Some(&one.words)),
    )
}

/// The message that a rule rests on; none of one that came with the workflow.
fn place(one: &Constraint) -> Seq {
    match one.source {
        Source::User { .. } => one.message,
        _ => Seq::ZERO,
    }
}

fn said(message: Seq, words: Option<&str>) -> String {
    let at = match message {
        Seq::ZERO => "workflow file".to_owned(),
        seq => format!("event {seq}"),
    };
    match words {
        Some(words) => format!("{at} “{}”", short(words, QUOTED)),
        None => at,
    }
}

/// What stands in the place of a rule at rest, and for how long.
fn until(task: &Task, id: ConstraintId, lang: Lang) -> String {
    let ledger = &task.state.ledger;
    let exception = ledger
        .constraints
        .iter()
        .find(|one| one.excepts == Some(id));
    if let Some(one) = exception {
        return format!(
            "\n   {} stands in its place{}",
            one.id,
            words::reach(one, lang)
        );
    }
    let still = ledger.suspended.iter().find(|one| one.target == id);
    still.map_or_else(String::new, |one: &Suspension| {
        let end = words::until(&one.expiry, lang);
        format!("\n   {}", said(one.message, Some(&one.words))) + &end
    })
}

/// A question with its options, as numbers that `confirm` takes.
pub(crate) fn open_question(open: &Question) -> String {
    let at = match open.source {
        Source::Policy | Source::Developer => Seq::ZERO,
        _ => open.message,
    };
    let mut text = open.text.clone();
    // Questions in words of their own do not list what can be chosen.
    if !text.contains("\n1. ") {
        let lang = question::language(&open.words);
        for (number, option) in (1..).zip(&open.options) {
            let _ = write!(text, "\n{number}. {}", words::operation(option, lang));
        }
    }
    format!(
        "{} {}\n   {}",
        open.id,
        visible_lines(&text),
        said(at, Some(&open.words))
    )
}

/// Line ends of our own texts stay, all else that hides is shown.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(visible).collect();
    lines.join("\n   ")
}

/// A rule that was in force before `version` and is not any more.
pub(crate) fn past(life: &Life, version: u64, lang: Lang) -> Option<String> {
    let end = life.end.as_ref().filter(|end| end.version <= version)?;
    let one = &life.constraint;
    let how = match (end.how, end.by) {
        (ChangeKind::Overridden, Some(by)) => format!("replaced by {by}"),
        (ChangeKind::Revoked, _) => "revoked".to_owned(),
        (ChangeKind::Ended, _) => "ran out".to_owned(),
        _ => "taken out".to_owned(),
    };
    let span = match end.version - 1 {
        last if last == one.since => format!("v{last}"),
        last => format!("v{} to v{last}", one.since),
    };
    Some(format!(
        "{} {} ({span}, {how} in event {})",
        one.id,
        visible(&words::rule(&one.rule, lang)),
        end.seq
    ))
}

/// A source in a word or two.
pub(crate) fn who(source: &Source) -> String {
    match source {
        Source::Policy => "policy".to_owned(),
        Source::Developer => "developer".to_owned(),
        Source::User { principal } => format!("user {principal}"),
        Source::Approver { principal } => format!("approver {principal}"),
        Source::Runtime => "the runtime".to_owned(),
        Source::Model { model } => format!("model {model}"),
        Source::Skill { skill } => format!("skill {skill}"),
        Source::Document { name } => format!("document {name}"),
    }
}
