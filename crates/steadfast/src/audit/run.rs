//! What an agent did, in a form that belongs to no log format.

use std::fmt;

use serde::Serialize;
use serde_json::Value;

/// One run of an agent: from the first words of a user to its last answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The log's own name of the run, else made of the file and its number.
    pub id: String,
    /// The file that it was read from.
    pub file: String,
    pub steps: Vec<Step>,
    /// What the reader had to guess, in words.
    pub notes: Vec<String>,
}

impl Run {
    pub fn calls(&self) -> impl Iterator<Item = (&Step, &Call)> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Call(call) => Some((step, call)),
            _ => None,
        })
    }

    /// What users said, oldest first.
    pub fn said_by_user(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Message {
                role: Role::User,
                text,
            } => Some(text.as_str()),
            _ => None,
        })
    }
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub place: Place,
    pub kind: StepKind,
}

#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    Call(Call),
    /// The agent's last words, after which it did no more.
    Answer {
        text: String,
    },
    Message {
        role: Role,
        text: String,
    },
}

/// One call of a skill.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    pub skill: String,
    /// Null where the log does not keep arguments; a text where they were not JSON.
    pub args: Value,
    /// None where the log does not keep results.
    pub result: Option<Value>,
    /// Whether it succeeded, where the log itself says so.
    pub succeeded: Option<bool>,
    /// Where a machine stood before and after, where the log says so.
    pub moved: Option<Move>,
}

/// A move of a state machine, as a transition log tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    pub from: String,
    pub to: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    System,
    User,
    Assistant,
}

/// Where in a file something stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Place {
    /// Line of the record, from 1; none where the whole file is one record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// Index of the message or span within the record, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
}

impl Place {
    pub fn line(line: u64) -> Place {
        Place {
            line: Some(line),
            index: None,
        }
    }
}

/// As it follows a file's name: `:12` is a line, `#3` a message or span.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        match self.index {
            Some(index) => write!(f, "#{index}"),
            None => Ok(()),
        }
    }
}
