//! The second layer: no behaviour of any model gets around the machine, every
//! state can be reached, and every case goes a way that there is.

use std::path::Path;

use steadfast::cases::{self, Limits};

use super::Bar;
use super::outcome::{Check, Status};
use super::prepare::Prepared;
use crate::args::{Suite, Test};
use crate::error::Error;

const GROUP: &str = "state-machine";
/// Positions that are looked at. The machine of the article has far fewer.
const POSITIONS: usize = 50_000;
const POSITIONS_FAST: usize = 5_000;

pub(super) fn run(args: &Test, prepared: &Prepared, bar: &Bar) -> Result<Vec<Check>, Error> {
    let mut checks = Vec::new();
    let positions = match args.suite {
        Suite::Fast => POSITIONS_FAST,
        Suite::Full => POSITIONS,
    };
    bar.more(prepared.stages.len() as u64);
    for (path, stage) in prepared.staged() {
        let found = cases::explore(stage.spec(), Limits { positions }).map_err(|problems| {
            steadfast::driver::Error::from(steadfast_core::task::RecordError::Workflow(problems))
        })?;
        bar.done(&path.display().to_string());
        checks.push(explored(path, &found));
        checks.push(reached(path, &found));
    }
    for file in &prepared.files {
        let Some(stage) = prepared.stage_of(file) else {
            continue;
        };
        let misfits = cases::misfits(&file.case, &stage.workflow);
        if misfits.is_empty() {
            continue;
        }
        let name = format!("fits: {}", file.case.case_id);
        let mut check = Check::held(name, GROUP, false).saying(misfits.join("; "));
        check.file = Some(file.path.clone());
        checks.push(check);
    }
    Ok(checks)
}

fn explored(path: &Path, found: &cases::Explored) -> Check {
    let status = match (found.violating, found.exhausted) {
        (1.., _) => Status::Failed,
        (0, true) => Status::Passed,
        // What was looked at holds; there is more.
        (0, false) => Status::Open,
    };
    let mut message = format!(
        "{} positions, {} moves, {} completed ends, {} failed ends",
        found.positions, found.moves, found.completed, found.failed
    );
    if !found.exhausted {
        message += "; the search stopped at its bound";
    }
    if found.left_alone > 0 {
        message += &format!(
            "; {} positions wait for what is not explored",
            found.left_alone
        );
    }
    let name = format!("every behaviour: {}", path.display());
    let mut check = Check::new(name, GROUP, status).saying(message);
    check.details.clone_from(&found.shown);
    check.file = Some(path.to_owned());
    check
}

/// A state that no way enters is an error only where the search was whole.
fn reached(path: &Path, found: &cases::Explored) -> Check {
    let unreached: Vec<&str> = found.unreached.iter().map(String::as_str).collect();
    let status = match (
        unreached.is_empty(),
        found.exhausted && found.left_alone == 0,
    ) {
        (true, _) => Status::Passed,
        (false, true) => Status::Failed,
        (false, false) => Status::Open,
    };
    let message = match unreached.is_empty() {
        true => format!("{} states", found.reached.len()),
        false => format!("never entered: {}", unreached.join(", ")),
    };
    let name = format!("states are reached: {}", path.display());
    let mut check = Check::new(name, GROUP, status).saying(message);
    check.file = Some(path.to_owned());
    check
}
