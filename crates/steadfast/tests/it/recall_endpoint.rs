//! The embedder behind an endpoint: what it sends, and what it does not believe.

use serde_json::{Value, json};
use steadfast::model::embeddings::{EndpointEmbedder, Settings};
use steadfast::model::http::{Key, Secret};
use steadfast::recall::Embedder;
use wiremock::matchers::{body_json, header, method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

fn texts(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("text {n}")).collect()
}

async fn answering(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    let embeddings = Mock::given(method("POST")).and(path("/v1/embeddings"));
    embeddings.respond_with(template).mount(&server).await;
    server
}

fn embedder(server: &MockServer) -> EndpointEmbedder {
    EndpointEmbedder::new(Settings::new(format!("{}/v1", server.uri()), "e5", 2)).unwrap()
}

/// What becomes of a reply to two texts.
async fn reply(body: Value) -> Result<Vec<Vec<f32>>, String> {
    let server = answering(ResponseTemplate::new(200).set_body_json(body)).await;
    let made = embedder(&server).embed(&texts(2)).await;
    made.map_err(|error| error.reason)
}

fn row(index: usize, embedding: &Value) -> Value {
    json!({"object": "embedding", "index": index, "embedding": embedding})
}

#[tokio::test]
async fn vectors_come_in_the_order_of_the_texts_and_of_length_one() {
    let rows = [row(1, &json!([0.0, 2.0])), row(0, &json!([3.0, 4.0]))];
    let made = reply(json!({"object": "list", "data": rows, "model": "e5"})).await;
    assert_eq!(made, Ok(vec![vec![0.6, 0.8], vec![0.0, 1.0]]));

    // A server that gives no index keeps the order.
    let rows = [
        json!({"embedding": [1.0, 0.0]}),
        json!({"embedding": [0.0, 1.0]}),
    ];
    let made = reply(json!({ "data": rows })).await;
    assert_eq!(made, Ok(vec![vec![1.0, 0.0], vec![0.0, 1.0]]));
}

#[tokio::test]
async fn what_is_no_set_of_vectors_is_an_error() {
    let two = |one: Value, other: Value| json!({"data": [row(0, &one), row(1, &other)]});
    let good = json!([1.0, 0.0]);
    for (body, says) in [
        (json!({"data": [row(0, &good)]}), "1 vectors for 2 texts"),
        (
            json!({"data": [row(0, &good), row(0, &good)]}),
            "index 0 of 2 is taken or none",
        ),
        (
            json!({"data": [row(0, &good), row(7, &good)]}),
            "index 7 of 2 is taken or none",
        ),
        (
            two(good.clone(), json!([1.0])),
            "a vector of 1 numbers, not 2",
        ),
        (
            two(good.clone(), json!([0.0, 0.0])),
            "a vector without a direction",
        ),
        (
            json!({"error": {"message": "model is loading"}}),
            "model is loading",
        ),
    ] {
        let said = reply(body).await.unwrap_err();
        assert!(said.contains(says), "{said}");
    }
    let said = reply(json!({"data": "none"})).await.unwrap_err();
    assert!(said.starts_with("the reply holds no embeddings"), "{said}");
}

#[tokio::test]
async fn many_texts_go_in_batches_and_the_key_is_never_shown() {
    let server = MockServer::start().await;
    let size = steadfast::core::limits::EMBED_TEXTS_PER_CALL;
    let all = texts(size + 1);
    for batch in all.chunks(size) {
        let rows: Vec<Value> = (0..batch.len())
            .map(|n| row(n, &json!([1.0, 1.0])))
            .collect();
        let asked = json!({"model": "e5", "input": batch, "encoding_format": "float"});
        Mock::given(method("POST"))
            .and(header("authorization", "Bearer sk-of-the-test"))
            .and(body_json(asked))
            .respond_with(ResponseTemplate::new(200).set_body_json(json!({ "data": rows })))
            .expect(1)
            .mount(&server)
            .await;
    }
    let mut settings = Settings::new(format!("{}/v1", server.uri()), "e5", 2);
    settings.key = Some(Key {
        variable: "EMBED_KEY".to_owned(),
        value: Secret::new("EMBED_KEY", "sk-of-the-test"),
    });
    let made = EndpointEmbedder::new(settings.clone())
        .unwrap()
        .embed(&all)
        .await
        .unwrap();
    assert_eq!(made.len(), all.len());

    let refusing = answering(
        ResponseTemplate::new(401)
            .set_body_json(json!({"error": {"message": "no such key: sk-of-the-test"}})),
    )
    .await;
    settings.base_url = format!("{}/v1", refusing.uri());
    let error = EndpointEmbedder::new(settings)
        .unwrap()
        .embed(&all)
        .await
        .unwrap_err();
    assert!(error.reason.contains("no such key"), "{error}");
    assert!(!error.to_string().contains("sk-of-the-test"), "{error}");
}
