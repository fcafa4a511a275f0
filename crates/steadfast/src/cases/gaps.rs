//! What is seen in production and covered by no case: paths, and kinds of input.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use steadfast_core::event::Event;
use steadfast_core::id::TaskId;

use super::harvest::harvest;
use super::path::path;
use super::read::File;
use super::spec::{Case, Document};
use crate::attempts::{Trial, kinds_of};

/// Something that no case covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gap {
    /// A path, or a kind of input.
    pub what: String,
    pub is_path: bool,
    /// Tasks that show it.
    pub seen: u64,
    /// One of them.
    pub task: TaskId,
}

/// The kinds of a case's input: how long, how urgent, in which language.
pub(super) fn kinds(case: &Case) -> Vec<String> {
    let text = |document: &Document| match document {
        Document::Text(text) => (text.name.clone(), text.text.clone()),
        // A file is not read for this; that there is one counts.
        Document::File(name) => (name.clone(), String::new()),
    };
    let trial = Trial {
        input: case.input.clone(),
        documents: case.documents.iter().map(text).collect(),
        kind: None,
    };
    let mut kinds = kinds_of(&trial);
    if !case.documents.is_empty() {
        kinds.push("with documents".to_owned());
    }
    if !case.turns.is_empty() {
        kinds.push("several turns".to_owned());
    }
    kinds
}

/// Counts what tasks show, and says what of it no case has.
#[derive(Debug, Default)]
pub struct Survey {
    paths: BTreeMap<Vec<String>, (u64, TaskId)>,
    kinds: BTreeMap<String, (u64, TaskId)>,
    tasks: u64,
}

impl Survey {
    /// Takes in the log of one task, its contents loaded.
    pub fn add(
        &mut self,
        task: &TaskId,
        workflow: &steadfast_core::workflow::Workflow,
        events: &[Event],
    ) {
        self.tasks += 1;
        let count = |entry: &mut (u64, TaskId)| entry.0 += 1;
        let went = path(events).all();
        let new = || (0, task.clone());
        count(self.paths.entry(went).or_insert_with(new));
        let case = harvest("seen", "", workflow, events).case;
        for kind in kinds(&case) {
            count(self.kinds.entry(kind).or_insert_with(new));
        }
    }

    pub fn tasks(&self) -> u64 {
        self.tasks
    }

    /// What no case covers, the most frequent first.
    pub fn gaps(&self, files: &[File]) -> Vec<Gap> {
        let covered: BTreeSet<String> = files.iter().flat_map(|file| kinds(&file.case)).collect();
        let paths = self.paths.iter().filter(|(path, _)| {
            !files
                .iter()
                .any(|file| covers(&file.case.expected_path, path))
        });
        let paths = paths.map(|(path, (seen, task))| Gap {
            what: path.join(" → "),
            is_path: true,
            seen: *seen,
            task: task.clone(),
        });
        let kinds = self
            .kinds
            .iter()
            .filter(|(kind, _)| !covered.contains(*kind));
        let kinds = kinds.map(|(kind, (seen, task))| Gap {
            what: kind.clone(),
            is_path: false,
            seen: *seen,
            task: task.clone(),
        });
        let mut gaps: Vec<Gap> = paths.chain(kinds).collect();
        gaps.sort_by(|a, b| (b.is_path, b.seen, &a.what).cmp(&(a.is_path, a.seen, &b.what)));
        gaps
    }
}

/// Whether a run that went this way is what a case expects: retries count where
/// the run had any, since a case without them never saw one.
fn covers(expected: &[String], went: &[String]) -> bool {
    if expected.is_empty() {
        return false;
    }
    let bare = |name: &&String| !matches!(name.as_str(), "DONE");
    let expected: Vec<&String> = expected.iter().filter(bare).collect();
    let went: Vec<&String> = went.iter().filter(bare).collect();
    expected == went
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_or_an_end_that_no_case_has_is_a_gap() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|one| (*one).to_owned())
                .collect::<Vec<_>>()
        };
        let expected = names(&["S1", "S2"]);
        assert!(covers(&expected, &names(&["S1", "S2", "DONE"])));
        assert!(!covers(
            &expected,
            &names(&["S1", "S1_RETRY", "S2", "DONE"])
        ));
        assert!(!covers(&expected, &names(&["S1", "FAILED"])));
        assert!(covers(
            &names(&["S1", "S1_RETRY", "S2"]),
            &names(&["S1", "S1_RETRY", "S2", "DONE"])
        ));
        assert!(!covers(&[], &names(&["S1"])));
    }
}
