//! The states of a file with their places in it, so that each finding is made
//! once even where a sub-workflow runs in two states.

use crate::id::{SkillName, StateName};
use crate::workflow::spec::{Spec, StateSpec, UseSpec};

/// A state as the file has it.
pub(super) struct Place<'a> {
    /// Keys from the root to the state.
    pub(super) path: Vec<&'a str>,
    pub(super) name: &'a StateName,
    pub(super) state: &'a StateSpec,
}

/// Every state of the file, the sub-workflows' included.
pub(super) fn states(spec: &Spec) -> impl Iterator<Item = Place<'_>> {
    let own = spec.states.iter().map(|(name, state)| Place {
        path: vec!["states", name.as_str()],
        name,
        state,
    });
    let nested = spec.workflows.iter().flat_map(|(sub, workflow)| {
        workflow.states.iter().map(move |(name, state)| Place {
            path: vec!["workflows", sub.as_str(), "states", name.as_str()],
            name,
            state,
        })
    });
    own.chain(nested)
}

/// A skill where a state names it.
pub(super) struct Mention<'a> {
    pub(super) path: Vec<String>,
    pub(super) skill: &'a SkillName,
    /// Arguments bound here alone, with the path of their section.
    pub(super) with: Vec<(Vec<String>, &'a String)>,
}

/// The skills that a state names.
pub(super) fn mentions<'a>(place: &Place<'a>) -> Vec<Mention<'a>> {
    let path = |rest: &[&str]| -> Vec<String> {
        place
            .path
            .iter()
            .chain(rest)
            .map(|part| (*part).to_owned())
            .collect()
    };
    let bound = || -> Vec<(Vec<String>, &'a String)> {
        place
            .state
            .with
            .keys()
            .map(|key| (path(&["with", key]), key))
            .collect()
    };
    let mut found = Vec::new();
    if let Some(skill) = &place.state.skill {
        found.push(Mention {
            path: path(&["skill"]),
            skill,
            with: bound(),
        });
    }
    for (index, one) in place.state.skills.iter().enumerate() {
        let index = index.to_string();
        match one {
            UseSpec::Name(skill) => {
                found.push(Mention {
                    path: path(&["skills", &index]),
                    skill,
                    with: bound(),
                });
            }
            UseSpec::Full(full) => {
                let own = full
                    .with
                    .keys()
                    .map(|key| (path(&["skills", &index, "with", key]), key));
                found.push(Mention {
                    path: path(&["skills", &index, "skill"]),
                    skill: &full.skill,
                    with: bound().into_iter().chain(own).collect(),
                });
            }
        }
    }
    found
}

/// A path as `Problem` takes it.
pub(super) fn keys(path: &[String]) -> Vec<&str> {
    path.iter().map(String::as_str).collect()
}

/// Names in backticks, in a row.
pub(super) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names
        .into_iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(", ")
}
