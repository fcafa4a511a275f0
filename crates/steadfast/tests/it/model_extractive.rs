//! The extractive writer over whole requests, in Chinese, English and both.

use expect_test::{Expect, expect};
use serde_json::{Value, json};
use steadfast::core::context::{FragmentKind, Message, Request, Tool, ToolChoice};
use steadfast::core::event::model::Finish;
use steadfast::core::proposal::Reply;
use steadfast::model::extractive::sentences;
use steadfast::model::{Extractive, Model};

use crate::model_request::{envelope, exchange, part, request, task, tool};

const CHINESE: &str = "# 三道护栏

工作流的可靠性问题本质上不是模型能力问题，而是执行一致性问题。模型在长输入下会漏调技能。
第一道护栏把技能调用从建议变成契约。契约用步骤编号写明输入和输出。

- 第二道护栏用状态机管住执行顺序。
- 第三道护栏让持续集成成为工作流的守门人。

```json
{\"skill\": \"format_check\"}
```

状态机把顺序错乱率从 15% 降到接近 0。代价是灵活性下降。今天天气很好。护栏是渐进的，不是一次到位的。
";

const ENGLISH: &str = "# Three guard rails

Reliability of a workflow is not a matter of model strength. It is a matter of consistent execution.
The first guard rail turns advice into a contract. The contract numbers each step, e.g. STEP_1.
The second guard rail is a state machine that orders every call. The weather was fine.

The third guard rail runs in continuous integration. Dr. Lee measured 30 % of skipped calls before it.
";

fn with_document(words: &str, name: &str, text: &str) -> Message {
    let fenced = format!("<document name=\"{name}\">\n{text}</document>");
    Message::User {
        parts: vec![
            part(FragmentKind::Task, words),
            part(FragmentKind::Document, &fenced),
        ],
    }
}

fn string_port(name: &str) -> Value {
    json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}}})
}

fn keywords_port() -> Value {
    json!({"type": "object", "required": ["keywords"], "properties": {
        "keywords": {"anyOf": [
            {"type": "array", "items": {"type": "string"}, "minItems": 1},
            {"type": "string"},
        ]},
        "count": {"type": "integer", "default": 5},
    }})
}

fn offering(messages: &[Message], tools: &[Tool]) -> Request {
    Request {
        tools: tools.to_vec(),
        tool_choice: ToolChoice::Required,
        ..request(messages.to_vec())
    }
}

fn reply(request: &Request) -> Reply {
    let reply = Extractive.reply(request);
    assert_eq!(
        reply,
        Extractive.reply(request),
        "the same request gives the same reply"
    );
    assert_eq!(reply.model, "extractive/1");
    let usage = reply.usage.unwrap();
    assert!(usage.output_tokens > 0 && usage.input_tokens > 0);
    reply
}

fn called(request: &Request) -> (String, Value) {
    let reply = reply(request);
    assert_eq!((reply.calls.len(), reply.finish), (1, Finish::ToolCalls));
    let args = serde_json::from_str(&reply.calls[0].args).unwrap();
    (reply.calls[0].skill.clone(), args)
}

/// Sentences of a draft: its text without title, headings, marks and sources.
fn written(draft: &str) -> Vec<String> {
    let body = draft
        .split("## 参考资料")
        .next()
        .unwrap()
        .split("## Sources")
        .next()
        .unwrap();
    let lines = body.lines().filter(|line| !line.starts_with('#'));
    let bare = |line: &str| {
        let line = line.trim_start_matches("- ");
        let cited = line
            .rsplit_once("（来源")
            .or_else(|| line.rsplit_once(" (source"));
        cited.map_or(line, |(text, _)| text).to_owned()
    };
    lines
        .map(bare)
        .flat_map(|line| {
            sentences::split(&line)
                .into_iter()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Which sentences are chosen rests on the dictionary of Chinese words.
fn assert_written(expected: Expect, text: &str) {
    if cfg!(feature = "builtin-skills") {
        expected.assert_eq(text);
    }
}

fn assert_verbatim(draft: &str, evidence: &[&str]) {
    let written = written(draft);
    assert!(!written.is_empty(), "nothing was written:\n{draft}");
    for sentence in written {
        let stands = evidence.iter().any(|text| text.contains(&sentence));
        assert!(stands, "`{sentence}` stands nowhere in the evidence");
    }
}

#[test]
fn a_whole_pipeline_is_worked_through() {
    let start = with_document("请把这篇文章整理成一篇要点报告。", "article.md", CHINESE);
    let mut messages = vec![start];

    let extract = tool("extract_keywords", string_port("input"));
    let (skill, args) = called(&offering(&messages, &[extract]));
    assert_eq!(
        (skill.as_str(), &args),
        ("extract_keywords", &json!({"input": CHINESE.trim()}))
    );

    let keywords = json!({"keywords": ["护栏", "状态机", "契约"]});
    messages.extend(exchange(
        "s1",
        &skill,
        &args,
        &envelope(&skill, &keywords, "search_knowledge", "1/4"),
    ));
    let search = tool("search_knowledge", keywords_port());
    let (skill, args) = called(&offering(&messages, &[search]));
    assert_eq!(
        (skill.as_str(), &args),
        (
            "search_knowledge",
            &json!({"keywords": ["护栏", "状态机", "契约"]})
        )
    );

    let excerpt = "重试次数用尽后，运行以失败结束。状态机卡死多半因为没有定义失败的去向。";
    let found =
        json!({"references": [{"source": "kb/retry.md", "title": "重试", "excerpt": excerpt}]});
    messages.extend(exchange(
        "s2",
        &skill,
        &args,
        &envelope(&skill, &found, "compose", "2/4"),
    ));
    let compose = tool("compose", string_port("text"));
    let (skill, args) = called(&offering(&messages, std::slice::from_ref(&compose)));
    let draft = args["text"].as_str().unwrap().to_owned();
    assert_verbatim(&draft, &[CHINESE, excerpt]);
    assert_written(
        expect![[r#"
        # 三道护栏

        ## 摘要

        模型在长输入下会漏调技能。第一道护栏把技能调用从建议变成契约。第二道护栏用状态机管住执行顺序。

        ## 要点

        - 工作流的可靠性问题本质上不是模型能力问题，而是执行一致性问题。
        - 契约用步骤编号写明输入和输出。
        - 第三道护栏让持续集成成为工作流的守门人。
        - 状态机把顺序错乱率从 15% 降到接近 0。
        - 重试次数用尽后，运行以失败结束。（来源 1）
        - 状态机卡死多半因为没有定义失败的去向。（来源 1）

        ## 参考资料

        1. kb/retry.md
    "#]],
        &draft,
    );

    // The same bytes go to the check.
    let handed_in = json!({"draft": draft, "words": 10});
    messages.extend(exchange(
        "s3",
        &skill,
        &args,
        &envelope(&skill, &handed_in, "format_check", "3/4"),
    ));
    let check = tool("format_check", string_port("draft"));
    let (skill, args) = called(&offering(&messages, &[check]));
    assert_eq!(
        (skill.as_str(), &args),
        ("format_check", &json!({"draft": draft}))
    );

    // A check that fails is answered by a draft without what it named.
    let line = draft
        .lines()
        .position(|line| line.starts_with("- "))
        .unwrap()
        + 1;
    let issue = json!({"rule": "forbidden-phrase", "line": line, "message": "not this"});
    let failed = json!({"passed": false, "issues": [issue]});
    let mut again = messages.clone();
    again.extend(exchange(
        "s4",
        &skill,
        &args,
        &envelope(&skill, &failed, "compose", "3/4"),
    ));
    let (_, mended) = called(&offering(&again, &[compose]));
    let without: Vec<&str> = draft
        .lines()
        .enumerate()
        .filter(|(at, _)| at + 1 != line)
        .map(|(_, line)| line)
        .collect();
    assert_eq!(
        mended["text"].as_str().unwrap(),
        format!("{}\n", without.join("\n"))
    );

    // A check that passed is followed by an answer of those very bytes.
    messages.extend(exchange(
        "s4",
        &skill,
        &args,
        &envelope(&skill, &json!({"passed": true}), "", "4/4"),
    ));
    assert_eq!(reply(&request(messages)).text, Some(draft));
}

#[test]
fn an_english_answer_without_any_skill() {
    let start = with_document(
        "Summarise the article in at most 60 words.",
        "rails.md",
        ENGLISH,
    );
    let text = reply(&request(vec![start])).text.unwrap();
    assert_verbatim(&text, &[ENGLISH]);
    assert!(text.split_whitespace().count() <= 60, "{text}");
    assert_written(
        expect![[r#"
        # Three guard rails

        Reliability of a workflow is not a matter of model strength. It is a matter of consistent execution. The first guard rail turns advice into a contract. The contract numbers each step, e.g. STEP_1. The second guard rail is a state machine that orders every call. The third guard rail runs in continuous integration.
    "#]],
        &text,
    );
}

#[test]
fn mixed_evidence_is_quoted_as_it_stands() {
    let text = "# MiMo V2.6 笔记\n\nMiMo V2.6 会跳过 format_check。The gate refuses such an answer. 契约写明了每一步。Nothing is skipped any more.\n";
    let start = with_document("整理笔记", "notes.md", text);
    let answer = reply(&request(vec![start])).text.unwrap();
    assert_verbatim(&answer, &[text]);
    assert!(
        answer.starts_with("# MiMo V2.6 笔记\n\n## Summary\n"),
        "{answer}"
    );
}

#[test]
fn a_task_without_documents_is_its_own_evidence() {
    let words = "快速处理一下这段文字，不用太复杂：护栏有三道。第一道是契约。";
    let answer = reply(&request(vec![task(words)])).text.unwrap();
    assert_verbatim(&answer, &[words]);
}

#[test]
fn a_length_that_is_asked_for_is_kept() {
    // Eighty sentences that differ in more than a number.
    let characters: Vec<char> = ('\u{4e00}'..'\u{4f00}').collect();
    let long: String = characters
        .chunks(3)
        .map(|name| {
            format!(
                "名为{}的规则规定了步骤必须先通过检查。",
                name.iter().collect::<String>()
            )
        })
        .collect();
    let draft = |words: &str| {
        reply(&request(vec![with_document(words, "a.md", &long)]))
            .text
            .unwrap()
    };
    let count = |text: &str| text.chars().filter(|c| !c.is_ascii()).count();
    let short = draft("写一篇 200 字以内的摘要");
    assert!(
        (100..=200).contains(&count(&short)),
        "{} characters",
        count(&short)
    );
    let about = draft("写一篇约 800 字的报告");
    assert!(
        (700..=800).contains(&count(&about)),
        "{} characters",
        count(&about)
    );
    let least = draft("写一篇不少于 1000 字的报告");
    assert!(
        (990..1100).contains(&count(&least)),
        "{} characters",
        count(&least)
    );
}

#[test]
fn arguments_come_from_names_roles_task_and_schema_in_this_order() {
    let found =
        json!({"order_id": "A-7", "amount": 900, "hits": [{"source": "a.md", "text": "x"}]});
    let mut messages = vec![task(
        "Refund in english. amount: 300; note = \"late parcel\". Be quick.",
    )];
    messages.extend(exchange(
        "s1",
        "look_up",
        &json!({}),
        &envelope("look_up", &found, "refund", "1/2"),
    ));
    let schema = json!({
        "type": "object",
        "required": ["order_id", "amount", "note", "mode", "tone", "attempts", "dry_run", "items", "to"],
        "properties": {
            "order_id": {"type": "string"},
            // The result's 900 does not fit, the task's 300 does.
            "amount": {"type": "integer", "maximum": 500},
            "note": {"type": "string"},
            "mode": {"enum": ["slow", "quick"]},
            "tone": {"enum": ["warm", "cold"], "default": "cold"},
            "attempts": {"type": "integer", "minimum": 2},
            "dry_run": {"type": "boolean"},
            "items": {"type": "array", "items": {"$ref": "#/$defs/hit"}},
            "to": {"type": "object", "required": ["order_id"], "properties": {"order_id": {"type": "string"}}},
            "language": {"enum": ["zh-CN", "en-US"]},
            "sources": {"type": "array", "items": {"type": "string"}},
            "unheard_of": {"type": "string", "default": "x"},
        },
        "$defs": {"hit": {"type": "object", "required": ["source"]}},
    });
    let (_, args) = called(&offering(&messages, &[tool("refund", schema)]));
    let expected = json!({
        "order_id": "A-7",
        "amount": 300,
        "note": "late parcel",
        "mode": "quick",
        "tone": "cold",
        "attempts": 2,
        "dry_run": false,
        "items": [{"source": "a.md", "text": "x"}],
        "to": {"order_id": "A-7"},
        "language": "en-US",
        "sources": ["a.md"],
    });
    assert_eq!(args, expected);
}

/// With the full list on offer, what is due is read from the relay, from a
/// refusal, or from the notice.
#[test]
fn what_is_due_is_called_first() {
    let tools = ["format_check", "search", "extract"].map(|name| tool(name, string_port("text")));
    let first = |messages: &[Message]| called(&offering(messages, &tools)).0;
    let start = task("Go.");
    assert_eq!(first(std::slice::from_ref(&start)), "format_check");
    let notice = part(
        FragmentKind::Notice,
        "You are in S1; only extract may be called now.",
    );
    assert_eq!(
        first(&[
            start.clone(),
            Message::System {
                parts: vec![notice]
            }
        ]),
        "extract"
    );
    let [call, result] = exchange(
        "s1",
        "extract",
        &json!({}),
        &envelope("extract", &json!([]), "search", "1/3"),
    );
    assert_eq!(first(&[start.clone(), call, result]), "search");
    let refusal = json!({"refused": "out of order", "due": ["extract"]}).to_string();
    let [call, result] = exchange("s1", "search", &json!({}), &refusal);
    assert_eq!(first(&[start.clone(), call, result]), "extract");
    let refused = part(
        FragmentKind::Step,
        "Refused (G0007): too early. Due now: search, extract.",
    );
    assert_eq!(
        first(&[
            start.clone(),
            Message::User {
                parts: vec![refused]
            }
        ]),
        "search"
    );
    // The whole list is on offer and the contract is complete.
    let complete = part(
        FragmentKind::Notice,
        "契约的全部步骤已完成：现在给出最终答案。",
    );
    let free = Request {
        tool_choice: ToolChoice::Auto,
        ..offering(
            &[
                start,
                Message::User {
                    parts: vec![complete],
                },
            ],
            &tools,
        )
    };
    assert_eq!(reply(&free).calls, []);
}

#[test]
fn an_optional_argument_that_was_refused_is_left_out() {
    let schema = json!({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string"}, "title": {"type": "string"},
    }});
    let tools = [tool("extract", schema)];
    let mut messages = vec![task("Guard rails.")];
    let (_, args) = called(&offering(&messages, &tools));
    assert_eq!(
        args,
        json!({"text": "Guard rails.", "title": "Guard rails"})
    );
    let refusal =
        json!({"refused": "bad arguments", "reasons": ["/title: not one of ours"]}).to_string();
    messages.extend(exchange("s1", "extract", &args, &refusal));
    assert_eq!(
        called(&offering(&messages, &tools)).1,
        json!({"text": "Guard rails."})
    );
}

#[test]
fn an_answer_by_schema_is_json() {
    let schema = json!({"type": "object", "required": ["title", "points"], "properties": {
        "title": {"type": "string"}, "points": {"type": "array", "items": {"type": "string"}},
    }});
    let asked = Request {
        answer_schema: schema,
        ..request(vec![with_document("整理", "a.md", CHINESE)])
    };
    let answer: Value = serde_json::from_str(&reply(&asked).text.unwrap()).unwrap();
    assert_eq!(answer["title"], "三道护栏");
    let points: Vec<&str> = answer["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| point.as_str().unwrap())
        .collect();
    assert!(
        points.len() > 3 && points.iter().all(|point| CHINESE.contains(point)),
        "{points:?}"
    );
}

#[tokio::test]
async fn it_is_a_model_like_any_other() {
    let asked = request(vec![with_document("整理", "a.md", CHINESE)]);
    assert_eq!(Extractive.name(), "extractive/1");
    assert_eq!(Extractive.call(&asked).await, Ok(reply(&asked)));
    let none = Request {
        tool_choice: ToolChoice::None,
        ..offering(&asked.messages, &[tool("a", Value::Null)])
    };
    assert_eq!(reply(&none).calls, []);
}
