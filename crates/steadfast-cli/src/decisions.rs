//! Decisions on calls from a file that another program appends to, a JSON object
//! a line: `{"call": "s2.0", "approve": true, "reason": "…", "by": "boss"}`.
//!
//! Only lines that come in while it is watched count, each once: a yes of an
//! earlier run must not meet a call that is asked about anew. A decision names its
//! call, and is taken only where that call waits.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use steadfast_core::id::{CallId, TaskId};

use crate::error::Error;

/// How often the file is looked at.
const EVERY: Duration = Duration::from_millis(200);
/// Bytes that are read at a time. A longer line is no decision.
const BYTES_MAX: u64 = 64 * 1024;

/// One line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    pub(crate) call: CallId,
    pub(crate) approve: bool,
    #[serde(default)]
    pub(crate) reason: Option<String>,
    #[serde(default)]
    pub(crate) by: Option<String>,
    /// Where several tasks share the file.
    #[serde(default)]
    pub(crate) task: Option<TaskId>,
}

/// The file, and how far it was read.
pub(crate) struct Decisions {
    path: PathBuf,
    at: u64,
}

impl Decisions {
    /// Watches from here on. The file need not be there yet.
    pub(crate) fn watch(path: &Path) -> Decisions {
        let at = std::fs::metadata(path).map_or(0, |file| file.len());
        Decisions {
            path: path.to_owned(),
            at,
        }
    }

    /// The next lines, as soon as there are any; of each what was wrong with it, if
    /// it is none.
    ///
    /// # Errors
    ///
    /// When the file is there and cannot be read.
    pub(crate) async fn next(&mut self) -> Result<Vec<Result<Decision, String>>, Error> {
        loop {
            let lines = self.lines().map_err(|source| Error::Read {
                what: "file of decisions",
                path: self.path.clone(),
                source,
            })?;
            if !lines.is_empty() {
                return Ok(lines.iter().map(|line| read(line)).collect());
            }
            tokio::time::sleep(EVERY).await;
        }
    }

    /// Whole lines that were not read yet.
    fn lines(&mut self) -> std::io::Result<Vec<String>> {
        let mut file = match std::fs::File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        // A file that was cut began anew.
        if file.metadata()?.len() < self.at {
            self.at = 0;
        }
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        file.take(BYTES_MAX).read_to_end(&mut bytes)?;
        let end = match bytes.iter().rposition(|byte| *byte == b'\n') {
            Some(at) => at + 1,
            None if bytes.len() as u64 == BYTES_MAX => bytes.len(),
            None => return Ok(Vec::new()),
        };
        self.at += end as u64;
        let text = String::from_utf8_lossy(&bytes[..end]);
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Ok(lines.map(str::to_owned).collect())
    }
}

fn read(line: &str) -> Result<Decision, String> {
    serde_json::from_str(line).map_err(|error| format!("no decision: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_new_lines_count_and_each_once() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("decisions.jsonl");
        std::fs::write(&path, "{\"call\":\"s1.0\",\"approve\":true}\n").unwrap();
        let mut watched = Decisions::watch(&path);
        assert_eq!(watched.lines().unwrap(), Vec::<String>::new());
        let old = std::fs::read_to_string(&path).unwrap();
        let half = format!("{old}{{\"call\":\"s2.0\",");
        std::fs::write(&path, &half).unwrap();
        assert_eq!(watched.lines().unwrap(), Vec::<String>::new());
        std::fs::write(&path, format!("{half}\"approve\":false}}\n\nyes\n")).unwrap();
        let lines = watched.lines().unwrap();
        assert_eq!(lines, ["{\"call\":\"s2.0\",\"approve\":false}", "yes"]);
        let decision = read(&lines[0]).unwrap();
        assert_eq!((decision.call.as_str(), decision.approve), ("s2.0", false));
        assert!(read(&lines[1]).is_err());
        assert!(read(r#"{"approve": true}"#).is_err());
        assert!(watched.lines().unwrap().is_empty());
    }
}
