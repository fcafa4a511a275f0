//! Many writers at once, on one connection and on several.

use std::sync::Arc;

use steadfast_core::id::{Epoch, Seq, Timestamp};
use steadfast_store::conformance::Script;
use steadfast_store::{
    Batch, Error, Head, InboxItem, Log, MemoryLog, SqliteLog, SqliteOptions, Takeover, load_events,
};

/// Appends `count` events, each at whatever the head then is.
async fn hammer(log: &dyn Log, base: &Script, name: &str, count: usize) -> usize {
    let mut conflicts = 0;
    for n in 0..count {
        loop {
            let head = log.head(&base.task).await.unwrap();
            let script = Script {
                head,
                ..base.clone()
            };
            // Two events a batch: nothing may come between them.
            let texts = [format!("{name} {n} a"), format!("{name} {n} b")];
            let batch = script.batch(&[texts[0].as_bytes(), texts[1].as_bytes()]);
            match log.append(&base.task, batch).await {
                Ok(_) => break,
                Err(error) if error.is_conflict() => conflicts += 1,
                Err(error) => panic!("{error}"),
            }
        }
    }
    conflicts
}

/// What each writer wrote is there once, in its order, pairs together.
async fn nothing_interleaved(log: &dyn Log, base: &Script, names: &[&str], count: usize) {
    let events = load_events(log, &base.task, Seq(1)).await.unwrap();
    let texts: Vec<String> = events
        .iter()
        .map(|event| match &event.body {
            steadfast_core::event::Body::UserSent(said) => said.text.text().into_owned(),
            other => panic!("nobody wrote {}", other.kind()),
        })
        .collect();
    assert_eq!(texts.len(), names.len() * count * 2);
    for name in names {
        let own: Vec<&String> = texts.iter().filter(|text| text.starts_with(name)).collect();
        let expected: Vec<String> = (0..count)
            .flat_map(|n| ["a", "b"].map(|part| format!("{name} {n} {part}")))
            .collect();
        assert_eq!(own, expected.iter().collect::<Vec<_>>());
    }
    for pair in texts.chunks(2) {
        assert_eq!(pair[0].trim_end_matches('a'), pair[1].trim_end_matches('b'));
    }
}

async fn two_writers(first: Arc<dyn Log>, second: Arc<dyn Log>) {
    let base = {
        // Script::start wants a sized log; the trait object is as good.
        let script = Script {
            task: "t".into(),
            salt: steadfast_core::content::Salt([7; 32]),
            head: Head::EMPTY,
            epoch: Epoch(0),
        };
        first.create(&script.task, script.header()).await.unwrap();
        script
    };
    let spawn = |log: Arc<dyn Log>, name: &'static str| {
        let base = base.clone();
        tokio::spawn(async move { hammer(&*log, &base, name, 50).await })
    };
    let (a, b) = (spawn(first.clone(), "p1"), spawn(second, "p2"));
    let (_, _) = (a.await.unwrap(), b.await.unwrap());
    nothing_interleaved(&*first, &base, &["p1", "p2"], 50).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_in_memory() {
    let log = Arc::new(MemoryLog::new());
    two_writers(log.clone(), log).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_on_one_connection() {
    let dir = tempfile::tempdir().unwrap();
    let log = SqliteLog::open(dir.path().join("log.db"), SqliteOptions::default()).unwrap();
    let log = Arc::new(log);
    two_writers(log.clone(), log).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_on_two_connections() {
    let dir = tempfile::tempdir().unwrap();
    let open = || SqliteLog::open(dir.path().join("log.db"), SqliteOptions::default()).unwrap();
    two_writers(Arc::new(open()), Arc::new(open())).await;
}

/// R105 over two connections to one file: the fencing is in the file.
#[tokio::test]
async fn r105_fencing_holds_across_connections() {
    let dir = tempfile::tempdir().unwrap();
    let open = || SqliteLog::open(dir.path().join("log.db"), SqliteOptions::default()).unwrap();
    let (first, second) = (open(), open());
    let mut p1 = Script::start(&first, "t").await;
    let lease = first
        .lease(&p1.task, "p1", Timestamp(0), 10, Takeover::IfExpired)
        .await
        .unwrap();
    p1.epoch = lease.epoch;
    p1.say(&first, &[b"one"]).await;
    let busy = second
        .lease(&p1.task, "p2", Timestamp(9_999), 10, Takeover::IfExpired)
        .await;
    assert!(matches!(busy, Err(Error::Busy { .. })), "{busy:?}");
    let taken = second
        .lease(&p1.task, "p2", Timestamp(10_000), 10, Takeover::IfExpired)
        .await
        .unwrap();
    assert!(lease.epoch < taken.epoch);
    let late = first
        .append(&p1.task, p1.batch(&[b"two"]))
        .await
        .unwrap_err();
    assert_eq!(
        late.to_string(),
        "epoch 1 of task `t` was taken over, it is 2 now"
    );
    let mut p2 = Script {
        epoch: taken.epoch,
        ..p1.clone()
    };
    p2.say(&second, &[b"two"]).await;
    assert_eq!(
        load_events(&first, &p1.task, Seq(1)).await.unwrap().len(),
        2
    );
}

/// Writes that wait together are committed together: one that fails takes
/// nothing of the others with it, and nothing of its own stays.
#[tokio::test]
async fn a_failed_write_leaves_its_group_alone() {
    let dir = tempfile::tempdir().unwrap();
    let log = SqliteLog::open(dir.path().join("log.db"), SqliteOptions::default()).unwrap();
    let mut scripts = Vec::new();
    for n in 0..100 {
        scripts.push(Script::start(&log, &format!("t_{n:03}")).await);
    }
    let appends: Vec<_> = scripts
        .iter()
        .enumerate()
        .map(|(n, script)| {
            let mut batch = script.batch(&[b"one", b"two"]);
            if n % 3 == 0 {
                // Found out only after its events were inserted.
                batch.consumed.push(steadfast_store::InboxId(9));
            }
            (log.append(&script.task, batch), n)
        })
        .collect();
    // Polled together, so that they queue up behind one commit.
    let mut set = Vec::new();
    let (futures, numbers): (Vec<_>, Vec<_>) = appends.into_iter().unzip();
    let mut futures: Vec<_> = futures.into_iter().map(Some).collect();
    let mut pending = futures.len();
    std::future::poll_fn(|cx| {
        for (n, slot) in futures.iter_mut().enumerate() {
            if let Some(future) = slot
                && let std::task::Poll::Ready(result) = future.as_mut().poll(cx)
            {
                set.push((numbers[n], result));
                *slot = None;
                pending -= 1;
            }
        }
        if pending == 0 {
            std::task::Poll::Ready(())
        } else {
            std::task::Poll::Pending
        }
    })
    .await;
    for (n, result) in set {
        let script = &scripts[n];
        let stored = log.read(&script.task, Seq(1), 10).await.unwrap().len();
        let content = script.salt.seal_text("one").hash;
        let contents = log.content(&script.task, &[content]).await.unwrap().len();
        let expected = if n % 3 == 0 {
            (true, 0, 0)
        } else {
            (false, 2, 1)
        };
        assert_eq!(
            (result.is_err(), stored, contents),
            expected,
            "{}",
            script.task
        );
    }
}

/// What an append consumed and what it recorded stand or fall together, also
/// when two drivers try to record the same item.
#[tokio::test]
async fn an_item_is_recorded_once() {
    let dir = tempfile::tempdir().unwrap();
    let open = || SqliteLog::open(dir.path().join("log.db"), SqliteOptions::default()).unwrap();
    let (first, second) = (open(), open());
    let script = Script::start(&first, "t").await;
    let item = InboxItem {
        source: steadfast_store::conformance::user(),
        body: b"stop".to_vec(),
        at: Timestamp(1),
        key: None,
    };
    let id = second.post(&script.task, item).await.unwrap();
    let batch = Batch {
        consumed: vec![id],
        ..script.batch(&[b"stop"])
    };
    first.append(&script.task, batch.clone()).await.unwrap();
    assert!(
        second
            .append(&script.task, batch)
            .await
            .unwrap_err()
            .is_conflict()
    );
    assert_eq!(second.inbox(&script.task).await.unwrap(), []);
    assert_eq!(second.head(&script.task).await.unwrap().seq, Seq(1));
}
