//! What can reach a task from outside. Requests, so in the imperative or as the
//! outcome of an effect; [`Task::record`](super::Task::record) turns them into
//! facts.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::BudgetChange;
use crate::event::model::Usage;
use crate::event::repair::{Fault, Level};
use crate::event::skill::SkillFailure;
use crate::event::task::{Parent, Window};
use crate::handoff::report::ChildReport;
use crate::id::{CallId, Principal, Seq};
use crate::ledger::{Choice, QuestionId};
use crate::proposal::{ModelError, Reply};
use crate::task::instruct::Proposal;
use crate::task::recall::Search;
use crate::task::summarise::Summarised;
use crate::workflow::Spec;

/// All that a task starts from.
#[derive(Clone, Debug)]
pub struct Start {
    /// The resolved workflow.
    pub workflow: Spec,
    /// Whose task it is.
    pub principal: Principal,
    pub input: String,
    /// Name and text of each document that the user brought along.
    pub documents: Vec<(String, String)>,
    pub facts: BTreeMap<String, Value>,
    pub parent: Option<Parent>,
    pub window: Window,
    /// What the operator allows, over what the workflow declares.
    pub budget: BudgetChange,
}

/// What came in.
#[derive(Clone, Debug)]
pub enum Input {
    /// A model call came to its end.
    ModelDone {
        call: CallId,
        outcome: Result<Reply, ModelError>,
    },
    /// A skill call came to its end. The value is what the skill returned.
    SkillDone {
        call: CallId,
        /// The event of the intent that this is the outcome of: an outcome of an
        /// earlier attempt says nothing about a later one.
        intent: Seq,
        outcome: Result<Value, SkillError>,
        /// Tokens that the skill used, where a model is part of it.
        usage: Option<Usage>,
    },
    /// A summary was made anew.
    Summarised(Summarised),
    /// The archive was searched, or could not be.
    Searched(Search),
    /// A validator model answered about a call, or did not.
    Validated {
        call: CallId,
        outcome: Result<Reply, ModelError>,
    },
    /// A person said something, by their channel.
    Command {
        principal: Principal,
        command: Command,
    },
    /// A sub-task came to its end, or could not begin.
    ChildDone { report: Box<ChildReport> },
    /// The parent of this task does not wait for it any more.
    ParentLeft,
    /// The parent of this task was paused, and this one with it.
    ParentPaused,
    /// The parent goes on, and this one too where it rested with it.
    ParentResumed,
    /// A time was reached that `due` had named.
    Wake,
}

/// A skill call without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillError {
    pub class: SkillFailure,
    pub message: String,
    /// The other side's own lower bound on the pause before the next attempt.
    pub retry_after_ms: Option<u64>,
}

impl SkillError {
    pub fn new(class: SkillFailure, message: impl Into<String>) -> Self {
        SkillError {
            class,
            message: message.into(),
            retry_after_ms: None,
        }
    }
}

/// What a person can say to a task. This is what an inbox holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "command", rename_all = "snake_case")]
pub enum Command {
    /// The user speaks to the agent.
    Say {
        text: String,
    },
    /// The user speaks, and says which changes of the ledger the words are.
    Instruct {
        text: String,
        proposals: Vec<Proposal>,
    },
    /// The user answers an open question of the ledger.
    Answer {
        question: QuestionId,
        choice: Choice,
    },
    /// The user gives a name a value.
    SetFact {
        name: String,
        value: Value,
    },
    /// A person says what is wrong, so that it is redone from before what rests on
    /// it. `value` is the right value of a fact, where it is known.
    Repair {
        cause: Fault,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        level: Option<Level>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<Value>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    Pause,
    Resume,
    Cancel,
    /// An approver decides on one exact call.
    Decide {
        call: CallId,
        approved: bool,
        reason: Option<String>,
    },
    /// A person found out whether a deed in doubt was done.
    Settle {
        call: CallId,
        done: bool,
    },
    /// An operator sets what the task may cost, over what was set before.
    SetBudget {
        change: BudgetChange,
    },
    /// A person accepts that the task goes on under a changed workflow.
    AcceptWorkflow {
        workflow: Box<Spec>,
        differences: Vec<String>,
    },
}
