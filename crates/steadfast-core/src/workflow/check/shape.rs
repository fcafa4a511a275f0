//! Size and form: W0016 and W0017 too many states, W0019 a sub-workflow never
//! used, W0035 a contract too long, W0037 and W0038 where the answer comes
//! from, W0039 a field that has no effect where it stands.

use std::collections::BTreeSet;

use super::places::{self, quoted};
use crate::id::StateName;
use crate::limits;
use crate::workflow::contract::{Style, contract};
use crate::workflow::spec::{AnswerFrom, Complete, GuardMode, Spec, StateSpec};
use crate::workflow::{Problem, Workflow};

pub(super) fn check(spec: &Spec, problems: &mut Vec<Problem>) {
    let own = spec.states.len();
    if own > limits::STATES_ADVISED_MAX {
        let max = limits::STATES_ADVISED_MAX;
        problems.push(
            Problem::warning(
                "W0016",
                &["states"],
                format!("{own} states in one machine, more than {max}"),
            )
            .hint(format!(
                "models lose track: split it into sub-workflows of at most {} states",
                limits::SUBWORKFLOW_STATES_ADVISED_MAX
            )),
        );
    }
    let by_tasks = spec.tasks.values().map(|task| task.workflow.as_deref());
    let used: BTreeSet<&str> = places::states(spec)
        .map(|place| place.state.workflow.as_deref())
        .chain(by_tasks)
        .flatten()
        .collect();
    for (name, sub) in &spec.workflows {
        let count = sub.states.len();
        if count > limits::SUBWORKFLOW_STATES_ADVISED_MAX {
            let max = limits::SUBWORKFLOW_STATES_ADVISED_MAX;
            let message = format!("{count} states in sub-workflow `{name}`, more than {max}");
            problems.push(
                Problem::warning("W0017", &["workflows", name, "states"], message)
                    .hint("split it once more"),
            );
        }
        if !used.contains(name.as_str()) {
            let message = format!("no state or task runs sub-workflow `{name}`");
            problems.push(
                Problem::warning("W0019", &["workflows", name], message).hint(format!(
                    "run it with `workflow: {name}` in a state, or remove it"
                )),
            );
        }
    }
    for place in places::states(spec).filter(|place| place.state.workflow.is_some()) {
        let idle = idle_fields(place.state);
        if !idle.is_empty() {
            let message = format!(
                "{} of state `{}` has no effect: it runs a sub-workflow",
                quoted(idle.iter().copied()),
                place.name
            );
            let path = [&place.path[..], &[idle[0]]].concat();
            problems.push(
                Problem::warning("W0039", &path, message)
                    .hint("set it on the sub-workflow's own states"),
            );
        }
    }
}

/// What the compiled machine reads only from states that call skills.
fn idle_fields(state: &StateSpec) -> Vec<&'static str> {
    [
        ("complete", state.complete != Complete::All),
        ("with", !state.with.is_empty()),
        ("success_when", state.success_when.is_some()),
        ("mandatory", state.mandatory.is_some()),
        ("skip_when", state.skip_when.is_some()),
        ("phase", state.phase.is_some()),
        ("retry", state.retry.is_some()),
    ]
    .into_iter()
    .filter_map(|(name, set)| set.then_some(name))
    .collect()
}

/// What only the compiled machine tells.
pub(super) fn check_contract(workflow: &Workflow, problems: &mut Vec<Problem>) {
    let spec = &workflow.spec;
    let style = Style {
        markup: spec.contract.markup,
        form: spec.contract.form,
        lang: spec.contract.lang.unwrap_or_default(),
    };
    let groups: BTreeSet<Option<&StateName>> = workflow
        .machine
        .states
        .values()
        .map(|state| state.group.as_ref())
        .chain([None])
        .collect();
    for group in groups {
        let count = contract(workflow, group, style).chars().count();
        if count > limits::CONTRACT_CHARS_ADVISED_MAX {
            let max = limits::CONTRACT_CHARS_ADVISED_MAX;
            let of = group
                .map(|name| format!(" of `{name}`"))
                .unwrap_or_default();
            let message = format!("the contract{of} has {count} characters, more than {max}");
            problems
                .push(Problem::warning("W0035", &["contract"], message).hint(
                    "a short contract is obeyed better: `form: terse`, or split the machine",
                ));
        }
    }
    answer(workflow, problems);
}

fn answer(workflow: &Workflow, problems: &mut Vec<Problem>) {
    let spec: &Spec = &workflow.spec;
    let checked = workflow.machine.mandatory().find(|state| {
        state.uses.iter().any(|one| {
            one.mandatory
                && workflow
                    .skill(one.skill.as_str())
                    .is_some_and(|skill| skill.checks.is_some())
        })
    });
    match (spec.answer.from, checked) {
        (Some(AnswerFrom::Model), Some(state)) if spec.guards.checked == GuardMode::Off => {
            let message = format!(
                "state `{}` checks a text, but the answer need not be that text",
                state.name
            );
            problems.push(
                Problem::warning("W0037", &["guards", "checked"], message)
                    .hint("leave `guards.checked` on, or let the answer come `from: checked`"),
            );
        }
        (Some(AnswerFrom::Checked), None) => problems.push(
            Problem::error(
                "W0038",
                &["answer", "from"],
                "no mandatory skill has `checks`, so there is no checked text",
            )
            .hint("give a mandatory skill `checks`, or write `from: model`"),
        ),
        _ => {}
    }
}
