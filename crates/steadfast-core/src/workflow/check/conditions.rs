//! CEL: W0031 an expression that does not parse, W0032 a variable that is not
//! known, or not known yet where it stands.

use super::places::{self, quoted};
use crate::rules::Conditions;
use crate::workflow::Problem;
use crate::workflow::spec::{EdgesSpec, Spec, UseSpec};

/// Every variable that an expression can read.
pub const VARIABLES: [&str; 6] = ["input", "result", "receipts", "facts", "phase", "counters"];

/// Whether a result is at hand where the expression is evaluated.
#[derive(Clone, Copy, PartialEq)]
enum Moment {
    Before,
    After,
}

pub(super) fn check(spec: &Spec, conditions: &dyn Conditions, problems: &mut Vec<Problem>) {
    for place in places::states(spec) {
        let mut look = |rest: &[&str], expression: &str, moment: Moment| {
            let path = [&place.path[..], rest].concat();
            problems.extend(problem(conditions, &path, expression, moment));
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
        for (index, one) in state.skills.iter().enumerate() {
            if let UseSpec::Full(full) = one {
                for (argument, expression) in &full.with {
                    look(
                        &["skills", &index.to_string(), "with", argument],
                        expression,
                        Moment::Before,
                    );
                }
            }
        }
        let failure = state.on_failure.iter().map(|edges| ("on_failure", edges));
        for (outcome, edges) in [("on_success", &state.on_success)]
            .into_iter()
            .chain(failure)
        {
            let EdgesSpec::Many(list) = edges else {
                continue;
            };
            for (index, edge) in list.iter().enumerate() {
                if let Some(when) = &edge.when {
                    look(&[outcome, &index.to_string(), "when"], when, Moment::After);
                }
            }
        }
    }
    for (name, skill) in &spec.skills {
        if let Some(success) = &skill.success_when {
            let path = ["skills", name.as_str(), "success_when"];
            problems.extend(problem(conditions, &path, success, Moment::After));
        }
    }
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
