//! `steadfast repair`: a person says what is wrong in a task, sees how far back
//! it reaches, and has it redone from there. Without a fault it lists the repairs
//! that were made, with the shares of their levels.
//!
//! What is shown is what would be done as the log now stands: the same plan is
//! made again when the repair is due, since a call may be in flight until then.

use serde_json::{Value, json};
use steadfast::clock::{Clock, SystemClock};
use steadfast::rules::StandardRules;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{CallId, Epoch, Seq};
use steadfast_core::repair::{self, Fault, Level, Plan, Request};
use steadfast_core::task::Task;
use steadfast_core::task::input::{Command, Input};
use steadfast_core::task::record::Turn;
use steadfast_store::load_events;

use crate::args::Repair;
use crate::commands::resume;
use crate::content::excerpt;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{pending, secrets, store};

/// Characters of a deed's arguments in a line.
const SHOWN: usize = 100;

pub(crate) async fn run(
    args: Repair,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    let task = store::load(log.as_ref(), &id).await?;
    let mut events = load_events(log.as_ref(), &id, Seq(1)).await?;
    let Some((cause, value)) = fault(&args) else {
        return list(&task, &events, printer);
    };
    let command = Command::Repair {
        cause,
        level: args.level.and_then(Level::of),
        value,
        reason: args.reason.clone(),
    };
    let command = secrets::cleaned(&command, &task, settings);
    let by = settings.principal(args.by.as_deref());
    let input = Input::Command {
        principal: by.clone(),
        command: command.clone(),
    };
    let (asked, new) = ask(&task, input)?;
    events.extend(new);
    let plan = repair::plan(&id, task.state.salt, &events, &asked);
    let plan = plan.map_err(|why| Error::NoRepair {
        task: id.clone(),
        why: why.to_string(),
    })?;
    show(&task, &asked, &plan, &args, printer)?;
    if args.dry_run {
        return Ok(Exit::Ok);
    }
    pending::post(&log, &id, by, &command).await?;
    if args.resume {
        return resume::go_on(&log, &id, args.onward, settings, printer).await;
    }
    printer.say(&format!(
        "kept for task {id}; where nobody drives it: `{}`",
        settings.command(&format!("resume {id}"))
    ));
    Ok(Exit::Ok)
}

/// What is wrong, and the right value where it was given.
fn fault(args: &Repair) -> Option<(Fault, Option<Value>)> {
    if let Some(given) = &args.fact {
        let (name, value) = match given.split_once('=') {
            Some((name, value)) => {
                let text = || Value::String(value.to_owned());
                let value = steadfast_core::json::parse(value).unwrap_or_else(|_| text());
                (name, Some(value))
            }
            None => (given.as_str(), None),
        };
        let name = name.trim().to_owned();
        return Some((Fault::Fact { name }, value));
    }
    if let Some(call) = &args.call {
        let call = CallId::new(call.clone());
        return Some((Fault::Call { call }, None));
    }
    if let Some(step) = args.step {
        return Some((Fault::Step { step }, None));
    }
    if let Some(name) = args.phase.clone() {
        return Some((Fault::Phase { name }, None));
    }
    let code = args.course.clone()?;
    Some((Fault::Course { code }, None))
}

/// What the task would make of the request, as it now stands.
fn ask(task: &Task, input: Input) -> Result<(Request, Vec<Event>), Error> {
    let rules = StandardRules::for_model("");
    let turn = Turn {
        now: SystemClock::new().now().max(task.state.last_at),
        epoch: Epoch(u64::MAX),
        rules: rules.rules(),
        utc_offset: None,
    };
    let recorded = task.record(input, turn);
    let recorded = recorded.map_err(steadfast::driver::Error::from)?;
    let asked = recorded.task.state.stands.repairs.asked;
    match (recorded.note, asked) {
        (None, Some(asked)) => {
            let request = Request {
                cause: asked.cause,
                known: asked.known,
                level: asked.level,
            };
            Ok((request, recorded.events))
        }
        (note, _) => Err(Error::NoRepair {
            task: task.state.task.clone(),
            why: note.unwrap_or_default(),
        }),
    }
}

fn show(
    task: &Task,
    asked: &Request,
    plan: &Plan,
    args: &Repair,
    printer: &Printer,
) -> Result<(), Error> {
    let deeds: Vec<Value> = plan
        .kept
        .iter()
        .map(|one| {
            json!({
                "call": one.call, "skill": one.skill, "args": one.args.json(),
                "may_rest_on_it": one.tainted, "compensation": compensation(task, one.skill.as_str()),
            })
        })
        .collect();
    if printer.json {
        printer.json(&json!({
            "task": task.state.task, "cause": asked.cause, "level": plan.level.number(),
            "from": plan.from, "to": plan.to, "first": plan.first,
            "steps": plan.voided.steps, "outcomes": plan.voided.outcomes, "deeds": deeds,
            "dry_run": args.dry_run,
        }))?;
        return Ok(());
    }
    let level = plan.level.number();
    let first = plan.first.map_or(String::new(), |seq| {
        format!(", first rested on at event {seq}")
    });
    printer.say(&format!("{} is wrong{first}: level {level}", asked.cause));
    if plan.level == Level::Correct {
        printer.say("nothing is rolled back; the last decision is taken again");
    } else {
        let steps: Vec<String> = plan.voided.steps.iter().map(u32::to_string).collect();
        let steps = match steps.is_empty() {
            true => "no steps".to_owned(),
            false => format!("steps {}", steps.join(", ")),
        };
        printer.say(&format!(
            "beliefs from event {} on are void: {steps}, {} results",
            plan.from,
            plan.voided.outcomes.len()
        ));
    }
    for one in &plan.kept {
        let args = excerpt(&one.args, SHOWN);
        let note = match (one.tainted, compensation(task, one.skill.as_str())) {
            (true, Some(by)) => format!(", and may rest on it: look, and undo it with `{by}`"),
            (true, None) => ", and may rest on it: look".to_owned(),
            (false, _) => String::new(),
        };
        printer.say(&format!("  {} {args} stands{note}", one.skill));
    }
    Ok(())
}

/// The skill that undoes what another has done.
fn compensation(task: &Task, skill: &str) -> Option<String> {
    let spec = task.workflow.skill(skill)?;
    spec.compensation.as_ref().map(ToString::to_string)
}

/// The repairs made, and how far they reached.
fn list(task: &Task, events: &[Event], printer: &Printer) -> Result<Exit, Error> {
    let repairs = &task.state.stands.repairs;
    let made: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.body {
            Body::Repaired(body) => Some((event.seq, body)),
            _ => None,
        })
        .collect();
    if printer.json {
        let list: Vec<Value> = made
            .iter()
            .map(|(seq, body)| {
                json!({
                    "seq": seq, "repair": body.repair, "cause": body.cause,
                    "level": body.level.number(), "from": body.from, "to": body.to,
                    "first": body.first,
                })
            })
            .collect();
        printer.json(&json!({
            "task": task.state.task, "repairs": list, "levels": repairs.made,
            "shares_percent": repairs.shares(),
        }))?;
        return Ok(Exit::Ok);
    }
    for (seq, body) in &made {
        printer.data(&format!(
            "{} at event {seq}: {} was wrong; level {}, events {}–{} count no more",
            body.repair,
            body.cause,
            body.level.number(),
            body.from,
            body.to
        ))?;
    }
    match repairs.shares() {
        Some(shares) => printer.data(&format!(
            "{} repairs: level 1 {:.0} %, level 2 {:.0} %, level 3 {:.0} %",
            shares.repairs, shares.correct, shares.roll_back, shares.restart
        ))?,
        None => printer.say(&format!("task {} was never repaired", task.state.task)),
    }
    Ok(Exit::Ok)
}
