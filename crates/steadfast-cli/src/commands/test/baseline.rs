//! A saved outcome, and what is new against it.
//!
//! Outcomes can be compared only where they rest on the same things: a baseline
//! made with another model, prompt, summariser, retrieval or workflow is stale,
//! and excuses nothing.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::outcome::{Report, Status};
use crate::error::Error;
use crate::input;

const VERSION: u32 = 1;

/// The file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Baseline {
    baseline: u32,
    fingerprint: BTreeMap<String, String>,
    /// Whether each thing held, by name.
    checks: BTreeMap<String, bool>,
}

/// What is new, and what is not.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
    /// What the baseline was made with otherwise, by name; empty is comparable.
    pub(super) stale: Vec<String>,
    /// Failures that the baseline does not have.
    pub(super) new: Vec<String>,
    /// Failures that it has too.
    pub(super) known: Vec<String>,
    pub(super) fixed: Vec<String>,
    /// In the baseline, and not tested now.
    pub(super) gone: Vec<String>,
}

pub(super) fn load(path: &Path) -> Result<Baseline, Error> {
    let wrong = |reason: String| Error::Baseline {
        path: path.to_owned(),
        reason,
    };
    let text = input::file("baseline", path)?;
    let read: Baseline = serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    match read.baseline {
        VERSION => Ok(read),
        other => Err(wrong(format!(
            "it has version `{other}`; this program reads {VERSION}"
        ))),
    }
}

/// The outcome as a file.
pub(super) fn text(report: &Report) -> String {
    let checks = report.checks();
    let baseline = Baseline {
        baseline: VERSION,
        fingerprint: owned(&report.fingerprint),
        checks: checks
            .map(|(_, check)| (check.name.clone(), check.status.is_good()))
            .collect(),
    };
    serde_json::to_string_pretty(&baseline).expect("a baseline is JSON") + "\n"
}

fn owned(fingerprint: &BTreeMap<&'static str, String>) -> BTreeMap<String, String> {
    let pairs = fingerprint.iter();
    pairs
        .map(|(name, value)| ((*name).to_owned(), value.clone()))
        .collect()
}

/// Holds an outcome against a baseline.
pub(super) fn compare(before: &Baseline, report: &Report) -> Compared {
    let now = owned(&report.fingerprint);
    let names = now.keys().chain(before.fingerprint.keys());
    let mut stale: Vec<String> = names
        .filter(|name| now.get(*name) != before.fingerprint.get(*name))
        .cloned()
        .collect();
    stale.sort();
    stale.dedup();
    let mut compared = Compared {
        stale,
        new: Vec::new(),
        known: Vec::new(),
        fixed: Vec::new(),
        gone: Vec::new(),
    };
    let mut seen = std::collections::BTreeSet::new();
    for (_, check) in report.checks() {
        seen.insert(check.name.as_str());
        let name = check.name.clone();
        let good = check.status.is_good();
        match (good, before.checks.get(&check.name)) {
            (false, Some(false)) if check.status != Status::Broken => compared.known.push(name),
            (false, _) => compared.new.push(name),
            (true, Some(false)) => compared.fixed.push(name),
            (true, _) => {}
        }
    }
    let gone = before
        .checks
        .keys()
        .filter(|name| !seen.contains(name.as_str()));
    compared.gone = gone.cloned().collect();
    compared
}

impl Compared {
    pub(super) fn told(&self) -> String {
        let mut lines = vec!["against the baseline:".to_owned()];
        if !self.stale.is_empty() {
            lines.push(format!(
                "  stale: made with another {}; it excuses nothing, save a new one",
                self.stale.join(", ")
            ));
        }
        for (word, names) in [
            ("new failures", &self.new),
            ("failed before too", &self.known),
            ("fixed", &self.fixed),
            ("not tested now", &self.gone),
        ] {
            if !names.is_empty() {
                lines.push(format!("  {word}: {}", names.join(", ")));
            }
        }
        if lines.len() == 1 {
            lines.push("  no difference".to_owned());
        }
        lines.join("\n")
    }
}
