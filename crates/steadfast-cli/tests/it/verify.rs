//! `verify`: a whole log passes, a touched one does not, and no model is called.

use expect_test::expect;

use crate::harness::{PAY, payment};

#[test]
fn a_whole_log() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    case.check(
        &["verify", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        events: 12, chained and folded
        contexts: 2 of 2 assembled again, 2 rendered again from what is stored
        snapshot: agrees with the log
        model calls made: 0
        task t1 verified
    "#]],
    );
    assert_eq!(
        case.run(&["resolve", "t1", "--approve", "--resume"]).exit,
        0
    );
    // Neither a script nor a skill is needed.
    for file in ["script.yaml", "pay.yaml", "pay.sh", "look.sh"] {
        std::fs::remove_file(case.path(file)).unwrap();
    }
    case.check(
        &["verify", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        events: 20, chained and folded
        contexts: 3 of 3 assembled again, 3 rendered again from what is stored
        snapshot: agrees with the log
        model calls made: 0
        task t1 verified
    "#]],
    );
    let json = case.run(&["verify", "t1", "--json"]).stdout;
    let verdict: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(verdict["passed"], true);
    assert_eq!(
        verdict["contexts"],
        serde_json::json!({ "all": 3, "assembled": 3, "rendered": 3, "other_build": 0 })
    );
    assert_eq!(verdict["model_calls"], 0);
    assert_eq!(verdict["rests"], true);
}

/// One changed word in the file is found: of an event, of an answer, of a result.
#[test]
fn a_touched_log() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let store = case.path(".steadfast/steadfast.db");
    // A process that ends at once can leave its rows in the write-ahead log; one
    // that closes after it moves them into the file.
    let wal = case.path(".steadfast/steadfast.db-wal");
    for _ in 0..50 {
        if std::fs::metadata(&wal).map_or(0, |file| file.len()) == 0 {
            break;
        }
        case.run(&["tasks"]);
    }
    let whole = std::fs::read(&store).unwrap();
    // A page may have left copies of its rows behind: all are changed.
    let touch = |from: &str, to: &str| {
        assert_eq!(from.len(), to.len());
        let mut bytes = whole.clone();
        let places: Vec<usize> = bytes
            .windows(from.len())
            .enumerate()
            .filter(|(_, window)| *window == from.as_bytes())
            .map(|(at, _)| at)
            .collect();
        assert!(!places.is_empty(), "the words stand in the file");
        for at in places {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
        }
        std::fs::write(&store, bytes).unwrap();
    };
    touch(r#""kind":"skill_called""#, r#""kind":"skill_colled""#);
    case.check(
        &["verify", "t1"],
        expect![[r#"
        exit 3
        --- stdout
        events: 18
        contexts: 0 of 0 assembled again, 0 rendered again from what is stored
        model calls made: 0
        problem: [L0008] event 7 of task `t1` does not follow 6
        task t1 does not verify
    "#]],
    );
    touch("All is paid.", "Not is paid.");
    case.check(
        &["verify", "t1"],
        expect![[r#"
        exit 3
        --- stdout
        events: 18
        contexts: 0 of 0 assembled again, 0 rendered again from what is stored
        model calls made: 0
        problem: [L0009] content `[HASH]` of event 16 of task `t1` was changed
        task t1 does not verify
    "#]],
    );
    touch(r#"{"price":10}"#, r#"{"price":99}"#);
    case.check(
        &["verify", "t1"],
        expect![[r#"
        exit 3
        --- stdout
        events: 18
        contexts: 0 of 0 assembled again, 0 rendered again from what is stored
        model calls made: 0
        problem: [L0009] content `[HASH]` of event 7 of task `t1` was changed
        task t1 does not verify
    "#]],
    );
    // What was changed is never shown as if it were what was recorded.
    let log = case.run(&["log", "t1"]);
    assert!(!log.stdout.contains(r#""price":99"#), "{}", log.stdout);
    std::fs::write(&store, &whole).unwrap();
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);
}

/// An event of a later build: the fold refuses it, the envelope is still shown.
#[test]
fn a_newer_format() {
    let case = payment("required");
    assert_eq!(case.run(PAY).exit, 4);
    append_newer(&case.path(".steadfast/steadfast.db"));
    case.check(&["log", "t1", "--from", "12"], expect![[r#"
        exit 0
        --- stdout
           12  [DATE] [TIME]  runtime               approval_requested  s2.0 bound to [HASH]
           13  [DATE] [TIME]  {"kind":"muse"}       thing_dreamt        (format 99, newer than this build)
    "#]]);
    case.check(&["verify", "t1"], expect![[r#"
        exit 3
        --- stdout
        events: 13
        contexts: 0 of 0 assembled again, 0 rendered again from what is stored
        model calls made: 0
        problem: [L0010] event 13 of task `t1` has format 99, this build reads up to 1 (kind `thing_dreamt`, source `{"kind":"muse"}`; the chain is whole)
        task t1 does not verify
    "#]]);
    case.check(
        &["resume", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error[L0010]: event 13 of task `t1` has format 99, this build reads up to 1

        hint: use the version of Steadfast that wrote it, or a later one
    "#]],
    );
    let json = case.run(&["log", "t1", "--json", "--from", "13"]).stdout;
    let event: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&event["kind"], &event["v"]),
        (&"thing_dreamt".into(), &99.into())
    );
    assert!(event.get("body").is_none());
}

fn append_newer(store: &std::path::Path) {
    use steadfast_core::event::Sealed;
    use steadfast_core::hash::Hash;
    use steadfast_core::id::{TaskId, Timestamp};
    use steadfast_store::{Batch, Log, SqliteLog, SqliteOptions, Takeover};
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(async {
        let log = SqliteLog::open(store, SqliteOptions::default()).unwrap();
        let id = TaskId::new("t1");
        let head = log.head(&id).await.unwrap();
        let lease = log.lease(&id, "later", Timestamp(0), 0, Takeover::Force).await.unwrap();
        let seq = head.seq.next();
        let bytes = format!(
            r#"{{"v":99,"seq":{seq},"ts":0,"epoch":9,"source":{{"kind":"muse"}},"kind":"thing_dreamt","body":{{}},"prev":"{}"}}"#,
            head.hash
        )
        .into_bytes();
        let hash = Hash::of_bytes(&bytes);
        let events = vec![Sealed { seq, bytes, hash, contents: Vec::new() }];
        let batch = Batch { expected: head.seq, epoch: lease.epoch, events, ..Batch::default() };
        log.append(&id, batch).await.unwrap();
    });
}
