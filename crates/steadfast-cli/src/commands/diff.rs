//! `steadfast diff`: the first step where two runs part, by hash.
//!
//! First the moves of the machine with the hashes of their results, then what
//! the models were shown. Names that differ from task to task by construction
//! (salted hashes, keys) are made alike before contexts are compared.

mod contexts;

use serde::Serialize;
use steadfast::driver::{Transition, transitions};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_store::{SqliteLog, load_events};

use crate::args::Diff;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::store;
use contexts::Shown;

/// What was found. Steps count from 1.
#[derive(Serialize)]
struct Findings {
    first: TaskId,
    second: TaskId,
    same: bool,
    same_workflow: bool,
    same_input: bool,
    transitions: Option<Parting<Option<Move>>>,
    contexts: Option<Parting<Option<Shown>>>,
}

/// Where a sequence differs, and what each run has there; none beyond its end.
#[derive(Serialize)]
struct Parting<T> {
    at: usize,
    first: T,
    second: T,
}

/// A move without what differs from run to run.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Move {
    from: String,
    to: String,
    skill: Option<String>,
    result_hash: Option<String>,
}

/// One of the two runs.
struct Run {
    id: TaskId,
    events: Vec<Event>,
    moves: Vec<Move>,
    contexts: Vec<Shown>,
}

pub(crate) async fn run(
    args: &Diff,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let first = load(&log, &args.first).await?;
    let second = load(&log, &args.second).await?;
    let findings = compare(&first, &second);
    if printer.json {
        printer.json(&findings)?;
    } else {
        printer.data(&told(&findings, &first, &second))?;
    }
    Ok(if findings.same {
        Exit::Ok
    } else {
        Exit::Halted
    })
}

async fn load(log: &SqliteLog, given: &str) -> Result<Run, Error> {
    let id = store::find(log, given).await?;
    let mut events = load_events(log, &id, Seq(1)).await?;
    let plain = |line: Transition| Move {
        from: line.from,
        to: line.to,
        skill: line.skill,
        result_hash: line.result_hash,
    };
    let moves = transitions(&id, &events).into_iter().map(plain).collect();
    let contexts = contexts::contexts(log, &id, &mut events).await?;
    Ok(Run {
        id,
        events,
        moves,
        contexts,
    })
}

fn compare(first: &Run, second: &Run) -> Findings {
    let start = |run: &Run| match run.events.first().map(|event| &event.body) {
        Some(Body::TaskStarted(body)) => Some((body.fingerprint, body.input.text().into_owned())),
        _ => None,
    };
    let (a, b) = (start(first), start(second));
    let same_workflow = a.as_ref().map(|one| one.0) == b.as_ref().map(|one| one.0);
    let same_input = a.map(|one| one.1) == b.map(|one| one.1);
    let transitions = parting(&first.moves, &second.moves);
    let contexts = parting(&first.contexts, &second.contexts);
    Findings {
        first: first.id.clone(),
        second: second.id.clone(),
        same: transitions.is_none() && contexts.is_none(),
        same_workflow,
        same_input,
        transitions,
        contexts,
    }
}

fn parting<T: Clone + PartialEq>(first: &[T], second: &[T]) -> Option<Parting<Option<T>>> {
    let until = first.len().max(second.len());
    let at = (0..until).find(|&at| first.get(at) != second.get(at))?;
    let of = |run: &[T]| run.get(at).cloned();
    Some(Parting {
        at: at + 1,
        first: of(first),
        second: of(second),
    })
}

fn told(findings: &Findings, first: &Run, second: &Run) -> String {
    let mut lines = Vec::new();
    let alike = |same: bool| if same { "the same" } else { "different" };
    lines.push(format!("workflow: {}", alike(findings.same_workflow)));
    lines.push(format!("input: {}", alike(findings.same_input)));
    let move_of = |one: &Option<Move>| match one {
        None => "stops here".to_owned(),
        Some(one) => {
            let skill = one.skill.as_deref().unwrap_or("(no call)");
            let result = one.result_hash.as_deref().unwrap_or("(no result)");
            format!("{} → {}  {skill}  {result}", one.from, one.to)
        }
    };
    match &findings.transitions {
        None => lines.push(format!("transitions: all {} the same", first.moves.len())),
        Some(parting) => {
            lines.push(format!("transitions: the runs part at {}", parting.at));
            lines.push(format!("  {}  {}", first.id, move_of(&parting.first)));
            lines.push(format!("  {}  {}", second.id, move_of(&parting.second)));
        }
    }
    match &findings.contexts {
        None => lines.push(format!("contexts: all {} the same", first.contexts.len())),
        Some(parting) => {
            let of =
                |one: &Option<Shown>| one.as_ref().map_or("stops here".to_owned(), Shown::told);
            lines.push(format!(
                "contexts: the models were first shown something else at {}",
                parting.at
            ));
            lines.push(format!("  {}  {}", first.id, of(&parting.first)));
            lines.push(format!("  {}  {}", second.id, of(&parting.second)));
            let fragments = contexts::differing(parting.first.as_ref(), parting.second.as_ref());
            lines.extend(
                fragments
                    .into_iter()
                    .map(|fragment| format!("  differs in {fragment}")),
            );
        }
    }
    lines.join("\n")
}
