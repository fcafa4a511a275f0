//! What the gate says: the typed reasons for which a proposed call or answer is
//! refused.
//!
//! The decisions themselves are in `task/admit.rs`, since they need the task's
//! state; here are the words, as the log keeps them and as the model
//! reads them.

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::id::{CallId, SkillName};
use crate::ledger::{ConstraintId, QuestionId};
use crate::rules::SchemaIssue;

/// Why a proposal was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reason", rename_all = "snake_case")]
pub enum Refusal {
    /// No skill of the workflow has this name.
    UnknownSkill,
    /// The machine stands in a state that does not call this skill.
    NotInState { place: String },
    /// These must succeed before it.
    OutOfOrder { first: Vec<SkillName> },
    /// It has succeeded in this state, or is at work.
    AlreadyDone,
    /// The arguments are not JSON, or break the skill's schema.
    BadArguments { issues: Vec<SchemaIssue> },
    /// The check said no to exactly this text.
    Unchanged,
    /// An earlier deed of this skill may or may not have been done.
    InDoubt { call: CallId },
    /// More calls in one reply than are looked at.
    TooManyCalls { limit: u32 },
    /// The task takes no proposals any more.
    NotRunning,

    /// Steps of the contract are missing.
    ContractIncomplete { missing: Vec<SkillName> },
    /// A check passed, but on another text than this.
    NotChecked { by: SkillName, checked: Hash },
    /// The check's pass lapsed, since what it rests on changed.
    ReceiptLapsed { skill: SkillName },
    /// The answer breaks its schema.
    BadAnswer { issues: Vec<SchemaIssue> },
    /// The answer claims a deed that no receipt shows.
    ClaimWithoutReceipt { claim: String, skill: String },
    /// The user has said something that the answer does not know yet.
    NewMessage,

    /// A rule in force forbids it.
    Forbidden { constraint: ConstraintId },
    /// An open question is about just this.
    OpenQuestion { question: QuestionId },
    /// An amount among the arguments is not within the rule's bound.
    OutOfBounds {
        constraint: ConstraintId,
        argument: String,
    },
    /// A rule forbids a kind of deed, and the skill does not declare which kind
    /// its own is.
    NotDeclared { constraint: ConstraintId },
    /// An argument is another value than the one that a person set.
    ContradictsFact { fact: String, argument: String },
    /// The answer breaks rules in force.
    BreaksRules { constraints: Vec<ConstraintId> },

    /// The task was not given this capability, whatever its workflow says.
    NotCapable,
    /// No further sub-task may be started.
    TooManyTasks { limit: String, value: u32 },
    /// Nobody can tell whether the answer keeps these, and a person did not let
    /// it out.
    NotVouched { constraints: Vec<ConstraintId> },
    /// The answer did not pass its validation. What was found stands beside it.
    NotValidated,
}

impl Refusal {
    /// Stable code with a page in `docs/errors`.
    pub fn code(&self) -> &'static str {
        match self {
            Refusal::UnknownSkill => "G0001",
            Refusal::NotInState { .. } => "G0002",
            Refusal::OutOfOrder { .. } => "G0003",
            Refusal::AlreadyDone => "G0004",
            Refusal::BadArguments { .. } => "G0005",
            Refusal::Unchanged => "G0006",
            Refusal::InDoubt { .. } => "G0007",
            Refusal::TooManyCalls { .. } => "G0008",
            Refusal::NotRunning => "G0009",
            Refusal::ContractIncomplete { .. } => "G0010",
            Refusal::NotChecked { .. } => "G0011",
            Refusal::ReceiptLapsed { .. } => "G0012",
            Refusal::BadAnswer { .. } => "G0013",
            Refusal::ClaimWithoutReceipt { .. } => "G0014",
            Refusal::NewMessage => "G0015",
            Refusal::Forbidden { .. } => "G0016",
            Refusal::OpenQuestion { .. } => "G0017",
            Refusal::OutOfBounds { .. } => "G0018",
            Refusal::NotDeclared { .. } => "G0019",
            Refusal::BreaksRules { .. } => "G0020",
            Refusal::NotCapable => "G0021",
            Refusal::TooManyTasks { .. } => "G0022",
            Refusal::NotVouched { .. } => "G0030",
            Refusal::ContradictsFact { .. } => "G0031",
            Refusal::NotValidated => "G0032",
        }
    }

    /// Whether the proposal would have left out a mandatory step.
    pub fn is_skip(&self) -> bool {
        matches!(self, Refusal::ContractIncomplete { .. })
    }

    /// Whether the proposal was out of the machine's order.
    pub fn is_misorder(&self) -> bool {
        matches!(
            self,
            Refusal::NotInState { .. } | Refusal::OutOfOrder { .. }
        )
    }

    /// Whether it is the model's fault, and counts towards the bound.
    pub fn counts(&self) -> bool {
        !matches!(self, Refusal::NewMessage | Refusal::NotRunning)
    }

    /// The reason as the model reads it: what is wrong, and with which value.
    pub fn explain(&self, proposed: &str) -> String {
        match self {
            Refusal::UnknownSkill => format!("there is no skill `{proposed}`"),
            Refusal::NotInState { place } => {
                format!("`{proposed}` cannot be called in {place}")
            }
            Refusal::OutOfOrder { first } => {
                format!(
                    "`{proposed}` is out of order: {} must succeed first",
                    names(first)
                )
            }
            Refusal::AlreadyDone => format!("`{proposed}` is already done in this state"),
            Refusal::BadArguments { issues } => {
                format!("the arguments of `{proposed}` do not fit: {}", list(issues))
            }
            Refusal::Unchanged => {
                format!("`{proposed}` already said no to exactly this text: change it first")
            }
            Refusal::InDoubt { call } => {
                format!("it is unknown whether call `{call}` of `{proposed}` was carried out")
            }
            Refusal::TooManyCalls { limit } => {
                format!("more than {limit} calls in one reply")
            }
            Refusal::NotRunning => "the task takes no proposals any more".to_owned(),
            Refusal::ContractIncomplete { missing } => format!(
                "the answer is void: the contract is not complete, {} must still succeed",
                names(missing)
            ),
            Refusal::NotChecked { by, .. } => format!(
                "the answer is not the text that `{by}` passed: answer with that text, unchanged"
            ),
            Refusal::ReceiptLapsed { skill } => {
                format!("the pass of `{skill}` lapsed: what it rests on has changed")
            }
            Refusal::BadAnswer { issues } => {
                format!("the answer breaks its schema: {}", list(issues))
            }
            Refusal::ClaimWithoutReceipt { claim, skill } => {
                format!("the answer claims `{claim}`, but `{skill}` was not carried out")
            }
            Refusal::NewMessage => "the user has said something new".to_owned(),
            Refusal::Forbidden { constraint } => {
                format!("rule `{constraint}` forbids `{proposed}`")
            }
            Refusal::OpenQuestion { question } => {
                format!("question `{question}` must be answered by the user before `{proposed}`")
            }
            Refusal::BreaksRules { constraints } => {
                let names: Vec<String> = constraints.iter().map(|id| format!("`{id}`")).collect();
                format!("the answer breaks {}", names.join(", "))
            }
            Refusal::ContradictsFact { fact, argument } => format!(
                "argument `{argument}` of `{proposed}` contradicts the fact `{fact}`, which a person \
                 set: use its value, or ask"
            ),
            Refusal::NotVouched { constraints } => {
                let names: Vec<String> = constraints.iter().map(|id| format!("`{id}`")).collect();
                format!(
                    "a person did not let the answer out: it is unknown whether it keeps {}",
                    names.join(", ")
                )
            }
            Refusal::NotValidated => "the answer did not pass its validation".to_owned(),
            Refusal::OutOfBounds {
                constraint,
                argument,
            } => format!("argument `{argument}` of `{proposed}` is not within rule `{constraint}`"),
            Refusal::NotCapable => {
                format!("`{proposed}` is not among the capabilities of this task")
            }
            Refusal::TooManyTasks { limit, value } => {
                format!(
                    "`{proposed}` cannot be started: `{limit}` allows {value} in this tree of tasks"
                )
            }
            Refusal::NotDeclared { constraint } => format!(
                "rule `{constraint}` forbids a kind of deed, and it is not declared what `{proposed}` does"
            ),
        }
    }
}

fn names(skills: &[SkillName]) -> String {
    let names: Vec<String> = skills.iter().map(|skill| format!("`{skill}`")).collect();
    names.join(", ")
}

fn list(issues: &[SchemaIssue]) -> String {
    let shown: Vec<String> = issues
        .iter()
        .take(8)
        .map(|issue| match issue.path.as_str() {
            "" => issue.message.clone(),
            path => format!("at `{path}`: {}", issue.message),
        })
        .collect();
    shown.join("; ")
}
