//! The inbox: ordered, durable, idempotent by key.

use steadfast_core::id::Timestamp;
use steadfast_core::limits;
use steadfast_core::source::Source;

use super::{Script, done, refused, user};
use crate::log::{Batch, InboxId, InboxItem, Log};

fn item(body: &[u8], key: Option<&str>) -> InboxItem {
    InboxItem {
        source: user(),
        body: body.to_vec(),
        at: Timestamp(5),
        key: key.map(str::to_owned),
    }
}

pub(super) async fn items_wait_in_order(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let other = Script::start(log, "t_other").await;
    let items = [
        item(b"{\"say\":\"\xe5\xa5\xbd\"}", None),
        InboxItem {
            source: Source::Runtime,
            ..item(b"\0\xff\n", Some("k"))
        },
        item(b"", None),
    ];
    for (n, one) in (1..).zip(&items) {
        assert_eq!(done(log.post(&script.task, one.clone()).await), InboxId(n));
    }
    let ids = (1..).map(InboxId);
    assert_eq!(
        done(log.inbox(&script.task).await),
        ids.zip(items).collect::<Vec<_>>()
    );
    assert_eq!(done(log.inbox(&other.task).await), []);
}

pub(super) async fn an_append_consumes(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    for body in [b"a", b"b", b"c"] {
        done(log.post(&script.task, item(body, None)).await);
    }
    let batch = Batch {
        consumed: vec![InboxId(1), InboxId(3)],
        ..script.batch(&[b"a", b"c"])
    };
    script.head = done(log.append(&script.task, batch).await);
    assert_eq!(
        done(log.inbox(&script.task).await),
        [(InboxId(2), item(b"b", None))]
    );

    let twice = Batch {
        consumed: vec![InboxId(1)],
        ..script.batch(&[b"a"])
    };
    let refusal = refused(log.append(&script.task, twice).await);
    assert_eq!(refusal, "item 1 is not in the inbox of task `t`");
    let double = Batch {
        consumed: vec![InboxId(2), InboxId(2)],
        ..script.batch(&[b"b"])
    };
    assert!(log.append(&script.task, double).await.is_err());

    let last = Batch {
        consumed: vec![InboxId(2)],
        ..script.batch(&[])
    };
    done(log.append(&script.task, last).await);
    assert_eq!(done(log.inbox(&script.task).await), []);
    let next = done(log.post(&script.task, item(b"d", None)).await);
    assert_eq!(next, InboxId(4), "numbers are never used twice");
}

pub(super) async fn a_key_makes_posts_idempotent(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let other = Script::start(log, "t_other").await;
    let first = item(b"pay", Some("k1"));
    let id = done(log.post(&script.task, first.clone()).await);
    let later = InboxItem {
        at: Timestamp(99),
        ..first.clone()
    };
    assert_eq!(done(log.post(&script.task, later.clone()).await), id);
    assert_eq!(done(log.inbox(&script.task).await), [(id, first.clone())]);

    let batch = Batch {
        consumed: vec![id],
        ..script.batch(&[b"pay"])
    };
    done(log.append(&script.task, batch).await);
    assert_eq!(
        done(log.post(&script.task, later).await),
        id,
        "known after it was consumed"
    );
    assert_eq!(done(log.inbox(&script.task).await), []);

    let reused = "key `k1` was used for another message to task `t`";
    assert_eq!(
        refused(log.post(&script.task, item(b"pay more", Some("k1"))).await),
        reused
    );
    let as_other = InboxItem {
        source: Source::Runtime,
        ..first.clone()
    };
    assert_eq!(refused(log.post(&script.task, as_other).await), reused);
    assert_eq!(
        done(log.post(&other.task, first).await),
        InboxId(1),
        "keys are per task"
    );
}

pub(super) async fn a_full_inbox_refuses(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let keyed = item(b"first", Some("k"));
    done(log.post(&script.task, keyed.clone()).await);
    for _ in 1..limits::INBOX_ITEMS_MAX {
        done(log.post(&script.task, item(b"x", None)).await);
    }
    let refusal = refused(log.post(&script.task, item(b"x", None)).await);
    assert_eq!(
        refusal,
        format!(
            "the inbox of task `t` holds {} items already",
            limits::INBOX_ITEMS_MAX
        )
    );
    assert_eq!(
        done(log.post(&script.task, keyed).await),
        InboxId(1),
        "a repeat needs no room"
    );
}
