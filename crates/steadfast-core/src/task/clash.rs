//! Arguments against what people have said: a call that acts with another value
//! than the one in force is stopped before the deed (field report R22).
//!
//! What is compared: a fact that a person set with the argument of the same name,
//! or the one that the skill declares; a bounded amount with the argument of its
//! name. A value that the user has named since the fact was set is theirs.

use serde_json::{Map, Value};

use crate::facts::Fact;
use crate::id::Seq;
use crate::ledger::constraint::{Constraint, Force};
use crate::ledger::rule::Rule;
use crate::task::Task;
use crate::text::naming;
use crate::workflow::gate::Refusal;
use crate::workflow::spec::{EffectClass, SkillSpec};

impl Task {
    /// The first contradiction between a call's arguments and what people said.
    pub(super) fn contradiction(&self, spec: &SkillSpec, args: &Value) -> Option<Refusal> {
        // What changes nothing may look for any value.
        if spec.effect == Some(EffectClass::Read) {
            return None;
        }
        let args = args.as_object()?;
        let of_facts = self.state.facts.iter().find_map(|(name, fact)| {
            let argument = argument_of(name, spec, args)?;
            let clashes = self.clashes(fact, &args[&argument]);
            clashes.then(|| Refusal::ContradictsFact {
                fact: name.clone(),
                argument,
            })
        });
        of_facts.or_else(|| self.amount_of_same_name(spec, args))
    }

    fn clashes(&self, fact: &Fact, value: &Value) -> bool {
        let comparable = |value: &Value| !value.is_null() && !value.is_object();
        fact.source.commands()
            && comparable(&fact.value)
            && comparable(value)
            && !naming::agree(&fact.value, value)
            && !self.said_since(fact.seq, value)
    }

    /// Whether the owner has named a value, each of a list, after an event.
    fn said_since(&self, seq: Seq, value: &Value) -> bool {
        if let Value::Array(all) = value {
            return !all.is_empty() && all.iter().all(|one| self.said_since(seq, one));
        }
        let owner = &self.state.ledger.owner;
        let messages = self.state.stands.messages.iter();
        let mut own =
            messages.filter(|said| said.seq > seq && said.principal.as_ref() == Some(owner));
        own.any(|said| naming::names(&said.text.text(), value))
    }

    /// A bound on an amount holds for an argument of its name, declared or not; here
    /// only what is certainly a number outside of it counts.
    fn amount_of_same_name(&self, spec: &SkillSpec, args: &Map<String, Value>) -> Option<Refusal> {
        let rules = self.rules_here().into_iter();
        let mut hard = rules.filter(|one| one.force == Force::Must);
        hard.find_map(|one: &Constraint| {
            let Rule::Amount { name, bound, .. } = &one.rule else {
                return None;
            };
            let declared = spec.amounts.keys().any(|own| same_name(own, name));
            let argument = args.keys().find(|argument| same_name(argument, name))?;
            let amount = naming::number(&args[argument])?;
            (!declared && !bound.allows(amount)).then(|| Refusal::OutOfBounds {
                constraint: one.id,
                argument: argument.clone(),
            })
        })
    }
}

/// The argument that carries a fact: the one that the skill declares, else the one
/// of its name.
fn argument_of(fact: &str, spec: &SkillSpec, args: &Map<String, Value>) -> Option<String> {
    if let Some(declared) = spec.facts.get(fact) {
        return args.contains_key(declared).then(|| declared.clone());
    }
    args.keys().find(|name| same_name(name, fact)).cloned()
}

/// `Team-Name` and `team_name` are one name.
fn same_name(one: &str, other: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace(['-', ' '], "_");
    plain(one) == plain(other)
}
