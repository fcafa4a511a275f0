//! The extractive writer with the real built-in skills over the example's real
//! articles: what it writes passes the real check, and rests on the evidence.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use steadfast::core::context::{FragmentKind, Message, Request, Tool, ToolChoice};
use steadfast::model::Extractive;
use steadfast::model::extractive::sentences;

use crate::model_request::{envelope, exchange, part, request};
use crate::skill_calls::{builtin, call};

const PIPELINE: [&str; 4] = [
    "extract_keywords",
    "search_knowledge",
    "compose",
    "format_check",
];

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/content-pipeline")
        .join(name)
}

/// Works the four skills through, in order; gives the draft, the references and
/// the verdict of the check.
async fn run(words: &str, article: &str, check: Value) -> (String, Value, Value) {
    let document =
        format!("<document 1a2b3c4d name=\"article.md\">\n{article}\n</document 1a2b3c4d>");
    let parts = vec![
        part(FragmentKind::Task, words),
        part(FragmentKind::Document, &document),
    ];
    let mut messages = vec![Message::User { parts }];
    let (mut draft, mut references, mut verdict) = (String::new(), Value::Null, Value::Null);
    for (at, name) in PIPELINE.into_iter().enumerate() {
        let config = match name {
            "search_knowledge" => json!({"folder": "knowledge"}),
            "format_check" => check.clone(),
            _ => Value::Null,
        };
        let skill = builtin(name, config, &example(""));
        let spec = skill.spec();
        let tool = Tool {
            name: name.into(),
            description: spec.description.clone(),
            input: spec.input.clone(),
        };
        let asked = Request {
            tools: vec![tool],
            tool_choice: ToolChoice::Required,
            ..request(messages.clone())
        };
        let reply = Extractive.reply(&asked);
        let args: Value = serde_json::from_str(&reply.calls[0].args).unwrap();
        assert_eq!(reply.calls[0].skill, name);
        let result = skill.call(&call(args.clone())).await.unwrap();
        match name {
            "search_knowledge" => references = result["references"].clone(),
            "compose" => draft = args["text"].as_str().unwrap().to_owned(),
            "format_check" => {
                assert_eq!(args, json!({"draft": draft}));
                verdict = result.clone();
            }
            _ => {}
        }
        let next = PIPELINE.get(at + 1).copied().unwrap_or_default();
        let said = envelope(name, &result, next, &format!("{}/4", at + 1));
        messages.extend(exchange(&format!("s{at}.0"), name, &args, &said));
    }
    assert_eq!(
        Extractive.reply(&request(messages)).text.as_ref(),
        Some(&draft)
    );
    (draft, references, verdict)
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

fn assert_rests_on(draft: &str, article: &str, references: &Value) {
    let mut evidence = vec![squeeze(article)];
    for reference in references.as_array().unwrap() {
        evidence.push(squeeze(reference["excerpt"].as_str().unwrap()));
    }
    let body = draft
        .split("\n## 参考资料")
        .next()
        .unwrap()
        .split("\n## Sources")
        .next()
        .unwrap();
    for line in body.lines().filter(|line| !line.starts_with('#')) {
        let line = line.trim_start_matches("- ");
        let cited = line
            .rsplit_once("（来源")
            .or_else(|| line.rsplit_once(" (source"));
        for sentence in sentences::split(cited.map_or(line, |(text, _)| text)) {
            let stands = evidence
                .iter()
                .any(|text| text.contains(&squeeze(sentence)));
            assert!(stands, "`{sentence}` stands nowhere in the evidence");
        }
    }
}

#[tokio::test]
async fn real_articles_become_drafts_that_pass_the_real_check() {
    let cases = [
        (
            "article.zh.md",
            "把这篇文章整理成一篇 500 字左右的简报，快点。",
            "## 要点",
            "## 参考资料",
            430..=500,
        ),
        (
            "article.en.md",
            "Turn this article into a brief of about 300 words, quickly.",
            "## Key points",
            "## Sources",
            250..=300,
        ),
    ];
    for (name, words, points, sources, length) in cases {
        let article = std::fs::read_to_string(example(name)).unwrap();
        let check = json!({"min_characters": 100, "max_characters": 5000});
        let (draft, references, verdict) = run(words, &article, check).await;
        assert_eq!(verdict["issues"], json!([]), "{draft}");
        assert_eq!(verdict["passed"], json!(true));
        assert_rests_on(&draft, &article, &references);
        for expected in [article.lines().next().unwrap(), points, sources] {
            assert!(
                draft.lines().any(|line| line == expected),
                "`{expected}` is missing:\n{draft}"
            );
        }
        for reference in references.as_array().unwrap() {
            assert!(
                draft.contains(reference["source"].as_str().unwrap()),
                "{draft}"
            );
        }
        let count = steadfast::skill::builtin::count_words(&draft);
        assert!(length.contains(&count), "{count} words:\n{draft}");
    }
}

/// A check that wants more than the first draft has is satisfied by mending.
#[tokio::test]
async fn a_failed_check_is_mended_until_it_passes() {
    let article = std::fs::read_to_string(example("article.zh.md")).unwrap();
    let rules =
        json!({"required_sections": ["结论"], "min_characters": 900, "max_characters": 1000});
    let (mut draft, references, mut verdict) = run("整理成简报", &article, rules.clone()).await;
    assert_eq!(verdict["passed"], json!(false));
    let check = builtin("format_check", rules, &example(""));
    let input = builtin("compose", Value::Null, &example(""))
        .spec()
        .input
        .clone();
    for round in 0..2 {
        if verdict["passed"] == json!(true) {
            break;
        }
        let document = format!("<document name=\"article.md\">\n{article}\n</document>");
        let parts = vec![
            part(FragmentKind::Task, "整理成简报"),
            part(FragmentKind::Document, &document),
        ];
        let mut messages = vec![Message::User { parts }];
        let said = envelope("format_check", &verdict, "compose", "3/4");
        messages.extend(exchange(
            &format!("s{round}.0"),
            "format_check",
            &json!({"draft": draft}),
            &said,
        ));
        let tool = Tool {
            name: "compose".into(),
            description: String::new(),
            input: input.clone(),
        };
        let asked = Request {
            tools: vec![tool],
            ..request(messages)
        };
        let args: Value = serde_json::from_str(&Extractive.reply(&asked).calls[0].args).unwrap();
        draft = args["text"].as_str().unwrap().to_owned();
        verdict = check.call(&call(json!({"draft": draft}))).await.unwrap();
    }
    assert_eq!(verdict["issues"], json!([]), "{draft}");
    assert_rests_on(&draft, &article, &references);
}
