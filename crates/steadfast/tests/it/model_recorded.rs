//! Recordings: once recorded, the same again without the model; a miss is an
//! error that says where; no secret in the file.

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};
use steadfast::core::context::{FragmentKind, Message, Request};
use steadfast::core::event::model::ModelFailure;
use steadfast::core::event::task::Window;
use steadfast::core::price::Price;
use steadfast::core::proposal::{ModelError, Reply};
use steadfast::model::recorded::{RecordingError, Take};
use steadfast::model::{Model, Recorded, Script};
use tempfile::TempDir;

use crate::model_request::{part, request, task, tool};

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

async fn record(path: &Path, script: Script, asked: &[&str]) -> Vec<Result<Reply, ModelError>> {
    let model = Recorded::record(path, Arc::new(script.build()), Take::New).unwrap();
    let mut outcomes = Vec::new();
    for text in asked {
        outcomes.push(model.call(&request(vec![task(text)])).await);
    }
    outcomes
}

async fn ask(model: &Recorded, text: &str) -> Result<Reply, ModelError> {
    model.call(&request(vec![task(text)])).await
}

/// What was said once is said again, failures and their pauses included, each
/// n-th time as the n-th time; the order of different requests does not matter.
#[tokio::test]
async fn a_recording_gives_the_same_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let limited = ModelError {
        class: ModelFailure::RateLimited,
        message: "slow down".to_owned(),
        retry_after_ms: Some(1_500),
    };
    let script = Script::new()
        .outcome(Err(limited))
        .say("b1")
        .call("search", json!({"q": "护栏"}))
        .say("b2");
    let recorded = record(&path, script, &["a", "b", "a", "b"]).await;
    let model = Recorded::replay(&path).unwrap();
    assert_eq!(model.unasked(), 4);
    let mut replayed = Vec::new();
    for text in ["b", "b", "a", "a"] {
        replayed.push(ask(&model, text).await);
    }
    let order = [1, 3, 0, 2].map(|at| recorded[at].clone());
    assert_eq!(replayed, order);
    assert_eq!(model.unasked(), 0);
    let error = ask(&model, "b").await.unwrap_err();
    assert_eq!(error.class, ModelFailure::NotRecorded);
    let said = "was recorded 2 times and is asked for once more: call 3";
    assert!(error.message.ends_with(said), "{}", error.message);
}

/// A replay stands for the model in every way that a context depends on.
#[tokio::test]
async fn a_replay_has_the_name_the_room_and_the_price_of_the_model() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let window = Window {
        tokens: 9_000,
        output_tokens: 700,
    };
    let price = Price {
        input_per_million: 1,
        cached_input_per_million: 2,
        output_per_million: 3,
        currency: "EUR".to_owned(),
    };
    let live = Script::new().say("hi").build();
    let live = live.with_window(window).with_price(price.clone());
    let model = Recorded::record(&path, Arc::new(live), Take::New).unwrap();
    ask(&model, "a").await.unwrap();
    let replay = Recorded::replay(&path).unwrap();
    for model in [&model, &replay] {
        assert_eq!(model.name(), "scripted");
        assert_eq!(model.window(), Some(window));
        assert_eq!(model.price(), Some(&price));
    }
}

#[tokio::test]
async fn the_file_is_as_documented() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    record(
        &path,
        Script::new().say("x").fail(ModelFailure::Timeout),
        &["a", "a"],
    )
    .await;
    let lines = lines(&path);
    let header = json!({"recording": 1, "hash_alg": "blake3", "model": "scripted",
        "parameters": null, "window": null, "price": Price::FREE});
    assert_eq!(lines[0], header);
    let asked = serde_json::to_value(request(vec![task("a")])).unwrap();
    let key = lines[1]["key"].clone();
    let reply = json!({"model": "scripted", "text": "x", "finish": "stop"});
    assert_eq!(
        lines[1],
        json!({"key": key, "n": 0, "request": asked, "outcome": {"reply": reply}})
    );
    let error = json!({"class": "timeout", "message": "scripted failure `timeout`"});
    assert_eq!(
        lines[2],
        json!({"key": key, "n": 1, "outcome": {"error": error}})
    );
    // The key is what the documentation says it is.
    let hashed = steadfast::core::hash::Hash::of_json(&json!(["scripted", null, asked]));
    assert_eq!(key, json!(hashed));
}

fn longer(texts: &[&str]) -> Request {
    let system = |text: &&str| Message::System {
        parts: vec![part(FragmentKind::Policy, text)],
    };
    request(texts.iter().map(system).collect())
}

#[tokio::test]
async fn a_miss_names_the_first_difference_to_the_nearest() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let live = Arc::new(Script::new().say("1").say("2").build());
    let model = Recorded::record(&path, live, Take::New).unwrap();
    let far = longer(&["completely", "different"]);
    let near = longer(&["You write.", "The budget is 5000 euros.", "Begin."]);
    model.call(&far).await.unwrap();
    model.call(&near).await.unwrap();
    let replay = Recorded::replay(&path).unwrap();
    let miss = async |request: &Request| {
        let error = replay.call(request).await.unwrap_err();
        assert_eq!(error.class, ModelFailure::NotRecorded);
        let (what, rest) = error.message.split_once("; ").unwrap();
        assert!(what.starts_with("no reply is recorded for request `b3:"));
        rest.to_owned()
    };
    assert_eq!(
        miss(&longer(&[
            "You write.",
            "The budget is 8000 euros.",
            "Begin."
        ]))
        .await,
        "the nearest, in line 3, differs at message 2 (system): \
         recorded `…budget is 5000 euros.`, asked `…budget is 8000 euros.`"
    );
    assert_eq!(
        miss(&longer(&["You write.", "The budget is 5000 euros."])).await,
        "the nearest, in line 3, differs at message 3: recorded one more (system), asked without it"
    );
    let mut more = near.clone();
    more.messages.push(task("now"));
    assert_eq!(
        miss(&more).await,
        "the nearest, in line 3, differs at message 4: asked with one more (user) than recorded"
    );
    let mut tooled = near.clone();
    tooled.tools.push(tool("search", Value::Null));
    assert!(
        miss(&tooled)
            .await
            .starts_with("the nearest, in line 3, differs in `tools`: recorded `[]`")
    );
    let mut roomy = near;
    roomy.output_tokens_max = 1_024;
    assert_eq!(
        miss(&roomy).await,
        "the nearest, in line 3, differs in `output_tokens_max`: recorded `512`, asked `1024`"
    );
}

/// What a crash cut is not there, and the recording goes on behind it.
#[tokio::test]
async fn a_recording_goes_on_after_a_crash() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    record(&path, Script::new().say("1").say("2"), &["a", "b"]).await;
    let whole = std::fs::read(&path).unwrap();
    std::fs::write(&path, &whole[..whole.len() - 9]).unwrap();
    let live = Arc::new(Script::new().say("2 again").say("another a").build());
    let model = Recorded::record(&path, live, Take::Onward).unwrap();
    ask(&model, "b").await.unwrap();
    ask(&model, "a").await.unwrap();
    let replay = Recorded::replay(&path).unwrap();
    let said = async |text: &str| ask(&replay, text).await.unwrap().text.unwrap();
    assert_eq!(said("a").await, "1");
    assert_eq!(said("b").await, "2 again");
    assert_eq!(said("a").await, "another a");
}

#[tokio::test]
async fn files_that_cannot_be_used_are_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    record(&path, Script::new().say("1"), &["a"]).await;
    let model = || Arc::new(Script::new().build());
    let again = Recorded::record(&path, model(), Take::New).unwrap_err();
    assert!(matches!(again, RecordingError::Exists { .. }));
    assert_eq!(again.code(), "M0007");
    let onward = Recorded::record(&path, Arc::new(steadfast::model::Extractive), Take::Onward);
    assert!(matches!(
        onward.unwrap_err(),
        RecordingError::OtherModel { .. }
    ));
    let problem = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let error = Recorded::replay(&path).unwrap_err();
        assert_eq!(error.code(), "M0006");
        error.to_string().replace(&path.display().to_string(), "F")
    };
    assert_eq!(
        problem(""),
        "line 1 of recording `F` does not read: there is no first line"
    );
    assert_eq!(
        problem("{\"recording\": 2}\n"),
        "recording `F` has version `2`; this program reads 1"
    );
    let header = "{\"recording\": 1, \"hash_alg\": \"blake3\", \"model\": \"m\"}\n";
    let broken = problem(&format!("{header}{{}}\n"));
    assert_eq!(
        broken,
        "line 2 of recording `F` does not read: missing field `key` at line 1 column 2"
    );
}

/// What a redaction takes out of a request and a reply is nowhere in the file;
/// the runtime still gets what was said, and a replay with the same redaction
/// finds it.
#[tokio::test]
async fn secrets_are_never_written() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let redact = |secret: &'static str| {
        move |model: Recorded| {
            model.with_redaction(Arc::new(move |text| text.replace(secret, "[masked]")))
        }
    };
    let live = Script::new()
        .reply(Reply {
            extra: json!({"sk-secret-9": ["sk-secret-9"]}),
            ..Reply::say("m", "your key is sk-secret-9")
        })
        .build();
    let model = Recorded::record(&path, Arc::new(live), Take::New).unwrap();
    let model = redact("sk-secret-9")(model);
    let said = ask(&model, "use sk-secret-9").await.unwrap();
    assert_eq!(said.text.as_deref(), Some("your key is sk-secret-9"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("sk-secret-9"), "{text}");
    // Another secret on another day, the same recording.
    let replay = redact("sk-other-1")(Recorded::replay(&path).unwrap());
    let said = ask(&replay, "use sk-other-1").await.unwrap();
    assert_eq!(said.text.as_deref(), Some("your key is [masked]"));
}

/// The key of an endpoint, and its headers, are no part of what is recorded,
/// also where the endpoint echoes them.
#[cfg(feature = "openai")]
#[tokio::test]
async fn the_key_of_an_endpoint_is_never_written() {
    use steadfast::model::openai::{Key, OpenAi, Secret, Settings, Streaming};
    use wiremock::{Mock, MockServer, ResponseTemplate, matchers::method};
    let server = MockServer::start().await;
    let echo = json!({"choices": [{"finish_reason": "stop",
        "message": {"content": "you sent sk-live-777777 and hdr-888888"}}]});
    let reply = ResponseTemplate::new(200).set_body_json(echo);
    Mock::given(method("POST"))
        .respond_with(reply)
        .mount(&server)
        .await;
    let live = OpenAi::new(Settings {
        key: Some(Key {
            variable: "K".to_owned(),
            value: Secret::new("K", "sk-live-777777"),
        }),
        headers: vec![("x-org".to_owned(), Secret::new("x-org", "hdr-888888"))],
        streaming: Streaming::Off,
        ..Settings::new(format!("{}/v1", server.uri()), "m")
    })
    .unwrap();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.jsonl");
    let model = Recorded::record(&path, Arc::new(live), Take::New).unwrap();
    ask(&model, "hi").await.unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    for secret in ["sk-live-777777", "hdr-888888"] {
        assert!(!text.contains(secret), "{text}");
    }
    assert!(text.contains("[secret:K]"), "{text}");
}
