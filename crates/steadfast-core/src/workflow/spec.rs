//! The workflow file as data. Field names are the guard-rails article's where
//! it has them; all that Steadfast adds is optional.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::budget::{Bounds, Budget};
use crate::check::KnownSource;
use crate::event::validation::Checkpoint;
use crate::handoff::TaskSpec;
use crate::id::{SkillName, StateName};
use crate::ledger::rule::ActionKind;
use crate::limits;
use crate::workflow::contract::Lang;

/// A workflow file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Spec {
    /// Name of the workflow, as it stands in transition logs.
    pub workflow_id: String,
    /// What the workflow is for, in a sentence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The state that a task starts in.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub initial_state: StateName,
    /// The states, by name.
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, StateSpec>"))]
    pub states: BTreeMap<StateName, StateSpec>,
    /// The operator's rules and the agent's role; the first thing a model reads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The skills that states call. A name that is missing here is looked up in
    /// the registry file, then among the built-in ones.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, SkillSpec>"))]
    pub skills: BTreeMap<SkillName, SkillSpec>,
    /// Tool servers (Model Context Protocol) whose tools skills can name, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub mcp: BTreeMap<String, ServerSpec>,
    /// Sub-workflows that a state can run in place of a skill.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub workflows: BTreeMap<String, SubSpec>,
    /// Sub-tasks, by name (the article's `task_id`). A state runs a set of them
    /// (`tasks`), or offers one to the model as it offers a skill.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, TaskSpec>"))]
    pub tasks: BTreeMap<SkillName, TaskSpec>,
    /// Phases of the task, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, PhaseSpec>,
    /// How earlier steps are remembered.
    #[serde(default, skip_serializing_if = "is_default")]
    pub memory: MemorySpec,
    /// Who chooses the next call.
    #[serde(default, skip_serializing_if = "is_default")]
    pub steering: Steering,
    /// How the contract is shown to the model.
    #[serde(default, skip_serializing_if = "is_default")]
    pub contract: ContractSpec,
    /// What the answer must be.
    #[serde(default, skip_serializing_if = "is_default")]
    pub answer: AnswerSpec,
    /// An answer ends a round, not the task: the task then waits for the next
    /// message, and the machine begins anew with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub conversation: bool,
    /// Rules that every task of the workflow begins with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub ledger: LedgerSpec,
    /// Who judges answers by what no rule can check.
    #[serde(default, skip_serializing_if = "is_default")]
    pub reviewer: ReviewerSpec,
    /// Which guards are on.
    #[serde(default, skip_serializing_if = "is_default")]
    pub guards: Guards,
    /// Where the task is looked at again while it runs, and by whom.
    #[serde(default, skip_serializing_if = "is_default")]
    pub validation: ValidationSpec,
    /// Bounds of a run.
    #[serde(default, skip_serializing_if = "is_default")]
    pub limits: Limits,
    /// What a run may cost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Budget,
    /// How a model that cannot be called for the moment is waited for.
    #[serde(default, skip_serializing_if = "is_default")]
    pub retry: ModelRetry,
    /// The clock that contexts tell the time by.
    #[serde(default, skip_serializing_if = "is_default")]
    pub clock: ClockSpec,
}

/// Checkpoints, and what their verdicts let through.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ValidationSpec {
    /// The checkpoints that are on: `phase`, `irreversible`, `anomaly`, `end`. Rules
    /// look at each of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub at: Vec<Checkpoint>,
    /// The model that looks at each of these checkpoints after the rules, by its name
    /// in the settings; without one, rules alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub validator: Option<String>,
    /// What issues lead to: `revise` (the default; after three in a row a person is
    /// asked), or `ask` a person at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub issues: Option<OnVerdict>,
    /// The same where the validator could not verify, failed or timed out; `ask` by
    /// default. Nothing lets such a deed, or such an answer, through but a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cannot_verify: Option<OnVerdict>,
    /// What a checkpoint finds wrong is repaired by the task itself before a person is
    /// asked, or the task given up: it is rolled back, then restarted with the cause in
    /// sight. So are a circle, a phase that did not bring what the next one needs, a
    /// deed or an answer that did not pass three times in a row.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub repair: bool,
    /// Names of arguments and results that say nothing of what is done (labels,
    /// trace ids): calls that differ in them alone are the same.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cosmetic: Vec<String>,
}

/// What a verdict that is no pass leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum OnVerdict {
    /// The model is told, and decides again.
    Revise,
    /// A person decides.
    Ask,
}

/// Whether a model is told the time, and where.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ClockSpec {
    /// The user's time zone by its IANA name, such as `Asia/Shanghai`. The last
    /// lines of each context then say date, time and zone as they are at that
    /// call. Without it no time is told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
}

/// The states of a sub-workflow. Its `DONE` is the success of the state that
/// runs it, its `FAILED` that state's failure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SubSpec {
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub initial_state: StateName,
    #[cfg_attr(feature = "schema", schemars(with = "BTreeMap<String, StateSpec>"))]
    pub states: BTreeMap<StateName, StateSpec>,
}

/// One state: a skill, a set of skills, or a sub-workflow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct StateSpec {
    /// The one skill that may be called here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub skill: Option<SkillName>,
    /// The skills that may be called here, by name or with what they require.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<UseSpec>,
    /// The sub-workflow that runs here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workflow: Option<String>,
    /// The sub-tasks that the runtime runs here, each as soon as what it needs has
    /// come to its end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub tasks: Vec<SkillName>,
    /// Sub-tasks whose whole output the model reads here, and not its summary
    /// alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub fetch: Vec<SkillName>,
    /// Whether all skills of the set must succeed, or any one.
    #[serde(default, skip_serializing_if = "is_default")]
    pub complete: Complete,
    /// Where success leads: a state, `DONE`, `FAILED`, or a list of edges.
    pub on_success: EdgesSpec,
    /// Where failure leads. `<STATE>_RETRY` retries by the state's policy; when
    /// retries are spent the run ends in `FAILED`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<EdgesSpec>,
    /// Arguments that the runtime fills in, as CEL expressions over `input,
    /// receipts, facts, phase, counters`. The model is not asked for them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, String>,
    /// When a result counts as success (CEL over `result`). A call that returns
    /// but fails this is a failed check, not a failed call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_when: Option<String>,
    /// `false`: the contract does not ask for this state; a model may pass over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mandatory: Option<bool>,
    /// A rule (CEL over `input, receipts, facts, phase, counters`) under which
    /// the state is passed over. The skip leaves a receipt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub skip_when: Option<String>,
    /// The phase that this state belongs to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// How much of the history its steps look at: `working` or `global`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub view: Option<View>,
    /// Retry policy of this state, over the skill's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// What all visits of this state together may cost.
    #[serde(default, skip_serializing_if = "is_default")]
    pub budget: Bounds,
}

/// A skill within a state's set.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum UseSpec {
    Name(#[cfg_attr(feature = "schema", schemars(with = "String"))] SkillName),
    Full(UseFull),
}

/// A skill within a state's set, with what must have succeeded before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct UseFull {
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub skill: SkillName,
    /// Skills of the same set that must have succeeded first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<String>"))]
    pub requires: Vec<SkillName>,
    /// As in a state.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub with: BTreeMap<String, String>,
    /// `false`: the set is complete without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mandatory: Option<bool>,
}

/// A target, or several with conditions; the first that holds is taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum EdgesSpec {
    One(String),
    Many(Vec<EdgeSpec>),
}

impl Default for EdgesSpec {
    fn default() -> Self {
        EdgesSpec::Many(Vec::new())
    }
}

/// One edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EdgeSpec {
    /// CEL over `input, result, receipts, facts, phase, counters`. None: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
    pub to: String,
}

/// Whether a state's set is complete with all of its skills or with any one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Complete {
    #[default]
    All,
    Any,
}

/// A skill: its ports, its effect in the world, and how it is carried out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SkillSpec {
    /// How it is carried out: `builtin`, `command`, `function`, `http`, `mcp`, `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it does, as the model reads it. Say what it is for, not that it is
    /// optional: a model takes "optional" at its word.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// JSON Schema of the arguments (an object).
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub input: Value,
    /// JSON Schema of the result.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub output: Value,
    /// What carrying it out twice would do. Undeclared is treated with care.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effect: Option<EffectClass>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry: Option<Retry>,
    /// `required`: a person must approve each exact call.
    #[serde(default, skip_serializing_if = "is_default")]
    pub approval: Approval,
    /// For how long a person's yes is good, in milliseconds; where not given it does
    /// not run out by time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_ms: Option<u64>,
    /// When a result counts as success, unless the state says otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_when: Option<String>,
    /// The argument whose text this skill checks. A pass holds for those bytes:
    /// the answer must be them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checks: Option<String>,
    /// Phrases in an answer that claim this skill was carried out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub claims_when: Vec<String>,
    /// A skill (effect: read) that tells from the same arguments whether the
    /// deed was done; its result is `{"done": true|false}`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub verify: Option<SkillName>,
    /// The skill that undoes what this one has done. It is named to people where a
    /// repair finds that the deed may rest on what was wrong; nothing calls it by
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub compensation: Option<SkillName>,
    /// The argument that carries the idempotency key. The runtime makes it; a
    /// model's own is ignored.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_arg: Option<String>,
    /// Arguments that name what the call touches (paths, ids). Calls of one
    /// reply run side by side unless one that acts touches what another does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<String>,
    /// Longest time of one call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// What kinds of deed it is: `publish`, `send`, `delete`, `pay`, `write`,
    /// `execute`. Rules of the ledger speak of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub does: Vec<ActionKind>,
    /// Permissions that it needs, by name. A rule of the ledger can withhold one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// Arguments that carry an amount which a rule can bound: the rule's name for
    /// it, and the argument (`budget: total`).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub amounts: BTreeMap<String, String>,
    /// Arguments that carry a fact: the fact's name, and the argument
    /// (`target: app`). An argument with the fact's own name needs no entry. A call
    /// that acts with another value than a person set is refused.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Arguments that say whom the deed reaches, where it goes or how much it
    /// moves; by their names where not given (`to`, `account`, `amount`, 收件人, …).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub directs: Vec<String>,
    /// The tool of a server that this skill is, as `SERVER/TOOL`; the kind is
    /// then `mcp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<String>,
    /// Facts that its results set, by name: where the value stands in the result
    /// (`total.amount`, `/items/0/id`). Only a result that counts sets them; what a
    /// person has set stays, and a clash is asked about.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub provides: BTreeMap<String, Provides>,
    /// What the kind needs: a command line, a folder, …
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub config: Value,
}

/// Where a fact's value stands in a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum Provides {
    /// The path alone.
    Path(String),
    Full(ProvidesFull),
}

/// Where a fact's value stands in a result, and which way it can go.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct ProvidesFull {
    pub path: String,
    /// A progress that goes one way only: a value that goes back is not taken.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monotone: Option<Monotone>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Monotone {
    Up,
    Down,
}

impl Provides {
    /// The value in a result; none where the path leads nowhere.
    pub fn find<'a>(&self, result: &'a Value) -> Option<&'a Value> {
        let path = match self {
            Provides::Path(path) => path,
            Provides::Full(full) => &full.path,
        };
        if path.is_empty() || path.starts_with('/') {
            return result.pointer(path);
        }
        path.split('.').try_fold(result, |value, key| match value {
            Value::Array(items) => items.get(key.parse::<usize>().ok()?),
            other => other.get(key),
        })
    }

    pub fn monotone(&self) -> Option<Monotone> {
        match self {
            Provides::Path(_) => None,
            Provides::Full(full) => full.monotone,
        }
    }
}

/// A stretch of steps with its own template of what a summary keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct PhaseSpec {
    /// What a summary keeps beside action, result, key data and state change: the
    /// names of members of results.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<String>,
    /// Earlier phases whose steps are read again by these fields when the phase
    /// begins; all where none is named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<String>,
    /// What matters now, as the model reads it while the phase lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<String>,
    /// The rule (CEL over `input, receipts, facts, phase, counters`) that begins the
    /// phase. Without one it is the states' own `phase` that says it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

/// How earlier steps are remembered.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct MemorySpec {
    /// The model that sums up steps which leave the working layer, by a name that
    /// `--model` takes. Its summaries are taken only when they say what the raw
    /// events say; without one they are made by rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summariser: Option<String>,
    /// Summaries that a search of the whole archive brings for a step (8); 0
    /// searches nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<u32>,
    /// The model may plan phases of the task, by a tool of the runtime's own and
    /// within bounds.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub plan: bool,
    /// How much of the history steps look at, where their state does not say.
    #[serde(skip_serializing_if = "is_default")]
    pub view: View,
}

/// How much of the history a step looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum View {
    /// The last five to eight steps in full, and the archive within its share.
    #[default]
    Working,
    /// The last twelve steps, twice the archive, twice the recall.
    Global,
}

/// A tool server: a program on whose pipes it speaks, or an address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ServerSpec {
    /// Program and arguments.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Working folder of the program, from the workflow's folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// Variables of the program: a reference (`env:NAME`, `file:PATH`), or a text
    /// that is no secret.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Address of a server that speaks streamable HTTP.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Headers of each request, with values as those of `env`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// Hosts that may lie at loopback, private or link-local addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub private_hosts: Vec<String>,
    /// Time to begin.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_timeout_ms: Option<u64>,
    /// The hash of each tool that may be called, by the tool's name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub pins: BTreeMap<String, String>,
}

/// What carrying a skill out does in the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum EffectClass {
    /// Changes nothing; may be repeated at will.
    Read,
    /// Repeating it with the same key changes nothing more.
    Idempotent,
    /// Cannot be taken back: never repeated blindly.
    Irreversible,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    #[default]
    None,
    Required,
}

/// How often and with which pauses a failed call is made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Retry {
    /// Attempts in all, the first included.
    pub attempts: u32,
    /// First pause.
    pub backoff_ms: u64,
    /// Growth of the pause.
    pub factor: u32,
    /// Longest pause.
    pub backoff_max_ms: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            attempts: limits::RETRY_ATTEMPTS_DEFAULT,
            backoff_ms: limits::BACKOFF_BASE_MS_DEFAULT,
            factor: limits::BACKOFF_FACTOR_DEFAULT,
            backoff_max_ms: limits::BACKOFF_MAX_MS_DEFAULT,
        }
    }
}

/// How a model call that failed for a reason that heals with time (no
/// connection, a rate limit, a provider that fails) is made again: with growing
/// pauses, and never before the provider's own `Retry-After`. What bounds it is
/// time, not the number of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ModelRetry {
    /// For how long, from the first failure on, the task waits for its model.
    pub patience_ms: u64,
    /// First pause.
    pub backoff_ms: u64,
    /// Growth of the pause.
    pub factor: u32,
    /// Longest pause, where the provider asks for none.
    pub backoff_max_ms: u64,
}

impl Default for ModelRetry {
    fn default() -> Self {
        ModelRetry {
            patience_ms: limits::MODEL_PATIENCE_MS_DEFAULT,
            backoff_ms: limits::MODEL_BACKOFF_BASE_MS_DEFAULT,
            factor: limits::BACKOFF_FACTOR_DEFAULT,
            backoff_max_ms: limits::BACKOFF_MAX_MS_DEFAULT,
        }
    }
}

/// Who chooses the next call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Steering {
    /// The model proposes each call; the gate admits or refuses it.
    #[default]
    Model,
    /// The runtime makes a call by itself as soon as `with` gives all of its
    /// required arguments, and asks the model only for what is missing.
    Runtime,
}

/// How the contract is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ContractSpec {
    pub markup: Markup,
    pub form: Form,
    /// Whether the tools shown to the model are narrowed to what is due, or
    /// the full list is offered (for measuring what a model attempts).
    pub tools: ToolMask,
    /// Language of the contract and the notices; the user's own where not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<Lang>,
}

/// The mark-up around the contract. Models differ in which one they obey best.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Markup {
    /// `[EXECUTION_CONTRACT] … [/EXECUTION_CONTRACT]`
    #[default]
    Brackets,
    Xml,
    Markdown,
    Json,
}

/// Step numbers and skill names only, or with inputs and outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Form {
    #[default]
    Terse,
    Full,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum ToolMask {
    /// Only the skills that may be called now.
    #[default]
    Due,
    /// All skills of the workflow.
    All,
}

/// What the answer must be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct AnswerSpec {
    /// `checked` (the default where a mandatory skill has `checks`): the text
    /// that passed the checks is delivered as soon as the contract is complete.
    /// `model`: the model writes the answer, and it is admitted only if it is
    /// that very text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<AnswerFrom>,
    /// JSON Schema of the answer.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub schema: Value,
    /// JSON pointer to the answer's list of claims, each `{"skill": …}` with an
    /// optional `"call"`; a claim without a receipt is refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claims: Option<String>,
}

/// Rules that every task of the workflow begins with. Users may be stricter,
/// never looser.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct LedgerSpec {
    /// The operator's rules: each a sentence, or an object with a `type`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub policy: Vec<Value>,
    /// The application's rules; they give way to the operator's.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub developer: Vec<Value>,
    /// What is known of sources: an address or host, and its grades (`official`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<KnownSource>,
    /// A model may propose changes of what is in force, by a tool of the runtime's
    /// own, citing the user's words. What the words do not carry is asked.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub model_proposes: bool,
    /// What the answer looks like: `format`, `schema`, `language`, `max_words`, …
    #[serde(skip_serializing_if = "Value::is_null")]
    pub output: Value,
}

/// A model that judges answers by the constraints in prose. It sees them and the
/// answer, nothing of the task.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct ReviewerSpec {
    /// The model, by a name that `--model` takes; that of the settings where not
    /// given. With none, constraints in prose are not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What becomes of an answer of which nobody can tell whether it keeps a hard
    /// constraint in prose.
    #[serde(skip_serializing_if = "is_default")]
    pub cannot_tell: CannotTell,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CannotTell {
    /// It goes out, and the constraint is reported as not checked.
    #[default]
    Report,
    /// It waits for a person.
    Hold,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AnswerFrom {
    Checked,
    Model,
}

/// What a guard does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GuardMode {
    /// Refuse what breaks the rule.
    #[default]
    Enforce,
    /// Let it pass and record what would have been refused.
    Observe,
    /// Do not look.
    Off,
}

/// Which guards are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Guards {
    /// Calls in the machine's order.
    pub order: GuardMode,
    /// Arguments by schema.
    pub arguments: GuardMode,
    /// No answer before the contract is complete.
    pub contract: GuardMode,
    /// The answer is the text that was checked.
    pub checked: GuardMode,
    /// Claims need receipts.
    pub claims: GuardMode,
    /// Deeds keep to the rules in force.
    pub ledger: GuardMode,
    /// What becomes of a call that acts where only untrusted text (a document, a
    /// result) names whom it reaches, where it goes or how much it moves.
    pub taint: TaintMode,
}

/// What becomes of a call whose directing arguments only untrusted text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum TaintMode {
    /// It is made, and the log names the arguments.
    #[default]
    Report,
    /// It waits for a person.
    Hold,
    /// Nobody looks.
    Off,
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Steps of the task.
    pub steps: u32,
    /// How often a state may be entered.
    pub visits: u32,
    /// Replies in a row of which nothing was admitted.
    pub refusals: u32,
    /// Replies of the model for one step that cannot be used (malformed, empty).
    /// A model that cannot be reached is waited for instead, see `retry`.
    pub model_attempts: u32,
    /// Skill calls and sub-tasks at work at the same time.
    pub parallel: u32,
    /// How deep tasks may start tasks: 1 lets a task start children, and those
    /// none.
    #[serde(skip_serializing_if = "is_depth_default")]
    pub depth: u32,
    /// Sub-tasks that the task, and those below it, may start in all; each new
    /// attempt counts.
    #[serde(skip_serializing_if = "is_children_default")]
    pub children: u32,
    /// The same as `tokens` of the budget; the smaller of the two holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Time from the first event to the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_ms: Option<u64>,
    /// Steps kept in full in the context (5–8). 6, the default, lets the runtime
    /// choose by how heavy the steps are; any other number is kept to.
    pub working_steps: usize,
    /// Tokens of a context that summaries of earlier steps get; where not given a
    /// fifth of what is free, at most 2,000.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive_tokens: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            steps: limits::STEPS_DEFAULT,
            visits: limits::VISITS_DEFAULT,
            refusals: limits::REFUSALS_IN_A_ROW_DEFAULT,
            model_attempts: limits::MODEL_ATTEMPTS_DEFAULT,
            parallel: limits::PARALLEL_DEFAULT,
            depth: limits::TASK_DEPTH_DEFAULT,
            children: limits::CHILDREN_DEFAULT,
            tokens: None,
            time_ms: None,
            working_steps: limits::WORKING_STEPS_DEFAULT,
            archive_tokens: None,
        }
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

// Both are left out where they are the default, so that a workflow recorded before
// there were sub-tasks keeps its fingerprint.
fn is_depth_default(depth: &u32) -> bool {
    *depth == limits::TASK_DEPTH_DEFAULT
}

fn is_children_default(children: &u32) -> bool {
    *children == limits::CHILDREN_DEFAULT
}
