//! Repairs against an oracle that knows nothing of read sets: a run with a wrong
//! value is laid beside the same run with the right one, and where they part is
//! where the repair must go back to.

mod world;

use std::collections::BTreeMap;

use serde_json::{Value, json};
use steadfast_core::event::repair::{Fault, Level};
use steadfast_core::event::{Body, Event};
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::task::input::Command;
use steadfast_core::task::state::CallOutcome;
use steadfast_core::task::{Outcome, Task};

use crate::harness::{Bench, SALT, deeds};
use world::{RIGHT, Ran, Script, lines, run};

/// Wrong values: one that turns the way, one that only words show, one found last.
const WRONG: [(&str, i64); 4] = [("x", 2), ("x", 7), ("y", 6), ("z", 8)];

/// What an event decides, without what was found: the bytes that a model is shown,
/// or where the machine went.
fn decided(event: &Event) -> Value {
    match &event.body {
        Body::ModelCalled(body) => json!(body.context),
        Body::StateEntered(body) => json!(body),
        Body::CallAdmitted(body) => json!([body.skill, body.args]),
        other => json!(other.kind()),
    }
}

/// The first event at which two runs part.
fn parting(one: &[Event], other: &[Event]) -> Option<Seq> {
    let mut pairs = one.iter().zip(other);
    let found = pairs.find(|(a, b)| decided(a) != decided(b));
    found.map(|(a, _)| a.seq)
}

/// The first event that another value could have turned: what reads it. Every
/// value that the case knows is tried in the place of the wrong one.
fn first_reader(plain: &Ran, wrong: (&'static str, i64)) -> Option<Seq> {
    let others = (1..=9).filter(|value| *value != wrong.1);
    let parts = others.filter_map(|value| {
        let other = run(&Script {
            wrong: Some((wrong.0, value)),
            ..Script::default()
        });
        parting(&plain.events, &other.events)
    });
    parts.min()
}

/// The last place before `until` where the task had nothing open, by brute force.
fn last_rest(events: &[Event], until: Seq) -> Seq {
    let mut task = Task::begin(TaskId::from("t_1"), SALT, &events[0]).unwrap();
    let mut last = Seq::ZERO;
    for (at, event) in events.iter().enumerate().skip(1) {
        if event.seq >= until {
            break;
        }
        task.apply(event).unwrap();
        let stands = &task.state.stands;
        let steps = &task.state.beliefs.steps;
        let open = steps.iter().flat_map(|step| &step.calls);
        let idle = stands.calls.is_empty() && stands.model.is_none();
        let verdict = open
            .into_iter()
            .all(|call| call.outcome != CallOutcome::Pending);
        let replied = matches!(event.body, Body::ModelReplied(_) | Body::AnswerAdmitted(_));
        let brings = events.get(at + 1).is_some_and(|next| {
            matches!(next.body, Body::FactSet(_)) && next.source == event.source
                || matches!(
                    (&event.body, &next.body),
                    (Body::SkillReturned(_), Body::FactSet(_))
                )
        });
        let placed = task.state.current().is_some();
        if idle && verdict && !replied && !brings && placed {
            last = event.seq;
        }
    }
    last
}

fn repaired(events: &[Event]) -> Option<&steadfast_core::event::repair::Repaired> {
    events.iter().find_map(|event| match &event.body {
        Body::Repaired(body) => Some(&**body),
        _ => None,
    })
}

fn answer(ran: &Ran) -> Value {
    match ran.task.state.outcome() {
        Some(Outcome::Completed { answer }) => answer.json(),
        other => panic!("{other:?}\n{}\n{:?}", lines(&ran.events), ran.notes),
    }
}

fn facts(ran: &Ran) -> BTreeMap<String, Value> {
    let facts = ran.task.state.facts.iter();
    facts
        .map(|(name, fact)| (name.clone(), fact.value.clone()))
        .collect()
}

/// What must hold at the end of every repaired run.
fn ends_right(ran: &Ran, right: &Ran, user: bool, why: &str) {
    let tell = || format!("{why}\n{}\n{:?}", lines(&ran.events), ran.deeds);
    assert_eq!(answer(ran), answer(right), "{}", tell());
    let mut wanted = facts(right);
    if user {
        wanted.insert("note".to_owned(), json!("kept"));
    }
    assert_eq!(facts(ran), wanted, "{}", tell());
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for (skill, _) in &ran.deeds {
        *times.entry(skill).or_default() += 1;
    }
    assert!(times.values().all(|times| *times == 1), "twice: {}", tell());
    for (skill, _) in &right.deeds {
        assert!(
            times.contains_key(skill.as_str()),
            "{skill} is missing: {}",
            tell()
        );
    }
    let states = |ran: &Ran| -> Vec<String> {
        let receipts = ran.task.state.beliefs.receipts.keys();
        receipts.map(ToString::to_string).collect()
    };
    assert_eq!(states(ran), states(right), "{}", tell());
}

/// D6, G9 and Show 2: each wrong value, reported after each append, with its right
/// value known. The point is where the runs part; the deeds before it and behind
/// it stand; the end is that of the run without the fault.
#[test]
fn d6_the_roll_back_point_is_where_the_runs_part() {
    let right = run(&Script::default());
    let mut tried = 0;
    for wrong in WRONG {
        let plain = run(&Script {
            wrong: Some(wrong),
            ..Script::default()
        });
        let set = plain
            .events
            .iter()
            .find(|event| matches!(&event.body, Body::FactSet(body) if body.name == wrong.0));
        let set = set.expect("it was found").seq;
        let part = first_reader(&plain, wrong).expect("the runs part");
        for report in 1..=plain.appends + 1 {
            let ran = run(&Script {
                wrong: Some(wrong),
                report: Some((report, true)),
                ..Script::default()
            });
            let Some(made) = repaired(&ran.events) else {
                // Reported before anything was found: the value simply is the user's.
                ends_right(&ran, &right, false, &format!("{wrong:?} at {report}"));
                continue;
            };
            let asked = ran
                .events
                .iter()
                .position(|event| matches!(event.body, Body::RepairAsked(_)));
            let before = &ran.events[..asked.expect("it was asked")];
            if before.last().is_some_and(|last| last.seq < set) {
                continue;
            }
            // What was reported before anything rested on it voids nothing.
            let end = before.last().expect("events").seq.next();
            let until = part.min(end);
            let wanted = match part < end {
                true => last_rest(before, until).next(),
                false => made.from,
            };
            let why = format!("{wrong:?} at {report}, parts at {part}");
            assert_eq!(made.from, wanted, "{why}\n{}", lines(&ran.events));
            ends_right(&ran, &right, false, &why);
            tried += 1;
        }
    }
    assert!(tried > 40, "{tried}");
}

/// The same where nobody knows the right value: from the step that wrote it.
#[test]
fn d6_an_unknown_value_is_found_again() {
    let right = run(&Script::default());
    for wrong in WRONG {
        let plain = run(&Script {
            wrong: Some(wrong),
            ..Script::default()
        });
        let set = plain
            .events
            .iter()
            .position(|event| matches!(&event.body, Body::FactSet(body) if body.name == wrong.0));
        let set = set.expect("it was found");
        let wrote = plain.events[..set]
            .iter()
            .rev()
            .find(|event| matches!(event.body, Body::SkillReturned(_)));
        let from = last_rest(&plain.events, wrote.expect("a result").seq).next();
        for report in 1..=plain.appends + 1 {
            let ran = run(&Script {
                wrong: Some(wrong),
                report: Some((report, false)),
                ..Script::default()
            });
            let Some(made) = repaired(&ran.events) else {
                continue;
            };
            let why = format!("{wrong:?} at {report}");
            assert_eq!(made.from, from, "{why}\n{}", lines(&ran.events));
            ends_right(&ran, &right, false, &why);
        }
    }
}

/// G9 over every crash: the process dies at each boundary of runs that are
/// repaired, and no deed is done twice; what the user said in the range survives.
#[test]
fn g09_no_deed_is_done_twice_whatever_the_crash() {
    let right = run(&Script::default());
    let mut crashes = 0;
    for wrong in WRONG {
        for known in [true, false] {
            let plain = run(&Script {
                wrong: Some(wrong),
                ..Script::default()
            });
            for report in [plain.appends / 2, plain.appends + 1] {
                let script = Script {
                    wrong: Some(wrong),
                    report: Some((report, known)),
                    user: Some(report.saturating_sub(2)),
                    crash: None,
                };
                let whole = run(&script);
                for crash in 1..=whole.boundaries {
                    let ran = run(&Script {
                        crash: Some(crash),
                        ..script.clone()
                    });
                    let why = format!("{wrong:?} known {known} report {report} crash {crash}");
                    let found = repaired(&ran.events).is_some();
                    if found || known {
                        ends_right(&ran, &right, true, &why);
                    }
                    crashes += 1;
                }
            }
        }
    }
    assert!(crashes > 500, "{crashes}");
    assert_eq!(RIGHT.len(), right.task.state.facts.len());
}

/// A deed is shown as done, its receipt counts again where the machine comes to
/// it, and the model cannot have it done again.
#[test]
fn g09_deeds_stand_and_are_shown_as_done() {
    let mut bench = Bench::new(deeds());
    bench.succeed("save", json!({"text": "a"}), json!({"id": 7}));
    bench.succeed("send", json!({"to": "bob"}), json!({"id": 8}));
    bench.new_lines();
    bench.command(Command::Repair {
        cause: Fault::Step { step: 1 },
        level: None,
        value: None,
        reason: Some("the wrong text".to_owned()),
    });
    let recorded = bench.task.repair(&bench.events, bench.turn()).unwrap();
    bench.adopt(recorded);
    let made = repaired(&bench.events).unwrap();
    assert_eq!(made.level, Level::RollBack);
    assert_eq!(made.kept.len(), 2);
    assert_eq!(
        bench.new_lines(),
        "repair_asked\nrepaired\ndeed_kept\nstate_entered B\ndeed_kept\nstate_entered DONE\n\
         model_called m4.1 max 1000\n"
    );
    let shown = format!("{:?}", bench.request.as_ref().unwrap().messages);
    assert!(
        shown.contains("[DONE]") && shown.contains(r#"\"to\":\"bob\""#),
        "{shown}"
    );
    bench.call("send", json!({"to": "bob"}));
    let lines = bench.new_lines();
    assert!(lines.contains("call_refused"), "{lines}");
    assert_eq!(bench.task.state.stands.deeds.len(), 2);
    // And they are receipts for what the answer claims.
    bench.say("mail sent");
    assert!(matches!(bench.outcome(), Some(Outcome::Completed { .. })));
}

fn repair(bench: &mut Bench, cause: Fault, value: Option<Value>) -> Option<String> {
    let note = bench.command(Command::Repair {
        cause,
        level: None,
        value,
        reason: Some("see the mail\nof monday".to_owned()),
    });
    let recorded = bench.task.repair(&bench.events, bench.turn()).unwrap();
    bench.adopt(recorded);
    note
}

/// The same cause goes up a level each time, up to a person.
#[test]
fn g12_the_same_cause_goes_up_a_level_and_comes_to_an_end() {
    let mut bench = Bench::new(deeds());
    let course = || Fault::Course {
        code: "goes in circles".to_owned(),
    };
    let mut levels = Vec::new();
    for _ in 0..8 {
        let note = repair(&mut bench, course(), None);
        match note {
            None => {
                let made = bench
                    .events
                    .iter()
                    .rev()
                    .find_map(|event| match &event.body {
                        Body::Repaired(body) => Some(body.level),
                        _ => None,
                    });
                levels.push(made.unwrap());
            }
            Some(diagnosis) => {
                assert!(diagnosis.contains("all repairs are spent"), "{diagnosis}");
                break;
            }
        }
    }
    use Level::{Correct, Restart, RollBack};
    assert!(levels.len() < 8, "{levels:?}");
    assert_eq!(levels.last(), Some(&Restart));
    assert!(
        levels.iter().filter(|one| **one == Restart).count() == 2,
        "{levels:?}"
    );
    assert!(
        levels.contains(&Correct) || levels.contains(&RollBack),
        "{levels:?}"
    );
    let shares = bench.task.state.stands.repairs.shares().unwrap();
    assert_eq!(shares.repairs as usize, levels.len());
    // Why it was restarted stands in the system layer, on one line.
    let request = bench.request.as_ref().unwrap();
    let kind = steadfast_core::context::FragmentKind::Lesson;
    let lessons: Vec<&str> = request.parts(kind).collect();
    assert!(
        lessons[0].contains("goes in circles: \"see the mail"),
        "{lessons:?}"
    );
    assert_eq!(lessons[0].lines().count(), 3, "{lessons:?}");
}

/// A failed task is opened again by a person, and by nobody else.
#[test]
fn a_failed_task_can_be_repaired() {
    let mut spec = deeds();
    spec["skills"]["save"]["success_when"] = json!("result.ok");
    spec["states"]["A"]["on_failure"] = json!("FAILED");
    let mut bench = Bench::new(spec);
    bench.succeed("save", json!({}), json!({"ok": false}));
    assert!(matches!(bench.outcome(), Some(Outcome::Failed { .. })));
    assert_eq!(repair(&mut bench, Fault::Step { step: 1 }, None), None);
    assert_eq!(bench.outcome(), None);
    assert_eq!(bench.task.due_skills()[0].as_str(), "save");
    // A repair that cannot be made leaves all as it was.
    bench.command(Command::Cancel);
    assert_eq!(
        repair(&mut bench, Fault::Step { step: 1 }, None).as_deref(),
        Some("the task is ending, or was cancelled")
    );
}

#[test]
fn a_repair_that_cannot_be_made_says_why() {
    let mut bench = Bench::new(deeds());
    bench.new_lines();
    repair(&mut bench, Fault::Step { step: 9 }, None);
    assert!(
        bench
            .new_lines()
            .starts_with("repair_asked\nrepair_dropped\n")
    );
    let fact = Fault::Fact {
        name: "budget".to_owned(),
    };
    assert_eq!(
        repair(&mut bench, fact, None).as_deref(),
        Some("fact `budget` has no value")
    );
}
