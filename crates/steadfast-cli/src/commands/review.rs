//! `steadfast review`: a sample of what models decided, and a person's word on it.

use std::io::BufRead;

use steadfast::audit::rates::Rate;
use steadfast::clock::{Clock, SystemClock};
use steadfast::review::{Decision, Review, Reviews, decisions, draw, parse};
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, load_events};

use crate::args;
use crate::error::Error;
use crate::exit::Exit;
use crate::input;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;
use crate::time;

pub(crate) async fn run(
    args: &args::Review,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let mut book = Book {
        reviews: load(settings)?,
        by: settings.principal(args.by.as_deref()).to_string(),
    };
    let given = match (&args.task, args.step) {
        (Some(task), Some(step)) => {
            let task = store::find(log.as_ref(), task).await?;
            vec![verdict(task, step, args.right, args.note.clone())]
        }
        _ => match &args.record {
            Some(path) => listed(path)?,
            None => return sampled(args, log.as_ref(), &mut book, printer).await,
        },
    };
    // All or none: a list with a step that nobody took is a mistake as a whole.
    for one in &given {
        known(log.as_ref(), one).await?;
    }
    let count = given.len();
    for one in given {
        book.add(one)?;
    }
    printer.say(&format!("{count} recorded in `{}`", book.file()));
    Ok(Exit::Ok)
}

/// The verdicts beside the store.
pub(crate) fn load(settings: &Settings) -> Result<Reviews, Error> {
    Reviews::load(&settings.store).map_err(|(line, why)| Error::Reviews {
        path: Reviews::path(&settings.store),
        line,
        why,
    })
}

struct Book {
    reviews: Reviews,
    by: String,
}

impl Book {
    fn add(&mut self, mut review: Review) -> Result<(), Error> {
        if review.by.is_empty() {
            review.by.clone_from(&self.by);
        }
        if review.at.is_empty() {
            review.at = time::utc(SystemClock::new().now()).replace(' ', "T");
        }
        let path = self.reviews.file().to_owned();
        self.reviews
            .add(&review)
            .map_err(|source| Error::Write { path, source })
    }

    fn file(&self) -> String {
        self.reviews.file().display().to_string()
    }
}

fn verdict(task: TaskId, step: u32, right: bool, note: Option<String>) -> Review {
    Review {
        task,
        step,
        right,
        by: String::new(),
        at: String::new(),
        note,
    }
}

fn listed(path: &std::path::Path) -> Result<Vec<Review>, Error> {
    let text = input::text_file("reviews", path)?;
    parse(&text).map_err(|(line, why)| Error::Reviews {
        path: path.to_owned(),
        line,
        why,
    })
}

/// A verdict about a step that there is not would be counted all the same.
async fn known(log: &dyn Log, review: &Review) -> Result<(), Error> {
    let events = load_events(log, &review.task, Seq(1)).await?;
    let steps = decisions("", &review.task, &events);
    match steps.iter().any(|one| one.step == review.step) {
        true => Ok(()),
        false => Err(Error::NoContext {
            task: review.task.clone(),
            step: Some(review.step),
            last: steps.last().map_or(0, |one| one.step),
        }),
    }
}

/// Shows a sample, and takes the answers from stdin.
async fn sampled(
    args: &args::Review,
    log: &dyn Log,
    book: &mut Book,
    printer: &Printer,
) -> Result<Exit, Error> {
    let all = all(args, log).await?;
    let drawn = draw(all, args.sample, args.seed);
    if printer.json {
        for one in &drawn {
            printer.json(one)?;
        }
        return Ok(Exit::Ok);
    }
    let open: Vec<&Decision> = drawn
        .iter()
        .filter(|one| !book.reviews.has(&one.task, one.step, &book.by))
        .collect();
    printer.say(&format!(
        "{} steps drawn, {} not judged by `{}` yet; y right, n wrong, s skip, q end",
        drawn.len(),
        open.len(),
        book.by
    ));
    let mut lines = std::io::stdin().lock().lines();
    'steps: for (at, one) in open.iter().enumerate() {
        printer.data(&card(one, at + 1, open.len()))?;
        loop {
            printer.prompt("right? [y/n/s/q] ");
            let line = lines.next().transpose();
            let line = line.map_err(|source| Error::Read {
                what: "answer",
                path: "-".into(),
                source,
            })?;
            let Some(line) = line else { break 'steps };
            let (word, note) = match line.trim().split_once(' ') {
                Some((word, note)) => (word, Some(note.trim().to_owned())),
                None => (line.trim(), None),
            };
            match word {
                "y" | "n" => {
                    book.add(verdict(one.task.clone(), one.step, word == "y", note))?;
                    continue 'steps;
                }
                "s" => continue 'steps,
                "q" => break 'steps,
                _ => printer.say("y, n, s or q; a note may follow y or n"),
            }
        }
    }
    result(&drawn, book, printer);
    Ok(Exit::Ok)
}

/// The share of right steps by workflow, as far as they were judged.
fn result(drawn: &[Decision], book: &Book, printer: &Printer) {
    let mut tasks: Vec<(&str, &TaskId)> = drawn
        .iter()
        .map(|one| (one.workflow.as_str(), &one.task))
        .collect();
    tasks.sort_unstable();
    tasks.dedup();
    let mut sums = std::collections::BTreeMap::<&str, (u64, u64)>::new();
    for (workflow, task) in tasks {
        let counted = book.reviews.of(task);
        let sum = sums.entry(workflow).or_default();
        *sum = (sum.0 + counted.right, sum.1 + counted.reviewed);
    }
    for (workflow, (right, of)) in sums.into_iter().filter(|(_, (_, of))| *of > 0) {
        let rate = Rate::new(right, of);
        printer.say(&format!(
            "{workflow}: {right} of {of} judged right, {:.1} % ({:.1}–{:.1})",
            rate.percent, rate.low, rate.high
        ));
    }
}

async fn all(args: &args::Review, log: &dyn Log) -> Result<Vec<Decision>, Error> {
    let filter = TaskFilter {
        workflow_id: args.workflow.clone(),
        parent: None,
        status: None,
        limit: limits::TASKS_LISTED_MAX,
    };
    let only = match &args.task {
        Some(given) => Some(store::find(log, given).await?),
        None => None,
    };
    let from = args.since.map(|hours| {
        let now = SystemClock::new().now();
        Timestamp(now.0 - i64::from(hours) * 3_600_000_000)
    });
    let mut found = Vec::new();
    for summary in log.tasks(&filter).await? {
        if only.as_ref().is_some_and(|only| *only != summary.id)
            || from.is_some_and(|from| summary.created_at < from)
        {
            continue;
        }
        // What was forgotten shows nothing to judge.
        if let Ok(events) = load_events(log, &summary.id, Seq(1)).await {
            found.extend(decisions(&summary.workflow_id, &summary.id, &events));
        }
    }
    Ok(found)
}

fn card(one: &Decision, at: usize, of: usize) -> String {
    let state = one.state.as_ref().map_or("–", |state| state.as_str());
    let mut lines = vec![
        format!(
            "── {at} of {of}: {} {} step {}, state {state}",
            one.workflow, one.task, one.step
        ),
        format!("asked     {}", one.asked),
    ];
    if let Some(before) = &one.before {
        lines.push(format!("had       {before}"));
    }
    lines.extend(one.proposed.iter().map(|text| format!("proposed  {text}")));
    lines.extend(one.gate.iter().map(|text| format!("gate      {text}")));
    lines.extend(one.results.iter().map(|text| format!("result    {text}")));
    lines.join("\n")
}
