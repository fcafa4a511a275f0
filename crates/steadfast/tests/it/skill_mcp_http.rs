//! Tools of servers over streamable HTTP, on loopback.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};
use steadfast::skill::Skills;
use steadfast::skill::mcp::{Pins, Server};
use steadfast_core::event::skill::SkillFailure::{Lost, NotStarted, Reported};
use steadfast_core::limits;
use steadfast_core::workflow::spec::ServerSpec;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::skill_calls::call;
use crate::skill_http::failed;

/// A server that answers each request with JSON; call number `bad.0` of a tool
/// gets `bad.1` instead.
async fn server(bad: (u32, ResponseTemplate)) -> (MockServer, Arc<AtomicU32>) {
    let server = MockServer::start().await;
    let (answer, calls) = server_answers(bad);
    Mock::given(any()).respond_with(answer).mount(&server).await;
    (server, calls)
}

fn server_answers(
    bad: (u32, ResponseTemplate),
) -> (
    impl Fn(&Request) -> ResponseTemplate + Send + Sync + 'static,
    Arc<AtomicU32>,
) {
    let calls = Arc::new(AtomicU32::new(0));
    let seen = calls.clone();
    let answer = move |request: &Request| {
        let Ok(message) = serde_json::from_slice::<Value>(&request.body) else {
            return ResponseTemplate::new(405);
        };
        if message.get("id").is_none() {
            return ResponseTemplate::new(202);
        }
        let result = match message["method"].as_str().unwrap() {
            "initialize" => json!({
                "protocolVersion": message["params"]["protocolVersion"],
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "web", "version": "1" },
            }),
            "tools/list" => json!({ "tools": [
                { "name": "echo", "description": "Echoes.", "inputSchema": { "type": "object" } },
            ] }),
            _ => {
                if seen.fetch_add(1, Ordering::SeqCst) + 1 == bad.0 {
                    return bad.1.clone();
                }
                let token = request
                    .headers
                    .get("x-token")
                    .map(|one| one.to_str().unwrap());
                json!({
                    "content": [], "structuredContent": {
                        "args": message["params"]["arguments"], "token": token,
                    },
                })
            }
        };
        ResponseTemplate::new(200)
            .set_body_json(json!({ "jsonrpc": "2.0", "id": message["id"], "result": result }))
    };
    (answer, calls)
}

async fn skills(url: &str, more: Value) -> Skills {
    let mut declared = json!({ "url": url, "private_hosts": ["127.0.0.1"] });
    declared
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    let reference: ServerSpec = serde_json::from_value(declared.clone()).unwrap();
    let mut pins = Pins::default();
    let server = Server::new("s", &reference, Path::new(".")).unwrap();
    for tool in server.tools().await.unwrap() {
        pins.add("s", &tool);
    }
    let mut spec = serde_json::from_value(json!({
        "workflow_id": "w", "initial_state": "S",
        "states": { "S": { "skill": "deed", "on_success": "DONE" } },
        "mcp": { "s": declared },
        "skills": {
            "deed": { "mcp": "s/echo", "kind": "mcp", "effect": "irreversible" },
            "look": { "mcp": "s/echo", "kind": "mcp", "effect": "read" },
        },
    }))
    .unwrap();
    pins.fill(&mut spec);
    Skills::build(&spec, Path::new("."), &Default::default()).unwrap()
}

async fn ask(skills: &Skills, name: &str) -> Result<Value, steadfast::skill::SkillError> {
    skills
        .get(name)
        .unwrap()
        .call(&call(json!({ "n": 1 })))
        .await
}

/// R109: one 503 fails one call; the next one goes through.
#[tokio::test]
async fn r109_one_503_fails_one_call() {
    for (name, class) in [("deed", Lost), ("look", Reported)] {
        let (server, calls) = server((2, ResponseTemplate::new(503))).await;
        let skills = skills(&format!("{}/mcp", server.uri()), json!({})).await;
        let good = json!({ "args": { "n": 1 }, "token": null });
        assert_eq!(ask(&skills, name).await, Ok(good.clone()));
        let (was, message) = failed(ask(&skills, name).await);
        assert_eq!(was, class, "{message}");
        assert_eq!(ask(&skills, name).await, Ok(good));
        assert_eq!(calls.load(Ordering::SeqCst), 3, "nothing is sent twice");
    }
}

#[tokio::test]
async fn a_response_that_is_too_large_is_cut_off() {
    let large = "x".repeat(limits::MCP_MESSAGE_BYTES_MAX + 1);
    let large = ResponseTemplate::new(200).set_body_json(json!({ "x": large }));
    let (server, _) = server((1, large)).await;
    let skills = skills(&format!("{}/mcp", server.uri()), json!({})).await;
    assert_eq!(failed(ask(&skills, "deed").await).0, Lost);
    assert!(ask(&skills, "deed").await.is_ok());
}

#[tokio::test]
async fn a_secret_travels_in_a_header() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "sk-9").unwrap();
    let (server, _) = server((0, ResponseTemplate::new(500))).await;
    let headers = json!({
        "headers": { "X-Token": format!("file:{}/token", folder.path().display()) },
    });
    let skills = skills(&server.uri(), headers).await;
    assert_eq!(
        ask(&skills, "look").await,
        Ok(json!({ "args": { "n": 1 }, "token": "sk-9" }))
    );
}

/// A redirect is not followed, wherever it leads.
#[tokio::test]
async fn a_server_that_redirects_is_no_server() {
    let server = MockServer::start().await;
    let away = ResponseTemplate::new(307)
        .insert_header("location", "http://169.254.169.254/latest/meta-data/");
    Mock::given(any()).respond_with(away).mount(&server).await;
    let declared = json!({ "url": server.uri(), "private_hosts": ["127.0.0.1"] });
    let declared: ServerSpec = serde_json::from_value(declared).unwrap();
    let web = Server::new("s", &declared, Path::new(".")).unwrap();
    assert!(web.tools().await.is_err());
    let seen = server.received_requests().await.unwrap();
    assert!(!seen.is_empty());
}

/// A server that ends between two calls: the second did not begin.
#[tokio::test]
async fn a_server_that_went_away_did_nothing() {
    // A server of its own; those of `start` are kept for the next test.
    let server = MockServer::builder().start().await;
    let (answers, _) = server_answers((0, ResponseTemplate::new(500)));
    Mock::given(any())
        .respond_with(answers)
        .mount(&server)
        .await;
    let skills = skills(&server.uri(), json!({})).await;
    assert!(ask(&skills, "deed").await.is_ok());
    let address = *server.address();
    drop(server);
    // It goes by itself; what it took in before has an end that nobody knows.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (class, message) = failed(ask(&skills, "deed").await);
    assert_eq!(class, NotStarted, "{message}");
}
