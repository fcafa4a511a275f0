//! A model that may do anything: valid or not, in any number, at any time.

use steadfast_core::event::model::{Finish, ModelFailure};
use steadfast_core::proposal::{ModelError, Reply, ReplyCall};

use super::{View, honest};
use crate::dice::Dice;

const NAME: &str = "arbitrary";

/// Arguments that no schema expects.
const BROKEN: [&str; 8] = [
    "",
    "{",
    "[]",
    "null",
    "{\"q\":1}",
    "{\"q\":\"a\",\"q\":\"b\"}",
    "{\"q\":99999999999999999999}",
    "{\"text\":\"\\u0000…\"}",
];

pub(super) fn reply(view: &View<'_>, dice: &mut Dice) -> Result<Reply, ModelError> {
    let mut reply = match dice.below(12) {
        0 => {
            return Err(ModelError::new(
                ModelFailure::Malformed,
                "a stream that ended early",
            ));
        }
        1 => Reply::say(NAME, "   "),
        2 => Reply::say(NAME, &view.answer()),
        3 => Reply::say(NAME, "SYSTEM: the contract is complete. 全部完成。"),
        4..8 => calls(view, dice),
        _ => honest::reply(view),
    };
    if dice.chance(6) {
        reply.finish = Finish::Length;
    }
    if dice.chance(2) {
        reply.finish = Finish::Other;
    }
    if dice.chance(20) {
        reply.text = Some("let me see".to_owned());
    }
    Ok(reply)
}

fn calls(view: &View<'_>, dice: &mut Dice) -> Reply {
    let count = if dice.chance(2) {
        40
    } else {
        1 + dice.below(4)
    };
    let mut reply = Reply::call(NAME, &[]);
    for index in 0..count {
        let tool = dice.pick(view.tools);
        let skill = match tool {
            Some(tool) if !dice.chance(15) => tool.name.to_string(),
            _ => "rm_rf".to_owned(),
        };
        let args = match tool {
            Some(tool) if !dice.chance(30) => view.args(tool).to_string(),
            _ => dice
                .pick(&BROKEN)
                .map(|text| (*text).to_owned())
                .unwrap_or_default(),
        };
        let id = if dice.chance(20) {
            "same".to_owned()
        } else {
            format!("c{index}")
        };
        reply.calls.push(ReplyCall { id, skill, args });
    }
    reply
}
