//! `steadfast case gaps`: what a store shows that no case covers.

use steadfast::cases::Survey;
use steadfast_core::id::Seq;
use steadfast_core::limits;
use steadfast_store::{Log, TaskFilter, load_events};

use super::existing;
use crate::args::CaseGaps;
use crate::error::Error;
use crate::exit::Exit;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{store, table};

pub(super) async fn run(
    args: &CaseGaps,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let files = existing(&args.path)?;
    let mut settings = settings.clone();
    if let Some(path) = &args.from {
        settings.store.clone_from(path);
        settings.default_store = false;
    }
    let log = store::open_existing(&settings)?;
    let filter = TaskFilter {
        workflow_id: args.workflow.clone(),
        parent: None,
        status: None,
        limit: limits::TASKS_LISTED_MAX,
    };
    let mut survey = Survey::default();
    let mut unread = 0u64;
    for summary in log.tasks(&filter).await? {
        let Ok(task) = steadfast::driver::load(log.as_ref(), &summary.id).await else {
            unread += 1;
            continue;
        };
        // What is under way has not shown its path yet.
        if task.state.outcome().is_none() {
            continue;
        }
        let events = load_events(log.as_ref(), &summary.id, Seq(1)).await?;
        survey.add(&summary.id, &task.workflow, &events);
    }
    let gaps = survey.gaps(&files);
    if printer.json {
        for gap in &gaps {
            printer.json(gap)?;
        }
    } else {
        let lines: Vec<Vec<String>> = gaps
            .iter()
            .map(|gap| {
                let what = if gap.is_path { "path" } else { "input" };
                let seen = format!("{} tasks", gap.seen);
                vec![
                    what.to_owned(),
                    gap.what.clone(),
                    seen,
                    format!("such as {}", gap.task),
                ]
            })
            .collect();
        if !lines.is_empty() {
            printer.data(&table::aligned(&lines))?;
        }
    }
    printer.say(&format!(
        "{} ended tasks against {} cases: {} gaps",
        survey.tasks(),
        files.len(),
        gaps.len()
    ));
    if unread > 0 {
        printer.say(&format!("{unread} tasks do not read, or were forgotten"));
    }
    Ok(if gaps.is_empty() {
        Exit::Ok
    } else {
        Exit::Halted
    })
}
