//! `steadfast case add`: from a recorded run to a case, in one command.

use std::sync::Arc;

use serde_json::json;
use steadfast::attempts::Doubles;
use steadfast::cases::{self, Case, ModelSpec, Stage};
use steadfast::clock::SystemClock;
use steadfast::model::{Model, Script};
use steadfast::secret::Redactor;
use steadfast::skill::Skills;
use steadfast_core::event::task::Window;
use steadfast_core::id::Seq;
use steadfast_core::limits;
use steadfast_core::workflow::Workflow;
use steadfast_store::load_events;

use super::{existing, next_name, put, workflow_of};
use crate::args::CaseAdd;
use crate::error::Error;
use crate::exit::Exit;
use crate::origin::Origin;
use crate::printer::Printer;
use crate::settings::Settings;
use crate::{store, workflow};

pub(super) async fn run(
    args: &CaseAdd,
    settings: &Settings,
    printer: &Printer,
) -> Result<Exit, Error> {
    let log = store::open_existing(settings)?;
    let id = store::find(log.as_ref(), &args.from).await?;
    let task = store::load(log.as_ref(), &id).await?;
    let events = load_events(log.as_ref(), &id, Seq(1)).await?;
    let files = existing(&args.into)?;
    let name = args.id.clone().unwrap_or_else(|| next_name(&files, "reg_"));
    if let Some(file) = files.iter().find(|file| file.case.case_id == name) {
        return Err(Error::FileExists {
            path: file.path.clone(),
        });
    }
    let made = cases::harvest(&name, &args.reason, &task.workflow, &events);
    let mut case = made.case;
    if !args.expected_path.is_empty() {
        case.expected_path.clone_from(&args.expected_path);
    }
    case.expected_output_contains
        .extend(args.contains.iter().cloned());
    case.tags.extend(args.tag.iter().cloned());
    if args.live {
        case.model = None;
    }
    // What the log holds is redacted already; a secret that came into use since,
    // or that stood in a log of an older build, goes here.
    let origin = Origin::load(settings, &id)?;
    let beside = origin.as_ref().and_then(|origin| origin.workflow.clone());
    if let Some(path) = &beside
        && let Ok(skills) = workflow::skills(&task.workflow.spec, workflow::folder(path), settings)
        && let Ok(secrets) = skills.secrets()
    {
        printer.guard(&Redactor::new(secrets));
    }
    let group = args.group.as_deref().unwrap_or(made.group);
    case.workflow = elsewhere(&args.into, group, beside.as_deref())?;
    if let Some(misfit) = cases::misfits(&case, &task.workflow).into_iter().next() {
        return Err(cases::Error::Misfit(misfit).into());
    }
    let mut notes = made.notes;
    if args.minimise {
        case = smaller(&case, &task.workflow, &mut notes).await?;
    }
    let path = put(&args.into, group, &case, printer)?;
    if printer.json {
        printer.json(&json!({ "case": case.case_id, "file": path, "notes": notes }))?;
        return Ok(Exit::Ok);
    }
    printer.data(&path.display().to_string())?;
    for note in &notes {
        printer.say(note);
    }
    printer.say(&format!("expects: {}", case.expected_path.join(" → ")));
    Ok(Exit::Ok)
}

/// The case with less of its words, played by its own script.
async fn smaller(
    case: &Case,
    workflow: &Arc<Workflow>,
    notes: &mut Vec<String>,
) -> Result<Case, Error> {
    let Some(ModelSpec::Full(full)) = &case.model else {
        notes.push("no model spoke in this run, so nothing was left out".to_owned());
        return Ok(case.clone());
    };
    let turns = serde_json::to_string(&full.script).expect("turns of a script are JSON");
    let script = Script::parse(&turns).map_err(steadfast::model::select::SelectError::from)?;
    let window = Window {
        tokens: limits::WINDOW_TOKENS_DEFAULT,
        output_tokens: limits::OUTPUT_TOKENS_DEFAULT,
    };
    let clock = Arc::new(SystemClock::new());
    let (skills, doubles) = (Skills::default(), Doubles::default());
    let stage = Stage::new(Arc::clone(workflow), skills, doubles, clock, window);
    let model = || Arc::new(script.clone().build()) as Arc<dyn Model>;
    let less = cases::minimise(&stage, case, &model).await?;
    let bytes = |case: &Case| serde_json::to_string(case).map_or(0, |text| text.len());
    notes.push(format!(
        "{} of {} bytes are left",
        bytes(&less),
        bytes(case)
    ));
    Ok(less)
}

/// The workflow as the case has to name it; none where it is the suite's own.
fn elsewhere(
    into: &std::path::Path,
    group: &str,
    beside: Option<&std::path::Path>,
) -> Result<Option<String>, Error> {
    let whole = |path: &std::path::Path| std::fs::canonicalize(path).ok();
    let suite = workflow_of(into)?.and_then(|path| whole(&path));
    let own = beside.and_then(whole);
    match (own, suite) {
        (Some(own), suite) if suite.as_ref() != Some(&own) => {
            let folder = std::path::absolute(into.join(group)).unwrap_or_else(|_| into.join(group));
            Ok(Some(relative(&own, &folder)))
        }
        _ => Ok(None),
    }
}

/// A path from a folder, both whole: up as far as they part, then down.
fn relative(path: &std::path::Path, folder: &std::path::Path) -> String {
    let path: Vec<_> = path.components().collect();
    let folder: Vec<_> = folder.components().collect();
    let same = path.iter().zip(&folder).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..".to_owned(), folder.len() - same);
    let down = path[same..]
        .iter()
        .map(|part| part.as_os_str().to_string_lossy().into_owned());
    up.chain(down).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn paths_from_a_folder() {
        let from = |path: &str, folder: &str| relative(Path::new(path), Path::new(folder));
        assert_eq!(from("/a/w.yaml", "/a/cases/leak"), "../../w.yaml");
        assert_eq!(from("/a/cases/leak/w.yaml", "/a/cases/leak"), "w.yaml");
    }
}
