//! The figures of one workflow, for people.

use steadfast::audit::rates::Rate;
use steadfast::metrics::{Chart, Direction, FALSE_ALARMS, NEAR, Price, Totals, WINDOW};

use crate::table;

pub(super) fn told(workflow: &str, totals: &Totals, chart: &Chart) -> String {
    let mut lines: Vec<Vec<String>> = totals
        .rates()
        .iter()
        // Few are reviewed; where none is, there is nothing to miss.
        .filter(|(name, rate)| **name != "reviewed_accuracy" || rate.of > 0)
        .map(|(name, one)| rate(name, one))
        .collect();
    let drift = &totals.drift;
    let [correct, roll_back, restart] = drift.repairs;
    for (name, value) in [
        ("tokens per step", or_dash(totals.tokens_per_step())),
        ("refused proposals", totals.refused.to_string()),
        ("retries of a state", totals.retries.to_string()),
        ("moves backwards", totals.backwards.to_string()),
        ("reads made again", totals.rereads.to_string()),
        ("failed model calls", totals.model_failures.to_string()),
        ("circles", drift.circles.to_string()),
        (
            "stale values proposed",
            format!("{}, {} admitted", drift.stale, drift.stale_used),
        ),
        ("margin to bounds", margin(totals)),
        (
            "repairs by level",
            format!("1: {correct}, 2: {roll_back}, 3: {restart}"),
        ),
    ] {
        lines.push(vec![format!("  {name}"), value]);
    }
    lines.extend(prices(totals.tokens, &drift.price));
    let head = format!("{workflow}: {} tasks, {} ended", totals.tasks, totals.ended);
    format!("{head}\n{}\n  {}", table::aligned(&lines), alarms(chart))
}

fn rate(name: &str, rate: &Rate) -> Vec<String> {
    let shown = match rate.of {
        0 => "nothing to count".to_owned(),
        of => format!(
            "{:.1} % ({:.1}–{:.1}), {} of {of}",
            rate.percent, rate.low, rate.high, rate.count
        ),
    };
    vec![format!("  {}", name.replace('_', " ")), shown]
}

fn or_dash(number: Option<u64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| number.to_string())
}

fn margin(totals: &Totals) -> String {
    match totals.drift.margins.summary() {
        None => "no bound measured".to_owned(),
        Some(margin) => format!(
            "least {:.1} %, median {:.1} %; {} of {} below {:.0} %",
            margin.least,
            margin.median,
            margin.near,
            margin.measured,
            NEAR * 100.0
        ),
    }
}

/// What each method takes, beside what it brings. Only what was used is told.
fn prices(tokens: u64, price: &Price) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    let mut tell = |name: &str, text: String| lines.push(vec![format!("  {name}"), text]);
    if price.validations > 0 {
        let share = share(price.validation_tokens, tokens + price.validation_tokens);
        tell(
            "price of validation",
            format!(
                "{share:.1} % of tokens; {} of {} found something",
                price.issues, price.validations
            ),
        );
    }
    if price.children > 0 {
        let share = share(price.child_tokens, tokens + price.child_tokens);
        tell(
            "price of isolation",
            format!(
                "{share:.1} % of tokens in sub-tasks; {} of {} with an answer",
                price.children_finished, price.children
            ),
        );
    }
    if price.prompt_tokens_in_full > price.prompt_tokens {
        let saved = price.prompt_tokens_in_full - price.prompt_tokens;
        let less = share(saved, price.prompt_tokens_in_full);
        tell(
            "gain of layering",
            format!(
                "{less:.1} % fewer prompt tokens than with every step in full; {} for summaries",
                price.summary_tokens
            ),
        );
    }
    lines
}

/// In percent.
fn share(part: u64, of: u64) -> f64 {
    // Tokens of a store are far below 2^53.
    #[allow(clippy::cast_precision_loss)]
    let share = part as f64 * 100.0 / of.max(1) as f64;
    share
}

fn alarms(chart: &Chart) -> String {
    let Some((found, of)) = chart.baseline else {
        return format!("chart: {} checks are too few", chart.waiting);
    };
    let usual = format!("usual {found} of {of}, windows of {WINDOW}");
    let rare = format!(
        "false alarms: at most {} in 1000 windows",
        FALSE_ALARMS * 1000.0
    );
    let told = chart.alarms.iter().map(|alarm| {
        let how = match alarm.direction {
            Direction::Fell => "found less than usual: was a validator loosened?",
            Direction::Rose => "found more than usual",
        };
        format!(
            "\n  ALARM window {}: {} of {WINDOW}, {how}",
            alarm.window + 1,
            alarm.found
        )
    });
    let told: String = told.collect();
    format!(
        "chart: {usual}, {} since; {rare}{told}",
        chart.windows.len()
    )
}
