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
    case.check(
        &["ledger", "t1"],
        expect![[r#"
        exit 0
        --- stdout
        task t1, v6, since event 18 at [DATE] [TIME]
        goal (event 1, user ana): 生成内部[no longer in force]报告，不得对外发布，1500 字以内

        rules
          c2 never send
             user ana, v3: event 1 “不得对外发布”
          c3 never publish
             user ana, v4: event 1 “不得对外发布”
          c4 length at most 1500 characters (字)
             user ana, v5: event 1 “1500 字以内”
          c5 answer in English
             user ana, v6, in the place of c1: event 17 “改成英文”

        waiting for an answer
          q1 “发给他”：规则 c2 禁止发送。是只放行这一次，还是取消这条规则？收件人和内容分别是什么？
             1. 暂停 c2（仅此一次）
             2. 撤销 c2
             event 20 “发给他”

        no longer in force
          c1 answer in Chinese (v2 to v5, replaced by c5 in event 18)

        answer with `steadfast confirm t1 QUESTION --choose N`, or `--keep`
    "#]],
    );
    case.check(
        &["ledger", "t1", "--version", "2"],
        expect![[r#"
        exit 0
        --- stdout
        task t1, v2 of 6, since event 2 at [DATE] [TIME]
        goal (event 1, user ana): 生成内部中文报告，不得对外发布，1500 字以内

        rules
          c1 用中文回答
             user ana, v2: event 1 “中文”
    "#]],
    );
    case.check(
        &["ledger", "t1", "--diff", "5", "6"],
        expect![[r#"
        exit 0
        --- stdout
        task t1, v5 to v6

        v6 (event 18, user ana, bytes 0..12 of message 17, read by rule language)
          + c5 answer in English “改成英文”
          - c1 answer in Chinese (replaced)
    "#]],
    );
    case.check(
        &["ledger", "t1", "--version", "99"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0040]: the ledger of task `t1` has no version 99

        hint: it has v1 to v6; `steadfast ledger t1` shows the last
    "#]],
    );
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
    let goal = file["goal"].as_str().unwrap();
    assert!(!goal.contains("中文"), "{goal}");
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
    case.check(
        &["confirm", "t1"],
        expect![[r#"
        exit 4
        --- stdout
        q1 “发给他”：规则 c2 禁止发送。是只放行这一次，还是取消这条规则？收件人和内容分别是什么？
           1. 暂停 c2（仅此一次）
           2. 撤销 c2
           event 20 “发给他”
        --- stderr
        choose with `steadfast confirm t1 QUESTION --choose N`, or leave all as it is with `--keep`
    "#]],
    );
    case.check(
        &["confirm", "t1", "q9", "--keep"],
        expect![[r#"
        exit 1
        --- stderr
        error[K0009]: no open question of task `t1` is `q9`

        hint: open are:
          q1 “发给他”：规则 c2 禁止发送。是只放行这一次，还是取消这条规则？收件人和内容分别是什么？
    "#]],
    );
    case.check(
        &["confirm", "t1", "q1", "--choose", "7"],
        expect![[r#"
        exit 1
        --- stderr
        error[K0009]: question `q1` has no such choice

        hint: choose one of:
          1. 暂停 c2（仅此一次）
          2. 撤销 c2
        or `--keep`
    "#]],
    );
    let other = case.run(&["confirm", "t1", "q1", "--keep", "--by", "bob"]);
    assert_eq!(other.exit, 1);
    assert!(other.stderr.contains("K0002"), "{}", other.stderr);

    case.check(
        &["confirm", "t1", "--keep"],
        expect![[r#"
        exit 0
        --- stderr
        q1: all stays as it is
        kept for task t1; where nobody drives it: `steadfast resume t1`
    "#]],
    );
    case.check(
        &["confirm", "t1", "q1", "--keep"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0042]: an answer to `q1` of task `t1` was given already, and waits to be recorded

        hint: go on with `steadfast resume t1`
    "#]],
    );
    record(&case);
    case.check(
        &["confirm", "t1"],
        expect![[r#"
        exit 0
        --- stderr
        no question of task t1 is open
    "#]],
    );
    case.check(
        &["confirm", "t1", "--yes"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0041]: no question of task `t1` is open

        hint: `steadfast ledger t1` shows what is in force
    "#]],
    );
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
