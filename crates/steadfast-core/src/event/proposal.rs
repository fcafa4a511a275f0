//! What was proposed, and what the gate made of it.

use serde::{Deserialize, Serialize};

use crate::content::Content;
use crate::hash::Hash;
use crate::id::{CallId, Seq, SkillName, StateName, Timestamp};
use crate::ledger::ConstraintId;
use crate::workflow::gate::Refusal;
use crate::workflow::spec::EffectClass;

/// A call passed the gate and may be carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallAdmitted {
    pub call: CallId,
    pub skill: SkillName,
    /// The state that it counts for; none for a call that was let through
    /// outside of the machine, by a guard that only observes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<StateName>,
    /// The arguments after the runtime filled in its own, as canonical JSON.
    pub args: Content,
    /// The idempotency key.
    pub key: Hash,
    /// What the skill was declared to do in the world; none is undeclared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectClass>,
    /// The place of the call in the model's reply, for pairing; none when the
    /// runtime made the call by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposed_as: Option<u32>,
    /// What an observing guard would have refused.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Refusal>,
    /// Arguments that direct the deed and that only untrusted text names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tainted: Vec<Taint>,
}

/// An argument whose value stands in what came from outside, and in nothing that a
/// person said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taint {
    /// Its name, with dots for what lies within.
    pub argument: String,
    /// The event that brought the text.
    pub from: Seq,
}

/// A call was not admitted. The model is told why and what is due.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallRefused {
    pub call: CallId,
    /// The name as the model gave it; it need not exist.
    pub skill: String,
    pub args: Content,
    pub proposed_as: u32,
    pub refusal: Refusal,
    /// What may be called now.
    pub due: Vec<SkillName>,
}

/// The answer passed the gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerAdmitted {
    pub answer: Content,
    /// Rules in force that no rule of ours could judge it by. Not checked is not
    /// kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_checked: Vec<ConstraintId>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub observed: Vec<Refusal>,
}

/// An answer was not admitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnswerRefused {
    pub answer: Content,
    pub refusal: Refusal,
    pub due: Vec<SkillName>,
    /// What to mend, where rules are broken: each by name, with what broke it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repair: Option<Content>,
}

/// A person is asked whether one exact call may be made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApprovalRequested {
    pub call: CallId,
    /// Hash over skill, arguments, ledger version and workflow fingerprint: what
    /// an approval is good for.
    pub binding: Hash,
}

/// A person decided. The source names who.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApprovalDecided {
    pub call: CallId,
    pub binding: Hash,
    pub approved: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<Content>,
    /// Until when a yes is good; none where it does not run out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}
