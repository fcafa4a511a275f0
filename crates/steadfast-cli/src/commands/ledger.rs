//! `steadfast ledger`: what is in force in a task, at any of its versions, where
//! each rule comes from, and what changed between two versions.
//!
//! All of it is read from the log: a version is shown by folding the log up to
//! the last event under it.

pub(crate) mod diff;
pub(crate) mod show;

use serde_json::{Map, Value, json};
use steadfast_core::event::Event;
use steadfast_core::id::TaskId;
use steadfast_core::ledger::exchange;
use steadfast_core::task::history::{History, Version};
use steadfast_core::task::{Corrupt, Task};
use steadfast_store::{Log, load_events};

use crate::args;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;

/// A task's events with what they say about its ledger.
pub(crate) struct Book {
    events: Vec<Event>,
    /// The task as it is now.
    pub(crate) now: Task,
    pub(crate) history: History,
}

impl Book {
    pub(crate) async fn open(log: &dyn Log, id: &TaskId) -> Result<Book, Error> {
        // Also says so where a task has not begun.
        let now = store::load(log, id).await?;
        let events = load_events(log, id, steadfast_core::id::Seq(1)).await?;
        let salt = now.state.salt;
        let history = History::read(id.clone(), salt, &events).map_err(corrupt)?;
        Ok(Book {
            events,
            now,
            history,
        })
    }

    /// The number of the last version.
    pub(crate) fn latest(&self) -> u64 {
        self.history.versions.last().map_or(1, |one| one.number)
    }

    pub(crate) fn version(&self, number: u64) -> Result<&Version, Error> {
        let last = self.latest();
        self.history
            .version(number)
            .ok_or_else(|| Error::NoVersion {
                task: self.now.state.task.clone(),
                version: number,
                last,
            })
    }

    /// The task as it last was under a version.
    pub(crate) fn at(&self, version: &Version) -> Result<Task, Error> {
        let upto = self.events.partition_point(|one| one.seq <= version.until);
        let (id, salt) = (self.now.state.task.clone(), self.now.state.salt);
        Task::fold(id, salt, &self.events[..upto]).map_err(corrupt)
    }
}

fn corrupt(error: Corrupt) -> Error {
    Error::Driver(steadfast::driver::Error::Corrupt(error))
}

pub(crate) async fn run(
    args: &args::Ledger,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let book = Book::open(log.as_ref(), &id).await?;
    if let Some(two) = &args.diff {
        let (from, to) = (book.version(two[0])?, book.version(two[1])?);
        let (from, to) = match from.number <= to.number {
            true => (from, to),
            false => (to, from),
        };
        match printer.json {
            true => printer.json(&diff::json(&book.history, from.number, to.number))?,
            false => printer.data(&diff::text(&book, from, to, &book.now))?,
        }
        return Ok(Exit::Ok);
    }
    let latest = book.latest();
    let version = book.version(args.version.unwrap_or(latest))?;
    let task = book.at(version)?;
    match printer.json {
        true => printer.json(&exported(&task, &book.history))?,
        false => {
            let mut text = show::text(&task, &book.history, version, latest);
            let asks = !task.state.ledger.unresolved.is_empty();
            if version.number == latest && asks && book.now.state.outcome().is_none() {
                let confirm = settings.command(&format!("confirm {id}"));
                text.push_str(&format!(
                    "\n\nanswer with `{confirm} QUESTION --choose N`, or `--keep`"
                ));
            }
            printer.data(&text)?;
        }
    }
    Ok(Exit::Ok)
}

/// The ledger in the article's shape, with facts, rules at rest and the history
/// beside it.
fn exported(task: &Task, history: &History) -> Value {
    let ledger = &task.state.ledger;
    let mut out = exchange::export(ledger, &show::input_in_force(task));
    let fields = out.as_object_mut().expect("an export is an object");
    fields.insert("task".to_owned(), json!(task.state.task));
    let resting = ledger
        .constraints
        .iter()
        .filter(|one| !ledger.holds(one.id));
    let resting: Vec<Value> = resting
        .map(|one| json!({ "id": one.id.to_string(), "rule": one.rule, "words": one.words }))
        .collect();
    if !resting.is_empty() {
        fields.insert("at_rest".to_owned(), resting.into());
    }
    let facts = task.state.facts.iter().map(|(name, fact)| {
        let told = json!({ "value": fact.value, "source": fact.source, "event": fact.seq });
        (name.clone(), told)
    });
    let facts: Map<String, Value> = facts.collect();
    if !facts.is_empty() {
        fields.insert("facts".to_owned(), facts.into());
    }
    let conflicts = &task.state.stands.conflicts;
    if !conflicts.is_empty() {
        fields.insert("conflicts".to_owned(), json!(conflicts));
    }
    let versions = history.between(0, ledger.version).map(diff::version);
    fields.insert("history".to_owned(), versions.collect());
    out
}
