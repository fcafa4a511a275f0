//! From a reading of a run to findings: a step that was missed and done
//! elsewhere is one finding, not two.

use std::collections::BTreeSet;

use steadfast_core::workflow::Workflow;

use super::super::align::{Move, Reading};
use super::super::automaton::{At, Automaton, Config};
use super::super::run::{Place, Run, StepKind};
use super::{Event, Finding, FindingKind};

pub(super) fn findings(
    automaton: &Automaton<'_>,
    events: &[Event<'_>],
    reading: &Reading,
    run: &Run,
    workflow: &Workflow,
) -> Vec<Finding> {
    let mut sort = Sort {
        automaton,
        events,
        run,
        found: Vec::new(),
        missed: Vec::new(),
        read: BTreeSet::new(),
    };
    sort.gather(reading);
    sort.extras(reading);
    sort.skips();
    sort.visits(reading, workflow);
    sort.found
}

/// A use that was missed, and whether something has explained it.
struct Missed {
    before: usize,
    state: usize,
    one: usize,
    settled: bool,
}

struct Sort<'a> {
    automaton: &'a Automaton<'a>,
    events: &'a [Event<'a>],
    run: &'a Run,
    found: Vec<Finding>,
    missed: Vec<Missed>,
    /// Skill and number of each call that was expected.
    read: BTreeSet<(&'a str, usize)>,
}

impl<'a> Sort<'a> {
    fn gather(&mut self, reading: &Reading) {
        for step in &reading.moves {
            match step {
                Move::Read { call, .. } => {
                    self.read.insert((self.events[*call].skill, *call));
                }
                Move::Missed { before, state, one } => self.missed.push(Missed {
                    before: *before,
                    state: *state,
                    one: *one,
                    settled: false,
                }),
                Move::Extra { .. } => {}
            }
        }
    }

    fn skill(&self, state: usize, one: usize) -> &'a str {
        self.automaton.states[state].def.uses[one].skill.as_str()
    }

    fn state_name(&self, state: usize) -> String {
        self.automaton.states[state].def.name.to_string()
    }

    /// Calls that were not expected where they stand.
    fn extras(&mut self, reading: &Reading) {
        for step in &reading.moves {
            let Move::Extra { call, at } = step else {
                continue;
            };
            let skill = self.events[*call].skill;
            let nearest = self
                .missed
                .iter()
                .enumerate()
                .filter(|(_, missed)| !missed.settled)
                .filter(|(_, missed)| self.skill(missed.state, missed.one) == skill)
                .min_by_key(|(_, missed)| missed.before.abs_diff(*call))
                .map(|(number, _)| number);
            let finding = match nearest {
                Some(number) => {
                    self.missed[number].settled = true;
                    self.displaced(*call, number)
                }
                None if self.was_read_before(skill, *call) => self.repeated(*call, at),
                None => self.misplaced(*call, at),
            };
            self.found.push(finding);
        }
    }

    fn was_read_before(&self, skill: &'a str, call: usize) -> bool {
        self.read.range((skill, 0)..(skill, call)).next().is_some()
    }

    /// A step that was done at another place than its own.
    fn displaced(&self, call: usize, missed: usize) -> Finding {
        let Missed {
            before, state, one, ..
        } = self.missed[missed];
        let skill = self.skill(state, one);
        let message = if before <= call {
            match self.events.get(before).filter(|_| before < call) {
                Some(other) => format!("`{skill}` was called after `{}`", other.skill),
                None => format!("`{skill}` was called out of its turn"),
            }
        } else {
            format!("`{skill}` was called too early")
        };
        let expected = match (before <= call, self.events.get(before)) {
            (true, Some(other)) => format!("`{skill}` before `{}`{}", other.skill, other.place),
            (false, Some(other)) => {
                format!("`{skill}` right before `{}`{}", other.skill, other.place)
            }
            // It belongs behind all that was done.
            (_, None) => match self.events.last().filter(|_| call + 1 < self.events.len()) {
                Some(last) => format!("`{skill}` after `{}`{}", last.skill, last.place),
                None => format!("`{skill}` as the last of the steps"),
            },
        };
        self.finding(
            FindingKind::OutOfOrder,
            call,
            Some(state),
            message,
            Some(expected),
        )
    }

    fn repeated(&self, call: usize, at: &Config) -> Finding {
        let event = &self.events[call];
        let before = self
            .read
            .range((event.skill, 0)..(event.skill, call))
            .next_back()
            .map(|(_, number)| &self.events[*number]);
        let message = match before {
            Some(before) if before.succeeded => {
                format!(
                    "`{}` was called again (done at{})",
                    event.skill, before.place
                )
            }
            _ => format!(
                "`{}` was called again after it had failed as often as it may",
                event.skill
            ),
        };
        self.finding(FindingKind::Repeated, call, None, message, self.wanted(at))
    }

    fn misplaced(&self, call: usize, at: &Config) -> Finding {
        let skill = self.events[call].skill;
        let place = match at.at {
            At::State(state) => format!("in state `{}`", self.state_name(state)),
            At::Done => "after the contract was complete".to_owned(),
            At::Failed(_) => "after the workflow had failed".to_owned(),
        };
        let message = format!("`{skill}` may not be called {place}");
        self.finding(
            FindingKind::OutOfOrder,
            call,
            None,
            message,
            self.wanted(at),
        )
    }

    fn wanted(&self, at: &Config) -> Option<String> {
        let all: Vec<String> = self
            .automaton
            .expected(at)
            .into_iter()
            .map(|skill| format!("`{skill}`"))
            .collect();
        Some(match all.len() {
            0 => "no further call".to_owned(),
            1 => all[0].clone(),
            _ => format!("one of {}", all.join(", ")),
        })
    }

    /// Steps that were never done: in the middle each by itself, at the end
    /// together.
    fn skips(&mut self) {
        let last = self.read.iter().map(|(_, call)| *call).max();
        let mut tail = Vec::new();
        let missed = std::mem::take(&mut self.missed);
        for one in missed.iter().filter(|one| !one.settled) {
            let skill = self.skill(one.state, one.one);
            if last.is_none_or(|last| one.before > last) {
                tail.push((one.state, skill));
                continue;
            }
            let Some(next) = self.events.get(one.before) else {
                continue;
            };
            let message = format!("`{skill}` was not called before `{}`", next.skill);
            let expected = format!("`{skill}` (state `{}`)", self.state_name(one.state));
            let mut finding = self.finding(
                FindingKind::Skipped,
                one.before,
                Some(one.state),
                message,
                Some(expected),
            );
            finding.skill = Some(skill.to_owned());
            self.found.push(finding);
        }
        if let Some((state, skill)) = tail.first() {
            let finding = self.unfinished(&tail, *state, skill);
            self.found.push(finding);
        }
    }

    fn unfinished(&self, tail: &[(usize, &str)], state: usize, skill: &str) -> Finding {
        let answer = self
            .run
            .steps
            .iter()
            .rev()
            .find_map(|step| match step.kind {
                StepKind::Answer { .. } => Some(step.place),
                _ => None,
            });
        let end = self
            .run
            .steps
            .last()
            .map_or_else(Place::default, |step| step.place);
        let all: Vec<String> = tail
            .iter()
            .map(|(state, skill)| format!("`{skill}` (state `{}`)", self.state_name(*state)))
            .collect();
        let (kind, place, message) = match answer {
            Some(place) => (
                FindingKind::EarlyAnswer,
                place,
                "the agent answered before the contract was complete",
            ),
            None => (
                FindingKind::Unfinished,
                end,
                "the log ends before the contract is complete",
            ),
        };
        Finding {
            kind,
            place,
            skill: Some(skill.to_owned()),
            state: Some(self.state_name(state)),
            message: message.to_owned(),
            expected: Some(format!("first {}", all.join(", then "))),
        }
    }

    /// Loops that went round more often than the workflow allows.
    fn visits(&mut self, reading: &Reading, workflow: &Workflow) {
        let limit = workflow.spec.limits.visits;
        for (state, visits) in reading.visits.iter().enumerate() {
            if *visits <= limit {
                continue;
            }
            let skill = self.skill(state, 0);
            let last = self.read.range((skill, 0)..(skill, usize::MAX)).next_back();
            let Some((_, call)) = last.copied() else {
                continue;
            };
            let name = self.state_name(state);
            let message =
                format!("state `{name}` was entered {visits} times, at most {limit} are allowed");
            let finding = self.finding(FindingKind::Repeated, call, Some(state), message, None);
            self.found.push(finding);
        }
    }

    fn finding(
        &self,
        kind: FindingKind,
        call: usize,
        state: Option<usize>,
        message: String,
        expected: Option<String>,
    ) -> Finding {
        Finding {
            kind,
            place: self.events[call].place,
            skill: Some(self.events[call].skill.to_owned()),
            state: state.map(|state| self.state_name(state)),
            message,
            expected,
        }
    }
}
