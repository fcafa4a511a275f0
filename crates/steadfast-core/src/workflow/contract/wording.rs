//! The sentences of the contract, in both languages. They are part of what is
//! measured when contracts are compared, so they stand in one place.

use serde::{Deserialize, Serialize};

/// The language that the contract and the notices are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Lang {
    #[default]
    En,
    Zh,
}

impl Lang {
    pub(super) fn heading(self) -> &'static str {
        match self {
            Lang::En => "Execution contract",
            Lang::Zh => "执行契约",
        }
    }

    pub(super) fn preface(self) -> &'static str {
        match self {
            Lang::En => {
                "Every step below is mandatory and must be done, in this order, before the final answer:"
            }
            Lang::Zh => "本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：",
        }
    }

    /// Words of urgency made models skip steps (guard-rails article, 5.2).
    pub(super) fn haste(self) -> &'static str {
        match self {
            Lang::En => {
                "Haste does not change the steps: no request to be quick or brief removes one."
            }
            Lang::Zh => "速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。",
        }
    }

    pub(super) fn void(self) -> &'static str {
        match self {
            Lang::En => "Output that breaks this contract is void.",
            Lang::Zh => "违反契约的输出将被视为无效。",
        }
    }

    /// Names in a row.
    pub(super) fn list<S: AsRef<str>>(self, names: &[S]) -> String {
        let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
        match self {
            Lang::En => names.join(", "),
            Lang::Zh => names.join("、"),
        }
    }

    pub(super) fn one_of(self, names: &str) -> String {
        match self {
            Lang::En => format!("one of {names}"),
            Lang::Zh => format!("{names} 之一"),
        }
    }

    pub(super) fn one_of_these(self, calls: &str) -> String {
        match self {
            Lang::En => format!("one of: {calls}"),
            Lang::Zh => format!("以下之一：{calls}"),
        }
    }

    pub(super) fn after(self, skill: &str, required: &str) -> String {
        match self {
            Lang::En => format!("{skill} after {required}"),
            Lang::Zh => format!("{skill} 在 {required} 之后"),
        }
    }

    /// A remark in brackets behind a line.
    pub(super) fn aside(self, text: &str, remark: &str) -> String {
        match self {
            Lang::En => format!("{text} ({remark})"),
            Lang::Zh => format!("{text}（{remark}）"),
        }
    }

    pub(super) fn semicolon(self) -> &'static str {
        match self {
            Lang::En => "; ",
            Lang::Zh => "；",
        }
    }

    /// A call with its arguments and what it yields.
    pub(super) fn call(self, skill: &str, arguments: &str, yields: Option<&str>) -> String {
        let (call, gets) = match self {
            Lang::En => ("call", "obtain"),
            Lang::Zh => ("调用", "获得"),
        };
        match yields {
            Some(yields) => format!("{call} {skill}({arguments}) - {gets} {yields}"),
            None => format!("{call} {skill}({arguments})"),
        }
    }
}
