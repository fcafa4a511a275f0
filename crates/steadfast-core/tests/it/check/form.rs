//! The form of whole answers and their parts.

use serde_json::json;
use steadfast_core::ledger::Rule;
use steadfast_core::ledger::rule::{Bound, Format, Part};

use super::verdict;

fn format(answer: &str, format: Format) -> String {
    let said = verdict(answer, &Rule::Format { format });
    said.replace(", allowed the whole answer as one JSON value", "")
}

#[test]
fn json_before_any_fence_is_stripped() {
    let json = |answer: &str| format(answer, Format::Json { schema: None });
    assert_eq!(json("{\"text\": \"```json\\n{}\\n```\"}"), "kept");
    assert_eq!(json("```json\n{\"a\": 1}\n```"), "kept");
    assert_eq!(json(" [1, 2] "), "kept");
    assert_eq!(
        json("好的：\n```json\n{}\n```"),
        "broken: it does not parse: not JSON: expected value at line 1 column 1 @1 “好的：\n```json\n{}\n```”"
    );
    assert_eq!(
        json("{\"a\": 1,}"),
        "broken: it does not parse: not JSON: trailing comma at line 1 column 9 @1 “}”"
    );
    assert!(json("{\"a\": 1, \"a\": 2}").starts_with("broken"));
    assert!(json("{} {}").starts_with("broken"));
    assert!(json("").starts_with("broken"));
}

#[test]
fn json_by_schema_with_path() {
    let schema = json!({"type": "object", "required": ["title"]});
    let by = |answer: &str| {
        let schema = Some(schema.clone());
        verdict(
            answer,
            &Rule::Format {
                format: Format::Json { schema },
            },
        )
    };
    assert_eq!(by(r#"{"title": "x"}"#), "kept");
    assert!(by(r#"{"name": "x"}"#).starts_with("broken: 1 places that do not fit, first `"));
}

#[test]
fn plain_markdown_html_csv() {
    assert_eq!(
        format("一、背景\n- 项目启动于 2020 年\n2 * 3 = 6", Format::Plain),
        "kept"
    );
    assert_eq!(
        format("这是 **重点**。\n# 标题", Format::Plain),
        "broken: 2 pieces of mark-up, allowed plain text without mark-up @1 “**重点**” @2 “# 标题”"
    );
    assert_eq!(format("# T\n\n- a\n", Format::Markdown), "kept");
    assert_eq!(
        format("{\"a\": 1}", Format::Markdown),
        "broken: JSON, allowed Markdown @1 “{\"a\": 1}”"
    );
    assert_eq!(
        format("# T\n```rust\nlet x;", Format::Markdown),
        "broken: a code block that does not end, allowed Markdown @2 “```rust”"
    );
    assert_eq!(format("<ul><li>a<li>b</ul>", Format::Html), "kept");
    assert_eq!(
        format("<div><b>a</div>", Format::Html),
        "broken: the tag <div> without its other half, allowed the whole answer as HTML @1 “</div>”"
    );
    assert_eq!(format("姓名,年龄\n\"王, 五\",30", Format::Csv), "kept");
    assert_eq!(
        format("a,b\n1", Format::Csv),
        "broken: a record of 1 fields, the first has 2, allowed CSV: each record with as many fields, at least two @2 “1”"
    );
    let other = Format::Other {
        named: "RTF".to_owned(),
    };
    assert_eq!(format("x", other), "not checked: no rule here checks `RTF`");
}

fn parts(answer: &str, part: Part, count: u64) -> String {
    verdict(
        answer,
        &Rule::Structure {
            part,
            bound: Bound::exactly(count),
        },
    )
}

#[test]
fn parts_that_are_counted() {
    let text = "# 年度报告\n\n## 第一部分 背景\n- 甲\n* 乙\n\n```sh\n- not a bullet\n# nor a heading\n```\n\n\
                ## 第二部分 数据 [待补充]\n1. 一\n2. 二\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
                见[来源](https://a.cn)[1]，*要点*与**重点**。真的吗？太好了！\n\nP.S. 附注\n";
    let marker = |marker: &str| Part::Sections {
        marker: Some(marker.to_owned()),
    };
    for (part, count) in [
        (Part::Title, 1),
        (Part::Headings, 3),
        (Part::Sections { marker: None }, 2),
        (marker("第"), 2),
        (Part::Bullets, 2),
        (Part::NumberedItems, 2),
        (Part::Tables, 1),
        (Part::CodeFences, 1),
        (Part::Highlights, 2),
        (Part::Placeholders, 1),
        (Part::Links, 1),
        (Part::Citations, 1),
        (Part::Questions, 1),
        (Part::Exclamations, 1),
        (
            Part::Postscript {
                marker: "P.S.".to_owned(),
            },
            1,
        ),
        (Part::Responses, 1),
    ] {
        assert_eq!(parts(text, part.clone(), count), "kept", "{part:?}");
    }
    assert_eq!(
        parts(text, Part::Bullets, 1),
        "broken: 2 bullets, allowed exactly 1 bullets @5 “* 乙”"
    );
}

#[test]
fn markers_and_dividers() {
    let ps = |text: &str| {
        parts(
            text,
            Part::Postscript {
                marker: "P.S.".to_owned(),
            },
            1,
        )
    };
    assert_eq!(ps("x\n\n**PS:** y"), "kept");
    assert!(ps("x\n\nPsychology").starts_with("broken: 0"));
    let note = |text: &str| {
        parts(
            text,
            Part::Postscript {
                marker: "附：".to_owned(),
            },
            1,
        )
    };
    assert_eq!(note("正文\n附：表一"), "kept");
    assert!(note("正文\n附件如下").starts_with("broken: 0"));
    assert_eq!(parts("甲\n******\n乙", Part::Responses, 2), "kept");
    assert!(parts("甲\n******\n甲", Part::Responses, 2).starts_with("broken: 1"));
    assert_eq!(
        parts(
            "a [x](y) [ ] [x] [1] [姓名] 【日期】",
            Part::Placeholders,
            2
        ),
        "kept"
    );
    assert_eq!(parts("<<欢乐颂>>\n正文", Part::Title, 1), "kept");
    assert_eq!(
        parts("[user1]: hi\n[ref]: https://a.cn\n", Part::Placeholders, 1),
        "kept"
    );
    assert_eq!(parts("甲 ****** 乙", Part::Responses, 2), "kept");
    let section = Part::Sections {
        marker: Some("Section".to_owned()),
    };
    assert_eq!(parts("\"SECTION 1: a\n(Section 2) b", section, 2), "kept");
    // One fence around a whole text is no code; one with a language is.
    assert_eq!(
        parts("```markdown\n# T\n- a\n```", Part::Bullets, 1),
        "kept"
    );
    assert!(parts("```yaml\n- a\n```", Part::Bullets, 1).starts_with("broken: 0"));
}
