//! What can be typed beside messages: `/ledger`, `/why`, `/confirm`, `/approve`,
//! `/deny`, `/help`, `/quit`.

use steadfast_core::id::CallId;
use steadfast_core::ledger::Choice;
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_core::workflow::contract::Lang;

use super::{Talk, decide};
use crate::commands::confirm;
use crate::commands::ledger::{Book, diff, show};
use crate::error::Error;

/// What comes after a command.
pub(super) enum After {
    /// Something was posted.
    Drive,
    Listen,
    Leave,
}

pub(super) fn help(lang: Lang) -> &'static str {
    match lang {
        Lang::En => {
            "every line is a message, but these:\n\
             \x20 /ledger [VERSION]       what is in force, now or then\n\
             \x20 /why [RULE|VERSION]     which words a rule, a version or the last change rests on\n\
             \x20 /confirm [QUESTION N]   the open questions; or choose N, `keep` to leave all as it is\n\
             \x20 /approve [CALL]         let a call that waits be made; /deny [CALL] does not\n\
             \x20 /quit                   leave; the conversation is kept"
        }
        Lang::Zh => {
            "每一行都是一条消息，以下命令除外：\n\
             \x20 /ledger [版本]          当前（或某一版本）有效的指令\n\
             \x20 /why [规则|版本]        某条规则、某一版本或最近一次变更依据的原话\n\
             \x20 /confirm [问题 编号]    待答复的问题；选择编号，或用 keep 保持不变\n\
             \x20 /approve [调用]         同意等待中的调用；/deny [调用] 拒绝\n\
             \x20 /quit                   离开；对话会保留"
        }
    }
}

pub(super) async fn run(talk: &Talk<'_>, task: &Task, line: &str) -> Result<After, Error> {
    let mut parts = line.split_whitespace();
    let name = parts.next().unwrap_or_default();
    let rest: Vec<&str> = parts.collect();
    match name {
        "/quit" | "/exit" => return Ok(After::Leave),
        "/help" => talk.printer.say(help(talk.announcer.lang())),
        "/ledger" => ledger(talk, rest.first().copied()).await?,
        "/why" => why(talk, rest.first().copied()).await?,
        "/confirm" => return answer(talk, task, &rest).await,
        "/approve" | "/deny" => return approve(talk, task, &rest, name == "/approve").await,
        other => {
            let lang = talk.announcer.lang();
            talk.printer.say(&match lang {
                Lang::En => format!("there is no `{other}`; {}", help(lang)),
                Lang::Zh => format!("没有 `{other}`；{}", help(lang)),
            });
        }
    }
    Ok(After::Listen)
}

async fn ledger(talk: &Talk<'_>, version: Option<&str>) -> Result<(), Error> {
    let book = Book::open(talk.log.as_ref(), &talk.id).await?;
    let latest = book.latest();
    let number = version.and_then(number).unwrap_or(latest);
    let shown = book.version(number)?;
    let then = book.at(shown)?;
    talk.printer
        .say(&show::text(&then, &book.history, shown, latest));
    Ok(())
}

/// The words that something rests on: a rule (`c3`), a version (`v5`), or all
/// that the last message changed.
async fn why(talk: &Talk<'_>, about: Option<&str>) -> Result<(), Error> {
    let book = Book::open(talk.log.as_ref(), &talk.id).await?;
    let lang = talk.announcer.lang();
    if let Some(id) = about.and_then(|about| about.strip_prefix('c')) {
        let life = book
            .history
            .constraints
            .values()
            .find(|life| life.constraint.id.to_string()[1..] == *id);
        match life {
            Some(life) => {
                talk.printer
                    .say(&show::rule(&life.constraint, &book.history, lang));
                if let Some(past) = show::past(life, u64::MAX, lang) {
                    talk.printer.say(&past);
                }
            }
            None => talk.printer.say(&match lang {
                Lang::En => format!("no rule was ever `c{id}`"),
                Lang::Zh => format!("没有规则 `c{id}`"),
            }),
        }
        return Ok(());
    }
    let latest = book.latest();
    let to = about.and_then(number).unwrap_or(latest);
    let to = book.version(to)?;
    // Of the last version: with all that came with the same message.
    let message = to.cites.map(|cited| cited.message);
    let same = |number: &u64| {
        let one = book.history.version(*number);
        message.is_some() && one.and_then(|one| one.cites.map(|cited| cited.message)) == message
    };
    let first = match about {
        Some(_) => to.number,
        None => (1..=to.number)
            .rev()
            .take_while(same)
            .last()
            .unwrap_or(to.number),
    };
    let from = book.version(first.saturating_sub(1).max(1))?;
    talk.printer.say(&diff::text(&book, from, to, &book.now));
    Ok(())
}

/// `5` or `v5`.
fn number(given: &str) -> Option<u64> {
    given.trim_start_matches(['v', 'V']).parse().ok()
}

async fn answer(talk: &Talk<'_>, task: &Task, rest: &[&str]) -> Result<After, Error> {
    let open = &task.state.ledger.unresolved;
    let (given, choice) = match (rest, open.as_slice()) {
        ([], questions) => {
            for one in questions {
                talk.printer.say(&show::open_question(one));
            }
            if questions.is_empty() {
                talk.printer.say(match talk.announcer.lang() {
                    Lang::En => "no question is open",
                    Lang::Zh => "没有待答复的问题",
                });
            }
            return Ok(After::Listen);
        }
        ([choice], [one]) if !is_question(choice) => (one.id.to_string(), *choice),
        ([question, choice], _) => ((*question).to_owned(), *choice),
        _ => {
            talk.printer.say(help(talk.announcer.lang()));
            return Ok(After::Listen);
        }
    };
    let question = confirm::named(task, &given)?;
    let choice = match choice {
        "keep" | "no" | "不" => Choice::Keep,
        "yes" | "是" => Choice::Option(1),
        // One that is no number is none of the choices.
        other => Choice::Option(other.parse().unwrap_or(0)),
    };
    confirm::may_answer(&talk.log, task, question, choice, &talk.by).await?;
    let question = question.id;
    talk.post(task, &Command::Answer { question, choice })
        .await?;
    Ok(After::Drive)
}

fn is_question(given: &str) -> bool {
    given.starts_with(['q', 'Q'])
}

async fn approve(
    talk: &Talk<'_>,
    task: &Task,
    rest: &[&str],
    approved: bool,
) -> Result<After, Error> {
    use steadfast_core::task::state::Stage;
    let calls = task.state.stands.calls.iter();
    let open: Vec<&CallId> = calls
        .filter(|(_, call)| matches!(call.stage, Stage::Approval { .. }))
        .map(|(id, _)| id)
        .chain(task.state.held())
        .collect();
    let call = match (rest.first(), open.as_slice()) {
        (Some(given), open) => open.iter().find(|id| id.as_str() == *given),
        (None, [one]) => Some(one),
        (None, []) => {
            return Err(Error::NothingOpen {
                task: talk.id.clone(),
            });
        }
        (None, several) => {
            let line = |id: &&CallId| format!("{id}: {}", crate::report::shown(task, id));
            return Err(Error::SeveralOpen {
                task: talk.id.clone(),
                calls: several.iter().map(line).collect(),
            });
        }
    };
    let Some(call) = call else {
        return Err(Error::NotOpen {
            task: talk.id.clone(),
            call: rest.first().copied().unwrap_or_default().to_owned(),
            what: "approval",
        });
    };
    talk.post(task, &decide(call, approved)).await?;
    Ok(After::Drive)
}
