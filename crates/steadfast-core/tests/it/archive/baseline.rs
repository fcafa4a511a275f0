//! The field reports of lost and distorted memory, each on a loop as it is
//! commonly written, and on a task: the same things happen to both, and what
//! must hold is asked of both. It fails on the first and holds on the second.

use serde_json::{Value, json};
use steadfast_core::context::{FragmentKind, Request, assemble};
use steadfast_core::event::task::Window;
use steadfast_core::rules::{ScriptEstimate, Tokenizer};
use steadfast_core::task::input::Command;

use super::naive::{Keep, Naive, beginnings, broken, inheriting, is_accepted, story};
use super::{all_text, bills, earlier, looks, step, wide};
use crate::harness::Bench;

const RULE: &str = "Never publish anything.";
const NO_TABLES: &str = "不要使用表格。";

/// A task and a naive loop to which the same things happen.
struct Both {
    task: Bench,
    naive: Naive,
}

impl Both {
    fn new(keep: Keep, input: &str) -> Both {
        Both::with(looks(), wide(), keep, input)
    }

    fn with(spec: Value, window: Window, keep: Keep, input: &str) -> Both {
        Both {
            task: Bench::with(spec, input, window),
            naive: Naive::new(keep, window.tokens as usize, input),
        }
    }

    fn step(&mut self, args: Value, result: Value) {
        self.naive.step(&args, &result);
        step(&mut self.task, args, result);
    }

    fn say(&mut self, text: &str) {
        self.naive.say(text);
        let text = text.to_owned();
        self.task.command(Command::Say { text });
    }

    /// Steps with results of about so many bytes.
    fn steps(&mut self, count: u64, bytes: usize) {
        for n in 0..count {
            let page = "The page tells at length how it came about. ".repeat(bytes / 44);
            self.step(json!({ "at": n }), json!({ "page": page, "n": n }));
        }
    }

    fn request(&self) -> &Request {
        self.task.request.as_ref().expect("a call is open")
    }

    fn shown(&self) -> String {
        all_text(self.request())
    }

    fn ledger(&self) -> String {
        self.request().parts(FragmentKind::Ledger).collect()
    }
}

fn small() -> Window {
    Window {
        tokens: 6_000,
        output_tokens: 500,
    }
}

/// A rule said in passing is still in force after compaction.
#[test]
fn r01_rules_are_gone_after_compaction() {
    let preamble = "Please walk the shelves of the hall one by one and write down all that stands in them and how it is kept, then report.";
    let mut both = Both::with(
        looks(),
        small(),
        Keep::Summary(beginnings),
        &format!("{preamble} {RULE}"),
    );
    both.steps(40, 2_000);
    assert!(!both.naive.summarised.is_empty());
    assert!(!both.naive.text().contains(RULE));
    assert!(both.shown().contains(RULE) && both.ledger().contains("Never publish anything"));
}

/// A fact that was verified early is at hand when it is needed.
#[test]
fn r02_a_verified_fact_vanishes() {
    let mut both = Both::with(looks(), small(), Keep::Summary(beginnings), "clean up");
    let filler =
        "Both hosts were looked at and their tables were counted before anything else was done. "
            .repeat(2);
    both.naive.say(&format!("{filler} safe_db is local:5432"));
    let (name, value) = ("safe_db".to_owned(), json!("local:5432"));
    both.task.command(Command::SetFact { name, value });
    both.steps(40, 2_000);
    assert!(!both.naive.text().contains("local:5432"));
    let facts: String = both.request().parts(FragmentKind::Facts).collect();
    assert!(
        facts.contains("safe_db") && facts.contains("local:5432"),
        "{facts}"
    );
}

/// A rule of the repository outlives a window that slides.
#[test]
fn r04_repository_rules_slide_out() {
    let mut both = Both::new(Keep::Last(20), NO_TABLES);
    both.steps(30, 200);
    assert!(!both.naive.text().contains("不要使用表格"));
    assert!(both.ledger().contains("不要使用表格"), "{}", both.ledger());
}

/// A summary that fails loses nothing.
#[test]
fn r07_an_error_becomes_the_summary() {
    let mut both = Both::with(looks(), small(), Keep::Summary(broken), "look around");
    for n in 0..40 {
        let page = "The hall was as it had been before. ".repeat(50);
        both.step(
            json!({ "at": n }),
            json!({ "mark": format!("m{n}x"), "page": page }),
        );
    }
    assert!(both.naive.text().contains("Error: network reset"));
    let beliefs = &both.task.task.state.beliefs;
    let kept = beliefs
        .archive
        .entries
        .iter()
        .map(|one| one.text.text().into_owned());
    let kept: String = kept.chain([both.shown()]).collect();
    for n in 0..30 {
        let mark = format!("m{n}x");
        assert!(!both.naive.text().contains(&mark), "{mark}");
        assert!(kept.contains(&mark), "{mark}");
    }
}

/// What is too long is refused or kept whole, never cut in silence.
#[test]
fn r08_a_policy_is_cut_on_save() {
    let policy = format!(
        "{}Last rule: cite the shelf.",
        "Mind the shelf and its number. ".repeat(60)
    );
    let saved: String = policy.chars().take(1_500).collect();
    let mut spec = looks();
    spec["policy"] = json!(policy);
    let mut both = Both::with(spec, wide(), Keep::All, "look around");
    both.naive.messages.insert(0, super::naive::user(&saved));
    both.steps(12, 100);
    assert!(!both.naive.text().contains("Last rule: cite the shelf."));
    let shown: String = both.request().parts(FragmentKind::Policy).collect();
    assert!(shown.contains(&policy));
}

/// Fifty steps: the goal stands, and the window holds.
#[test]
fn r09_fifty_steps_overflow_or_lose_the_goal() {
    let window = wide();
    let goal = "整理书架并报告。Only official sources.";
    let play = |keep| {
        let mut both = Both::with(looks(), window, keep, goal);
        for n in 0..50 {
            let page = "Forums are fine as sources, this page says. ".repeat(180);
            both.step(json!({ "at": n }), json!({ "page": page }));
        }
        both
    };
    let full = play(Keep::All);
    assert!(full.naive.tokens() > window.tokens, "it overflows");
    let sliding = play(Keep::Last(12));
    assert!(!sliding.naive.text().contains(goal), "the goal is gone");
    for both in [&full, &sliding] {
        assert!(both.shown().contains(goal));
        assert!(
            bills(&both.task)
                .iter()
                .all(|bill| bill.tokens <= bill.room)
        );
    }
}

/// A prohibition stays one: in its own words, where instructions stand.
#[test]
fn r15_a_prohibition_becomes_a_story() {
    let mut both = Both::with(looks(), small(), Keep::Summary(story), RULE);
    both.steps(40, 2_000);
    let told = both.naive.text();
    assert!(
        told.contains("mentioned what to publish") && !told.contains("Never"),
        "{told}"
    );
    assert!(both.ledger().contains("Never publish anything"));
}

/// Progress is what was reached, not what was read last.
#[test]
fn r16_progress_jumps_back() {
    let mut spec = looks();
    spec["skills"]["look"]["provides"] =
        json!({"progress": {"path": "/percent", "monotone": "up"}});
    let mut both = Both::with(spec, wide(), Keep::All, "copy the files");
    for percent in [60, 97, 42] {
        both.step(json!({ "p": percent }), json!({ "percent": percent }));
    }
    let text = both.naive.text();
    let last = text.rsplit("\"percent\":").next().expect("one");
    assert!(last.starts_with("42"), "the last word is 42");
    let facts: String = both.request().parts(FragmentKind::Facts).collect();
    assert!(
        facts.contains("progress = 97") && !facts.contains("42"),
        "{facts}"
    );
}

/// Paths, figures and commands of forty steps are still named.
#[test]
fn r17_paths_figures_and_commands_are_lost() {
    let mut both = Both::with(looks(), small(), Keep::Summary(beginnings), "measure");
    for n in 0..40 {
        let prose = "The run went as planned and nothing else was seen on the way. ".repeat(12);
        let log = format!(
            "{prose}It took {}.5 ms and wrote /srv/run_{n}/out.csv. {prose}",
            300 + n
        );
        let command = format!("bench --case {n} --all");
        both.step(json!({ "command": command }), json!({ "log": log }));
    }
    let beliefs = &both.task.task.state.beliefs;
    let kept = beliefs
        .archive
        .entries
        .iter()
        .map(|one| one.text.text().into_owned());
    let kept: String = kept.chain([both.shown()]).collect();
    let naive = both.naive.text();
    let found = |text: &str| {
        let wanted = (0..40).flat_map(|n| {
            [
                format!("{}.5 ms", 300 + n),
                format!("/srv/run_{n}/out.csv"),
                format!("bench --case {n} "),
            ]
        });
        wanted.filter(|one| text.contains(one.as_str())).count()
    };
    assert!(found(&naive) < 120 / 2, "{} of 120", found(&naive));
    assert_eq!(found(&kept), 120);
}

/// What the agent made up is marked as its own words.
#[test]
fn r18_invented_figures_look_like_facts() {
    use steadfast_core::proposal::{Reply, ReplyCall};
    let mut both = Both::new(Keep::All, "report");
    both.naive = Naive::new(Keep::Summary(beginnings), 6_000, "report");
    let words = "Revenue was 9731 last year, I think.";
    let mut reply = Reply::say("m", words);
    reply.calls = vec![ReplyCall {
        id: "1".to_owned(),
        skill: "look".to_owned(),
        args: "{}".to_owned(),
    }];
    both.task.reply(reply);
    let call = both.task.task.state.stands.queue[0].clone();
    both.task.result(call.as_str(), json!({"found": "nothing"}));
    both.naive.words(words);
    both.steps(14, 2_400);
    // In the summary it stands like anything that was found, in the user's role.
    let naive = both.naive.messages[0].text();
    assert!(
        naive.starts_with("Summary so far") && naive.contains("9731"),
        "{naive}"
    );
    let shown = earlier(both.request());
    let at = shown.find("9731").expect("the words are kept");
    let line = shown[..at].rsplit('\n').next().expect("a line");
    assert!(
        line.starts_with("the agent's own words, not verified"),
        "{line}"
    );
}

/// An old value is never shown as if it were in force.
#[test]
fn r45_r46_an_old_value_stands_beside_the_new_one() {
    let mut spec = looks();
    spec["skills"]["look"]["provides"] = json!({"stock": "shelf.count"});
    let mut both = Both::with(spec, wide(), Keep::All, "watch the shelf");
    let first = json!({"shelf": {"count": 40}, "note": "stock is 40"});
    both.step(json!({ "at": 0 }), first);
    both.steps(12, 100);
    both.step(json!({"at": 99}), json!({"shelf": {"count": 12}}));
    assert!(
        both.naive.text().contains("stock is 40"),
        "with nothing beside it"
    );
    let shown = earlier(both.request());
    let marked = shown.contains("(in force now: stock = 12");
    assert!(marked || !shown.contains("stock is 40"), "{shown}");
    let facts: String = both.request().parts(FragmentKind::Facts).collect();
    assert!(
        facts.contains("stock = 12") && !facts.contains("40"),
        "{facts}"
    );
}

/// Who waits for the lock must not write what it read before.
#[test]
fn r47_a_session_is_loaded_before_its_lock() {
    // Two runs of a loop that saves its session as a whole.
    let mut saved: Vec<&str> = vec!["v1"];
    let (mut one, mut two) = (saved.clone(), saved.clone());
    one.push("found x");
    saved.clone_from(&one);
    two.push("noted y");
    saved.clone_from(&two);
    assert!(!saved.contains(&"found x"), "the first run's work is lost");
    // Two batches made on one state: the second does not follow the first.
    let mut bench = Bench::with(looks(), "look", wide());
    let say = |text: &str| {
        let text = text.to_owned();
        let principal = "ann".into();
        let command = Command::Say { text };
        steadfast_core::task::Input::Command { principal, command }
    };
    let made = |bench: &Bench, text| {
        bench
            .task
            .record(say(text), bench.turn())
            .expect("it records")
    };
    let (one, two) = (made(&bench, "found x"), made(&bench, "noted y"));
    bench.adopt(one);
    let refused = two
        .events
        .iter()
        .try_for_each(|event| bench.task.clone().apply(event));
    assert!(
        refused.is_err(),
        "the second is made anew on what the first left"
    );
}

/// The second pass over a thing is what counts.
#[test]
fn r48_the_first_pass_answers_for_the_second() {
    let mut both = Both::new(Keep::All, "watch");
    // A loop whose results are kept by what was asked, and never read again.
    let mut kept: std::collections::BTreeMap<String, Value> = Default::default();
    for pass in ["first-pass", "second-pass"] {
        let (args, result) = (json!({"page": "p1"}), json!({ "stock": pass }));
        kept.entry(args.to_string())
            .or_insert_with(|| result.clone());
        both.step(args, result);
    }
    both.steps(12, 100);
    assert_eq!(kept.values().next(), Some(&json!({"stock": "first-pass"})));
    assert!(
        both.naive.text().contains("first-pass"),
        "the whole history shows both"
    );
    let shown = earlier(both.request());
    assert!(
        shown.contains("second-pass") && !shown.contains("first-pass"),
        "{shown}"
    );
}

fn tables(both: &mut Both) {
    for n in 0..30 {
        let rows = (0..80).map(|row| json!({"id": format!("r{n}-{row}"), "v": row}));
        let rows: Vec<Value> = rows.collect();
        both.step(json!({ "at": n }), json!({ "rows": rows }));
    }
}

/// A session of tool output alone still fits its window.
#[test]
fn r59_tool_output_alone_cannot_be_compacted() {
    let mut both = Both::with(
        looks(),
        small(),
        Keep::SummaryOfTalk(beginnings),
        "look around",
    );
    tables(&mut both);
    assert!(both.naive.summarised.is_empty() && both.naive.tokens() > small().tokens);
    assert!(
        bills(&both.task)
            .iter()
            .all(|bill| bill.tokens <= bill.room)
    );
}

/// No request is larger than the window, that for a summary included.
#[test]
fn r61_the_request_for_a_summary_overflows() {
    let mut both = Both::with(looks(), small(), Keep::Summary(beginnings), "look around");
    tables(&mut both);
    let asked = both
        .naive
        .summarised
        .iter()
        .map(|(tokens, _)| *tokens)
        .max();
    assert!(asked > Some(small().tokens), "{asked:?}");
    assert!(
        bills(&both.task)
            .iter()
            .all(|bill| bill.tokens <= bill.room)
    );
}

/// A list that is cut says how long it is.
#[test]
fn r62_a_list_is_cut_in_silence() {
    let records: Vec<Value> = (0..276)
        .map(|n| json!({"id": format!("rec_{n}"), "note": "entry"}))
        .collect();
    let mut both = Both::new(Keep::All, "count");
    // Cut where it is put in, as tool outputs commonly are.
    both.naive
        .step(&json!({}), &json!({ "records": records[..164] }));
    step(&mut both.task, json!({}), json!({ "records": records }));
    both.steps(12, 100);
    assert!(!both.naive.text().contains("276"));
    let entry = &both.task.task.state.beliefs.archive.entries[0];
    let text = entry.text.text();
    assert!(
        text.contains("records=[276]") && text.contains("of 552 values)"),
        "{text}"
    );
}

/// Summaries do not grow from one to the next.
#[test]
fn r64_summaries_inherit_summaries_and_grow() {
    let mut both = Both::with(looks(), small(), Keep::Summary(inheriting), "look around");
    both.steps(70, 2_000);
    let sizes: Vec<usize> = both
        .naive
        .summarised
        .iter()
        .map(|(_, size)| *size)
        .collect();
    assert!(
        sizes.len() > 5 && sizes.windows(2).all(|two| two[0] < two[1]),
        "{sizes:?}"
    );
    let entries = &both.task.task.state.beliefs.archive.entries;
    let own: Vec<u32> = entries.iter().map(|one| one.tokens).collect();
    let (least, most) = (own.iter().min(), own.iter().max());
    assert!(
        most.zip(least)
            .is_some_and(|(most, least)| most - least <= 8),
        "{own:?}"
    );
}

/// Wherever the window ends, a result has its call.
#[test]
fn r65_a_cut_leaves_a_result_without_its_call() {
    let mut bad = 0;
    for keep in 1..=6 {
        let mut both = Both::new(Keep::Last(keep), "look around");
        both.steps(2, 60);
        both.say("go on");
        both.steps(1, 60);
        bad += u32::from(!is_accepted(&both.naive.messages));
        assert!(is_accepted(&both.request().messages));
    }
    assert!(bad >= 3, "{bad} of 6");
    for tokens in (2_500..8_000).step_by(500) {
        let window = Window {
            tokens,
            output_tokens: 200,
        };
        let mut both = Both::with(looks(), window, Keep::All, "look around");
        both.steps(9, 3_000);
        assert!(is_accepted(&both.request().messages), "window {tokens}");
    }
}

/// A call whose result never came is told as such.
#[test]
fn r66_a_call_without_a_result_stays() {
    let mut naive = Naive::new(Keep::All, 32_000, "look");
    let (args, result) = (json!({"at": 1}), json!({"n": 1}));
    naive.turn(&[(&args, Some(&result)), (&args, None)]);
    naive.say("go on");
    assert!(!is_accepted(&naive.messages));
    let mut bench = Bench::with(looks(), "look", wide());
    bench.call("look", args);
    let made = assemble(&bench.task, 1_000, &ScriptEstimate).expect("it fits");
    assert!(is_accepted(&made.request.messages));
    assert!(all_text(&made.request).contains("\"outcome\":\"unknown\""));
}

/// What is counted is what the model counts, in Chinese as well.
#[test]
fn r94_characters_by_four_undercount_chinese() {
    let window = Window {
        tokens: 8_000,
        output_tokens: 500,
    };
    let mut both = Both::with(looks(), window, Keep::Summary(beginnings), "整理书架");
    for n in 0..20 {
        let page = "书架上的书很多，今天整理了一部分。".repeat(40);
        both.step(json!({ "at": n }), json!({ "page": page }));
    }
    let by_four = both.naive.text().chars().count() / 4;
    assert!(
        by_four <= window.tokens as usize,
        "it believes that it fits"
    );
    assert!(both.naive.tokens() > window.tokens, "and it does not");
    for bill in bills(&both.task) {
        assert!(bill.tokens <= bill.room);
    }
    assert!(ScriptEstimate.count(&both.shown()) <= window.tokens);
}
