//! What summaries keep, mark and leave out.

use serde_json::json;
use steadfast_core::archive::Summary;
use steadfast_core::event::Body;
use steadfast_core::task::input::Command;

use super::{bills, earlier, looks, rounds, step, wide};
use crate::harness::Bench;

/// All texts of the archive, shown or not.
fn texts(bench: &Bench) -> Vec<String> {
    let entries = bench.task.state.beliefs.archive.entries.iter();
    entries.map(|one| one.text.text().into_owned()).collect()
}

/// R17: of paths, figures and commands of forty steps, all are still there.
#[test]
fn r17_paths_figures_and_commands_survive() {
    let mut bench = Bench::with(looks(), "measure", wide());
    for n in 0..48 {
        let prose = "The run went as planned and nothing else was seen on the way. ".repeat(12);
        let command = format!("bench --case {n} --out /srv/run_{n}/out.csv");
        let text = format!(
            "{prose}It took {}.5 ms and wrote /srv/run_{n}/out.csv. {prose}",
            300 + n
        );
        step(
            &mut bench,
            json!({ "command": command }),
            json!({ "log": text }),
        );
    }
    for (n, text) in texts(&bench).iter().enumerate() {
        for wanted in [
            format!("/srv/run_{n}/out.csv"),
            format!("{}.5 ms", 300 + n),
            format!("bench --case {n} "),
        ] {
            assert!(text.contains(&wanted), "{wanted} of step {n}: {text}");
        }
    }
}

/// R62: a list that is cut says so, and by how much.
#[test]
fn r62_what_is_cut_is_counted() {
    let mut bench = Bench::with(looks(), "count", wide());
    let rows: Vec<_> = (0..276)
        .map(|n| json!({"id": format!("rec_{n}"), "note": "entry"}))
        .collect();
    step(&mut bench, json!({}), json!({ "records": rows }));
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({}));
    }
    let text = &texts(&bench)[0];
    assert!(
        text.contains("records=[276]") && text.contains("of 552 values)"),
        "{text}"
    );
    assert!(text.contains("whole look: b3:"), "{text}");
}

/// R18: figures that the agent made up do not become findings.
#[test]
fn r18_the_agents_own_figures_are_marked_as_its_own() {
    use steadfast_core::proposal::{Reply, ReplyCall};
    let mut bench = Bench::with(looks(), "report", wide());
    let mut reply = Reply::say("m", "Revenue was 9731 last year, I think.");
    reply.calls = vec![ReplyCall {
        id: "1".to_owned(),
        skill: "look".to_owned(),
        args: "{}".to_owned(),
    }];
    bench.reply(reply);
    let call = bench.task.state.stands.queue[0].clone();
    bench.result(call.as_str(), json!({"found": "nothing"}));
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    assert!(!texts(&bench)[0].contains("9731"));
    let shown = earlier(bench.request.as_ref().expect("open"));
    let at = shown.find("9731").expect("the words are kept");
    let line = shown[..at].rsplit('\n').next().expect("a line");
    assert_eq!(line, "the agent's own words, not verified: Revenue was ");
}

/// R02, R16: a value that was replaced is marked where an earlier step names it,
/// and the one in force stands in the state, however long ago it was set.
#[test]
fn r02_r16_an_old_value_is_marked_once_it_is_replaced() {
    let mut bench = Bench::with(looks(), "book", wide());
    let set = |value: i64| Command::SetFact {
        name: "budget".to_owned(),
        value: json!(value),
    };
    bench.command(set(3000));
    step(
        &mut bench,
        json!({"q": "hotels"}),
        json!({"note": "the budget is 3000", "hotel": "Sea View"}),
    );
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(
        shown.contains("the budget is 3000") && !shown.contains("in force now"),
        "{shown}"
    );
    bench.command(set(5000));
    step(&mut bench, json!({"at": 99}), json!({}));
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(shown.contains("(in force now: budget = 5000"), "{shown}");
    assert_eq!(bench.task.state.facts["budget"].value, json!(5000));
}

/// R48: the second look at the same thing is what counts; the first one is left
/// out, and the bill says why.
#[test]
fn r48_a_second_pass_replaces_the_first() {
    let mut bench = Bench::with(looks(), "watch", wide());
    step(
        &mut bench,
        json!({"page": "p1"}),
        json!({"stock": "first-pass"}),
    );
    step(
        &mut bench,
        json!({"page": "p1"}),
        json!({"stock": "second-pass"}),
    );
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(
        shown.contains("second-pass") && !shown.contains("first-pass"),
        "{shown}"
    );
    let bill = bills(&bench).pop().expect("a bill");
    assert!(bill.left_out.iter().any(|one| one.why == "duplicate"));
}

/// What is being done now decides what is remembered.
#[test]
fn what_fits_the_present_step_is_recalled() {
    let mut spec = looks();
    spec["skills"]["look"]["description"] = json!("looks things up");
    let mut bench = Bench::with(spec, "gather notes", wide());
    let filler = "various remarks on gardens paths trees hedges lawns ponds 1 2 3 ".repeat(9);
    step(
        &mut bench,
        json!({"q": "ferry"}),
        json!({"ferry": "departs Hirtshals 20:15", "more": filler}),
    );
    for n in 0..80 {
        step(
            &mut bench,
            json!({"q": format!("garden {n}")}),
            json!({"garden": n, "more": filler}),
        );
    }
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(!shown.contains("Hirtshals"), "the bound leaves it out");
    step(
        &mut bench,
        json!({"q": "ferry from Hirtshals departs when"}),
        json!({}),
    );
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(shown.contains("departs Hirtshals 20:15"), "{shown}");
}

/// The whole summary is in the log, by field, with what it rests on.
#[test]
fn a_summary_names_its_fields_and_sources() {
    let mut bench = Bench::with(rounds(), "look around", wide());
    step(&mut bench, json!({"at": 1}), json!({"doors": 12}));
    step(&mut bench, json!({"text": "12 doors"}), json!({"ok": true}));
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    let first = bench.events.iter().find_map(|event| match &event.body {
        Body::StepArchived(body) => Some(body),
        _ => None,
    });
    let body = first.expect("one was archived");
    let summary: Summary = serde_json::from_str(&body.summary.text()).expect("a summary");
    let fields: Vec<(String, String, u8)> = summary
        .fields
        .iter()
        .map(|one| {
            let name = serde_json::to_value(&one.name).expect("a word");
            (
                name.as_str().expect("a word").to_owned(),
                one.text.clone(),
                one.importance,
            )
        })
        .collect();
    let wanted = [
        ("action", "look {\"at\":1}", 3),
        ("result", "counted", 3),
        ("key_data", "{\"doors\":12}", 3),
        ("state_change", "LOOK → NOTE; contract 1/2", 3),
    ];
    let wanted = wanted.map(|(name, text, n)| (name.to_owned(), text.to_owned(), n));
    assert_eq!(fields, wanted);
    assert!(summary.fields.iter().all(|one| !one.cites.is_empty()));
    assert_eq!(body.covers.first(), Some(&body.opened));
    assert_eq!(body.covers.len(), 2);
    assert_eq!((body.importance, body.calls.len()), (3, 1));
    let second = &bench.task.state.beliefs.archive.entries[1];
    assert_eq!(second.importance, 5, "a deed matters most");
}

/// Chinese tasks have Chinese records.
#[test]
fn records_are_in_the_language_of_the_task() {
    let mut bench = Bench::with(looks(), "请整理上海的酒店信息", wide());
    step(
        &mut bench,
        json!({"地点": "上海"}),
        json!({"酒店": "海景", "价格": 340}),
    );
    for n in 0..10 {
        step(&mut bench, json!({"at": n}), json!({"n": n}));
    }
    let shown = earlier(bench.request.as_ref().expect("open"));
    assert!(shown.starts_with("较早步骤的记录"), "{shown}");
    assert!(
        shown.contains("[第 1 步，LOOK] look {\"地点\":\"上海\"}：算数\n"),
        "{shown}"
    );
}
