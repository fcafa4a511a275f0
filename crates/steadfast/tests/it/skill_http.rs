//! HTTP skills: what an argument can reach, what a response becomes, and what a
//! server can do to us.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast::skill::{HttpSkill, Skill, SkillError};
use steadfast_core::event::skill::SkillFailure::{Lost, NotStarted, Reported, Timeout};
use steadfast_core::workflow::spec::EffectClass::{Idempotent, Irreversible, Read};
use steadfast_core::workflow::spec::{EffectClass, SkillSpec};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use wiremock::matchers::{any, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::skill_calls::{call, entry};

/// A skill for a server on loopback. Arguments are `a`, `b` and `list`.
pub(crate) fn skill_spec(effect: impl Into<Option<EffectClass>>, mut config: Value) -> SkillSpec {
    if config.get("private_hosts").is_none() {
        config["private_hosts"] = json!(["127.0.0.1"]);
    }
    let mut spec = entry("http", config);
    spec.effect = effect.into();
    spec.input = json!({
        "type": "object",
        "properties": { "a": {}, "b": {}, "list": {} },
    });
    spec
}

pub(crate) fn skill(effect: impl Into<Option<EffectClass>>, config: Value) -> HttpSkill {
    HttpSkill::new("api".into(), skill_spec(effect, config), Path::new(".")).unwrap()
}

async fn run(skill: &HttpSkill, args: Value) -> Result<Value, SkillError> {
    skill.call(&call(args)).await
}

pub(crate) fn failed(
    result: Result<Value, SkillError>,
) -> (steadfast_core::event::skill::SkillFailure, String) {
    let error = result.unwrap_err();
    (error.class, error.message)
}

/// A server that answers everything with an empty object.
async fn server() -> MockServer {
    let server = MockServer::start().await;
    let answer = ResponseTemplate::new(200).set_body_json(json!({}));
    Mock::given(any()).respond_with(answer).mount(&server).await;
    server
}

async fn only_request(server: &MockServer) -> Request {
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests.len(), 1);
    requests.into_iter().next().unwrap()
}

#[tokio::test]
async fn arguments_fill_values_and_nothing_else() {
    let server = server().await;
    let config = json!({
        "method": "POST",
        "url": format!("{}/v1/{{a}}/x-{{b}}.json?fixed=1&q={{b}}", server.uri()),
        "query": { "tag": "{list}", "left_out": "{list2}" },
        "headers": { "X-Note": "n {b}" },
        "json": {
            "whole": "{list}", "inside": "say {b}", "fixed": [1, "{a}"], "missing": "{c}",
            "braces": "{{a}}",
        },
    });
    let mut spec = skill_spec(Irreversible, config);
    spec.input = json!({ "properties": { "a": {}, "b": {}, "list": {}, "list2": {}, "c": {} } });
    let skill = HttpSkill::new("api".into(), spec, Path::new(".")).unwrap();
    let args = json!({
        "a": "../admin?x=1#f/汉",
        "b": "1&admin=true\"},{",
        "list": ["x&y", 2, true],
    });
    assert_eq!(run(&skill, args).await, Ok(json!({})));
    let request = only_request(&server).await;
    assert_eq!(
        request.url.path(),
        "/v1/..%2Fadmin%3Fx%3D1%23f%2F%E6%B1%89/x-1%26admin%3Dtrue%22%7D%2C%7B.json"
    );
    let query: Vec<(String, String)> = request.url.query_pairs().into_owned().collect();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(
        query,
        [
            pair("fixed", "1"),
            pair("q", "1&admin=true\"},{"),
            pair("tag", "x&y"),
            pair("tag", "2"),
            pair("tag", "true"),
        ]
    );
    assert_eq!(request.headers["x-note"], "n 1&admin=true\"},{");
    assert_eq!(
        serde_json::from_slice::<Value>(&request.body).unwrap(),
        json!({
            "whole": ["x&y", 2, true],
            "inside": "say 1&admin=true\"},{",
            "fixed": [1, "../admin?x=1#f/汉"],
            "braces": "{a}",
        })
    );
}

#[tokio::test]
async fn a_form_is_encoded_by_field() {
    let server = server().await;
    let config = json!({ "method": "POST", "url": server.uri(), "form": { "name": "{a}", "tag": "{list}" } });
    run(
        &skill(Irreversible, config),
        json!({ "a": "x&admin=1 汉", "list": [1, 2] }),
    )
    .await
    .unwrap();
    let request = only_request(&server).await;
    assert_eq!(
        String::from_utf8(request.body.clone()).unwrap(),
        "name=x%26admin%3D1+%E6%B1%89&tag=1&tag=2"
    );
    assert_eq!(
        request.headers["content-type"],
        "application/x-www-form-urlencoded"
    );
}

/// What cannot be written into its place is refused before anything is sent.
#[tokio::test]
async fn a_value_that_would_leave_its_place_is_refused_unsent() {
    let server = server().await;
    let get = json!({
        "method": "GET",
        "url": format!("{}/users/{{a}}", server.uri()),
        "headers": { "X-Note": "{b}" },
    });
    let get = skill(Read, get);
    for (args, why) in [
        (json!({}), "argument `a` is empty and stands in the path"),
        (
            json!({ "a": "" }),
            "argument `a` is empty and stands in the path",
        ),
        (
            json!({ "a": ".." }),
            "`..` in the path would lead to another place",
        ),
        (
            json!({ "a": "." }),
            "`.` in the path would lead to another place",
        ),
        (
            json!({ "a": { "x": 1 } }),
            "argument `a` is no single value",
        ),
        (
            json!({ "a": 1, "b": "x\r\nHost: evil" }),
            "the value of header `x-note` has characters that cannot stand in a header",
        ),
    ] {
        assert_eq!(
            failed(run(&get, args).await),
            (Reported, format!("`api`: {why}"))
        );
    }
    assert_eq!(server.received_requests().await.unwrap().len(), 0);
}

#[test]
fn a_configuration_that_lets_arguments_choose_the_host_is_refused() {
    let why = |config: Value| {
        let spec = skill_spec(Read, config);
        HttpSkill::new("api".into(), spec, Path::new(".")).unwrap_err()
    };
    let url = |url: &str| why(json!({ "method": "GET", "url": url }));
    for (written, expected) in [
        ("{a}://h/", "`url`: the scheme is not `https` or `http`"),
        (
            "{a}",
            "`url`: it does not begin with `https://` or `http://`",
        ),
        (
            "https://{a}.example.com/",
            "`url`: an argument cannot stand in the host: it would choose who is asked",
        ),
        (
            "https://example.com{a}/",
            "`url`: an argument cannot stand in the host: it would choose who is asked",
        ),
        (
            "https://me:pw@example.com/",
            "`url`: a name and password do not belong into it; use a header with `secret`",
        ),
        (
            "file:///etc/passwd",
            "`url`: the scheme is not `https` or `http`",
        ),
        ("https://example.com/#x", "`url`: a fragment is never sent"),
        (
            "https://example.com/{typo}",
            "`{typo}` is no argument: the input schema has no property `typo`",
        ),
        (
            "https://example.com/?{a}=1",
            "`url`: an argument cannot name a query field: `{a}`",
        ),
        (
            "http://169.254.169.254/latest/",
            "`169.254.169.254` is a link-local address, and `private_hosts` does not name it",
        ),
        (
            "http://0x7f.1/",
            "`127.0.0.1` is a loopback address, and `private_hosts` does not name it",
        ),
    ] {
        let config = json!({ "method": "GET", "url": written, "private_hosts": [] });
        assert_eq!(why(config), expected, "{written}");
    }
    assert_eq!(
        url("https://h/ {"),
        "a lone `{` in ` {`; an argument is written `{name}`, a brace twice"
    );
    let set_by_us =
        json!({ "method": "POST", "url": "https://h/", "headers": { "Idempotency-Key": "{a}" } });
    assert_eq!(
        why(set_by_us),
        "header `Idempotency-Key` is set by the runtime"
    );
    let body = json!({ "method": "GET", "url": "https://h/", "json": {} });
    assert_eq!(why(body), "a GET request has no body");
    let secret =
        json!({ "method": "GET", "url": "https://h/", "headers": { "A": { "secret": "sk-123" } } });
    assert!(!why(secret).contains("sk-123"));
}

#[tokio::test]
async fn json_is_read_strictly_and_text_by_its_character_set() {
    let server = MockServer::start().await;
    let reply = |status: u16, kind: &str, body: &[u8]| {
        ResponseTemplate::new(status).set_body_raw(body.to_vec(), kind)
    };
    for (at, answer) in [
        ("/json", reply(200, "application/json", b"{\"n\": 1}")),
        ("/problem", reply(200, "application/problem+json", b"[1]")),
        (
            "/twice",
            reply(200, "application/json", b"{\"n\": 1, \"n\": 2}"),
        ),
        (
            "/long",
            reply(200, "application/json", b"{\"id\": 123456789012345678901}"),
        ),
        (
            "/html",
            reply(200, "text/html; charset=GBK", b"\xba\xba\xd7\xd6"),
        ),
        ("/broken", reply(200, "text/plain", b"\xff\xfe\xfd")),
        ("/image", reply(200, "image/png", b"\x89PNG")),
        ("/none", ResponseTemplate::new(204)),
    ] {
        Mock::given(path(at))
            .respond_with(answer)
            .mount(&server)
            .await;
    }
    let get = async |at: &str| {
        let config = json!({ "method": "GET", "url": format!("{}{at}", server.uri()) });
        run(&skill(Read, config), json!({})).await
    };
    assert_eq!(get("/json").await, Ok(json!({ "n": 1 })));
    assert_eq!(get("/problem").await, Ok(json!([1])));
    assert_eq!(get("/none").await, Ok(json!({ "status": 204 })));
    assert_eq!(
        get("/html").await,
        Ok(json!({ "content_type": "text/html; charset=GBK", "text": "汉字" }))
    );
    for (at, why) in [
        ("/twice", "not one JSON value"),
        ("/long", "not one JSON value"),
        ("/broken", "not text in `utf-8`"),
        ("/image", "is of type `image/png`"),
    ] {
        let (class, message) = failed(get(at).await);
        assert_eq!(class, Reported, "{at}");
        assert!(message.contains(why), "{message}");
    }
    let full =
        json!({ "method": "GET", "url": format!("{}/json", server.uri()), "result": "full" });
    assert_eq!(
        run(&skill(Read, full), json!({})).await,
        Ok(json!({
            "status": 200, "url": format!("{}/json", server.uri()),
            "content_type": "application/json", "body": { "n": 1 },
        }))
    );
}

#[tokio::test]
async fn a_large_body_is_cut_off_also_when_it_unpacks_to_one() {
    let server = MockServer::start().await;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b'0'; 1024 * 1024];
    for _ in 0..64 {
        packed.write_all(&zeros).unwrap();
    }
    let bomb = packed.finish().unwrap();
    assert!(bomb.len() < 100_000);
    let large = ResponseTemplate::new(200).set_body_raw(vec![b'x'; 5_000], "text/plain");
    let bomb = ResponseTemplate::new(200)
        .insert_header("content-encoding", "gzip")
        .set_body_raw(bomb, "text/plain");
    Mock::given(path("/large"))
        .respond_with(large)
        .mount(&server)
        .await;
    Mock::given(path("/bomb"))
        .respond_with(bomb)
        .mount(&server)
        .await;
    for (method, effect, class) in [("GET", Read, Reported), ("POST", Irreversible, Lost)] {
        for at in ["/large", "/bomb"] {
            let url = format!("{}{at}", server.uri());
            let config = json!({ "method": method, "url": url, "response_limit_bytes": 4_000 });
            assert_eq!(
                failed(run(&skill(effect, config), json!({})).await),
                (
                    class,
                    "`api`: the response is larger than the 4000 bytes that `response_limit_bytes` allows"
                        .to_owned()
                ),
                "{at}"
            );
        }
    }
}

#[tokio::test]
async fn statuses_are_told_apart_by_effect() {
    let server = MockServer::start().await;
    for status in [303, 307, 400, 404, 409, 429, 500, 502, 503] {
        let answer = ResponseTemplate::new(status).set_body_string("said why");
        Mock::given(path(format!("/{status}")))
            .respond_with(answer)
            .mount(&server)
            .await;
    }
    let ask = async |effect: EffectClass, status: u16| {
        let config = json!({ "method": "POST", "url": format!("{}/{status}", server.uri()) });
        failed(run(&skill(effect, config), json!({})).await)
    };
    for status in [400, 404, 409, 429, 307] {
        for effect in [Read, Idempotent, Irreversible] {
            assert_eq!(ask(effect, status).await.0, Reported, "{status}");
        }
    }
    for status in [500, 502, 503, 303] {
        assert_eq!(ask(Read, status).await.0, Reported, "{status}");
        assert_eq!(ask(Idempotent, status).await.0, Lost, "{status}");
        assert_eq!(ask(Irreversible, status).await.0, Lost, "{status}");
    }
    assert_eq!(
        ask(Irreversible, 500).await.1,
        "`api`: the server answered 500 Internal Server Error: said why"
    );

    let own = json!({
        "method": "POST", "url": format!("{}/503", server.uri()),
        "statuses": { "not_done": [503] },
    });
    let own = failed(run(&skill(Irreversible, own), json!({})).await);
    assert_eq!(
        own.0, Reported,
        "this service promises that 503 means not done"
    );
}

#[tokio::test]
async fn the_pause_that_a_server_asks_for_is_handed_on() {
    let server = MockServer::start().await;
    let seconds = ResponseTemplate::new(429).insert_header("retry-after", "7");
    let date = ResponseTemplate::new(503)
        .insert_header("date", "Mon, 30 Nov 2026 10:00:00 GMT")
        .insert_header("retry-after", "Mon, 30 Nov 2026 10:00:30 GMT");
    Mock::given(path("/seconds"))
        .respond_with(seconds)
        .mount(&server)
        .await;
    Mock::given(path("/date"))
        .respond_with(date)
        .mount(&server)
        .await;
    for (at, pause) in [("/seconds", 7_000), ("/date", 30_000)] {
        let config = json!({ "method": "GET", "url": format!("{}{at}", server.uri()) });
        let error = run(&skill(Read, config), json!({})).await.unwrap_err();
        assert_eq!(error.retry_after_ms, Some(pause), "{at}");
    }
}

/// R70: the key is the runtime's, the same for each attempt; reads need none.
#[tokio::test]
async fn r70_the_runtimes_key_travels_in_a_header() {
    let server = server().await;
    let url = server.uri();
    let post = skill(
        Idempotent,
        json!({ "method": "POST", "url": url, "json": { "a": "{a}" } }),
    );
    let mut again = call(json!({ "a": 1, "idempotency_key": "the model's" }));
    post.call(&again).await.unwrap();
    again.attempt += 1;
    post.call(&again).await.unwrap();
    skill(Read, json!({ "method": "POST", "url": url }))
        .call(&again)
        .await
        .unwrap();
    let named = json!({ "method": "POST", "url": url, "idempotency_header": "X-Request-Id" });
    skill(Irreversible, named).call(&again).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    let header = |at: usize, name: &str| {
        let value = requests[at].headers.get(name);
        value.map(|value| value.to_str().unwrap().to_owned())
    };
    let key = Some(again.key.to_string());
    assert_eq!(header(0, "idempotency-key"), key);
    assert_eq!(header(1, "idempotency-key"), key);
    assert_eq!(header(2, "idempotency-key"), None);
    assert_eq!(header(3, "x-request-id"), key);
}

/// R111: a secret is named by reference, and what the server echoes is masked.
#[tokio::test]
async fn r111_a_secret_is_sent_and_its_echo_is_masked() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("token"), "sk-test-123\n").unwrap();
    let server = MockServer::start().await;
    let echo = |request: &Request| {
        let header = request.headers["authorization"]
            .to_str()
            .unwrap()
            .to_owned();
        let status = if request.url.path() == "/bad" {
            401
        } else {
            200
        };
        ResponseTemplate::new(status).set_body_json(json!({ "you_sent": header }))
    };
    Mock::given(method("GET"))
        .respond_with(echo)
        .mount(&server)
        .await;
    let ask = async |at: &str, secret: &str| {
        let config = json!({
            "method": "GET", "url": format!("{}{at}", server.uri()),
            "headers": { "Authorization": { "secret": secret, "prefix": "Bearer " } },
        });
        let spec = skill_spec(Read, config);
        let skill = HttpSkill::new("api".into(), spec, folder.path()).unwrap();
        assert!(!format!("{skill:?}").contains("sk-test-123"));
        run(&skill, json!({})).await
    };
    assert_eq!(
        ask("/", "file:token").await,
        Ok(json!({ "you_sent": "Bearer [secret:token]" }))
    );
    let (_, message) = failed(ask("/bad", "file:token").await);
    assert_eq!(
        message,
        "`api`: the server answered 401 Unauthorized: {\"you_sent\":\"Bearer [secret:token]\"}"
    );
    let (class, message) = failed(ask("/", "env:STEADFAST_TEST_NOT_SET").await);
    assert_eq!(
        (class, message.as_str()),
        (
            Reported,
            "`api`: the variable `STEADFAST_TEST_NOT_SET` is not set"
        )
    );
    assert_eq!(server.received_requests().await.unwrap().len(), 2);
}

/// What a server does once it has read a request.
enum Manners {
    /// Closes without a word.
    HangUp,
    /// Never answers.
    Silent,
    /// Sends a byte of a body now and then, for ever.
    Drip,
    /// Promises more than it sends.
    Short,
}

/// A server with bad manners, and how many requests it has read.
async fn rude(manners: Manners) -> (String, std::sync::Arc<std::sync::atomic::AtomicU32>) {
    let count = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = count.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = [0; 4096];
            if stream.read(&mut head).await.unwrap_or(0) == 0 {
                continue;
            }
            seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let start = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 50\r\n\r\n";
            match manners {
                Manners::HangUp => {}
                Manners::Silent => tokio::time::sleep(Duration::from_secs(60)).await,
                Manners::Short => stream
                    .write_all(format!("{start}ab").as_bytes())
                    .await
                    .unwrap(),
                Manners::Drip => {
                    stream.write_all(start.as_bytes()).await.unwrap();
                    while stream.write_all(b"x").await.is_ok() {
                        tokio::time::sleep(Duration::from_millis(60)).await;
                    }
                }
            }
        }
    });
    (format!("http://{address}/"), count)
}

/// R69: the reply of a deed is lost: in doubt, and not sent a second time.
#[tokio::test]
async fn r69_a_lost_reply_of_a_deed_is_in_doubt_and_is_not_sent_again() {
    for manners in [Manners::HangUp, Manners::Short] {
        let (url, count) = rude(manners).await;
        for (effect, class) in [(Irreversible, Lost), (Idempotent, Lost), (Read, Reported)] {
            let config = json!({ "method": "POST", "url": url, "json": { "a": "{a}" } });
            let (was, message) = failed(run(&skill(effect, config), json!({ "a": 1 })).await);
            assert_eq!(was, class, "{message}");
            assert!(
                message.starts_with("`api`: the exchange broke: "),
                "{message}"
            );
        }
        assert_eq!(count.load(std::sync::atomic::Ordering::SeqCst), 3);
    }
}

#[tokio::test]
async fn a_slow_server_is_given_up_in_time() {
    for manners in [Manners::Silent, Manners::Drip] {
        let (url, _) = rude(manners).await;
        let skill = skill(Irreversible, json!({ "method": "POST", "url": url }));
        let mut call = call(json!({}));
        call.timeout_ms = 300;
        let started = Instant::now();
        let (class, message) = failed(skill.call(&call).await);
        assert_eq!(
            (class, message.as_str()),
            (Timeout, "`api`: no complete response within 300 ms")
        );
        assert!(started.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_did_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    drop(listener);
    let skill = skill(Irreversible, json!({ "method": "POST", "url": url }));
    let (class, message) = failed(run(&skill, json!({})).await);
    assert_eq!(class, NotStarted);
    assert!(message.starts_with("`api`: no connection: "), "{message}");
}
