//! Proposed changes of the ledger.
//!
//! A patch cites the message and the very words that it rests on. Whoever
//! proposes it, a rule of ours or a model, adds no authority: it is that of the
//! message's source, as the runtime attached it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::Seq;
use crate::ledger::constraint::{ConstraintId, Expiry, Force, Scope};
use crate::ledger::rule::{Action, Format, Rule};

/// One proposed change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    pub operation: Operation,
    pub cites: Citation,
    pub proposer: Proposer,
}

/// Words of a message, by place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The event that brought the message.
    pub message: Seq,
    /// Bytes of the message's text, `start..end`, on character borders.
    pub start: u32,
    pub end: u32,
    /// What must stand there.
    pub words: String,
}

/// Who reads the message so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Proposer {
    /// A rule of the bilingual reader, by name.
    Rule { rule: String },
    /// A model. It never chooses kind, scope or expiry of a loosening.
    Model { model: String },
    /// Typed in as such: policy file, API, `confirm`.
    Direct,
}

/// What is to change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
pub enum Operation {
    /// A further rule.
    Add(Draft),
    /// A rule in the place of another. Without `target` the one that it
    /// overlaps with is meant; several are a question.
    Override {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<ConstraintId>,
        with: Draft,
    },
    /// A rule in the place of another for a while (`expiry` says how long).
    Exception {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<ConstraintId>,
        /// What holds meanwhile; none suspends the rule.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        with: Option<Draft>,
        expiry: Expiry,
    },
    /// An end to a rule. `about` says which where no id is known.
    Revoke {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<ConstraintId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        about: Option<Rule>,
    },
    SetGoal {
        goal: String,
    },
    SetOutput {
        output: OutputContract,
    },
    /// A one-off request: good for the next answer, no standing rule.
    SetRequest {
        request: String,
    },
    /// A fact gets this value: what a question about a clash of facts offers. It is
    /// the answer that sets it, no patch.
    SetFact {
        name: String,
        value: Value,
    },
    /// Nothing can be changed yet: the words are ambiguous ("send it to him").
    /// The question waits in `unresolved`, and the old rule holds.
    Ask {
        question: String,
        /// What the words might mean, each a change that an answer can choose.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        options: Vec<Operation>,
        /// Deeds that the words ask for without saying to whom or with what: they
        /// wait for the answer.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        holds_back: Vec<Action>,
    },
}

/// A constraint that has no id, source and version yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Draft {
    pub rule: Rule,
    #[serde(default)]
    pub force: Force,
    #[serde(default)]
    pub scope: Scope,
    #[serde(default)]
    pub expiry: Expiry,
}

impl Draft {
    /// A standing hard rule for the whole task.
    pub fn must(rule: Rule) -> Draft {
        Draft {
            rule,
            force: Force::Must,
            scope: Scope::Task,
            expiry: Expiry::Never,
        }
    }
}

/// What the final answer looks like: the article's `output` object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OutputContract {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}
