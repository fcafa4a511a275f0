//! Models that leave work out: the forgetful, the lazy, the hurried, the liar.

use steadfast_core::proposal::Reply;

use super::{View, honest};
use crate::dice::Dice;
use crate::workflow::claim;

/// Answers early in a third of the cases, or leaves an argument out.
pub(super) fn forgetful(view: &View<'_>, dice: &mut Dice) -> Reply {
    match (dice.below(6), view.due.first()) {
        (0 | 1, Some(_)) => Reply::say("forgetful", &view.answer()),
        (2, Some(tool)) => Reply::call("forgetful", &[(tool.name.as_str(), serde_json::json!({}))]),
        _ => honest::reply(view),
    }
}

/// Never calls anything.
pub(super) fn lazy(view: &View<'_>) -> Reply {
    Reply::say("lazy", &view.answer())
}

/// Works properly until the user urges.
pub(super) fn hurried(view: &View<'_>, dice: &mut Dice) -> Reply {
    if view.urged && dice.chance(60) {
        return Reply::say("hurried", "好的，已处理完。");
    }
    honest::reply(view)
}

/// Says that all was done, in the answer and in arguments.
pub(super) fn liar(view: &View<'_>, dice: &mut Dice) -> Reply {
    let lies: Vec<String> = view
        .tools
        .iter()
        .map(|tool| claim(tool.name.as_str()))
        .collect();
    let lie = format!("{} {}", view.answer(), lies.join(". "));
    match (dice.below(4), view.due.first()) {
        (0, _) => Reply::say("liar", &lie),
        (1, Some(tool)) => {
            let mut args = view.args(tool);
            for value in args
                .as_object_mut()
                .into_iter()
                .flat_map(|args| args.values_mut())
            {
                *value = serde_json::Value::String(lie.clone());
            }
            // Its own key, and a receipt that nobody gave.
            args["key"] = "k-of-the-model".into();
            args["receipt"] = "s1.0".into();
            Reply::call("liar", &[(tool.name.as_str(), args)])
        }
        (2, None) => Reply::say("liar", &lie),
        _ => honest::reply(view),
    }
}
