//! Who is behind an event. The runtime attaches the source by the channel that
//! something came in by; no text can claim one.

use serde::{Deserialize, Serialize};

use crate::id::{Principal, SkillName};

/// Who or what an event comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// The operator, or the author of the workflow.
    Policy,
    /// The application that embeds the runtime.
    Developer,
    /// A person, by authenticated id. Has a say in their own task only.
    User { principal: Principal },
    /// A person who decides on one bound action.
    Approver { principal: Principal },
    /// Steadfast itself.
    Runtime,
    /// A language model.
    Model { model: String },
    /// A skill's result.
    Skill { skill: SkillName },
    /// A file, page, mail or other text that was brought in.
    Document { name: String },
}

impl Source {
    /// Whether what this source says may ever change what is in force.
    ///
    /// Models, skills and documents are data, however commanding the words;
    /// an approver decides on an action and changes no rule.
    pub fn commands(&self) -> bool {
        match self {
            Source::Policy | Source::Developer | Source::User { .. } => true,
            Source::Approver { .. }
            | Source::Runtime
            | Source::Model { .. }
            | Source::Skill { .. }
            | Source::Document { .. } => false,
        }
    }
}
