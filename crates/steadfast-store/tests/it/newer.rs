//! A log that a later version wrote on: refused when decoded, never misread,
//! and its envelopes can still be shown.

use steadfast_core::event::{Envelope, Sealed};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Seq, Timestamp};
use steadfast_store::conformance::Script;
use steadfast_store::{Batch, Log, MemoryLog, load_events};

#[tokio::test]
async fn a_newer_format_is_refused_and_still_shown() {
    let log = MemoryLog::new();
    let mut script = Script::start(&log, "t").await;
    let old = script.say(&log, &[b"one"]).await;
    let bytes = format!(
        r#"{{"v":2,"seq":2,"ts":7,"epoch":0,"source":{{"kind":"oracle","of":[1]}},"kind":"omen_seen","body":{{"text":"new"}},"prev":"{}","extra":true}}"#,
        script.head.hash
    );
    let bytes = bytes.into_bytes();
    let hash = Hash::of_bytes(&bytes);
    let sealed = Sealed {
        seq: Seq(2),
        bytes,
        hash,
        contents: Vec::new(),
    };
    let batch = Batch {
        events: vec![sealed],
        ..script.batch(&[])
    };
    log.append(&script.task, batch).await.unwrap();

    let error = load_events(&log, &script.task, Seq(1)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "event 2 of task `t` has format 2, this build reads up to 1"
    );
    assert_eq!(error.code(), "L0010");
    assert!(error.hint().is_some());

    let stored = log.read(&script.task, Seq(1), 10).await.unwrap();
    assert_eq!(stored.len(), 2, "the chain is whole all the same");
    let envelope = Envelope::read(&stored[1].bytes).unwrap();
    assert_eq!(
        (
            envelope.v,
            envelope.seq,
            envelope.ts,
            envelope.kind.as_str(),
            envelope.body.get()
        ),
        (2, Seq(2), Timestamp(7), "omen_seen", r#"{"text":"new"}"#)
    );
    assert_eq!(envelope.source.get(), r#"{"kind":"oracle","of":[1]}"#);
    assert_eq!(
        Envelope::read(&stored[0].bytes).unwrap().event().unwrap(),
        old[0]
    );
}

#[tokio::test]
async fn a_body_that_does_not_read_is_named() {
    let log = MemoryLog::new();
    let script = Script::start(&log, "t").await;
    let mut sealed = script.sealed(&[b"one"]);
    let text = String::from_utf8(sealed[0].bytes.clone()).unwrap();
    sealed[0].bytes = text.replace("user_sent", "user_shouted").into_bytes();
    sealed[0].hash = Hash::of_bytes(&sealed[0].bytes);
    let batch = Batch {
        events: sealed,
        ..script.batch(&[])
    };
    log.append(&script.task, batch).await.unwrap();
    let error = load_events(&log, &script.task, Seq(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "event 1 of task `t` does not decode");
    let source = std::error::Error::source(&error).unwrap().to_string();
    assert!(
        source.starts_with("body `user_shouted` of event 1 does not read"),
        "{source}"
    );
}
