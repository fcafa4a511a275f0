//! A task gone on with from an earlier point, as a new one.
//!
//! A batch is appended whole or not at all, so a log may only be cut where a
//! batch begins: right before an outcome or a word from outside was recorded. The
//! state at such a point is one that a driver could have found after a crash.

use std::collections::BTreeMap;

use steadfast_core::content::HoldsContent;
use steadfast_core::event::{Body, Event, Sealed};
use steadfast_core::hash::Hash;
use steadfast_core::id::{CallId, Seq, SkillName, TaskId, Timestamp};
use steadfast_core::limits;
use steadfast_core::workflow::spec::EffectClass;
use steadfast_store::{Batch, Log, Status, Takeover, TaskHeader, load_events};

use super::error::Error;

/// A new task with the beginning of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forked {
    pub task: TaskId,
    /// The last event that both have.
    pub at: Seq,
    /// What the other did in the world behind that point, by the event of its
    /// intent: the new task knows nothing of it, and may do it again.
    pub behind: Vec<(Seq, SkillName)>,
}

/// The last point at or before an event that can be gone on from.
///
/// # Errors
///
/// Where there is none.
pub fn safe_point(events: &[Event], at: Seq) -> Result<Seq, Error> {
    let before = events.iter().filter(|event| event.seq <= at);
    let points = before.filter(|event| {
        let next = events.iter().find(|next| next.seq == event.seq.next());
        next.is_none_or(|next| begins(&next.body))
    });
    points
        .map(|event| event.seq)
        .next_back()
        .ok_or(Error::NoPoint { at })
}

/// Whether a batch begins with an event: it is the outcome of an effect, or
/// something that came in.
fn begins(body: &Body) -> bool {
    matches!(
        body,
        Body::ModelReplied(_)
            | Body::ModelFailed(_)
            | Body::SkillReturned(_)
            | Body::SkillFailed(_)
            | Body::UserSent(_)
            | Body::ApprovalDecided(_)
            | Body::TaskPaused(_)
            | Body::TaskResumed(_)
            | Body::CancelRequested(_)
    )
}

/// Makes a new task of another one's events up to a point. Both have the same
/// salt, so that every context of the beginning is the same, byte for byte.
///
/// # Errors
///
/// As [`safe_point`]; what the log reports.
pub async fn fork(log: &dyn Log, task: &TaskId, at: Seq, new: &TaskId) -> Result<Forked, Error> {
    let events = load_events(log, task, Seq(1)).await?;
    let last = events.last().map_or(Seq(0), |event| event.seq);
    if at > last {
        return Err(Error::Beyond { at, last });
    }
    let at = safe_point(&events, at)?;
    copy(log, task, log, new, at).await?;
    Ok(Forked {
        task: new.clone(),
        at,
        behind: deeds_behind(&events, at),
    })
}

/// The calls that act and were begun behind a point.
fn deeds_behind(events: &[Event], at: Seq) -> Vec<(Seq, SkillName)> {
    let mut acting: BTreeMap<&CallId, &SkillName> = BTreeMap::new();
    let mut found = Vec::new();
    for event in events {
        match &event.body {
            Body::CallAdmitted(body) if body.effect != Some(EffectClass::Read) => {
                acting.insert(&body.call, &body.skill);
            }
            Body::SkillCalled(body) if event.seq > at => {
                let skill = acting.get(&body.call);
                found.extend(skill.map(|skill| (event.seq, (*skill).clone())));
            }
            _ => {}
        }
    }
    found
}

/// Copies the stored bytes of a log up to an event, with their contents.
pub(super) async fn copy(
    from: &dyn Log,
    task: &TaskId,
    into: &dyn Log,
    new: &TaskId,
    until: Seq,
) -> Result<(), Error> {
    let header = from.header(task).await?;
    into.create(
        new,
        TaskHeader {
            parent: None,
            ..header
        },
    )
    .await?;
    let mut events = load_events(from, task, Seq(1)).await?;
    let lease = into
        .lease(new, "fork", Timestamp(0), 0, Takeover::Force)
        .await?;
    let mut sealed = Vec::new();
    let mut next = Seq(1);
    'pages: loop {
        let page = from.read(task, next, limits::READ_EVENTS_MAX).await?;
        let Some(last) = page.last() else { break };
        next = last.seq.next();
        let loaded = events.iter_mut().skip(sealed.len());
        for (stored, event) in page.into_iter().zip(loaded) {
            if stored.seq > until {
                break 'pages;
            }
            let mut contents = Vec::new();
            event
                .body
                .visit_content(&mut |content| contents.push(content.clone()));
            let hash = Hash::of_bytes(&stored.bytes);
            sealed.push(Sealed {
                seq: stored.seq,
                bytes: stored.bytes,
                hash,
                contents,
            });
        }
    }
    let at = events
        .iter()
        .rfind(|event| event.seq <= until)
        .map(|event| event.at);
    let batch = Batch {
        epoch: lease.epoch,
        events: sealed,
        status: at.map(|at| Status {
            text: "running".to_owned(),
            at,
        }),
        ..Batch::default()
    };
    into.append(new, batch).await?;
    into.release(&lease).await?;
    Ok(())
}
