//! CEL: W0031 an expression that does not parse, W0032 a variable that is not
//! known, or not known yet where it stands, W0053 a receipt that nothing leaves.

use super::places::{self, quoted};
use crate::id::StateName;
use crate::rules::Conditions;
use crate::workflow::spec::{EdgesSpec, Spec, UseSpec};
use crate::workflow::{Problem, Workflow};

/// Every variable that an expression can read.
pub const VARIABLES: [&str; 6] = ["input", "result", "receipts", "facts", "phase", "counters"];

/// Whether a result is at hand where the expression is evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Moment {
    Before,
    After,
}

/// An expression with its place in the file.
struct Written<'a> {
    path: Vec<&'a str>,
    text: &'a str,
    moment: Moment,
}

pub(super) fn check(spec: &Spec, conditions: &dyn Conditions, problems: &mut Vec<Problem>) {
    let indices = indices();
    for one in expressions(spec, &indices) {
        problems.extend(problem(conditions, &one.path, one.text, one.moment));
    }
}

/// W0053: a receipt of a state, or of a skill of its set, that there is none of.
pub(super) fn check_receipts(
    workflow: &Workflow,
    conditions: &dyn Conditions,
    problems: &mut Vec<Problem>,
) {
    let indices = indices();
    for one in expressions(&workflow.spec, &indices) {
        let members = conditions.members(one.text, "receipts");
        let strange = members.iter().find_map(|path| no_receipt(workflow, path));
        if let Some((what, known)) = strange {
            let message = format!("`{}` reads {what}", one.text);
            problems.push(
                Problem::error("W0053", &one.path, message).hint(format!("there are {known}")),
            );
        }
    }
}

/// What of a path into the receipts can never be there, and what can.
fn no_receipt(workflow: &Workflow, path: &[String]) -> Option<(String, String)> {
    let states = &workflow.machine.states;
    let name = path.first()?;
    let Some(state) = states.get(name.as_str()) else {
        let known = quoted(states.keys().map(StateName::as_str));
        return Some((format!("the receipt of `{name}`, which is no state"), known));
    };
    let skill = path.get(1).filter(|_| state.uses.len() > 1)?;
    if state.find(skill).is_some() {
        return None;
    }
    let known = quoted(state.uses.iter().map(|one| one.skill.as_str()));
    Some((
        format!("the receipt of `{skill}`, which is no skill of state `{name}`"),
        known,
    ))
}

/// The indices of lists, as keys of a place.
fn indices() -> Vec<String> {
    (0..LIST_LENGTH_LOOKED_AT)
        .map(|index| index.to_string())
        .collect()
}

/// Entries of one list of edges or skills whose expressions are looked at.
const LIST_LENGTH_LOOKED_AT: usize = 256;

/// Every expression of a spec.
fn expressions<'a>(spec: &'a Spec, indices: &'a [String]) -> Vec<Written<'a>> {
    let mut all = Vec::new();
    for place in places::states(spec) {
        let mut look = |rest: &[&'a str], text: &'a str, moment: Moment| {
            let path = [&place.path[..], rest].concat();
            all.push(Written { path, text, moment });
        };
        let state = place.state;
        if let Some(skip) = &state.skip_when {
            look(&["skip_when"], skip, Moment::Before);
        }
        if let Some(success) = &state.success_when {
            look(&["success_when"], success, Moment::After);
        }
        for (argument, expression) in &state.with {
            look(&["with", argument], expression, Moment::Before);
        }
        for (index, one) in indices.iter().zip(&state.skills) {
            if let UseSpec::Full(full) = one {
                for (argument, expression) in &full.with {
                    look(
                        &["skills", index, "with", argument],
                        expression,
                        Moment::Before,
                    );
                }
            }
        }
        let failure = state.on_failure.iter().map(|edges| ("on_failure", edges));
        let both = [("on_success", &state.on_success)]
            .into_iter()
            .chain(failure);
        for (outcome, edges) in both {
            let EdgesSpec::Many(list) = edges else {
                continue;
            };
            for (index, edge) in indices.iter().zip(list) {
                if let Some(when) = &edge.when {
                    look(&[outcome, index, "when"], when, Moment::After);
                }
            }
        }
    }
    for (name, phase) in &spec.phases {
        if let Some(text) = &phase.when {
            let path = vec!["phases", name.as_str(), "when"];
            let moment = Moment::Before;
            all.push(Written { path, text, moment });
        }
    }
    for (name, skill) in &spec.skills {
        if let Some(text) = &skill.success_when {
            let path = vec!["skills", name.as_str(), "success_when"];
            let moment = Moment::After;
            all.push(Written { path, text, moment });
        }
    }
    all
}

fn problem(
    conditions: &dyn Conditions,
    path: &[&str],
    expression: &str,
    moment: Moment,
) -> Option<Problem> {
    let names = match conditions.references(expression) {
        Ok(names) => names,
        Err(why) => {
            return Some(
                Problem::error("W0031", path, format!("`{expression}` is not CEL: {why}"))
                    .hint("text stands in quotes of its own: `result.status == 'ok'`"),
            );
        }
    };
    let allowed: Vec<&str> = VARIABLES
        .into_iter()
        .filter(|name| moment == Moment::After || *name != "result")
        .collect();
    let strange = names
        .iter()
        .find(|name| !allowed.contains(&name.as_str()))?;
    let message = if strange == "result" {
        format!("`{expression}` reads `result` before there is one")
    } else {
        format!("`{expression}` reads unknown variable `{strange}`")
    };
    Some(Problem::error("W0032", path, message).hint(format!("known here: {}", quoted(allowed))))
}
