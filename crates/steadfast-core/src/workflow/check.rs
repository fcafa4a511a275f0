//! Static checks: what is wrong with a workflow before it runs.
//!
//! One file a family: the paths of the machine, its size and wording, the
//! skills and their ports, the conditions, the bounds, the sub-tasks. A condition counts as a
//! free boolean: a path is possible unless the machine itself rules it out.
//! Errors stop a run, warnings do not. Reading the file (W0001) is the shell's.

mod bounds;
mod conditions;
mod cycles;
mod graph;
mod paths;
mod places;
mod ports;
mod shape;
mod skills;
mod tasks;
mod wording;

use crate::rules::{Conditions, Schemas};
use crate::workflow::{Problem, Spec, Workflow};

pub use conditions::VARIABLES;

/// All findings about a resolved spec, in the order of the families.
///
/// Where the spec leaves no machine, the findings about its paths are missing:
/// mend those first.
pub fn check(spec: &Spec, schemas: &dyn Schemas, conditions: &dyn Conditions) -> Vec<Problem> {
    let mut problems = Vec::new();
    match Workflow::compile(spec.clone()) {
        Ok(workflow) => {
            paths::check(&workflow, &mut problems);
            cycles::check(&workflow, conditions, &mut problems);
            shape::check_contract(&workflow, &mut problems);
            conditions::check_receipts(&workflow, conditions, &mut problems);
        }
        Err(found) => problems.extend(found),
    }
    shape::check(spec, &mut problems);
    skills::check(spec, &mut problems);
    ports::check(spec, schemas, &mut problems);
    conditions::check(spec, conditions, &mut problems);
    bounds::check(spec, &mut problems);
    tasks::check(spec, schemas, conditions, &mut problems);
    problems
}

#[cfg(test)]
mod tests;
