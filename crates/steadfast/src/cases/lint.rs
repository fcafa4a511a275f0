//! What is wrong with a set of cases, as cases: guard-rails article, 4.3 and 5.3.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde::Serialize;
use steadfast_core::workflow::Workflow;

use super::harvest::tempts;
use super::read::File;
use super::spec::Case;

/// Adversarial cases that each skill should have (guard-rails article, 5.3).
pub const ADVERSARIAL_MIN: usize = 3;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Lint {
    pub kind: LintKind,
    pub message: String,
    /// The cases that it is about.
    pub cases: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LintKind {
    /// Same failure mode, path, model's turns and checks as another.
    Redundant,
    /// Nobody knows why it is here.
    NoReason,
    /// It expects nothing but that the run completes.
    ExpectsNothing,
    /// A skill with too few adversarial cases.
    FewAdversarial,
    /// A group in which everything goes well.
    HappyPathOnly,
}

/// Whether a case tempts the model or lets something go wrong.
fn is_adversarial(case: &Case) -> bool {
    case.has_tag("adversarial") || tempts(case)
}

fn goes_wrong(case: &Case) -> bool {
    let fails = case.replies.iter().any(|reply| reply.fail.is_some());
    let path = case.expected_path.iter();
    let mut turns = path.filter(|name| *name == "FAILED" || name.ends_with("_RETRY"));
    fails || turns.next().is_some()
}

/// Looks at all cases of a tree, those of one workflow against it.
pub fn lint(
    files: &[File],
    workflow_of: &dyn Fn(&File) -> Option<std::sync::Arc<Workflow>>,
) -> Vec<Lint> {
    let mut found = Vec::new();
    for file in files {
        let one = |kind, message: &str| Lint {
            kind,
            message: message.to_owned(),
            cases: vec![file.case.case_id.clone()],
            file: Some(file.path.clone()),
        };
        let reason = file.case.added_reason.as_deref().unwrap_or_default();
        if reason.trim().is_empty() {
            found.push(one(
                LintKind::NoReason,
                "it has no `added_reason`: write what went wrong, and when",
            ));
        }
        if expects_nothing(&file.case) {
            found.push(one(
                LintKind::ExpectsNothing,
                "it expects nothing but that the run completes",
            ));
        }
    }
    found.extend(redundant(files));
    found.extend(few_adversarial(files, workflow_of));
    found.extend(happy_paths(files));
    found.sort_by(|a, b| (a.kind, &a.cases).cmp(&(b.kind, &b.cases)));
    found
}

fn expects_nothing(case: &Case) -> bool {
    case.expected_path.is_empty()
        && case.expected_output_contains.is_empty()
        && case.expected_ledger.is_none()
        && case.not_in_force.is_empty()
        && case.forbidden.is_empty()
        && case.answer_checks.is_empty()
}

/// What tells one case from another beside its words: the failure mode, the
/// workflow, the path, the checks, and what is done to the model.
fn signature(file: &File) -> String {
    let case = &file.case;
    let kinds = super::kinds(case);
    let parts = serde_json::json!([
        file.group,
        case.workflow,
        case.expected_path,
        sorted(&case.expected_output_contains),
        case.expected_ledger,
        case.not_in_force,
        case.forbidden,
        case.answer_checks,
        case.approvals,
        case.model,
        case.replies,
        case.turns.len(),
        kinds,
    ]);
    parts.to_string()
}

fn sorted(list: &[String]) -> BTreeSet<&String> {
    list.iter().collect()
}

fn redundant(files: &[File]) -> Vec<Lint> {
    let mut by_signature: BTreeMap<String, Vec<&File>> = BTreeMap::new();
    for file in files {
        by_signature.entry(signature(file)).or_default().push(file);
    }
    let same = by_signature.into_values().filter(|files| files.len() > 1);
    same.map(|files| Lint {
        kind: LintKind::Redundant,
        message: "same failure mode, path, checks and kind of input: one of them would do"
            .to_owned(),
        cases: files.iter().map(|file| file.case.case_id.clone()).collect(),
        file: files.last().map(|file| file.path.clone()),
    })
    .collect()
}

fn few_adversarial(
    files: &[File],
    workflow_of: &dyn Fn(&File) -> Option<std::sync::Arc<Workflow>>,
) -> Vec<Lint> {
    let mut counts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for file in files {
        let Some(workflow) = workflow_of(file) else {
            continue;
        };
        for state in workflow.machine.mandatory() {
            for one in state.uses.iter().filter(|one| one.mandatory) {
                let cases = counts.entry(one.skill.to_string()).or_default();
                // A case without a path is about the whole contract.
                let walks = file.case.expected_path.is_empty()
                    || file
                        .case
                        .expected_path
                        .iter()
                        .any(|name| name == state.name.as_str());
                if walks && is_adversarial(&file.case) {
                    cases.insert(file.case.case_id.clone());
                }
            }
        }
    }
    let few = counts
        .into_iter()
        .filter(|(_, cases)| cases.len() < ADVERSARIAL_MIN);
    few.map(|(skill, cases)| Lint {
        kind: LintKind::FewAdversarial,
        message: format!(
            "skill `{skill}` has {} adversarial cases, at least {ADVERSARIAL_MIN} are wanted",
            cases.len()
        ),
        cases: cases.into_iter().collect(),
        file: None,
    })
    .collect()
}

fn happy_paths(files: &[File]) -> Vec<Lint> {
    let mut groups: BTreeMap<&str, Vec<&File>> = BTreeMap::new();
    for file in files {
        groups.entry(&file.group).or_default().push(file);
    }
    let happy = groups.into_iter().filter(|(_, files)| {
        !files
            .iter()
            .any(|file| is_adversarial(&file.case) || goes_wrong(&file.case))
    });
    happy
        .map(|(group, files)| Lint {
            kind: LintKind::HappyPathOnly,
            message: format!(
                "in `{group}` everything goes well: what goes wrong in production is not here"
            ),
            cases: files.iter().map(|file| file.case.case_id.clone()).collect(),
            file: None,
        })
        .collect()
}
