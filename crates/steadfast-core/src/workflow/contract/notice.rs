//! The state notice: where the machine stands and what may be called now.
//!
//! What is due is computed by the task core and comes in as an argument; here
//! it only gets its words.

use super::Lang;
use crate::id::{SkillName, StateName};

/// Where the machine stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing<'a> {
    /// None when the machine has reached `DONE`.
    pub state: Option<&'a StateName>,
    /// Skills that the contract asks for now.
    pub due: &'a [SkillName],
    /// Skills that are open here although the contract does not ask for them.
    pub offered: &'a [SkillName],
}

/// The notice of a conversation in which nothing has to be called first.
pub fn reply(lang: Lang) -> &'static str {
    match lang {
        Lang::En => "Answer the user's last message now.",
        Lang::Zh => "现在回答用户的最后一条消息。",
    }
}

/// The notice as one line of text.
pub fn notice(standing: Standing<'_>, lang: Lang) -> String {
    let names =
        |skills: &[SkillName]| lang.list(&skills.iter().map(SkillName::as_str).collect::<Vec<_>>());
    let Some(state) = standing.state else {
        return match lang {
            Lang::En => "The contract is complete: give the final answer now.".to_owned(),
            Lang::Zh => "契约的全部步骤已完成：现在给出最终答案。".to_owned(),
        };
    };
    let (due, offered) = (names(standing.due), names(standing.offered));
    match (lang, standing.due.is_empty(), standing.offered.is_empty()) {
        (Lang::En, false, true) => format!("You are in {state}; only {due} may be called now."),
        (Lang::Zh, false, true) => format!("你当前处于状态 {state}，现在只能调用 {due}。"),
        (Lang::En, false, false) => {
            format!(
                "You are in {state}; {due} must be called now; {offered} is open as well, and nothing else."
            )
        }
        (Lang::Zh, false, false) => {
            format!("你当前处于状态 {state}，现在必须调用 {due}；此外只开放 {offered}。")
        }
        (Lang::En, true, false) => {
            format!(
                "You are in {state}; only {offered} may be called now; the contract does not ask for it."
            )
        }
        (Lang::Zh, true, false) => {
            format!("你当前处于状态 {state}，现在只能调用 {offered}；契约不要求这一步。")
        }
        (Lang::En, true, true) => format!("You are in {state}; nothing may be called now."),
        (Lang::Zh, true, true) => format!("你当前处于状态 {state}，现在不能调用任何 skill。"),
    }
}
