//! What people have said to a task that no driver has recorded yet.

use steadfast_core::id::{CallId, Principal, TaskId};
use steadfast_core::task::Task;
use steadfast_core::task::input::Command;
use steadfast_core::task::state::Stage;
use steadfast_core::workflow::Spec;
use steadfast_store::{Log, SqliteLog};

use steadfast::clock::{Clock, SystemClock};
use steadfast::driver::Driver;

use crate::error::Error;

/// The commands in a task's inbox, oldest first. What does not read is left to
/// the driver, which names it.
pub(crate) async fn commands(log: &dyn Log, task: &TaskId) -> Result<Vec<Command>, Error> {
    let items = log.inbox(task).await?;
    Ok(items
        .iter()
        .filter_map(|(_, item)| serde_json::from_slice(&item.body).ok())
        .collect())
}

/// The workflow that the task will run under once its inbox is recorded.
pub(crate) async fn workflow(log: &dyn Log, task: &Task) -> Result<Spec, Error> {
    let mut spec = task.workflow.spec.clone();
    for command in commands(log, &task.state.task).await? {
        if let Command::AcceptWorkflow { workflow, .. } = command {
            spec = *workflow;
        }
    }
    Ok(spec)
}

/// Whether a repair waits that opens a task again which has ended.
pub(crate) async fn reopens(log: &dyn Log, task: &TaskId) -> Result<bool, Error> {
    let commands = commands(log, task).await?;
    let repair = |command: &Command| matches!(command, Command::Repair { .. });
    Ok(commands.iter().any(repair))
}

/// The calls on which a decision waits to be recorded.
pub(crate) async fn decided(log: &dyn Log, task: &Task) -> Result<Vec<CallId>, Error> {
    let commands = commands(log, &task.state.task).await?;
    let of = |command: Command| match command {
        // A decision on a call that waits for nothing will change nothing.
        Command::Decide { call, .. } => {
            let open = task.state.stands.calls.get(&call);
            let held = task.state.held() == Some(&call);
            (held || open.is_some_and(|open| matches!(open.stage, Stage::Approval { .. })))
                .then_some(call)
        }
        Command::Settle { call, .. } => Some(call),
        _ => None,
    };
    Ok(commands.into_iter().filter_map(of).collect())
}

/// Puts a command into a task's inbox; durable when it returns.
pub(crate) async fn post(
    log: &SqliteLog,
    task: &TaskId,
    principal: Principal,
    command: &Command,
) -> Result<(), Error> {
    Driver::post(log, task, principal, command, SystemClock::new().now()).await?;
    Ok(())
}
