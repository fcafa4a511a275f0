//! A task that goes on with another model: the history is neutral, so each
//! request is one that its endpoint takes, whoever was asked before.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::{Value, json};
use steadfast::core::context::Request;
use steadfast::core::proposal::{ModelError, Reply};
use steadfast::driver::{Driver, Rest};
use steadfast::model::anthropic::Anthropic;
use steadfast::model::http::Streaming;
use steadfast::model::openai::{CallIds, OpenAi};
use steadfast::model::{Model, anthropic, openai};
use steadfast::skill::{FunctionSkill, Skill, Skills};
use steadfast_core::content::Salt;
use steadfast_core::event::Body;
use steadfast_core::event::task::Window;
use steadfast_core::id::{Seq, TaskId};
use steadfast_core::task::{Outcome, Start};
use steadfast_store::{MemoryLog, Takeover, load_events};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The first call goes to the first model, the second to the second, and so on.
struct Hop {
    models: Vec<Arc<dyn Model>>,
    calls: AtomicUsize,
}

#[async_trait]
impl Model for Hop {
    fn name(&self) -> &str {
        "hop"
    }

    async fn call(&self, request: &Request) -> Result<Reply, ModelError> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        self.models[call % self.models.len()].call(request).await
    }
}

fn refused(reason: &str) -> ResponseTemplate {
    ResponseTemplate::new(400).set_body_json(json!({"error": {"message": reason}}))
}

/// What the Anthropic API refuses a conversation for.
fn anthropic_refuses(body: &Value) -> Option<&'static str> {
    let turns = body["messages"].as_array().unwrap();
    let mut open: Vec<&Value> = Vec::new();
    for (at, turn) in turns.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        if turn["role"] != role {
            return Some("roles must alternate, beginning with the user");
        }
        let mut results = Vec::new();
        let mut texts = 0;
        for block in turn["content"].as_array().unwrap() {
            match block["type"].as_str().unwrap() {
                "text" if block["text"].as_str().unwrap().trim().is_empty() => {
                    return Some("text is blank");
                }
                "text" => texts += 1,
                "tool_result" if texts > 0 => return Some("results must come first"),
                "tool_result" => results.push(&block["tool_use_id"]),
                "tool_use" => open.push(&block["id"]),
                _ => return Some("a block of another model"),
            }
        }
        if role == "user" {
            if results != open {
                return Some("each call needs its result, in the next turn");
            }
            open.clear();
        }
        let plain = |id: &&Value| {
            let id = id.as_str().unwrap();
            let fits = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
            !id.is_empty() && id.bytes().all(fits)
        };
        if !open.iter().all(plain) {
            return Some("an id has other characters");
        }
    }
    None
}

/// What a strict OpenAI-compatible server refuses a conversation for.
fn openai_refuses(body: &Value) -> Option<&'static str> {
    let mut open: Vec<&Value> = Vec::new();
    for message in body["messages"].as_array().unwrap() {
        for field in message.as_object().unwrap().keys() {
            if !["role", "content", "tool_calls", "tool_call_id"].contains(&field.as_str()) {
                return Some("a field of another model");
            }
        }
        if message["role"] == "tool" {
            let known = open.iter().position(|id| **id == message["tool_call_id"]);
            match known {
                Some(at) => drop(open.remove(at)),
                None => return Some("a result without its call"),
            }
        } else if !open.is_empty() {
            return Some("a call without its result");
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            if call["id"].as_str().unwrap().len() != 9 {
                return Some("an id has not nine characters");
            }
            open.push(&call["id"]);
        }
    }
    None
}

async fn first_maker() -> MockServer {
    let server = MockServer::start().await;
    let answer = |request: &wiremock::Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if let Some(reason) = anthropic_refuses(&body) {
            return refused(reason);
        }
        let content = if body["messages"].as_array().unwrap().len() == 1 {
            json!([
                {"type": "thinking", "thinking": "look first", "signature": "m1-signed"},
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "toolu_01", "name": "look", "input": {"q": "a"}},
                {"type": "tool_use", "id": "toolu_02", "name": "look", "input": {"q": "b"}},
            ])
        } else {
            json!([{"type": "text", "text": "全部完成"}])
        };
        let reason = if content.as_array().unwrap().len() > 1 {
            "tool_use"
        } else {
            "end_turn"
        };
        ResponseTemplate::new(200).set_body_json(json!({"id": "m", "model": "m1",
            "content": content, "stop_reason": reason,
            "usage": {"input_tokens": 1, "output_tokens": 1}}))
    };
    let messages = Mock::given(method("POST")).and(path("/v1/messages"));
    messages.respond_with(answer).mount(&server).await;
    server
}

async fn second_maker() -> MockServer {
    let server = MockServer::start().await;
    let answer = |request: &wiremock::Request| {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        if let Some(reason) = openai_refuses(&body) {
            return refused(reason);
        }
        let call = json!({"id": "call_of_the_second_maker_that_is_long", "type": "function",
            "function": {"name": "send", "arguments": "{}"}});
        let message = json!({"role": "assistant", "content": null,
            "reasoning_content": "now send", "tool_calls": [call]});
        ResponseTemplate::new(200).set_body_json(json!({"model": "m2", "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls"}]}))
    };
    let completions = Mock::given(method("POST")).and(path("/v1/chat/completions"));
    completions.respond_with(answer).mount(&server).await;
    server
}

fn hop(first: &MockServer, second: &MockServer) -> Hop {
    let one = Anthropic::new(anthropic::Settings {
        streaming: Streaming::Off,
        ..anthropic::Settings::new(format!("{}/v1", first.uri()), "m1")
    });
    let other = OpenAi::new(openai::Settings {
        streaming: Streaming::Off,
        call_ids: CallIds::Nine,
        ..openai::Settings::new(format!("{}/v1", second.uri()), "m2")
    });
    Hop {
        models: vec![Arc::new(one.unwrap()), Arc::new(other.unwrap())],
        calls: AtomicUsize::new(0),
    }
}

fn start() -> Start {
    let workflow = json!({
        "workflow_id": "mail",
        "initial_state": "A",
        "states": {
            "A": {"skill": "look", "on_success": "B", "on_failure": "A_RETRY"},
            "B": {"skill": "send", "on_success": "DONE", "on_failure": "B_RETRY"}
        },
        "skills": {
            "look": {"kind": "function", "effect": "read"},
            "send": {"kind": "function", "effect": "idempotent"}
        }
    });
    Start {
        workflow: serde_json::from_value(workflow).unwrap(),
        principal: "ann".into(),
        input: "請用繁體中文回答，然後寄出郵件".to_owned(),
        documents: Vec::new(),
        facts: BTreeMap::new(),
        parent: None,
        window: Window {
            tokens: 16_000,
            output_tokens: 1_000,
        },
        budget: steadfast_core::budget::BudgetChange::default(),
    }
}

async fn run(model: Hop) -> (Rest, Vec<Body>) {
    let log = Arc::new(MemoryLog::new());
    let skill = || {
        let done = FunctionSkill::new(|_| async { Ok(json!({"ok": true})) });
        Arc::new(done) as Arc<dyn Skill>
    };
    let skills: Skills = [("look".into(), skill()), ("send".into(), skill())]
        .into_iter()
        .collect();
    let driver = Driver::new(log.clone(), Arc::new(model), skills);
    let id = TaskId::new("t_1");
    driver.start(&id, Salt([3; 32]), start()).await.unwrap();
    let rest = driver.run(&id, Takeover::IfExpired).await.unwrap();
    let events = load_events(log.as_ref(), &id, Seq(1)).await.unwrap();
    (rest, events.into_iter().map(|event| event.body).collect())
}

/// Turns by the first maker (signed thinking, two calls), the second (reasoning
/// without a signature), and the first again: all three requests are valid, the
/// pairs of calls and results are whole, and what is bound to a maker stays in
/// the log and reaches nobody else.
#[tokio::test]
async fn r106_a_task_goes_from_model_to_model_and_back() {
    let (first, second) = (first_maker().await, second_maker().await);
    let (rest, events) = run(hop(&first, &second)).await;
    let Rest::Ended(Outcome::Completed { answer }) = &rest else {
        panic!("{rest:?}");
    };
    assert_eq!(answer.text(), "全部完成");
    let kept: Vec<String> = events
        .iter()
        .filter_map(|body| match body {
            Body::ModelReplied(replied) => replied.extra.as_ref(),
            _ => None,
        })
        .map(|extra| extra.text().into_owned())
        .collect();
    assert!(kept[0].contains("m1-signed"), "{kept:?}");
    assert!(kept[1].contains("now send"), "{kept:?}");
    for server in [&first, &second] {
        for request in server.received_requests().await.unwrap() {
            let body = String::from_utf8(request.body).unwrap();
            for bound in [
                "m1-signed",
                "look first",
                "now send",
                "toolu_0",
                "call_of_the",
            ] {
                assert!(!body.contains(bound), "{bound} in {body}");
            }
        }
    }
}

/// What is in force does not depend on who is asked: the same words of the user
/// and the same contract reach every model, so the rule of language does too.
/// (Whether an answer keeps it is for a check of the language to say.)
#[tokio::test]
async fn r107_what_is_in_force_reaches_each_model() {
    let (first, second) = (first_maker().await, second_maker().await);
    run(hop(&first, &second)).await;
    let bodies = async |server: &MockServer| {
        let requests = server.received_requests().await.unwrap();
        let bodies = requests.into_iter();
        let bodies = bodies.map(|request| String::from_utf8(request.body).unwrap());
        bodies.collect::<Vec<String>>()
    };
    let all = [bodies(&first).await, bodies(&second).await].concat();
    assert_eq!(all.len(), 3);
    for body in all {
        assert!(body.contains("請用繁體中文回答"), "{body}");
        assert!(body.contains("EXECUTION_CONTRACT"), "{body}");
    }
}
