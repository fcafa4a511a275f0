//! Sub-tasks: W0041 a name that is not there, W0042 a port that is not there,
//! W0043 values that do not fit along an edge, W0044 an input that nothing gives,
//! W0045 an output that nobody reads, W0046 a name twice, W0047 a need that is
//! never met, W0048 a call beyond the capabilities, W0049 bounds, W0055 a task
//! that is never run. Cycles (W0040) leave no machine: `handoff/graph.rs`.

mod edges;

use std::collections::{BTreeMap, BTreeSet};

use super::places::{self, keys, quoted};
use super::{cycles, paths};
use crate::handoff::attenuate::MARKS;
use crate::handoff::{OnChildFailure, TaskSpec, child};
use crate::id::SkillName;
use crate::limits;
use crate::rules::{Conditions, Schemas};
use crate::workflow::spec::{Spec, StateSpec};
use crate::workflow::{Problem, Workflow};

pub(super) fn check(
    spec: &Spec,
    schemas: &dyn Schemas,
    conditions: &dyn Conditions,
    problems: &mut Vec<Problem>,
) {
    let runs = Runs::of(spec);
    for (name, task) in &spec.tasks {
        let one = One { spec, name, task };
        one.names(problems);
        one.bounds(problems);
        one.capabilities(problems);
        one.in_use(&runs, problems);
        edges::check(&one, schemas, &runs, problems);
        one.own_machine(conditions, problems);
    }
    if !spec.tasks.is_empty() {
        edges::unread(spec, problems);
    }
    fetched(spec, problems);
    within(
        &["limits", "depth"],
        spec.limits.depth,
        1,
        limits::TASK_DEPTH_MAX,
        problems,
    );
    within(
        &["limits", "children"],
        spec.limits.children,
        1,
        limits::CHILDREN_MAX,
        problems,
    );
}

/// A sub-task of the file.
struct One<'a> {
    spec: &'a Spec,
    name: &'a SkillName,
    task: &'a TaskSpec,
}

/// Where tasks are run, and where they are offered to a model.
struct Runs<'a> {
    /// States that run it themselves, by task.
    by_runtime: BTreeMap<&'a SkillName, Vec<&'a StateSpec>>,
    offered: BTreeSet<&'a SkillName>,
}

impl<'a> Runs<'a> {
    fn of(spec: &'a Spec) -> Runs<'a> {
        let mut runs = Runs {
            by_runtime: BTreeMap::new(),
            offered: BTreeSet::new(),
        };
        for place in places::states(spec) {
            for name in &place.state.tasks {
                runs.by_runtime.entry(name).or_default().push(place.state);
            }
            let calls = child::named(place.state).filter(|one| !place.state.tasks.contains(one));
            runs.offered.extend(calls);
        }
        let capable = spec
            .tasks
            .values()
            .filter_map(|task| task.capabilities.as_ref());
        runs.offered.extend(capable.flatten());
        runs
    }
}

impl One<'_> {
    fn path<'b>(&'b self, rest: &[&'b str]) -> Vec<&'b str> {
        [&["tasks", self.name.as_str()], rest].concat()
    }

    fn names(&self, problems: &mut Vec<Problem>) {
        let name = self.name;
        if self.spec.skills.contains_key(name) {
            let message = format!("`{name}` names a task and a skill");
            problems.push(Problem::error("W0046", &self.path(&[]), message).hint("rename one"));
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = self.task.needs.iter().find(|one| !seen.insert(*one)) {
            let message = format!("task `{name}` needs `{twice}` twice");
            problems.push(Problem::warning("W0046", &self.path(&["needs"]), message));
        }
        if self.task.goal.trim().is_empty() {
            let message = format!("task `{name}` has no goal");
            problems.push(
                Problem::error("W0049", &self.path(&["goal"]), message)
                    .hint("say what it is to bring about: the child is told nothing else"),
            );
        }
        if let Some(sub) = &self.task.workflow
            && !self.spec.workflows.contains_key(sub)
        {
            let known = quoted(self.spec.workflows.keys().map(String::as_str));
            let message = format!("task `{name}` runs unknown workflow `{sub}`");
            problems.push(
                Problem::error("W0041", &self.path(&["workflow"]), message)
                    .hint(format!("name it under `workflows`; known: {known}")),
            );
        }
        for mark in &self.task.inherit {
            if !MARKS.contains(&mark.as_str()) {
                let message = format!("`{mark}` is no kind of rule about answers");
                problems.push(
                    Problem::error("W0041", &self.path(&["inherit"]), message)
                        .hint(format!("known: {}", quoted(MARKS))),
                );
            }
        }
    }

    fn bounds(&self, problems: &mut Vec<Problem>) {
        let max = limits::CHILDREN_MAX;
        within(
            &self.path(&["children"]),
            self.task.children,
            0,
            max,
            problems,
        );
        if let Some(retry) = &self.task.retry {
            let max = limits::RETRY_ATTEMPTS_MAX;
            let path = self.path(&["retry", "attempts"]);
            within(&path, retry.attempts, 1, max, problems);
            if self.task.on_failure != OnChildFailure::Retry {
                let message = format!("`retry` of task `{}` has no effect", self.name);
                problems.push(
                    Problem::warning("W0039", &self.path(&["retry"]), message)
                        .hint("write `on_failure: retry`"),
                );
            }
        }
    }

    /// All that the child may call exists, and its workflow calls nothing else.
    fn capabilities(&self, problems: &mut Vec<Problem>) {
        let Some(capabilities) = &self.task.capabilities else {
            return;
        };
        let path = self.path(&["capabilities"]);
        for name in capabilities {
            if !self.spec.skills.contains_key(name) && !self.spec.tasks.contains_key(name) {
                let message = format!("unknown skill `{name}`");
                problems.push(
                    Problem::error("W0041", &path, message)
                        .hint("define it under `skills`, or name a task"),
                );
            }
        }
        let starts = capabilities
            .iter()
            .find(|one| self.spec.tasks.contains_key(*one));
        if let Some(starts) = starts
            && self.task.children == 0
        {
            let message = format!(
                "task `{}` may call `{starts}`, and start no task",
                self.name
            );
            problems.push(
                Problem::error("W0048", &self.path(&["children"]), message)
                    .hint("say with `children` how many tasks it may start"),
            );
        }
        let called = child::called(self.spec, self.task);
        let beyond: Vec<&str> = called
            .iter()
            .filter(|name| !capabilities.contains(name))
            .map(SkillName::as_str)
            .collect();
        if !beyond.is_empty() {
            let message = format!(
                "the workflow of task `{}` calls {}, which it may not",
                self.name,
                quoted(beyond)
            );
            problems.push(
                Problem::error("W0048", &path, message)
                    .hint("add it to `capabilities`, or take it out of the workflow"),
            );
        }
    }

    fn in_use(&self, runs: &Runs<'_>, problems: &mut Vec<Problem>) {
        let by_runtime = runs.by_runtime.get(self.name);
        if by_runtime.is_none() && !runs.offered.contains(self.name) {
            let message = format!("no state runs task `{}`", self.name);
            problems.push(
                Problem::warning("W0055", &self.path(&[]), message)
                    .hint("list it under `tasks` of a state, or remove it"),
            );
        }
        if by_runtime.is_some_and(|states| states.len() > 1) {
            let message = format!("task `{}` is run by two states", self.name);
            problems.push(
                Problem::warning("W0046", &self.path(&[]), message)
                    .hint("its second output takes the place of the first"),
            );
        }
        for awaited in self.task.awaits() {
            let known = self.spec.tasks.contains_key(&awaited);
            if by_runtime.is_some() && known && !runs.by_runtime.contains_key(&awaited) {
                let message = format!(
                    "task `{}` waits for `{awaited}`, which no state runs",
                    self.name
                );
                problems.push(
                    Problem::error("W0047", &self.path(&["needs"]), message).hint(format!(
                        "list `{awaited}` in the same state or an earlier one"
                    )),
                );
            }
        }
    }

    /// The machine that the child runs, checked as that of any workflow.
    fn own_machine(&self, conditions: &dyn Conditions, problems: &mut Vec<Problem>) {
        let Some(sub) = self.task.workflow.as_ref() else {
            return;
        };
        if !self.spec.workflows.contains_key(sub) {
            return;
        }
        let mask = child::mask(self.spec, self.task, None);
        let own = child::spec(self.spec, self.name, self.task, &mask);
        let mut found = Vec::new();
        match Workflow::compile(own) {
            Ok(workflow) => {
                paths::check(&workflow, &mut found);
                cycles::check(&workflow, conditions, &mut found);
            }
            Err(problems) => found = problems,
        }
        for mut problem in found {
            if problem.path.first().is_some_and(|key| key == "states") {
                problem
                    .path
                    .splice(0..0, ["workflows".to_owned(), sub.clone()]);
            }
            if !problems.contains(&problem) {
                problems.push(problem);
            }
        }
    }
}

/// W0041 for what a state fetches and is no task.
fn fetched(spec: &Spec, problems: &mut Vec<Problem>) {
    for place in places::states(spec) {
        for name in &place.state.fetch {
            if !spec.tasks.contains_key(name) {
                let path = [&place.path[..], &["fetch"]].concat();
                let message = format!("unknown task `{name}`");
                problems.push(Problem::error("W0041", &path, message));
            }
        }
    }
}

fn within(path: &[&str], value: u32, min: u32, max: u32, problems: &mut Vec<Problem>) {
    if !(min..=max).contains(&value) {
        let name = path.last().copied().unwrap_or_default();
        problems.push(
            Problem::error("W0049", path, format!("`{name}` is {value}"))
                .hint(format!("allowed: {min} to {max}")),
        );
    }
}

/// A path as text, for messages.
fn dotted(path: &[String]) -> String {
    keys(path).join(".")
}
