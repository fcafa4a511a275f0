//! `fit`: a model behind an endpoint that obeys one mark-up only, and the setting
//! that is written for it.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::{Value, json};

use crate::harness::Case;

const WORKFLOW: &str = "workflow_id: bills
initial_state: S1
states:
  S1: { skill: look, on_success: S2, on_failure: S1_RETRY }
  S2: { skill: pay, on_success: DONE, on_failure: S2_RETRY }
skills:
  look:
    kind: command
    effect: read
    description: Looks the bill up.
    config: { command: [./look] }
  pay:
    kind: command
    effect: irreversible
    description: Pays the bill.
    output: { type: object, required: [paid], properties: { paid: { type: boolean } } }
    config: { command: [./pay] }
";

/// Reads one request of HTTP/1.1; none where the client is gone.
fn request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut buffer = [0u8; 8192];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                let is_length = name.eq_ignore_ascii_case("content-length");
                is_length.then(|| value.trim().parse::<usize>().unwrap())
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(body.to_owned());
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return None,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}

/// A model that keeps to a contract in XML. In any other it answers first at
/// every other call.
fn reply(body: &str, turn: usize) -> Value {
    let done = body.matches("\"role\":\"tool\"").count();
    let obeys = body.contains("<execution_contract>");
    let message = if done >= 2 || (!obeys && turn.is_multiple_of(2)) {
        json!({"role": "assistant", "content": "paid"})
    } else {
        let skill = ["look", "pay"][done];
        let call = json!({"id": format!("c{turn}"), "type": "function",
            "function": {"name": skill, "arguments": "{}"}});
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    json!({"id": "r", "model": "loop", "choices": [
        {"index": 0, "message": message, "finish_reason": "stop"}
    ], "usage": {"prompt_tokens": 9, "completion_tokens": 1}})
}

/// Serves until the test's process ends; gives the address.
fn serve() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let mut turn = 0;
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let Some(body) = request(&mut stream) else {
                continue;
            };
            let text = reply(&body, turn).to_string();
            turn += 1;
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
            let length = text.len();
            let answer = format!("{head}\r\ncontent-length: {length}\r\n\r\n{text}");
            // A client that went away is the test's own end.
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    format!("http://{address}/v1")
}

fn case() -> Case {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW);
    case.script("look", "echo '{\"sum\": 70}'")
        .script("pay", "touch PAID; echo '{\"paid\": true}'");
    std::fs::create_dir_all(case.path("cases/order")).unwrap();
    case.write("cases/suite.yaml", "workflow: ../w.yaml\n");
    for at in 0..5 {
        let text = format!(
            "case_id: o{at}\ninput: Pay bill number {at}.\nexpected_path: [S1, S2]\n\
             model: {{ script: [{{ say: never asked }}] }}\n"
        );
        case.write(&format!("cases/order/o{at}.yaml"), &text);
    }
    let settings = format!(
        "# ours\n[providers.loop]\nkind = \"openai\"\nbase_url = \"{}\"\nstreaming = false\n\n\
         [models.m] # the new one\nprovider = \"loop\"\n",
        serve()
    );
    case.write("steadfast.toml", &settings);
    case
}

const FIT: [&str; 6] = ["fit", "cases", "--model", "m", "--parallel", "1"];

#[test]
fn c9_the_mark_up_that_fits_is_found_and_written() {
    let case = case();
    let ran = case.run(&[&FIT[..], &["--write", "--json"]].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{ran:?}"));
    assert_eq!(report["best"]["markup"], "xml", "{ran:?}");
    assert_eq!(report["pick"]["shown"], true);
    assert_eq!(
        report["cases"],
        json!({"adversarial": 10, "normal": 0, "order": 5, "past": 0})
    );
    let clean = |trial: &Value| {
        let cases = trial["cases"].as_array().unwrap();
        let tries = |one: &&Value| one["skips"] == 0 && one["misorders"] == 0;
        (cases.iter().filter(tries).count(), cases.len())
    };
    let trials = report["trials"].as_array().unwrap();
    let clean: Vec<_> = trials.iter().map(clean).collect();
    assert_eq!(clean, [(0, 15), (15, 15), (0, 15), (0, 15)]);
    // Few cases of two kinds are noted, and stand in the way of nothing.
    assert_eq!(
        (ran.exit, &report["verdict"]["advice"]),
        (0, &json!("adopt"))
    );
    assert!(!case.path("PAID").exists(), "nothing that acts is done");
    // One line more, and what people wrote stays.
    let written = case.read("steadfast.toml");
    assert!(
        written.starts_with("# ours\n")
            && written.contains("[models.m] # the new one\ncontract_markup = \"xml\"\n"),
        "{written}"
    );

    // What is set is where the next comparison begins.
    let ran = case.run(&[&FIT[..], &["--write"]].concat());
    assert_eq!(ran.exit, 0, "{ran:?}");
    assert!(
        ran.stdout.contains("contract: `xml`, as it is"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("nothing to write"), "{}", ran.stderr);
    assert_eq!(case.read("steadfast.toml"), written);
}

/// A model that no file describes has no place to write to: the lines are shown.
#[test]
fn without_a_table_the_lines_are_shown() {
    let case = case();
    let ran = case.run(&[
        "fit",
        "cases",
        "--model",
        "loop:x",
        "--parallel",
        "1",
        "--write",
    ]);
    assert_eq!(ran.exit, 1, "{ran:?}");
    assert!(ran.stderr.contains("C0064"), "{}", ran.stderr);
    assert!(
        ran.stderr.contains("contract_markup = \"xml\""),
        "{}",
        ran.stderr
    );
}

/// Against today's model: what breaks is named, and keeps it from being adopted.
#[test]
fn against_todays_model_the_difference_is_told() {
    let case = case();
    case.write(
        "good.yaml",
        "- call: { skill: look }\n- call: { skill: pay }\n- say: paid\n",
    )
    .write(
        "bad.yaml",
        "- say: paid\n- say: paid\n- say: paid\n- say: paid\n",
    );
    let args = [
        "fit",
        "cases",
        "--model",
        "script:bad.yaml",
        "--against",
        "script:good.yaml",
    ];
    let ran = case.run(&args);
    assert_eq!(ran.exit, 3, "{ran:?}");
    for expected in ["advice: reject", "broke", "o3", "no case passed"] {
        assert!(ran.stdout.contains(expected), "{expected}: {}", ran.stdout);
    }
}
