//! Recall over archives in the BEIR layout (Thakur et al. 2021): every folder
//! below the given one that holds `corpus.jsonl`, `queries.jsonl` and
//! `qrels/test.tsv` is one archive, its passages in the order of the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use steadfast::recall::encoder::Encoder;
use steadfast::recall::{Index, Mode, Passage, Query, Weights, terms};

use super::{print, text};
use crate::shell::say;

const MODES: [(&str, Mode); 3] = [
    ("lexical", Mode::Lexical),
    ("vectors", Mode::Vector),
    ("hybrid", Mode::Hybrid),
];

/// What one mode found, over the questions of one or more archives.
#[derive(Clone, Copy, Debug, Default)]
struct Found {
    questions: usize,
    recall_5: f64,
    recall_10: f64,
    hit_1: f64,
}

impl Found {
    fn add(&mut self, other: Found) {
        self.questions += other.questions;
        self.recall_5 += other.recall_5;
        self.recall_10 += other.recall_10;
        self.hit_1 += other.hit_1;
    }

    fn shares(self) -> [f64; 3] {
        let n = self.questions.max(1) as f64;
        [self.recall_5 / n, self.recall_10 / n, self.hit_1 / n]
    }

    fn json(self) -> Value {
        let [recall_5, recall_10, hit_1] = self.shares();
        json!({ "questions": self.questions, "recall_at_5": recall_5, "recall_at_10": recall_10, "hit_at_1": hit_1 })
    }
}

pub(super) fn run(
    dir: &Path,
    encoder: Option<&Path>,
    weights: Weights,
    as_json: bool,
) -> Result<()> {
    let encoder = encoder.map(Encoder::open).transpose()?;
    if encoder.is_none() {
        say("no sentence encoder: words only (see `steadfast embedder fetch`, then --encoder DIR)");
    }
    let mut folders = Vec::new();
    archives(dir, &mut folders)?;
    if folders.is_empty() {
        bail!("no archive below `{}`", dir.display());
    }
    let mut by_archive = Vec::new();
    for folder in &folders {
        let found = one(folder, encoder.as_ref(), &weights)
            .with_context(|| format!("in {}", folder.display()))?;
        by_archive.push((folder.clone(), found));
    }
    if as_json {
        return print(&report(dir, &by_archive).to_string());
    }
    for (name, _) in MODES {
        let Some((micro, macro_)) = totals(&by_archive, name) else {
            continue;
        };
        let [r5, r10, h1] = micro.shares();
        let [m5, m10, mh] = macro_;
        print(&format!(
            "{name:8} {:6} questions in {} archives: recall@5 {r5:.3} recall@10 {r10:.3} hit@1 {h1:.3} (macro {m5:.3} {m10:.3} {mh:.3})",
            micro.questions,
            by_archive.len()
        ))?;
    }
    Ok(())
}

fn archives(dir: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if dir.join("corpus.jsonl").exists() && dir.join("queries.jsonl").exists() {
        found.push(dir.to_owned());
        return Ok(());
    }
    let mut folders: Vec<PathBuf> = std::fs::read_dir(dir)
        .with_context(|| format!("cannot read {}", dir.display()))?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    folders.sort();
    folders
        .iter()
        .try_for_each(|folder| archives(folder, found))
}

type ByMode = BTreeMap<&'static str, Found>;

fn one(folder: &Path, encoder: Option<&Encoder>, weights: &Weights) -> Result<ByMode> {
    let mut index = Index::default();
    let mut keys: BTreeMap<String, u64> = BTreeMap::new();
    for line in text(&folder.join("corpus.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let title = row["title"].as_str().unwrap_or_default();
        let body = row["text"].as_str().context("a passage without text")?;
        let whole = format!("{title} {body}");
        let key = keys.len() as u64;
        keys.insert(id_of(&row)?, key);
        index.push(Passage {
            key,
            terms: terms(&whole),
            vector: encoder.map(|encoder| encoder.encode(whole.trim())),
            importance: 3,
            phase: None,
        });
    }
    let mut questions: BTreeMap<String, String> = BTreeMap::new();
    for line in text(&folder.join("queries.jsonl"))?.lines() {
        let row: Value = serde_json::from_str(line)?;
        let asked = row["text"].as_str().context("a question without text")?;
        questions.insert(id_of(&row)?, asked.to_owned());
    }
    let mut found = ByMode::new();
    for (question, wanted) in wanted(folder, &keys)? {
        let asked = questions
            .get(&question)
            .with_context(|| format!("no question `{question}`"))?;
        let query = Query {
            terms: terms(asked),
            vector: encoder.map(|encoder| encoder.encode(asked)),
            phase: None,
        };
        for (name, mode) in MODES {
            if mode != Mode::Lexical && encoder.is_none() {
                continue;
            }
            let hits = index.search(&query, mode, weights, 10);
            let hits: Vec<u64> = hits.iter().map(|hit| hit.key).collect();
            let among = |first: usize| {
                let hit = hits.iter().take(first).filter(|key| wanted.contains(key));
                hit.count() as f64 / wanted.len() as f64
            };
            found.entry(name).or_default().add(Found {
                questions: 1,
                recall_5: among(5),
                recall_10: among(10),
                hit_1: f64::from(hits.first().is_some_and(|key| wanted.contains(key))),
            });
        }
    }
    Ok(found)
}

/// Which passages answer which question: `query-id corpus-id score`, a header
/// line first; a score of 0 says that it does not.
fn wanted(folder: &Path, keys: &BTreeMap<String, u64>) -> Result<BTreeMap<String, Vec<u64>>> {
    let mut wanted: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for line in text(&folder.join("qrels/test.tsv"))?.lines().skip(1) {
        let mut parts = line.split('\t');
        let (Some(question), Some(passage), Some(score)) =
            (parts.next(), parts.next(), parts.next())
        else {
            bail!("`{line}` is not question, passage and score");
        };
        if score.trim().parse::<f64>().unwrap_or(0.0) <= 0.0 {
            continue;
        }
        let key = keys
            .get(passage)
            .with_context(|| format!("no passage `{passage}`"))?;
        wanted.entry(question.to_owned()).or_default().push(*key);
    }
    Ok(wanted)
}

fn id_of(row: &Value) -> Result<String> {
    match &row["_id"] {
        Value::String(id) => Ok(id.clone()),
        Value::Number(id) => Ok(id.to_string()),
        _ => bail!("a row without _id"),
    }
}

/// Over all questions, and the mean over archives.
fn totals(by_archive: &[(PathBuf, ByMode)], mode: &str) -> Option<(Found, [f64; 3])> {
    let all: Vec<Found> = by_archive
        .iter()
        .filter_map(|(_, found)| found.get(mode).copied())
        .collect();
    if all.is_empty() {
        return None;
    }
    let (mut micro, mut macro_) = (Found::default(), [0.0; 3]);
    for found in &all {
        micro.add(*found);
        for (sum, share) in macro_.iter_mut().zip(found.shares()) {
            *sum += share / all.len() as f64;
        }
    }
    Some((micro, macro_))
}

fn report(dir: &Path, by_archive: &[(PathBuf, ByMode)]) -> Value {
    let mut report = serde_json::Map::new();
    for (name, _) in MODES {
        if let Some((micro, [r5, r10, h1])) = totals(by_archive, name) {
            report.insert(
                name.to_owned(),
                json!({
                    "micro": micro.json(),
                    "macro": { "recall_at_5": r5, "recall_at_10": r10, "hit_at_1": h1 },
                }),
            );
        }
    }
    let each: Vec<Value> = by_archive
        .iter()
        .map(|(folder, found)| {
            let modes: BTreeMap<&str, Value> = found
                .iter()
                .map(|(name, found)| (*name, found.json()))
                .collect();
            json!({ "archive": folder.strip_prefix(dir).unwrap_or(folder), "modes": modes })
        })
        .collect();
    report.insert("archives".to_owned(), Value::Array(each));
    Value::Object(report)
}
