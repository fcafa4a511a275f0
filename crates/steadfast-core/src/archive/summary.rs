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

impl Summary {
    /// The lines that a context shows: the action with its result, then what was
    /// found, then where it led. Terse, since it stands beside many others.
    pub fn text(&self, lang: Lang) -> String {
        let state = self.state.as_ref().map_or("", StateName::as_str);
        let mut out = match (lang, state) {
            (Lang::En, "") => format!("[step {}]", self.step),
            (Lang::En, state) => format!("[step {} in {state}]", self.step),
            (Lang::Zh, "") => format!("[第 {} 步]", self.step),
            (Lang::Zh, state) => format!("[第 {} 步，{state}]", self.step),
        };
        let colon = if lang == Lang::Zh { "：" } else { ": " };
        let mut first = true;
        for field in &self.fields {
            let text = &field.text;
            let _ = match &field.name {
                FieldName::Action if first => write!(out, " {text}"),
                FieldName::Result => write!(out, "{colon}{text}"),
                FieldName::Phase(name) => write!(out, "\n{name}{colon}{text}"),
                FieldName::Action | FieldName::KeyData | FieldName::StateChange => {
                    write!(out, "\n{text}")
                }
            };
            first = false;
        }
        for one in &self.references {
            let name = beginning(&one.hash);
            let _ = match lang {
                Lang::En => write!(out, "\nwhole {}: {name} ({} bytes)", one.of, one.bytes),
                Lang::Zh => write!(out, "\n{} 全文：{name}（{} 字节）", one.of, one.bytes),
            };
        }
        if self.rules_left_out > 0 {
            let n = self.rules_left_out;
            let _ = match lang {
                Lang::En => write!(out, "\n({n} with rules left out)"),
                Lang::Zh => write!(out, "\n（含规则者略去 {n} 句）"),
            };
        }
        out
    }
}

/// Enough of a name to find it by within a task; the whole of it is in the
/// summary.
pub(crate) fn beginning(hash: &Hash) -> String {
    hash.to_string().chars().take(15).collect()
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
