//! The OpenAI-compatible client: what it sends, and each outcome by class.

use std::time::Duration;

use serde_json::{Value, json};
use steadfast::core::context::{FragmentKind, Message, Request, RequestCall, ToolChoice};
use steadfast::core::event::model::{Finish, ModelFailure, Usage};
use steadfast::core::proposal::{ModelError, Reply, ReplyCall};
use steadfast::model::openai::{
    AnswerFormat, CallIds, Key, MaxTokensField, OpenAi, Secret, Settings, Streaming,
    SystemPlacement,
};
use steadfast::model::{Model, Parameters};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::model_loopback::{Act, serve};
use crate::model_request::{part, request, task, tool};

fn settings(base_url: &str) -> Settings {
    Settings {
        streaming: Streaming::Off,
        ..Settings::new(base_url, "test-model")
    }
}

async fn answering(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let completions = Mock::given(method("POST")).and(path("/v1/chat/completions"));
    completions.respond_with(template).mount(&server).await;
    server
}

async fn call(server: &MockServer) -> Result<Reply, ModelError> {
    let url = format!("{}/v1", server.uri());
    OpenAi::new(settings(&url))
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
}

fn completion(message: &Value, finish_reason: &str) -> Value {
    json!({"model": "m-1", "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}]})
}

async fn reply_to(body: Value) -> Result<Reply, ModelError> {
    call(&answering(ResponseTemplate::new(200).set_body_json(body)).await).await
}

/// Everything that a request can hold.
fn full_request() -> Request {
    let search = RequestCall {
        id: "m1.0".into(),
        skill: "search".to_owned(),
        args: r#"{"q": "护栏"}"#.to_owned(),
    };
    let broken = RequestCall {
        id: "m1.1".into(),
        skill: "search".to_owned(),
        args: r#"{"q": "#.to_owned(),
    };
    let result = |call: &str, text: &str| Message::Tool {
        call: call.into(),
        skill: "search".to_owned(),
        text: text.to_owned(),
    };
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    let mut check = tool("check", Value::Null);
    check.description = "Checks the draft.".to_owned();
    Request {
        messages: vec![
            Message::System {
                parts: vec![
                    part(FragmentKind::Policy, "You write."),
                    part(FragmentKind::Contract, "STEP_1: search"),
                ],
            },
            Message::User {
                parts: vec![
                    part(FragmentKind::Task, "写报告"),
                    part(FragmentKind::Document, "<document>…</document>"),
                ],
            },
            Message::Assistant {
                text: Some("Searching.".to_owned()),
                calls: vec![search, broken],
            },
            result("m1.0", "found"),
            result("m1.1", "refused"),
            Message::System {
                parts: vec![part(FragmentKind::Notice, "S2 is due.")],
            },
        ],
        tools: vec![tool("search", schema), check],
        tool_choice: ToolChoice::Auto,
        output_tokens_max: 512,
        answer_schema: json!({"type": "object"}),
    }
}

async fn body_sent(change: impl FnOnce(Settings) -> Settings, request: &Request) -> Value {
    let server =
        answering(ResponseTemplate::new(200).set_body_json(completion(&json!({}), "stop"))).await;
    let settings = change(settings(&format!("{}/v1/", server.uri())));
    OpenAi::new(settings).unwrap().call(request).await.unwrap();
    serde_json::from_slice(&server.received_requests().await.unwrap()[0].body).unwrap()
}

#[tokio::test]
async fn the_whole_request_goes_over_the_wire() {
    let body = body_sent(|settings| settings, &full_request()).await;
    let function = |name: &str, arguments: &str| json!({"name": name, "arguments": arguments});
    let expected = json!({
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "You write.\n\nSTEP_1: search"},
            {"role": "user", "content": "写报告\n\n<document>…</document>"},
            {"role": "assistant", "content": "Searching.", "tool_calls": [
                {"id": "m1.0", "type": "function", "function": function("search", "{\"q\": \"护栏\"}")},
                {"id": "m1.1", "type": "function",
                 "function": function("search", "{\"malformed_arguments\":\"{\\\"q\\\": \"}")},
            ]},
            {"role": "tool", "tool_call_id": "m1.0", "content": "found"},
            {"role": "tool", "tool_call_id": "m1.1", "content": "refused"},
            {"role": "system", "content": "S2 is due."},
        ],
        "tools": [
            {"type": "function", "function": {"name": "search",
                "parameters": {"type": "object", "properties": {"q": {"type": "string"}}}}},
            {"type": "function", "function": {"name": "check", "description": "Checks the draft.",
                "parameters": {"type": "object"}}},
        ],
        "tool_choice": "auto",
        "response_format": {"type": "json_schema",
            "json_schema": {"name": "answer", "schema": {"type": "object"}}},
        "max_tokens": 512,
        "stream": false,
    });
    assert_eq!(body, expected);
}

#[tokio::test]
async fn dialects_change_the_request_where_they_differ() {
    let dialect = |settings| Settings {
        streaming: Streaming::On,
        max_tokens: MaxTokensField::MaxCompletionTokens,
        system: SystemPlacement::First,
        answer_format: AnswerFormat::JsonObject,
        ..settings
    };
    let full = full_request();
    let messages = [
        full.messages[5].clone(),
        full.messages[1].clone(),
        full.messages[0].clone(),
    ]
    .to_vec();
    let without_tools = Request {
        messages,
        tools: Vec::new(),
        ..full
    };
    let expected = json!({
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "S2 is due.\n\nYou write.\n\nSTEP_1: search"},
            {"role": "user", "content": "写报告\n\n<document>…</document>"},
        ],
        "response_format": {"type": "json_object"},
        "max_completion_tokens": 512,
        "stream": true,
        "stream_options": {"include_usage": true},
    });
    assert_eq!(body_sent(dialect, &without_tools).await, expected);
}

#[tokio::test]
async fn a_required_call_asks_for_no_answer() {
    let required = Request {
        tool_choice: ToolChoice::Required,
        ..full_request()
    };
    let body = body_sent(|settings| settings, &required).await;
    assert_eq!(
        (&body["tool_choice"], &body["response_format"]),
        (&json!("required"), &Value::Null)
    );
}

#[tokio::test]
async fn the_key_and_the_headers_are_sent_and_a_query_stays() {
    let server =
        answering(ResponseTemplate::new(200).set_body_json(completion(&json!({}), "stop"))).await;
    let key = Key {
        variable: "K".to_owned(),
        value: Secret::new("OPENAI_API_KEY", "sk-1"),
    };
    let headers = vec![("x-title".to_owned(), Secret::new("x-title", "steadfast"))];
    let url = format!("{}/v1?api-version=7", server.uri());
    let client = OpenAi::new(Settings {
        key: Some(key),
        headers,
        ..settings(&url)
    })
    .unwrap();
    client.call(&request(vec![task("hi")])).await.unwrap();
    let sent = &server.received_requests().await.unwrap()[0];
    assert_eq!(sent.headers["authorization"], "Bearer sk-1");
    assert_eq!(sent.headers["x-title"], "steadfast");
    assert_eq!(sent.url.query(), Some("api-version=7"));
}

#[tokio::test]
async fn unknown_fields_of_a_reply_are_kept() {
    let body = json!({
        "id": "c-1",
        "model": "m-1",
        "system_fingerprint": "fp",
        "choices": [{
            "index": 0,
            "logprobs": null,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": null,
                "reasoning_content": "thinking",
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "s", "arguments": "{\"q\":"}},
                    {"type": "function", "function": {"name": "t", "arguments": {"n": 1}}},
                ],
            },
        }],
        "usage": {"prompt_tokens": 7, "completion_tokens": 3, "cached": 2},
    });
    let call = |id: &str, skill: &str, args: &str| ReplyCall {
        id: id.to_owned(),
        skill: skill.to_owned(),
        args: args.to_owned(),
    };
    let expected = Reply {
        model: "m-1".to_owned(),
        text: None,
        // Arguments that are no JSON are passed on: the gate refuses them.
        calls: vec![call("a", "s", "{\"q\":"), call("call_1", "t", "{\"n\":1}")],
        finish: Finish::ToolCalls,
        usage: Some(Usage {
            input_tokens: 7,
            output_tokens: 3,
            cached_input_tokens: 0,
        }),
        extra: json!({
            "id": "c-1",
            "system_fingerprint": "fp",
            "choice": {"index": 0, "logprobs": null},
            "message": {"role": "assistant", "reasoning_content": "thinking"},
            "usage": {"prompt_tokens": 7, "completion_tokens": 3, "cached": 2},
        }),
    };
    assert_eq!(reply_to(body).await, Ok(expected));
}

#[tokio::test]
async fn finish_reasons_become_words_of_ours() {
    let finish = async |message: Value, reason: &str| {
        let reply = reply_to(completion(&message, reason)).await.unwrap();
        (reply.text, reply.finish)
    };
    let text = |text: &str| json!({"content": text});
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        finish(text("cut"), "length").await,
        (some("cut"), Finish::Length)
    );
    assert_eq!(
        finish(text("a"), "content_filter").await,
        (some("a"), Finish::ContentFilter)
    );
    assert_eq!(finish(text("a"), "eos").await, (some("a"), Finish::Other));
    let parts = json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
    assert_eq!(finish(parts, "stop").await, (some("ab"), Finish::Stop));
    let called = json!({"tool_calls": [{"id": "1", "function": {"name": "s", "arguments": ""}}]});
    assert_eq!(finish(called, "stop").await, (None, Finish::ToolCalls));
}

#[tokio::test]
async fn a_refusal_is_withheld_and_kept() {
    let reply = reply_to(completion(
        &json!({"content": null, "refusal": "I can't"}),
        "stop",
    ))
    .await;
    let reply = reply.unwrap();
    assert_eq!((reply.text, reply.finish), (None, Finish::ContentFilter));
    assert_eq!(reply.extra["refusal"], "I can't");
}

#[tokio::test]
async fn r87_a_reply_without_an_end_is_malformed() {
    let mut body = completion(&json!({"content": "half"}), "stop");
    body["choices"][0]["finish_reason"] = Value::Null;
    let malformed = |message: &str| Err(ModelError::new(ModelFailure::Malformed, message));
    assert_eq!(
        reply_to(body).await,
        malformed("the reply ended without a finish reason")
    );
    assert_eq!(
        reply_to(json!({"choices": []})).await,
        malformed("the reply has no choice")
    );
    let page = answering(ResponseTemplate::new(200).set_body_string("<html>")).await;
    assert_eq!(
        call(&page).await.unwrap_err().class,
        ModelFailure::Malformed
    );
}

#[tokio::test]
async fn refusing_statuses_fail_by_class() {
    let error = |message: &str| json!({"error": {"message": message, "code": "x"}});
    let cases = [
        (429, ModelFailure::RateLimited),
        (500, ModelFailure::Provider),
        (529, ModelFailure::Provider),
        (408, ModelFailure::Timeout),
        (400, ModelFailure::Rejected),
        (401, ModelFailure::Rejected),
        (403, ModelFailure::Rejected),
        (404, ModelFailure::Rejected),
        (307, ModelFailure::Rejected),
    ];
    for (status, class) in cases {
        let template = ResponseTemplate::new(status).set_body_json(error("no"));
        let expected = ModelError::new(class, format!("the provider answered {status}: no"));
        assert_eq!(call(&answering(template).await).await, Err(expected));
    }
    let plain = ResponseTemplate::new(503)
        .insert_header("retry-after", "2")
        .set_body_string("busy");
    let expected = ModelError {
        class: ModelFailure::Provider,
        message: "the provider answered 503: busy".to_owned(),
        retry_after_ms: Some(2_000),
    };
    assert_eq!(call(&answering(plain).await).await, Err(expected));
}

#[tokio::test]
async fn an_error_under_a_status_of_success_is_an_error() {
    let failed = reply_to(json!({"error": {"message": "overloaded", "code": 429}})).await;
    let message = "the provider answered 429: overloaded";
    assert_eq!(
        failed,
        Err(ModelError::new(ModelFailure::RateLimited, message))
    );
}

#[tokio::test]
async fn no_message_shows_the_key() {
    let key = Key {
        variable: "K".to_owned(),
        value: Secret::new("OPENAI_API_KEY", "sk-secret-1"),
    };
    let body = json!({"error": {"message": "wrong key sk-secret-1"}});
    let server = answering(ResponseTemplate::new(401).set_body_json(body)).await;
    let url = format!("{}/v1", server.uri());
    let client = OpenAi::new(Settings {
        key: Some(key),
        ..settings(&url)
    })
    .unwrap();
    let error = client.call(&request(vec![task("hi")])).await.unwrap_err();
    assert_eq!(
        error.message,
        "the provider answered 401: wrong key [secret:OPENAI_API_KEY]"
    );
    assert!(!format!("{client:?}").contains("sk-secret-1"));
}

#[tokio::test]
async fn no_connection_is_unreachable() {
    // The port was free a moment ago, and nothing listens on it.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let client = OpenAi::new(settings(&format!("http://127.0.0.1:{port}/v1"))).unwrap();
    let error = client.call(&request(vec![task("hi")])).await.unwrap_err();
    assert_eq!(error.class, ModelFailure::Unreachable);
    assert!(!error.message.contains("127.0.0.1/v1"), "{}", error.message);
}

#[tokio::test]
async fn a_silent_endpoint_is_a_timeout() {
    let url = serve(vec![Act::Pause(Duration::from_secs(5))]).await;
    let mut settings = settings(&url);
    settings.timeouts.whole = Duration::from_millis(100);
    let error = OpenAi::new(settings)
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
        .unwrap_err();
    assert_eq!(error.class, ModelFailure::Timeout);
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let message = |settings| OpenAi::new(settings).unwrap_err().to_string();
    assert_eq!(
        message(settings("localhost:1")),
        "`localhost:1` is not an address of an endpoint"
    );
    assert_eq!(
        message(settings("ftp://a/v1")),
        "`ftp://a/v1` is not an address of an endpoint"
    );
    let key = Some(Key {
        variable: "K".to_owned(),
        value: Secret::new("OPENAI_API_KEY", "a\nb"),
    });
    let url = "http://localhost/v1";
    assert_eq!(
        message(Settings {
            key,
            ..settings(url)
        }),
        "the key in `K` has characters that no header can carry"
    );
    let headers = vec![("bad name".to_owned(), Secret::new("bad name", "x"))];
    assert_eq!(
        message(Settings {
            headers,
            ..settings(url)
        }),
        "header `bad name` cannot be sent"
    );
}

#[tokio::test]
async fn parameters_and_ids_go_as_the_endpoint_takes_them() {
    let change = |settings| Settings {
        call_ids: CallIds::Nine,
        parameters: Parameters {
            temperature: Some(0.0),
            seed: Some(7),
            reasoning_effort: Some("low".to_owned()),
            extra: [("top_k".to_owned(), json!(5))].into(),
            ..Parameters::default()
        },
        ..settings
    };
    let body = body_sent(change, &full_request()).await;
    let names = ["temperature", "top_p", "seed", "reasoning_effort", "top_k"];
    let sent: Vec<&Value> = names.iter().map(|name| &body[*name]).collect();
    assert_eq!(
        sent,
        [
            &json!(0.0),
            &Value::Null,
            &json!(7),
            &json!("low"),
            &json!(5)
        ]
    );
    let messages = &body["messages"];
    let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!((id.len(), &messages[3]["tool_call_id"]), (9, &json!(id)));
    let reserved = Parameters {
        extra: [("stream".to_owned(), json!(false))].into(),
        ..Parameters::default()
    };
    let settings = Settings {
        parameters: reserved,
        ..settings("http://localhost/v1")
    };
    assert_eq!(
        OpenAi::new(settings).unwrap_err().to_string(),
        "parameter `stream` cannot be sent to an OpenAI-compatible endpoint"
    );
}

/// Servers without a parser for reasoning leave it in the text.
#[tokio::test]
async fn reasoning_in_the_text_is_no_part_of_the_answer() {
    let reply = async |text: &str, reason: &str| {
        let reply = reply_to(completion(&json!({"content": text}), reason)).await;
        let reply = reply.unwrap();
        (
            reply.text,
            reply.extra["message"]["reasoning_content"].clone(),
        )
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(
        reply("<think>\nhm\n</think>\n\n答案", "stop").await,
        (some("答案"), json!("hm"))
    );
    // Cut while it thought: nothing of it is an answer.
    assert_eq!(reply("<think>hm", "length").await, (None, json!("hm")));
    assert_eq!(reply("<think></think>", "stop").await, (None, json!("")));
    let quoted = "use <think>…</think> for this";
    assert_eq!(reply(quoted, "stop").await, (some(quoted), Value::Null));
}

#[tokio::test]
async fn cached_tokens_are_counted_in_both_places() {
    let cached = async |usage: Value| {
        let mut body = completion(&json!({"content": "a"}), "stop");
        body["usage"] = usage;
        reply_to(body)
            .await
            .unwrap()
            .usage
            .unwrap()
            .cached_input_tokens
    };
    let openai = json!({"prompt_tokens": 9, "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 4}});
    let deepseek =
        json!({"prompt_tokens": 9, "completion_tokens": 1, "prompt_cache_hit_tokens": 5});
    assert_eq!((cached(openai).await, cached(deepseek).await), (4, 5));
}
