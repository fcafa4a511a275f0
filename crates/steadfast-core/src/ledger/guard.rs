//! What must not be loosened without a yes, even by the one who said it: rules
//! about money, sending, publishing, deleting and permissions.

use crate::ledger::rule::{Action, ActionKind, ActionMode, Rule};

/// Whether loosening this rule could let something happen in the world.
pub fn guards(rule: &Rule) -> bool {
    match rule {
        Rule::Action { mode, .. } => matches!(mode, ActionMode::Forbid | ActionMode::Ask),
        Rule::Permission { .. } => true,
        // Where no unit was said, it may be money.
        Rule::Amount { unit, .. } => unit.as_deref().is_none_or(is_money),
        _ => false,
    }
}

/// Whether adding this rule, with nothing said before, lets something happen: it
/// asks for a deed or grants a permission.
pub fn grants(rule: &Rule) -> bool {
    match rule {
        Rule::Action { mode, .. } => *mode == ActionMode::Require,
        Rule::Permission { allowed, .. } => *allowed,
        _ => false,
    }
}

/// The deeds that a rule speaks of.
pub fn deeds(rule: &Rule) -> Vec<Action> {
    match rule {
        Rule::Action { action, .. } => vec![action.clone()],
        Rule::Permission { name, .. } => ActionKind::named(name)
            .map(Action::Kind)
            .into_iter()
            .collect(),
        Rule::Amount { unit, .. } if unit.as_deref().is_none_or(is_money) => {
            vec![Action::Kind(ActionKind::Pay)]
        }
        _ => Vec::new(),
    }
}

/// An ISO 4217 code (three capital letters), or a sign or name of a currency.
fn is_money(unit: &str) -> bool {
    let code = unit.len() == 3 && unit.bytes().all(|b| b.is_ascii_uppercase());
    let sign = |c: char| {
        matches!(
            c,
            '$' | '€' | '£' | '¥' | '￥' | '₩' | '₹' | '₽' | '元' | '円'
        )
    };
    code || unit.chars().any(sign)
}
