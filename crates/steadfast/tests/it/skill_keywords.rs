//! Keyword extraction in Chinese, English and mixed text.

use std::path::Path;

use proptest::prelude::*;
use serde_json::json;
use steadfast_core::event::skill::SkillFailure;

use crate::skill_calls::{builtin, call, run};

async fn keywords(text: &str, count: usize) -> Vec<String> {
    let args = json!({ "input": text, "count": count });
    let result = run("extract_keywords", json!({}), args).await.unwrap();
    serde_json::from_value(result["keywords"].clone()).unwrap()
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/content-pipeline");
    std::fs::read_to_string(path.join(name)).unwrap()
}

/// The two articles of the example: what they are about is among the first.
#[tokio::test]
async fn the_example_articles_are_about_what_they_are_about() {
    let zh = keywords(&example("article.zh.md"), 12).await;
    expect_test::expect![
        "模型 | 校验 | 格式校验 | 调用 | 跳步 | 输入 | 步骤 | 格式 | 动作 | 工作流 | 顺序 | 文本"
    ]
    .assert_eq(&zh.join(" | "));
    let en = keywords(&example("article.en.md"), 12).await;
    expect_test::expect!["check | model | call | report | format check | skipped | step | log | article | runs | long report | case"].assert_eq(&en.join(" | "));
}

#[tokio::test]
async fn mixed_text_keeps_names_and_terms_of_both_scripts() {
    let text = "# 用 GitHub Actions 跑契约测试\n\n在 GitHub Actions 里，契约测试调用 `format_check`。\
                如果 format_check 没有被调用，契约测试失败，AI 工作流不会上线。\
                AI 工作流的每个 skill 都有契约测试。见 https://example.org/path/page.html 。";
    let found = keywords(text, 8).await;
    expect_test::expect![
        "契约测试 | GitHub Actions | AI 工作流 | format_check | 调用 | 上线 | skill | 失败"
    ]
    .assert_eq(&found.join(" | "));
    assert!(
        !found
            .iter()
            .any(|word| word.contains("example") || word.contains("html"))
    );
}

#[tokio::test]
async fn terms_stand_for_their_pieces() {
    let en = keywords(
        "The state machine decides. A state machine has edges; each state machine edge is declared. \
         Model Context Protocol servers follow.",
        6,
    )
    .await;
    assert!(en.contains(&"state machine".to_owned()), "{en:?}");
    assert!(en.contains(&"Model Context Protocol".to_owned()), "{en:?}");
    assert!(!en.contains(&"machine".to_owned()), "{en:?}");
}

#[tokio::test]
async fn nothing_to_say_gives_nothing() {
    for text in [
        "",
        "   \n",
        "的了和是",
        "the of and is",
        "123 456",
        "```\ncode only\n```",
    ] {
        assert_eq!(keywords(text, 5).await, [""; 0], "{text}");
    }
}

#[tokio::test]
async fn a_text_beyond_the_limit_is_refused_with_its_size() {
    let text = "词语 ".repeat(700_000);
    let error = run("extract_keywords", json!({}), json!({ "input": text }))
        .await
        .unwrap_err();
    assert_eq!(error.class, SkillFailure::Reported);
    assert_eq!(
        error.message,
        "the text has 4900000 bytes; keywords are extracted from at most 4194304"
    );
}

/// A single long line without a space takes time in proportion.
#[tokio::test]
async fn a_long_line_is_no_trap() {
    for text in [
        "a,b1,".repeat(60_000),
        "[](".repeat(100_000),
        "状态机".repeat(40_000),
    ] {
        let began = std::time::Instant::now();
        keywords(&text, 5).await;
        assert!(
            began.elapsed().as_secs() < 30,
            "{} took {:?}",
            &text[..3],
            began.elapsed()
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Any text: no panic, the same answer twice, within the count, no word
    /// that is not in the text, none twice.
    #[test]
    fn any_text_gives_the_same_words_of_its_own(
        text in "([a-zA-Z0-9 .,#_`*\\-\n]|[状态机工作流模型校验的了，。（）]|\\PC){0,200}",
        count in 1usize..20,
    ) {
        let skill = builtin("extract_keywords", json!({}), Path::new("."));
        let one = call(json!({ "input": text, "count": count }));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let first = runtime.block_on(skill.call(&one)).unwrap();
        prop_assert_eq!(&first, &runtime.block_on(skill.call(&one)).unwrap());
        let words = first["keywords"].as_array().unwrap();
        prop_assert!(words.len() <= count);
        let plain = |text: &str| text.chars().filter(|c| !c.is_whitespace() && *c != '`' && *c != '*').collect::<String>();
        let whole = plain(&text);
        for word in words {
            prop_assert!(whole.contains(&plain(word.as_str().unwrap())), "{word}");
        }
    }
}
