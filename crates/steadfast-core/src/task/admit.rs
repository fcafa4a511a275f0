//! The gate's decisions: may this call be made, may this answer be given, as
//! the task stands now.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::content::Content;
use crate::event::machine::Place;
use crate::event::proposal::Taint;
use crate::hash::Hash;
use crate::id::{CallId, Epoch, SkillName, StateName};
use crate::json;
use crate::rules::{Rules, SchemaIssue};
use crate::task::state::{Call, Lifecycle};
use crate::task::variables::RuleError;
use crate::task::{Task, fold};
use crate::workflow::gate::Refusal;
use crate::workflow::spec::{EffectClass, GuardMode, SkillSpec};
use crate::workflow::{StateDef, Use};

/// A call that may be made.
#[derive(Debug)]
pub(super) struct Admitted {
    pub(super) skill: SkillName,
    pub(super) state: Option<StateName>,
    pub(super) args: Content,
    pub(super) key: Hash,
    pub(super) effect: Option<EffectClass>,
    pub(super) observed: Vec<Refusal>,
    pub(super) tainted: Vec<Taint>,
}

impl Task {
    /// Decides on one proposed call. `args` is what the model wrote.
    pub(super) fn admit_call(
        &self,
        skill: &str,
        args: &str,
        epoch: Epoch,
        rules: Rules<'_>,
    ) -> Result<Result<Admitted, Refusal>, RuleError> {
        if self.state.stands.lifecycle != Lifecycle::Running {
            return Ok(Err(Refusal::NotRunning));
        }
        if let Some(refusal) = self.beyond_mask(skill) {
            return Ok(Err(refusal));
        }
        let Some(spec) = self.workflow.skill(skill) else {
            return Ok(Err(Refusal::UnknownSkill));
        };
        let guards = &self.workflow.spec.guards;
        let mut observed = Vec::new();
        let mut guard = |mode: GuardMode, refusal: Refusal| match mode {
            GuardMode::Enforce => Err(refusal),
            GuardMode::Observe => {
                observed.push(refusal);
                Ok(())
            }
            GuardMode::Off => Ok(()),
        };
        if let Some(call) = self.doubt(skill, epoch) {
            return Ok(Err(Refusal::InDoubt { call }));
        }
        if self.state.stands.repairs.was_done_outside(skill) {
            return Ok(Err(Refusal::AlreadyDone));
        }
        let (state, one) = match self.place_of_call(skill) {
            Ok((state, one)) => (Some(state), Some(one)),
            Err(refusal) => match guard(guards.order, refusal) {
                Ok(()) => (None, None),
                Err(refusal) => return Ok(Err(refusal)),
            },
        };
        let beyond = self
            .workflow
            .task(skill)
            .and_then(|task| self.beyond_tree(task));
        if let Some(refusal) = beyond {
            return Ok(Err(refusal));
        }
        let given = match json::parse(if args.trim().is_empty() { "{}" } else { args }) {
            Ok(Value::Object(object)) => object,
            Ok(_) => return Ok(Err(bad_arguments("", "not a JSON object"))),
            Err(error) => return Ok(Err(bad_arguments("", &error.to_string()))),
        };
        let with = one.map(|one| &one.with);
        let (args, key) = self.arguments(skill, spec, state, given, with, rules)?;
        let issues = rules.schemas.issues(&spec.input, &args);
        if let Some(error) = with.and_then(|with| bound_issue(skill, with, &issues)) {
            return Err(error);
        }
        if !issues.is_empty()
            && let Err(refusal) = guard(guards.arguments, Refusal::BadArguments { issues })
        {
            return Ok(Err(refusal));
        }
        if let Some(refusal) = self.rule_refusal(skill, spec, &args)
            && let Err(refusal) = guard(guards.ledger, refusal)
        {
            return Ok(Err(refusal));
        }
        let admitted = Admitted {
            skill: SkillName::from(skill),
            state: state.map(|state| state.name.clone()),
            args: self.state.salt.seal_json(&args),
            key,
            effect: spec.effect,
            observed,
            tainted: self.taints(skill, spec, state, &args),
        };
        if spec.checks.is_some() && self.is_unchanged(&admitted) {
            return Ok(Err(Refusal::Unchanged));
        }
        Ok(Ok(admitted))
    }

    /// The arguments that are sent: the model's, with the runtime's bindings and
    /// key over them. The key is made of task, state, visit, skill and arguments,
    /// so a retry of the same intent has the same one and a model can mint none.
    pub(super) fn arguments(
        &self,
        skill: &str,
        spec: &SkillSpec,
        state: Option<&StateDef>,
        mut args: Map<String, Value>,
        with: Option<&BTreeMap<String, String>>,
        rules: Rules<'_>,
    ) -> Result<(Value, Hash), RuleError> {
        for (name, expression) in with.into_iter().flatten() {
            let value = self
                .evaluate(expression, None, rules)
                .map_err(|error| RuleError {
                    reason: format!("{} (argument `{name}` of `{skill}`)", error.reason),
                    ..error
                })?;
            args.insert(name.clone(), value);
        }
        if let Some(task) = self.workflow.task(skill) {
            self.fill_ports(task, &mut args);
        }
        if let Some(name) = &spec.key_arg {
            args.remove(name);
        }
        let visits = state.map(|state| {
            let visits = self.state.stands.counters.visits.get(&state.name);
            visits.copied().unwrap_or_default()
        });
        let place = state.map(|state| &state.name);
        // Keyed by the salt, so that erased arguments cannot be guessed from it.
        let key = self
            .state
            .salt
            .seal_json(&(&self.state.task, place, visits, skill, &args))
            .hash;
        if let Some(name) = &spec.key_arg {
            args.insert(name.clone(), Value::String(key.to_string()));
        }
        Ok((Value::Object(args), key))
    }

    /// Where in the machine a call counts, or why it does not.
    fn place_of_call(&self, skill: &str) -> Result<(&StateDef, &Use), Refusal> {
        let place = self.state.beliefs.place.as_ref();
        let shown = || place.map_or_else(|| "the start".to_owned(), Place::to_string);
        let Some(state) = self.current_def() else {
            return Err(Refusal::NotInState { place: shown() });
        };
        let (open, _) = self.open_states();
        // What a state runs by itself is not the model's to call.
        let found = open
            .iter()
            .filter(|state| !state.runs_tasks)
            .find_map(|state| Some((*state, state.find(skill)?)));
        let Some((state, one)) = found else {
            let rank = self.workflow.machine.rank(&state.name);
            let mut of_skill = self.workflow.machine.states_of(skill).peekable();
            let known = of_skill.peek().is_some();
            let done = of_skill.any(|other| {
                self.workflow.machine.rank(&other.name) < rank && self.is_complete(other)
            });
            let due = self.due_skills();
            return Err(match (known, done) {
                (true, true) => Refusal::AlreadyDone,
                (true, false) if !due.is_empty() => Refusal::OutOfOrder { first: due },
                _ => Refusal::NotInState { place: shown() },
            });
        };
        match self.order_refusal(state, one) {
            Some(refusal) => Err(refusal),
            None => Ok((state, one)),
        }
    }

    /// Why a skill of the present state may not be called now.
    pub(super) fn order_refusal(&self, state: &StateDef, one: &Use) -> Option<Refusal> {
        let has = |skill: &str| self.state.receipt(&state.name, skill).is_some();
        if has(one.skill.as_str()) || self.pending(&state.name, &one.skill).is_some() {
            return Some(Refusal::AlreadyDone);
        }
        let first: Vec<SkillName> = one
            .requires
            .iter()
            .filter(|skill| !has(skill.as_str()))
            .cloned()
            .collect();
        (!first.is_empty()).then_some(Refusal::OutOfOrder { first })
    }

    fn pending(&self, state: &StateName, skill: &SkillName) -> Option<&Call> {
        let mut calls = self.state.stands.calls.values();
        calls.find(|call| call.state.as_ref() == Some(state) && call.skill == *skill)
    }

    /// A call of the skill of which it is unknown whether it was done.
    fn doubt(&self, skill: &str, epoch: Epoch) -> Option<CallId> {
        let mut calls = self.state.stands.calls.iter();
        calls
            .find(|(_, call)| call.skill.as_str() == skill && call.is_in_doubt(epoch))
            .map(|(id, _)| id.clone())
    }

    fn is_unchanged(&self, admitted: &Admitted) -> bool {
        let negative = fold::negative(&admitted.skill, &admitted.args);
        self.state.beliefs.visit.negative == Some(negative)
    }

    /// Decides on an answer: contract complete, the checked bytes, its schema,
    /// and no claim without a receipt.
    pub(super) fn admit_answer(
        &self,
        answer: &Content,
        rules: Rules<'_>,
    ) -> Result<Vec<Refusal>, Refusal> {
        let guards = &self.workflow.spec.guards;
        let mut observed = Vec::new();
        let mut guard = |mode: GuardMode, refusal: Option<Refusal>| match (mode, refusal) {
            (GuardMode::Enforce, Some(refusal)) => Err(refusal),
            (GuardMode::Observe, Some(refusal)) => {
                observed.push(refusal);
                Ok(())
            }
            (GuardMode::Off, _) | (_, None) => Ok(()),
        };
        if self.state.stands.lifecycle != Lifecycle::Running {
            return Err(Refusal::NotRunning);
        }
        if self.state.has_unseen_message() {
            return Err(Refusal::NewMessage);
        }
        guard(guards.contract, self.contract_refusal())?;
        guard(guards.checked, self.checked_refusal(answer))?;
        guard(GuardMode::Enforce, self.schema_refusal(answer, rules))?;
        guard(guards.ledger, self.broken_rules(answer, rules))?;
        guard(guards.claims, self.claim_refusal(answer))?;
        Ok(observed)
    }

    fn contract_refusal(&self) -> Option<Refusal> {
        let missing = self.missing();
        let (_, done) = self.open_states();
        if missing.is_empty() && done {
            return None;
        }
        let missing = if missing.is_empty() {
            self.due_skills()
        } else {
            missing
        };
        Some(Refusal::ContractIncomplete { missing })
    }

    fn checked_refusal(&self, answer: &Content) -> Option<Refusal> {
        self.checked()
            .into_iter()
            .find_map(|(skill, checked)| match checked {
                None => Some(Refusal::ReceiptLapsed { skill }),
                Some(checked) if checked != answer => Some(Refusal::NotChecked {
                    by: skill,
                    checked: checked.hash,
                }),
                Some(_) => None,
            })
    }

    fn schema_refusal(&self, answer: &Content, rules: Rules<'_>) -> Option<Refusal> {
        let schema = &self.workflow.spec.answer.schema;
        if schema.is_null() {
            return None;
        }
        let issues = match json::parse(&answer.text()) {
            Ok(value) => rules.schemas.issues(schema, &value),
            Err(error) => vec![issue("", &error.to_string())],
        };
        (!issues.is_empty()).then_some(Refusal::BadAnswer { issues })
    }

    /// A claim is an entry of the answer's claim list, or a phrase that a skill
    /// lists; each needs the receipt of that skill.
    fn claim_refusal(&self, answer: &Content) -> Option<Refusal> {
        let text = answer.text();
        let lower = text.to_lowercase();
        for (name, spec) in &self.workflow.spec.skills {
            let phrase = spec
                .claims_when
                .iter()
                .find(|phrase| !phrase.is_empty() && lower.contains(&phrase.to_lowercase()));
            if let Some(phrase) = phrase.filter(|_| !self.has_receipt(name.as_str(), None)) {
                let claim = phrase.clone();
                return Some(Refusal::ClaimWithoutReceipt {
                    claim,
                    skill: name.to_string(),
                });
            }
        }
        let pointer = self.workflow.spec.answer.claims.as_deref()?;
        let value = json::parse(&text).ok()?;
        let claims = value.pointer(pointer)?.as_array()?;
        claims.iter().find_map(|claim| {
            let skill = claim
                .get("skill")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let call = claim.get("call").and_then(Value::as_str);
            (!self.has_receipt(skill, call)).then(|| Refusal::ClaimWithoutReceipt {
                claim: claim.to_string(),
                skill: skill.to_owned(),
            })
        })
    }

    fn has_receipt(&self, skill: &str, call: Option<&str>) -> bool {
        let receipts = self
            .state
            .beliefs
            .receipts
            .values()
            .filter_map(|all| all.get(skill));
        let mut by_receipt = receipts.map(|receipt| receipt.call.as_str());
        let deeds = self.state.stands.deeds.iter();
        let mut by_deed = deeds
            .filter(|d| d.success && d.skill.as_str() == skill)
            .map(|d| d.call.as_str());
        let fits = |id: &str| call.is_none_or(|call| call == id);
        by_receipt.any(fits) || by_deed.any(fits)
    }
}

/// An issue with a value that the workflow binds: no model can mend it.
fn bound_issue(
    skill: &str,
    with: &BTreeMap<String, String>,
    issues: &[SchemaIssue],
) -> Option<RuleError> {
    issues.iter().find_map(|issue| {
        let name = issue.path.trim_start_matches('/').split('/').next()?;
        let expression = with.get(name)?.clone();
        let reason = format!(
            "argument `{name}` of `{skill}` does not fit: {}",
            issue.message
        );
        Some(RuleError { expression, reason })
    })
}

fn bad_arguments(path: &str, message: &str) -> Refusal {
    Refusal::BadArguments {
        issues: vec![issue(path, message)],
    }
}

fn issue(path: &str, message: &str) -> SchemaIssue {
    SchemaIssue {
        path: path.to_owned(),
        message: message.to_owned(),
    }
}
