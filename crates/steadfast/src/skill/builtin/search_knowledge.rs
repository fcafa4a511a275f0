//! `search_knowledge`: the passages of a folder that bear on some keywords.
//!
//! The folder is read anew for each call: what is found is what stands there
//! now, and no index can go stale. Ranking is BM25 over words of both
//! languages; there is no embedding here.

mod folder;
mod passage;
mod rank;

use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::id::SkillName;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use crate::skill::registry::Error;
use crate::skill::{Skill, SkillCall, SkillError};

pub(super) fn spec() -> SkillSpec {
    SkillSpec {
        kind: Some("builtin".to_owned()),
        description: "Searches the knowledge folder with the extracted keywords and returns the \
                      passages that the draft must rest on, each with its source and line. \
                      Nothing counts as known before this search was made. \
                      用关键词检索知识库，返回带出处的引用；草稿必须以检索结果为依据。"
            .to_owned(),
        input: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["keywords"],
            "properties": {
                "keywords": {
                    "description": "the keywords, most important first",
                    "anyOf": [
                        { "type": "array", "items": { "type": "string" }, "minItems": 1 },
                        { "type": "string", "minLength": 1 },
                    ],
                },
                "count": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": limits::REFERENCES_MAX,
                    "default": limits::REFERENCES_DEFAULT,
                    "description": "how many references",
                },
            },
        }),
        output: json!({
            "type": "object",
            "required": ["references", "searched", "skipped", "skipped_count"],
            "properties": {
                "references": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["source", "title", "heading", "line", "excerpt", "score"],
                        "properties": {
                            "source": { "type": "string", "description": "path in the folder" },
                            "title": { "type": "string" },
                            "heading": { "type": "string" },
                            "line": { "type": "integer", "minimum": 1 },
                            "excerpt": { "type": "string" },
                            "score": { "type": "number" },
                        },
                    },
                },
                "searched": { "type": "integer", "description": "files that were read" },
                "skipped": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["source", "reason"],
                        "properties": {
                            "source": { "type": "string" },
                            "reason": { "type": "string" },
                        },
                    },
                },
                "skipped_count": { "type": "integer" },
            },
        }),
        effect: Some(EffectClass::Read),
        ..SkillSpec::default()
    }
}

/// The folder where `config.folder` is not given, beside the workflow file.
const FOLDER_DEFAULT: &str = "knowledge";

#[derive(Debug)]
pub(super) struct SearchKnowledge {
    spec: SkillSpec,
    folder: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {
    #[serde(default)]
    folder: Option<PathBuf>,
}

#[derive(Deserialize)]
struct Args {
    keywords: Keywords,
    #[serde(default = "count_default")]
    count: usize,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Keywords {
    Many(Vec<String>),
    One(String),
}

fn count_default() -> usize {
    limits::REFERENCES_DEFAULT
}

/// Why a search cannot be built; the name of its entry is the caller's.
pub(super) enum Misfit {
    Config(String),
    Folder(PathBuf, String),
}

impl Misfit {
    pub(super) fn of(self, name: &SkillName) -> Error {
        let skill = name.as_str().to_owned();
        match self {
            Misfit::Config(why) => Error::Config { skill, why },
            Misfit::Folder(folder, why) => Error::Folder { skill, folder, why },
        }
    }
}

impl SearchKnowledge {
    pub(super) fn new(spec: SkillSpec, config: &Value, base_dir: &Path) -> Result<Self, Misfit> {
        let config =
            Config::deserialize(config).map_err(|error| Misfit::Config(error.to_string()))?;
        let folder = base_dir.join(config.folder.unwrap_or_else(|| FOLDER_DEFAULT.into()));
        match std::fs::metadata(&folder) {
            Ok(found) if found.is_dir() => Ok(SearchKnowledge { spec, folder }),
            Ok(_) => Err(Misfit::Folder(folder, "it is not a folder".to_owned())),
            Err(error) => Err(Misfit::Folder(folder, error.to_string())),
        }
    }
}

#[async_trait]
impl Skill for SearchKnowledge {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let args = Args::deserialize(&call.args)
            .map_err(|error| SkillError::not_started(format!("arguments do not fit: {error}")))?;
        let keywords = match args.keywords {
            Keywords::Many(keywords) => keywords,
            Keywords::One(keyword) => vec![keyword],
        };
        let query = rank::Query::new(&keywords);
        if query.is_empty() {
            return Err(SkillError::reported(
                "the keywords hold no word to search for",
            ));
        }
        let folder = self.folder.clone();
        let count = args.count.clamp(1, limits::REFERENCES_MAX);
        let work = tokio::task::spawn_blocking(move || search(&folder, &query, count));
        work.await.map_err(|error| {
            SkillError::new(SkillFailure::Lost, format!("the search broke off: {error}"))
        })?
    }
}

fn search(folder: &Path, query: &rank::Query, count: usize) -> Result<Value, SkillError> {
    let found = folder::read(folder).map_err(|error| SkillError::reported(error.to_string()))?;
    let passages: Vec<passage::Passage> =
        found.files.iter().flat_map(passage::passages_of).collect();
    let references: Vec<Value> = rank::best(&passages, query, count)
        .into_iter()
        .map(|(score, passage)| {
            json!({
                "source": passage.source,
                "title": passage.title,
                "heading": passage.heading,
                "line": passage.line,
                "excerpt": rank::excerpt(&passage.text, query),
                "score": score,
            })
        })
        .collect();
    let skipped: Vec<Value> = found
        .skipped
        .iter()
        .take(limits::SKIPPED_SHOWN_MAX)
        .map(|(source, reason)| json!({ "source": source, "reason": reason }))
        .collect();
    Ok(json!({
        "references": references,
        "searched": found.files.len(),
        "skipped": skipped,
        "skipped_count": found.skipped.len(),
    }))
}
