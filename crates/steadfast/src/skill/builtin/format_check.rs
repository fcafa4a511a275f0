//! `format_check`: whether a Markdown draft is well formed.
//!
//! Structure is read by a CommonMark parser, never by patterns over raw lines;
//! each finding names its rule and its line, so that a draft can be mended. A
//! draft that breaks a rule is a *result* (`passed: false`), not a failed call.

mod outline;
mod structure;
mod trailing;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use steadfast_core::event::skill::SkillFailure;
use steadfast_core::limits;
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};

use super::count::count_words;
use super::lines::Lines;
use crate::skill::{Skill, SkillCall, SkillError};

pub(super) fn spec() -> SkillSpec {
    SkillSpec {
        kind: Some("builtin".to_owned()),
        description: "Checks the format of the draft: title, headings, links, code fences, \
                      tables, length. Every draft passes this check before it is delivered, and \
                      every changed draft passes it again; haste does not change that. \
                      校验草稿的格式；任何草稿在交付前都必须通过校验，修改后必须重新校验，\
                      速度不影响步骤。"
            .to_owned(),
        input: json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["draft"],
            "properties": {
                "draft": { "type": "string", "description": "the complete text in Markdown" },
            },
        }),
        output: json!({
            "type": "object",
            "required": ["passed", "issues", "issue_count", "format_check_passed"],
            "properties": {
                "passed": { "type": "boolean" },
                "issues": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "required": ["rule", "line", "message"],
                        "properties": {
                            "rule": { "type": "string" },
                            "line": { "type": "integer", "minimum": 1 },
                            "message": { "type": "string" },
                        },
                    },
                },
                "issue_count": { "type": "integer" },
                "format_check_passed": { "type": "boolean" },
            },
        }),
        effect: Some(EffectClass::Read),
        success_when: Some("result.passed".to_owned()),
        checks: Some("draft".to_owned()),
        ..SkillSpec::default()
    }
}

/// The rules of a check, as `config` sets them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Rules {
    /// The draft begins with a level-1 heading and has no other.
    one_title: bool,
    /// A line ends in no spaces or tabs.
    trailing_whitespace: bool,
    /// No two headings of one level are alike.
    unique_headings: bool,
    /// By word-processor counting.
    min_characters: Option<usize>,
    max_characters: Option<usize>,
    /// Headings that must be there, compared without case.
    required_sections: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Rules {
            one_title: true,
            trailing_whitespace: true,
            unique_headings: true,
            min_characters: None,
            max_characters: None,
            required_sections: Vec::new(),
        }
    }
}

/// One place at which a draft breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
struct Issue {
    line: usize,
    rule: &'static str,
    message: String,
}

#[derive(Debug)]
pub(super) struct FormatCheck {
    spec: SkillSpec,
    rules: Rules,
}

impl FormatCheck {
    pub(super) fn new(spec: SkillSpec, config: &Value) -> Result<Self, String> {
        let rules = Rules::deserialize(config).map_err(|error| error.to_string())?;
        match (rules.min_characters, rules.max_characters) {
            (Some(min), Some(max)) if min > max => Err(format!(
                "`min_characters` ({min}) is above `max_characters` ({max})"
            )),
            _ => Ok(FormatCheck { spec, rules }),
        }
    }
}

#[async_trait]
impl Skill for FormatCheck {
    fn spec(&self) -> &SkillSpec {
        &self.spec
    }

    async fn call(&self, call: &SkillCall) -> Result<Value, SkillError> {
        let draft = call.args["draft"]
            .as_str()
            .ok_or_else(|| SkillError::not_started("`draft` is not a string"))?
            .to_owned();
        let rules = self.rules.clone();
        let work = tokio::task::spawn_blocking(move || check(&draft, &rules));
        let issues = work.await.map_err(|error| {
            SkillError::new(SkillFailure::Lost, format!("the check broke off: {error}"))
        })?;
        let shown = &issues[..issues.len().min(limits::FORMAT_ISSUES_SHOWN_MAX)];
        Ok(json!({
            "passed": issues.is_empty(),
            "issues": shown,
            "issue_count": issues.len(),
            "format_check_passed": issues.is_empty(),
        }))
    }
}

/// Every issue of a draft, by line.
fn check(draft: &str, rules: &Rules) -> Vec<Issue> {
    let lines = Lines::of(draft);
    let mut issues = structure::issues(draft, &lines);
    issues.extend(outline::issues(draft, &lines, rules));
    if rules.trailing_whitespace {
        issues.extend(trailing::issues(draft));
    }
    issues.extend(length(draft, rules));
    issues.sort();
    issues.dedup();
    issues
}

fn length(draft: &str, rules: &Rules) -> Option<Issue> {
    let count = count_words(draft);
    let message = match (rules.min_characters, rules.max_characters) {
        (Some(min), _) if count < min => format!("{count} characters and words, at least {min}"),
        (_, Some(max)) if count > max => format!("{count} characters and words, at most {max}"),
        _ => return None,
    };
    Some(Issue {
        line: 1,
        rule: "length",
        message: format!("the draft has {message} are asked"),
    })
}
