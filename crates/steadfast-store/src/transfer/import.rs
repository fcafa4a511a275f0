//! Taking an exported task into a store.
//!
//! The file is read to its end before anything is written. A task that is there
//! already is never changed: the same one is left as it is, and one that ends
//! earlier (an import that was cut off) is continued.

use std::io::BufRead;

use steadfast_core::content::Salt;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId, Timestamp};

use super::Error;
use super::scan::{Scanner, Unit};
use super::survey::{Survey, survey};
use crate::log::{Batch, Head, Lease, Log, Status, Takeover, TaskHeader};

/// Events and bytes of content that are appended in one go.
const GROUP_EVENTS: usize = 64;
const GROUP_BYTES: usize = 4 * 1024 * 1024;
/// For how long the task is held without a sign of life.
const HOLD_MS: u64 = 60_000;

/// How a task is taken in.
#[derive(Clone, Debug)]
pub struct Options {
    /// Another name for it.
    pub name: Option<TaskId>,
    /// Take in what is whole of a damaged file.
    pub salvage: bool,
    /// A name that no other process has; see [`Log::lease`].
    pub holder: String,
    pub now: Timestamp,
}

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Made,
    /// It was there up to this event, and goes on now.
    Continued {
        from: Seq,
    },
    /// It was there already, event for event.
    Identical,
}

/// Reads the file twice: to see what it holds, and to take it in.
///
/// # Errors
///
/// `Damaged` for a file that is not whole, without `salvage`; `Differs` when
/// the store holds another task of that name; what the log reports.
pub async fn import<L: Log + ?Sized, R: BufRead>(
    log: &L,
    open: impl Fn() -> std::io::Result<R>,
    options: &Options,
) -> Result<(TaskId, Survey, Outcome), Error> {
    let survey = survey(&open)?;
    if !survey.is_whole() && !options.salvage {
        return Err(Error::Damaged {
            survey: Box::new(survey),
        });
    }
    if survey.events == 0 {
        return Err(Error::NotAnExport {
            reason: "not one event of it is whole".to_owned(),
        });
    }
    let task = options.name.clone().unwrap_or_else(|| survey.task.clone());
    let mut scanner = Scanner::open(open()?)?;
    let Some(from) = place(log, &task, &mut scanner, survey.events).await? else {
        return Ok((task, survey, Outcome::Identical));
    };
    let held = log.lease(
        &task,
        &options.holder,
        options.now,
        HOLD_MS,
        Takeover::IfExpired,
    );
    let lease = held.await?;
    // A salvaged part does not stand where the whole stood.
    let status = scanner.header.status.clone().filter(|_| survey.is_whole());
    let status = status.map(|stand| Status {
        text: stand.text,
        at: stand.at,
    });
    append(log, &lease, from, &mut scanner, status).await?;
    match scanner.header.erased_at {
        Some(at) => log.forget(&lease, at).await?,
        None => log.release(&lease).await?,
    }
    let outcome = match from.seq {
        Seq::ZERO => Outcome::Made,
        from => Outcome::Continued { from },
    };
    Ok((task, survey, outcome))
}

/// Where in the store the file goes on; none where it has nothing to add. The
/// scanner stands behind that event afterwards.
async fn place<L: Log + ?Sized, R: BufRead>(
    log: &L,
    task: &TaskId,
    scanner: &mut Scanner<R>,
    events: u64,
) -> Result<Option<Head>, Error> {
    let header = TaskHeader {
        salt: scanner.header.salt().unwrap_or(Salt([0; 32])),
        workflow_id: scanner.header.workflow_id.clone(),
        created_at: scanner.header.created_at,
        parent: scanner.header.parent.clone(),
    };
    match log.create(task, header.clone()).await {
        Ok(()) => return Ok(Some(Head::EMPTY)),
        Err(crate::Error::TaskExists { .. }) => {}
        Err(error) => return Err(error.into()),
    }
    let (there, head) = (log.header(task).await?, log.head(task).await?);
    let erased = log.erased(task).await?;
    let differs = |from| {
        let task = task.clone();
        Err(Error::Differs { task, from })
    };
    // What was forgotten does not come back by the same name.
    if let Some(at) = erased.filter(|_| scanner.header.erased_at.is_none()) {
        let task = task.clone();
        return Err(crate::Error::Erased { task, at }.into());
    }
    if there != header || (erased.is_some() && erased != scanner.header.erased_at) {
        return differs(Seq(1));
    }
    if head.seq.0 > events {
        return differs(Seq(events + 1));
    }
    let mut at = Head::EMPTY;
    while at.seq < head.seq {
        let Some(Unit { sealed, .. }) = scanner.next()? else {
            break;
        };
        at = Head {
            seq: sealed.seq,
            hash: sealed.hash,
        };
        let stored = log.read(task, at.seq, 1).await?;
        if stored.first().map(|one| Hash::of_bytes(&one.bytes)) != Some(at.hash) {
            return differs(at.seq);
        }
    }
    Ok((at.seq.0 < events).then_some(at))
}

async fn append<L: Log + ?Sized, R: BufRead>(
    log: &L,
    lease: &Lease,
    from: Head,
    scanner: &mut Scanner<R>,
    status: Option<Status>,
) -> Result<(), Error> {
    let mut expected = from.seq;
    let mut next = scanner.next()?;
    while next.is_some() {
        let mut events = Vec::new();
        let mut bytes = 0;
        while let Some(unit) = next.take() {
            bytes += unit.sealed.bytes.len();
            let contents = unit.sealed.contents.iter();
            bytes += contents.map(|one| one.bytes as usize).sum::<usize>();
            events.push(unit.sealed);
            next = scanner.next()?;
            if events.len() >= GROUP_EVENTS || bytes >= GROUP_BYTES {
                break;
            }
        }
        let last = next.is_none();
        let batch = Batch {
            expected,
            epoch: lease.epoch,
            events,
            consumed: Vec::new(),
            status: status.clone().filter(|_| last),
        };
        expected = log.append(&lease.task, batch).await?.seq;
    }
    Ok(())
}
