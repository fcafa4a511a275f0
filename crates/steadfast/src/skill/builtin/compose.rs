//! `compose`: keeps the draft that a model wrote as its argument.
//!
//! The draft becomes a receipt like any other result, so that a check can be
//! bound to its bytes and a later state can read it. Nothing is changed in it.

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::count::count_words;
use crate::skill::{Skill, SkillCall, SkillError};

pub(super) fn spec() -> SkillSpec {
    SkillSpec {
        kind: Some("builtin".to_owned()),
        description: "Hands in the draft. Write the complete text, from its title to its last \
                      sentence, in the argument `text`: what is left out here is not delivered. \
                      Every draft and every new version of it is handed in by this call. \
                      提交草稿：必须把从标题到结尾的完整正文写进参数 text，未写入的内容不会交付；\
                      每次修改后都要重新提交全文。"
            .to_owned(),
        input: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["text"],
            "properties": {
                "text": {
                    "type": "string",
                    "minLength": 1,
                    "description": "the complete text in Markdown; not a plan, not a part of it",
                },
            },
        }),
        output: json!({
            "type": "object",
            "required": ["draft", "characters", "words"],
            "properties": {
                "draft": { "type": "string" },
                "characters": { "type": "integer", "description": "Unicode characters" },
                "words": {
                    "type": "integer",
                    "description": "CJK characters and punctuation marks, Latin words, numbers",
                },
            },
        }),
        effect: Some(EffectClass::Read),
        ..SkillSpec::default()
    }
}

#[derive(Debug)]
pub(super) struct Compose {
    spec: SkillSpec,
}

impl Compose {
    pub(super) fn new(spec: SkillSpec, config: &Value) -> Result<Compose, String> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Config {}
        let Config {} = serde::Deserialize::deserialize(config)
            .map_err(|error: serde_json::Error| error.to_string())?;
        Ok(Compose { spec })
    }
}

#[async_trait]
impl Skill for Compose {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let text = call.args["text"]
            .as_str()
            .ok_or_else(|| SkillError::not_started("`text` is not a string"))?;
        if text.trim().is_empty() {
            return Err(SkillError::reported(
                "`text` is empty: write the complete text in it",
            ));
        }
        Ok(json!({
            "draft": text,
            "characters": text.chars().count(),
            "words": count_words(text),
        }))
    }
}
