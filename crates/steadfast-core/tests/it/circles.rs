//! Rows of calls that go in circles, and rows that only look as if they did.
//!
//! The labelled traces are the project's own, made from a seed: work of several
//! kinds with a planted circle, and the same kinds of work without one, where
//! much is alike: pages, batches, polling, repeats that a person asked for,
//! attempts that get further.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use steadfast_core::validate::likeness::{Likeness, Outcome};
use steadfast_core::validate::trail::{Advice, Circle, Pass, Trail};

/// One entry of a trace.
#[derive(Clone)]
enum Did {
    Call(&'static str, Value, Result<Value, String>),
    User,
}

fn ok(skill: &'static str, args: Value, result: Value) -> Did {
    Did::Call(skill, args, Ok(result))
}

fn failed(skill: &'static str, args: Value, message: &str) -> Did {
    Did::Call(skill, args, Err(message.to_owned()))
}

fn cosmetic() -> BTreeSet<String> {
    BTreeSet::from(["label".to_owned(), "request_id".to_owned()])
}

/// What each call is part of.
fn circles(trace: &[Did]) -> Vec<Option<Circle>> {
    let mut trail = Trail::default();
    let mut found = Vec::new();
    for did in trace {
        match did {
            Did::User => trail.user_spoke(),
            Did::Call(skill, args, result) => {
                let call = Likeness::of(skill, args, &cosmetic());
                let outcome = match result {
                    Ok(result) => Outcome::done(result, &cosmetic()),
                    Err(message) => Outcome::failed(message),
                };
                found.push(trail.passed(Pass { call, outcome }));
            }
        }
    }
    found
}

fn first(circles: &[Option<Circle>], advice: Advice) -> Option<usize> {
    circles
        .iter()
        .position(|circle| circle.and_then(|circle| circle.advice()) >= Some(advice))
}

#[test]
fn r27_a_call_that_does_nothing_is_stopped_at_the_fifth() {
    let calls: Vec<Did> = (1..=50)
        .map(|n| {
            ok(
                "sh",
                json!({"cmd": "echo noop", "label": format!("noop{n}")}),
                json!(""),
            )
        })
        .collect();
    let found = circles(&calls);
    assert_eq!(first(&found, Advice::Check), Some(1));
    assert_eq!(first(&found, Advice::Steer), Some(2));
    assert_eq!(first(&found, Advice::Stop), Some(4));
}

#[test]
fn r28_a_person_may_ask_for_the_same_again() {
    let call = || ok("query", json!({"q": "x"}), json!({"rows": 3}));
    let found = circles(&[call(), call(), Did::User, call()]);
    let twice = Circle {
        period: 1,
        repetitions: 2,
        same: true,
    };
    assert_eq!(found, [None, Some(twice), None]);
}

#[test]
fn r30_polling_is_work_and_a_cycle_of_three_is_not() {
    let polls: Vec<Did> = (0..8)
        .map(|n| ok("poll", json!({"h": 1}), json!({"lines": n})))
        .collect();
    assert_eq!(circles(&polls), [None; 8]);

    let round = [
        ok("read", json!({"path": "a.rs"}), json!("fn main() {}")),
        failed(
            "edit",
            json!({"path": "a.rs", "old": "fn mian"}),
            "no such text",
        ),
        failed("test", json!({}), "1 test failed"),
    ];
    let found = circles(&round.iter().cycle().take(12).cloned().collect::<Vec<_>>());
    let third = Circle {
        period: 3,
        repetitions: 3,
        same: true,
    };
    assert_eq!(found[8], Some(third));
    assert_eq!(first(&found, Advice::Steer), Some(8));
}

// ------------------------------------------------------------------ labelled

/// Numbers of a seed (a linear congruence of Knuth's MMIX).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) % bound
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[usize::try_from(self.below(list.len() as u64)).expect("small")]
    }
}

const TOPICS: [(&str, &[&str]); 6] = [
    (
        "quarterly revenue of Acme",
        &[
            "Acme quarterly revenue",
            "the quarterly revenue of Acme, please",
        ],
    ),
    (
        "how to renew a passport abroad",
        &["renew passport abroad", "renewing a passport abroad"],
    ),
    (
        "side effects of ibuprofen in children",
        &[
            "ibuprofen side effects children",
            "Side effect of ibuprofen in children?",
        ],
    ),
    (
        "深圳今年的积分入户条件",
        &["请问深圳今年积分入户的条件", "深圳今年积分入户条件是什么"],
    ),
    (
        "医保异地报销流程",
        &["请问医保异地报销的流程", "医保异地报销流程是怎样的"],
    ),
    (
        "open issues labelled regression",
        &[
            "issues labelled regression open",
            "the open issues labelled as regression",
        ],
    ),
];

const STAFF: [&str; 8] = ["ann", "bob", "chen", "dora", "emil", "fay", "guo", "hana"];

/// Ordinary steps, no two alike.
fn work(dice: &mut Dice, steps: u64) -> Vec<Did> {
    let base = dice.below(1_000) * 1_000;
    (0..steps)
        .map(|step| {
            let id = base + step;
            match dice.below(4) {
                0 => ok(
                    "read",
                    json!({"path": format!("src/part_{id}.rs")}),
                    json!({"bytes": id}),
                ),
                1 => ok(
                    "search",
                    json!({"q": format!("invoice {id} status")}),
                    json!([{"id": id}]),
                ),
                2 => ok(
                    "write",
                    json!({"path": format!("out/{id}.md"), "text": format!("part {id} done")}),
                    json!("ok"),
                ),
                _ => failed(
                    "fetch",
                    json!({"url": format!("https://x.example/{id}")}),
                    "404 not found",
                ),
            }
        })
        .collect()
}

/// A row with a circle of the given kind, and where its second round is whole.
fn circling(dice: &mut Dice, kind: u64) -> (Vec<Did>, usize) {
    let before = 2 + dice.below(8);
    let mut trace = work(dice, before);
    let start = trace.len();
    let rounds = 3 + dice.below(4);
    let period = match kind {
        // A cycle to the letter, of period 1 to 5.
        0..=4 => {
            let round = work(dice, kind + 1);
            (0..rounds).for_each(|_| trace.extend(round.iter().cloned()));
            kind + 1
        }
        // One question in other words, with the same answer.
        5 => {
            let (plain, others) = dice.of(&TOPICS);
            for round in 0..rounds {
                let q = if round == 0 { plain } else { dice.of(others) };
                trace.push(ok("search", json!({"q": q}), json!({"hits": []})));
            }
            1
        }
        // A failing call whose message bears the time and the request.
        6 => {
            let path = format!("build/{}.log", dice.below(100));
            for _ in 0..rounds {
                let (ms, id) = (dice.below(9_000), dice.below(1 << 30));
                let message = format!("timeout after {ms} ms (request req_{id:08x})");
                trace.push(failed("fetch", json!({"path": path}), &message));
            }
            1
        }
        // A label for a screen counts up.
        7 => {
            for round in 0..rounds {
                trace.push(ok(
                    "sh",
                    json!({"cmd": "make check", "label": format!("try {round}")}),
                    json!("error: 3"),
                ));
            }
            1
        }
        // Two in turn, one of them in other words each time.
        _ => {
            let (plain, others) = dice.of(&TOPICS);
            for round in 0..rounds {
                let q = if round == 0 { plain } else { dice.of(others) };
                trace.push(ok("search", json!({"q": q}), json!({"hits": []})));
                trace.push(ok("notes", json!({}), json!({"notes": ["empty"]})));
            }
            2
        }
    };
    let second = start + usize::try_from(2 * period).expect("small") - 1;
    (trace, second)
}

/// A row that is alike in much and goes forward.
fn going_forward(dice: &mut Dice, kind: u64) -> Vec<Did> {
    let before = 2 + dice.below(8);
    let mut trace = work(dice, before);
    let many = 5 + dice.below(8);
    for n in 0..many {
        match kind {
            // Pages of a list, some of them empty.
            0 => trace.push(ok("list", json!({"q": "open orders", "page": n}), json!({"rows": []}))),
            // A batch: one letter to each.
            1 => trace.push(ok(
                "send",
                json!({"to": format!("{}@example.org", STAFF[usize::try_from(n % 8).expect("small")]), "text": "the meeting moves to Friday"}),
                json!("sent"),
            )),
            // Polling of something that moves.
            2 => trace.push(ok("poll", json!({"job": 7}), json!({"percent": n * 8}))),
            // The same again and again, each time asked for.
            3 => {
                trace.push(Did::User);
                trace.push(ok("query", json!({"q": "stock of part 11"}), json!({"stock": 4})));
            }
            // Change and test, another failure each time.
            4 => {
                trace.push(ok("edit", json!({"path": "a.rs", "new": format!("let step_{n} = {n};")}), json!("ok")));
                trace.push(failed("test", json!({}), dice.of(&["type mismatch in call", "unused value", "missing field", "index out of range"])));
            }
            // The same search for one town after another, all without a hit.
            5 => {
                let town = ["Berlin", "Rome", "Oslo", "Paris", "Lima", "Kyoto", "Delhi", "Cairo", "Quito", "Turin", "Split", "Basel", "Ghent"];
                let town = town[usize::try_from(n).expect("small") % town.len()];
                trace.push(ok("search", json!({"q": format!("trains from Vienna to {town} tonight")}), json!({"hits": []})));
            }
            // 一个城市一个城市地查，结果一样。
            6 => {
                let town = ["北京", "上海", "广州", "深圳", "成都", "杭州", "南京", "武汉", "西安", "重庆", "天津", "苏州", "长沙"];
                let town = town[usize::try_from(n).expect("small") % town.len()];
                trace.push(ok("search", json!({"q": format!("{town}明天的高铁余票")}), json!({"hits": []})));
            }
            // Saving after every change.
            _ => {
                trace.push(ok("edit", json!({"cell": format!("B{n}"), "value": n}), json!("ok")));
                trace.push(ok("save", json!({}), json!("ok")));
            }
        }
    }
    trace
}

/// 270 rows with a circle and 320 without: precision and recall of a circle
/// that calls for a word to the model, and how late it is seen.
#[test]
#[allow(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "figures of a test are for its reader"
)]
fn circles_are_told_from_work_that_looks_alike() {
    let (mut hit, mut missed, mut false_alarms) = (0_u32, Vec::new(), Vec::new());
    let mut delays = Vec::new();
    for seed in 0..30 {
        for kind in 0..9 {
            let mut dice = Dice(seed * 1_000 + kind);
            let (trace, second) = circling(&mut dice, kind);
            match first(&circles(&trace), Advice::Steer) {
                Some(at) => {
                    hit += 1;
                    delays.push(at - second);
                }
                None => missed.push((kind, seed)),
            }
        }
    }
    for seed in 0..40 {
        for kind in 0..8 {
            let mut dice = Dice(0xf0f0 + seed * 1_000 + kind);
            let trace = going_forward(&mut dice, kind);
            if first(&circles(&trace), Advice::Check).is_some() {
                false_alarms.push((kind, seed));
            }
        }
    }
    let flagged = f64::from(hit) + false_alarms.len() as f64;
    let precision = f64::from(hit) / flagged;
    let recall = f64::from(hit) / (f64::from(hit) + missed.len() as f64);
    delays.sort_unstable();
    let median = delays[delays.len() / 2];
    println!(
        "precision {precision:.3}, recall {recall:.3}, median delay {median} calls after the second round"
    );
    assert!(
        precision >= 0.95,
        "false alarms (kind, seed): {false_alarms:?}"
    );
    assert!(recall >= 0.95, "missed (kind, seed): {missed:?}");
}
