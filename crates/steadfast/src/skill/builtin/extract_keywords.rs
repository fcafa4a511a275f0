//! `extract_keywords`: what a text is about, in its own words.
//!
//! Words are ranked by who stands near whom (TextRank: a word is as central as
//! the words around it), weighed by part of speech and by place; words that
//! keep standing together are a term of their own. No corpus and no model, so
//! the same text always gives the same keywords.

mod candidates;
mod ranking;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use crate::skill::{Skill, SkillCall, SkillError};

pub(super) fn spec() -> SkillSpec {
    SkillSpec {
        kind: Some("builtin".to_owned()),
        description: "Extracts the keywords of the input text. The search of the next step is \
                      made with these keywords, so this call comes first, whatever the length \
                      of the text. 从输入文本中提取关键词；后续检索以此为准，必须先调用。"
            .to_owned(),
        input: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["input"],
            "properties": {
                "input": { "type": "string", "description": "the whole text" },
                "count": {
                    "type": "integer",
                    "minimum": 1,
                    "maximum": limits::KEYWORDS_COUNT_MAX,
                    "default": limits::KEYWORDS_COUNT_DEFAULT,
                    "description": "how many keywords",
                },
            },
        }),
        output: json!({
            "type": "object",
            "required": ["keywords"],
            "properties": {
                "keywords": { "type": "array", "items": { "type": "string" } },
            },
        }),
        effect: Some(EffectClass::Read),
        ..SkillSpec::default()
    }
}

#[derive(Debug)]
pub(super) struct ExtractKeywords {
    spec: SkillSpec,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Config {}

#[derive(Deserialize)]
struct Args {
    input: String,
    #[serde(default = "count_default")]
    count: usize,
}

fn count_default() -> usize {
    limits::KEYWORDS_COUNT_DEFAULT
}

impl ExtractKeywords {
    pub(super) fn new(spec: SkillSpec, config: &Value) -> Result<Self, String> {
        let Config {} = Config::deserialize(config).map_err(|error| error.to_string())?;
        Ok(ExtractKeywords { spec })
    }
}

#[async_trait]
impl Skill for ExtractKeywords {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let args = Args::deserialize(&call.args)
            .map_err(|error| SkillError::not_started(format!("arguments do not fit: {error}")))?;
        let most = limits::KEYWORDS_TEXT_BYTES_MAX;
        if args.input.len() > most {
            let size = args.input.len();
            return Err(SkillError::reported(format!(
                "the text has {size} bytes; keywords are extracted from at most {most}"
            )));
        }
        let count = args.count.clamp(1, limits::KEYWORDS_COUNT_MAX);
        let work = tokio::task::spawn_blocking(move || extract(&args.input, count));
        let keywords = work.await.map_err(|error| {
            SkillError::new(
                SkillFailure::Lost,
                format!("the extraction broke off: {error}"),
            )
        })?;
        Ok(json!({ "keywords": keywords }))
    }
}

/// The `count` best keywords of a text, best first.
pub(crate) fn extract(text: &str, count: usize) -> Vec<String> {
    let clauses = candidates::clauses(text);
    let candidates = candidates::gather(&clauses);
    ranking::best(&clauses, candidates, count)
}
