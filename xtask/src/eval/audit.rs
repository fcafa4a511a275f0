//! Any folder of runs with verdicts:
//!
//! ```text
//! workflow.yaml   what the runs are held against
//! options.yaml    audit options (may be missing)
//! runs/*.json(l)  logs in any format that `steadfast audit` reads
//! verdicts.json   { "RUN": [ { "kind": "skipped", "skill": "search" } ] }
//! ```
//!
//! RUN is a run's own name, `FILE` (one run) or `FILE#N` (its N-th run, from
//! 1), where FILE is the name of the file without its ending. A wanted finding
//! without `skill` is met by any of its kind. Runs that verdicts.json does not
//! name are not counted; an empty list says that nothing is wrong.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use steadfast::audit::read::Hints;
use steadfast::audit::{self, FindingKind, Options, Run};
use steadfast::rules::StandardRules;

use super::score::Score;
use super::{options, print, text, workflow};

pub(super) fn run(dir: &Path, json: bool) -> Result<()> {
    let workflow = workflow(&dir.join("workflow.yaml"))?;
    let settings = dir.join("options.yaml");
    let options = if settings.exists() {
        options(&settings)?
    } else {
        Options::default()
    };
    let verdicts: BTreeMap<String, Vec<Value>> =
        serde_json::from_str(&text(&dir.join("verdicts.json"))?).context("verdicts.json")?;
    let rules = StandardRules::default();
    let mut scores: BTreeMap<FindingKind, Score> = BTreeMap::new();
    let mut counted = 0;
    for (keys, run) in runs(&dir.join("runs"), &workflow)? {
        let Some(wanted) = keys.iter().find_map(|key| verdicts.get(key)) else {
            continue;
        };
        counted += 1;
        let verdict = audit::monitor(&workflow, &run, &options, rules.rules());
        let mut open: Vec<(FindingKind, Option<&str>)> = Vec::new();
        for one in wanted {
            let kind = one["kind"].as_str().unwrap_or_default();
            let Some(kind) = FindingKind::of(kind) else {
                bail!("verdicts.json: `{kind}` is no kind of finding");
            };
            open.push((kind, one["skill"].as_str()));
            scores.entry(kind).or_default().wanted += 1;
        }
        for finding in &verdict.findings {
            let score = scores.entry(finding.kind).or_default();
            score.found += 1;
            let fits = |(kind, skill): &(FindingKind, Option<&str>)| {
                *kind == finding.kind
                    && skill.is_none_or(|skill| finding.skill.as_deref() == Some(skill))
            };
            if let Some(at) = open.iter().position(fits) {
                open.remove(at);
                score.right += 1;
            }
        }
    }
    if counted < verdicts.len() {
        bail!(
            "{} of the {} runs of verdicts.json were not found",
            verdicts.len() - counted,
            verdicts.len()
        );
    }
    let mut all = Score::default();
    for score in scores.values() {
        all.found += score.found;
        all.right += score.right;
        all.wanted += score.wanted;
    }
    if json {
        let kinds: BTreeMap<&str, Value> = scores
            .iter()
            .map(|(kind, score)| (kind.name(), score.json()))
            .collect();
        return print(&json!({ "runs": counted, "kinds": kinds, "all": all.json() }).to_string());
    }
    print(&format!("{counted} runs"))?;
    for (kind, score) in &scores {
        print(&score.line(kind.name()))?;
    }
    print(&all.line("all"))
}

/// Every run of a folder with the keys by which verdicts may name it.
fn runs(
    folder: &Path,
    workflow: &steadfast::core::workflow::Workflow,
) -> Result<Vec<(Vec<String>, Run)>> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|ext| ext == "json" || ext == "jsonl")
        })
        .collect();
    files.sort();
    let hints = Hints {
        workflow: Some(&workflow.spec.workflow_id),
        initial: Some(workflow.machine.initial.as_str()),
        ..Hints::default()
    };
    let mut all = Vec::new();
    for path in files {
        let stem = path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned());
        let stem = stem.unwrap_or_default();
        let mut found = Vec::new();
        let mut source = std::io::BufReader::new(std::fs::File::open(&path)?);
        audit::read(
            &mut source,
            &path.display().to_string(),
            hints,
            &mut |run| found.push(run),
        )?;
        let only = found.len() == 1;
        for (number, run) in found.into_iter().enumerate() {
            let mut keys = vec![format!("{stem}#{}", number + 1), run.id.clone()];
            if only {
                keys.push(stem.clone());
            }
            all.push((keys, run));
        }
    }
    Ok(all)
}
