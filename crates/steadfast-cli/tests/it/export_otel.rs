//! `export-otel`: spans of a log, to a collector on loopback; read back by our own
//! `audit`; without a word of content unless it is asked for.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use serde_json::Value;

use crate::harness::{PAY, payment};

/// A collector that takes everything; gives its address, and the paths and
/// bodies that it was sent.
fn collector() -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut bytes = Vec::new();
            let mut buffer = [0u8; 8192];
            let (head, body) = loop {
                let read = stream.read(&mut buffer).unwrap();
                bytes.extend_from_slice(&buffer[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = head.lines().find_map(|line| {
                    let line = line.to_ascii_lowercase();
                    line.strip_prefix("content-length: ")?.parse().ok()
                });
                if body.len() >= length.unwrap_or(0) {
                    break (head.to_owned(), body.to_owned());
                }
            };
            let path = head.split(' ').nth(1).unwrap().to_owned();
            sender
                .send((path, serde_json::from_str(&body).unwrap()))
                .unwrap();
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}")
                .unwrap();
        }
    });
    (address, receiver)
}

/// What was sent next; a test that waits for nothing ends all the same.
fn came(received: &Receiver<(String, Value)>) -> (String, Value) {
    let patience = std::time::Duration::from_secs(30);
    received.recv_timeout(patience).expect("nothing was sent")
}

fn spans(body: &Value) -> Vec<&Value> {
    let spans = &body["resourceSpans"][0]["scopeSpans"][0]["spans"];
    spans.as_array().unwrap().iter().collect()
}

fn attribute<'a>(span: &'a Value, name: &str) -> Option<&'a Value> {
    let all = span["attributes"].as_array().unwrap();
    let found = all.iter().find(|one| one["key"] == name)?;
    found["value"].as_object().unwrap().values().next()
}

#[test]
fn a_run_is_sent_as_it_ends_and_again_as_the_same_spans() {
    let case = payment("none");
    let (address, received) = collector();
    let mut run = case.command(PAY);
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", &address);
    assert!(run.output().unwrap().status.success());
    let (path, live) = came(&received);
    assert_eq!(path, "/v1/traces");
    let ran = case.run(&["export-otel", "t1", "--endpoint", &address]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert_eq!(came(&received).1, live, "exporting again is idempotent");

    let all = spans(&live);
    let named = |prefix: &str| {
        let names = all.iter().filter_map(|span| span["name"].as_str());
        names.filter(|name| name.starts_with(prefix)).count()
    };
    // Two skills, three replies of the model, each in a step of its own.
    let counts = ["invoke_agent", "step ", "chat ", "execute_tool "].map(named);
    assert_eq!(counts, [1, 3, 3, 2], "{live}");
    let root = all[0];
    assert!(root.get("parentSpanId").is_none());
    let ids: Vec<&Value> = all.iter().map(|span| &span["spanId"]).collect();
    for span in &all {
        assert_eq!(span["traceId"], root["traceId"]);
        assert_eq!(span["spanId"].as_str().unwrap().len(), 16);
        if let Some(parent) = span.get("parentSpanId") {
            assert!(ids.contains(&parent), "{span} has no parent");
        }
    }
    let pay = all
        .iter()
        .find(|span| span["name"] == "execute_tool pay")
        .unwrap();
    assert_eq!(attribute(pay, "gen_ai.tool.name"), Some(&"pay".into()));
    assert_eq!(
        attribute(pay, "steadfast.contract_step"),
        Some(&"2/2".into())
    );
    let chat = all.iter().find(|span| span["name"] == "chat scripted");
    let chat = chat.unwrap_or_else(|| panic!("{live}"));
    assert!(
        attribute(chat, "gen_ai.usage.input_tokens").is_some(),
        "{chat}"
    );
}

/// What was said and done stays here, unless it is asked for.
#[test]
fn words_leave_the_machine_only_where_that_is_asked_for() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    let bare = case.run(&["export-otel", "--print"]).stdout;
    let full = case.run(&["export-otel", "--print", "--content"]).stdout;
    for word in ["Pay the bill", "All is paid", "price", "amount"] {
        assert!(!bare.contains(word), "{word}: {bare}");
        assert!(full.contains(word), "{word}: {full}");
    }
}

/// Our own audit reads what we export, and judges it as it judges the log.
#[test]
fn audit_reads_our_spans() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    for content in [&["--content"][..], &[]] {
        let spans = case
            .run(&[&["export-otel", "--print"], content].concat())
            .stdout;
        case.write("spans.json", &spans);
        let ran = case.run(&["audit", "--workflow", "pay.yaml", "spans.json", "--json"]);
        assert_eq!(ran.exit, 0, "{ran:?}");
        assert!(
            !ran.stdout.contains("\"kind\":\"skipped\""),
            "{}",
            ran.stdout
        );
    }
    // With a call cut out of them, the spans tell of a step that was left out.
    let spans = case.run(&["export-otel", "--print", "--content"]).stdout;
    let mut body: Value = serde_json::from_str(&spans).unwrap();
    let list = body["resourceSpans"][0]["scopeSpans"][0]["spans"]
        .as_array_mut()
        .unwrap();
    list.retain(|span| span["name"] != "execute_tool look");
    case.write("spans.json", &body.to_string());
    let ran = case.run(&["audit", "--workflow", "pay.yaml", "spans.json", "--json"]);
    assert!(ran.stdout.contains("skipped"), "{ran:?}");
}

/// A collector that is not there costs a warning, and never the run.
#[test]
fn a_run_does_not_fail_for_want_of_a_collector() {
    let case = payment("none");
    let mut run = case.command(PAY);
    run.env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9");
    let output = run.output().unwrap();
    assert!(output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("warning: cannot reach"), "{told}");
    let ran = case.run(&["export-otel", "t1", "--endpoint", "http://127.0.0.1:9"]);
    assert!(ran.exit == 1 && ran.stderr.contains("C0067"), "{ran:?}");
    let (address, received) = collector();
    let ran = case.run(&["export-otel", "--metrics", "--endpoint", &address]);
    assert_eq!(ran.exit, 0, "{ran:?}");
    let (path, body) = came(&received);
    assert_eq!(path, "/v1/metrics");
    let metrics = &body["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
    let completed = metrics.as_array().unwrap().iter();
    let completed = completed.filter(|one| one["name"] == "steadfast.tasks_completed");
    let points: Vec<&Value> = completed
        .map(|one| &one["gauge"]["dataPoints"][0])
        .collect();
    assert_eq!(points[0]["asInt"], "1");
}
