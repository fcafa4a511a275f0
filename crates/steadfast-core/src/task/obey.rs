//! Whether a call keeps to the rules in force: what is forbidden, what only a
//! person may allow, which amounts are bounded, what contradicts a person's own
//! value, and what an open question is about. An unknown deed is not a permitted
//! one.

use std::str::FromStr;

use serde_json::Value;

use crate::decimal::Decimal;
use crate::id::{CallId, SkillName};
use crate::ledger::constraint::{Constraint, Force, Scope};
use crate::ledger::rule::{Action, ActionKind, ActionMode, Rule};
use crate::ledger::{Expiry, Trigger};
use crate::task::record::Draft;
use crate::task::{Corrupt, Task};
use crate::workflow::gate::Refusal;
use crate::workflow::spec::{EffectClass, GuardMode, SkillSpec};

impl Task {
    /// The rule in force that a call would break, if there is one.
    pub(super) fn rule_refusal(
        &self,
        skill: &str,
        spec: &SkillSpec,
        args: &Value,
    ) -> Option<Refusal> {
        let deeds = deeds(skill, spec);
        let rules = self.hard_rules();
        let broken = rules.into_iter().find_map(|one| {
            let constraint = one.id;
            match &one.rule {
                Rule::Action {
                    mode: ActionMode::Forbid,
                    action,
                } => self.forbids(action, &deeds, spec, one),
                Rule::Permission {
                    name,
                    allowed: false,
                } => {
                    let needs = spec
                        .needs
                        .iter()
                        .any(|need| need.eq_ignore_ascii_case(name));
                    if needs || skill.eq_ignore_ascii_case(name) {
                        return Some(Refusal::Forbidden { constraint });
                    }
                    let kind = Action::Kind(ActionKind::named(name)?);
                    self.forbids(&kind, &deeds, spec, one)
                }
                Rule::Amount { name, bound, .. } => {
                    let (_, argument) = spec
                        .amounts
                        .iter()
                        .find(|(own, _)| own.to_lowercase() == name.to_lowercase())?;
                    let amount = args.get(argument).and_then(amount);
                    // An amount that cannot be read is not known to be within.
                    let within = amount.is_some_and(|amount| bound.allows(amount));
                    (!within).then(|| Refusal::OutOfBounds {
                        constraint,
                        argument: argument.clone(),
                    })
                }
                _ => None,
            }
        });
        broken
            .or_else(|| self.contradiction(spec, args))
            .or_else(|| self.question_about(&deeds, skill, spec))
    }

    fn forbids(
        &self,
        action: &Action,
        deeds: &[Action],
        spec: &SkillSpec,
        one: &Constraint,
    ) -> Option<Refusal> {
        let constraint = one.id;
        if deeds.iter().any(|deed| action.covers(deed)) {
            return Some(Refusal::Forbidden { constraint });
        }
        let kind = matches!(action, Action::Kind(_));
        (kind && is_undeclared(spec)).then_some(Refusal::NotDeclared { constraint })
    }

    /// An open question that holds the deed back: one about sending holds what
    /// sends, or does nobody knows what, and not a payment that cannot be taken
    /// back either.
    fn question_about(&self, deeds: &[Action], skill: &str, spec: &SkillSpec) -> Option<Refusal> {
        let declared: Vec<Action> = spec.does.iter().copied().map(Action::Kind).collect();
        let own = Action::Skill(SkillName::from(skill));
        let touches = |held: &Action| {
            let unknown = matches!(held, Action::Kind(_)) && is_undeclared(spec);
            let is_one = deeds.iter().any(|deed| held.covers(deed));
            let may_be = own.covers(held) || declared.iter().any(|deed| deed.covers(held));
            unknown || is_one || may_be
        };
        let open = self.state.ledger.unresolved.iter();
        let mut about = open.filter(|one| one.holds_back.iter().any(touches));
        about
            .next()
            .map(|one| Refusal::OpenQuestion { question: one.id })
    }

    /// Whether a rule in force wants a person's yes to each call of this skill.
    pub(super) fn must_ask(&self, skill: &str) -> bool {
        if self.workflow.spec.guards.ledger != GuardMode::Enforce {
            return false;
        }
        let spec = self.workflow.skill(skill).cloned().unwrap_or_default();
        let deeds = deeds(skill, &spec);
        self.hard_rules().into_iter().any(|one| match &one.rule {
            Rule::Action {
                mode: ActionMode::Ask,
                action,
            } => {
                let kind = matches!(action, Action::Kind(_));
                deeds.iter().any(|deed| action.covers(deed)) || (kind && is_undeclared(&spec))
            }
            _ => false,
        })
    }

    fn hard_rules(&self) -> Vec<&Constraint> {
        let mut rules = self.rules_here();
        rules.retain(|one| one.force == Force::Must);
        rules
    }

    /// The rules that hold where the machine stands.
    pub(super) fn rules_here(&self) -> Vec<&Constraint> {
        let here = |scope: &Scope| match scope {
            Scope::Task | Scope::NextAnswer => true,
            Scope::Phase(phase) => self.phase() == phase,
            Scope::State(state) => self.state.current() == Some(state),
        };
        self.state
            .ledger
            .in_force()
            .filter(|one| here(&one.scope))
            .collect()
    }
}

impl Draft<'_> {
    /// A rule that came in since the call was admitted.
    pub(super) fn forbidden_since(&self, id: &CallId) -> Option<Refusal> {
        if self.task.workflow.spec.guards.ledger != GuardMode::Enforce {
            return None;
        }
        let call = self.task.state.stands.calls.get(id)?;
        let skill = call.skill.as_str();
        let spec = self.task.workflow.skill(skill)?;
        self.task.rule_refusal(skill, spec, &call.args.json())
    }

    /// Leaves that were good for one deed end with its intent: were they to end
    /// with its outcome, two calls side by side would both use them.
    pub(super) fn use_up(&mut self, skill: &SkillName) -> Result<(), Corrupt> {
        let ledger = &self.task.state.ledger;
        let constraints = ledger.constraints.iter().map(|one| &one.expiry);
        let suspended = ledger.suspended.iter().map(|one| &one.expiry);
        if !constraints
            .chain(suspended)
            .any(|expiry| *expiry == Expiry::Once)
        {
            return Ok(());
        }
        let spec = self.task.workflow.skill(skill.as_str());
        let done = deeds(skill.as_str(), &spec.cloned().unwrap_or_default());
        self.run_out(Trigger::Deed(&done))
    }
}

/// What a call of the skill does, as rules name it.
fn deeds(skill: &str, spec: &SkillSpec) -> Vec<Action> {
    let mut deeds = vec![Action::Skill(SkillName::from(skill))];
    deeds.extend(spec.does.iter().copied().map(Action::Kind));
    if spec.effect == Some(EffectClass::Irreversible) {
        deeds.push(Action::Kind(ActionKind::Irreversible));
    }
    deeds
}

/// Whether the skill does something that cannot be taken back, and nobody said
/// what.
fn is_undeclared(spec: &SkillSpec) -> bool {
    spec.effect == Some(EffectClass::Irreversible) && spec.does.is_empty()
}

fn amount(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Decimal::from_str(&number.to_string()).ok(),
        Value::String(text) => Decimal::from_str(text.trim()).ok(),
        _ => None,
    }
}
