//! Edited summaries (SummEdits) through `archive::fidelity`.
//!
//! (a) holds each summary against its document, which is what the product does;
//! (b) against the summary that it was edited from. A finding is "not
//! faithful". Beside both stands a crude rule on the same rows: some number
//! differs, or the count of negations does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast::core::archive::fidelity::{FindingKind, Options, compare_text};
use steadfast::core::text::{negation::negations, number::numbers};

use super::score::share;
use super::{is_there, print, text};

#[derive(Deserialize)]
struct Row {
    doc: String,
    summary: String,
    original_summary: String,
    /// 1 faithful, 0 not.
    label: u8,
    #[serde(default)]
    edit_types: Vec<String>,
}

impl Row {
    fn is_faithful(&self) -> bool {
        self.label == 1
    }

    fn negation_edited(&self) -> bool {
        self.edit_types
            .iter()
            .any(|one| one == "negation_insertion_removal")
    }

    /// Some number of the edited summary is not that of the first.
    fn number_changed(&self) -> bool {
        figures(&self.summary) != figures(&self.original_summary)
    }
}

fn figures(text: &str) -> BTreeMap<i128, usize> {
    let mut all = BTreeMap::new();
    for number in numbers(text) {
        *all.entry(number.value.micros()).or_default() += 1;
    }
    all
}

/// What one detector makes of one comparison.
#[derive(Default)]
struct Counts {
    caught: usize,
    unfaithful: usize,
    alarms: usize,
    faithful: usize,
    negations: [usize; 2],
    numbers: [usize; 2],
}

impl Counts {
    fn add(&mut self, row: &Row, refused: bool) {
        let one = usize::from(refused);
        if row.is_faithful() {
            self.faithful += 1;
            self.alarms += one;
            return;
        }
        self.unfaithful += 1;
        self.caught += one;
        if row.negation_edited() {
            self.negations[0] += one;
            self.negations[1] += 1;
        }
        if row.number_changed() {
            self.numbers[0] += one;
            self.numbers[1] += 1;
        }
    }

    fn json(&self) -> Value {
        let recall = ratio(self.caught, self.unfaithful);
        let false_alarms = ratio(self.alarms, self.faithful);
        let balanced = recall
            .zip(false_alarms)
            .map(|(recall, alarms)| 50.0 * (recall + 1.0 - alarms));
        json!({
            "precision": ratio(self.caught, self.caught + self.alarms),
            "recall": recall,
            "balanced_accuracy": balanced,
            "negation_recall": ratio(self.negations[0], self.negations[1]),
            "number_recall": ratio(self.numbers[0], self.numbers[1]),
            "false_alarms": false_alarms,
            "rows": self.faithful + self.unfaithful,
        })
    }

    fn line(&self, name: &str) -> String {
        let balanced = self.json()["balanced_accuracy"]
            .as_f64()
            .map_or("-".to_owned(), |value| format!("{value:.1}"));
        format!(
            "{name:<28} balanced accuracy {balanced}  precision {}  recall {}  negation {}  number {}  false alarms {}",
            share(self.caught, self.caught + self.alarms),
            share(self.caught, self.unfaithful),
            share(self.negations[0], self.negations[1]),
            share(self.numbers[0], self.numbers[1]),
            share(self.alarms, self.faithful),
        )
    }
}

fn ratio(part: usize, of: usize) -> Option<f64> {
    let as_f64 = |count: usize| f64::from(u32::try_from(count).unwrap_or(u32::MAX));
    (of > 0).then(|| as_f64(part) / as_f64(of))
}

#[derive(Default)]
struct Both {
    a: Counts,
    b: Counts,
    crude_a: Counts,
    crude_b: Counts,
    /// Findings by comparison and kind: on unfaithful rows, on faithful ones.
    kinds: BTreeMap<(char, FindingKind), [usize; 2]>,
}

impl Both {
    fn add(&mut self, row: &Row) {
        let held = [
            ('a', &row.doc, &mut self.a, &mut self.crude_a),
            ('b', &row.original_summary, &mut self.b, &mut self.crude_b),
        ];
        for (name, source, counts, crude) in held {
            let verdict = compare_text(source, &row.summary, &Options::default());
            counts.add(row, !verdict.faithful);
            crude.add(row, is_crudely_different(source, &row.summary, name == 'a'));
            let kinds: BTreeSet<FindingKind> =
                verdict.findings.iter().map(|one| one.kind).collect();
            for kind in kinds {
                self.kinds.entry((name, kind)).or_default()[usize::from(row.is_faithful())] += 1;
            }
        }
    }

    fn json(&self) -> Value {
        json!({
            "a": self.a.json(), "b": self.b.json(),
            "crude": { "a": self.crude_a.json(), "b": self.crude_b.json() },
        })
    }
}

/// A number that the source does not have, or another count of negations. A
/// document is longer than its summary: there only whether it has any counts.
fn is_crudely_different(source: &str, summary: &str, is_document: bool) -> bool {
    let (ours, theirs) = (figures(summary), figures(source));
    let (no, their_no) = (negations(summary).len(), negations(source).len());
    if is_document {
        ours.keys().any(|value| !theirs.contains_key(value)) || no > their_no
    } else {
        ours != theirs || no != their_no
    }
}

pub(super) fn run(data: &Path, json: bool, kinds: bool) -> Result<()> {
    let folder = data.join("summedits");
    if !is_there(&folder) {
        return Ok(());
    }
    let mut files: Vec<_> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|path| {
        let name = path.to_string_lossy();
        name.ends_with(".json.gz") || name.ends_with(".json")
    });
    files.sort();
    let mut all = Both::default();
    let mut domains = BTreeMap::new();
    for path in &files {
        let rows: Vec<Row> = serde_json::from_str(&text(path)?)
            .with_context(|| format!("{} is no list of rows", path.display()))?;
        let mut one = Both::default();
        for row in &rows {
            one.add(row);
            all.add(row);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.split('.').next().unwrap_or_default();
        domains.insert(name.trim_start_matches("summedits_").to_owned(), one);
    }
    report(&all, &domains, json, kinds)
}

fn report(all: &Both, domains: &BTreeMap<String, Both>, json: bool, kinds: bool) -> Result<()> {
    if json {
        let mut value = all.json();
        let domains = domains.iter().map(|(name, one)| (name.clone(), one.json()));
        value["domains"] = Value::Object(domains.collect());
        return print(&value.to_string());
    }
    print(&all.a.line("(a) against the document"))?;
    print(&all.crude_a.line("    crude rule"))?;
    print(&all.b.line("(b) against the original"))?;
    print(&all.crude_b.line("    crude rule"))?;
    for (name, one) in domains {
        print(&one.a.line(&format!("(a) {name}")))?;
        print(&one.b.line(&format!("(b) {name}")))?;
    }
    if kinds {
        for ((comparison, kind), [right, wrong]) in &all.kinds {
            print(&format!(
                "({comparison}) {kind:?}: {right} unfaithful rows, {wrong} faithful"
            ))?;
        }
    }
    Ok(())
}
