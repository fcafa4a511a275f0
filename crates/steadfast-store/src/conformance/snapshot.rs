//! Snapshots: a cache, never ahead of the log.

use steadfast_core::id::Seq;
use steadfast_core::limits;

use super::{Script, done};
use crate::log::Log;

pub(super) async fn the_latest_not_ahead_is_given(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let task = script.task.clone();
    assert_eq!(done(log.snapshot(&task).await), None);
    script.say(log, &[b"one", b"two"]).await;
    done(log.save_snapshot(&task, Seq(1), b"\0one".to_vec()).await);
    done(log.save_snapshot(&task, Seq(3), b"ahead".to_vec()).await);
    assert_eq!(
        done(log.snapshot(&task).await),
        Some((Seq(1), b"\0one".to_vec()))
    );
    script.say(log, &[b"three"]).await;
    assert_eq!(
        done(log.snapshot(&task).await),
        Some((Seq(3), b"ahead".to_vec()))
    );
    done(log.save_snapshot(&task, Seq(3), b"better".to_vec()).await);
    assert_eq!(
        done(log.snapshot(&task).await),
        Some((Seq(3), b"better".to_vec()))
    );
}

pub(super) async fn old_ones_go_and_all_can(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let other = Script::start(log, "t_other").await;
    let task = script.task.clone();
    done(
        log.save_snapshot(&other.task, Seq(0), b"start".to_vec())
            .await,
    );
    script.say(log, &[b"1", b"2", b"3", b"4", b"5"]).await;
    for seq in 1..=4 {
        done(
            log.save_snapshot(&task, Seq(seq), vec![b'0' + seq as u8])
                .await,
        );
    }
    assert_eq!(
        done(log.snapshot(&task).await),
        Some((Seq(4), b"4".to_vec()))
    );
    // One more pushes the oldest of those kept out, not the newest.
    const { assert!(limits::SNAPSHOTS_KEPT >= 2) };
    done(log.save_snapshot(&task, Seq(5), b"5".to_vec()).await);
    assert_eq!(
        done(log.snapshot(&task).await),
        Some((Seq(5), b"5".to_vec()))
    );
    done(log.drop_snapshots(&task).await);
    assert_eq!(done(log.snapshot(&task).await), None);
    assert_eq!(
        done(log.snapshot(&other.task).await),
        Some((Seq(0), b"start".to_vec()))
    );
    script.say(log, &[b"6"]).await;
}
