//! What must hold of a tree, judged from its logs, its world and its draw.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use steadfast_core::event::child::{ChildEnd, ChildStarted, Then};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::TaskId;
use steadfast_core::task::{Outcome, Task};

use super::canary::{self, Spot, Who, canary, may_see};
use super::draw::Draw;
use super::process::Run;
use super::spec::capabilities;
use crate::property::Violations;

/// Skills that change nothing.
const READS: [&str; 2] = ["look", "surf"];

/// What a tree came to.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) completed: bool,
    pub(super) failed: bool,
    pub(super) tasks: u64,
    pub(super) events: u64,
    pub(super) delivered: u64,
    pub(super) overreaches: u64,
    /// What the first task was given by each of its own, how it ended, and what was
    /// done in the world by whom.
    pub(super) gives: BTreeSet<String>,
}

/// The tasks of a run, by what they are.
struct Family<'a> {
    draw: &'a Draw,
    run: &'a Run,
    who: BTreeMap<TaskId, Who>,
    started: BTreeMap<TaskId, &'a ChildStarted>,
}

/// Judges a run.
pub(super) fn judge(draw: &Draw, run: &Run) -> (Seen, Violations) {
    let mut violations = run.violations.clone();
    let family = Family::of(draw, run, &mut violations);
    let mut seen = Seen {
        tasks: run.logs.len() as u64,
        ..Seen::default()
    };
    for (task, events) in &run.logs {
        seen.events += events.len() as u64;
        family.ended_once(task, events, &mut violations);
        family.delivered_once(events, &mut seen, &mut violations);
        family.told(events, &mut violations);
        family.walls(task, &mut violations);
        seen.overreaches += events
            .iter()
            .filter(|event| matches!(&event.body, Body::CallRefused(_)))
            .count() as u64;
    }
    family.authority(&mut violations);
    family.bounds(&mut violations);
    family.deeds(&mut violations);
    for id in &run.late {
        violations.push(format!("`{id}` had ended, and was woken by words"));
    }
    if let Some((first, _)) = run.logs.first() {
        seen.completed = matches!(first.state.outcome(), Some(Outcome::Completed { .. }));
        seen.failed = matches!(first.state.outcome(), Some(Outcome::Failed { .. }));
        seen.gives.insert(format!("completed: {}", seen.completed));
    }
    for deed in run.world.effects.deeds() {
        seen.gives.insert(format!("{} {}", deed.skill, deed.args));
    }
    (seen, violations)
}

fn is_end(body: &Body) -> bool {
    matches!(
        body,
        Body::TaskCompleted(_) | Body::TaskFailed(_) | Body::TaskCancelled(_)
    )
}

impl<'a> Family<'a> {
    fn of(draw: &'a Draw, run: &'a Run, violations: &mut Violations) -> Family<'a> {
        let mut family = Family {
            draw,
            run,
            who: BTreeMap::new(),
            started: BTreeMap::new(),
        };
        let names: BTreeMap<String, Who> = Who::all(draw)
            .into_iter()
            .map(|who| (who.name(), who))
            .collect();
        for (task, events) in &run.logs {
            if task.state.parent.is_none() {
                family.who.insert(task.state.task.clone(), Who::First);
            }
            for event in events {
                let Body::ChildStarted(body) = &event.body else {
                    continue;
                };
                if let Some(who) = names.get(body.task.as_str()) {
                    family.who.insert(body.child.clone(), *who);
                }
                let before = family.started.insert(body.child.clone(), body);
                if before.is_some() {
                    violations.push(format!("`{}` was started for two calls", body.child));
                }
            }
        }
        family
    }

    /// Each task has come to one end, and nothing follows it but what a person's
    /// repair opened.
    fn ended_once(&self, task: &Task, events: &[Event], violations: &mut Violations) {
        let id = &task.state.task;
        if task.state.outcome().is_none() {
            violations.push(format!("`{id}` was left behind without an end"));
        }
        let mut over = false;
        let mut reads = BTreeSet::new();
        for event in events {
            match &event.body {
                Body::RepairAsked(_) => over = false,
                // What only reads and was at work at the end may still come back.
                Body::SkillReturned(body) if over && reads.contains(&body.call) => {}
                Body::SkillFailed(body) if over && reads.contains(&body.call) => {}
                Body::CallAdmitted(body) if READS.contains(&body.skill.as_str()) => {
                    reads.insert(body.call.clone());
                }
                body if over => violations.push(format!(
                    "`{id}`: event {} (`{}`) after its end",
                    event.seq,
                    body.kind()
                )),
                body => over = is_end(body),
            }
        }
    }

    /// Each child that was begun is heard of once, in the words that it gave.
    fn delivered_once(&self, events: &[Event], seen: &mut Seen, violations: &mut Violations) {
        let mut open: BTreeSet<TaskId> = BTreeSet::new();
        for event in events {
            match &event.body {
                Body::ChildStarted(body) => {
                    open.insert(body.child.clone());
                }
                Body::ChildEnded(body) => {
                    let begun = open.remove(&body.child);
                    // What does not fit its port is told of and never begun.
                    if !begun && body.how != ChildEnd::NotStarted {
                        violations.push(format!(
                            "event {}: `{}` is heard of twice, or was never begun",
                            event.seq, body.child
                        ));
                    }
                    seen.delivered += u64::from(body.then == Then::Delivered);
                    self.as_given(
                        &body.child,
                        body.how,
                        body.output.as_ref().map(|o| o.json()),
                    )
                    .into_iter()
                    .for_each(|what| violations.push(what));
                }
                _ => {}
            }
        }
        for child in open {
            violations.push(format!("`{child}` was begun and never heard of"));
        }
    }

    /// A child that was at work when its parent was cancelled is told, or is as good
    /// as through: it asks its model once more at most.
    fn told(&self, events: &[Event], violations: &mut Violations) {
        let cancelled = |event: &&Event| matches!(event.body, Body::CancelRequested(_));
        let Some(cancel) = events.iter().find(cancelled) else {
            return;
        };
        let mut at_work: BTreeSet<&TaskId> = BTreeSet::new();
        for event in events.iter().take_while(|event| event.seq < cancel.seq) {
            match &event.body {
                Body::ChildStarted(body) => at_work.insert(&body.child),
                Body::ChildEnded(body) => at_work.remove(&body.child),
                _ => continue,
            };
        }
        for (task, own) in &self.run.logs {
            let id = &task.state.task;
            let told = own.iter().any(|event| cancelled(&event));
            let later = own.iter().filter(|event| event.at > cancel.at);
            let asks = later.filter(|event| matches!(event.body, Body::ModelCalled(_)));
            if at_work.contains(id) && !told && asks.count() > 1 {
                violations.push(format!("`{id}` went on, and its parent was cancelled"));
            }
        }
    }

    /// What a parent was given is what its child's own log says, and what the draw
    /// says that a child of this name gives.
    fn as_given(&self, child: &TaskId, how: ChildEnd, output: Option<Value>) -> Option<String> {
        let own = self
            .run
            .logs
            .iter()
            .find(|(task, _)| task.state.task == *child);
        let outcome = own.and_then(|(task, _)| task.state.outcome());
        let fits = match how {
            ChildEnd::Finished => matches!(outcome, Some(Outcome::Completed { .. })),
            ChildEnd::Failed => matches!(outcome, Some(Outcome::Failed { .. })),
            ChildEnd::Stopped => matches!(outcome, Some(Outcome::Cancelled)),
            ChildEnd::NotStarted => outcome.is_none(),
        };
        if !fits {
            return Some(format!(
                "`{child}` is told to have {how:?}, and is {outcome:?}"
            ));
        }
        let who = self.who.get(child)?;
        let place = |spot| canary(self.draw.seed, *who, spot);
        let expected = json!({
            "passed": place(Spot::Passed),
            "kept": place(Spot::Kept),
            "meta": {"observations": [], "warnings": [place(Spot::Meta)]},
        });
        output
            .filter(|output| *output != expected)
            .map(|output| format!("`{child}` gave {output}, and not {expected}"))
    }

    /// No canary stands in a log, and so in no context made of it, whose place this
    /// task may not see.
    fn walls(&self, task: &Task, violations: &mut Violations) {
        let id = &task.state.task;
        let Some(reader) = self.who.get(id) else {
            return violations.push(format!("`{id}` is nobody's"));
        };
        let index = canary::index(self.draw);
        let found = self.run.canaries.get(id).into_iter().flatten();
        for (owner, spot) in found.filter_map(|found| index.get(found)) {
            if !may_see(self.draw, *reader, *owner, *spot) {
                violations.push(format!(
                    "the log of `{}` holds {spot:?} of `{}`",
                    reader.name(),
                    owner.name()
                ));
            }
        }
    }

    /// All that a task may call, by the draw: its own list, cut by those above it.
    fn allowed(&self, id: &TaskId) -> Option<BTreeSet<String>> {
        let who = *self.who.get(id)?;
        let own: BTreeSet<String> = capabilities(self.draw, who)?.into_iter().collect();
        let task = self
            .run
            .logs
            .iter()
            .find(|(task, _)| task.state.task == *id);
        let parent = task.and_then(|(task, _)| task.state.parent.as_ref());
        match parent.and_then(|parent| self.allowed(&parent.task)) {
            Some(above) => Some(own.intersection(&above).cloned().collect()),
            None => Some(own),
        }
    }

    /// What was called is within what may be, and so is every mask on record.
    fn authority(&self, violations: &mut Violations) {
        for (id, skill) in &self.run.made {
            if self.allowed(id).is_some_and(|all| !all.contains(skill)) {
                violations.push(format!("`{id}` called `{skill}`, which it may not"));
            }
            if self.draw.offline && skill == "surf" {
                violations.push(format!("`{id}` went to the network"));
            }
        }
        for (id, body) in &self.started {
            let Some(allowed) = self.allowed(id) else {
                continue;
            };
            for name in body.mask.names() {
                if !allowed.contains(name.as_str()) {
                    violations.push(format!("the mask of `{id}` holds `{name}`"));
                }
            }
        }
    }

    /// What the tree took in truth, lost replies included, is within its bounds.
    fn bounds(&self, violations: &mut Violations) {
        let bounds = &self.draw.bounds;
        let begun = |body: &Body| matches!(body, Body::SkillCalled(_));
        let events = self.run.logs.iter().flat_map(|(_, events)| events);
        let skill_calls = events.filter(|event| begun(&event.body)).count() as u64;
        let cost = self.run.cost;
        for (name, took, most) in [
            ("tokens", cost.tokens, bounds.tokens),
            ("model_calls", cost.calls, bounds.model_calls),
            ("skill_calls", skill_calls, bounds.skill_calls),
        ] {
            if most.is_some_and(|most| took > most) {
                violations.push(format!("{took} {name} of {most:?} were taken"));
            }
        }
    }

    fn deeds(&self, violations: &mut Violations) {
        let mut done = BTreeSet::new();
        for deed in self.run.world.effects.deeds() {
            if !done.insert((deed.skill.clone(), deed.key)) {
                violations.push(format!("`{}` was done twice: {}", deed.skill, deed.call));
            }
        }
    }
}
