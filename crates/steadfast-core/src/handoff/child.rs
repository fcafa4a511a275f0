//! The workflow that a child runs: cut out of its parent's, with no more in it
//! than the child may use.

use std::collections::{BTreeMap, BTreeSet};

use crate::budget::Budget;
use crate::handoff::mask::Mask;
use crate::handoff::spec::TaskSpec;
use crate::id::{SkillName, StateName};
use crate::workflow::spec::{
    AnswerSpec, EdgesSpec, LedgerSpec, Limits, Spec, StateSpec, SubSpec, UseSpec,
};

/// The state of a child without a workflow.
pub const FREE_STATE: &str = "WORK";

/// All that a task may call, below a parent with `above`.
pub fn mask(spec: &Spec, task: &TaskSpec, above: Option<&Mask>) -> Mask {
    let declared = match &task.capabilities {
        Some(names) => Mask::of(names.iter().cloned()),
        None => {
            let called = called(spec, task);
            Mask::of(
                called
                    .into_iter()
                    .filter(|name| !spec.tasks.contains_key(name)),
            )
        }
    };
    declared.below(above)
}

/// The skills and tasks that the states of a task's workflow call.
pub fn called(spec: &Spec, task: &TaskSpec) -> BTreeSet<SkillName> {
    let used = sub_workflows(spec, task.workflow.iter().cloned());
    let states = used.values().flat_map(|sub| sub.states.values());
    states.flat_map(named).cloned().collect()
}

/// The skills and tasks that a state names.
pub fn named(state: &StateSpec) -> impl Iterator<Item = &SkillName> {
    let set = state.skills.iter().map(|one| match one {
        UseSpec::Name(name) => name,
        UseSpec::Full(full) => &full.skill,
    });
    state.skill.iter().chain(set).chain(&state.tasks)
}

/// Sub-workflows, and those that their states run.
fn sub_workflows(spec: &Spec, first: impl Iterator<Item = String>) -> BTreeMap<String, SubSpec> {
    let mut found = BTreeMap::new();
    let mut open: Vec<String> = first.collect();
    while let Some(name) = open.pop() {
        let Some(sub) = spec.workflows.get(&name) else {
            continue;
        };
        if found.insert(name, sub.clone()).is_none() {
            open.extend(
                sub.states
                    .values()
                    .filter_map(|state| state.workflow.clone()),
            );
        }
    }
    found
}

/// Whether this is the spec of a sub-task, which bears its parent's name before its
/// own.
pub fn is_child(spec: &Spec) -> bool {
    spec.workflow_id.contains('/')
}

/// The workflow of a child. `parent` is the workflow of the task that starts it.
pub fn spec(parent: &Spec, name: &SkillName, task: &TaskSpec, mask: &Mask) -> Spec {
    let allowed = |name: &SkillName| mask.allows(name.as_str());
    let own = task
        .workflow
        .as_ref()
        .and_then(|sub| parent.workflows.get(sub));
    let (initial_state, states) = match own {
        Some(sub) => (sub.initial_state.clone(), sub.states.clone()),
        None => free(mask),
    };
    let tasks: BTreeMap<SkillName, TaskSpec> = keep(&parent.tasks, allowed);
    let below = tasks.values().filter_map(|task| task.workflow.clone());
    let run = states.values().filter_map(|state| state.workflow.clone());
    let workflows = sub_workflows(parent, run.chain(below));
    let mut skills = keep(&parent.skills, allowed);
    // The runtime asks it, and no model can call it: no state does.
    for verify in skills
        .clone()
        .into_values()
        .filter_map(|skill| skill.verify)
    {
        if let Some(skill) = parent.skills.get(&verify) {
            skills.insert(verify, skill.clone());
        }
    }
    let uses = |server: &String| {
        let tools = skills.values().filter_map(|skill| skill.mcp.as_deref());
        tools
            .filter_map(|tool| tool.split_once('/'))
            .any(|(of, _)| of == server)
    };
    Spec {
        workflow_id: format!("{}/{name}", parent.workflow_id),
        description: Some(task.goal.clone()),
        mcp: keep(&parent.mcp, uses),
        initial_state,
        states,
        workflows,
        tasks,
        skills,
        answer: AnswerSpec {
            schema: task.answer_schema(),
            ..AnswerSpec::default()
        },
        conversation: false,
        // The rules come along as they are in force, see `attenuate`.
        ledger: LedgerSpec {
            sources: parent.ledger.sources.clone(),
            ..LedgerSpec::default()
        },
        limits: Limits {
            tokens: None,
            time_ms: None,
            ..parent.limits
        },
        budget: Budget {
            tokens: task.budget.tokens,
            money: task.budget.money.clone(),
            model_calls: task.budget.model_calls,
            skill_calls: task.budget.skill_calls,
            time_ms: task.budget.time_ms,
            ..Budget::default()
        },
        ..parent.clone()
    }
}

/// One state with the capabilities as its set; without any it is there only to
/// answer.
fn free(mask: &Mask) -> (StateName, BTreeMap<StateName, StateSpec>) {
    let skills: Vec<UseSpec> = mask.names().cloned().map(UseSpec::Name).collect();
    let state = StateSpec {
        mandatory: skills.is_empty().then_some(false),
        skills,
        on_success: EdgesSpec::One("DONE".to_owned()),
        ..StateSpec::default()
    };
    let name = StateName::from(FREE_STATE);
    (name.clone(), BTreeMap::from([(name, state)]))
}

fn keep<K: Ord + Clone, V: Clone>(
    all: &BTreeMap<K, V>,
    wanted: impl Fn(&K) -> bool,
) -> BTreeMap<K, V> {
    let kept = all.iter().filter(|(name, _)| wanted(name));
    kept.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}
