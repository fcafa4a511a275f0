//! A case file as data. The first five fields are the guard-rails article's; all
//! that Steadfast adds is optional.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use steadfast_core::event::skill::SkillFailure;

/// A regression case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Name of the case, once in a tree.
    pub case_id: String,
    /// What the user wants.
    pub input: String,
    /// The states that the machine must enter, in order. `DONE` or `FAILED` at
    /// its end says how the run must end; without one it must complete. Retries
    /// (`S1_RETRY`) are compared only where the path names one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_path: Vec<String>,
    /// Texts that the answer must hold. `SKILL_passed` stands for a skill of the
    /// workflow whose last result counted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_output_contains: Vec<String>,
    /// Why the case is here: the incident, with its date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub added_reason: Option<String>,

    /// The workflow file, from the folder of the case. The suite's own where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// Files to work on, from the folder of the case, or texts: data, whatever they say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub documents: Vec<Document>,
    /// Named values.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, Value>,
    /// What is said after the input. In a conversation each turn waits for the
    /// answer to the one before; elsewhere all of them are said at the start.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<Turn>,
    /// What skills reply, call by call. A skill that is named here is never
    /// carried out; its last reply stands for all further calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<Reply>,
    /// Who decides on calls that need approval.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approvals: Approvals,
    /// `live` (the model of the command, never a recording), a model as
    /// `--model` names it, a script, or a recording.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelSpec>,

    /// What must be in force at the end: a ledger file's `goal`, `constraints` and
    /// `output`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_ledger: Option<BTreeMap<String, Value>>,
    /// Constraints that must not be in force at the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_in_force: Vec<Value>,
    /// Skills that must not be carried out, by sub-tasks neither.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbidden: Vec<Forbidden>,
    /// Texts that the last context of the run must hold: what the model has to see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shown: Vec<String>,
    /// Texts that the last context must not hold: what was replaced, or is not for
    /// the model to see.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_shown: Vec<String>,
    /// Texts that no context of a sub-task may hold, by the name of the task: what
    /// others have and is not handed on.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub hidden_from: BTreeMap<String, Vec<String>>,
    /// Constraints that the answer must keep: sentences or typed rules.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answer_checks: Vec<Value>,

    /// `fast` is run on each push; `adversarial` tempts the model. Others are free.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Runs of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub repeats: Option<u32>,
    /// How many of the runs must pass. All of them where not given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pass_at_least: Option<u32>,
}

/// A document: a file, or a name and a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Document {
    File(String),
    Text(TextDocument),
}

/// A text with a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextDocument {
    pub name: String,
    pub text: String,
}

/// Something that is said after the input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Turn {
    /// Whose words they are.
    #[serde(default, skip_serializing_if = "is_default")]
    pub source: Speaker,
    pub text: String,
}

/// Who speaks. What other channels say has no authority, and cannot be sent here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// The one whose task it is.
    #[default]
    User,
    /// Another user of the same system.
    OtherUser,
}

/// What a skill replies to one call: a result, or a failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    pub skill: String,
    /// What it returns.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub result: Value,
    /// It brings no result: `reported` and `not_started` say that nothing was
    /// done, after `timeout` and `lost` nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<FailureName>")]
    pub fail: Option<SkillFailure>,
}

/// The classes of [`SkillFailure`], for the schema.
#[derive(JsonSchema)]
#[serde(rename_all = "snake_case")]
#[allow(dead_code, reason = "only its schema is used")]
enum FailureName {
    Reported,
    NotStarted,
    Timeout,
    Lost,
}

/// What becomes of calls that need approval. Nothing of them is carried out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Approvals {
    #[default]
    Grant,
    Deny,
    /// Nobody decides: the run ends as waiting.
    Wait,
}

/// Which model a case is run with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ModelSpec {
    Named(String),
    Full(ModelFull),
}

/// A script or a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelFull {
    /// The model's turns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub script: Vec<ScriptTurn>,
    /// A recording, from the folder of the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recorded: Option<String>,
}

/// A turn of a script, as in script files.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptTurn {
    /// A final answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub say: Option<String>,
    /// One proposed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<ScriptCall>,
    /// Several calls in one reply.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ScriptCall>,
    /// A call of the model that fails: the class, such as `rate_limited`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fail: Option<String>,
}

/// A proposed call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScriptCall {
    pub skill: String,
    /// An object, or a text that stands for the argument text as it is.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
}

/// A skill that must not be carried out, or only with other arguments.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Forbidden {
    Skill(String),
    Call(ForbiddenCall),
}

/// A call that must not be made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ForbiddenCall {
    pub skill: String,
    /// Only with these arguments among its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub args: BTreeMap<String, Value>,
    /// A proposal counts too, even where the gate refused it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub attempted: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Case {
    pub fn has_tag(&self, tag: &str) -> bool {
        self.tags.iter().any(|one| one == tag)
    }
}
