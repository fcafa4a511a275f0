//! `suite.yaml`: what the cases of a folder are run with. All of it can be said
//! on the command line instead.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::read::SUITE;
use crate::spec::{self, Diagnostics, Format, Source};

/// What a suite is run with. Paths start at the folder of the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Setup {
    /// The workflow file of all cases that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// A file of skills that the workflow can draw on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registry: Option<String>,
    /// The model, as `--model` names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tempting inputs of the contract layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub generate: Option<u32>,
    /// Runs of each case and each input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeats: Option<u32>,
    /// What skills return in all cases that say nothing of them; a skill that is
    /// named here is never carried out.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stand_ins: BTreeMap<String, Value>,
}

/// The suite file of a path: in the folder itself, or in the nearest above it.
pub fn find_setup(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    let folders = absolute.ancestors().take(super::read::DEPTH_MAX + 1);
    let mut files = folders.map(|folder| folder.join(SUITE));
    files.find(|file| file.is_file())
}

/// Reads a suite file.
///
/// # Errors
///
/// All that keeps the text from being one, with places.
pub fn parse_setup(text: &str, name: &str) -> Result<Setup, Diagnostics> {
    static FORMAT: LazyLock<Format> = LazyLock::new(|| {
        let schema = schemars::schema_for!(Setup).to_value();
        Format::new(schema, "A0034", "docs/testing.md")
    });
    spec::parse(&Source::new(text, name), &FORMAT)
}
