//! A run against a workflow: where the two part.
//!
//! Pure: no clock, no file, no model. Conditions that a foreign log cannot
//! decide are taken as possible either way, so what is reported holds whatever
//! they were.

mod circle;
mod classify;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::Value;
use steadfast_core::rules::Rules;
use steadfast_core::workflow::Workflow;
use steadfast_core::workflow::spec::EffectClass;

use super::align::{self, Move, Observed, Reading};
use super::automaton::Automaton;
use super::ground::Ground;
use super::options::Options;
use super::outcome::{self, Evidence};
use super::run::{Call, Place, Role, Run, StepKind};

/// What the monitor says of one run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    pub run: String,
    pub file: String,
    /// In the order of their places.
    pub findings: Vec<Finding>,
    /// Calls that were held against the machine.
    pub calls: usize,
    pub judged: Judged,
    /// Whether the run was too tangled to be sure that no smaller set of
    /// findings explains it.
    pub approximate: bool,
    /// What had to be guessed, in words.
    pub notes: Vec<String>,
}

/// How the outcomes of calls were found out, in numbers of calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Judged {
    /// By the log itself.
    pub log: usize,
    /// By the workflow's `success_when`.
    pub condition: usize,
    /// By the words of an error.
    pub mark: usize,
    /// Taken as success for want of a sign.
    pub assumed: usize,
}

/// One place where a run and its workflow part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Where in the log: the call itself, the call before which one is missing,
    /// or the answer.
    pub place: Place,
    /// The skill that was called, or should have been.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// The state of the workflow that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// What is wrong.
    pub message: String,
    /// What the workflow wanted there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
}

/// The ways in which a run can part from its workflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// A mandatory step was left out, and later steps were done.
    Skipped,
    /// A step was done, but not where it belongs.
    OutOfOrder,
    /// A step was done again, beyond what loops and retries allow.
    Repeated,
    /// A call of a skill that the workflow does not have.
    UnknownSkill,
    /// A value in the arguments follows from nothing in the log.
    Argument,
    /// The agent answered, and mandatory steps were never done.
    EarlyAnswer,
    /// The log ends without an answer and before the contract is complete.
    Unfinished,
    /// The same calls were made round after round, with the same outcomes.
    Circle,
}

impl FindingKind {
    pub const ALL: [FindingKind; 8] = [
        FindingKind::Skipped,
        FindingKind::OutOfOrder,
        FindingKind::Repeated,
        FindingKind::UnknownSkill,
        FindingKind::Argument,
        FindingKind::EarlyAnswer,
        FindingKind::Unfinished,
        FindingKind::Circle,
    ];

    /// As it stands in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Skipped => "skipped",
            FindingKind::OutOfOrder => "out_of_order",
            FindingKind::Repeated => "repeated",
            FindingKind::UnknownSkill => "unknown_skill",
            FindingKind::Argument => "argument",
            FindingKind::EarlyAnswer => "early_answer",
            FindingKind::Unfinished => "unfinished",
            FindingKind::Circle => "circle",
        }
    }

    /// The kind of a name.
    pub fn of(name: &str) -> Option<FindingKind> {
        FindingKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// A call, or a message that stands for one, with its place.
pub(super) struct Event<'a> {
    pub(super) place: Place,
    /// As the workflow names it.
    pub(super) skill: &'a str,
    /// None for messages.
    pub(super) call: Option<&'a Call>,
    pub(super) succeeded: bool,
}

/// Holds a run against a workflow.
pub fn monitor(workflow: &Workflow, run: &Run, options: &Options, rules: Rules<'_>) -> Verdict {
    let automaton = Automaton::new(workflow);
    let mut watch = Watch {
        workflow,
        automaton: &automaton,
        options,
        rules,
        events: Vec::new(),
        observed: Vec::new(),
        findings: Vec::new(),
        judged: Judged::default(),
    };
    watch.observe(run);
    if options.arguments {
        watch.arguments(run);
    }
    let answered = run
        .steps
        .iter()
        .any(|step| matches!(step.kind, StepKind::Answer { .. }));
    let reading = align::align(&automaton, &watch.observed, answered);
    let found = classify::findings(&automaton, &watch.events, &reading, run, workflow);
    watch.findings.extend(found);
    if options.exact_repeats {
        watch.exact_repeats(&reading);
    }
    if options.circles {
        watch
            .findings
            .extend(circle::findings(run, &options.cosmetic));
    }
    watch
        .findings
        .sort_by_key(|finding| (finding.place, finding.kind));
    let mut notes = run.notes.clone();
    let silent = run
        .calls()
        .filter(|(_, call)| call.result.is_none())
        .count();
    let doubts = watch
        .findings
        .iter()
        .any(|one| one.kind == FindingKind::Argument);
    if silent > 0 && doubts {
        notes.push(format!(
            "{silent} calls have no result in the log: a value may come from there"
        ));
    }
    Verdict {
        run: run.id.clone(),
        file: run.file.clone(),
        calls: watch.events.len(),
        findings: watch.findings,
        judged: watch.judged,
        approximate: reading.approximate,
        notes,
    }
}

struct Watch<'a> {
    workflow: &'a Workflow,
    automaton: &'a Automaton<'a>,
    options: &'a Options,
    rules: Rules<'a>,
    events: Vec<Event<'a>>,
    observed: Vec<Observed>,
    findings: Vec<Finding>,
    judged: Judged,
}

impl<'a> Watch<'a> {
    /// Reads the calls off a run; those of no skill of the workflow are findings.
    fn observe(&mut self, run: &'a Run) {
        let mut unknown: BTreeMap<&str, (Place, usize)> = BTreeMap::new();
        let mut after_user = false;
        for step in &run.steps {
            match &step.kind {
                StepKind::Call(call) => match self.known(&call.skill) {
                    Known::Free => {}
                    Known::Unknown => {
                        let seen = unknown.entry(&call.skill).or_insert((step.place, 0));
                        seen.1 += 1;
                    }
                    Known::Skill(name) => {
                        self.called(step.place, name, call, after_user);
                        after_user = false;
                    }
                },
                StepKind::Message { role, text } => {
                    if *role == Role::User && self.options.is_ignored(text) {
                        continue;
                    }
                    after_user |= *role == Role::User;
                    if let Some(skill) = self.options.virtual_skill(*role, text) {
                        self.spoken(step.place, skill, after_user);
                        after_user = false;
                    }
                }
                StepKind::Answer { .. } => {}
            }
        }
        for (skill, (place, times)) in unknown {
            self.findings.push(self.unknown(skill, place, times));
        }
    }

    fn called(&mut self, place: Place, name: &'a str, call: &'a Call, after_user: bool) {
        let skill = self
            .automaton
            .skill(name)
            .expect("only known skills are observed");
        let (succeeded, evidence) = outcome::judge(self.workflow, call, self.rules);
        match evidence {
            Evidence::Log => self.judged.log += 1,
            Evidence::Condition => self.judged.condition += 1,
            Evidence::Mark => self.judged.mark += 1,
            Evidence::Assumed => self.judged.assumed += 1,
        }
        let states = self.automaton.states.iter().enumerate();
        let otherwise = states
            .filter(|(_, state)| state.def.find(name).is_some())
            .filter(|(_, state)| {
                outcome::in_state(state.def, call, self.rules).is_some_and(|own| own != succeeded)
            })
            .map(|(number, _)| number)
            .collect();
        self.observed.push(Observed {
            skill,
            succeeded,
            otherwise,
            is_message: false,
            after_user,
        });
        self.events.push(Event {
            place,
            skill: name,
            call: Some(call),
            succeeded,
        });
    }

    fn spoken(&mut self, place: Place, name: &'a str, after_user: bool) {
        let Some(skill) = self.automaton.skill(name) else {
            return;
        };
        self.observed.push(Observed {
            skill,
            succeeded: true,
            otherwise: Vec::new(),
            is_message: true,
            after_user,
        });
        self.events.push(Event {
            place,
            skill: name,
            call: None,
            succeeded: true,
        });
    }

    /// The skill that a name means. Servers put prefixes before the names of
    /// their tools; a name is taken by its end where only one skill fits.
    fn known(&self, name: &str) -> Known<'a> {
        let ends = [name].into_iter().chain(
            ["__", ".", ":", "/"]
                .iter()
                .filter_map(|joint| Some(name.rsplit_once(joint)?.1)),
        );
        for end in ends {
            if self.options.free.contains(end) {
                return Known::Free;
            }
            let mut skills = self.automaton.skills();
            if let Some(skill) = skills.find(|skill| *skill == end) {
                return Known::Skill(skill);
            }
        }
        Known::Unknown
    }

    fn unknown(&self, skill: &str, place: Place, times: usize) -> Finding {
        let called = match times {
            1 => String::new(),
            _ => format!(", called {times} times"),
        };
        let declared = self.workflow.skill(skill).is_some();
        let message = if declared {
            format!("no state of the workflow calls `{skill}`{called}")
        } else {
            format!("the workflow has no skill `{skill}`{called}")
        };
        let known: Vec<String> = self
            .automaton
            .skills()
            .map(|skill| format!("`{skill}`"))
            .collect();
        Finding {
            kind: FindingKind::UnknownSkill,
            place,
            skill: Some(skill.to_owned()),
            state: None,
            message,
            expected: Some(format!("one of {}", known.join(", "))),
        }
    }

    /// Values in arguments that follow from nothing. A log without words and
    /// results gives them nothing to follow from, and is left alone.
    fn arguments(&mut self, run: &Run) {
        let speaks = run.steps.iter().any(|step| match &step.kind {
            StepKind::Message { role, .. } => *role != Role::Assistant,
            _ => false,
        });
        if !speaks {
            return;
        }
        let mut ground = Ground::default();
        if let Ok(spec) = serde_json::to_value(&self.workflow.spec) {
            ground.saw_value(&spec);
        }
        // Calls of one reply are made before any of their results is known.
        let mut results: Vec<(Option<usize>, &Value)> = Vec::new();
        for step in &run.steps {
            let message = step.place.index;
            let is_call = matches!(step.kind, StepKind::Call(_));
            results.retain(|(of, result)| {
                let same = is_call && of.is_some() && *of == message;
                if !same {
                    ground.saw_value(result);
                }
                same
            });
            match &step.kind {
                StepKind::Message { role, text } => match role {
                    Role::User => ground.user_said(text),
                    Role::System => ground.saw(text),
                    Role::Assistant => ground.agent_said(text),
                },
                StepKind::Answer { .. } => {}
                StepKind::Call(call) => {
                    let values = ground.unfounded(&call.args);
                    let counts = !matches!(self.known(&call.skill), Known::Free);
                    if counts && !values.is_empty() {
                        self.findings.push(unfounded(step.place, call, &values));
                    }
                    results.extend(call.result.as_ref().map(|result| (message, result)));
                }
            }
        }
    }

    /// The same call again although nothing was done in between that could
    /// have changed its outcome. What a further mandatory state asks for is none.
    fn exact_repeats(&mut self, reading: &Reading) {
        let mut states: Vec<Option<usize>> = vec![None; self.events.len()];
        for step in &reading.moves {
            if let Move::Read { call, state } = step {
                states[*call] = Some(*state);
            }
        }
        let told: BTreeSet<Place> = self
            .findings
            .iter()
            .filter(|finding| finding.kind != FindingKind::Argument)
            .map(|finding| finding.place)
            .collect();
        let mut seen: BTreeMap<(&str, String), (usize, u32)> = BTreeMap::new();
        for (at, event) in self.events.iter().enumerate() {
            let Some(call) = event.call else { continue };
            let spec = self.workflow.skill(event.skill);
            let reads = spec.and_then(|spec| spec.effect) == Some(EffectClass::Read);
            if call.args.is_null() || call.moved.is_some() {
                continue;
            }
            let attempts = match (event.succeeded, spec.and_then(|spec| spec.retry)) {
                (true, _) => 1,
                (false, Some(retry)) => retry.attempts,
                (false, None) => steadfast_core::limits::RETRY_ATTEMPTS_DEFAULT,
            };
            let key = (event.skill, call.args.to_string());
            let acts = event.succeeded && !reads;
            let before = seen.get(&key).copied();
            if acts {
                seen.clear();
            }
            let count = before.map_or(1, |(_, count)| count + 1);
            seen.insert(key, (before.map_or(at, |(first, _)| first), count));
            let Some((first, _)) = before.filter(|_| count > attempts) else {
                continue;
            };
            let asked_for = states[at].is_some_and(|state| {
                self.automaton.states[state].def.mandatory && states[first] != Some(state)
            });
            if asked_for || told.contains(&event.place) {
                continue;
            }
            let first = self.events[first].place;
            self.findings.push(Finding {
                kind: FindingKind::Repeated,
                place: event.place,
                skill: Some(event.skill.to_owned()),
                state: None,
                message: format!(
                    "`{}` was called with the same arguments at{first}, and nothing was changed since",
                    event.skill
                ),
                expected: None,
            });
        }
    }
}

enum Known<'a> {
    Skill(&'a str),
    Free,
    Unknown,
}

/// Values named in one finding; more are counted.
const VALUES_SHOWN: usize = 4;

fn unfounded(place: Place, call: &Call, values: &[(String, String)]) -> Finding {
    let shown: Vec<String> = values
        .iter()
        .take(VALUES_SHOWN)
        .map(|(name, value)| format!("`{name}` = `{value}`"))
        .collect();
    let more = values.len().saturating_sub(VALUES_SHOWN);
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    Finding {
        kind: FindingKind::Argument,
        place,
        skill: Some(call.skill.clone()),
        state: None,
        message: format!(
            "`{}` was called with {}{more}, which nobody said and no result held",
            call.skill,
            shown.join(", ")
        ),
        expected: Some("a value from the user's words or an earlier result".to_owned()),
    }
}
