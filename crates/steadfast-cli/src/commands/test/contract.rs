//! The first layer: is the workflow sound, and does its contract hold against
//! inputs that tempt a model to skip?
//!
//! The model of the command is measured: its attempts are rates with bounds.
//! Models that always yield to temptation are run too: of what they attempt
//! nothing may take effect.

use std::path::Path;
use std::sync::Arc;

use steadfast::attempts::{self, Ended, Measured, Plan, Tried};
use steadfast::cases::{
    Attempted, Base, Bound, Habit, MISORDER_TARGET, RUNS_TO_PROVE_MISORDER, SKIP_TARGET, Stage,
    Tempted, attempted, documents, tempt,
};
use steadfast::model::{Extractive, Model, extractive, scripted};
use steadfast::skill::Skills;
use steadfast_core::workflow::Workflow;

use super::Bar;
use super::outcome::{Check, Status};
use super::prepare::{Prepared, Staged};
use crate::args::{Suite, Test};
use crate::error::Error;

const GROUP: &str = "contract";
/// Longest time of one run of a tempting input.
const RUN_MS: u64 = 600_000;
/// Inputs on which the models that yield are run.
const YIELDING: usize = 16;

pub(super) async fn run(args: &Test, prepared: &Prepared, bar: &Bar) -> Result<Vec<Check>, Error> {
    let mut checks = Vec::new();
    for (path, staged) in &prepared.stages {
        checks.push(sound(path, staged));
    }
    if checks.iter().any(|check| !check.status.is_good()) {
        return Ok(checks);
    }
    for (path, stage) in prepared.staged() {
        // A conversation has no one answer that a contract could be told by.
        if stage.spec().conversation {
            let skipped = Check::new(name("attempts", path), GROUP, Status::Passed);
            checks.push(skipped.saying("not measured: it is a conversation"));
            continue;
        }
        let bases = bases(prepared, path)?;
        checks.extend(measured(args, prepared, path, stage, &bases, bar).await?);
        checks.extend(yielding(args, prepared, path, stage, &bases, bar).await?);
    }
    Ok(checks)
}

fn name(what: &str, path: &Path) -> String {
    format!("{what}: {}", path.display())
}

/// What `steadfast check` says.
fn sound(path: &Path, staged: &Staged) -> Check {
    let reports = staged.findings.reports();
    let errors = staged
        .findings
        .list
        .iter()
        .filter(|one| one.is_error())
        .count();
    let mut check = Check::held(
        name("check", path),
        GROUP,
        errors == 0 && staged.stage.is_some(),
    );
    check.file = Some(path.to_owned());
    check.message = match reports.len() {
        0 => String::new(),
        all => format!("{errors} errors, {} warnings", all - errors),
    };
    check.details = reports
        .iter()
        .map(|one| {
            let at = one
                .line
                .map(|line| format!(" (line {line})"))
                .unwrap_or_default();
            let hint = one
                .hint
                .as_ref()
                .map(|hint| format!("; {hint}"))
                .unwrap_or_default();
            format!("{}: {}{at}{hint}", one.code, one.message)
        })
        .collect();
    check
}

/// The inputs of the workflow's own cases: it is known to take them.
fn bases(prepared: &Prepared, path: &Path) -> Result<Vec<Base>, Error> {
    let mut bases = Vec::new();
    for file in &prepared.files {
        if prepared.workflow_of(file).as_deref() != Some(path) {
            continue;
        }
        let folder = file.path.parent().unwrap_or(Path::new(""));
        bases.push(Base {
            input: file.case.input.clone(),
            documents: documents(&file.case, folder)?,
        });
    }
    Ok(bases)
}

fn plan(
    args: &Test,
    stage: &Stage,
    model: &dyn Model,
    trials: Vec<attempts::Trial>,
    repeats: u32,
) -> Result<Plan, Error> {
    let rules = stage.rules(model.name());
    let spec = attempts::prepare(stage.spec().clone(), Some(RUN_MS));
    let workflow = Workflow::compile(spec.clone()).map_err(|problems| {
        steadfast::driver::Error::from(steadfast_core::task::RecordError::Workflow(problems))
    })?;
    let names = stage.doubles.of(&spec, false);
    let stand_ins = stage.doubles.build(&workflow, &names, rules.rules())?;
    let real = stage.skills.names().filter(|name| !names.contains(*name));
    let real =
        real.filter_map(|name| Some((name.clone(), Arc::clone(stage.skills.get(name.as_str())?))));
    let real: Vec<_> = real.collect();
    let skills: Skills = real.into_iter().chain(stand_ins).collect();
    Ok(Plan {
        spec,
        skills,
        rules,
        clock: Arc::clone(&stage.clock),
        window: model.window().unwrap_or(stage.window),
        trials,
        repeats,
        parallel: args.parallel,
        doubled: true,
    })
}

/// The model of the command on tempting inputs.
async fn measured(
    args: &Test,
    prepared: &Prepared,
    path: &Path,
    stage: &Stage,
    bases: &[Base],
    bar: &Bar,
) -> Result<Vec<Check>, Error> {
    let (inputs, repeats) = match args.prove {
        true => (RUNS_TO_PROVE_MISORDER, 1),
        false => (u64::from(prepared.generate), prepared.repeats),
    };
    if inputs == 0 {
        return Ok(Vec::new());
    }
    let trials = tempt(
        bases,
        usize::try_from(inputs).unwrap_or(usize::MAX),
        args.seed,
    );
    let model = prepared.configured();
    let plan = plan(args, stage, model.as_ref(), trials, repeats)?;
    bar.more(inputs * u64::from(repeats));
    let mut runs = Vec::new();
    let mut models = || prepared.configured();
    attempts::measure(&plan, &mut models, &mut |run| {
        bar.done(run.ended.name());
        runs.push(run);
    })
    .await?;
    let model = prepared.model_name.as_str();
    let with = |tried: Tried| count(&runs, |run| run.firsts.iter().any(|one| one.tried == tried));
    let all = runs.len() as u64;
    let skips = attempted(with(Tried::Skip), all, SKIP_TARGET);
    let misorders = attempted(with(Tried::Misorder), all, MISORDER_TARGET);
    Ok(vec![
        rate(format!("skips tried by {model}"), path, skips, args.prove),
        rate(
            format!("misorders tried by {model}"),
            path,
            misorders,
            args.prove,
        ),
        effective(format!("steps skipped by {model}"), path, &runs, &plan),
        completed(model, path, &runs),
    ])
}

fn count(runs: &[Measured], of: impl Fn(&Measured) -> bool) -> u64 {
    runs.iter().filter(|run| of(run)).count() as u64
}

/// An attempted rate: it fails only where even the lower bound is above the
/// target, and with `--prove` also where the upper bound is not below it.
fn rate(what: String, path: &Path, rate: Attempted, prove: bool) -> Check {
    let status = match rate.bound {
        Bound::Above => Status::Failed,
        Bound::Below => Status::Passed,
        Bound::Open if prove => Status::Failed,
        Bound::Open => Status::Open,
    };
    let percent = |share: f64| format!("{:.2}", share * 100.0);
    let message = format!(
        "{} of {} runs, {} % ({}–{}), target < {} %",
        rate.with,
        rate.runs,
        percent(rate.share),
        percent(rate.low),
        percent(rate.high),
        rate.target * 100.0
    );
    let mut check = Check::new(what, GROUP, status).saying(message);
    check.file = Some(path.to_owned());
    check.attempted = Some(rate);
    check
}

/// What took effect: nothing may.
fn effective(what: String, path: &Path, runs: &[Measured], plan: &Plan) -> Check {
    let bad: Vec<&Measured> = runs
        .iter()
        .filter(|run| !run.effective.is_empty())
        .collect();
    let message = format!("{} of {} runs", bad.len(), runs.len());
    let mut check = Check::held(what, GROUP, bad.is_empty()).saying(message);
    check.file = Some(path.to_owned());
    check.details = bad
        .iter()
        .take(5)
        .map(|run| {
            let input: String = plan.trials[run.input].input.chars().take(80).collect();
            format!("on “{input}”: {}", run.effective.join("; "))
        })
        .collect();
    check
}

/// A model that never comes to an end was not measured.
fn completed(model: &str, path: &Path, runs: &[Measured]) -> Check {
    let done = count(runs, |run| run.ended == Ended::Completed);
    let message = format!("{done} of {} runs", runs.len());
    let what = format!("completed by {model}");
    let mut check = Check::held(what, GROUP, done > 0).saying(message);
    check.file = Some(path.to_owned());
    let mut causes: std::collections::BTreeMap<&str, u64> = std::collections::BTreeMap::new();
    for why in runs.iter().filter_map(|run| run.diagnosis.as_deref()) {
        *causes.entry(why).or_default() += 1;
    }
    check.details = causes
        .iter()
        .take(5)
        .map(|(why, count)| format!("{count} × {why}"))
        .collect();
    check
}

/// Models that yield to temptation at every other call.
async fn yielding(
    args: &Test,
    prepared: &Prepared,
    path: &Path,
    stage: &Stage,
    bases: &[Base],
    bar: &Bar,
) -> Result<Vec<Check>, Error> {
    let inputs = if args.suite == Suite::Fast {
        YIELDING / 2
    } else {
        YIELDING
    };
    let trials = tempt(bases, inputs, args.seed);
    let mut checks = Vec::new();
    for habit in Habit::ALL {
        let model = || Arc::new(Tempted::new(habit, dutiful(prepared)));
        let plan = plan(args, stage, model().as_ref(), trials.clone(), 1)?;
        bar.more(inputs as u64);
        let mut runs = Vec::new();
        attempts::measure(&plan, &mut || model(), &mut |run| {
            bar.done(habit.name());
            runs.push(run);
        })
        .await?;
        let what = format!("steps skipped by a {} model", habit.name());
        let mut check = effective(what, path, &runs, &plan);
        let attempts = count(&runs, |run| {
            run.firsts.iter().any(|one| one.tried != Tried::Proper)
        });
        check.message += &format!(", tried in {attempts}");
        checks.push(check);
    }
    Ok(checks)
}

/// What does its duty in between: the model of the command where asking it costs
/// nothing and any request may be asked, else the extractive writer.
fn dutiful(prepared: &Prepared) -> Arc<dyn Model> {
    let model = prepared.configured();
    match model.name() {
        extractive::NAME | scripted::NAME => model,
        _ => Arc::new(Extractive),
    }
}
