//! The threads that own the connections.
//!
//! Queues have no bound of their own: each caller waits for its reply, so what
//! waits is never more than the callers.

use std::fmt;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rusqlite::Connection;
use steadfast_core::limits;
use tokio::sync::oneshot;

use crate::error::{Error, Result};

/// Takes work for the thread that writes.
pub(super) struct Writer {
    jobs: Option<Sender<Box<dyn Write>>>,
    thread: Option<JoinHandle<()>>,
}

/// Takes work for the threads that read.
pub(super) struct Readers {
    jobs: Option<Sender<Read>>,
    threads: Vec<JoinHandle<()>>,
}

type Read = Box<dyn FnOnce(&Connection) + Send>;

/// A write whose reply waits for the commit.
trait Write: Send {
    /// Does the work inside the open transaction; whether it is to be kept.
    fn run(&mut self, conn: &Connection) -> bool;
    /// Replies. `Err` when the transaction as a whole failed.
    fn reply(self: Box<Self>, committed: Result<()>);
}

struct Job<T, F> {
    work: Option<F>,
    result: Result<T>,
    reply: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T> + Send> Write for Job<T, F> {
    fn run(&mut self, conn: &Connection) -> bool {
        if let Some(work) = self.work.take() {
            self.result = work(conn);
        }
        self.result.is_ok()
    }

    fn reply(self: Box<Self>, committed: Result<()>) {
        // A caller that no longer waits has its answer in the log.
        let _ = self.reply.send(committed.and(self.result));
    }
}

impl Writer {
    pub(super) fn start(conn: Connection) -> Writer {
        let (jobs, queue) = mpsc::channel();
        let thread = spawn("steadfast-log-writer", move || write_all(&conn, &queue));
        Writer {
            jobs: Some(jobs),
            thread: Some(thread),
        }
    }

    /// Runs `work` in a transaction and returns once it is committed. An error
    /// of `work` undoes what it did.
    pub(super) async fn call<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job = Box::new(Job {
            work: Some(work),
            result: Err(Error::Closed),
            reply,
        });
        let jobs = self.jobs.as_ref().ok_or(Error::Closed)?;
        jobs.send(job).map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

impl Readers {
    pub(super) fn start(conns: Vec<Connection>) -> Readers {
        let (jobs, queue) = mpsc::channel::<Read>();
        let queue = Arc::new(Mutex::new(queue));
        let threads = conns.into_iter().map(|conn| {
            let queue = queue.clone();
            spawn("steadfast-log-reader", move || {
                while let Some(job) = take(&queue) {
                    job(&conn);
                }
            })
        });
        Readers {
            threads: threads.collect(),
            jobs: Some(jobs),
        }
    }

    /// Runs `work` on what is committed at one moment.
    pub(super) async fn call<T, F>(&self, work: F) -> Result<T>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Result<T> + Send + 'static,
    {
        let (reply, answer) = oneshot::channel();
        let job: Read = Box::new(move |conn| {
            let result = conn.unchecked_transaction().map_err(Error::from);
            let _ = reply.send(result.and_then(|tx| work(&tx)));
        });
        let jobs = self.jobs.as_ref().ok_or(Error::Closed)?;
        jobs.send(job).map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

/// The next job. The lock is held while waiting and freed before working.
fn take(queue: &Mutex<Receiver<Read>>) -> Option<Read> {
    queue.lock().ok()?.recv().ok()
}

fn write_all(conn: &Connection, queue: &Receiver<Box<dyn Write>>) {
    while let Ok(first) = queue.recv() {
        let mut group = vec![first];
        group.extend(queue.try_iter().take(limits::GROUP_COMMIT_MAX - 1));
        let committed = commit(conn, &mut group);
        for job in group {
            job.reply(committed.clone());
        }
    }
}

/// Runs a group in one transaction. Each job sees what the ones before it did,
/// and a failed job undoes its own work only.
fn commit(conn: &Connection, group: &mut [Box<dyn Write>]) -> Result<()> {
    let sql = |sql| -> Result<()> {
        conn.prepare_cached(sql)?.execute([])?;
        Ok(())
    };
    // Immediate: the checks inside hold against other processes too.
    sql("BEGIN IMMEDIATE")?;
    let run = || -> Result<()> {
        if let [only] = group {
            return match only.run(conn) {
                true => sql("COMMIT"),
                false if conn.is_autocommit() => Ok(()),
                false => sql("ROLLBACK"),
            };
        }
        for job in group {
            sql("SAVEPOINT job")?;
            if !job.run(conn) {
                sql("ROLLBACK TO job")?;
            }
            sql("RELEASE job")?;
        }
        sql("COMMIT")
    };
    let result = run();
    // A full disk or a failed sync leaves the transaction open, or undone already.
    if result.is_err() && !conn.is_autocommit() {
        sql("ROLLBACK")?;
    }
    result
}

/// Runs `work` on a thread of its own, beside what reads and writes.
pub(super) async fn apart<T: Send + 'static>(
    name: &str,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let (reply, answer) = oneshot::channel();
    spawn(name, move || drop(reply.send(work())));
    answer.await.unwrap_or(Err(Error::Closed))
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(work)
        .expect("a process that cannot start a thread cannot go on")
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Writer")
    }
}

impl fmt::Debug for Readers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Readers({})", self.threads.len())
    }
}
