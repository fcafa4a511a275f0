//! `replay`, `fork` and `bisect` over a recorded task: what is asked again costs
//! no call, what is changed is named, and the context that turned it is found.

use serde_json::Value;

use crate::harness::{Case, PAY, payment};

fn paid() -> Case {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// D9: nothing changed, nothing asked: every call is answered by the recording,
/// and the deed is not done again.
#[test]
fn an_unchanged_replay_calls_nobody() {
    let case = paid();
    let deeds = case.read("paid.txt");
    let ran = case.run(&["replay", "t1", "--json"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let found = json(&ran.stdout);
    assert_eq!(
        (found["played"].as_u64(), found["asked"].as_u64()),
        (Some(3), Some(0))
    );
    assert_eq!(
        (&found["ended"], &found["difference"]),
        (&"completed".into(), &Value::Null)
    );
    assert_eq!(case.read("paid.txt"), deeds);
    assert_eq!(
        case.run(&["verify", "t1"]).exit,
        0,
        "the store was only read"
    );
}

/// A change is named by the first thing that it changes. Without another model the
/// run ends where the recording no longer answers.
#[test]
fn a_changed_contract_is_a_changed_context() {
    let case = paid();
    let ran = case.run(&["replay", "t1", "--with", "contract=xml", "--json"]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    let found = json(&ran.stdout);
    assert_eq!(found["difference"]["kind"], "context");
    assert_eq!(
        (found["played"].as_u64(), found["asked"].as_u64()),
        (Some(0), Some(1))
    );
    assert!(
        found["ended"].as_str().unwrap().starts_with("failed"),
        "{found}"
    );
    // A script goes on where the recording ends; still nothing is carried out.
    let deeds = case.read("paid.txt");
    let ran = case.run(&[
        "replay",
        "t1",
        "--with",
        "contract=xml",
        "--with",
        "model=script:script.yaml",
        "--json",
    ]);
    let found = json(&ran.stdout);
    assert_eq!(
        (found["asked"].as_u64(), &found["ended"]),
        (Some(3), &"completed".into())
    );
    assert_eq!(case.read("paid.txt"), deeds);
}

#[test]
fn a_rule_that_is_added_is_a_changed_ledger() {
    let case = paid();
    let ran = case.run(&["replay", "t1", "--with", "constraint=Answer in English."]);
    assert_eq!(ran.exit, 3, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("first difference: ledger"),
        "{}",
        ran.stdout
    );
    for wrong in ["colour=blue", "contract=blue", "model"] {
        let ran = case.run(&["replay", "t1", "--with", wrong]);
        assert_eq!(ran.exit, 1);
        assert!(
            ran.stderr.contains("error[C0063]"),
            "{wrong}: {}",
            ran.stderr
        );
    }
}

/// A summariser is chosen as a model is; a task too short for an archive is the same
/// under any.
#[test]
fn a_summariser_is_named_as_a_model_is() {
    let case = paid();
    let with = |model: &str| case.run(&["replay", "t1", "--with", &format!("summariser={model}")]);
    let ran = with("script:script.yaml");
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let ran = with("script:nowhere.yaml");
    assert_eq!(ran.exit, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(ran.stderr.contains("nowhere.yaml"), "{}", ran.stderr);
}

/// A fork has the events up to a point, verifies like any task, and goes on.
#[test]
fn a_fork_goes_on_from_a_point() {
    let case = paid();
    let log = case.run(&["log", "t1", "--json"]).stdout;
    let events: Vec<Value> = log.lines().map(json).collect();
    let second = events
        .iter()
        .filter(|event| event["kind"] == "model_called")
        .nth(1)
        .unwrap();
    let at = second["seq"].as_u64().unwrap();
    // A point within a batch: the one before it is taken.
    let ran = case.run(&[
        "fork",
        "t1",
        "--at",
        &(at + 1).to_string(),
        "--as",
        "t2",
        "--json",
    ]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert_eq!(json(&ran.stdout)["at"], at);
    // What the original did behind the point is named: the fork may do it again.
    let behind = &json(&ran.stdout)["deeds_behind"];
    assert_eq!(behind.as_array().map(Vec::len), Some(1), "{behind}");
    assert_eq!(behind[0]["skill"], "pay");
    assert!(
        ran.stderr.contains("may do again: pay (event"),
        "{}",
        ran.stderr
    );
    let forked = case.run(&["log", "t2", "--json"]).stdout;
    assert_eq!(forked.lines().count() as u64, at);
    let deeds = case.read("paid.txt").lines().count();
    let ran = case.run(&["resume", "t2"]);
    assert_eq!(
        (ran.exit, ran.stdout.as_str()),
        (0, "All is paid.\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        case.read("paid.txt").lines().count(),
        deeds + 1,
        "the fork pays by itself"
    );
    assert_eq!(case.run(&["verify", "t2"]).exit, 0);
    let ran = case.run(&["fork", "t1", "--at", "0"]);
    assert!(ran.stderr.contains("error[A0040]"), "{}", ran.stderr);
}

/// A model that names a wrong sum at one step: from the contexts before it another
/// model still brings the task to its right end, from those behind it cannot.
#[test]
fn bisect_finds_the_context_that_turned_it() {
    let case = payment("none");
    // It looks five times, and pays a wrong sum at last.
    case.write(
        "pay.yaml",
        &crate::harness::workflow("none")
            .replace("initial_state: S1", "initial_state: A")
            .replace("states:\n", "states:\n  A: { skill: look, on_success: B, on_failure: A_RETRY }\n  B: { skill: look, on_success: C, on_failure: B_RETRY }\n  C: { skill: look, on_success: S1, on_failure: C_RETRY }\n"),
    );
    let look = "- call: { skill: look }\n";
    let script = format!(
        "{look}{look}{look}{look}- call: {{ skill: pay, args: {{ amount: 999 }} }}\n- say: All is paid.\n"
    );
    case.write("script.yaml", &script);
    let ran = case.run(PAY);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    case.write(
        "check.yaml",
        "case_id: right_sum\ninput: Pay the bill.\nforbidden:\n  - { skill: pay, args: { amount: 999 } }\n",
    );
    let deeds = case.read("paid.txt");
    let bisect = ["bisect", "t1", "--check", "check.yaml", "--json"];
    let ran = case.run(&[&bisect[..], &["--model", "extractive"]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let found = json(&ran.stdout);
    // Six contexts: the wrong sum is in the fifth reply, so the sixth is the first
    // from which nothing can be mended.
    assert_eq!(found["step"], 6, "{}", ran.stderr);
    assert!(
        found["replays"].as_u64().unwrap() <= 5,
        "⌈log₂ 6⌉ + 2: {found}"
    );
    assert_eq!(case.read("paid.txt"), deeds, "nothing is paid again");
    // Ends that do not differ are said to be so.
    case.write(
        "check.yaml",
        "case_id: any\ninput: Pay the bill.\nexpected_output_contains: [nowhere]\n",
    );
    let ran = case.run(&[&bisect[..], &["--model", "extractive"]].concat());
    assert!(
        ran.stderr.contains("error[A0041]") || ran.stderr.contains("\"A0041\""),
        "{}",
        ran.stderr
    );
}

/// A place that any network call of a process would come to: as endpoint of the
/// models, and as proxy of all else.
struct Watched {
    listener: std::net::TcpListener,
    address: String,
}

impl Watched {
    fn new() -> Watched {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        Watched { listener, address }
    }

    fn run(&self, case: &crate::harness::Case, args: &[&str]) -> std::process::Output {
        let mut command = case.command(args);
        for name in [
            "STEADFAST_BASE_URL",
            "OPENAI_BASE_URL",
            "ANTHROPIC_BASE_URL",
        ] {
            command.env(name, &self.address);
        }
        for name in [
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
            "http_proxy",
            "https_proxy",
        ] {
            command.env(name, &self.address);
        }
        command.output().unwrap()
    }

    /// Whether anybody came. A connection waits in the queue until it is taken.
    fn was_reached(&self) -> bool {
        match self.listener.accept() {
            Ok(_) => true,
            Err(error) => {
                assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock);
                false
            }
        }
    }
}

/// With recorded and scripted models nothing leaves the machine; where a model
/// behind an endpoint is asked for, the same watch sees it come.
#[test]
fn replay_and_bisect_make_no_network_call() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.write(
        "check.yaml",
        "case_id: c\ninput: Pay the bill.\nforbidden:\n  - { skill: pay, args: { amount: 999 } }\n",
    );
    let watched = Watched::new();
    for args in [
        &["replay", "t1"][..],
        &["replay", "t1", "--with", "contract=xml"],
        &[
            "replay",
            "t1",
            "--with",
            "contract=xml",
            "--with",
            "model=script:script.yaml",
        ],
        &[
            "bisect",
            "t1",
            "--check",
            "check.yaml",
            "--model",
            "extractive",
        ],
        &[
            "bisect",
            "t1",
            "--check",
            "check.yaml",
            "--model",
            "script:script.yaml",
        ],
    ] {
        let output = watched.run(&case, args);
        assert!(
            matches!(output.status.code(), Some(0 | 1 | 3)),
            "{output:?}"
        );
        assert!(!watched.was_reached(), "{args:?} called: {output:?}");
    }
    // The control: the watch is where a call would go. It never answers, so the
    // replay is ended as soon as it has come.
    let mut command = case.command(&[
        "replay",
        "t1",
        "--with",
        "contract=xml",
        "--with",
        "model=m",
    ]);
    let mut child = command
        .env("STEADFAST_BASE_URL", &watched.address)
        .spawn()
        .unwrap();
    let came = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        watched.was_reached()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(came, "the control did not reach the endpoint");
}
