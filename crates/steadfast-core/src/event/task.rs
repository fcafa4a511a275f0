//! The life of a task.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{BudgetChange, Exhausted};
use crate::content::{Content, HoldsContent};
use crate::handoff::Mask;
use crate::hash::Hash;
use crate::id::{CallId, Seq, SkillName, TaskId};

/// The first event: all that the task starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskStarted {
    /// The name under which transition logs list the run.
    pub workflow_id: String,
    /// The resolved workflow, as canonical JSON.
    pub workflow: Content,
    pub fingerprint: Hash,
    /// The user's own words.
    pub input: Content,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
    /// Named values that the user or operator gave with the task, in the clear:
    /// so they stand in logs of builds that did not seal them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, Value>,
    /// The same, as content that can be erased: an object, as canonical JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts_sealed: Option<Content>,
    /// The task that this one is a part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// Numbered changes of behaviour that this log was written under. Numbers
    /// are never used twice.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub behavior: Vec<u32>,
    /// What the operator allows, over what the workflow declares.
    #[serde(default, skip_serializing_if = "BudgetChange::is_empty")]
    pub budget: BudgetChange,
    /// What the task was told about its models' room.
    pub window: Window,
}

/// Room for prompts and answers, in tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub tokens: u32,
    pub output_tokens: u32,
}

/// A text that the user brought along: data, whatever it says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub name: String,
    pub text: Content,
}

impl HoldsContent for Document {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.text.visit_content(visit);
    }
}

/// Where a sub-task comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parent {
    pub task: TaskId,
    /// The parent's event that started it.
    pub seq: Seq,
    /// What it was given, as the parent's runtime computed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handoff: Option<Box<Handoff>>,
}

/// What a sub-task is given beside its goal and input. No model wrote any of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handoff {
    /// The parent's call that the task is the carrying out of.
    pub call: CallId,
    /// Its name in the parent's workflow.
    pub task: SkillName,
    pub attempt: u32,
    /// How far below the first task it is.
    pub depth: u32,
    /// How many tasks it, and those below it, may start in all.
    #[serde(default)]
    pub children: u32,
    /// All that it may call.
    pub mask: Mask,
    /// The rules that are handed on: `handoff::Inherited`, as JSON.
    pub inherited: Content,
}

impl HoldsContent for Parent {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        if let Some(given) = &mut self.handoff {
            given.inherited.visit_content(visit);
        }
    }
}

impl HoldsContent for TaskStarted {
    fn visit_content(&mut self, visit: &mut dyn FnMut(&mut Content)) {
        self.workflow.visit_content(visit);
        self.input.visit_content(visit);
        self.documents.visit_content(visit);
        self.facts_sealed.visit_content(visit);
        self.parent.visit_content(visit);
    }
}

impl TaskStarted {
    /// The facts, wherever they stand.
    pub fn facts(&self) -> BTreeMap<String, Value> {
        let mut facts = self.facts.clone();
        if let Some(Value::Object(sealed)) = self.facts_sealed.as_ref().map(Content::json) {
            facts.extend(sealed);
        }
        facts
    }
}

/// The user said something while the task ran. The source names who.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UserSent {
    pub text: Content,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskPaused {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskResumed {}

/// Nothing new is proposed from here on; deeds in flight settle first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CancelRequested {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskCancelled {}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskCompleted {
    pub answer: Content,
}

/// An answer of a conversation went out. The task now waits for the next message,
/// with which its machine begins anew; what the round believed is void.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundEnded {
    /// Rounds so far, this one included.
    pub round: u32,
    pub answer: Content,
}

/// The task will end without an answer, for this reason. Nothing new is
/// proposed from here on; deeds in flight settle first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFailing {
    pub cause: Cause,
    pub diagnosis: String,
}

/// The task ended without an answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TaskFailed {
    pub cause: Cause,
    /// What a person needs to know to mend it.
    pub diagnosis: String,
}

/// Why a task failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "cause", rename_all = "snake_case")]
pub enum Cause {
    /// The machine reached FAILED.
    Workflow { state: String },
    /// A bound was reached.
    Limit { limit: String, value: u64 },
    /// A budget has no room for the next call.
    Budget { exhausted: Exhausted },
    /// The context cannot fit the window.
    Infeasible { needed: u32, room: u32 },
    /// The model could not be called.
    Model { class: String },
    /// A rule of the workflow could not be evaluated.
    Rule { expression: String },
}

/// A person accepted that the task goes on under a changed workflow.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkflowAccepted {
    pub workflow: Content,
    pub fingerprint: Hash,
    /// What changed, as JSON pointers.
    pub differences: Vec<String>,
}
