//! The look-out for anomalies: a call that failed, the same done again, a progress
//! that went back. Rules find them and bound them; a validator model, where there
//! is one, is asked what to make of the first signs.

use std::collections::BTreeSet;

use crate::event::repair::{Fault, Level};
use crate::event::task::Cause;
use crate::event::validation::{Checkpoint, Then};
use crate::source::Source;
use crate::task::Corrupt;
use crate::task::record::{Draft, Stop};
use crate::task::vet::Look;
use crate::validate::state::{Passed, Told};
use crate::validate::trail::{Advice, Circle};
use crate::validate::verdict::Found;
use crate::validate::{question, watch};
use crate::workflow::contract::Lang;

impl Draft<'_> {
    /// Looks at the call that has just come to its end. Says whether the task was
    /// ended over it.
    pub(super) fn look_for_anomaly(&mut self, failed: bool) -> Result<bool, Stop> {
        let mends = self.task.state.stands.repairs.asked.is_some();
        if !self.task.looks_at(Checkpoint::Anomaly) || !self.task.state.is_running() || mends {
            return Ok(false);
        }
        let cosmetic = &self.task.workflow.spec.validation.cosmetic;
        let cosmetic: BTreeSet<String> = cosmetic.iter().cloned().collect();
        let passes = &self.task.state.stands.validations.passes;
        let circle = watch::circle(passes, &cosmetic);
        let advice = circle.and_then(|circle| circle.advice());
        let Some((circle, advice)) = circle.zip(advice) else {
            if failed {
                self.look_at_failure()?;
            }
            return Ok(false);
        };
        let issue = self.in_circles(circle);
        let mut found = Found::issue(issue.clone());
        found.suggestion = Some(match self.task.lang() {
            Lang::Zh => "换一种做法；若确实要重复，请说明原因".to_owned(),
            Lang::En => "take another way, or say why it must be done again".to_owned(),
        });
        let then = match advice {
            Advice::Check => Then::Note,
            Advice::Steer => Then::Revise,
            Advice::Stop => Then::Stop,
        };
        let look = Look {
            at: Checkpoint::Anomaly,
            call: None,
            then,
        };
        self.validated(look, &found)?;
        if then == Then::Note {
            let text = question::about_anomaly(&self.task, &issue);
            self.look(Checkpoint::Anomaly, &text, None)?;
        }
        if then == Then::Stop && self.repairs_course(&issue)? {
            return Ok(true);
        }
        if then == Then::Stop {
            let cause = Cause::Limit {
                limit: "circle".to_owned(),
                value: circle.repetitions.into(),
            };
            self.fail(cause, issue)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// A call failed, and rules see no more in it than that.
    fn look_at_failure(&mut self) -> Result<(), Stop> {
        let last = self.task.state.stands.validations.passes.back();
        let issue = last.map(told).unwrap_or_default();
        let text = question::about_anomaly(&self.task, &issue);
        if self.look(Checkpoint::Anomaly, &text, None)? {
            return Ok(());
        }
        let look = Look {
            at: Checkpoint::Anomaly,
            call: None,
            then: Then::Pass,
        };
        Ok(self.validated(look, &Found::passed())?)
    }

    fn in_circles(&self, circle: Circle) -> String {
        let passes = &self.task.state.stands.validations.passes;
        let last = passes.back().map(|last| last.skill.as_str());
        let skill = last.unwrap_or_default();
        let (times, period) = (circle.repetitions, circle.period);
        match (period, self.task.lang()) {
            (1, Lang::En) => format!("`{skill}` was called {times} times with the same outcome"),
            (1, Lang::Zh) => format!("`{skill}` 已调用 {times} 次，结果相同"),
            (_, Lang::En) => format!(
                "the last {period} calls (ending with `{skill}`) were gone through {times} times \
                 with the same outcomes"
            ),
            (_, Lang::Zh) => {
                format!("最近 {period} 次调用（以 `{skill}` 结束）已重复 {times} 轮，结果相同")
            }
        }
    }

    /// Asks for a repair of the way that the task takes, where the workflow lets it:
    /// a roll-back, then restarts. Says whether one was left.
    fn repairs_course(&mut self, issue: &str) -> Result<bool, Corrupt> {
        let code = "goes in circles".to_owned();
        let cause = Fault::Course { code };
        let Some(level) = self.mends(&cause) else {
            return Ok(false);
        };
        // The rule's own words, so a restart may be told them.
        let words = self.task.state.salt.seal_text(issue);
        let level = level.max(Level::RollBack);
        self.ask_repair(Source::Runtime, cause, Some(level), false, Some(words))?;
        Ok(true)
    }

    /// A progress that should go one way only would have gone back.
    pub(super) fn went_back(&mut self, name: &str, from: &str, to: &str) -> Result<(), Corrupt> {
        if !self.task.looks_at(Checkpoint::Anomaly) {
            return Ok(());
        }
        let look = Look {
            at: Checkpoint::Anomaly,
            call: None,
            then: Then::Revise,
        };
        let issue = match self.task.lang() {
            Lang::Zh => format!("`{name}` 应只朝一个方向变化，却由 {from} 退回 {to}；未采用"),
            Lang::En => format!(
                "`{name}` goes one way only, and went back from {from} to {to}; it was not taken"
            ),
        };
        self.validated(look, &Found::issue(issue))
    }
}

fn told(last: &Passed) -> String {
    match &last.outcome {
        Told::Text(content) => format!("`{}` failed: {}", last.skill, content.text()),
        Told::Name(_) => format!("`{}` failed", last.skill),
    }
}
