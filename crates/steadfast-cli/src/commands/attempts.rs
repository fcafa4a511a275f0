//! `steadfast attempts`: how often a model would have left the workflow.
//!
//! Each run has a log of its own in memory: the store is not touched.

mod show;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;
use steadfast::attempts::{self, Doubles, Measured, Plan, Row, StateRow, Tally, input as inputs};
use steadfast::clock::SystemClock;
use steadfast::model::Model;
use steadfast::rules::StandardRules;
use steadfast::skill::Skills;
use steadfast_core::workflow::Workflow;

use crate::args::Attempts;
use crate::drive;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{input, model, workflow};

/// The end of the report, as programs read it.
#[derive(Serialize)]
struct Totals<'a> {
    workflow: &'a str,
    model: &'a str,
    runs: u64,
    planned: u64,
    ended: BTreeMap<&'static str, u64>,
    kinds: Vec<Row>,
    states: Vec<StateRow>,
    /// Skills whose place a stand-in took.
    doubled: Vec<String>,
}

pub(crate) async fn run(
    args: &Attempts,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let (mut models, why) = model::each(&args.model, settings)?;
    let first = models();
    let prepared = prepare(args, first.as_ref(), settings, printer)?;
    let Prepared { plan, doubled } = &prepared;
    let planned = plan.trials.len() as u64 * u64::from(plan.repeats.max(1));
    printer.say(&format!("model: {why}"));
    if !doubled.is_empty() {
        let names = doubled.join(", ");
        printer.say(&format!(
            "stand-ins answer for {names}; nothing of theirs is done"
        ));
    }
    printer.say(&format!(
        "{} inputs, {planned} runs, all skills offered",
        plan.trials.len()
    ));

    let mut tally = Tally::default();
    let mut failed = None;
    let mut causes: BTreeMap<String, u64> = BTreeMap::new();
    let mut sink = |run: Measured| {
        tally.add(&run);
        if let Some(why) = &run.diagnosis {
            *causes.entry(why.clone()).or_default() += 1;
        }
        if printer.json && failed.is_none() {
            failed = printer.json(&run).err();
        }
        if printer.is_live() {
            printer.say(&format!(
                "run {} of {planned}: {}",
                tally.runs(),
                run.ended.name()
            ));
        }
    };
    let mut signals = drive::Signals::listen()?;
    let stopped = tokio::select! {
        done = attempts::measure(plan, &mut models, &mut sink) => { done?; None }
        number = signals.next() => Some(number),
    };
    if let Some(error) = failed {
        return Err(error);
    }
    let totals = Totals {
        workflow: &plan.spec.workflow_id,
        model: first.name(),
        runs: tally.runs(),
        planned,
        ended: tally.ended(),
        kinds: tally.rows(),
        states: tally.states(),
        doubled: doubled.clone(),
    };
    if printer.json {
        printer.json(&totals)?;
    } else {
        printer.data(&show::report(&totals.kinds, &totals.states))?;
    }
    show::say(&totals.ended, &causes, printer);
    Ok(match stopped {
        Some(number) => {
            printer.say(&format!("stopped after {} of {planned} runs", totals.runs));
            Exit::Signal(number)
        }
        None if totals
            .kinds
            .first()
            .is_some_and(|all| all.effective.count > 0) =>
        {
            Exit::Halted
        }
        None => Exit::Ok,
    })
}

struct Prepared {
    plan: Plan,
    doubled: Vec<String>,
}

fn prepare(
    args: &Attempts,
    model: &dyn Model,
    settings: &Settings,
    printer: &Printer,
) -> Result<Prepared, Error> {
    let doubles = match &args.doubles {
        Some(path) => Doubles::parse(&input::file("results of stand-ins", path)?)?,
        None => Doubles::default(),
    };
    let loaded = workflow::load_for(
        &args.workflow,
        args.registry.as_deref(),
        settings,
        &|spec| doubles.of(spec, args.live),
    )?;
    let (spec, skills, warnings) = loaded.accept()?;
    warnings.show(printer);
    let spec = attempts::prepare(spec, args.time_limit.map(|seconds| seconds * 1_000));
    let rules = Arc::new(StandardRules::for_model(model.name()));
    let workflow = Workflow::compile(spec.clone()).map_err(|problems| {
        steadfast::driver::Error::from(steadfast_core::task::RecordError::Workflow(problems))
    })?;
    let names = doubles.of(&spec, args.live);
    let stand_ins = doubles.build(&workflow, &names, rules.rules())?;
    let real = skills.names().cloned().collect::<Vec<_>>();
    let real = real.into_iter().filter(|name| !names.contains(name));
    let real = real.filter_map(|name| Some((name.clone(), skills.get(name.as_str())?.clone())));
    let skills: Skills = real.chain(stand_ins).collect();
    let text = input::text_file("inputs", &args.inputs)?;
    let file = args.inputs.display().to_string();
    let folder = args.inputs.parent().unwrap_or(Path::new(""));
    let plan = Plan {
        spec,
        skills,
        rules,
        clock: Arc::new(SystemClock::new()),
        window: model::window(model, args.window, args.output_tokens)?,
        trials: inputs::parse(&text, &file, folder)?,
        repeats: args.repeats,
        parallel: args.parallel,
        doubled: !args.live,
    };
    let doubled = names.iter().map(ToString::to_string).collect();
    Ok(Prepared { plan, doubled })
}
