//! Who may write: leases, epochs, fencing.

use steadfast_core::id::{Epoch, Seq, Timestamp};

use super::{Script, done, refused};
use crate::error::Error;
use crate::log::{Lease, Log, Takeover};

const START: Timestamp = Timestamp(1_000_000);

fn at(ms: u64) -> Timestamp {
    START.plus_ms(ms)
}

async fn take(log: &impl Log, script: &Script, holder: &str, now: u64) -> crate::Result<Lease> {
    log.lease(&script.task, holder, at(now), 100, Takeover::IfExpired)
        .await
}

pub(super) async fn a_held_task_is_busy(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let lease = done(take(log, &script, "p1", 0).await);
    let expected = Lease {
        task: "t".into(),
        holder: "p1".to_owned(),
        epoch: Epoch(1),
        expires_at: at(100),
    };
    assert_eq!(lease, expected);
    let error = take(log, &script, "p2", 99).await.expect_err("p1 holds it");
    assert!(
        matches!(&error, Error::Busy { holder, expires_at, .. }
            if holder == "p1" && *expires_at == at(100)),
        "{error}"
    );
    let again = done(take(log, &script, "p1", 50).await);
    assert_eq!(again.epoch, Epoch(2), "the same holder starts anew");
}

pub(super) async fn an_expired_one_is_taken(log: &impl Log) {
    let script = Script::start(log, "t").await;
    done(take(log, &script, "p1", 0).await);
    let second = done(take(log, &script, "p2", 100).await);
    assert_eq!((second.epoch, second.expires_at), (Epoch(2), at(200)));
}

pub(super) async fn force_takes_at_once(log: &impl Log) {
    let script = Script::start(log, "t").await;
    done(take(log, &script, "p1", 0).await);
    let forced = log
        .lease(&script.task, "p2", at(1), 100, Takeover::Force)
        .await;
    assert_eq!(done(forced).epoch, Epoch(2));
    assert_eq!(
        refused(take(log, &script, "p1", 2).await),
        "task `t` is held by `p2`"
    );
}

pub(super) async fn a_taken_over_writer_is_fenced(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let first = done(take(log, &script, "p1", 0).await);
    let second = done(take(log, &script, "p2", 100).await);
    let fenced = "epoch 1 of task `t` was taken over, it is 2 now";
    script.epoch = first.epoch;
    assert_eq!(
        refused(log.append(&script.task, script.batch(&[b"late"])).await),
        fenced
    );
    assert_eq!(refused(log.renew(&first, at(101), 100).await), fenced);
    assert_eq!(refused(log.release(&first).await), fenced);
    // Nor may a writer come from the future.
    script.epoch = Epoch(3);
    assert!(
        log.append(&script.task, script.batch(&[b"early"]))
            .await
            .is_err()
    );
    script.epoch = second.epoch;
    script.say(log, &[b"in time"]).await;
}

pub(super) async fn renewal_and_release(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let lease = done(take(log, &script, "p1", 0).await);
    let renewed = done(log.renew(&lease, at(90), 100).await);
    assert_eq!(
        renewed,
        Lease {
            expires_at: at(190),
            ..lease.clone()
        }
    );
    assert!(take(log, &script, "p2", 150).await.is_err());
    // Late, but nobody came: the task is still ours.
    let late = done(log.renew(&renewed, at(500), 100).await);
    script.epoch = late.epoch;
    script.say(log, &[b"one"]).await;
    done(log.release(&late).await);
    let next = done(take(log, &script, "p2", 501).await);
    assert_eq!(next.epoch, Epoch(2));
}

/// R105: P1 is frozen past its expiry, P2 takes over, P1 wakes and writes.
pub(super) async fn r105_the_late_writer_is_refused(log: &impl Log) {
    let mut p1 = Script::start(log, "t").await;
    p1.epoch = done(take(log, &p1, "p1", 0).await).epoch;
    assert_eq!(
        refused(take(log, &p1, "p2", 10).await),
        "task `t` is held by `p1`"
    );
    p1.say(log, &[b"p1 step 1"]).await;

    let mut p2 = p1.clone();
    p2.epoch = done(take(log, &p2, "p2", 100).await).epoch;
    assert_eq!(
        refused(log.append(&p1.task, p1.batch(&[b"p1 step 2"])).await),
        "epoch 1 of task `t` was taken over, it is 2 now"
    );
    p2.say(log, &[b"p2 step 2"]).await;
    assert!(
        log.append(&p1.task, p1.batch(&[b"p1 step 2"]))
            .await
            .is_err()
    );
    let events = done(crate::load_events(log, &p1.task, Seq(1)).await);
    let epochs: Vec<u64> = events.iter().map(|event| event.epoch.0).collect();
    assert_eq!(epochs, [1, 2], "no step twice");
}
