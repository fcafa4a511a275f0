//! `steadfast run`: from a workflow file and an input to an answer.

use std::sync::Arc;

use steadfast::model::recorded::Take;
use steadfast_core::id::TaskId;
use steadfast_core::task::Start;
use steadfast_store::{Head, Log, Takeover};

use crate::args::Run;
use crate::drive::Engine;
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{budget, input, memory, model, store, workflow};

pub(crate) async fn run(args: Run, settings: &Settings, printer: &Printer) -> Result<Exit, Error> {
    let loaded = workflow::load(&args.workflow, args.registry.as_deref(), settings)?;
    let (spec, skills, warnings) = loaded.accept()?;
    warnings.show(printer);
    let id = args.task.map_or_else(store::new_task_id, TaskId::new);
    if !TaskId::is_valid(id.as_str()) {
        return Err(steadfast_store::Error::BadTaskId { task: id }.into());
    }
    let name = model::named(args.model.as_deref(), &args.recording);
    let (model, why) = model::choose(&name, settings)?;
    let reviewer = model::reviewer(args.reviewer.as_deref(), &spec, settings, printer)?;
    let start = Start {
        workflow: spec,
        principal: settings.principal(args.user.as_deref()),
        input: input::text(&args.input)?,
        documents: input::documents(&args.docs)?,
        facts: input::facts(&args.facts)?,
        parent: None,
        budget: budget::read(&args.budget)?,
        window: model::window(model.as_ref(), args.window, args.output_tokens)?,
    };
    let validator = model::validator(&start.workflow, settings)?;
    let log = store::open(settings)?;
    refuse_taken(log.as_ref(), &id).await?;
    let model = model::recorded(model, &args.recording, Take::New)?;

    printer.say(&format!(
        "task {id}, workflow {}",
        start.workflow.workflow_id
    ));
    printer.say(&format!("model: {why}"));
    // First the origin: a task that is there can always be resumed.
    Origin::new(Some(&args.workflow), args.registry.as_deref(), &name)
        .reviewed_by(args.reviewer.as_deref())
        .save(settings, &id)?;
    let memory = memory::of(&start.workflow, settings, printer)?;
    let engine = Engine::new(Arc::clone(&log), model, skills, memory, printer);
    let mut engine = engine.reviewed_by(reviewer, printer);
    engine.driver.validator = validator;
    engine.decisions = args.decisions;
    engine.start(&id, start).await?;
    engine
        .run(&id, Takeover::IfExpired, settings, printer)
        .await
}

/// A name that is taken is refused before anything is written. A task without
/// an event is one whose process died before it had begun: it begins now.
pub(crate) async fn refuse_taken(log: &dyn Log, id: &TaskId) -> Result<(), Error> {
    match log.head(id).await {
        Ok(Head::EMPTY) | Err(steadfast_store::Error::UnknownTask { .. }) => Ok(()),
        Ok(_) => Err(steadfast_store::Error::TaskExists { task: id.clone() }.into()),
        Err(error) => Err(error.into()),
    }
}
