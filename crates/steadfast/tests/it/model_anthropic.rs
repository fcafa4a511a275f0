//! The client of the Anthropic Messages API: what it sends, and each outcome by
//! class. Bodies are written after the API's documentation and the shapes of its
//! Python client.

use serde_json::{Value, json};
use steadfast::core::context::{
    EARLIER_STEPS, FragmentKind, Message, Request, RequestCall, ToolChoice,
};
use steadfast::core::event::model::{Finish, ModelFailure, Usage};
use steadfast::core::proposal::{ModelError, Reply, ReplyCall};
use steadfast::model::anthropic::{
    AnswerFormat, Anthropic, KeyHeader, PromptCache, Settings, SystemPlacement, Thinking,
};
use steadfast::model::http::{Key, Secret, Streaming};
use steadfast::model::{Model, Parameters};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::model_request::{exchange, part, request, task, tool};

fn settings(base_url: &str) -> Settings {
    Settings {
        streaming: Streaming::Off,
        cache: PromptCache::Off,
        ..Settings::new(base_url, "claude-test")
    }
}

async fn answering(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let messages = Mock::given(method("POST")).and(path("/v1/messages"));
    messages.respond_with(template).mount(&server).await;
    server
}

async fn call(server: &MockServer) -> Result<Reply, ModelError> {
    let url = format!("{}/v1", server.uri());
    let client = Anthropic::new(settings(&url)).unwrap();
    client.call(&request(vec![task("hi")])).await
}

fn message(content: Value, stop_reason: &str) -> Value {
    json!({
        "id": "msg_01", "type": "message", "role": "assistant", "model": "claude-test-1",
        "content": content, "stop_reason": stop_reason, "stop_sequence": null,
        "usage": {"input_tokens": 7, "output_tokens": 3},
    })
}

async fn reply_to(body: Value) -> Result<Reply, ModelError> {
    call(&answering(ResponseTemplate::new(200).set_body_json(body)).await).await
}

async fn body_sent(change: impl FnOnce(Settings) -> Settings, request: &Request) -> Value {
    let text = json!([{"type": "text", "text": "ok"}]);
    let reply = ResponseTemplate::new(200).set_body_json(message(text, "end_turn"));
    let server = answering(reply).await;
    let settings = change(settings(&format!("{}/v1/", server.uri())));
    let client = Anthropic::new(settings).unwrap();
    client.call(request).await.unwrap();
    serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap()
}

fn system(kind: FragmentKind, text: &str) -> Message {
    Message::System {
        parts: vec![part(kind, text)],
    }
}

fn called(id: &str, args: &str) -> RequestCall {
    RequestCall {
        id: id.into(),
        skill: "search".to_owned(),
        args: args.to_owned(),
    }
}

fn result(id: &str, text: &str) -> Message {
    Message::Tool {
        call: id.into(),
        skill: "search".to_owned(),
        text: text.to_owned(),
    }
}

/// Everything that a request can hold, in an order that the API would refuse.
fn full_request() -> Request {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let mut check = tool("check", Value::Null);
    check.description = "Checks the draft.".to_owned();
    Request {
        messages: vec![
            system(FragmentKind::Policy, "You write."),
            system(FragmentKind::Contract, "STEP_1: search"),
            task("写报告"),
            Message::User {
                parts: vec![part(FragmentKind::Document, "<document>…</document>")],
            },
            Message::Assistant {
                text: Some("Searching.".to_owned()),
                calls: vec![called("m1.0", r#"{"q": "护栏"}"#)],
            },
            Message::Assistant {
                text: Some(" \n".to_owned()),
                calls: vec![called("m1.1", r#"{"q": "#)],
            },
            result("m1.0", "found"),
            system(FragmentKind::Notice, "Between the results."),
            result("m1.1", ""),
            system(FragmentKind::Notice, "S2 is due."),
        ],
        tools: vec![tool("search", schema), check],
        tool_choice: ToolChoice::Auto,
        output_tokens_max: 512,
        answer_schema: json!({"type": "object", "properties": {"list": {"type": "array",
            "items": {"type": "object", "additionalProperties": true}}}}),
    }
}

#[tokio::test]
async fn the_whole_request_goes_over_the_wire() {
    let body = body_sent(|settings| settings, &full_request()).await;
    let text = |text: &str| json!({"type": "text", "text": text});
    let expected = json!({
        "model": "claude-test",
        "max_tokens": 512,
        "system": [text("You write."), text("STEP_1: search")],
        "messages": [
            {"role": "user", "content": [text("写报告"), text("<document>…</document>")]},
            {"role": "assistant", "content": [
                text("Searching."),
                {"type": "tool_use", "id": "m1_0", "name": "search", "input": {"q": "护栏"}},
                {"type": "tool_use", "id": "m1_1", "name": "search",
                 "input": {"malformed_arguments": "{\"q\": "}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "m1_0", "content": "found"},
                {"type": "tool_result", "tool_use_id": "m1_1"},
                text("Between the results."),
                text("S2 is due."),
            ]},
        ],
        "tools": [
            {"name": "search", "input_schema":
                {"type": "object", "properties": {"q": {"type": "string"}}}},
            {"name": "check", "description": "Checks the draft.", "input_schema": {"type": "object"}},
        ],
        "tool_choice": {"type": "auto"},
        "output_config": {"format": {"type": "json_schema", "schema": {
            "type": "object", "additionalProperties": false, "properties": {"list": {
                "type": "array", "items": {"type": "object", "additionalProperties": true}}}}}},
        "stream": false,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn settings_change_the_request() {
    let change = |settings| Settings {
        streaming: Streaming::On,
        system: SystemPlacement::First,
        answer_format: AnswerFormat::Off,
        thinking: Thinking::Adaptive,
        cache: PromptCache::Prefix,
        parameters: Parameters {
            temperature: Some(1.0),
            top_p: Some(0.5),
            reasoning_effort: Some("low".to_owned()),
            extra: [("top_k".to_owned(), json!(5))].into(),
            ..Parameters::default()
        },
        ..settings
    };
    let full = full_request();
    let messages = [&full.messages[0], &full.messages[2], &full.messages[9]];
    let plain = Request {
        messages: messages.into_iter().cloned().collect(),
        tools: Vec::new(),
        ..full
    };
    let mark = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "claude-test",
        "max_tokens": 512,
        "system": [
            {"type": "text", "text": "You write."},
            {"type": "text", "text": "S2 is due.", "cache_control": mark},
        ],
        "messages": [{"role": "user", "content":
            [{"type": "text", "text": "写报告", "cache_control": mark}]}],
        "thinking": {"type": "adaptive"},
        "output_config": {"effort": "low"},
        "temperature": 1.0,
        "top_p": 0.5,
        "top_k": 5,
        "stream": true,
    });
    assert_eq!(body_sent(change, &plain).await, expected);
}

/// The records of earlier steps end a stretch that stays; those that stand behind
/// the steps change from call to call and are not marked.
#[tokio::test]
async fn the_records_of_earlier_steps_end_a_stretch_that_is_kept() {
    let cached = |settings| Settings {
        cache: PromptCache::Prefix,
        ..settings
    };
    let earlier = |id: &str| {
        let skill = EARLIER_STEPS.to_owned();
        let asked = RequestCall {
            id: id.into(),
            skill: skill.clone(),
            args: "{}".to_owned(),
        };
        let shown = Message::Tool {
            call: id.into(),
            skill,
            text: "[step 1 in A] look".to_owned(),
        };
        let asked = Message::Assistant {
            text: None,
            calls: vec![asked],
        };
        [asked, shown]
    };
    let mut long = full_request();
    long.messages.splice(3..3, earlier("archive"));
    long.messages.extend(earlier("archive_now"));
    let body = body_sent(cached, &long).await;
    let turns = body["messages"].as_array().unwrap().iter();
    let blocks = turns.flat_map(|turn| turn["content"].as_array().unwrap());
    let marked = blocks.filter(|block| !block["cache_control"].is_null());
    let marked: Vec<&Value> = marked
        .filter_map(|block| block.get("tool_use_id"))
        .collect();
    assert_eq!(marked, ["archive"]);
}

#[tokio::test]
async fn a_required_call_asks_for_neither_an_answer_nor_thinking() {
    let thinking = |settings| Settings {
        thinking: Thinking::Adaptive,
        ..settings
    };
    let required = Request {
        tool_choice: ToolChoice::Required,
        ..full_request()
    };
    let body = body_sent(thinking, &required).await;
    assert_eq!(
        (
            &body["tool_choice"],
            &body["thinking"],
            &body["output_config"]
        ),
        (&json!({"type": "any"}), &Value::Null, &Value::Null)
    );
}

/// A budget of thinking is refused while a call is worked on without the blocks
/// that came before it, and beyond the reply's own room.
#[tokio::test]
async fn a_budget_of_thinking_is_sent_where_the_api_takes_it() {
    let thinking = async |messages: Vec<Message>, room: u32| {
        let budget = |settings| Settings {
            thinking: Thinking::Budget(4_000),
            ..settings
        };
        let request = Request {
            output_tokens_max: room,
            ..request(messages)
        };
        body_sent(budget, &request).await["thinking"].clone()
    };
    let enabled = |tokens: u32| json!({"type": "enabled", "budget_tokens": tokens});
    assert_eq!(thinking(vec![task("hi")], 9_000).await, enabled(4_000));
    assert_eq!(thinking(vec![task("hi")], 3_000).await, enabled(1_500));
    assert_eq!(thinking(vec![task("hi")], 2_000).await, Value::Null);
    let mut inside = vec![task("hi")];
    inside.extend(exchange("m1.0", "s", &json!({}), "done"));
    assert_eq!(thinking(inside, 9_000).await, Value::Null);
}

#[tokio::test]
async fn a_conversation_with_calls_defines_its_tools() {
    let mut messages = vec![task("hi")];
    messages.extend(exchange("m1.0", "search", &json!({}), "done"));
    let body = body_sent(|settings| settings, &request(messages)).await;
    let any = json!([{"name": "search", "input_schema": {"type": "object"}}]);
    assert_eq!(body["tools"], any);
    assert_eq!(body["tool_choice"], json!({"type": "none"}));
}

#[tokio::test]
async fn where_only_the_system_speaks_its_last_words_are_asked() {
    let messages = vec![
        system(FragmentKind::Policy, "You write."),
        system(FragmentKind::Notice, "Write."),
    ];
    let body = body_sent(|settings| settings, &request(messages)).await;
    let text = |text: &str| json!([{"type": "text", "text": text}]);
    assert_eq!(body["system"], text("You write."));
    assert_eq!(
        body["messages"],
        json!([{"role": "user", "content": text("Write.")}])
    );
}

#[tokio::test]
async fn the_key_the_version_and_the_headers_are_sent() {
    let text = json!([{"type": "text", "text": "ok"}]);
    let reply = ResponseTemplate::new(200).set_body_json(message(text, "end_turn"));
    let server = answering(reply).await;
    let keyed = |key_header| Settings {
        key: Some(Key {
            variable: "K".to_owned(),
            value: Secret::new("K", "sk-1"),
        }),
        key_header,
        headers: vec![(
            "anthropic-beta".to_owned(),
            Secret::new("anthropic-beta", "b-1"),
        )],
        ..settings(&format!("{}/v1", server.uri()))
    };
    for header in [KeyHeader::XApiKey, KeyHeader::Bearer] {
        let client = Anthropic::new(keyed(header)).unwrap();
        client.call(&request(vec![task("hi")])).await.unwrap();
    }
    let sent = server.received_requests().await.unwrap();
    assert_eq!(sent[0].headers["x-api-key"], "sk-1");
    assert_eq!(sent[0].headers["anthropic-version"], "2023-06-01");
    assert_eq!(sent[0].headers["anthropic-beta"], "b-1");
    assert_eq!(sent[1].headers["authorization"], "Bearer sk-1");
    assert!(!sent[1].headers.contains_key("x-api-key"));
}

#[tokio::test]
async fn a_whole_reply_is_read_and_what_has_no_place_is_kept() {
    let mut body = message(
        json!([
            {"type": "thinking", "thinking": "hm", "signature": "sig=="},
            {"type": "text", "text": "护栏", "citations": null},
            {"type": "tool_use", "id": "toolu_1", "name": "s", "input": {"q": 1}},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "text", "text": " rail"},
            {"type": "tool_use", "id": "toolu_2", "name": "t", "input": {}},
        ]),
        "tool_use",
    );
    let usage = json!({"input_tokens": 10, "cache_creation_input_tokens": 200,
        "cache_read_input_tokens": 3000, "output_tokens": 5, "service_tier": "standard"});
    body["usage"] = usage.clone();
    let call = |id: &str, skill: &str, args: &str| ReplyCall {
        id: id.to_owned(),
        skill: skill.to_owned(),
        args: args.to_owned(),
    };
    let expected = Reply {
        model: "claude-test-1".to_owned(),
        text: Some("护栏 rail".to_owned()),
        calls: vec![
            call("toolu_1", "s", "{\"q\":1}"),
            call("toolu_2", "t", "{}"),
        ],
        finish: Finish::ToolCalls,
        usage: Some(Usage {
            input_tokens: 3_210,
            output_tokens: 5,
            cached_input_tokens: 3_000,
        }),
        extra: json!({
            "id": "msg_01",
            "blocks": [
                {"type": "thinking", "thinking": "hm", "signature": "sig=="},
                {"type": "redacted_thinking", "data": "x"},
            ],
            "usage": usage,
        }),
    };
    assert_eq!(reply_to(body).await, Ok(expected));
}

/// A cut answer and an empty one are two things (R84).
#[tokio::test]
async fn r84_stop_reasons_become_words_of_ours() {
    let finish = async |content: Value, reason: &str| {
        let reply = reply_to(message(content, reason)).await.unwrap();
        (reply.text, reply.calls.len(), reply.finish)
    };
    let text = || json!([{"type": "text", "text": "a"}]);
    let calls = || json!([{"type": "tool_use", "id": "1", "name": "s", "input": {}}]);
    let some = || Some("a".to_owned());
    assert_eq!(finish(text(), "end_turn").await, (some(), 0, Finish::Stop));
    assert_eq!(
        finish(text(), "stop_sequence").await,
        (some(), 0, Finish::Stop)
    );
    assert_eq!(
        finish(text(), "max_tokens").await,
        (some(), 0, Finish::Length)
    );
    assert_eq!(
        finish(text(), "model_context_window_exceeded").await,
        (some(), 0, Finish::Length)
    );
    assert_eq!(
        finish(calls(), "tool_use").await,
        (None, 1, Finish::ToolCalls)
    );
    assert_eq!(
        finish(calls(), "end_turn").await,
        (None, 1, Finish::ToolCalls)
    );
    assert_eq!(
        finish(calls(), "max_tokens").await,
        (None, 1, Finish::Length)
    );
    assert_eq!(finish(json!([]), "end_turn").await, (None, 0, Finish::Stop));
    assert_eq!(finish(text(), "novel").await, (some(), 0, Finish::Other));
}

#[tokio::test]
async fn a_refusal_is_withheld_and_kept() {
    let content = json!([
        {"type": "text", "text": "I will not"},
        {"type": "tool_use", "id": "1", "name": "s", "input": {}},
    ]);
    let reply = reply_to(message(content, "refusal")).await.unwrap();
    assert_eq!(
        (reply.text, reply.calls, reply.finish),
        (None, vec![], Finish::ContentFilter)
    );
    assert_eq!(reply.extra["refusal"], "I will not");
}

#[tokio::test]
async fn a_turn_that_was_broken_off_is_no_answer() {
    let content = json!([{"type": "text", "text": "so far"}]);
    let expected = ModelError::new(
        ModelFailure::Malformed,
        "the provider broke the turn off (`pause_turn`)",
    );
    assert_eq!(
        reply_to(message(content, "pause_turn")).await,
        Err(expected)
    );
}

#[tokio::test]
async fn r87_a_reply_without_an_end_is_malformed() {
    let mut body = message(json!([{"type": "text", "text": "half"}]), "end_turn");
    body["stop_reason"] = Value::Null;
    let malformed = |message: &str| Err(ModelError::new(ModelFailure::Malformed, message));
    assert_eq!(
        reply_to(body).await,
        malformed("the reply ended without a stop reason")
    );
    assert_eq!(
        reply_to(json!({"stop_reason": "end_turn"})).await,
        malformed("the reply has no content")
    );
    let page = answering(ResponseTemplate::new(200).set_body_string("<html>")).await;
    assert_eq!(
        call(&page).await.unwrap_err().class,
        ModelFailure::Malformed
    );
}

#[tokio::test]
async fn refusing_statuses_fail_by_class() {
    let cases = [
        (400, "invalid_request_error", ModelFailure::Rejected),
        (401, "authentication_error", ModelFailure::Rejected),
        (402, "billing_error", ModelFailure::Quota),
        (403, "permission_error", ModelFailure::Rejected),
        (404, "not_found_error", ModelFailure::Rejected),
        (413, "request_too_large", ModelFailure::Rejected),
        (500, "api_error", ModelFailure::Provider),
        (504, "timeout_error", ModelFailure::Provider),
        (529, "overloaded_error", ModelFailure::Provider),
    ];
    for (status, kind, class) in cases {
        let body = json!({"type": "error", "error": {"type": kind, "message": "no"},
            "request_id": "req_1"});
        let template = ResponseTemplate::new(status).set_body_json(body);
        let expected = ModelError::new(class, format!("the provider answered {status}: no"));
        assert_eq!(call(&answering(template).await).await, Err(expected));
    }
}

#[tokio::test]
async fn a_rate_limit_says_how_long_and_an_empty_account_is_none() {
    let limited = |details: Value| {
        let error = json!({"type": "rate_limit_error", "message": "slow down", "details": details});
        ResponseTemplate::new(429)
            .insert_header("retry-after", "12")
            .set_body_json(json!({"type": "error", "error": error}))
    };
    let expected = |class| ModelError {
        class,
        message: "the provider answered 429: slow down".to_owned(),
        retry_after_ms: Some(12_000),
    };
    let plain = call(&answering(limited(Value::Null)).await).await;
    assert_eq!(plain, Err(expected(ModelFailure::RateLimited)));
    let spent = limited(json!({"error_code": "enforced_spend_limit_reached"}));
    let spent = call(&answering(spent).await).await;
    assert_eq!(spent, Err(expected(ModelFailure::Quota)));
}

#[tokio::test]
async fn no_message_shows_the_key() {
    let body = json!({"type": "error", "error":
        {"type": "authentication_error", "message": "invalid x-api-key sk-secret-1"}});
    let server = answering(ResponseTemplate::new(401).set_body_json(body)).await;
    let client = Anthropic::new(Settings {
        key: Some(Key {
            variable: "K".to_owned(),
            value: Secret::new("K", "sk-secret-1"),
        }),
        ..settings(&format!("{}/v1", server.uri()))
    })
    .unwrap();
    let error = client.call(&request(vec![task("hi")])).await.unwrap_err();
    assert_eq!(
        error.message,
        "the provider answered 401: invalid x-api-key [secret:K]"
    );
    assert!(!format!("{client:?}").contains("sk-secret-1"));
}

#[test]
fn parameters_that_cannot_be_sent_are_named() {
    let message = |parameters| {
        let settings = Settings {
            parameters,
            ..settings("http://localhost/v1")
        };
        Anthropic::new(settings).unwrap_err().to_string()
    };
    let seeded = Parameters {
        seed: Some(7),
        ..Parameters::default()
    };
    assert_eq!(
        message(seeded),
        "parameter `seed` cannot be sent to an Anthropic endpoint"
    );
    let extra = Parameters {
        extra: [("messages".to_owned(), json!([]))].into(),
        ..Parameters::default()
    };
    assert_eq!(
        message(extra),
        "parameter `messages` cannot be sent to an Anthropic endpoint"
    );
}
