//! The format check: each rule on a draft that breaks it and on one that does
//! not, in both languages.

use serde_json::{Value, json};

use crate::skill_calls::run;

/// Issues as `line rule: message`.
async fn check_with(config: Value, draft: &str) -> Vec<String> {
    let result = run("format_check", config, json!({ "draft": draft }))
        .await
        .unwrap();
    let issues = result["issues"].as_array().unwrap();
    assert_eq!(result["passed"], json!(issues.is_empty()));
    assert_eq!(result["format_check_passed"], result["passed"]);
    assert_eq!(result["issue_count"], json!(issues.len()));
    let show = |issue: &Value| {
        let text = |key: &str| issue[key].as_str().unwrap().to_owned();
        format!("{} {}: {}", issue["line"], text("rule"), text("message"))
    };
    issues.iter().map(show).collect()
}

async fn check(draft: &str) -> Vec<String> {
    check_with(json!({}), draft).await
}

const GOOD: &str = "\
---
author: 王
---
# 可靠的工作流 Reliable workflows

引言，见 [说明](https://example.org/a_(b)) 和 ![图](a.png)，`[x](` 与 arr[0](1) 之外 \\[y](。

## 契约

| 步骤 | Skill |
|---|:--|
| 1 | `a \\| b` |
| 2 | c |

> ```rust
> let x = 1;
> ```

### 细节

- [x] done
- [ ] open

## Conclusion

See [the notes][1] and [1]. Cost: 5 (five).

~~~text
# not a heading [z](
~~~

[1]: https://example.org
";

#[tokio::test]
async fn a_good_draft_passes_in_both_languages() {
    assert_eq!(check(GOOD).await, [""; 0]);
}

#[tokio::test]
async fn the_title_stands_once_and_first() {
    assert_eq!(
        check("开头。\n\n## 节\n\n正文。\n").await,
        ["1 one_title: the draft has no title: begin it with `# ` and the title"]
    );
    assert_eq!(
        check("Intro.\n\n# Title\n\nText.\n\n# 另一个\n\n文。\n").await,
        [
            "1 one_title: the title `Title` stands on line 3, not at the start",
            "7 one_title: `另一个` is a second level-1 heading",
        ]
    );
    assert_eq!(
        check_with(json!({ "one_title": false }), "text\n").await,
        [""; 0]
    );
}

#[tokio::test]
async fn headings_step_down_one_level_and_have_text_under_them() {
    assert_eq!(
        check("# 标题\n\n### 跳级\n\n文。\n\n## 空节\n\n## Last\n").await,
        [
            "3 heading_jump: `跳级` is of level 3 under a heading of level 1",
            "7 empty_section: nothing stands under `空节`",
            "9 empty_section: nothing stands under `Last`",
        ]
    );
    assert_eq!(
        check("# T\n\n##\n\ntext\n").await,
        ["3 empty_heading: the heading has no text"]
    );
    assert_eq!(
        check("# T\n\ntext\n\n##没有空格\n").await,
        ["5 heading_space: a heading needs a space after its `#`"]
    );
    assert_eq!(
        check("# T\n\n## Why\n\na\n\n### why\n\nb\n\n## WHY\n\nc\n").await,
        ["11 duplicate_heading: `WHY` is already a heading on line 3"]
    );
}

#[tokio::test]
async fn an_open_fence_is_found() {
    for draft in [
        "# T\n\n```rust\nlet x = 1;\n",
        "# 题\n\n````\n```\n文\n",
        "# T\n\n- a\n\n  ```\n  x\n",
    ] {
        let issues = check(draft).await;
        assert_eq!(issues.len(), 1, "{draft}: {issues:?}");
        assert!(
            issues[0].ends_with("open_fence: the code fence is never closed"),
            "{issues:?}"
        );
    }
    assert_eq!(check("# T\n\n- a\n\n  ```\n  x\n  ```\n").await, [""; 0]);
}

#[tokio::test]
async fn links_lead_somewhere() {
    assert_eq!(
        check("# T\n\n[空]() ![图]()\n\n[未完](https://a.b\n\n[全角]（https://a.b）\n\n[x] (https://a.b)\n\n[a][无]\n\n[](http://a.b)\n").await,
        [
            "3 empty_link: the image has no target",
            "3 empty_link: the link has no target",
            "5 broken_link: this reads as a link but is none: its `(` is never closed or its target has spaces",
            "7 broken_link: this reads as a link but is none: its target stands in full-width brackets",
            "9 broken_link: this reads as a link but is none: a space stands before its target",
            "11 broken_link: nothing defines the link reference `无`",
            "13 empty_link: the link has no text",
        ]
    );
}

#[tokio::test]
async fn tables_have_equal_rows() {
    assert_eq!(
        check(
            "# T\n\n| 甲 | 乙 |\n|---|---|\n| 1 | 2 | 3 |\n| 1 |\n| 1 | 2 |\n\n| a | b |\n|---|\n"
        )
        .await,
        [
            "5 table_cells: the row has 3 cells, the table 2 columns",
            "6 table_cells: the row has 1 cells, the table 2 columns",
            "10 table_cells: the row under the head has another number of cells than the head",
        ]
    );
}

#[tokio::test]
async fn white_space_at_the_end_is_found_outside_code() {
    let issues = check("# T\n\n行尾 \n\n```\ncode \n```\n\ntab\t\n全角\u{3000}\n").await;
    let places: Vec<&str> = issues
        .iter()
        .map(|issue| issue.split(':').next().unwrap())
        .collect();
    assert_eq!(
        places,
        [
            "3 trailing_whitespace",
            "9 trailing_whitespace",
            "10 trailing_whitespace"
        ]
    );
    assert_eq!(
        check_with(json!({ "trailing_whitespace": false }), "# T\n\na \n").await,
        [""; 0]
    );
}

#[tokio::test]
async fn length_counts_as_a_word_processor_does() {
    // 标 题 + 你 好 ， 世 界 。 + two words = 10
    let draft = "# 标题\n\n你好，世界。two words\n";
    assert_eq!(
        check_with(json!({ "min_characters": 10, "max_characters": 10 }), draft).await,
        [""; 0]
    );
    assert_eq!(
        check_with(json!({ "min_characters": 11 }), draft).await,
        ["1 length: the draft has 10 characters and words, at least 11 are asked"]
    );
    assert_eq!(
        check_with(json!({ "max_characters": 9 }), draft).await,
        ["1 length: the draft has 10 characters and words, at most 9 are asked"]
    );
}

#[tokio::test]
async fn required_sections_are_there() {
    let config = json!({ "required_sections": ["结论", "References"] });
    assert_eq!(
        check_with(config, "# T\n\n## references\n\n- a\n").await,
        ["1 required_section: the section `结论` is missing"]
    );
}

/// A list of issues has a bound; the count has none.
#[tokio::test]
async fn many_issues_are_counted_in_full() {
    let draft = format!("# T\n\n{}", "line \n".repeat(120));
    let result = run("format_check", json!({}), json!({ "draft": draft }))
        .await
        .unwrap();
    assert_eq!(result["issues"].as_array().unwrap().len(), 50);
    assert_eq!(result["issue_count"], json!(120));
}

#[tokio::test]
async fn an_empty_draft_is_no_pass() {
    assert_eq!(check("").await.len(), 1);
}
