//! Sub-tasks, as the parent's log tells of them. A child has a log of its own; here
//! stand what it was given, and what came of it.

use serde::{Deserialize, Serialize};

use crate::budget::Amounts;
use crate::content::Content;
use crate::handoff::Mask;
use crate::id::{CallId, SkillName, TaskId};

/// A child is about to be started, or taken up again: it exists from its own first
/// event on. All that it is given is fixed here, so that it is the same after a
/// crash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildStarted {
    /// The call that it is the carrying out of.
    pub call: CallId,
    /// Its own id, made of the parent, the call and the attempt.
    pub child: TaskId,
    pub task: SkillName,
    pub attempt: u32,
    /// How far below the first task it is: 1 is a child of that.
    pub depth: u32,
    /// How many tasks it may start itself.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub children: u32,
    /// What it can take at most. It counts as spent until the child has ended.
    pub reserved: Amounts,
    /// All that it may call.
    pub mask: Mask,
    /// The rules that are handed on: `handoff::Inherited`, as JSON.
    pub inherited: Content,
}

/// A child came to its end, and its report has been taken in: once, whatever the
/// number of times that it was delivered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChildEnded {
    pub call: CallId,
    pub child: TaskId,
    pub how: ChildEnd,
    /// What became of the parent's wait for it.
    pub then: Then,
    /// What it took, with what it may have taken.
    pub spent: Amounts,
    /// Its output with `meta`, kept outside of all contexts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Content>,
    /// Why there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Content>,
}

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChildEnd {
    /// With an answer.
    Finished,
    Failed,
    /// It was cancelled, by its parent or by a person.
    Stopped,
    /// It was never started: its input does not fit, or a bound is reached.
    NotStarted,
}

/// What follows for the parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// The output is the result of the call.
    Delivered,
    /// A new child is started for the same call.
    Again,
    /// A person is asked whether one is.
    Asked,
    /// The parent goes on without the output.
    LeftOut,
    /// The call has failed.
    Failed,
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}
