//! `check-answer`: outcome, places, exit code.

use expect_test::expect;

use crate::harness::Case;

const LEDGER: &str = r#"{
  "version": 4,
  "goal": "生成内部报告",
  "constraints": [
    {"type": "language", "language": "zh", "words": "用中文"},
    {"type": "length", "unit": "characters", "bound": {"max": {"value": 20}}, "words": "20 字以内"},
    {"type": "sources", "mode": "allow", "sources": [{"by": "domain", "value": "gov.cn"}], "words": "只用官方来源"},
    {"type": "punctuation", "marks": "!", "bound": {"max": {"value": 0}}, "force": "should", "words": "少用叹号"},
    "语气要友好"
  ]
}"#;

#[test]
fn outcomes_have_places() {
    let case = Case::new();
    case.write("ledger.json", LEDGER);
    case.write(
        "answer.md",
        "经济平稳增长。\n来源：https://gov.cn.evil.test/a ，请各部门阅读参考！\n",
    );
    case.check(
        &["check-answer", "answer.md", "--ledger", "ledger.json"],
        expect![[r#"
            exit 3
            --- stdout
            kept         c1 “用中文”
            broken       c2 “20 字以内”: found 21 characters; allowed at most 20 characters
                         answer.md:2: ！
            broken       c3 “只用官方来源”: found gov.cn.evil.test; allowed citing only gov.cn and below
                         answer.md:2: https://gov.cn.evil.test/a
            broken       c4 (a wish) “少用叹号”: found 1 of the mark `!`; allowed at most 0 of the mark `!`
                         answer.md:2: ！
            not checked  c5 “语气要友好”: a reader must judge it
            --- stderr
            answer.md: 1 kept, 3 broken, 1 not checked
        "#]],
    );
    case.write("answer.md", "经济平稳（https://stats.gov.cn/a）。\n");
    case.check(
        &["check-answer", "answer.md", "--ledger", "ledger.json"],
        expect![[r#"
            exit 0
            --- stdout
            kept         c1 “用中文”
            kept         c2 “20 字以内”
            kept         c3 “只用官方来源”
            kept         c4 (a wish) “少用叹号”
            not checked  c5 “语气要友好”: a reader must judge it
            --- stderr
            answer.md: 4 kept, 0 broken, 1 not checked
        "#]],
    );
    case.check(
        &[
            "check-answer",
            "answer.md",
            "--ledger",
            "ledger.json",
            "--strict",
            "--json",
        ],
        expect![[r#"
            exit 3
            --- stdout
            {"file":"answer.md","broken":0,"not_checked":1,"findings":[{"words":"用中文","constraint":1,"force":"must","outcome":"kept"},{"words":"20 字以内","constraint":2,"force":"must","outcome":"kept"},{"words":"只用官方来源","constraint":3,"force":"must","outcome":"kept"},{"words":"少用叹号","constraint":4,"force":"should","outcome":"kept"},{"words":"语气要友好","constraint":5,"force":"must","outcome":"not_checked","why":"needs_reader"}],"repair":{"zh":"","en":""}}
        "#]],
    );
}

#[test]
fn a_misspelt_rule_is_no_rule() {
    let case = Case::new();
    case.write("answer.md", "x");
    case.write("ledger.json", r#"[{"type": "quoted", "mark": "x"}]"#);
    case.check(
        &["check-answer", "answer.md", "--ledger", "ledger.json"],
        expect![[r#"
            exit 1
            --- stderr
            error[K0011]: ledger `ledger.json` does not read:
              at `/0`: unknown key `mark`

            hint: check the spelling against docs/ledger.md
        "#]],
    );
    case.write(
        "ledger.json",
        r#"{"constraints": [{"type": "length"}], "output": {"max_wrds": 3}}"#,
    );
    case.check(
        &["check-answer", "answer.md", "--ledger", "ledger.json"],
        expect![[r#"
            exit 1
            --- stderr
            error[K0012]: ledger `ledger.json` does not read:
              at `/constraints/0`: not a rule: missing field `unit`
              at `/output`: unknown key `max_wrds`

            hint: a rule is a string, or an object with a `type`
        "#]],
    );
}

#[test]
fn an_output_contract_and_known_sources_count() {
    let case = Case::new();
    case.write("answer.md", "见 https://a.test/1 与 https://b.test/2。\n");
    case.write(
        "ledger.json",
        r#"{"constraints": [{"type": "sources", "mode": "allow", "sources": [{"by": "grade", "value": "retrieved"}], "words": "只引用检索到的来源"}],
            "output": {"format": "json", "max_words": 100}}"#,
    );
    case.write(
        "sources.json",
        r#"[{"address": "https://a.test/1", "retrieved": true}]"#,
    );
    case.check(
        &[
            "check-answer",
            "answer.md",
            "--ledger",
            "ledger.json",
            "--sources",
            "sources.json",
        ],
        expect![[r#"
            exit 3
            --- stdout
            broken       c1 “只引用检索到的来源”: found b.test; allowed citing only sources retrieved in this task
                         answer.md:1: https://b.test/2
            broken       c2 “output: {"format":"json","max_words":100}”: found it does not parse: not JSON: expected value at line 1 column 1; allowed the whole answer as one JSON value
                         answer.md:1: 见 https://a.test/1 与 https://b.test/2。
            kept         c3 “max_words: 100”
            --- stderr
            answer.md: 1 kept, 2 broken, 0 not checked
        "#]],
    );
    case.write("sources.json", "[");
    case.check(
        &[
            "check-answer",
            "answer.md",
            "--ledger",
            "ledger.json",
            "--sources",
            "sources.json",
        ],
        expect![[r#"
            exit 1
            --- stderr
            error[K0101]: `sources.json` does not read: not JSON: EOF while parsing a list at line 1 column 1

            hint: docs/checks.md shows the shape of the file
        "#]],
    );
}
