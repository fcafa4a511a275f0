//! `steadfast resume`: goes on with a task, after a crash, a decision or a
//! change of its workflow.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use steadfast::driver::{self, Rest};
use steadfast::model::recorded::Take;
use steadfast::secret::{self, Redactor};
use steadfast::skill::Skills;
use steadfast::spec::differences;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Principal, TaskId};
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_core::task::state::Stage;
use steadfast_core::workflow::Spec;
use steadfast_store::{SqliteLog, Takeover};

use crate::args::{Onward, Resume};
use crate::drive::Engine;
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::{self, Settings};
use crate::{budget, memory, model, pending, report, store, workflow};

pub(crate) async fn run(
    args: Resume,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.task).await?;
    go_on(&log, &id, args.onward, settings, printer).await
}

/// Goes on with a task. One that has ended reports its end again.
pub(crate) async fn go_on(
    log: &Arc<SqliteLog>,
    id: &TaskId,
    onward: Onward,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let id = &first_of_tree(log, id, printer).await?;
    let task = store::load(log.as_ref(), id).await?;
    let reopened = pending::reopens(log.as_ref(), id).await?;
    if let Some(outcome) = task.state.outcome().filter(|_| !reopened) {
        return report::report(&task, &Rest::Ended(outcome.clone()), settings, printer);
    }
    let origin = Origin::load(settings, id)?;
    let change = budget::read(&onward.budget)?;
    let skills = skills(log, &task, origin.as_ref(), &onward, settings, printer).await?;
    if !change.is_empty() {
        let command = Command::SetBudget { change };
        pending::post(log, id, principal(settings), &command).await?;
    }
    let begun_with = origin.as_ref().map(|origin| origin.model.as_str());
    let name = model::named(onward.model.as_deref().or(begun_with), &onward.recording);
    let (model, why) = model::choose_for(&name, settings, log.as_ref(), id).await?;
    let model = model::recorded(model, &onward.recording, Take::Onward)?;
    printer.say(&format!(
        "task {id}, workflow {}",
        task.workflow.spec.workflow_id
    ));
    printer.say(&format!("model: {why}"));
    let takeover = if onward.takeover {
        Takeover::Force
    } else {
        Takeover::IfExpired
    };
    let asked = origin
        .as_ref()
        .and_then(|origin| origin.reviewer.as_deref());
    let asked = onward.reviewer.as_deref().or(asked);
    let reviewer = model::reviewer_for(asked, &task, settings, log.as_ref(), printer).await?;
    let memory = memory::of(&task.workflow.spec, settings, printer)?;
    let engine = Engine::new(Arc::clone(log), model, skills, memory, printer);
    let mut engine = engine.reviewed_by(reviewer, printer);
    let spec = pending::workflow(log.as_ref(), &task).await?;
    engine.driver.validator = model::validator(&spec, settings)?;
    engine.decisions = onward.decisions;
    engine.run(id, takeover, settings, printer).await
}

/// The first task of the tree that a sub-task is in: whoever runs that runs the rest
/// of it. A sub-task whose parent has ended stands for itself.
async fn first_of_tree(
    log: &Arc<SqliteLog>,
    id: &TaskId,
    printer: &Printer,
) -> Result<TaskId, Error> {
    let mut first = id.clone();
    loop {
        let task = store::load(log.as_ref(), &first).await?;
        let parent = task
            .state
            .parent
            .as_ref()
            .filter(|one| one.handoff.is_some());
        let Some(parent) = parent.filter(|_| task.state.outcome().is_none()) else {
            break;
        };
        match store::load(log.as_ref(), &parent.task).await {
            Ok(above) if above.state.outcome().is_none() => first = parent.task.clone(),
            _ => break,
        }
    }
    if first != *id {
        printer.say(&format!(
            "task {id} is a sub-task of {first}, which goes on with it"
        ));
    }
    Ok(first)
}

/// The skills that the task goes on with: of the recorded workflow, or of the
/// changed one that a person accepts.
pub(crate) async fn skills(
    log: &Arc<SqliteLog>,
    task: &Task,
    origin: Option<&Origin>,
    onward: &Onward,
    settings: &Settings,
    printer: &Printer,
) -> Result<Skills, Error> {
    let recorded = pending::workflow(log.as_ref(), task).await?;
    let file = onward
        .workflow
        .as_deref()
        .or(origin.and_then(|origin| origin.workflow.as_deref()));
    let base_dir = match file {
        Some(file) => workflow::folder_of(file),
        None => base_dir_unknown(&recorded, &task.state.task)?,
    };
    let Some(file) = file.filter(|file| is_asked_about(file, onward)) else {
        return workflow::skills(&recorded, &base_dir, settings);
    };
    let registry = onward.registry.as_deref();
    let registry = registry.or(origin.and_then(|origin| origin.registry.as_deref()));
    let (spec, skills, warnings) = workflow::load(file, registry, settings)?.accept()?;
    if Hash::of_json(&spec) == Hash::of_json(&recorded) {
        return Ok(skills);
    }
    let differences = differences(&recorded, &spec);
    if !onward.accept_workflow {
        return Err(Error::WorkflowChanged {
            task: task.state.task.clone(),
            differences,
        });
    }
    warnings.show(printer);
    let known = Redactor::new(skills.secrets().map_err(driver::Error::from)?);
    let text = serde_json::to_string(&spec).expect("specs are JSON");
    if let Some(name) = known.finds(&text) {
        let (place, name) = ("the workflow".to_owned(), name.to_owned());
        return Err(driver::Error::from(secret::Error::InTheClear { place, name }).into());
    }
    say_accepted(task, &differences, printer);
    let command = Command::AcceptWorkflow {
        workflow: Box::new(spec),
        differences,
    };
    pending::post(log, &task.state.task, principal(settings), &command).await?;
    Ok(skills)
}

/// What changes under the task, and which approvals that voids: they were given
/// for a call under the workflow as it was.
fn say_accepted(task: &Task, differences: &[String], printer: &Printer) {
    printer.say(&format!(
        "task {} goes on under a changed workflow:",
        task.state.task
    ));
    for difference in differences {
        printer.say(&format!("  {difference}"));
    }
    for (id, call) in &task.state.stands.calls {
        let what = match &call.stage {
            Stage::Ready {
                approved: Some(_), ..
            } => "the approval of",
            Stage::Approval { .. } => "the request to approve",
            _ => continue,
        };
        printer.say(&format!(
            "{what} call {id} is void, and is asked for anew: {}",
            report::shown(task, id)
        ));
    }
}

/// A file that was named is read, and must be there; the one that the task began
/// with is read while it is there.
fn is_asked_about(file: &Path, onward: &Onward) -> bool {
    !onward.keep_workflow && (onward.workflow.is_some() || onward.accept_workflow || file.exists())
}

/// Without a file, only a workflow whose skills name no paths can go on.
fn base_dir_unknown(recorded: &Spec, task: &TaskId) -> Result<PathBuf, Error> {
    let names_paths = |config: &serde_json::Value| !config.is_null();
    if recorded
        .skills
        .values()
        .any(|skill| names_paths(&skill.config))
    {
        return Err(Error::WorkflowGone { task: task.clone() });
    }
    Ok(PathBuf::new())
}

fn principal(settings: &Settings) -> Principal {
    settings.principal(settings::env(settings::USER).as_deref())
}
