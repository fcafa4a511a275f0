//! The store: where it is, how it is opened, and how a task in it is found.

use std::path::Path;
use std::sync::Arc;

use steadfast::driver;
use steadfast_core::content::Salt;
use steadfast_core::id::TaskId;
use steadfast_core::task::Task;
use steadfast_store::{Head, Log, SqliteLog, SqliteOptions};

use crate::error::Error;
use crate::settings::{self, Settings};

/// Opens the store, or makes it. The default folder is made too, and kept out
/// of version control: a log holds what people said.
pub(crate) fn open(settings: &Settings) -> Result<Arc<SqliteLog>, Error> {
    if settings.default_store {
        let folder = Path::new(settings::DEFAULT_FOLDER);
        let unwritable = |source| Error::Write {
            path: folder.to_owned(),
            source,
        };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let ignore = folder.join(".gitignore");
        if !ignore.exists() {
            std::fs::write(&ignore, "*\n").map_err(unwritable)?;
        }
    }
    let options = SqliteOptions {
        durability: settings.durability,
        ..SqliteOptions::default()
    };
    Ok(Arc::new(SqliteLog::open(&settings.store, options)?))
}

/// Opens a store that must be there: a command that only looks makes none.
pub(crate) fn open_existing(settings: &Settings) -> Result<Arc<SqliteLog>, Error> {
    if !settings.store.exists() {
        return Err(Error::NoStore {
            path: settings.store.clone(),
        });
    }
    open(settings)
}

/// The task of this name, or the one whose name begins so.
pub(crate) async fn find(log: &dyn Log, given: &str) -> Result<TaskId, Error> {
    let found = log.find(given).await?;
    if let Some(exact) = found.iter().find(|task| task.id.as_str() == given) {
        return Ok(exact.id.clone());
    }
    match found.as_slice() {
        [] => Err(steadfast_store::Error::UnknownTask {
            task: TaskId::new(given),
        }
        .into()),
        [one] => Ok(one.id.clone()),
        several => {
            let tasks = several.iter().map(|task| task.id.clone()).collect();
            Err(Error::Ambiguous {
                prefix: given.to_owned(),
                tasks,
            })
        }
    }
}

/// Folds a task that has begun.
pub(crate) async fn load(log: &dyn Log, task: &TaskId) -> Result<Task, Error> {
    if log.head(task).await? == Head::EMPTY {
        return Err(Error::NotBegun { task: task.clone() });
    }
    Ok(driver::load(log, task).await?)
}

/// A name for a new task: `t_` and 16 letters, in the order of time. 48 bits of
/// it are milliseconds and 32 are random; a name that is taken is refused by
/// the store, never shared.
pub(crate) fn new_task_id() -> TaskId {
    const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let uuid = uuid::Uuid::now_v7().as_u128();
    let mut rest = (uuid >> 80 << 32) | (uuid & u128::from(u32::MAX));
    let mut name = [0u8; 16];
    for letter in name.iter_mut().rev() {
        *letter = LETTERS[(rest % 32) as usize];
        rest /= 32;
    }
    TaskId::new(format!("t_{}", String::from_utf8_lossy(&name)))
}

/// The secret that the task's content hashes are keyed with.
pub(crate) fn new_salt() -> Result<Salt, Error> {
    let mut bytes = [0u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| Error::Random {
        reason: error.to_string(),
    })?;
    Ok(Salt(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_names_are_valid_and_rise_with_time() {
        let first = new_task_id();
        std::thread::sleep(std::time::Duration::from_millis(3));
        let second = new_task_id();
        assert!(TaskId::is_valid(first.as_str()));
        assert_eq!(first.as_str().len(), 18);
        assert!(first < second, "{first} {second}");
    }
}
