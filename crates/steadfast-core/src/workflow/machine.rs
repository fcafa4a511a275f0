//! The compiled machine: sub-workflows laid flat, targets resolved, states in
//! the order of the contract.
//!
//! A sub-workflow's state `S1` under `S2` is called `S2/S1`; reaching its
//! `DONE` follows `S2`'s `on_success`, its `FAILED` follows `S2`'s
//! `on_failure`. So the gate, the contract and the checks know one flat machine.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use crate::budget::Bounds;
use crate::handoff::{OnChildFailure, child, graph};
use crate::id::{SkillName, StateName};
use crate::limits;
use crate::workflow::problem::Problem;
use crate::workflow::spec::{Complete, EdgesSpec, Retry, Spec, StateSpec, UseSpec, View};

/// Where an edge leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    State(StateName),
    /// The same state again, by its retry policy.
    Retry,
    Done,
    Failed,
}

/// One way out of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// CEL; none means always.
    pub when: Option<String>,
    pub to: Target,
}

/// A skill in a state's set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub skill: SkillName,
    /// Skills of the same set that must have succeeded first.
    pub requires: BTreeSet<SkillName>,
    /// Arguments that the runtime fills, as CEL.
    pub with: BTreeMap<String, String>,
    /// Whether the set is incomplete without it.
    pub mandatory: bool,
}

/// A state of the flat machine.
#[derive(Clone, Debug, PartialEq)]
pub struct StateDef {
    pub name: StateName,
    /// The sub-workflow that it belongs to, as the path of the state that runs it.
    pub group: Option<StateName>,
    /// Keys from the root of the file to this state.
    pub place: Vec<String>,
    pub uses: Vec<Use>,
    pub complete: Complete,
    pub mandatory: bool,
    pub skip_when: Option<String>,
    pub success_when: Option<String>,
    pub on_success: Vec<Edge>,
    pub on_failure: Vec<Edge>,
    /// Whether the file said where failure leads.
    pub failure_declared: bool,
    pub retry: Option<Retry>,
    pub phase: Option<String>,
    pub view: Option<View>,
    /// Whether its set are sub-tasks, which the runtime runs as a graph.
    pub runs_tasks: bool,
    /// Sub-tasks whose whole output is shown here.
    pub fetch: Vec<SkillName>,
}

impl StateDef {
    pub fn find(&self, skill: &str) -> Option<&Use> {
        self.uses.iter().find(|one| one.skill.as_str() == skill)
    }

    /// The edges of both outcomes.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        self.on_success.iter().chain(&self.on_failure)
    }
}

/// A machine that can run.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    pub initial: StateName,
    pub states: BTreeMap<StateName, StateDef>,
    /// Every reachable state once, in the order of the contract (breadth first
    /// along success edges), then the rest by name.
    pub order: Vec<StateName>,
    /// The budgets of states, of those that run a sub-workflow too.
    pub budgets: BTreeMap<StateName, Bounds>,
}

impl Machine {
    /// Compiles the states of a spec.
    ///
    /// # Errors
    ///
    /// Every problem that leaves no machine: unknown targets and sub-workflows,
    /// a state without skill, a requirement outside its set, bounds of
    /// [`limits`] exceeded.
    pub fn compile(spec: &Spec) -> Result<Machine, Vec<Problem>> {
        let mut build = Builder {
            spec,
            states: BTreeMap::new(),
            budgets: BTreeMap::new(),
            problems: Vec::new(),
        };
        let scope = Scope {
            group: None,
            place: vec!["states".to_owned()],
            states: &spec.states,
            done: vec![Edge {
                when: None,
                to: Target::Done,
            }],
            failed: vec![Edge {
                when: None,
                to: Target::Failed,
            }],
            depth: 0,
        };
        graph::check(&spec.tasks, &mut build.problems);
        build.scope(&scope);
        let initial = build.entry(None, &spec.initial_state, &spec.states);
        match initial {
            None => build.problems.push(
                Problem::error(
                    "W0002",
                    &["initial_state"],
                    format!("unknown state `{}`", spec.initial_state),
                )
                .hint(known_states(&spec.states)),
            ),
            Some(initial) if build.problems.is_empty() => {
                let mut machine = Machine {
                    initial,
                    states: build.states,
                    budgets: build.budgets,
                    order: Vec::new(),
                };
                machine.order = machine.contract_order();
                return Ok(machine);
            }
            Some(_) => {}
        }
        Err(build.problems)
    }

    pub fn state(&self, name: &StateName) -> &StateDef {
        self.states
            .get(name)
            .expect("targets were resolved when the machine was compiled")
    }

    /// The mandatory states, in the order of the contract.
    pub fn mandatory(&self) -> impl Iterator<Item = &StateDef> {
        self.order
            .iter()
            .map(|name| self.state(name))
            .filter(|state| state.mandatory)
    }

    /// Place of a state in the order of the contract.
    pub fn rank(&self, name: &StateName) -> usize {
        self.order
            .iter()
            .position(|one| one == name)
            .unwrap_or(usize::MAX)
    }

    /// The states that call a skill, in the order of the contract.
    pub fn states_of<'a>(&'a self, skill: &'a str) -> impl Iterator<Item = &'a StateDef> {
        self.order
            .iter()
            .map(|name| self.state(name))
            .filter(move |s| s.find(skill).is_some())
    }

    fn contract_order(&self) -> Vec<StateName> {
        let mut order = Vec::new();
        let mut seen = BTreeSet::new();
        let mut queue = VecDeque::from([self.initial.clone()]);
        // Success edges first: what a normal run passes stands before repairs.
        let mut later = VecDeque::new();
        while let Some(name) = queue.pop_front().or_else(|| later.pop_front()) {
            if !seen.insert(name.clone()) {
                continue;
            }
            let state = self.state(&name);
            let next = |edges: &[Edge]| {
                edges
                    .iter()
                    .filter_map(|edge| match &edge.to {
                        Target::State(to) => Some(to.clone()),
                        _ => None,
                    })
                    .collect::<Vec<_>>()
            };
            queue.extend(next(&state.on_success));
            later.extend(next(&state.on_failure));
            order.push(name);
        }
        order.extend(
            self.states
                .keys()
                .filter(|name| !seen.contains(*name))
                .cloned(),
        );
        order
    }
}

struct Scope<'a> {
    group: Option<&'a StateName>,
    place: Vec<String>,
    states: &'a BTreeMap<StateName, StateSpec>,
    done: Vec<Edge>,
    failed: Vec<Edge>,
    depth: usize,
}

struct Builder<'a> {
    spec: &'a Spec,
    states: BTreeMap<StateName, StateDef>,
    budgets: BTreeMap<StateName, Bounds>,
    problems: Vec<Problem>,
}

impl Builder<'_> {
    fn scope(&mut self, scope: &Scope<'_>) {
        for (name, state) in scope.states {
            if self.states.len() >= limits::STATES_MAX {
                let message = format!("more than {} states in all", limits::STATES_MAX);
                return self
                    .problems
                    .push(Problem::error("W0003", &["states"], message));
            }
            self.state(scope, name, state);
        }
    }

    fn state(&mut self, scope: &Scope<'_>, name: &StateName, state: &StateSpec) {
        let full = join(scope.group, name);
        let mut place = scope.place.clone();
        place.push(name.to_string());
        if is_reserved(name.as_str()) {
            self.problem("W0003", &place, format!("`{name}` cannot name a state"))
                .hint = Some("`DONE`, `FAILED`, `…_RETRY` and names with `/` are taken".to_owned());
        }
        let on_success = self.edges(
            scope,
            name,
            &state.on_success,
            &[&place[..], &["on_success".into()]].concat(),
        );
        let failure_place = [&place[..], &["on_failure".into()]].concat();
        let on_failure = match &state.on_failure {
            Some(edges) => self.edges(scope, name, edges, &failure_place),
            // Each sub-task has a policy of its own; what is left has failed.
            None => vec![Edge {
                when: None,
                to: match state.tasks.is_empty() {
                    true => Target::Retry,
                    false => Target::Failed,
                },
            }],
        };
        if state.budget != Bounds::default() {
            self.budgets.insert(full.clone(), state.budget.clone());
        }
        match &state.workflow {
            Some(sub) => {
                if state.skill.is_some() || !state.skills.is_empty() || !state.tasks.is_empty() {
                    let message = format!("state `{name}` has both a skill and a sub-workflow");
                    self.problem("W0004", &place, message);
                }
                self.sub_workflow(scope, &full, sub, on_success, on_failure, &place);
            }
            None => {
                let uses = self.uses(state, &place);
                let def = StateDef {
                    name: full.clone(),
                    group: scope.group.cloned(),
                    mandatory: state.mandatory.unwrap_or(true),
                    complete: state.complete,
                    skip_when: state.skip_when.clone(),
                    success_when: state.success_when.clone(),
                    failure_declared: state.on_failure.is_some(),
                    retry: state.retry,
                    phase: state.phase.clone(),
                    view: state.view,
                    runs_tasks: !state.tasks.is_empty(),
                    fetch: state.fetch.clone(),
                    place,
                    uses,
                    on_success,
                    on_failure,
                };
                self.states.insert(full, def);
            }
        }
    }

    fn sub_workflow(
        &mut self,
        scope: &Scope<'_>,
        full: &StateName,
        sub: &str,
        done: Vec<Edge>,
        failed: Vec<Edge>,
        place: &[String],
    ) {
        let here = [place, &["workflow".to_owned()]].concat();
        let Some(spec) = self.spec.workflows.get(sub) else {
            let known = self
                .spec
                .workflows
                .keys()
                .map(|k| format!("`{k}`"))
                .collect::<Vec<_>>();
            let problem = self.problem("W0002", &here, format!("unknown sub-workflow `{sub}`"));
            problem.hint = Some(format!("known: {}", known.join(", ")));
            return;
        };
        if scope.depth + 1 >= limits::WORKFLOW_DEPTH_MAX {
            let max = limits::WORKFLOW_DEPTH_MAX;
            self.problem(
                "W0003",
                &here,
                format!("sub-workflows nest deeper than {max}"),
            );
            return;
        }
        let entry = join(Some(full), &spec.initial_state);
        // Retrying a sub-workflow starts it again; `limits.visits` bounds that.
        let failed = failed
            .into_iter()
            .map(|edge| match edge.to {
                Target::Retry => Edge {
                    to: Target::State(entry.clone()),
                    ..edge
                },
                _ => edge,
            })
            .collect();
        if !spec.states.contains_key(&spec.initial_state) {
            let path = [
                "workflows".to_owned(),
                sub.to_owned(),
                "initial_state".to_owned(),
            ];
            let message = format!("unknown state `{}`", spec.initial_state);
            self.problem("W0002", &path, message).hint = Some(known_states(&spec.states));
        }
        self.scope(&Scope {
            group: Some(full),
            place: vec!["workflows".to_owned(), sub.to_owned(), "states".to_owned()],
            states: &spec.states,
            done,
            failed,
            depth: scope.depth + 1,
        });
    }

    /// The sub-tasks of a state as its set, each behind those of the set that it
    /// awaits. That the tasks themselves leave an order is seen to once for all.
    fn tasks(&mut self, state: &StateSpec, place: &[String]) -> Vec<Use> {
        let here = [place, &["tasks".to_owned()]].concat();
        if state.skill.is_some() || !state.skills.is_empty() {
            self.problem("W0004", place, "state has both skills and tasks".to_owned())
                .hint = Some("give the skills a state of their own".to_owned());
        }
        let mut uses: Vec<Use> = Vec::new();
        for name in &state.tasks {
            if uses.iter().any(|one| one.skill == *name) {
                self.problem(
                    "W0046",
                    &here,
                    format!("task `{name}` stands twice in the set"),
                );
                continue;
            }
            let Some(task) = self.spec.tasks.get(name) else {
                self.problem("W0041", &here, format!("unknown task `{name}`"))
                    .hint = Some(known_tasks(self.spec));
                continue;
            };
            let set = &state.tasks;
            uses.push(Use {
                skill: name.clone(),
                requires: task
                    .awaits()
                    .into_iter()
                    .filter(|one| set.contains(one))
                    .collect(),
                with: BTreeMap::new(),
                mandatory: task.on_failure != OnChildFailure::Continue,
            });
        }
        uses
    }

    fn uses(&mut self, state: &StateSpec, place: &[String]) -> Vec<Use> {
        if !state.tasks.is_empty() {
            return self.tasks(state, place);
        }
        let mut uses: Vec<Use> = Vec::new();
        if let Some(skill) = &state.skill {
            uses.push(Use {
                skill: skill.clone(),
                requires: BTreeSet::new(),
                with: state.with.clone(),
                mandatory: true,
            });
        }
        for one in &state.skills {
            let (skill, requires, with, mandatory) = match one {
                UseSpec::Name(name) => (name, &[][..], None, true),
                UseSpec::Full(full) => (
                    &full.skill,
                    &full.requires[..],
                    Some(&full.with),
                    full.mandatory != Some(false),
                ),
            };
            let mut bound = state.with.clone();
            bound.extend(with.cloned().unwrap_or_default());
            uses.push(Use {
                skill: skill.clone(),
                requires: requires.iter().cloned().collect(),
                with: bound,
                mandatory,
            });
        }
        // A state may be there only to talk, or for a sub-task to answer.
        let answers = self.spec.conversation || child::is_child(self.spec);
        let talks = answers && state.mandatory == Some(false);
        if uses.is_empty() && !talks {
            self.problem("W0004", place, "state calls no skill".to_owned())
                .hint = Some("give it `skill`, `skills` or `workflow`".to_owned());
        }
        if uses.len() > limits::SKILLS_PER_STATE_MAX {
            let max = limits::SKILLS_PER_STATE_MAX;
            self.problem(
                "W0003",
                place,
                format!("{} skills in one state, at most {max}", uses.len()),
            );
        }
        self.check_requires(&uses, place);
        uses
    }

    fn check_requires(&mut self, uses: &[Use], place: &[String]) {
        let here = [place, &["skills".to_owned()]].concat();
        let mut met: BTreeSet<&str> = BTreeSet::new();
        for one in uses {
            if uses.iter().filter(|other| other.skill == one.skill).count() > 1 {
                self.problem(
                    "W0004",
                    &here,
                    format!("skill `{}` stands twice in the set", one.skill),
                );
            }
            for required in &one.requires {
                if !uses.iter().any(|other| other.skill == *required) {
                    let message = format!(
                        "`{}` requires `{required}`, which is not in the set",
                        one.skill
                    );
                    self.problem("W0002", &here, message);
                }
            }
        }
        // Requirements must leave an order: peel off what is satisfied until nothing moves.
        loop {
            let before = met.len();
            for one in uses {
                if one.requires.iter().all(|r| met.contains(r.as_str())) {
                    met.insert(one.skill.as_str());
                }
            }
            if met.len() == before {
                break;
            }
        }
        if uses.iter().any(|one| !met.contains(one.skill.as_str())) {
            self.problem(
                "W0005",
                &here,
                "the requirements of the set go in a circle".to_owned(),
            );
        }
    }

    fn edges(
        &mut self,
        scope: &Scope<'_>,
        state: &StateName,
        edges: &EdgesSpec,
        place: &[String],
    ) -> Vec<Edge> {
        let mut out = Vec::new();
        match edges {
            EdgesSpec::One(to) => out.extend(self.target(scope, state, None, to, place)),
            EdgesSpec::Many(list) => {
                for (index, edge) in list.iter().enumerate() {
                    let here = [place, &[index.to_string(), "to".to_owned()]].concat();
                    out.extend(self.target(scope, state, edge.when.as_ref(), &edge.to, &here));
                }
            }
        }
        out
    }

    /// Resolves one target. Leaving a sub-workflow can lead along several
    /// conditional edges of the state that runs it.
    fn target(
        &mut self,
        scope: &Scope<'_>,
        state: &StateName,
        when: Option<&String>,
        to: &str,
        place: &[String],
    ) -> Vec<Edge> {
        let outer = |edges: &[Edge]| {
            edges
                .iter()
                .map(|edge| Edge {
                    when: both(when, edge.when.as_ref()),
                    to: edge.to.clone(),
                })
                .collect()
        };
        let one = |to: Target| {
            vec![Edge {
                when: when.cloned(),
                to,
            }]
        };
        match to {
            "DONE" => outer(&scope.done),
            "FAILED" => outer(&scope.failed),
            _ if to == format!("{state}_RETRY") || to == "RETRY" => one(Target::Retry),
            _ => match self.entry(scope.group, &StateName::from(to), scope.states) {
                Some(name) => one(Target::State(name)),
                None => {
                    let problem = self.problem("W0002", place, format!("unknown target `{to}`"));
                    problem.hint = Some(format!(
                        "{}, `DONE`, `FAILED` or `{state}_RETRY`",
                        known_states(scope.states)
                    ));
                    Vec::new()
                }
            },
        }
    }

    /// The flat state at which a named state begins: itself, or the first state
    /// of the sub-workflow that it runs.
    fn entry(
        &self,
        group: Option<&StateName>,
        name: &StateName,
        states: &BTreeMap<StateName, StateSpec>,
    ) -> Option<StateName> {
        let mut full = join(group, name);
        let mut state = states.get(name)?;
        for _ in 0..limits::WORKFLOW_DEPTH_MAX {
            let Some(sub) = state
                .workflow
                .as_ref()
                .and_then(|sub| self.spec.workflows.get(sub))
            else {
                return Some(full);
            };
            full = join(Some(&full), &sub.initial_state);
            state = sub.states.get(&sub.initial_state)?;
        }
        Some(full)
    }

    fn problem(&mut self, code: &'static str, place: &[String], message: String) -> &mut Problem {
        let path: Vec<&str> = place.iter().map(String::as_str).collect();
        self.problems.push(Problem::error(code, &path, message));
        self.problems.last_mut().expect("just pushed")
    }
}

fn known_tasks(spec: &Spec) -> String {
    let known: Vec<String> = spec.tasks.keys().map(|name| format!("`{name}`")).collect();
    match known.is_empty() {
        true => "name it under `tasks`, with its `goal`".to_owned(),
        false => format!("known: {}", known.join(", ")),
    }
}

fn join(group: Option<&StateName>, name: &StateName) -> StateName {
    match group {
        Some(group) => StateName::new(format!("{group}/{name}")),
        None => name.clone(),
    }
}

fn both(a: Option<&String>, b: Option<&String>) -> Option<String> {
    match (a, b) {
        (Some(a), Some(b)) => Some(format!("({a}) && ({b})")),
        (one, other) => one.or(other).cloned(),
    }
}

fn is_reserved(name: &str) -> bool {
    name.is_empty()
        || matches!(name, "DONE" | "FAILED" | "RETRY")
        || name.ends_with("_RETRY")
        || name.contains('/')
}

fn known_states(states: &BTreeMap<StateName, StateSpec>) -> String {
    let names: Vec<String> = states.keys().map(|name| format!("`{name}`")).collect();
    format!("states: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compile(spec: serde_json::Value) -> Result<Machine, Vec<Problem>> {
        Machine::compile(&serde_json::from_value(spec).unwrap())
    }

    #[test]
    fn the_articles_machine_compiles() {
        let machine = compile(json!({
            "workflow_id": "content_pipeline",
            "initial_state": "S1",
            "states": {
                "S1": {"skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY"},
                "S2": {"skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY"},
                "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY"}
            }
        }))
        .unwrap();
        let names: Vec<&str> = machine.order.iter().map(StateName::as_str).collect();
        assert_eq!(names, ["S1", "S2", "S3"]);
        assert_eq!(machine.state(&"S1".into()).on_failure[0].to, Target::Retry);
        assert_eq!(machine.state(&"S3".into()).on_success[0].to, Target::Done);
    }

    #[test]
    fn a_sub_workflow_is_laid_flat() {
        let machine = compile(json!({
            "workflow_id": "w",
            "initial_state": "A",
            "states": {
                "A": {"workflow": "sub", "on_success": "B", "on_failure": "A_RETRY"},
                "B": {"skill": "b", "on_success": "DONE", "on_failure": "A"}
            },
            "workflows": {"sub": {"initial_state": "X", "states": {
                "X": {"skill": "x", "on_success": "Y", "on_failure": "X_RETRY"},
                "Y": {"skill": "y", "on_success": "DONE", "on_failure": "FAILED"}
            }}}
        }))
        .unwrap();
        let names: Vec<&str> = machine.order.iter().map(StateName::as_str).collect();
        assert_eq!(names, ["A/X", "A/Y", "B"]);
        assert_eq!(
            machine.state(&"A/Y".into()).on_success[0].to,
            Target::State("B".into())
        );
        assert_eq!(
            machine.state(&"A/Y".into()).on_failure[0].to,
            Target::State("A/X".into())
        );
        assert_eq!(
            machine.state(&"B".into()).on_failure[0].to,
            Target::State("A/X".into())
        );
    }

    #[test]
    fn what_leaves_no_machine_is_named_with_its_place() {
        let problems = compile(json!({
            "workflow_id": "w",
            "initial_state": "S9",
            "states": {
                "S1": {"skill": "a", "on_success": "S2"},
                "S3": {"on_success": "DONE"},
                "S4": {"skills": [{"skill": "a", "requires": ["b"]}, {"skill": "b", "requires": ["a"]}], "on_success": "DONE"}
            }
        }))
        .unwrap_err();
        let found: Vec<(&str, String)> = problems
            .iter()
            .map(|p| (p.code, p.path.join(".")))
            .collect();
        assert_eq!(
            found,
            [
                ("W0002", "states.S1.on_success".to_owned()),
                ("W0004", "states.S3".to_owned()),
                ("W0005", "states.S4.skills".to_owned()),
                ("W0002", "initial_state".to_owned()),
            ]
        );
    }
}
