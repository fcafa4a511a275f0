//! `steadfast drill`: long dialogues with a model, or with models that fail on
//! purpose, under Steadfast and under what is commonly done instead.
//!
//! Each dialogue has a log of its own in memory: the store is not touched, and
//! what the tools of a drill do is done to nothing.

mod cost;
mod page;
mod show;

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use steadfast::clock::{Clock, SystemClock};
use steadfast::drill::{self, Method, Models, Plan, Report, Run, Speech, Virtual};
use steadfast::model::Model;
use steadfast_core::event::task::Window;
use steadfast_core::limits;
use steadfast_sim::zoo::{Mind, Talker};

use crate::args::Drill;
use crate::drive::Signals;
use crate::error::Error;
use crate::exit::Exit;
use crate::model;
use crate::printer::Printer;
use crate::settings::Settings;

/// The name of the models that fail on purpose.
const ZOO: &str = "zoo";

pub(crate) async fn run(
    args: &Drill,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let of_zoo = args.model == ZOO || args.model.starts_with("zoo:");
    let models = match of_zoo {
        true => zoo(&args.model, args.seed)?,
        false => vec![asked(&args.model, settings, printer)?],
    };
    let plan = plan(args, &models, of_zoo)?;
    let turns: usize = plan.dialogues.iter().map(|one| one.turns.len()).sum();
    let total = plan.runs(models.len());
    printer.say(&format!(
        "{} of {turns} messages in all, {total} runs",
        show::dialogues(plan.dialogues.len())
    ));
    if let Some(path) = &args.html {
        // A drill may take hours: whether it can be written is known before.
        writable(path)?;
    }
    let done: RefCell<Vec<Run>> = RefCell::default();
    let mut progress = |run: &Run| {
        done.borrow_mut().push(run.clone());
        if printer.is_live() {
            let done = done.borrow().len();
            let kept = if run.score.all_kept { "kept" } else { "broken" };
            let (model, method) = (&run.model, run.method.name());
            printer.say(&format!("run {done} of {total}: {model}, {method}: {kept}"));
        }
    };
    let mut signals = Signals::listen()?;
    let runs = tokio::select! {
        runs = drill::run(&plan, &models, &mut progress) => Ok(runs),
        number = signals.next() => Err(number),
    };
    // What was run until it was stopped is told all the same: it may have cost much.
    let (runs, stopped) = match runs {
        Ok(runs) => (runs.map_err(|drill::Error::Driver(error)| error)?, None),
        Err(number) => (done.take(), Some(number)),
    };
    if stopped.is_some() {
        printer.say(&format!("stopped after {} of {total} runs", runs.len()));
    }
    if let (Some(number), true) = (stopped, runs.is_empty()) {
        return Ok(Exit::Signal(number));
    }
    let report = Report::of(&plan, args.seed, runs);
    if let Some(path) = &args.html {
        write(path, &page::page(&report))?;
        printer.say(&format!("the report is in `{}`", path.display()));
    }
    match printer.json {
        true => printer.json(&report)?,
        false => printer.data(&show::table(&report))?,
    }
    show::say(&report, printer);
    if let Some(number) = stopped {
        return Ok(Exit::Signal(number));
    }
    // A model of flesh may leave a message unanswered; one of the zoo may not.
    let failed = report.breached().next().is_some() || (of_zoo && report.halted().next().is_some());
    Ok(if failed { Exit::Halted } else { Exit::Ok })
}

fn plan(args: &Drill, models: &[Models], of_zoo: bool) -> Result<Plan, Error> {
    let speeches = match args.languages.is_empty() {
        true => Speech::ALL.to_vec(),
        false => args.languages.iter().map(|one| (*one).into()).collect(),
    };
    let speeches = speeches.into_iter().cycle();
    let dialogues = (0..u64::from(args.dialogues)).zip(speeches);
    let dialogues =
        dialogues.map(|(number, speech)| drill::dialogue(args.seed.wrapping_add(number), speech));
    let methods = match args.methods.is_empty() {
        true => Method::ALL.to_vec(),
        false => args.methods.iter().map(|one| (*one).into()).collect(),
    };
    let window = match models.first() {
        Some(first) => model::window((first.make)(0).as_ref(), args.window, args.output_tokens)?,
        None => Window {
            tokens: limits::WINDOW_TOKENS_DEFAULT,
            output_tokens: limits::OUTPUT_TOKENS_DEFAULT,
        },
    };
    Ok(Plan {
        dialogues: dialogues.collect(),
        methods,
        repeats: args.repeats,
        window,
        clock: match of_zoo {
            true => || Arc::new(Virtual::new()) as Arc<dyn Clock>,
            false => || Arc::new(SystemClock::new()) as Arc<dyn Clock>,
        },
    })
}

/// The failing models, or the one that is named.
fn zoo(name: &str, seed: u64) -> Result<Vec<Models>, Error> {
    let minds = match name.strip_prefix("zoo:") {
        None => Mind::ALL.to_vec(),
        Some(one) => {
            let unknown = || Error::NoMind {
                name: one.to_owned(),
            };
            vec![Mind::find(one).ok_or_else(unknown)?]
        }
    };
    let of = |mind: Mind| Models {
        name: mind.name().to_owned(),
        make: Box::new(move |repeat| {
            let seed = seed.wrapping_add(u64::from(repeat) << 32);
            Arc::new(Talker { mind, seed }) as Arc<dyn Model>
        }),
    };
    Ok(minds.into_iter().map(of).collect())
}

/// A model that is not of the zoo.
fn asked(name: &str, settings: &Settings, printer: &Printer) -> Result<Models, Error> {
    let (mut models, why) = model::each(name, settings)?;
    printer.say(&format!("model: {why}"));
    let name = models().name().to_owned();
    let models = RefCell::new(models);
    Ok(Models {
        name,
        make: Box::new(move |_| (*models.borrow_mut())()),
    })
}

/// Whether a file can be written. What it holds stays: a drill that is stopped has
/// nothing to put in the place of the report before.
fn writable(path: &Path) -> Result<(), Error> {
    let opened = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path);
    opened.map(drop).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    std::fs::write(path, text).map_err(|source| Error::Write {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_that_is_there_stays_until_the_next_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drill.html");
        std::fs::write(&path, "the report before").unwrap();
        writable(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "the report before");
        assert!(writable(&folder.path().join("nowhere/drill.html")).is_err());
    }
}
