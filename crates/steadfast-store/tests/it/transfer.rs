//! A task as a file: what comes back is what went out, byte for byte, and what
//! was cut or changed on the way is refused, or salvaged with a true report.

use std::io::Cursor;

use proptest::prelude::*;
use steadfast_core::id::{Seq, TaskId, Timestamp};
use steadfast_store::conformance::Script;
use steadfast_store::transfer::{Error, Options, Outcome, Survey, export, import, survey};
use steadfast_store::{Log, MemoryLog, SqliteLog, SqliteOptions, load_events, read_events};

const TEXTS: &[&[u8]] = &[
    b"one",
    "预算 5000 \u{1f600} \"quoted\" \\ \n".as_bytes(),
    b"\xff\xfe not text",
    b"",
    b"one",
];

fn options(salvage: bool) -> Options {
    Options {
        name: None,
        salvage,
        holder: "importer".to_owned(),
        now: Timestamp(9),
    }
}

async fn written(log: &impl Log) -> Script {
    let mut script = Script::start(log, "t").await;
    script.say(log, TEXTS).await;
    script.say(log, &[b"last"]).await;
    script
}

async fn exported(log: &impl Log) -> Vec<u8> {
    let mut out = Vec::new();
    export(log, &TaskId::from("t"), &mut out).await.unwrap();
    out
}

async fn taken_in(
    log: &impl Log,
    bytes: &[u8],
    salvage: bool,
) -> Result<(TaskId, Survey, Outcome), Error> {
    import(log, || Ok(Cursor::new(bytes)), &options(salvage)).await
}

fn now<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.unwrap().block_on(future)
}

#[tokio::test]
async fn an_export_reads_as_lines() {
    let log = MemoryLog::new();
    Script::start(&log, "t").await.say(&log, &[b"hi"]).await;
    let text = String::from_utf8(exported(&log).await).unwrap();
    let kinds: Vec<&str> = text.lines().map(|line| &line[..12]).collect();
    assert_eq!(
        kinds,
        [
            "{\"steadfast_",
            "{\"content\":\"",
            "{\"hash\":\"b3:",
            "{\"end\":{\"eve"
        ]
    );
    assert!(text.contains(r#""text":"hi"}"#), "{text}");
}

#[tokio::test]
async fn what_comes_back_is_what_went_out() {
    let dir = tempfile::tempdir().unwrap();
    let first = MemoryLog::new();
    written(&first).await;
    let bytes = exported(&first).await;
    let second = SqliteLog::open(dir.path().join("a.db"), SqliteOptions::default()).unwrap();
    let (task, report, outcome) = taken_in(&second, &bytes, false).await.unwrap();
    assert_eq!((task.as_str(), outcome), ("t", Outcome::Made));
    assert!(report.is_whole());
    assert_eq!((report.events, report.contents), (6, 5));
    assert_eq!(exported(&second).await, bytes);
    assert_eq!(
        load_events(&second, &task, Seq(1)).await.unwrap(),
        load_events(&first, &task, Seq(1)).await.unwrap()
    );
    // Once more changes nothing, in the store that it came from neither.
    for log in [&second as &dyn Log, &first] {
        let again = import(log, || Ok(Cursor::new(&bytes)), &options(false)).await;
        assert_eq!(again.unwrap().2, Outcome::Identical);
    }
}

#[tokio::test]
async fn another_task_of_that_name_is_never_overwritten() {
    let (first, second) = (MemoryLog::new(), MemoryLog::new());
    written(&first).await;
    let bytes = exported(&first).await;
    let mut other = Script::start(&second, "t").await;
    let said = other.say(&second, &[b"one", b"something else"]).await;
    let error = taken_in(&second, &bytes, true).await.unwrap_err();
    assert_eq!(
        (error.to_string().as_str(), error.code()),
        (
            "task `t` is in this store already, and goes another way from event 2 on",
            "L0025"
        )
    );
    assert_eq!(
        load_events(&second, &other.task, Seq(1)).await.unwrap(),
        said
    );
    let renamed = Options {
        name: Some("t_copy".into()),
        ..options(false)
    };
    let (task, ..) = import(&second, || Ok(Cursor::new(&bytes)), &renamed)
        .await
        .unwrap();
    assert_eq!(task.as_str(), "t_copy");
    assert_eq!(
        second.head(&task).await.unwrap(),
        first.head(&other.task).await.unwrap()
    );
}

#[tokio::test]
async fn an_import_that_was_cut_off_goes_on() {
    let (first, second) = (MemoryLog::new(), MemoryLog::new());
    written(&first).await;
    let bytes = exported(&first).await;
    // The same beginning, as the killed import left it.
    Script::start(&second, "t")
        .await
        .say(&second, &TEXTS[..2])
        .await;
    let (_, _, outcome) = taken_in(&second, &bytes, false).await.unwrap();
    assert_eq!(outcome, Outcome::Continued { from: Seq(2) });
    assert_eq!(exported(&second).await, bytes);
}

#[tokio::test]
async fn a_forgotten_task_travels_as_envelopes_only() {
    let (first, second) = (MemoryLog::new(), MemoryLog::new());
    let script = written(&first).await;
    let whole = exported(&first).await;
    let lease = first
        .lease(
            &script.task,
            "e",
            Timestamp(8),
            9,
            steadfast_store::Takeover::Force,
        )
        .await
        .unwrap();
    first.forget(&lease, Timestamp(77)).await.unwrap();
    let bytes = exported(&first).await;
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(
        !text.contains("\"content\"") && !text.contains("0707"),
        "{text}"
    );
    let (task, report, _) = taken_in(&second, &bytes, false).await.unwrap();
    assert_eq!(report.erased_at, Some(Timestamp(77)));
    assert_eq!(second.erased(&task).await.unwrap(), Some(Timestamp(77)));
    assert_eq!(read_events(&second, &task, Seq(1)).await.unwrap().len(), 6);
    assert_eq!(exported(&second).await, bytes);
    // And what was forgotten does not come back by an older export.
    let error = taken_in(&second, &whole, false).await.unwrap_err();
    assert_eq!(error.code(), "L0021");
}

#[tokio::test]
async fn what_is_missing_is_said_exactly() {
    let log = MemoryLog::new();
    written(&log).await;
    let text: Vec<u8> = exported(&log).await;
    let lines: Vec<&[u8]> = text.split_inclusive(|b| *b == b'\n').collect();
    // Without the content of the second event.
    let without: Vec<u8> = lines
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != 3)
        .flat_map(|(_, l)| l.to_vec())
        .collect();
    let report = survey(|| Ok(Cursor::new(&without))).unwrap();
    assert_eq!(
        (report.events, report.events_lost, report.contents),
        (6, None, 4)
    );
    assert_eq!(report.contents_missing.len(), 1);
    assert_eq!(report.contents_missing[0].event, Seq(2));
    // Without the fourth event: all behind it are lost.
    let place = lines
        .iter()
        .rposition(|line| line.starts_with(b"{\"hash\""))
        .unwrap()
        - 3;
    let without: Vec<u8> = lines
        .iter()
        .enumerate()
        .filter(|(n, _)| *n != place)
        .flat_map(|(_, l)| l.to_vec())
        .collect();
    let report = survey(|| Ok(Cursor::new(&without))).unwrap();
    let kept = report.events;
    assert!((1..6).contains(&kept));
    assert_eq!(report.events_lost, Some((kept + 1, 6)));
    let refused = taken_in(&MemoryLog::new(), &without, false)
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "L0023");
    assert!(
        refused
            .to_string()
            .starts_with("the file is not whole: line "),
        "{refused}"
    );
    let salvaged = MemoryLog::new();
    taken_in(&salvaged, &without, true).await.unwrap();
    assert_eq!(
        salvaged.head(&TaskId::from("t")).await.unwrap().seq,
        Seq(kept)
    );
    load_events(&salvaged, &TaskId::from("t"), Seq(1))
        .await
        .unwrap();
}

/// Holds a report against what the export really held.
async fn holds_true(whole: &MemoryLog, bytes: &[u8]) {
    let task = TaskId::from("t");
    let log = MemoryLog::new();
    let (report, salvaged) = match taken_in(&log, bytes, false).await {
        Ok(_) => panic!("a file that was changed is taken in as whole"),
        Err(Error::Damaged { survey }) => match taken_in(&log, bytes, true).await {
            Ok((_, again, _)) => {
                assert_eq!(*survey, again);
                (again, true)
            }
            Err(Error::NotAnExport { .. }) => (*survey, false),
            Err(error) => panic!("{error}"),
        },
        // Without its first line nothing can be said, and nothing is made.
        Err(Error::NotAnExport { .. } | Error::Newer { .. }) => {
            assert_eq!(log.tasks(&Default::default()).await.unwrap(), []);
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let lost = report.events_lost.map_or(0, |(from, to)| to - from + 1);
    assert_eq!(report.events + lost, 6);
    assert_eq!(report.events_exported, 6);
    if !salvaged {
        assert_eq!(report.events, 0);
        return;
    }
    let original = whole.read(&task, Seq(1), 10).await.unwrap();
    let kept = log.read(&task, Seq(1), 10).await.unwrap();
    assert_eq!(kept, original[..usize::try_from(report.events).unwrap()]);
    // Exactly what is reported as missing is missing, and the rest is right.
    let missing: Vec<_> = report.contents_missing.iter().map(|one| one.hash).collect();
    for event in read_events(whole, &task, Seq(1)).await.unwrap() {
        if event.seq.0 > report.events {
            break;
        }
        let steadfast_core::event::Body::UserSent(sent) = event.body else {
            panic!("the script only speaks")
        };
        let hash = sent.text.hash;
        let there = log.content(&task, &[hash]).await.unwrap();
        assert_eq!(there.contains_key(&hash), !missing.contains(&hash));
        if let Some(bytes) = there.get(&hash) {
            assert_eq!(
                Some(bytes),
                whole.content(&task, &[hash]).await.unwrap().get(&hash)
            );
        }
    }
}

#[test]
fn cut_at_every_byte_it_is_refused_or_salvaged_truly() {
    now(async {
        let log = MemoryLog::new();
        written(&log).await;
        let bytes = exported(&log).await;
        for cut in 0..bytes.len() {
            holds_true(&log, &bytes[..cut]).await;
        }
    });
}

#[test]
fn with_any_byte_changed_it_is_refused_or_salvaged_truly() {
    now(async {
        let log = MemoryLog::new();
        written(&log).await;
        let bytes = exported(&log).await;
        for place in 0..bytes.len() {
            for flip in [0x01, 0x20, 0x80] {
                let mut changed = bytes.clone();
                changed[place] ^= flip;
                holds_true(&log, &changed).await;
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_content_comes_back(texts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 1..12)) {
        now(async {
            let (first, second) = (MemoryLog::new(), MemoryLog::new());
            let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
            Script::start(&first, "t").await.say(&first, &texts).await;
            let bytes = exported(&first).await;
            taken_in(&second, &bytes, false).await.unwrap();
            assert_eq!(exported(&second).await, bytes);
        });
    }

    #[test]
    fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        now(async {
            assert!(taken_in(&MemoryLog::new(), &bytes, true).await.is_err());
        });
    }
}

/// The largest content there can be, in its widest form.
#[tokio::test]
async fn the_largest_content_travels() {
    let (first, second) = (MemoryLog::new(), MemoryLog::new());
    let large = vec![1u8; usize::try_from(steadfast_core::limits::CONTENT_BYTES_MAX).unwrap()];
    Script::start(&first, "t")
        .await
        .say(&first, &[&large])
        .await;
    let bytes = exported(&first).await;
    let (_, report, _) = taken_in(&second, &bytes, false).await.unwrap();
    assert_eq!((report.events, report.contents), (1, 1));
}
