//! The report for people: mark-ups, what changes, and the advice.

use steadfast::audit::rates::Rate;
use steadfast::fit::{Kind, Ran, Trial, Weight};
use steadfast_core::workflow::spec::Markup;

use super::Report;
use crate::table;

pub(super) fn report(report: &Report) -> String {
    let cases: Vec<String> = Kind::ALL
        .map(|kind| format!("{} {}", report.cases[kind.name()], kind.name()))
        .to_vec();
    let made = match report.made {
        0 => String::new(),
        made => format!("; {made} of them made"),
    };
    let mut parts = vec![
        format!("{}: {}{made}", report.workflow, cases.join(", ")),
        table(report),
        picked(report),
    ];
    if !report.changed.is_empty() {
        parts.push(changed(report));
    }
    parts.push(advice(report));
    parts.join("\n\n")
}

fn table(report: &Report) -> String {
    let heads = [
        "CONTRACT",
        "CLEAN",
        "PASSED",
        "SKIP TRIED",
        "ORDER TRIED",
        "TOOK EFFECT",
        "TOKENS",
    ];
    let mut lines = vec![heads.map(str::to_owned).to_vec()];
    let trials = report.trials.iter();
    lines.extend(trials.map(|trial| row(name(trial.markup), trial)));
    if report.trials.len() > 1 {
        let again = format!("{} again", name(report.best.markup));
        lines.push(row(&again, &report.best));
    }
    if let Some(today) = &report.today {
        lines.push(row(&format!("today: {}", today.model), today));
    }
    let note = "of 100 cases, with 95 % bounds by Wilson; tries are runs";
    format!("{}\n{note}", table::aligned(&lines))
}

fn row(what: &str, trial: &Trial) -> Vec<String> {
    vec![
        what.to_owned(),
        share(&trial.clean()),
        share(&trial.passed()),
        trial.sum(|one| one.skips).to_string(),
        trial.sum(|one| one.misorders).to_string(),
        trial.sum(|one| one.effective).to_string(),
        trial.tokens().to_string(),
    ]
}

fn picked(report: &Report) -> String {
    let pick = &report.pick;
    let best = name(report.trials[pick.best].markup);
    let is_current = pick.better + pick.worse == 0 && !pick.shown;
    match (report.handling.markup, pick.shown) {
        (None, _) if is_current => {
            format!("contract: `{best}`, as it is; no other one is obeyed better")
        }
        (_, true) => format!(
            "contract: `{best}` is obeyed better: {} cases better, {} worse (chance {:.3})",
            pick.better, pick.worse, pick.chance
        ),
        _ => format!(
            "contract: `{best}` did best, {} cases better, {} worse; so few may be chance ({:.2})",
            pick.better, pick.worse, pick.chance
        ),
    }
}

fn changed(report: &Report) -> String {
    let mut lines = Vec::new();
    for one in &report.changed {
        lines.push(vec![
            format!("  {}", one.change.name()),
            one.case_id.clone(),
            one.kind.name().to_owned(),
            one.why.clone().unwrap_or_default(),
        ]);
    }
    format!("against today:\n{}", table::aligned(&lines))
}

fn advice(report: &Report) -> String {
    let mut lines = vec![format!("advice: {}", report.verdict.advice.name())];
    for reason in &report.verdict.reasons {
        let mark = match reason.weight {
            Weight::Against => "against",
            Weight::Doubt => "open",
            Weight::Note => "note",
        };
        lines.push(format!("  {mark}: {}", reason.text));
    }
    if report.today.is_none() {
        for one in report.best.cases.iter().filter(|one| !one.has_passed()) {
            lines.push(format!("  `{}` {}", one.case_id, why(one)));
        }
    }
    lines.join("\n")
}

fn why(ran: &Ran) -> String {
    let runs = match ran.runs {
        0 | 1 => "failed".to_owned(),
        runs => format!("passed {} of {runs}", ran.passed),
    };
    match &ran.why {
        Some(why) => format!("{runs}: {why}"),
        None => runs,
    }
}

pub(super) fn name(markup: Option<Markup>) -> &'static str {
    match markup {
        Some(Markup::Brackets) => "brackets",
        Some(Markup::Xml) => "xml",
        Some(Markup::Markdown) => "markdown",
        Some(Markup::Json) => "json",
        None => "as set",
    }
}

fn share(rate: &Rate) -> String {
    format!("{:.0} ({:.0}–{:.0})", rate.percent, rate.low, rate.high)
}
