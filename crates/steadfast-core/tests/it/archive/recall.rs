//! Recall as an effect: beyond what the state keeps, recorded, bounded, and never
//! in the way. The search itself is the driver's; here its outcomes are.

use serde_json::json;
use steadfast_core::event::Body;
use steadfast_core::event::memory::MemorySet;
use steadfast_core::event::recall::{Hit, Mode, Recalled};
use steadfast_core::task::input::Input;
use steadfast_core::task::{Effect, Search};

use super::{bills, earlier, looks, step, wide};
use crate::context::assert_well_formed;
use crate::harness::{Bench, SALT};

/// A task of three hundred steps, so that the state no longer keeps the first.
fn long(spec: serde_json::Value) -> Bench {
    let mut bench = Bench::with(spec, "look around", wide());
    bench.hurried = true;
    for n in 0..290 {
        step(
            &mut bench,
            json!({"at": n}),
            json!({"mark": format!("m{n}x")}),
        );
    }
    bench.hurried = false;
    assert!(bench.task.state.beliefs.archive.gone > 0);
    bench
}

fn searches(bench: &mut Bench) {
    let memory = MemorySet {
        summariser: None,
        recall: true,
        embedder: None,
    };
    let recorded = bench.task.set_memory(memory, bench.turn());
    bench.adopt(recorded.expect("it records"));
}

/// The summary of a step as the log has it.
fn hit(bench: &Bench, step: u32) -> Hit {
    let found = bench.events.iter().find_map(|event| match &event.body {
        Body::StepArchived(body) if body.step == step => Some((event.seq, body)),
        _ => None,
    });
    let (at, body) = found.expect("archived");
    Hit {
        step,
        at,
        covers: body.covers.clone(),
        importance: body.importance,
        phase: None,
        tokens: body.tokens,
        text: body.text.clone(),
        score: 2_000,
        lexical: 5_000,
        cosine: 0,
    }
}

fn due(bench: &Bench) -> Option<steadfast_core::id::CallId> {
    bench
        .due()
        .effects
        .into_iter()
        .find_map(|effect| match effect {
            Effect::Recall { call } => Some(call),
            _ => None,
        })
}

fn answer(bench: &mut Bench, hits: Vec<Hit>, failed: Option<&str>) {
    let call = due(bench).expect("a search is due");
    let mode = if failed.is_some() {
        Mode::None
    } else {
        Mode::Lexical
    };
    bench.input(Input::Searched(Search {
        call,
        mode,
        index: "test/1".to_owned(),
        embedder: None,
        searched: 280,
        hits,
        failed: failed.map(str::to_owned),
    }));
}

fn recorded(bench: &Bench) -> Vec<&Recalled> {
    let events = bench.events.iter();
    let found = events.filter_map(|event| match &event.body {
        Body::Recalled(body) => Some(&**body),
        _ => None,
    });
    found.collect()
}

/// What the state keeps no more is found, recorded and shown; while it is looked
/// for no context is made, and the context names it as a source.
#[test]
fn a_search_brings_back_what_the_state_keeps_no_more() {
    let mut bench = long(looks());
    assert!(due(&bench).is_none(), "nobody can search");
    searches(&mut bench);
    let before = earlier(bench.request.as_ref().expect("open"));
    assert!(!before.contains("m0x"));
    step(&mut bench, json!({"at": 300}), json!({"mark": "new"}));
    assert!(bench.task.state.stands.model.is_none(), "the context waits");
    assert_eq!(bench.due().wake_at, None);
    assert!(due(&bench).is_some());
    let hits = vec![hit(&bench, 1), hit(&bench, 2)];
    answer(&mut bench, hits, None);
    assert!(bench.task.state.stands.model.is_some());
    let request = bench.request.clone().expect("open");
    assert_well_formed(&request);
    let shown = earlier(&request);
    assert!(shown.contains("m0x") && shown.contains("m1x"), "{shown}");
    assert!(shown.find("m0x") < shown.find("m1x"));
    let bill = bills(&bench).pop().expect("a bill");
    let covers = hit(&bench, 1).covers;
    assert!(
        bill.entries
            .iter()
            .any(|one| one.sources.contains(&covers[0]))
    );
    // The next step is searched for anew.
    step(&mut bench, json!({"at": 301}), json!({"mark": "newer"}));
    answer(&mut bench, Vec::new(), None);
    assert!(!earlier(bench.request.as_ref().expect("open")).contains("m0x"));
}

/// An empty and a failed search are outcomes; the step goes on, and the log says
/// what happened.
#[test]
fn a_search_that_fails_or_finds_nothing_holds_nothing_up() {
    let mut bench = long(looks());
    searches(&mut bench);
    step(&mut bench, json!({"at": 300}), json!({}));
    answer(&mut bench, Vec::new(), Some("no search within 10000 ms"));
    assert!(bench.task.state.stands.model.is_some());
    step(&mut bench, json!({"at": 301}), json!({}));
    answer(&mut bench, Vec::new(), None);
    let found = recorded(&bench);
    let failed = found[0].failed.as_ref().map(|why| why.text().into_owned());
    assert_eq!(failed.as_deref(), Some("no search within 10000 ms"));
    assert_eq!((found[0].mode, found[1].mode), (Mode::None, Mode::Lexical));
    // A late outcome of the first search changes nothing.
    let note = bench.input(Input::Searched(Search {
        call: found[0].call.clone(),
        mode: Mode::Lexical,
        index: String::new(),
        embedder: None,
        searched: 0,
        hits: Vec::new(),
        failed: None,
    }));
    assert!(note.is_some());
}

/// So many hits, each of another step, and no more of the room than their share.
#[test]
fn a_search_is_bounded_in_count_and_tokens() {
    let mut spec = looks();
    spec["memory"] = json!({"recall": 3});
    spec["limits"]["archive_tokens"] = json!(400);
    let mut bench = long(spec);
    searches(&mut bench);
    step(&mut bench, json!({"at": 300}), json!({}));
    let mut hits = vec![hit(&bench, 1), hit(&bench, 1)];
    hits.extend((2..9).map(|step| hit(&bench, step)));
    // One that is too large for its share is passed over.
    hits[2].text = SALT.seal_text(&"words of a page. ".repeat(400));
    hits[2].tokens = 2_000;
    answer(&mut bench, hits, None);
    let found = recorded(&bench).pop().expect("recorded");
    assert_eq!(
        found.hits.iter().map(|hit| hit.step).collect::<Vec<_>>(),
        [1, 2, 3]
    );
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(shown.contains("m0x") && shown.contains("m2x"), "{shown}");
    assert!(!shown.contains("words of a page"));
    for bill in bills(&bench) {
        assert!(bill.tokens <= bill.room);
    }
}

/// Without recall in the workflow nothing is searched.
#[test]
fn recall_can_be_switched_off() {
    let mut spec = looks();
    spec["memory"] = json!({"recall": 0});
    let mut bench = long(spec);
    searches(&mut bench);
    step(&mut bench, json!({"at": 300}), json!({}));
    assert!(due(&bench).is_none() && bench.task.state.stands.model.is_some());
}

/// A state that asks for it sees more of the history; the next one does not.
#[test]
fn a_global_view_is_wider_and_bounded() {
    let mut spec = looks();
    spec["states"]["LOOK2"]["view"] = json!("global");
    let mut bench = Bench::with(spec, "look around", wide());
    let mut seen = [0, 0];
    for n in 0..60_u64 {
        step(
            &mut bench,
            json!({"at": n}),
            json!({"n": n, "text": "a word or two. ".repeat(60)}),
        );
        let state = bench.task.state.current().expect("a state").to_string();
        let bill = bills(&bench).pop().expect("a bill");
        let archive = bill
            .entries
            .iter()
            .filter(|one| one.kind == steadfast_core::context::FragmentKind::Archive);
        let tokens: u32 = archive.map(|one| one.tokens).sum();
        assert!(bill.tokens <= bill.room);
        if n > 50 {
            seen[usize::from(state == "LOOK2")] = tokens;
        }
    }
    assert!(seen[1] > seen[0], "{seen:?}");
    assert!(seen[1] <= 4_200, "{seen:?}");
}
