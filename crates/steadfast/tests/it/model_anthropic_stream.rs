//! Streamed replies of the Anthropic API: cut anywhere, broken anywhere. Events
//! are written after the API's documentation.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::json;
use steadfast::core::event::model::{Finish, ModelFailure, Usage};
use steadfast::core::proposal::{ModelError, Reply, ReplyCall};
use steadfast::model::Model;
use steadfast::model::anthropic::{Anthropic, Settings};
use steadfast::model::delta::{Channel, Delta};

use crate::model_loopback::{Act, STREAM_HEAD, serve, serve_stream};
use crate::model_request::{request, task};

async fn call(url: &str) -> Result<Reply, ModelError> {
    let client = Anthropic::new(Settings::new(url, "claude-test")).unwrap();
    client.call(&request(vec![task("hi")])).await
}

fn streamed(data: &[&str]) -> impl Future<Output = Result<Reply, ModelError>> + use<> {
    let body = named(data);
    async move { call(&serve_stream(&body, usize::MAX).await).await }
}

/// Events as the API sends them: each with its name in front.
fn named(data: &[&str]) -> String {
    let event = |data: &&str| {
        let value: serde_json::Value = serde_json::from_str(data).unwrap();
        let name = value["type"].as_str().unwrap().to_owned();
        format!("event: {name}\ndata: {data}\n\n")
    };
    data.iter().map(event).collect()
}

const START: &str = r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"claude-1","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"cache_creation_input_tokens":0,"cache_read_input_tokens":100,"output_tokens":1}}}"#;
const TEXT: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const TOOL: &str = r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_1","name":"write_file","input":{}}}"#;
const STOP_BLOCK: &str = r#"{"type":"content_block_stop","index":0}"#;
const STOP: &str = r#"{"type":"message_stop"}"#;

fn stop(reason: &str) -> String {
    format!(
        r#"{{"type":"message_delta","delta":{{"stop_reason":"{reason}","stop_sequence":null}},"usage":{{"output_tokens":9}}}}"#
    )
}

fn text(piece: &str) -> String {
    json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
        .to_string()
}

fn args(piece: &str) -> String {
    json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "input_json_delta", "partial_json": piece}})
    .to_string()
}

/// Thinking, text in two scripts, two calls, a ping, and an event that nobody
/// knows yet.
fn full_stream() -> String {
    named(&[
        START,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"想"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"一想"}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQB=="}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"护栏 "}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"😀 rail"}}"#,
        r#"{"type":"content_block_stop","index":1}"#,
        r#"{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_1","name":"search","input":{}}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":""}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"q\": \"护"}}"#,
        r#"{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"栏\"}"}}"#,
        r#"{"type":"content_block_stop","index":2}"#,
        r#"{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_2","name":"check","input":{}}}"#,
        r#"{"type":"content_block_stop","index":3}"#,
        r#"{"type":"novelty","data":{"of":"tomorrow"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":89}}"#,
        r#"{"type":"message_stop"}"#,
    ])
}

fn full_reply() -> Reply {
    let call = |id: &str, skill: &str, args: &str| ReplyCall {
        id: id.to_owned(),
        skill: skill.to_owned(),
        args: args.to_owned(),
    };
    Reply {
        model: "claude-1".to_owned(),
        text: Some("护栏 😀 rail".to_owned()),
        calls: vec![
            call("toolu_1", "search", "{\"q\": \"护栏\"}"),
            call("toolu_2", "check", "{}"),
        ],
        finish: Finish::ToolCalls,
        usage: Some(Usage {
            input_tokens: 125,
            output_tokens: 89,
            cached_input_tokens: 100,
        }),
        extra: json!({
            "id": "msg_1",
            "blocks": [{"type": "thinking", "thinking": "想一想", "signature": "EqQB=="}],
            "usage": {"input_tokens": 25, "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 100, "output_tokens": 89},
        }),
    }
}

/// One byte at a time cuts every character, every `data:` and every line; the
/// other sizes cut them elsewhere.
#[tokio::test]
async fn a_reply_is_the_same_however_it_is_cut() {
    for size in [1, 2, 3, 7, 64, usize::MAX] {
        let url = serve_stream(&full_stream(), size).await;
        assert_eq!(call(&url).await, Ok(full_reply()), "pieces of {size} bytes");
    }
    let crlf = full_stream().replace('\n', "\r\n");
    assert_eq!(call(&serve_stream(&crlf, 5).await).await, Ok(full_reply()));
}

/// Wherever a stream ends before its stop reason, the reply is an error: never a
/// shorter text, never a call with less of its arguments.
#[tokio::test]
async fn r87_a_stream_that_ends_early_is_malformed() {
    let whole = full_stream();
    let reason = whole.find("\"stop_reason\":\"tool_use\"").unwrap();
    let cuts = (0..reason)
        .step_by(53)
        .filter(|at| whole.is_char_boundary(*at));
    for cut in cuts {
        let url = serve_stream(&whole[..cut], usize::MAX).await;
        let error = call(&url).await.unwrap_err();
        let class = error.class;
        assert_eq!(
            class,
            ModelFailure::Malformed,
            "cut at {cut}: {}",
            error.message
        );
    }
}

/// The three variants of R87: half of the arguments, none of them, and a call
/// that is complete with none.
#[tokio::test]
async fn r87_a_call_whose_stream_died_is_never_a_call_without_arguments() {
    let dead = || {
        Err(ModelError::new(
            ModelFailure::Malformed,
            "the reply ended inside a call",
        ))
    };
    let half = args("{\"content\":\"# 骨架");
    assert_eq!(streamed(&[START, TOOL, &half]).await, dead());
    assert_eq!(streamed(&[START, TOOL]).await, dead());
    // A stop reason does not make a call whole that was never closed.
    assert_eq!(
        streamed(&[START, TOOL, &stop("tool_use"), STOP]).await,
        dead()
    );
    let whole = streamed(&[START, TOOL, STOP_BLOCK, &stop("tool_use"), STOP]).await;
    assert_eq!(whole.unwrap().calls[0].args, "{}");
}

/// What was cut at the output limit says so, and its half arguments stay half
/// (R88): the core takes no call of such a reply.
#[tokio::test]
async fn r88_a_call_that_was_cut_keeps_its_half_arguments() {
    let half = args("{\"path\":\"a\",\"content\":\"line1\\nlin");
    let reply = streamed(&[START, TOOL, &half, STOP_BLOCK, &stop("max_tokens"), STOP]);
    let reply = reply.await.unwrap();
    assert_eq!(reply.finish, Finish::Length);
    assert_eq!(
        reply.calls[0].args,
        "{\"path\":\"a\",\"content\":\"line1\\nlin"
    );
    let none = streamed(&[START, TOOL, STOP_BLOCK, &stop("max_tokens"), STOP]).await;
    assert_eq!(none.unwrap().calls[0].args, "");
}

#[tokio::test]
async fn malformed_arguments_of_a_whole_call_are_passed_on() {
    let broken = args("{\"q\": ");
    let reply = streamed(&[START, TOOL, &broken, STOP_BLOCK, &stop("tool_use"), STOP]).await;
    // The gate refuses them, with a reason.
    assert_eq!(reply.unwrap().calls[0].args, "{\"q\": ");
}

#[tokio::test]
async fn r84_a_cut_text_and_an_empty_one_are_two_things() {
    let cut = streamed(&[
        START,
        TEXT,
        &text("{\"items\":[{\"a\":"),
        &stop("max_tokens"),
        STOP,
    ]);
    let cut = cut.await.unwrap();
    assert_eq!(cut.finish, Finish::Length);
    assert_eq!(cut.text.as_deref(), Some("{\"items\":[{\"a\":"));
    let empty = streamed(&[START, TEXT, STOP_BLOCK, &stop("end_turn"), STOP]);
    let empty = empty.await.unwrap();
    assert_eq!((empty.text, empty.finish), (None, Finish::Stop));
}

#[tokio::test]
async fn errors_in_the_stream_fail_by_class() {
    let cases = [
        ("overloaded_error", ModelFailure::Provider),
        ("api_error", ModelFailure::Provider),
        ("rate_limit_error", ModelFailure::RateLimited),
        ("timeout_error", ModelFailure::Timeout),
        ("invalid_request_error", ModelFailure::Rejected),
    ];
    for (kind, class) in cases {
        let error = json!({"type": "error", "error": {"type": kind, "message": "Overloaded"}});
        let failed = streamed(&[START, TEXT, &text("half"), &error.to_string()]).await;
        let expected = ModelError::new(class, "the provider reported an error: Overloaded");
        assert_eq!(failed, Err(expected), "{kind}");
    }
}

#[tokio::test]
async fn a_streamed_refusal_is_withheld() {
    let reply = streamed(&[START, TEXT, &text("I "), STOP_BLOCK, &stop("refusal"), STOP]);
    let reply = reply.await.unwrap();
    assert_eq!((reply.text, reply.finish), (None, Finish::ContentFilter));
    assert_eq!(reply.extra["refusal"], "I ");
}

#[tokio::test]
async fn pieces_that_belong_nowhere_are_malformed() {
    let class = async |data: &[&str]| streamed(data).await.unwrap_err().class;
    assert_eq!(class(&[START, &text("a")]).await, ModelFailure::Malformed);
    assert_eq!(
        class(&[START, TEXT, &args("{}")]).await,
        ModelFailure::Malformed
    );
    let url = serve_stream("data: {\"type\": \"message_st\n\n", usize::MAX).await;
    assert_eq!(call(&url).await.unwrap_err().class, ModelFailure::Malformed);
}

/// What was complete before the connection broke is a reply; what was not, is
/// not.
#[tokio::test]
async fn a_connection_that_breaks_is_transport_unless_the_reply_was_whole() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let broken = async |data: &[&str]| {
        let data = named(data);
        let chunk = format!("{:x}\r\n{data}\r\n", data.len());
        call(&serve(vec![Act::Send(head.into()), Act::Send(chunk.into())]).await).await
    };
    let half = broken(&[START, TEXT, &text("half")]).await;
    assert_eq!(half.unwrap_err().class, ModelFailure::Transport);
    let whole = broken(&[START, TEXT, &text("all"), STOP_BLOCK, &stop("end_turn")]).await;
    assert_eq!(whole.unwrap().text.as_deref(), Some("all"));
}

#[tokio::test]
async fn silence_is_a_timeout_wherever_it_falls() {
    let pause = || Act::Pause(Duration::from_secs(5));
    let data = named(&[START, TEXT]);
    let cases = [
        (vec![pause()], "no answer after 100 ms"),
        (
            vec![Act::Send(STREAM_HEAD.into()), pause()],
            "the stream fell silent after 100 ms",
        ),
        (
            vec![
                Act::Send(STREAM_HEAD.into()),
                Act::Send(data.into()),
                pause(),
            ],
            "the stream fell silent after 100 ms",
        ),
    ];
    for (acts, message) in cases {
        let mut settings = Settings::new(serve(acts).await, "m");
        settings.timeouts.first_byte = Duration::from_millis(100);
        settings.timeouts.idle = Duration::from_millis(100);
        let client = Anthropic::new(settings).unwrap();
        let error = client.call(&request(vec![task("hi")])).await.unwrap_err();
        assert_eq!(error, ModelError::new(ModelFailure::Timeout, message));
    }
    // A stream that trickles on for ever is ended by the time of the whole.
    let mut acts = vec![Act::Send(STREAM_HEAD.into())];
    for _ in 0..100 {
        acts.push(Act::Send(named(&[r#"{"type":"ping"}"#]).into()));
        acts.push(Act::Pause(Duration::from_millis(20)));
    }
    let mut settings = Settings::new(serve(acts).await, "m");
    settings.timeouts.whole = Duration::from_millis(200);
    let client = Anthropic::new(settings).unwrap();
    let error = client.call(&request(vec![task("hi")])).await.unwrap_err();
    let expected = ModelError::new(ModelFailure::Timeout, "the call was given up after 200 ms");
    assert_eq!(error, expected);
}

#[tokio::test]
async fn deltas_are_shown_as_provisional() {
    let shown = Arc::new(Mutex::new(Vec::<Delta>::new()));
    let sink = Arc::clone(&shown);
    let mut settings = Settings::new(serve_stream(&full_stream(), usize::MAX).await, "m");
    settings.on_delta = Some(Arc::new(move |delta| sink.lock().unwrap().push(delta)));
    let client = Anthropic::new(settings).unwrap();
    client.call(&request(vec![task("hi")])).await.unwrap();
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
        delta(Channel::Call(0), "{\"q\": \"护"),
        delta(Channel::Call(0), "栏\"}"),
    ];
    assert_eq!(*shown.lock().unwrap(), expected);
}
