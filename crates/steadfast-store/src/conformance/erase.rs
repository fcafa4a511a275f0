//! Forgetting: the content goes, the chain stays, nobody else is touched.

use steadfast_core::content::Salt;
use steadfast_core::id::{Seq, Timestamp};

use super::{Script, done, refused, user};
use crate::load::{load_events, read_events};
use crate::log::{FORGOTTEN, InboxItem, Lease, Log, Status, Takeover};

async fn lease(log: &impl Log, script: &mut Script) -> Lease {
    let now = Timestamp(2_000_000);
    let lease = log.lease(&script.task, "eraser", now, 1_000, Takeover::IfExpired);
    let lease = done(lease.await);
    script.epoch = lease.epoch;
    lease
}

fn item(key: &str) -> InboxItem {
    InboxItem {
        source: user(),
        body: b"psst".to_vec(),
        at: Timestamp(1),
        key: Some(key.to_owned()),
    }
}

pub(super) async fn what_was_forgotten_is_gone(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let task = script.task.clone();
    let events = script.say(log, &[b"one", b"two"]).await;
    done(log.save_snapshot(&task, Seq(1), b"state".to_vec()).await);
    done(log.post(&task, item("k")).await);
    let before = done(log.read(&task, Seq(1), 10).await);
    let hashes: Vec<_> = events
        .iter()
        .map(|event| match &event.body {
            steadfast_core::event::Body::UserSent(sent) => sent.text.hash,
            _ => unreachable!("the script only speaks"),
        })
        .collect();
    assert_eq!(done(log.content(&task, &hashes).await).len(), 2);

    let at = Timestamp(1_780_000_000_000_000);
    let lease = lease(log, &mut script).await;
    done(log.forget(&lease, at).await);

    assert_eq!(done(log.erased(&task).await), Some(at));
    assert_eq!(done(log.content(&task, &hashes).await).len(), 0);
    assert_eq!(done(log.snapshot(&task).await), None);
    assert_eq!(done(log.inbox(&task).await), []);
    assert_eq!(done(log.header(&task).await).salt, Salt([0; 32]));
    let status = done(log.find("t").await).remove(0).status;
    assert_eq!(
        status,
        Some(Status {
            text: FORGOTTEN.to_owned(),
            at
        })
    );
    // The chain is the one that was written, and still decodes.
    assert_eq!(done(log.read(&task, Seq(1), 10).await), before);
    assert_eq!(done(log.head(&task).await), script.head);
    assert_eq!(done(read_events(log, &task, Seq(1)).await).len(), 2);
    assert_eq!(
        refused(load_events(log, &task, Seq(1)).await),
        "what task `t` was about was forgotten on 2026-05-28"
    );
}

pub(super) async fn others_are_left(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let mut other = Script::start(log, "t_other").await;
    script.say(log, &[b"one"]).await;
    let kept = other.say(log, &[b"one", b"more"]).await;
    done(log.save_snapshot(&other.task, Seq(2), b"s".to_vec()).await);
    done(log.post(&other.task, item("k")).await);
    let lease = lease(log, &mut script).await;
    done(log.forget(&lease, Timestamp(3)).await);
    assert_eq!(done(log.erased(&other.task).await), None);
    assert_eq!(done(load_events(log, &other.task, Seq(1)).await), kept);
    assert_eq!(done(log.inbox(&other.task).await).len(), 1);
    assert!(done(log.snapshot(&other.task).await).is_some());
    other.say(log, &[b"and on"]).await;
}

pub(super) async fn a_forgotten_task_takes_nothing(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let task = script.task.clone();
    script.say(log, &[b"one"]).await;
    let lease = lease(log, &mut script).await;
    done(log.forget(&lease, Timestamp(3)).await);
    let gone = "what task `t` was about was forgotten on 1970-01-01";
    let batch = script.batch(&[b"two"]);
    assert_eq!(refused(log.append(&task, batch).await), gone);
    assert_eq!(refused(log.post(&task, item("k")).await), gone);
    assert_eq!(
        refused(log.save_snapshot(&task, Seq(1), vec![]).await),
        gone
    );
    let again = log.lease(&task, "next", Timestamp(9), 1, Takeover::Force);
    assert_eq!(refused(again.await), gone);
    done(log.scrub().await);
}

pub(super) async fn only_the_holder_forgets(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let task = script.task.clone();
    let said = script.say(log, &[b"one"]).await;
    let old = lease(log, &mut script).await;
    let now = Timestamp(3_000_000);
    done(log.lease(&task, "other", now, 1_000, Takeover::Force).await);
    assert_eq!(
        refused(log.forget(&old, now).await),
        "epoch 1 of task `t` was taken over, it is 2 now"
    );
    assert_eq!(done(log.erased(&task).await), None);
    assert_eq!(done(load_events(log, &task, Seq(1)).await), said);
}
