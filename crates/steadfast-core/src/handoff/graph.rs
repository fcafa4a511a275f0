//! The graph of sub-tasks: what must hold of it before anything can run. Nothing
//! awaits itself, and whatever is awaited exists.

use std::collections::{BTreeMap, BTreeSet};

use crate::handoff::edge::RESERVED;
use crate::handoff::spec::TaskSpec;
use crate::id::SkillName;
use crate::limits;
use crate::workflow::Problem;

/// What leaves no order to run the tasks in: W0040 a cycle, W0041 a task that is
/// not there, W0046 a name that cannot be a task's, W0049 too many.
pub fn check(tasks: &BTreeMap<SkillName, TaskSpec>, problems: &mut Vec<Problem>) {
    if tasks.len() > limits::TASKS_MAX {
        let message = format!("{} tasks, at most {}", tasks.len(), limits::TASKS_MAX);
        problems.push(Problem::error("W0049", &["tasks"], message));
    }
    for (name, task) in tasks {
        if RESERVED.contains(&name.as_str()) || name.as_str().contains(['.', '/']) {
            let message = format!("`{name}` cannot name a task");
            problems.push(
                Problem::error("W0046", &["tasks", name.as_str()], message)
                    .hint("`input`, `facts` and names with `.` or `/` are taken by edges"),
            );
        }
        for awaited in task.awaits() {
            if !tasks.contains_key(&awaited) {
                let message = format!("task `{name}` needs `{awaited}`, which is no task");
                problems.push(
                    Problem::error("W0041", &["tasks", name.as_str()], message)
                        .hint(format!("known: {}", listed(tasks.keys()))),
                );
            }
        }
    }
    if let Some(cycle) = cycle(tasks) {
        let round: Vec<&str> = cycle.iter().map(SkillName::as_str).collect();
        let message = format!("tasks wait for each other: `{}`", round.join("` → `"));
        problems.push(
            Problem::error("W0040", &["tasks", round[0], "needs"], message)
                .hint("take out one of the needs, or one of the edges of `input_data`"),
        );
    }
}

fn listed<'a>(names: impl Iterator<Item = &'a SkillName>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// A cycle, from a task back to itself, each one waiting for the next. The least
/// name of it stands first.
pub fn cycle(tasks: &BTreeMap<SkillName, TaskSpec>) -> Option<Vec<SkillName>> {
    let awaits: BTreeMap<&SkillName, BTreeSet<SkillName>> = tasks
        .iter()
        .map(|(name, task)| (name, task.awaits()))
        .collect();
    // Peel off what can run until nothing moves; what is left holds a cycle.
    let mut left: BTreeSet<&SkillName> = awaits.keys().copied().collect();
    loop {
        let ready: Vec<&SkillName> = left
            .iter()
            .copied()
            .filter(|name| !awaits[*name].iter().any(|one| left.contains(one)))
            .collect();
        if ready.is_empty() {
            break;
        }
        for name in ready {
            left.remove(name);
        }
    }
    let mut way: Vec<&SkillName> = vec![left.first().copied()?];
    loop {
        let last = way[way.len() - 1];
        let next = awaits[last]
            .iter()
            .find_map(|one| left.get(one).copied())
            .expect("what is left waits for something that is left");
        if let Some(at) = way.iter().position(|one| *one == next) {
            let mut round: Vec<SkillName> = way[at..].iter().map(|name| (*name).clone()).collect();
            let least = round
                .iter()
                .enumerate()
                .min_by_key(|(_, name)| (*name).clone());
            let least = least.map_or(0, |(at, _)| at);
            round.rotate_left(least);
            round.push(round[0].clone());
            return Some(round);
        }
        way.push(next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(needs: &[(&str, &[&str])]) -> BTreeMap<SkillName, TaskSpec> {
        let task = |needs: &[&str]| TaskSpec {
            needs: needs.iter().map(|n| SkillName::from(*n)).collect(),
            ..TaskSpec::default()
        };
        let tasks = needs.iter();
        tasks
            .map(|(name, needs)| (SkillName::from(*name), task(needs)))
            .collect()
    }

    #[test]
    fn a_cycle_is_named_from_its_least_task() {
        let round = cycle(&graph(&[
            ("a", &["d"]),
            ("d", &["c"]),
            ("c", &["b"]),
            ("b", &["d"]),
            ("e", &[]),
        ]));
        let round: Vec<String> = round.unwrap().iter().map(SkillName::to_string).collect();
        assert_eq!(round, ["b", "d", "c", "b"]);
        assert_eq!(
            cycle(&graph(&[("a", &["b", "c"]), ("b", &["c"]), ("c", &[])])),
            None
        );
        assert_eq!(cycle(&graph(&[("a", &["a"])])).unwrap().len(), 2);
    }
}
