//! `steadfast metrics --compare`: two sets of tasks side by side.

use std::collections::BTreeMap;

use serde::Serialize;
use steadfast::metrics::{Difference, Totals, differences};

use super::gather::{Gathered, One, RanWith, Seen, by_workflow};
use crate::args::Compare;
use crate::error::Error;
use crate::printer::Printer;
use crate::table;

/// Both sides, each with what it is called.
pub(super) struct Sides {
    pub(super) before: (String, BTreeMap<String, Seen>),
    pub(super) after: (String, BTreeMap<String, Seen>),
}

/// What is different in one workflow.
#[derive(Serialize)]
struct Compared<'a> {
    workflow: &'a str,
    before: &'a str,
    after: &'a str,
    differences: Vec<Difference>,
    totals_before: &'a Totals,
    totals_after: &'a Totals,
}

/// Tasks that ran with the same thing as the newest one, and those with the thing
/// before it. None where there was only one.
pub(super) fn by_what(gathered: &Gathered, what: &Compare) -> Option<Sides> {
    let name = |one: &One| -> String {
        let RanWith {
            model,
            workflow,
            assembler,
        } = &one.ran_with;
        match what {
            Compare::Model => model.clone(),
            _ => format!("{model}, workflow {}, assembler {assembler}", cut(workflow)),
        }
    };
    // The last time that each was seen tells which is newer.
    let mut last = BTreeMap::new();
    for one in gathered
        .tasks
        .iter()
        .filter(|one| !one.ran_with.model.is_empty())
    {
        let at = last.entry(name(one)).or_insert(one.began);
        *at = one.began.max(*at);
    }
    let mut names: Vec<_> = last.into_iter().collect();
    names.sort_by_key(|(_, at)| std::cmp::Reverse(*at));
    let mut names = names.into_iter().map(|(name, _)| name);
    let (after, before) = (names.next()?, names.next()?);
    let of = |wanted: &str| by_workflow(gathered.tasks.iter().filter(|one| name(one) == wanted));
    Some(Sides {
        before: (before.clone(), of(&before)),
        after: (after.clone(), of(&after)),
    })
}

/// A hash by its beginning, as far as people compare it.
fn cut(hash: &str) -> &str {
    hash.get(..11).unwrap_or(hash)
}

/// Shows each workflow that both sides have.
pub(super) fn tell(sides: &Sides, printer: &Printer) -> Result<(), Error> {
    let (before_name, before) = &sides.before;
    let (after_name, after) = &sides.after;
    let mut told = 0;
    for (workflow, later) in after {
        let Some(earlier) = before.get(workflow) else {
            continue;
        };
        told += 1;
        let found = Compared {
            workflow,
            before: before_name,
            after: after_name,
            differences: differences(&earlier.totals, &later.totals),
            totals_before: &earlier.totals,
            totals_after: &later.totals,
        };
        if printer.json {
            printer.json(&found)?;
        } else {
            printer.data(&shown(&found))?;
        }
    }
    if told == 0 {
        printer.say("no workflow has tasks on both sides");
    }
    Ok(())
}

/// A name, and which figure.
type Figure = (&'static str, fn(&Totals) -> u64);

fn shown(found: &Compared<'_>) -> String {
    let heads = ["", "BEFORE", "AFTER", "CHANGE (95 %)", ""];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    lines.extend(found.differences.iter().map(|one| {
        let sign = if one.shown { "shown" } else { "may be chance" };
        vec![
            format!("  {}", one.name.replace('_', " ")),
            format!("{:.1} %", one.before),
            format!("{:.1} %", one.after),
            format!("{:+.1} ({:+.1} to {:+.1})", one.change, one.low, one.high),
            sign.to_owned(),
        ]
    }));
    let counts: [Figure; 6] = [
        ("tokens per step", |one| one.tokens_per_step().unwrap_or(0)),
        ("refused", |one| one.refused),
        ("moves backwards", |one| one.backwards),
        ("reads made again", |one| one.rereads),
        ("circles", |one| one.drift.circles),
        ("stale values proposed", |one| one.drift.stale),
    ];
    for (name, of) in counts {
        let side = |totals: &Totals| match name {
            "tokens per step" => of(totals).to_string(),
            _ => format!("{:.1}", per_hundred(of(totals), totals.tasks)),
        };
        let unit = match name {
            "tokens per step" => "",
            _ => " per 100 tasks",
        };
        lines.push(vec![
            format!("  {name}{unit}"),
            side(found.totals_before),
            side(found.totals_after),
        ]);
    }
    format!(
        "{}: before {} ({} tasks), after {} ({} tasks)\n{}",
        found.workflow,
        found.before,
        found.totals_before.tasks,
        found.after,
        found.totals_after.tasks,
        table::aligned(&lines)
    )
}

fn per_hundred(count: u64, tasks: u64) -> f64 {
    // Both are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let share = count as f64 * 100.0 / tasks.max(1) as f64;
    share
}
