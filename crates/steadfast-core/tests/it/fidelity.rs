//! Mutation test of `archive::fidelity`: faithful summaries pass, and the same
//! with one thing changed do not.

mod mutate;

use std::collections::BTreeMap;

use serde::Deserialize;
use steadfast_core::archive::fidelity::{Options, compare_text};

#[derive(Deserialize)]
struct Pair {
    source: String,
    summary: String,
}

fn pairs(language: &str) -> Vec<Pair> {
    let text = match language {
        "en" => include_str!("../../../../testdata/fidelity/en.jsonl"),
        _ => include_str!("../../../../testdata/fidelity/zh.jsonl"),
    };
    let lines = text.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Issue 5 asks for 99 % and 2 %.
const REFUSED_PERCENT: usize = 99;
const ALARMS_PERCENT: usize = 2;
/// Kinds of change, each with something to change in both languages.
const OPERATORS: usize = 24;

#[allow(clippy::print_stdout, reason = "the figures by operator are wanted")]
fn measure(language: &str) {
    let pairs = pairs(language);
    let mut alarms = Vec::new();
    let mut by_operator: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut missed = Vec::new();
    for pair in &pairs {
        let verdict = compare_text(&pair.source, &pair.summary, &Options::default());
        if !verdict.faithful {
            alarms.push(format!("{} {:?}", pair.summary, verdict.findings));
        }
        for (operator, mutant, references) in mutate::mutants(&pair.summary, language == "zh") {
            let options = Options {
                references: &references,
                strict: false,
            };
            let refused = !compare_text(&pair.source, &mutant, &options).faithful;
            let counts = by_operator.entry(operator).or_default();
            counts[0] += usize::from(refused);
            counts[1] += 1;
            if !refused {
                missed.push(format!("{operator}: {mutant}\n    of {}", pair.source));
            }
        }
    }
    let [refused, all] = by_operator
        .values()
        .fold([0, 0], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
    let figures: Vec<String> = by_operator
        .iter()
        .map(|(name, [refused, all])| format!("{name} {refused}/{all}"))
        .collect();
    let figures = format!(
        "{language}: {refused} of {all} mutants refused, {} of {} faithful ones\n{}",
        alarms.len(),
        pairs.len(),
        figures.join("\n")
    );
    #[allow(
        clippy::disallowed_macros,
        reason = "figures of a test are for its reader"
    )]
    {
        println!("{figures}");
    }
    let shown = |list: &[String]| {
        list.iter()
            .step_by(list.len() / 12 + 1)
            .cloned()
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(by_operator.len() >= OPERATORS, "{figures}");
    assert!(
        refused * 100 >= all * REFUSED_PERCENT
            && alarms.len() * 100 <= pairs.len() * ALARMS_PERCENT,
        "{figures}\nmissed:\n{}\nfalse alarms:\n{}",
        shown(&missed),
        shown(&alarms)
    );
}

#[test]
fn g04_mutants_of_english_summaries_are_refused() {
    measure("en");
}

#[test]
fn g04_mutants_of_chinese_summaries_are_refused() {
    measure("zh");
}
