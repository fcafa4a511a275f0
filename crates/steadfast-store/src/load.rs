//! From stored bytes to events with their content: the same for every backend.

use std::collections::BTreeSet;

use steadfast_core::content::{HoldsContent, Salt};
use steadfast_core::event::envelope::{OpenError, Payloads};
use steadfast_core::event::{Event, open};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::limits;

use crate::error::{Error, Result};
use crate::log::{Log, Stored};

/// All events from `from` to the head, with their content, each checked
/// against its keyed hash.
///
/// # Errors
///
/// As [`read_events`]; `ContentMissing` and `ContentDamaged`.
pub async fn load_events<L: Log + ?Sized>(log: &L, task: &TaskId, from: Seq) -> Result<Vec<Event>> {
    let events = read_events(log, task, from).await?;
    with_content(log, task, events).await
}

/// The events from `from` to `to`, with their content.
///
/// # Errors
///
/// As [`load_events`].
pub async fn load_between<L: Log + ?Sized>(
    log: &L,
    task: &TaskId,
    from: Seq,
    to: Seq,
) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut next = from.max(Seq(1));
    while next <= to {
        let wanted = usize::try_from(to.0 - next.0 + 1).unwrap_or(usize::MAX);
        let page = log
            .read(task, next, wanted.min(limits::READ_EVENTS_MAX))
            .await?;
        let Some(last) = page.last() else { break };
        next = last.seq.next();
        for stored in page.iter().filter(|stored| stored.seq <= to) {
            events.push(decode(task, stored)?);
        }
    }
    with_content(log, task, events).await
}

async fn with_content<L: Log + ?Sized>(
    log: &L,
    task: &TaskId,
    mut events: Vec<Event>,
) -> Result<Vec<Event>> {
    let salt = log.header(task).await?.salt;
    // Kept over all pages, so that what many events name is fetched once and shared.
    let mut payloads = Payloads::new();
    for page in events.chunks_mut(limits::READ_EVENTS_MAX) {
        let mut wanted = BTreeSet::new();
        for event in page.iter_mut() {
            event.body.visit_content(&mut |content| {
                wanted.insert(content.hash);
            });
        }
        wanted.retain(|hash| !payloads.contains_key(hash));
        let wanted: Vec<Hash> = wanted.into_iter().collect();
        payloads.extend(log.content(task, &wanted).await?);
        for event in page {
            let filled = fill(task, event.seq, &salt, &payloads, &mut event.body);
            match filled {
                Err(missing @ Error::ContentMissing { .. }) => {
                    let erased = log.erased(task).await?;
                    return Err(erased.map_or(missing, |at| Error::Erased {
                        task: task.clone(),
                        at,
                    }));
                }
                other => other?,
            }
        }
    }
    Ok(events)
}

/// All events from `from` to the head, decoded; their content is only named.
///
/// # Errors
///
/// As [`Log::read`]; `NewerFormat` and `Undecodable`, naming the event.
pub async fn read_events<L: Log + ?Sized>(log: &L, task: &TaskId, from: Seq) -> Result<Vec<Event>> {
    let mut events = Vec::new();
    let mut from = from.max(Seq(1));
    loop {
        let page = log.read(task, from, limits::READ_EVENTS_MAX).await?;
        let Some(last) = page.last() else {
            return Ok(events);
        };
        from = last.seq.next();
        for stored in &page {
            events.push(decode(task, stored)?);
        }
    }
}

/// The next events from `from` on, at most [`limits::READ_EVENTS_MAX`], decoded;
/// their content is only named. Empty only beyond the head.
///
/// # Errors
///
/// As [`read_events`].
pub async fn read_page<L: Log + ?Sized>(log: &L, task: &TaskId, from: Seq) -> Result<Vec<Event>> {
    let page = log
        .read(task, from.max(Seq(1)), limits::READ_EVENTS_MAX)
        .await?;
    page.iter().map(|stored| decode(task, stored)).collect()
}

/// Loads the content that a value names and does not hold yet, such as a state
/// from a snapshot. `at` is the event that an error names.
///
/// # Errors
///
/// `ContentMissing` and `ContentDamaged`.
pub async fn hydrate<L: Log + ?Sized, T: HoldsContent + Send>(
    log: &L,
    task: &TaskId,
    at: Seq,
    value: &mut T,
) -> Result<()> {
    let mut wanted = BTreeSet::new();
    value.visit_content(&mut |content| {
        if content.payload().is_none() {
            wanted.insert(content.hash);
        }
    });
    if wanted.is_empty() {
        return Ok(());
    }
    let salt = log.header(task).await?.salt;
    let wanted: Vec<Hash> = wanted.into_iter().collect();
    let payloads = log.content(task, &wanted).await?;
    fill(task, at, &salt, &payloads, value)
}

fn decode(task: &TaskId, stored: &Stored) -> Result<Event> {
    open(&stored.bytes).map_err(|error| match error {
        OpenError::Newer { seq, found } => Error::NewerFormat {
            task: task.clone(),
            seq,
            found,
            known: steadfast_core::event::FORMAT_VERSION,
        },
        source => Error::Undecodable {
            task: task.clone(),
            seq: stored.seq,
            source,
        },
    })
}

fn fill<T: HoldsContent>(
    task: &TaskId,
    seq: Seq,
    salt: &Salt,
    payloads: &Payloads,
    value: &mut T,
) -> Result<()> {
    let mut result = Ok(());
    value.visit_content(&mut |content| {
        if content.payload().is_some() || result.is_err() {
            return;
        }
        let (task, hash) = (task.clone(), content.hash);
        match payloads.get(&hash) {
            None => result = Err(Error::ContentMissing { task, seq, hash }),
            Some(bytes) if !content.load(salt, bytes.clone()) => {
                result = Err(Error::ContentDamaged { task, seq, hash });
            }
            Some(_) => {}
        }
    });
    result
}
