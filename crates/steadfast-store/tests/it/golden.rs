//! The golden log: what version 1 wrote must stay readable by every later
//! version, to the same events.
//!
//! `UPDATE_GOLDEN=1` writes it anew. That is for the time before the first
//! release only: afterwards a change of format gets a folder of its own, and
//! this one is never touched again.

mod bodies;

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use steadfast_core::content::{Content, HoldsContent, Salt};
use steadfast_core::event::{Envelope, Event, Sealed, seal};
use steadfast_core::hash::Hash;
use steadfast_core::id::{Epoch, Seq, TaskId, Timestamp};
use steadfast_store::{
    Batch, Head, Log, MemoryLog, SqliteLog, SqliteOptions, TaskHeader, load_events,
};

const SALT: Salt = Salt([0x5f; 32]);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/log-v1")
}

/// Content as text; bytes that are no text stand as their hex digits.
fn as_text(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => format!("text:{text}"),
        Err(_) => format!(
            "hex:{}",
            bytes.iter().map(|b| format!("{b:02x}")).collect::<String>()
        ),
    }
}

fn from_text(text: &str) -> Vec<u8> {
    match text.split_once(':').unwrap() {
        ("text", text) => text.as_bytes().to_vec(),
        ("hex", digits) => (0..digits.len() / 2)
            .map(|n| u8::from_str_radix(&digits[2 * n..2 * n + 2], 16).unwrap())
            .collect(),
        (other, _) => panic!("no form `{other}`"),
    }
}

fn write() {
    let sealed = seal(Hash::ZERO, &mut bodies::events(&SALT));
    let mut lines = Vec::new();
    let mut contents = BTreeMap::new();
    for event in sealed {
        lines.extend(event.bytes);
        lines.push(b'\n');
        for content in event.contents {
            contents.insert(
                content.hash.to_string(),
                as_text(content.payload().unwrap()),
            );
        }
    }
    fs::create_dir_all(folder()).unwrap();
    replace("events.jsonl", &lines);
    let contents = serde_json::to_string_pretty(&contents).unwrap();
    replace("contents.json", (contents + "\n").as_bytes());
}

/// In one move: another test may be reading the file.
fn replace(name: &str, bytes: &[u8]) {
    let draft = folder().join(format!("{name}.{}", std::process::id()));
    fs::write(&draft, bytes).unwrap();
    fs::rename(draft, folder().join(name)).unwrap();
}

/// The files as a batch, with no help from what writes events today.
fn golden() -> Batch {
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        write();
    }
    let contents = fs::read_to_string(folder().join("contents.json")).unwrap();
    let contents: BTreeMap<String, String> = serde_json::from_str(&contents).unwrap();
    let contents: Vec<Content> = contents
        .values()
        .map(|text| SALT.seal(from_text(text)))
        .collect();
    let lines = fs::read(folder().join("events.jsonl")).unwrap();
    let lines = lines
        .strip_suffix(b"\n")
        .unwrap()
        .split(|byte| *byte == b'\n');
    let mut events: Vec<Sealed> = (1..)
        .zip(lines)
        .map(|(seq, line)| Sealed {
            seq: Seq(seq),
            bytes: line.to_vec(),
            hash: Hash::of_bytes(line),
            contents: Vec::new(),
        })
        .collect();
    events[0].contents = contents;
    Batch {
        events,
        ..Batch::default()
    }
}

/// Events with their content spelled out, since `Content` compares by hash.
fn spelled(mut events: Vec<Event>) -> Vec<(Event, Vec<Vec<u8>>)> {
    let spell = |event: &mut Event| {
        let mut texts = Vec::new();
        event
            .body
            .visit_content(&mut |content| texts.push(content.payload().unwrap().to_vec()));
        texts
    };
    let texts: Vec<_> = events.iter_mut().map(spell).collect();
    events.into_iter().zip(texts).collect()
}

async fn opens(log: &impl Log) {
    let task = TaskId::from("t_golden");
    let header = TaskHeader {
        salt: SALT,
        workflow_id: "content_pipeline".to_owned(),
        created_at: Timestamp(0),
        parent: None,
    };
    log.create(&task, header).await.unwrap();
    let head = log.append(&task, golden()).await.unwrap();
    let expected = bodies::events(&SALT);
    assert_eq!(head.seq, expected.last().unwrap().seq);
    let loaded = load_events(log, &task, Seq(1)).await.unwrap();
    assert_eq!(loaded.len(), expected.len());
    for (found, expected) in spelled(loaded).into_iter().zip(spelled(expected)) {
        assert_eq!(found, expected);
    }
}

#[tokio::test]
async fn the_golden_log_opens_in_memory() {
    opens(&MemoryLog::new()).await;
}

#[tokio::test]
async fn the_golden_log_opens_in_sqlite() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log.db");
    opens(&SqliteLog::open(path, SqliteOptions::default()).unwrap()).await;
}

/// What an outside reader relies on: one envelope a line, names and order of
/// fields, and the chain over the bytes of the lines.
#[test]
fn the_golden_log_is_plain_json_lines() {
    let mut head = Head::EMPTY;
    for event in golden().events {
        let line = String::from_utf8(event.bytes.clone()).unwrap();
        assert!(
            line.starts_with(&format!("{{\"v\":1,\"seq\":{},\"ts\":", event.seq)),
            "{line}"
        );
        let envelope = Envelope::read(&event.bytes).unwrap();
        assert_eq!((envelope.seq, envelope.prev), (head.seq.next(), head.hash));
        assert_eq!(envelope.epoch, Epoch(1));
        head = Head {
            seq: event.seq,
            hash: event.hash,
        };
    }
    assert!(head.seq > Seq(50));
}
