//! A summary as data, and the lines that a context shows of it.
//!
//! The four fields are the long-task article's (`action, result, key_data,
//! state_change`); those of a phase come on top of them. Each carries its own
//! importance and the events that it rests on.

use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::id::{Seq, StateName};
use crate::workflow::contract::Lang;

/// What one step did and found. It tells, and never rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub step: u32,
    /// The state that the machine was in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateName>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    pub fields: Vec<Field>,
    /// What is not shown in full, by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub references: Vec<Reference>,
    /// Sentences of the source that give rules: not repeated here, since a
    /// summary has no say.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub rules_left_out: u32,
    /// The most that a field has.
    pub importance: u8,
}

/// One field of a summary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    pub name: FieldName,
    pub text: String,
    /// 1–5.
    pub importance: u8,
    /// The events that it rests on.
    pub cites: Vec<Seq>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FieldName {
    Action,
    Result,
    KeyData,
    StateChange,
    /// A field of the phase's template.
    Phase(String),
}

/// A piece of data that the summary stands for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reference {
    pub hash: Hash,
    pub bytes: u64,
    /// Whose it is: a skill's name.
    pub of: String,
}

impl FieldName {
    fn label(&self, lang: Lang) -> &str {
        match (self, lang) {
            (FieldName::Action, Lang::En) => "action",
            (FieldName::Action, Lang::Zh) => "动作",
            (FieldName::Result, Lang::En) => "result",
            (FieldName::Result, Lang::Zh) => "结果",
            (FieldName::KeyData, Lang::En) => "key data",
            (FieldName::KeyData, Lang::Zh) => "关键数据",
            (FieldName::StateChange, Lang::En) => "state change",
            (FieldName::StateChange, Lang::Zh) => "状态变化",
            (FieldName::Phase(name), _) => name,
        }
    }
}

impl Summary {
    /// The lines that a context shows.
    pub fn text(&self, lang: Lang) -> String {
        let state = self.state.as_ref().map_or("", StateName::as_str);
        let mut out = match (lang, state) {
            (Lang::En, "") => format!("[step {}]", self.step),
            (Lang::En, state) => format!("[step {} in {state}]", self.step),
            (Lang::Zh, "") => format!("[第 {} 步]", self.step),
            (Lang::Zh, state) => format!("[第 {} 步，{state}]", self.step),
        };
        let colon = if lang == Lang::Zh { "：" } else { ": " };
        for field in &self.fields {
            let _ = write!(out, "\n{}{colon}{}", field.name.label(lang), field.text);
        }
        for one in &self.references {
            let _ = match lang {
                Lang::En => write!(
                    out,
                    "\nwhole {}: {} ({} bytes)",
                    one.of, one.hash, one.bytes
                ),
                Lang::Zh => write!(out, "\n{} 全文：{}（{} 字节）", one.of, one.hash, one.bytes),
            };
        }
        if self.rules_left_out > 0 {
            let n = self.rules_left_out;
            let _ = match lang {
                Lang::En => write!(out, "\n(sentences that give rules, not repeated: {n})"),
                Lang::Zh => write!(out, "\n（含规则的句子未转述：{n}）"),
            };
        }
        out
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
