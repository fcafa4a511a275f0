//! `steadfast ledger` and `steadfast confirm`: what holds, since when and by
//! which words, and what a person answers.

use std::process::Stdio;

use expect_test::expect;

use crate::harness::{Case, PAY, Ran, payment};

/// A payment that waits for approval, in the middle of a dialogue: the article's
/// changes of mind, and an order without an addressee.
fn talked() -> Case {
    let case = payment("required");
    let paying = case.read("pay.yaml");
    let said = "effect: irreversible\n    does: [pay]";
    case.write("pay.yaml", &paying.replace("effect: irreversible", said));
    let mut start = PAY.to_vec();
    start[3] = "生成内部中文报告，不得对外发布，1500 字以内";
    assert_eq!(case.run(&start).exit, 4);
    for words in ["改成英文", "发给他"] {
        assert_eq!(case.run(&["send", "t1", words]).exit, 0);
    }
    record(&case);
    case
}

/// Takes in what was posted, without a model: a pause is recorded behind it.
fn record(case: &Case) {
    let paused = case.run(&["pause", "t1"]);
    assert_eq!(paused.exit, 0, "{}", paused.stderr);
}

#[test]
fn the_ledger_says_what_holds_and_what_became_of_the_rest() {
    let case = talked();
    case.check(&["ledger", "t1"], expect![[""]]);
    case.check(&["ledger", "t1", "--version", "2"], expect![[""]]);
    case.check(&["ledger", "t1", "--diff", "5", "6"], expect![[""]]);
    case.check(&["ledger", "t1", "--version", "99"], expect![[""]]);
}

/// What is exported reads back as a ledger file, and holds what was in force.
#[test]
fn the_json_is_the_articles_shape_and_reads_back() {
    let case = talked();
    let shown = case.run(&["--json", "ledger", "t1"]);
    assert_eq!(shown.exit, 0, "{}", shown.stderr);
    let file: serde_json::Value = serde_json::from_str(&shown.stdout).unwrap();
    assert_eq!(file["version"], 6);
    let languages: Vec<&serde_json::Value> = file["constraints"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|one| one["type"] == "language")
        .collect();
    assert_eq!(languages.len(), 1);
    assert_eq!(languages[0]["language"], "en");
    assert_eq!(languages[0]["words"], "改成英文");
    assert_eq!(file["unresolved"][0]["words"], "发给他");
    assert_eq!(file["history"].as_array().unwrap().len(), 6);

    case.write("ledger.json", &shown.stdout);
    case.write(
        "answer.txt",
        "This report is written in English, and is short.\n",
    );
    let checked = case.run(&["check-answer", "answer.txt", "--ledger", "ledger.json"]);
    assert_eq!(checked.exit, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn an_answer_goes_to_one_question_and_the_first_one_counts() {
    let case = talked();
    case.check(&["confirm", "t1"], expect![[""]]);
    case.check(&["confirm", "t1", "q9", "--keep"], expect![[""]]);
    case.check(&["confirm", "t1", "q1", "--choose", "7"], expect![[""]]);
    let other = case.run(&["confirm", "t1", "q1", "--keep", "--by", "bob"]);
    assert_eq!(other.exit, 1);
    assert!(other.stderr.contains("K0002"), "{}", other.stderr);

    case.check(&["confirm", "t1", "--keep"], expect![[""]]);
    case.check(&["confirm", "t1", "q1", "--keep"], expect![[""]]);
    record(&case);
    case.check(&["confirm", "t1"], expect![[""]]);
    case.check(&["confirm", "t1", "--yes"], expect![[""]]);
}

/// Two processes answer at once: both may be let in, one answer is recorded.
#[test]
fn of_two_answers_at_once_one_wins() {
    let case = talked();
    let answers: Vec<_> = (0..2)
        .map(|_| {
            let mut one = case.command(&["confirm", "t1", "q1", "--keep"]);
            one.stdout(Stdio::piped()).stderr(Stdio::piped());
            one.spawn().unwrap()
        })
        .collect();
    let exits: Vec<i32> = answers
        .into_iter()
        .map(|one| one.wait_with_output().unwrap().status.code().unwrap())
        .collect();
    assert!(exits.contains(&0), "{exits:?}");
    record(&case);
    let Ran { stdout, .. } = case.run(&["--json", "log", "t1"]);
    let answered = stdout
        .lines()
        .filter(|line| line.contains("\"kind\":\"question_answered\""));
    assert_eq!(answered.count(), 1);
    assert_eq!(case.run(&["verify", "t1"]).exit, 0);
}
