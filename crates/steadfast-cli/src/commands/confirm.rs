//! `steadfast confirm`: the questions that the ledger of a task waits on, and a
//! person's answer to one of them.
//!
//! An answer goes to one question. Without a name it is taken only where a single
//! question is open. Like every word of a person it goes into the inbox; of two
//! answers to the same question the first one counts.

use steadfast::clock::{Clock, SystemClock};
use steadfast_core::ledger::{Choice, Question, QuestionId, Refused, answer};
use steadfast_core::source::Source;
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_store::SqliteLog;

use crate::args::Confirm;
use crate::commands::ledger::show;
use crate::commands::{cancel, resume};
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{pending, store};

pub(crate) async fn run(
    args: Confirm,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    let Some(choice) = choice(&args) else {
        return list(&task, args.question.as_deref(), settings, printer);
    };
    if let Some(outcome) = task.state.outcome() {
        return Err(Error::Ended {
            task: id,
            how: cancel::how(outcome),
        });
    }
    let open = which(&task, args.question.as_deref())?;
    let by = settings.principal(args.by.as_deref());
    may_answer(&log, &task, open, choice, &by).await?;
    let command = Command::Answer {
        question: open.id,
        choice,
    };
    pending::post(&log, &id, by, &command).await?;
    printer.say(&format!("{}: {}", open.id, chosen(open, choice)));
    if args.resume {
        return resume::go_on(&log, &id, args.onward, settings, printer).await;
    }
    if printer.json {
        printer.json(&serde_json::json!({
            "task": id, "question": open.id.to_string(), "choice": choice, "posted": "confirm"
        }))?;
    }
    printer.say(&format!(
        "kept for task {id}; where nobody drives it: `{}`",
        settings.command(&format!("resume {id}"))
    ));
    Ok(Exit::Ok)
}

fn choice(args: &Confirm) -> Option<Choice> {
    match (args.choose, args.yes, args.keep) {
        (Some(number), _, _) => Some(Choice::Option(number)),
        (None, true, _) => Some(Choice::Option(1)),
        (None, false, true) => Some(Choice::Keep),
        (None, false, false) => None,
    }
}

/// What an answer picks, in words.
pub(crate) fn chosen(open: &Question, choice: Choice) -> String {
    match choice {
        Choice::Keep => "all stays as it is".to_owned(),
        Choice::Option(number) => {
            let lang = steadfast_core::ledger::question::language(&open.words);
            let option = (number as usize).checked_sub(1);
            let option = option.and_then(|at| open.options.get(at));
            option.map_or_else(
                || format!("choice {number}"),
                |option| steadfast_core::ledger::words::operation(option, lang),
            )
        }
    }
}

fn list(
    task: &Task,
    only: Option<&str>,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let id = &task.state.task;
    let mut open: Vec<&Question> = task.state.ledger.unresolved.iter().collect();
    if let Some(given) = only {
        open = vec![named(task, given)?];
    }
    if printer.json {
        let questions: Vec<serde_json::Value> = open
            .iter()
            .map(|one| {
                serde_json::json!({
                    "id": one.id.to_string(), "question": one.text, "why": one.why,
                    "words": one.words, "message": one.message, "options": one.options,
                })
            })
            .collect();
        printer.json(&questions)?;
    } else if open.is_empty() {
        printer.say(&format!("no question of task {id} is open"));
    } else {
        for one in &open {
            printer.data(&show::open_question(one))?;
        }
        if let Some(outcome) = task.state.outcome() {
            let how = cancel::how(outcome);
            printer.say(&format!("task {id} {how}: these were left open"));
            return Ok(Exit::Ok);
        }
        let confirm = settings.command(&format!("confirm {id} QUESTION"));
        printer.say(&format!(
            "choose with `{confirm} --choose N`, or leave all as it is with `--keep`"
        ));
    }
    Ok(match open.is_empty() {
        true => Exit::Ok,
        false => Exit::Waiting,
    })
}

/// The question that an answer is for.
fn which<'a>(task: &'a Task, given: Option<&str>) -> Result<&'a Question, Error> {
    if let Some(given) = given {
        return named(task, given);
    }
    let open = &task.state.ledger.unresolved;
    match open.as_slice() {
        [one] => Ok(one),
        several => Err(Error::WhichQuestion {
            task: task.state.task.clone(),
            questions: several.iter().map(first_line).collect(),
        }),
    }
}

/// `q2`, or just `2`.
pub(crate) fn named<'a>(task: &'a Task, given: &str) -> Result<&'a Question, Error> {
    let number = given.trim_start_matches(['q', 'Q']).parse().ok();
    let open = &task.state.ledger;
    let found = number.and_then(|number| open.question(QuestionId(number)));
    found.ok_or_else(|| Error::NoQuestion {
        task: task.state.task.clone(),
        given: given.to_owned(),
        open: open.unresolved.iter().map(first_line).collect(),
    })
}

fn first_line(open: &Question) -> String {
    let line = open.text.lines().next().unwrap_or_default();
    format!("{} {}", open.id, crate::content::short(line, 160))
}

/// Whether this answer will be taken: judged as the log now stands, since a
/// person should not learn it from a later run.
pub(crate) async fn may_answer(
    log: &SqliteLog,
    task: &Task,
    open: &Question,
    choice: Choice,
    by: &steadfast_core::id::Principal,
) -> Result<(), Error> {
    let waiting = pending::commands(log, &task.state.task).await?;
    let answered = waiting
        .iter()
        .any(|one| matches!(one, Command::Answer { question, .. } if *question == open.id));
    if answered {
        return Err(Error::Answered {
            task: task.state.task.clone(),
            question: open.id.to_string(),
        });
    }
    let by = Source::User {
        principal: by.clone(),
    };
    let ledger = &task.state.ledger;
    match answer(ledger, open.id, choice, &by, SystemClock::new().now()) {
        Ok(_) => Ok(()),
        Err(Refused::UnknownChoice { .. }) => Err(Error::NoChoice {
            question: open.id.to_string(),
            options: (1..)
                .zip(&open.options)
                .map(|(number, _)| format!("{number}. {}", chosen(open, Choice::Option(number))))
                .collect(),
        }),
        Err(refused) => Err(Error::NotTaken { refused }),
    }
}
