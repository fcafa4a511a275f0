//! Two real processes on one file. The test starts its own binary again, which
//! then plays the second process.

use std::path::Path;
use std::process::{Command, Stdio};

use steadfast_core::id::{Epoch, Seq, Timestamp};
use steadfast_store::conformance::Script;
use steadfast_store::{Log, SqliteLog, SqliteOptions, Takeover, load_events};

const FILE: &str = "STEADFAST_TEST_LOG";
const ROLE: &str = "STEADFAST_TEST_ROLE";
const APPENDS: usize = 40;

fn open(path: &Path) -> SqliteLog {
    SqliteLog::open(path, SqliteOptions::default()).unwrap()
}

async fn script_at_head(log: &SqliteLog, epoch: Epoch) -> Script {
    let task = "t".into();
    let head = log.head(&task).await.unwrap();
    let salt = log.header(&task).await.unwrap().salt;
    Script {
        task,
        salt,
        head,
        epoch,
    }
}

/// Appends again and again, at whatever the head then is.
async fn contend(log: &SqliteLog, text: &str) {
    for _ in 0..APPENDS {
        loop {
            let script = script_at_head(log, Epoch(0)).await;
            match log
                .append(&script.task, script.batch(&[text.as_bytes()]))
                .await
            {
                Ok(_) => break,
                Err(error) => assert!(error.is_conflict(), "{error}"),
            }
        }
    }
}

fn second_process(path: &Path, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args([
            "--exact",
            "processes::plays_the_second_process",
            "--nocapture",
        ])
        .env(FILE, path)
        .env(ROLE, role)
        .stdout(Stdio::null());
    command
}

/// Does nothing unless the tests below start it.
#[tokio::test]
async fn plays_the_second_process() {
    let Some(path) = std::env::var_os(FILE) else {
        return;
    };
    let log = open(Path::new(&path));
    match std::env::var(ROLE).unwrap().as_str() {
        "contend" => contend(&log, "second").await,
        "take" => {
            let task = "t".into();
            let busy = log
                .lease(&task, "p2", Timestamp(5), 10, Takeover::IfExpired)
                .await;
            assert_eq!(busy.unwrap_err().to_string(), "task `t` is held by `p1`");
            let now = Timestamp(0).plus_ms(10);
            let lease = log
                .lease(&task, "p2", now, 10, Takeover::IfExpired)
                .await
                .unwrap();
            let mut script = script_at_head(&log, lease.epoch).await;
            script.say(&log, &[b"second"]).await;
        }
        // Dies without closing anything, in the middle of its work.
        "die" => {
            let mut script = script_at_head(&log, Epoch(0)).await;
            script.say(&log, &[b"acknowledged"]).await;
            let (task, next) = (script.task.clone(), script.batch(&[b"in flight"]));
            let mut append = log.append(&task, next);
            let once = std::future::poll_fn(|cx| std::task::Poll::Ready(append.as_mut().poll(cx)));
            let _ = once.await;
            std::process::abort();
        }
        other => panic!("no role {other}"),
    }
}

#[tokio::test]
async fn two_processes_do_not_interleave() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = open(&path);
    let base = Script::start(&log, "t").await;
    let mut second = second_process(&path, "contend").spawn().unwrap();
    contend(&log, "first").await;
    assert!(second.wait().unwrap().success());
    let events = load_events(&log, &base.task, Seq(1)).await.unwrap();
    assert_eq!(events.len(), 2 * APPENDS);
}

#[tokio::test]
async fn r105_a_second_process_takes_over() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = open(&path);
    let mut p1 = Script::start(&log, "t").await;
    let lease = log
        .lease(&p1.task, "p1", Timestamp(0), 10, Takeover::IfExpired)
        .await
        .unwrap();
    p1.epoch = lease.epoch;
    p1.say(&log, &[b"first"]).await;
    assert!(second_process(&path, "take").status().unwrap().success());
    // P1 was frozen in the meantime and knows nothing of it.
    let late = log
        .append(&p1.task, p1.batch(&[b"first again"]))
        .await
        .unwrap_err();
    assert_eq!(
        late.to_string(),
        "epoch 1 of task `t` was taken over, it is 2 now"
    );
    assert_eq!(load_events(&log, &p1.task, Seq(1)).await.unwrap().len(), 2);
}

#[tokio::test]
async fn a_process_that_dies_loses_nothing_acknowledged() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    let log = open(&path);
    let base = Script::start(&log, "t").await;
    drop(log);
    for round in 1..=20 {
        let before = open(&path).head(&base.task).await.unwrap().seq.0;
        assert!(
            !second_process(&path, "die")
                .stderr(Stdio::null())
                .status()
                .unwrap()
                .success()
        );
        let log = open(&path);
        let after = load_events(&log, &base.task, Seq(1)).await.unwrap().len() as u64;
        assert!(
            after == before + 1 || after == before + 2,
            "round {round}: {before}, {after}"
        );
    }
}
