//! Models that do not keep to the order: the looper, the misorderer, the
//! parallel caller.

use serde_json::Value;
use steadfast_core::proposal::Reply;

use super::{View, honest};
use crate::dice::Dice;

/// Makes the last call again, word for word.
pub(super) fn looper(view: &View<'_>, dice: &mut Dice) -> Reply {
    match &view.last {
        Some((skill, args)) if dice.chance(60) => {
            let args = serde_json::from_str(args).unwrap_or(Value::Null);
            Reply::call("looper", &[(skill, args)])
        }
        _ => honest::reply(view),
    }
}

/// Starts with what comes last.
pub(super) fn misorderer(view: &View<'_>, dice: &mut Dice) -> Reply {
    match view.tools.last() {
        Some(tool) if dice.chance(50) => {
            Reply::call("misorderer", &[(tool.name.as_str(), view.args(tool))])
        }
        _ => honest::reply(view),
    }
}

/// Proposes every skill at once, some twice, in any order.
pub(super) fn parallel(view: &View<'_>, dice: &mut Dice) -> Reply {
    let mut calls: Vec<(&str, Value)> = Vec::new();
    for tool in view.tools {
        calls.push((tool.name.as_str(), view.args(tool)));
        if dice.chance(25) {
            calls.push((tool.name.as_str(), view.args(tool)));
        }
    }
    for at in (1..calls.len()).rev() {
        calls.swap(at, dice.below(at as u64 + 1) as usize);
    }
    if calls.is_empty() {
        honest::reply(view)
    } else {
        Reply::call("parallel", &calls)
    }
}
