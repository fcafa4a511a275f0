//! What people said of steps: a file of lines that only grows.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use steadfast_core::id::TaskId;

/// One person's word on one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Review {
    pub task: TaskId,
    pub step: u32,
    pub right: bool,
    /// Who says so; filled in where a line says nothing.
    #[serde(default)]
    pub by: String,
    /// RFC 3339; filled in likewise.
    #[serde(default)]
    pub at: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Reviewed steps of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counted {
    /// Verdicts: two people about one step are two.
    pub reviewed: u64,
    pub right: u64,
}

/// All verdicts of a store.
#[derive(Clone, Debug, Default)]
pub struct Reviews {
    path: PathBuf,
    /// The last word of each person on each step.
    last: BTreeMap<(TaskId, u32, String), bool>,
}

impl Reviews {
    /// The file beside a store: its name with `.reviews.jsonl` behind it.
    pub fn path(store: &Path) -> PathBuf {
        let mut name = store.as_os_str().to_owned();
        name.push(".reviews.jsonl");
        PathBuf::from(name)
    }

    /// Reads the file of a store; one that is not there holds nothing.
    ///
    /// # Errors
    ///
    /// Where it cannot be read, or a line of it is no verdict: `(line, why)`.
    pub fn load(store: &Path) -> Result<Reviews, (usize, String)> {
        let path = Reviews::path(store);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err((0, error.to_string())),
        };
        let mut reviews = Reviews {
            path,
            last: BTreeMap::new(),
        };
        for review in parse(&text)? {
            reviews.keep(&review);
        }
        Ok(reviews)
    }

    /// Writes one down.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; nothing is counted then.
    pub fn add(&mut self, review: &Review) -> std::io::Result<()> {
        let line = serde_json::to_string(review).expect("a verdict is JSON");
        let mut file = std::fs::OpenOptions::new()
            .append(true)
            .create(true)
            .open(&self.path)?;
        // One write a line: two people at once do not tear each other's apart.
        file.write_all(format!("{line}\n").as_bytes())?;
        self.keep(review);
        Ok(())
    }

    fn keep(&mut self, review: &Review) {
        let key = (review.task.clone(), review.step, review.by.clone());
        self.last.insert(key, review.right);
    }

    /// Whether this person has judged the step.
    pub fn has(&self, task: &TaskId, step: u32, by: &str) -> bool {
        let key = (task.clone(), step, by.to_owned());
        self.last.contains_key(&key)
    }

    /// The verdicts on a task's steps.
    pub fn of(&self, task: &TaskId) -> Counted {
        let mut counted = Counted::default();
        for ((of, _, _), right) in &self.last {
            if of == task {
                counted.reviewed += 1;
                counted.right += u64::from(*right);
            }
        }
        counted
    }

    pub fn file(&self) -> &Path {
        &self.path
    }
}

/// Reads verdicts, one a line.
///
/// # Errors
///
/// The first line (from 1) that is none, and why.
pub fn parse(text: &str) -> Result<Vec<Review>, (usize, String)> {
    let lines = text.lines().enumerate();
    let filled = lines.filter(|(_, line)| !line.trim().is_empty());
    filled
        .map(|(at, line)| serde_json::from_str(line).map_err(|error| (at + 1, error.to_string())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn review(step: u32, by: &str, right: bool) -> Review {
        Review {
            task: "t_1".into(),
            step,
            right,
            by: by.to_owned(),
            at: "2026-11-30T10:00:00Z".to_owned(),
            note: None,
        }
    }

    #[test]
    fn the_last_word_of_each_person_holds() {
        let folder = tempfile::tempdir().unwrap();
        let store = folder.path().join("steadfast.db");
        let mut reviews = Reviews::load(&store).unwrap();
        for one in [
            review(1, "ana", true),
            review(1, "ana", false),
            review(1, "ben", true),
            review(2, "ana", true),
        ] {
            reviews.add(&one).unwrap();
        }
        let expected = Counted {
            reviewed: 3,
            right: 2,
        };
        let again = Reviews::load(&store).unwrap();
        assert_eq!(
            (reviews.of(&"t_1".into()), again.of(&"t_1".into())),
            (expected, expected)
        );
        assert!(again.has(&"t_1".into(), 2, "ana") && !again.has(&"t_1".into(), 2, "ben"));
        assert_eq!(again.of(&"t_2".into()), Counted::default());
    }

    #[test]
    fn a_line_that_is_no_verdict_is_named() {
        let (line, why) = parse("\n{\"task\":\"t\",\"step\":1}\n").unwrap_err();
        assert_eq!(line, 2);
        assert!(why.contains("right"), "{why}");
    }
}
