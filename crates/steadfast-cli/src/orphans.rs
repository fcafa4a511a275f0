//! Commands that a killed process left at work.
//!
//! A `kill -9` of the runtime does not reach the command of a skill, which may
//! be about to act. Whoever asks in that moment whether the deed was done hears
//! no, does it again, and it is done twice. So a task whose deed was in flight
//! goes on only when nothing of that call runs any more. Where processes cannot
//! be looked up (or run on another machine), a skill's own `verify` is what
//! there is.

use std::time::Duration;

use steadfast_core::id::CallId;
use steadfast_core::limits;
use steadfast_core::task::Task;
use steadfast_core::task::state::Stage;

use crate::error::Error;

const LOOK_EVERY: Duration = Duration::from_millis(20);

/// Whether a deed was in flight when the log ends.
pub(crate) fn possible(task: &Task) -> bool {
    in_flight(task).next().is_some()
}

/// Waits for the commands of the deeds in flight, as long as one may take.
/// Nobody may be driving the task.
pub(crate) async fn wait(task: &Task) -> Result<(), Error> {
    for (call, skill, attempt) in in_flight(task) {
        let declared = task.workflow.skill(skill).and_then(|spec| spec.timeout_ms);
        let longest = Duration::from_millis(declared.unwrap_or(limits::SKILL_TIMEOUT_MS_DEFAULT));
        let deadline = tokio::time::Instant::now() + longest;
        loop {
            let pids = processes(task.state.task.as_str(), call.as_str(), attempt);
            if pids.is_empty() {
                break;
            }
            if tokio::time::Instant::now() >= deadline {
                let (task, call) = (task.state.task.clone(), call.to_string());
                return Err(Error::Orphans { task, call, pids });
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
    Ok(())
}

/// Call, skill and attempt of each. What may be repeated need not be waited for.
fn in_flight(task: &Task) -> impl Iterator<Item = (&CallId, &str, u32)> {
    let open = task.state.stands.calls.iter();
    let called =
        open.filter(|(_, call)| matches!(call.stage, Stage::Called { .. }) && !call.may_repeat());
    called.map(|(id, call)| (id, call.skill.as_str(), call.attempt))
}

/// The living processes that carry the marks of one attempt of a call in their
/// environment, as every command is given them.
#[cfg(target_os = "linux")]
fn processes(task: &str, call: &str, attempt: u32) -> Vec<u32> {
    let marks = [
        format!("STEADFAST_TASK={task}"),
        format!("STEADFAST_CALL={call}"),
        format!("STEADFAST_ATTEMPT={attempt}"),
    ];
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return Vec::new();
    };
    let pids = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    pids.filter(|pid: &u32| {
        // Gone by now, or another user's: not ours. A process that only waits to
        // be reaped has no environment left.
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let has = |mark: &String| {
            environment
                .split(|b| *b == 0)
                .any(|one| one == mark.as_bytes())
        };
        marks.iter().all(has)
    })
    .collect()
}

#[cfg(not(target_os = "linux"))]
fn processes(_task: &str, _call: &str, _attempt: u32) -> Vec<u32> {
    Vec::new()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_known_by_its_marks() {
        let mut child = std::process::Command::new("sleep")
            .arg("60")
            .env("STEADFAST_TASK", "t_orphan")
            .env("STEADFAST_CALL", "s2.0")
            .env("STEADFAST_ATTEMPT", "1")
            .spawn()
            .unwrap();
        // Between fork and exec the environment is still the parent's.
        while processes("t_orphan", "s2.0", 1).is_empty() {
            std::thread::yield_now();
        }
        assert_eq!(processes("t_orphan", "s2.0", 1), [child.id()]);
        assert!(processes("t_orphan", "s2.0", 2).is_empty());
        assert!(processes("t_orphan", "s2.1", 1).is_empty());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(processes("t_orphan", "s2.0", 1).is_empty());
    }
}
