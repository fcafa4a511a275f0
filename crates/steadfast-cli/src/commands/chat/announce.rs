//! What a conversation tells as it happens, in the language of the dialogue:
//! changes of what is in force with what they rest on, questions with how to
//! answer them, and the answers themselves.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use steadfast::driver::Observer;
use steadfast_core::event::ledger::{LedgerChanged, PatchRefused, QuestionOpened};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::CallId;
use steadfast_core::ledger::entry::{Change, ChangeKind};
use steadfast_core::ledger::{Constraint, ConstraintId, Proposer, Question, words};
use steadfast_core::source::Source;
use steadfast_core::task::Task;
use steadfast_core::workflow::contract::Lang;

use crate::commands::ledger::show;
use crate::content::{short, visible};
use crate::printer::Printer;
use crate::progress::Progress;
use crate::report;

/// Characters of a quotation.
const QUOTED: usize = 160;

/// Tells what is recorded.
pub(super) struct Announcer {
    printer: Printer,
    progress: Arc<Progress>,
    heard: Mutex<Heard>,
}

/// What the last line was in, and the rules that were told so far: an event
/// names what it takes out and does not repeat it.
struct Heard {
    lang: Lang,
    rules: BTreeMap<ConstraintId, Constraint>,
}

impl Announcer {
    pub(super) fn new(printer: &Printer, progress: Arc<Progress>) -> Announcer {
        Announcer {
            printer: printer.clone(),
            progress,
            heard: Mutex::new(Heard {
                lang: Lang::En,
                rules: BTreeMap::new(),
            }),
        }
    }

    /// Speaks this language from here on.
    pub(super) fn speak(&self, lang: Lang) {
        self.with(|heard| heard.lang = lang);
    }

    pub(super) fn lang(&self) -> Lang {
        self.with(|heard| heard.lang)
    }

    /// The rules of a task that is gone on with.
    pub(super) fn know(&self, task: &Task) {
        let rules = task.state.ledger.constraints.iter();
        self.with(|heard| heard.rules = rules.map(|one| (one.id, one.clone())).collect());
    }

    fn with<T>(&self, act: impl FnOnce(&mut Heard) -> T) -> T {
        // Nothing panics while the lock is held, so a poisoned one is whole.
        act(&mut self.heard.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A call that a person decides on.
    pub(super) fn approval(&self, task: &Task, call: &CallId) {
        let shown = report::shown(task, call) + &report::tainted(task, call);
        let line = match self.lang() {
            Lang::En => format!(
                "call {call} waits for your yes: {shown}\n  /approve {call} or /deny {call}"
            ),
            Lang::Zh => {
                format!("调用 {call} 等待您同意：{shown}\n  输入 /approve {call} 或 /deny {call}")
            }
        };
        self.printer.say(&line);
    }

    fn changed(&self, event: &Event, body: &LedgerChanged) {
        let change: Option<Change> = body
            .change
            .payload()
            .and_then(|bytes| serde_json::from_slice(bytes).ok());
        let Some(change) = change else { return };
        let line = self.with(|heard| {
            let line = told(heard, event, body, &change);
            for id in body.removes.iter() {
                heard.rules.remove(id);
            }
            if let Change::Put { constraint, .. } = &change {
                heard
                    .rules
                    .insert(constraint.id, Constraint::clone(constraint));
            }
            line
        });
        self.printer.say(&line);
    }

    fn opened(&self, body: &QuestionOpened) {
        let question: Option<Question> = body
            .content
            .payload()
            .and_then(|bytes| serde_json::from_slice(bytes).ok());
        let Some(open) = question else { return };
        let (id, zh) = (open.id, self.lang() == Lang::Zh);
        let numbers: Vec<String> = (1..=open.options.len())
            .map(|number| format!("{id} {number}"))
            .collect();
        let how = match (numbers.is_empty(), zh) {
            (true, false) => format!("say what you mean, or `{id} no` to take it back"),
            (true, true) => format!("请说明您的意思，或输入“{id} 不”收回"),
            (false, false) => format!(
                "answer {}, or `{id} no` to leave all as it is",
                numbers.join(", ")
            ),
            (false, true) => format!("回答 {}，或输入“{id} 不”保持不变", numbers.join("、")),
        };
        let text = show::open_question(&open);
        self.printer.say(&format!("? {text}\n   {how}"));
    }

    fn refused(&self, body: &PatchRefused) {
        let (code, why) = (body.refused.code(), &body.refused);
        self.printer.say(&match self.lang() {
            Lang::En => format!("not taken [{code}]: {why}"),
            Lang::Zh => format!("未采纳 [{code}]：{why}"),
        });
    }
}

impl Observer for Announcer {
    fn recorded(&self, event: &Event, task: &Task) {
        match &event.body {
            // The person has just typed it.
            Body::UserSent(_) => {}
            // That nothing had to be called is no news to who talks.
            Body::StateSkipped(body) if body.condition == "optional" => {}
            Body::LedgerChanged(body) => self.changed(event, body),
            Body::QuestionOpened(body) => self.opened(body),
            Body::PatchRefused(body) => self.refused(body),
            Body::RoundEnded(body) => {
                let answer = body.answer.text();
                // A closed stdout shows at the next line that is read.
                let _ = match self.printer.json {
                    true => self.printer.json(&serde_json::json!({
                        "task": task.state.task,
                        "round": body.round,
                        "answer": answer,
                        "version": task.state.ledger.version,
                    })),
                    false => self.printer.data(&answer),
                };
            }
            _ => self.progress.recorded(event, task),
        }
    }
}

/// One change in a line: what holds now, what held before, and by whose words.
fn told(heard: &Heard, event: &Event, body: &LedgerChanged, change: &Change) -> String {
    let lang = heard.lang;
    let zh = lang == Lang::Zh;
    let say = |en: String, cn: String| if zh { cn } else { en };
    let gone: Vec<String> = body
        .removes
        .iter()
        .filter_map(|id| heard.rules.get(id))
        .map(|one| visible(&words::rule(&one.rule, lang)))
        .collect();
    let gone = gone.join(if zh { "；" } else { "; " });
    let what = match change {
        Change::Put { constraint, .. } => {
            let rule = visible(&words::rule(&constraint.rule, lang));
            let new = format!("{} {rule}{}", constraint.id, words::reach(constraint, lang));
            match gone.is_empty() {
                true => new,
                false => say(
                    format!("{new} (was: {gone})"),
                    format!("{new}（原为：{gone}）"),
                ),
            }
        }
        Change::Suspend { suspension } => {
            let end = words::until(&suspension.expiry, lang);
            let id = suspension.target;
            say(format!("{id} rests{end}"), format!("{id} 暂停{end}"))
        }
        Change::Revoke { .. } => say(format!("no longer: {gone}"), format!("取消：{gone}")),
        Change::Goal { goal } => {
            let goal = short(goal.text.as_deref().unwrap_or_default(), QUOTED);
            say(format!("goal: {goal}"), format!("目标：{goal}"))
        }
        Change::Request { request } => {
            let text = short(&request.text, QUOTED);
            say(
                format!("for the next answer: {text}"),
                format!("仅下一个回答：{text}"),
            )
        }
        Change::End { ids, .. } if ids.is_empty() => {
            say("the request is done".to_owned(), "该请求已完成".to_owned())
        }
        Change::End { .. } if gone.is_empty() => {
            say("an exception has ended".to_owned(), "例外已结束".to_owned())
        }
        Change::End { .. } => say(format!("ran out: {gone}"), format!("到期：{gone}")),
    };
    let version = body.version;
    let by = origin(event, body, lang);
    say(
        format!("v{version}: {what}{by}"),
        format!("v{version}：{what}{by}"),
    )
}

/// Whose words a change rests on.
fn origin(event: &Event, body: &LedgerChanged, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let mut text = match (&event.source, zh) {
        (Source::User { .. }, false) => ", from your message".to_owned(),
        (Source::User { .. }, true) => "，依据您的消息".to_owned(),
        (Source::Runtime, _) => String::new(),
        (other, false) => format!(", from the {}", show::who(other)),
        (Source::Policy, true) => "，依据策略".to_owned(),
        (Source::Developer, true) => "，依据开发者设定".to_owned(),
        (other, true) => format!("，依据 {}", show::who(other)),
    };
    if let Some(question) = body.confirms {
        text += &match zh {
            false => format!(", confirmed by the answer to {question}"),
            true => format!("，由对 {question} 的回答确认"),
        };
    }
    if let (Some(Proposer::Model { model }), ChangeKind::Added | ChangeKind::Overridden) =
        (&body.proposer, body.what)
    {
        text += &match zh {
            false => format!(", proposed by model {model}"),
            true => format!("，由模型 {model} 提出"),
        };
    }
    text
}
