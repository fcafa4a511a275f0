//! Reading: pages, ranges, decoding and content.

use steadfast_core::content::Content;
use steadfast_core::event::seal;
use steadfast_core::event::task::UserSent;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, Timestamp};
use steadfast_core::limits;

use super::{Script, done, refused, user};
use crate::load::{hydrate, load_events, read_events};
use crate::log::{Batch, Log};

pub(super) async fn reads_come_in_pages(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let many = limits::READ_EVENTS_MAX + 5;
    let texts: Vec<String> = (1..=many).map(|n| n.to_string()).collect();
    let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let written = script.say(log, &texts).await;

    let seqs = async |from, limit| -> Vec<u64> {
        let page = done(log.read(&script.task, Seq(from), limit).await);
        page.into_iter().map(|stored| stored.seq.0).collect()
    };
    assert_eq!(seqs(1, 3).await, [1, 2, 3]);
    assert_eq!(seqs(0, 1).await, [1], "0 is before the first");
    assert_eq!(seqs(41, 2).await, [41, 42]);
    assert_eq!(
        seqs(many as u64 - 1, 9).await,
        [many as u64 - 1, many as u64]
    );
    assert_eq!(seqs(1, usize::MAX).await.len(), limits::READ_EVENTS_MAX);
    assert_eq!(seqs(7, 0).await, [0; 0]);
    assert_eq!(done(load_events(log, &script.task, Seq(1)).await), written);
    assert_eq!(
        done(load_events(log, &script.task, Seq(1_000)).await),
        written[999..]
    );
}

pub(super) async fn reads_beyond_the_head_are_empty(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    assert!(done(log.read(&script.task, Seq(1), 10).await).is_empty());
    script.say(log, &[b"one"]).await;
    for from in [2, 3, 1_000] {
        assert!(done(log.read(&script.task, Seq(from), 10).await).is_empty());
        assert_eq!(done(load_events(log, &script.task, Seq(from)).await), []);
    }
}

pub(super) async fn tasks_do_not_see_each_other(log: &impl Log) {
    let mut one = Script::start(log, "t_1").await;
    let mut two = Script::start(log, "t_2").await;
    let first = one.say(log, &[b"secret"]).await;
    let second = two.say(log, &[b"other"]).await;
    assert_eq!(done(load_events(log, &one.task, Seq(1)).await), first);
    assert_eq!(done(load_events(log, &two.task, Seq(1)).await), second);
    // Even with the same salt, content belongs to the task that brought it.
    let secret = one.salt.seal_text("secret").hash;
    assert!(done(log.content(&two.task, &[secret]).await).is_empty());
}

fn text(event: &Event) -> &Content {
    match &event.body {
        Body::UserSent(UserSent { text }) => text,
        other => panic!("the script never says {}", other.kind()),
    }
}

pub(super) async fn events_load_with_their_content(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let written = script.say(log, &["不得超过 500".as_bytes(), b"ok"]).await;
    let loaded = done(load_events(log, &script.task, Seq(1)).await);
    assert_eq!(loaded, written);
    assert_eq!(text(&loaded[0]).text(), "不得超过 500");
    let named = done(read_events(log, &script.task, Seq(2)).await);
    assert_eq!(named, written[1..]);
    assert!(text(&named[0]).payload().is_none());
}

pub(super) async fn values_hydrate(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    script.say(log, &[b"one", b"two"]).await;
    let named = done(read_events(log, &script.task, Seq(1)).await);
    let mut state: Vec<Content> = named.iter().map(|event| text(event).clone()).collect();
    done(hydrate(log, &script.task, Seq(2), &mut state).await);
    let texts: Vec<_> = state.iter().map(Content::text).collect();
    assert_eq!(texts, ["one", "two"]);
    let mut nothing: Vec<Content> = Vec::new();
    done(hydrate(log, &"t_unknown".into(), Seq(1), &mut nothing).await);
}

pub(super) async fn missing_content_is_named(log: &impl Log) {
    let script = Script::start(log, "t").await;
    let mut events = script.events(&[b"kept", b"lost"]);
    let mut sealed = seal(script.head.hash, &mut events);
    sealed[1].contents.clear();
    let batch = Batch {
        events: sealed,
        ..script.batch(&[])
    };
    done(log.append(&script.task, batch).await);
    let hash = script.salt.seal_text("lost").hash;
    let expected = format!("content `{hash}` of event 2 of task `t` is missing");
    assert_eq!(
        refused(load_events(log, &script.task, Seq(1)).await),
        expected
    );
}

/// R104: text with raw newlines was written over three lines and read as three
/// broken records.
pub(super) async fn any_bytes_round_trip(log: &impl Log) {
    let mut script = Script::start(log, "t").await;
    let large: Vec<u8> = (0..5_000_000u32)
        .map(|n| (n.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let texts: [&[u8]; 9] = [
        b"a\nb",
        b"a\r\nb\r\n",
        "a\u{2028}b\u{2029}c".as_bytes(),
        b"\0",
        b"\xff\xfe\xc3\x28",
        b"",
        b"\"}]\\",
        "汉字😀".as_bytes(),
        &large,
    ];
    for text in texts {
        script.say(log, &[text]).await;
    }
    // Names and sources are text inside the envelope itself.
    let odd = Event {
        seq: script.head.seq.next(),
        at: Timestamp(-1),
        source: steadfast_core::source::Source::Document {
            name: "a\n\r\u{2028}\0\"".to_owned(),
        },
        ..script.events(&[b"odd"]).remove(0)
    };
    let sealed = seal(script.head.hash, &mut [odd.clone()]);
    let batch = Batch {
        events: sealed,
        ..script.batch(&[])
    };
    done(log.append(&script.task, batch).await);

    let loaded = done(load_events(log, &script.task, Seq(1)).await);
    assert_eq!(loaded.len(), texts.len() + 1, "as many records as events");
    for (event, expected) in loaded.iter().zip(texts) {
        assert_eq!(
            text(event).payload().map(|bytes| &bytes[..]),
            Some(expected)
        );
        assert_eq!(event.source, user());
    }
    assert_eq!(loaded.last(), Some(&odd));
}
