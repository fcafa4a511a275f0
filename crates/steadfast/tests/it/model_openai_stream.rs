//! Streamed replies: cut anywhere, broken anywhere.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use steadfast::core::event::model::{Finish, ModelFailure, Usage};
use steadfast::core::proposal::{ModelError, Reply, ReplyCall};
use steadfast::model::Model;
use steadfast::model::openai::{Channel, Delta, OpenAi, Settings};

use crate::model_loopback::{Act, STREAM_HEAD, events, serve, serve_stream};
use crate::model_request::{request, task};

async fn call(url: &str) -> Result<Reply, ModelError> {
    OpenAi::new(Settings::new(url, "test-model"))
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
}

async fn streamed(data: &[&str]) -> Result<Reply, ModelError> {
    call(&serve_stream(&events(data), usize::MAX).await).await
}

/// Two calls, text in two scripts, reasoning, usage, comments and CRLF.
fn full_stream() -> String {
    let data = events(&[
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"想"}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"role":"assistant","reasoning_content":"一想"}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"content":"护栏 "}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"content":"😀 rail"}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"search","arguments":""}}]}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"q\":\"护"}}]}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"check","arguments":"{}"}}]}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"栏\"}"}}]}}]}"#,
        r#"{"id":"c","model":"m-1","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}"#,
        r#"{"id":"c","model":"m-1","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
        "[DONE]",
    ]);
    format!(": keep-alive\n\n{}", data.replacen('\n', "\r\n", 4))
}

fn full_reply() -> Reply {
    let call = |id: &str, skill: &str, args: &str| ReplyCall {
        id: id.to_owned(),
        skill: skill.to_owned(),
        args: args.to_owned(),
    };
    Reply {
        model: "m-1".to_owned(),
        text: Some("护栏 😀 rail".to_owned()),
        calls: vec![
            call("a", "search", "{\"q\":\"护栏\"}"),
            call("b", "check", "{}"),
        ],
        finish: Finish::ToolCalls,
        usage: Some(Usage {
            input_tokens: 7,
            output_tokens: 3,
            cached_input_tokens: 0,
        }),
        extra: json!({
            "id": "c",
            "message": {"role": "assistant", "reasoning_content": "想一想"},
            "usage": {"prompt_tokens": 7, "completion_tokens": 3},
        }),
    }
}

/// One byte at a time cuts every character and every line; the other sizes cut
/// them elsewhere.
#[tokio::test]
async fn a_reply_is_the_same_however_it_is_cut() {
    for size in [1, 2, 3, 7, 64, usize::MAX] {
        let url = serve_stream(&full_stream(), size).await;
        assert_eq!(call(&url).await, Ok(full_reply()), "pieces of {size} bytes");
    }
}

/// Wherever a stream ends before its finish reason, the reply is an error: never
/// a shorter text, never a call with less of its arguments.
#[tokio::test]
async fn r87_a_stream_that_ends_early_is_malformed() {
    let whole = full_stream();
    let finish = whole.find("\"finish_reason\"").unwrap();
    let cuts = (0..finish)
        .step_by(41)
        .filter(|at| whole.is_char_boundary(*at));
    for cut in cuts {
        let url = serve_stream(&whole[..cut], usize::MAX).await;
        let error = call(&url).await.unwrap_err();
        assert_eq!(
            error.class,
            ModelFailure::Malformed,
            "cut at {cut}: {}",
            error.message
        );
    }
    let inside = r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"s","arguments":"{\"q\""}}]}}]}"#;
    let expected = ModelError::new(ModelFailure::Malformed, "the reply ended inside a call");
    assert_eq!(streamed(&[inside, "[DONE]"]).await, Err(expected));
}

#[tokio::test]
async fn a_connection_that_breaks_is_transport() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let data = events(&[r#"{"choices":[{"delta":{"content":"half"}}]}"#]);
    let chunk = format!("{:x}\r\n{data}\r\n", data.len());
    let url = serve(vec![Act::Send(head.into()), Act::Send(chunk.into())]).await;
    assert_eq!(call(&url).await.unwrap_err().class, ModelFailure::Transport);
}

/// What was complete before the connection broke is a reply, without its counts.
#[tokio::test]
async fn a_complete_reply_outlives_its_connection() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let data = events(&[r#"{"choices":[{"delta":{"content":"all"},"finish_reason":"stop"}]}"#]);
    let chunk = format!("{:x}\r\n{data}\r\n", data.len());
    let url = serve(vec![Act::Send(head.into()), Act::Send(chunk.into())]).await;
    assert_eq!(call(&url).await, Ok(Reply::say("test-model", "all")));
}

#[tokio::test]
async fn silence_between_chunks_is_a_timeout() {
    let data = events(&[r#"{"choices":[{"delta":{"content":"half"}}]}"#]);
    let acts = vec![
        Act::Send(STREAM_HEAD.into()),
        Act::Send(data.into()),
        Act::Pause(Duration::from_secs(5)),
    ];
    let mut settings = Settings::new(serve(acts).await, "test-model");
    settings.timeouts.idle = Duration::from_millis(100);
    let error = OpenAi::new(settings)
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
        .unwrap_err();
    let expected = ModelError::new(ModelFailure::Timeout, "the stream fell silent after 100 ms");
    assert_eq!(error, expected);
}

#[tokio::test]
async fn no_first_byte_is_a_timeout() {
    let mut settings = Settings::new(
        serve(vec![Act::Pause(Duration::from_secs(5))]).await,
        "test-model",
    );
    settings.timeouts.first_byte = Duration::from_millis(100);
    let error = OpenAi::new(settings)
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
        .unwrap_err();
    assert_eq!(
        error,
        ModelError::new(ModelFailure::Timeout, "no answer after 100 ms")
    );
}

#[tokio::test]
async fn a_cut_answer_says_so() {
    let reply =
        streamed(&[r#"{"choices":[{"delta":{"content":"cut"},"finish_reason":"length"}]}"#]);
    assert_eq!(
        reply.await,
        Ok(Reply {
            finish: Finish::Length,
            ..Reply::say("test-model", "cut")
        })
    );
}

#[tokio::test]
async fn reasoning_without_an_answer_is_kept_and_is_no_text() {
    let reply = streamed(&[
        r#"{"choices":[{"delta":{"content":"","reasoning":"hm"}}]}"#,
        r#"{"choices":[{"delta":{"content":null,"reasoning":"m"},"finish_reason":"stop"}]}"#,
    ]);
    let expected = Reply {
        text: None,
        extra: json!({"message": {"reasoning": "hmm"}}),
        ..Reply::say("test-model", "")
    };
    assert_eq!(reply.await, Ok(expected));
}

#[tokio::test]
async fn a_streamed_refusal_is_withheld() {
    let reply = streamed(&[
        r#"{"choices":[{"delta":{"refusal":"I "}}]}"#,
        r#"{"choices":[{"delta":{"refusal":"can't"},"finish_reason":"stop"}]}"#,
    ]);
    let expected = Reply {
        text: None,
        finish: Finish::ContentFilter,
        extra: json!({"refusal": "I can't"}),
        ..Reply::say("test-model", "")
    };
    assert_eq!(reply.await, Ok(expected));
}

#[tokio::test]
async fn an_error_in_the_stream_is_the_providers() {
    let failed = streamed(&[
        r#"{"choices":[{"delta":{"content":"half"}}]}"#,
        r#"{"error":{"message":"overloaded","code":503}}"#,
    ]);
    let message = "the provider answered 503: overloaded";
    assert_eq!(
        failed.await,
        Err(ModelError::new(ModelFailure::Provider, message))
    );
}

/// Servers that number every call 0 tell them apart by id.
#[tokio::test]
async fn calls_with_the_same_index_are_told_apart() {
    let reply = streamed(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"s","arguments":"{\"n\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"s","arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"t","arguments":"{}"}}]},"finish_reason":"stop"}]}"#,
    ]);
    let reply = reply.await.unwrap();
    let calls: Vec<(&str, &str)> = reply
        .calls
        .iter()
        .map(|call| (call.skill.as_str(), call.args.as_str()))
        .collect();
    assert_eq!(calls, [("s", "{\"n\":1}"), ("t", "{}")]);
}

#[tokio::test]
async fn an_endpoint_that_does_not_stream_is_understood() {
    let body = r#"{"choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}"#;
    let reply = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let url = serve(vec![Act::Send(reply.into())]).await;
    assert_eq!(call(&url).await, Ok(Reply::say("test-model", "whole")));
}

#[tokio::test]
async fn deltas_are_shown_as_provisional() {
    let shown = Arc::new(Mutex::new(Vec::<Delta>::new()));
    let sink = Arc::clone(&shown);
    let mut settings = Settings::new(serve_stream(&full_stream(), usize::MAX).await, "m");
    settings.on_delta = Some(Arc::new(move |delta| sink.lock().unwrap().push(delta)));
    OpenAi::new(settings)
        .unwrap()
        .call(&request(vec![task("hi")]))
        .await
        .unwrap();
    let delta = |channel, text: &str| Delta {
        channel,
        text: text.to_owned(),
        provisional: true,
    };
    let expected = [
        delta(Channel::Reasoning, "想"),
        delta(Channel::Reasoning, "一想"),
        delta(Channel::Text, "护栏 "),
        delta(Channel::Text, "😀 rail"),
        delta(Channel::Call(0), "{\"q\":\"护"),
        delta(Channel::Call(1), "{}"),
        delta(Channel::Call(0), "栏\"}"),
    ];
    assert_eq!(*shown.lock().unwrap(), expected);
}
