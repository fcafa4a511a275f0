//! Validations beside deeds: a phase that is to begin, an anomaly, an answer. What
//! is looked at waits for the verdict; deeds have looks of their own (`vet.rs`).
//!
//! At an anomaly nothing is let through, so its verdict is told and holds nothing
//! up: the bounds of the rules go on counting. A phase and an answer wait for a
//! pass, or for a person. How often a model may send back what it is asked about is
//! bounded, and then a person decides; so nothing goes round for ever.

use serde_json::{Map, Value};

use crate::content::Content;
use crate::event::Body;
use crate::event::model::Usage;
use crate::event::proposal::{ApprovalDecided, ApprovalRequested};
use crate::event::repair::{Fault, Level};
use crate::event::validation::{Checkpoint, Then, Validated, ValidationAsked, Validator, Verdict};
use crate::id::{CallId, Principal};
use crate::limits;
use crate::proposal::{ModelError, Reply};
use crate::rules::{Rules, ScriptEstimate, Tokenizer};
use crate::source::Source;
use crate::task::record::{Draft, Stop};
use crate::task::vet::{self, said, with_suggestion};
use crate::task::{Corrupt, Task};
use crate::validate::question;
use crate::validate::state::Look;
use crate::validate::verdict::Found;
use crate::workflow::contract::Lang;
use crate::workflow::gate::Refusal;
use crate::workflow::spec::OnVerdict;

impl Task {
    /// The model that looks at a checkpoint, after the rules.
    fn validator_at(&self, at: Checkpoint) -> Option<&str> {
        let validator = self.workflow.spec.validation.validator.as_deref();
        validator.filter(|_| self.looks_at(at))
    }

    /// What a verdict leads to where no call is looked at.
    fn policy_at(&self, at: Checkpoint, verdict: Verdict) -> Then {
        let validation = &self.workflow.spec.validation;
        let policy = match (at, verdict) {
            (_, Verdict::Passed) => return Then::Pass,
            (Checkpoint::Anomaly, Verdict::Issues) => return Then::Revise,
            (Checkpoint::Anomaly, Verdict::CannotVerify) => return Then::Note,
            (_, Verdict::Issues) => validation.issues.unwrap_or(OnVerdict::Revise),
            (_, Verdict::CannotVerify) => validation.cannot_verify.unwrap_or(OnVerdict::Ask),
        };
        let in_a_row = &self.state.stands.validations.nodes_in_a_row;
        let before = in_a_row.get(&at).copied().unwrap_or_default();
        match policy {
            OnVerdict::Revise if before + 1 < limits::VALIDATION_REVISIONS_MAX => Then::Revise,
            OnVerdict::Revise | OnVerdict::Ask => Then::Ask,
        }
    }

    /// The label of the state that was left, where the present one has another.
    fn phase_left(&self) -> Option<&str> {
        let left = self.state.stands.validations.left.as_ref()?;
        let of = |name| {
            let state = self.workflow.machine.states.get(name)?;
            Some(state.phase.as_deref().unwrap_or_default())
        };
        let (before, now) = (of(left)?, of(self.state.current()?)?);
        let by_label = self.state.beliefs.phase.is_none();
        (by_label && before != now && !now.is_empty()).then_some(before)
    }

    /// What the skills that are due now are given by the workflow, or why they
    /// cannot be.
    fn hand_over(&self, rules: Rules<'_>) -> Result<Value, String> {
        let mut given = Map::new();
        let Some(state) = self.current_def() else {
            return Ok(Value::Object(given));
        };
        for skill in self.due_skills() {
            let Some((one, spec)) = state
                .find(skill.as_str())
                .zip(self.workflow.skill(skill.as_str()))
            else {
                continue;
            };
            let mut args = Map::new();
            for (name, expression) in &one.with {
                let value = self
                    .evaluate(expression, None, rules)
                    .map_err(|error| format!("argument `{name}` of `{skill}`: {error}"))?;
                let schema = spec.input.get("properties").and_then(|all| all.get(name));
                let issues = schema.map(|schema| rules.schemas.issues(schema, &value));
                if let Some(issue) = issues.unwrap_or_default().first() {
                    let message = &issue.message;
                    return Err(format!(
                        "argument `{name}` of `{skill}` does not fit: {message}"
                    ));
                }
                args.insert(name.clone(), value);
            }
            given.insert(skill.to_string(), Value::Object(args));
        }
        Ok(Value::Object(given))
    }
}

impl Draft<'_> {
    /// Looks at the phase whose first state the machine has come to, where that is
    /// another one than at the last look.
    pub(super) fn look_at_labels(&mut self) -> Result<(), Stop> {
        match self.task.phase_left().is_some() {
            true => self.look_at_phase(),
            false => Ok(()),
        }
    }

    /// Whether what the states of the new phase are given is there: bindings that
    /// evaluate, and values that fit the next input.
    pub(super) fn look_at_phase(&mut self) -> Result<(), Stop> {
        if !self.task.looks_at(Checkpoint::Phase) {
            return Ok(());
        }
        let look = |then| vet::Look {
            at: Checkpoint::Phase,
            call: None,
            then,
        };
        let left = self.task.phase_left().map(str::to_owned);
        let left = left.filter(|name| !name.is_empty());
        match self.task.hand_over(self.turn.rules) {
            Ok(given) => {
                let text = question::about_phase(&self.task, left.as_deref(), &given);
                if self.look(Checkpoint::Phase, &text, None)? {
                    return Ok(());
                }
                Ok(self.validated(look(Then::Pass), &Found::passed())?)
            }
            Err(issue) => {
                let found = Found::issue(issue);
                let cause = left.map(|name| Fault::Phase { name });
                let level = cause.as_ref().and_then(|cause| self.mends(cause));
                let Some((cause, level)) = cause.zip(level) else {
                    // The call itself is refused later on; nothing irreversible
                    // hangs on it.
                    return Ok(self.validated(look(Then::Note), &found)?);
                };
                self.validated(look(Then::Revise), &found)?;
                Ok(self.mend(cause, level)?)
            }
        }
    }

    /// Whether an answer that every other guard let through waits for its verdict,
    /// or was sent back.
    pub(super) fn vet_answer(&mut self, answer: &Content) -> Result<bool, Stop> {
        if self.task.validator_at(Checkpoint::End).is_none() {
            return Ok(false);
        }
        let binding = self.task.binding_of_answer(answer);
        let vouched = self.task.state.stands.validations.vouched.as_ref();
        if vouched.is_some_and(|one| one.answer == *answer && one.binding == binding) {
            return Ok(false);
        }
        let text = answer.text().into_owned();
        if text.len() > limits::REVIEW_ANSWER_BYTES_MAX {
            let why = "the answer is too long to be looked at";
            self.open_look(Checkpoint::End, why, Some(answer))?;
            self.looked(&Found::cannot_verify(why), Source::Runtime, None)?;
            return Ok(true);
        }
        let text = question::about_answer(&self.task, &text);
        self.look(Checkpoint::End, &text, Some(answer))
    }

    /// Has the validator model look, where the workflow names one. Says whether it
    /// does, or could not.
    pub(super) fn look(
        &mut self,
        at: Checkpoint,
        text: &str,
        answer: Option<&Content>,
    ) -> Result<bool, Stop> {
        let open = self.task.state.stands.validations.open.as_ref();
        // A phase is more than an anomaly on the way to it.
        let taken = open.is_some_and(|_| at == Checkpoint::Anomaly);
        if taken || self.task.validator_at(at).is_none() {
            return Ok(false);
        }
        let tokens = self.open_look(at, text, answer)?;
        let state = &self.task.state;
        let asked = self.reservation(tokens, limits::VALIDATION_OUTPUT_TOKENS);
        let step = state.stands.counters.steps;
        let fits = self
            .task
            .fits(asked, state.current(), step, self.turn.now)
            .is_ok();
        if !fits {
            let found = Found::cannot_verify("the budget has no room for a validation");
            self.looked(&found, Source::Runtime, None)?;
        }
        Ok(true)
    }

    fn open_look(
        &mut self,
        at: Checkpoint,
        text: &str,
        answer: Option<&Content>,
    ) -> Result<u32, Corrupt> {
        let state = &self.task.state;
        let question = state.salt.seal_text(text);
        let version = state.ledger_version();
        let bound = ("look", at, question.hash, version, state.fingerprint);
        let tokens = ScriptEstimate.count(text);
        let validator = self.task.validator_at(at).unwrap_or_default().to_owned();
        self.runtime(Body::ValidationAsked(ValidationAsked {
            call: CallId::new(format!("v{}", state.stands.validations.looks + 1)),
            at,
            validator,
            binding: match answer {
                Some(answer) => self.task.binding_of_answer(answer),
                None => state.salt.seal_json(&bound).hash,
            },
            question,
            tokens,
            answer: answer.cloned(),
        }))?;
        Ok(tokens)
    }

    /// The validator's answer about what is no call, or that there is none.
    pub(super) fn look_done(&mut self, outcome: Result<Reply, ModelError>) -> Result<(), Stop> {
        let open = self.task.state.stands.validations.open.as_ref();
        let Some(look) = open.filter(|look| look.held.is_none()) else {
            self.note = Some("nothing waits for a verdict".to_owned());
            return Ok(());
        };
        let (found, source, usage) = said(outcome, look.tokens);
        self.looked(&found, source, Some(usage))
    }

    /// Records a verdict, and does what the policy makes of it.
    fn looked(&mut self, found: &Found, source: Source, usage: Option<Usage>) -> Result<(), Stop> {
        let Some(look) = self.task.state.stands.validations.open.clone() else {
            return Ok(());
        };
        let mut then = self.task.policy_at(look.at, found.verdict);
        let (cause, least) = self.cause_of(&look);
        let at_once = look.at == Checkpoint::Phase;
        let wants = found.verdict == Verdict::Issues
            && (at_once || (look.at == Checkpoint::End && then == Then::Ask));
        let level = wants.then(|| self.mends(&cause)).flatten();
        let level = level.map(|level| level.max(least));
        match level {
            Some(_) => then = Then::Revise,
            // Its repairs are spent: now it is a person's.
            None if wants && self.task.workflow.spec.validation.repair => then = Then::Ask,
            None => {}
        }
        let by = match usage {
            Some(_) => Validator::Model {
                model: look.validator.clone(),
            },
            None => Validator::Rules,
        };
        let passed = found.verdict == Verdict::Passed;
        let body = Validated {
            at: look.at,
            call: Some(look.call.clone()),
            by,
            verdict: found.verdict,
            then,
            found: (!passed).then(|| self.task.state.salt.seal_json(&found.json())),
            usage,
        };
        self.push(source, Body::Validated(body))?;
        match (then, &look.answer) {
            (Then::Ask, _) => {
                let (call, binding) = (look.call, look.binding);
                self.runtime(Body::ApprovalRequested(ApprovalRequested { call, binding }))?;
            }
            (Then::Pass, Some(_)) => self.decide_anew()?,
            (_, Some(answer)) => self.send_back(answer, found, level.is_some())?,
            (_, None) => {}
        }
        if let Some(level) = level {
            self.mend(cause, level)?;
        }
        Ok(())
    }

    /// The answer does not go out, and the model is told why. At DONE the machine
    /// goes back to where it is written, unless a repair does that.
    fn send_back(&mut self, answer: &Content, found: &Found, mends: bool) -> Result<(), Stop> {
        let at_done = self.task.state.beliefs.place == Some(crate::event::machine::Place::Done);
        if mends && at_done && self.task.delivers_checked() {
            return Ok(());
        }
        let zh = self.task.lang() == Lang::Zh;
        let issues = found.issues.join("; ");
        let lead = match zh {
            true => format!("答案未交付。校验发现：{issues}"),
            false => format!("the answer did not go out: its validation found: {issues}"),
        };
        let words = with_suggestion(lead, found, zh);
        let words = self.task.state.salt.seal_text(&words);
        self.refuse_held(answer, Refusal::NotValidated, Some(words))
    }

    /// What a look found wrong, and the least level at which it is repaired: going
    /// back to where the present state began takes no phase before it anew.
    fn cause_of(&self, look: &Look) -> (Fault, Level) {
        let states = &self.task.workflow.machine.states;
        let left = look.left.as_ref().and_then(|name| states.get(name));
        let name = left.and_then(|state| state.phase.clone());
        let course = |code: String| Fault::Course { code };
        match (look.at, name.filter(|name| !name.is_empty())) {
            (Checkpoint::Phase, Some(name)) => (Fault::Phase { name }, Level::RollBack),
            (Checkpoint::Phase, None) => {
                let code = format!("`{}` does not pass its validation", self.task.phase());
                (course(code), Level::Restart)
            }
            _ => {
                let code = "the answer does not pass its validation".to_owned();
                (course(code), Level::RollBack)
            }
        }
    }

    /// A person decides on a look. Says whether there was one.
    pub(super) fn decide_on_look(
        &mut self,
        principal: &Principal,
        call: &CallId,
        approved: bool,
        reason: Option<&str>,
    ) -> Result<bool, Stop> {
        let held = self.task.state.stands.validations.held();
        let Some(look) = held.filter(|look| look.call == *call).cloned() else {
            return Ok(false);
        };
        let by = Source::Approver {
            principal: principal.clone(),
        };
        let reason = reason.map(|text| self.task.state.salt.seal_text(text));
        let decided = ApprovalDecided {
            call: call.clone(),
            binding: look.binding,
            approved,
            reason: reason.clone(),
            expires_at: None,
        };
        self.push(by, Body::ApprovalDecided(decided))?;
        match (&look.answer, approved) {
            (Some(_), true) => self.decide_anew()?,
            (Some(answer), false) => {
                self.refuse_held(answer, Refusal::NotValidated, reason.or(look.held))?;
            }
            (None, _) => {}
        }
        Ok(true)
    }

    /// The level at which the task repairs itself; none where the workflow does not
    /// let it, or none is left.
    pub(super) fn mends(&self, cause: &Fault) -> Option<Level> {
        let repairs = &self.task.state.stands.repairs;
        let most: u32 = limits::REPAIRS_MAX.iter().sum();
        // One that cannot be made is no reason to ask for it over and over.
        let may = self.task.workflow.spec.validation.repair
            && self.task.state.is_running()
            && repairs.asked.is_none()
            && repairs.count < most;
        may.then(|| repairs.level(cause, Level::RollBack).ok())
            .flatten()
    }

    /// Asks for a repair by the word of a checkpoint. What a model said is no part
    /// of what a restart is told in the system's name; see `fold/repair.rs`.
    pub(super) fn mend(&mut self, cause: Fault, level: Level) -> Result<(), Corrupt> {
        self.ask_repair(Source::Runtime, cause, Some(level), false, None)
    }

    /// What the rules say of an answer: all of them, or which one it breaks.
    pub(super) fn look_at_end(
        &mut self,
        refusal: Option<&Refusal>,
        not_checked: usize,
    ) -> Result<(), Corrupt> {
        if !self.task.looks_at(Checkpoint::End) {
            return Ok(());
        }
        let (found, then) = match refusal {
            Some(refusal) => (Found::issue(refusal.explain("the answer")), Then::Revise),
            None if not_checked > 0 => {
                let why = format!("{not_checked} rules in force cannot be judged by rule");
                (Found::cannot_verify(why), Then::Note)
            }
            None => (Found::passed(), Then::Pass),
        };
        let look = vet::Look {
            at: Checkpoint::End,
            call: None,
            then,
        };
        self.validated(look, &found)
    }
}
