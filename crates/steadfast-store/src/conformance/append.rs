//! Appends: chained, atomic, at the expected place.

use steadfast_core::content::Salt;
use steadfast_core::event::seal;
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, Timestamp};

use super::{Script, done, refused};
use crate::log::{Batch, Head, InboxId, Log, Status, Stored};

async fn stored(log: &impl Log, script: &Script) -> Vec<Stored> {
    done(log.read(&script.task, Seq(1), 1_000).await)
}

pub(super) async fn appends_chain_and_move_the_head(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    assert_eq!(done(log.head(&script.task).await), Head::EMPTY);
    let mut written = Vec::new();
    for texts in [&[&b"one"[..]][..], &[b"two", b"three"], &[b"four"]] {
        let sealed = script.sealed(texts);
        let last = sealed.last().map(|event| Head {
            seq: event.seq,
            hash: event.hash,
        });
        written.extend(sealed.into_iter().map(|e| Stored {
            seq: e.seq,
            bytes: e.bytes,
        }));
        script.say(log, texts).await;
        assert_eq!(Some(script.head), last);
        assert_eq!(done(log.head(&script.task).await), script.head);
    }
    assert_eq!(script.head.seq, Seq(4));
    assert_eq!(
        stored(log, &script).await,
        written,
        "the very bytes come back"
    );
}

pub(super) async fn a_wrong_head_is_a_conflict(log: &impl Log) {
    let mut first = Script::start(log, "t").await;
    first.say(log, &[b"one"]).await;
    let second = first.clone();
    first.say(log, &[b"two", b"three"]).await;
    let refusal = refused(log.append(&second.task, second.batch(&[b"other"])).await);
    assert_eq!(refusal, "task `t` stands at event 3, not 1");
    let mut ahead = first.batch(&[b"five"]);
    ahead.expected = Seq(4);
    assert_eq!(
        refused(log.append(&first.task, ahead).await),
        "task `t` stands at event 3, not 4"
    );
    assert_eq!(stored(log, &first).await.len(), 3);
}

pub(super) async fn a_batch_is_all_or_nothing(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    script.say(log, &[b"one"]).await;
    let before = stored(log, &script).await;
    let batch = Batch {
        consumed: vec![InboxId(1)],
        status: Some(Status {
            text: "lost".to_owned(),
            at: Timestamp(1),
        }),
        ..script.batch(&[b"two", b"new content"])
    };
    let refusal = refused(log.append(&script.task, batch).await);
    assert_eq!(refusal, "item 1 is not in the inbox of task `t`");
    assert_eq!(stored(log, &script).await, before);
    assert_eq!(done(log.head(&script.task).await), script.head);
    let hash = script.salt.seal_text("new content").hash;
    assert!(done(log.content(&script.task, &[hash]).await).is_empty());
    assert_eq!(done(log.find("t").await)[0].status, None);
}

pub(super) async fn a_broken_batch_is_refused(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    script.say(log, &[b"one"]).await;
    let try_events = async |events| {
        let batch = Batch {
            events,
            ..script.batch(&[])
        };
        refused(log.append(&script.task, batch).await)
    };
    let sealed = script.sealed(&[b"two", b"three", b"four"]);
    let about = |seq: u64, what: &str| format!("event {seq} of a batch for task `t` {what}");

    let gap = vec![sealed[0].clone(), sealed[2].clone()];
    assert_eq!(try_events(gap).await, about(3, "carries the number 4"));
    let elsewhere = seal(Hash::of_bytes(b"elsewhere"), &mut script.events(&[b"two"]));
    assert_eq!(try_events(elsewhere).await, about(2, "does not follow 1"));
    let mut renumbered = sealed.clone();
    renumbered[1] = sealed[2].clone();
    renumbered[1].seq = Seq(3);
    assert_eq!(
        try_events(renumbered).await,
        about(3, "carries the number 4")
    );
    let mut changed = sealed.clone();
    let last = changed[2].bytes.len() - 1;
    changed[2].bytes.insert(last, b' ');
    assert_eq!(
        try_events(changed).await,
        about(4, "has another hash than it says")
    );
    let mut torn = sealed.clone();
    torn[1].bytes.truncate(40);
    assert_eq!(try_events(torn).await, about(3, "is not an event envelope"));
    assert_eq!(stored(log, &script).await.len(), 1);
}

pub(super) async fn content_is_kept_once(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    script.say(log, &[b"same", b"same", b""]).await;
    script.say(log, &[b"same", b"other"]).await;
    let names = ["same", "other", "", "never"].map(|text| script.salt.seal_text(text).hash);
    let found = done(log.content(&script.task, &names).await);
    assert_eq!(found.len(), 3);
    assert_eq!(found[&names[0]][..], b"same"[..]);
    assert_eq!(found[&names[2]][..], b""[..]);
}

pub(super) async fn foreign_content_is_refused(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let other = Script {
        salt: Salt([8; 32]),
        ..script.clone()
    };
    let refusal = refused(log.append(&script.task, other.batch(&[b"theirs"])).await);
    let hash = other.salt.seal_text("theirs").hash;
    let expected = format!(
        "event 1 of a batch for task `t` names content `{hash}` that is not sealed for the task"
    );
    assert_eq!(refusal, expected);
    assert_eq!(done(log.head(&script.task).await), Head::EMPTY);
}

pub(super) async fn a_batch_may_be_empty(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    script.say(log, &[b"one"]).await;
    assert_eq!(
        done(log.append(&script.task, script.batch(&[])).await),
        script.head
    );
}
