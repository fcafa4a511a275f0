//! Rows of calls in which a run went in circles.
//!
//! No workflow can forbid them where it lets the same skill be called again,
//! and none is needed to see them. One circle is one finding, whatever its
//! length, at the call that closes its first round too many.

use std::collections::BTreeSet;

use serde_json::Value;
use steadfast_core::limits;
use steadfast_core::validate::likeness::{Likeness, Outcome};
use steadfast_core::validate::trail::{Advice, Circle, Pass, Trail};

use super::{Finding, FindingKind};
use crate::audit::outcome::succeeded_by_signs;
use crate::audit::run::{Call, Place, Role, Run, StepKind};

/// The circles of a run, oldest first. Calls without a result in the log tell
/// nothing, and end the row.
pub(super) fn findings(run: &Run, cosmetic: &BTreeSet<String>) -> Vec<Finding> {
    let mut watch = Watch::default();
    for step in &run.steps {
        match &step.kind {
            StepKind::Message {
                role: Role::User, ..
            } => watch.user_spoke(),
            StepKind::Message { .. } | StepKind::Answer { .. } => {}
            StepKind::Call(call) => match &call.result {
                Some(result) => watch.called(step.place, call, result, cosmetic),
                None => watch.user_spoke(),
            },
        }
    }
    watch.end();
    watch.findings
}

/// A circle that a run is in.
struct Open {
    circle: Circle,
    /// Of the call that closed the first round too many.
    place: Place,
    skills: Vec<String>,
}

#[derive(Default)]
struct Watch {
    trail: Trail,
    /// Skills of the latest calls, newest last.
    latest: Vec<String>,
    open: Option<Open>,
    findings: Vec<Finding>,
}

impl Watch {
    fn user_spoke(&mut self) {
        self.end();
        self.trail.user_spoke();
        self.latest.clear();
    }

    fn called(&mut self, place: Place, call: &Call, result: &Value, cosmetic: &BTreeSet<String>) {
        let outcome = if succeeded_by_signs(call) {
            Outcome::done(result, cosmetic)
        } else {
            let message = result.as_str().map(str::to_owned);
            Outcome::failed(&message.unwrap_or_else(|| result.to_string()))
        };
        let circle = self.trail.passed(Pass {
            call: Likeness::of(&call.skill, &call.args, cosmetic),
            outcome,
        });
        if self.latest.len() == limits::LOOP_PERIOD_MAX {
            self.latest.remove(0);
        }
        self.latest.push(call.skill.clone());
        // A failing call may be tried as often as a workflow does by default.
        let rounds = match circle {
            Some(circle) if outcome.failed && circle.period == 1 => {
                limits::RETRY_ATTEMPTS_DEFAULT + 1
            }
            _ => 0,
        };
        let circle = circle.filter(|circle| {
            circle.advice() >= Some(Advice::Steer) && circle.repetitions >= rounds
        });
        match (&mut self.open, circle) {
            (Some(open), Some(circle)) if open.circle.period == circle.period => {
                open.circle = circle;
            }
            (_, None) => self.end(),
            (_, Some(circle)) => {
                self.end();
                let from = self.latest.len() - circle.period;
                self.open = Some(Open {
                    circle,
                    place,
                    skills: self.latest[from..].to_vec(),
                });
            }
        }
    }

    fn end(&mut self) {
        if let Some(open) = self.open.take() {
            self.findings.push(open.finding());
        }
    }
}

impl Open {
    fn finding(self) -> Finding {
        let names: Vec<String> = self.skills.iter().map(|name| format!("`{name}`")).collect();
        let Circle {
            period,
            repetitions,
            same,
        } = self.circle;
        let alike = if same { "the same" } else { "nearly the same" };
        let message = if period == 1 {
            format!(
                "{} was called {repetitions} times in a row with {alike} arguments and the same outcome",
                names[0]
            )
        } else {
            format!(
                "{} went round {repetitions} times with {alike} arguments and the same outcomes",
                names.join(", ")
            )
        };
        Finding {
            kind: FindingKind::Circle,
            place: self.place,
            skill: (period == 1).then(|| self.skills[0].clone()),
            state: None,
            message,
            expected: Some("another call, or an answer that says what is missing".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::run::Step;
    use serde_json::json;

    fn step(index: usize, kind: StepKind) -> Step {
        let place = Place {
            line: None,
            index: Some(index),
        };
        Step { place, kind }
    }

    fn call(skill: &str, args: Value, result: Value) -> StepKind {
        StepKind::Call(Call {
            skill: skill.to_owned(),
            args,
            result: Some(result),
            ..Call::default()
        })
    }

    fn found(steps: Vec<StepKind>) -> Vec<String> {
        let steps = steps.into_iter().enumerate();
        let run = Run {
            steps: steps.map(|(index, kind)| step(index, kind)).collect(),
            ..Run::default()
        };
        let cosmetic = BTreeSet::from(["label".to_owned()]);
        findings(&run, &cosmetic)
            .iter()
            .map(|finding| format!("{}: {}", finding.place, finding.message))
            .collect()
    }

    #[test]
    fn a_circle_is_one_finding_however_long() {
        let noop = |n: u32| call("sh", json!({"cmd": "echo noop", "label": n}), json!(""));
        assert_eq!(
            found((0..220).map(noop).collect()),
            ["#2: `sh` was called 220 times in a row with the same arguments and the same outcome"]
        );
    }

    #[test]
    fn a_cycle_names_its_calls_in_their_order() {
        let round = [
            call("read", json!({"path": "a.rs"}), json!("fn main() {}")),
            call(
                "edit",
                json!({"path": "a.rs"}),
                json!("Error: no such text"),
            ),
            call("test", json!({}), json!("Error: 1 test failed")),
        ];
        let steps = round.iter().cycle().take(12).cloned().collect();
        assert_eq!(
            found(steps),
            [
                "#8: `read`, `edit`, `test` went round 4 times with the same arguments and the same outcomes"
            ]
        );
    }

    #[test]
    fn polling_retries_and_what_was_asked_again_are_none() {
        let poll = |n: u32| call("poll", json!({"job": 1}), json!({"percent": n}));
        assert_eq!(found((0..9).map(poll).collect()), [] as [&str; 0]);

        let failing = || call("fetch", json!({"id": 1}), json!("Error: timeout"));
        assert_eq!(
            found(vec![failing(), failing(), failing()]),
            [] as [&str; 0]
        );
        assert_eq!(found((0..4).map(|_| failing()).collect()).len(), 1);

        let asked = (0..12).map(|n| match n % 2 {
            0 => StepKind::Message {
                role: Role::User,
                text: "again".to_owned(),
            },
            _ => call("stock", json!({"part": 11}), json!(4)),
        });
        assert_eq!(found(asked.collect()), [] as [&str; 0]);
    }
}
