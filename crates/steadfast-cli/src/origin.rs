//! Where a task came from: the workflow file, the registry, the model.
//!
//! A task's log holds the whole workflow, but not where its file lay, which the
//! relative paths of its skills start at. That is a matter of this machine, so
//! it stands beside the store (`STORE.tasks/TASK.json`) and not in the log.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use steadfast_core::id::TaskId;

use crate::error::Error;
use crate::settings::Settings;

/// What `resume` needs beside the log. Paths are absolute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// None of a workflow that is built in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) workflow: Option<PathBuf>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) registry: Option<PathBuf>,
    /// As `--model` named it.
    pub(crate) model: String,
    /// As `--reviewer` named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reviewer: Option<String>,
}

impl Origin {
    pub(crate) fn new(workflow: Option<&Path>, registry: Option<&Path>, model: &str) -> Origin {
        Origin {
            workflow: workflow.map(absolute),
            registry: registry.map(absolute),
            model: named(model),
            reviewer: None,
        }
    }

    /// The same, with the reviewer that was asked for.
    pub(crate) fn reviewed_by(self, reviewer: Option<&str>) -> Origin {
        Origin {
            reviewer: reviewer.map(named),
            ..self
        }
    }

    /// Writes it whole or not at all.
    pub(crate) fn save(&self, settings: &Settings, task: &TaskId) -> Result<(), Error> {
        let path = path(settings, task);
        let unwritable = |source| Error::Write {
            path: path.clone(),
            source,
        };
        let text = serde_json::to_string_pretty(self).expect("paths that are UTF-8 are JSON");
        let folder = path.parent().expect("the path has a folder");
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let unfinished = path.with_extension("json.new");
        std::fs::write(&unfinished, text).map_err(unwritable)?;
        std::fs::rename(&unfinished, &path).map_err(unwritable)
    }

    /// Forgets it.
    pub(crate) fn remove(settings: &Settings, task: &TaskId) -> Result<(), Error> {
        let path = path(settings, task);
        match std::fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                Err(Error::Write { path, source })
            }
            _ => Ok(()),
        }
    }

    /// None where nothing is kept: the store was copied, or another program
    /// began the task.
    pub(crate) fn load(settings: &Settings, task: &TaskId) -> Result<Option<Origin>, Error> {
        let path = path(settings, task);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(source) => {
                return Err(Error::Read {
                    what: "task file",
                    path,
                    source,
                });
            }
        };
        let origin = serde_json::from_str(&text);
        origin.map(Some).map_err(|source| Error::Origin {
            task: task.clone(),
            path,
            source,
        })
    }
}

fn path(settings: &Settings, task: &TaskId) -> PathBuf {
    let mut folder = settings.store.clone().into_os_string();
    folder.push(".tasks");
    PathBuf::from(folder).join(format!("{task}.json"))
}

/// The name of a model, with the path of its file made absolute.
fn named(model: &str) -> String {
    let file = ["script:", "recorded:"].into_iter().find_map(|kind| {
        let path = model.strip_prefix(kind)?;
        Some(format!("{kind}{}", absolute(Path::new(path)).display()))
    });
    file.unwrap_or_else(|| model.to_owned())
}

/// The path from the root, links and `..` as they are: the file may be gone.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
