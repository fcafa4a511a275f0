//! Facts: named current values with their sources, replaced and never edited.
//!
//! `budget = 5000`, said by the user, is not beaten by a page that says 8000:
//! a lower source never replaces a higher one's value. What models, skills and
//! documents say ranks below every person.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{Principal, Seq};
use crate::ledger::authority::Rank;
use crate::ledger::refused::Refused;
use crate::source::Source;

/// The present value of a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fact {
    pub value: Value,
    pub source: Source,
    /// The event that set it.
    pub seq: Seq,
}

/// All facts of a task, by name.
pub type Facts = BTreeMap<String, Fact>;

/// Whether `source` may give `name` this value in the task of `owner`.
///
/// # Errors
///
/// [`Refused::SetByHigher`] where the present value is of a higher source,
/// [`Refused::OtherPrincipal`] for a person whose task it is not, and
/// [`Refused::AlreadySo`].
pub fn may_set(
    facts: &Facts,
    name: &str,
    value: &Value,
    source: &Source,
    owner: &Principal,
) -> Result<(), Refused> {
    let rank = match source {
        Source::User { .. } => Some(Rank::in_task(source, owner)?),
        _ => Rank::of(source),
    };
    let Some(present) = facts.get(name) else {
        return Ok(());
    };
    // None, what is only found, is below all ranks.
    match Rank::of(&present.source) {
        Some(of) if Some(of) > rank => Err(Refused::SetByHigher { of }),
        _ if present.value == *value => Err(Refused::AlreadySo { constraint: None }),
        _ => Ok(()),
    }
}

/// Whether two values are equal, numbers by what they are: 5000 is 5000.0.
pub fn same(one: &Value, other: &Value) -> bool {
    let number = |value: &Value| value.as_f64();
    one == other || matches!((number(one), number(other)), (Some(a), Some(b)) if a == b)
}

/// The names and values alone, as conditions read them.
pub fn values(facts: &Facts) -> BTreeMap<&str, &Value> {
    facts
        .iter()
        .map(|(name, fact)| (name.as_str(), &fact.value))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// R23 and the article's budget: a page's value does not beat the user's, the
    /// user's own later one does, and a result may fill in what nobody said.
    #[test]
    fn r23_a_lower_source_never_replaces_a_higher_ones_value() {
        let owner = Principal::from("ann");
        let user = Source::User {
            principal: owner.clone(),
        };
        let page = Source::Document {
            name: "page".to_owned(),
        };
        let fact = |value: i64, source: &Source| Fact {
            value: value.into(),
            source: source.clone(),
            seq: Seq(1),
        };
        let facts = Facts::from([("budget".to_owned(), fact(5000, &user))]);
        let set = |name: &str, value: i64, source: &Source| {
            may_set(&facts, name, &value.into(), source, &owner)
        };
        let of = Rank::User;
        assert_eq!(set("budget", 8000, &page), Err(Refused::SetByHigher { of }));
        assert_eq!(set("budget", 5000, &page), Err(Refused::SetByHigher { of }));
        assert_eq!(set("budget", 8000, &user), Ok(()));
        assert_eq!(set("budget", 8000, &Source::Policy), Ok(()));
        assert_eq!(set("price", 3, &page), Ok(()));
        let other = Source::User {
            principal: Principal::from("bob"),
        };
        assert_eq!(set("price", 3, &other), Err(Refused::OtherPrincipal));
        assert_eq!(
            set("budget", 5000, &user),
            Err(Refused::AlreadySo { constraint: None })
        );
    }
}
