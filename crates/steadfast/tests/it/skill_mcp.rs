//! Tools of servers that misbehave: each way to fail is told, bounded in time
//! and size, and keeps to its own server.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast::driver::Rest;
use steadfast::model::Script;
use steadfast::skill::mcp::{Circuit, Pins, Server, Standing};
use steadfast::skill::{SkillCall, SkillError, Skills};
use steadfast_core::event::Body;
use steadfast_core::event::skill::SkillFailure::{Lost, NotStarted, Reported, Timeout};
use steadfast_core::limits;
use steadfast_core::task::Outcome;
use steadfast_core::workflow::Spec;

use crate::skill_calls::call;
use crate::skill_http::failed;
use crate::skill_http_deeds::drive;

/// A folder that servers note their doings in.
pub(crate) struct Bench {
    pub(crate) folder: tempfile::TempDir,
}

impl Bench {
    pub(crate) fn new() -> Bench {
        Bench {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// How often something happened in a server.
    fn count(&self, what: &str) -> u64 {
        std::fs::metadata(self.path().join(what)).map_or(0, |file| file.len())
    }

    fn set(&self, switch: &str) {
        std::fs::write(self.path().join(switch), "").unwrap();
    }

    fn unset(&self, switch: &str) {
        std::fs::remove_file(self.path().join(switch)).unwrap();
    }

    /// The declaration of a server with these manners.
    fn server(&self, manners: &str) -> Value {
        let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/it/mcp_server.py");
        json!({
            "command": ["python3", script, manners, self.path()],
            "start_timeout_ms": 5_000,
        })
    }
}

/// A workflow whose skills `SKILL: (SERVER/TOOL, effect)` are there to be called.
fn spec(servers: Value, skills: &[(&str, &str, &str)]) -> Spec {
    let entries = skills.iter().map(|(name, place, effect)| {
        let entry = json!({
            "kind": "mcp", "mcp": place, "effect": effect, "input": { "type": "object" },
            "retry": { "attempts": 4, "backoff_ms": 1 },
        });
        ((*name).to_owned(), entry)
    });
    let first = skills[0].0;
    serde_json::from_value(json!({
        "workflow_id": "w", "initial_state": "S",
        "states": { "S": { "skill": first, "on_success": "DONE", "on_failure": "S_RETRY" } },
        "mcp": servers,
        "skills": entries.collect::<serde_json::Map<_, _>>(),
    }))
    .unwrap()
}

/// The same with every tool pinned as a well-behaved server of `bench` offers it.
async fn pinned(mut spec: Spec, bench: &Bench) -> Spec {
    let reference = serde_json::from_value(bench.server("good")).unwrap();
    let server = Server::new("reference", &reference, Path::new(".")).unwrap();
    let tools = server.tools().await.unwrap();
    let mut pins = Pins::default();
    for name in spec.mcp.keys() {
        tools.iter().for_each(|tool| pins.add(name, tool));
    }
    pins.fill(&mut spec);
    for file in ["listed", "started"] {
        bench.unset(file);
    }
    spec
}

fn build(spec: &Spec) -> Skills {
    Skills::build(spec, Path::new("."), &Default::default()).unwrap()
}

async fn run(skills: &Skills, name: &str, args: Value) -> Result<Value, SkillError> {
    skills.get(name).unwrap().call(&call(args)).await
}

async fn within(skills: &Skills, name: &str, timeout_ms: u64) -> Result<Value, SkillError> {
    let call = SkillCall {
        timeout_ms,
        ..call(json!({}))
    };
    skills.get(name).unwrap().call(&call).await
}

/// One server `s` with a skill for each tool, all reads unless said otherwise.
async fn one(bench: &Bench, manners: &str, skills: &[(&str, &str, &str)]) -> Skills {
    let spec = spec(json!({ "s": bench.server(manners) }), skills);
    build(&pinned(spec, bench).await)
}

#[tokio::test]
async fn a_tool_is_called_and_what_it_says_is_data() {
    let bench = Bench::new();
    let tools = [
        ("echo", "s/echo", "read"),
        ("fail", "s/fail", "irreversible"),
        ("refuse", "s/refuse", "irreversible"),
        ("broken", "s/break", "irreversible"),
        ("broken_read", "s/break", "read"),
    ];
    let skills = one(&bench, "good", &tools).await;
    let args = json!({ "text": "汉字", "n": [1] });
    assert_eq!(run(&skills, "echo", args.clone()).await, Ok(args));
    assert_eq!(
        failed(run(&skills, "fail", json!({})).await),
        (
            Reported,
            "`fail`: tool `fail` says that it failed: {\"text\":\"no such account\"}".to_owned()
        )
    );
    for (name, class) in [
        ("refuse", Reported),
        ("broken", Lost),
        ("broken_read", Reported),
    ] {
        let (was, message) = failed(run(&skills, name, json!({})).await);
        assert_eq!(was, class, "{message}");
    }
    assert_eq!(bench.count("started"), 1, "one connection serves all calls");
}

/// R110: a call that never comes back ends at its deadline, the server is told,
/// and the next call goes through.
#[tokio::test]
async fn r110_a_call_that_hangs_ends_at_its_deadline_and_is_cancelled() {
    let bench = Bench::new();
    let tools = [
        ("hang", "s/hang", "irreversible"),
        ("echo", "s/echo", "read"),
    ];
    let skills = one(&bench, "good", &tools).await;
    run(&skills, "echo", json!({})).await.unwrap();
    let started = Instant::now();
    let (class, message) = failed(within(&skills, "hang", 400).await);
    assert_eq!(
        (class, message.as_str()),
        (Timeout, "`hang`: server `s` did not answer in time")
    );
    assert!(started.elapsed() < Duration::from_secs(3));
    run(&skills, "echo", json!({})).await.unwrap();
    assert_eq!(bench.count("cancelled"), 1);
    // A user's interrupt drops the call: the server hears of that too.
    let interrupted =
        tokio::time::timeout(Duration::from_millis(200), within(&skills, "hang", 60_000));
    assert!(interrupted.await.is_err());
    run(&skills, "echo", json!({})).await.unwrap();
    assert_eq!(
        (bench.count("cancelled"), bench.count("called_hang")),
        (2, 2)
    );
}

#[tokio::test]
async fn r110_a_server_that_never_begins_is_given_up_in_time() {
    let bench = Bench::new();
    let mut server = bench.server("hang_at_start");
    server["start_timeout_ms"] = json!(300);
    let spec = spec(
        json!({ "s": server }),
        &[("echo", "s/echo", "irreversible")],
    );
    let skills = build(&pinned(spec, &bench).await);
    let started = Instant::now();
    let (class, message) = failed(within(&skills, "echo", 10_000).await);
    assert_eq!(
        (class, message.as_str()),
        (
            NotStarted,
            "`echo`: server `s`: the server did not begin within 300 ms"
        )
    );
    assert!(started.elapsed() < Duration::from_secs(5));
}

/// A crash in a call leaves a deed in doubt, and a read failed; the next call
/// starts the server anew.
#[tokio::test]
async fn a_crash_is_told_with_its_last_words_and_the_server_comes_back() {
    let bench = Bench::new();
    let tools = [
        ("deed", "s/crash", "irreversible"),
        ("look", "s/crash", "read"),
        ("echo", "s/echo", "read"),
    ];
    let skills = one(&bench, "good", &tools).await;
    for (name, class) in [("deed", Lost), ("look", Reported)] {
        let (was, message) = failed(run(&skills, name, json!({})).await);
        assert_eq!(was, class);
        assert!(message.contains("stderr: the disk is full"), "{message}");
        run(&skills, "echo", json!({})).await.unwrap();
    }
    assert_eq!(bench.count("started"), 3);
}

/// A flood is cut off: one endless line, and endless lines.
#[tokio::test]
async fn a_flood_is_cut_off_with_an_error() {
    for tool in ["flood", "lines"] {
        let bench = Bench::new();
        let tools = [
            ("flood", &*format!("s/{tool}"), "irreversible"),
            ("echo", "s/echo", "read"),
        ];
        let skills = one(&bench, "good", &tools).await;
        let started = Instant::now();
        let (class, message) = failed(within(&skills, "flood", 60_000).await);
        assert_eq!(class, Lost);
        assert!(
            message.contains("it was cut off for sending more than"),
            "{message}"
        );
        assert!(started.elapsed() < Duration::from_secs(50));
        run(&skills, "echo", json!({})).await.unwrap();
    }
}

#[tokio::test]
async fn garbage_and_answers_to_others_are_no_results() {
    let bench = Bench::new();
    let tools = [
        ("garbage", "s/garbage", "read"),
        ("wrong_id", "s/wrong_id", "irreversible"),
        ("echo", "s/echo", "read"),
    ];
    let skills = one(&bench, "good", &tools).await;
    // What is no message is passed over; the answer behind it is the answer.
    assert_eq!(
        within(&skills, "garbage", 5_000).await,
        Ok(json!({ "text": "after the garbage" }))
    );
    let (class, _) = failed(within(&skills, "wrong_id", 400).await);
    assert_eq!(class, Timeout);
    run(&skills, "echo", json!({})).await.unwrap();
}

#[tokio::test]
async fn a_list_that_never_ends_is_given_up() {
    let bench = Bench::new();
    let skills = one(&bench, "endless_pages", &[("echo", "s/echo", "read")]).await;
    let (class, message) = failed(run(&skills, "echo", json!({})).await);
    assert_eq!(class, NotStarted);
    assert!(message.contains("more than 32 pages"), "{message}");
}

/// R43: a description that changes after the tool was pinned stops its calls;
/// the order of keys does not; a rename is a tool that was lost.
#[tokio::test]
async fn r43_a_changed_tool_is_not_called() {
    let bench = Bench::new();
    let tools = [
        ("send", "s/send", "irreversible"),
        ("change", "s/change", "read"),
        ("echo", "s/echo", "read"),
    ];
    let spec = pinned(spec(json!({ "s": bench.server("good") }), &tools), &bench).await;
    bench.set("reordered");
    let skills = build(&spec);
    run(&skills, "send", json!({ "text": "hi" })).await.unwrap();
    // The server changes it while it runs, and says so.
    run(&skills, "change", json!({})).await.unwrap();
    let expected = "`send`: tool `send` of server `s` is not the one that was pinned; look at it \
                    with `steadfast mcp list` and pin it anew with `steadfast mcp pin`";
    let refused = failed(run(&skills, "send", json!({})).await);
    assert_eq!(refused, (Reported, expected.to_owned()));
    run(&skills, "echo", json!({})).await.unwrap();
    // The same after a reconnect.
    let skills = build(&spec);
    assert_eq!(
        failed(run(&skills, "send", json!({})).await),
        (Reported, expected.to_owned())
    );
    assert_eq!(bench.count("called_send"), 1);

    let server = Server::new("s", &spec.mcp["s"], Path::new(".")).unwrap();
    let offered = server.tools().await.unwrap();
    let standing = |name: &str| server.standings(&offered).get(name).copied();
    assert_eq!(standing("send"), Some(Standing::Changed));
    assert_eq!(standing("echo"), Some(Standing::Pinned));

    bench.unset("changed");
    bench.set("renamed");
    let skills = build(&spec);
    let (class, message) = failed(run(&skills, "send", json!({})).await);
    assert_eq!(
        (class, message.as_str()),
        (
            NotStarted,
            "`send`: tool `send` is lost: server `s` does not offer it now"
        )
    );
    assert_eq!(bench.count("called_send"), 1);
    let offered = server.tools().await.unwrap();
    assert_eq!(server.standings(&offered)["renamed"], Standing::Unpinned);
    assert_eq!(server.standings(&offered)["send"], Standing::Lost);
}

/// What a server says of its tools reaches no model, and its hints decide
/// nothing: the effect is the workflow's.
#[tokio::test]
async fn words_and_hints_of_a_server_are_not_believed() {
    let bench = Bench::new();
    let mut spec = spec(
        json!({ "s": bench.server("good") }),
        &[("send", "s/send", "irreversible")],
    );
    spec.skills.get_mut("send").unwrap().input = Value::Null;
    let spec = pinned(spec, &bench).await;
    let entry = &spec.skills["send"];
    assert_eq!(
        entry.input,
        json!({ "type": "object", "properties": { "text": { "type": "string" } } })
    );
    assert_eq!(entry.description, "");
    let skills = build(&spec);
    let skill = skills.get("send").unwrap().spec();
    assert_eq!(
        skill.effect,
        Some(steadfast_core::workflow::spec::EffectClass::Irreversible),
        "the server says `readOnlyHint`"
    );
}

/// R109: two servers; the one that is down fails its own calls at once, and is
/// usable again when it is back, without a restart. The other never notices.
#[tokio::test]
async fn r109_one_broken_server_takes_nothing_else_down() {
    let (down, well) = (Bench::new(), Bench::new());
    let skills = [("a", "s1/echo", "irreversible"), ("b", "s2/echo", "read")];
    let servers = json!({ "s1": down.server("good"), "s2": well.server("good") });
    let spec = pinned(spec(servers, &skills), &well).await;
    let skills = build(&spec);
    let good = async || run(&skills, "b", json!({ "n": 1 })).await.unwrap();
    down.set("down");
    for _ in 0..limits::MCP_FAILURES_IN_A_ROW {
        let (class, message) = failed(run(&skills, "a", json!({})).await);
        assert_eq!(class, NotStarted);
        assert!(message.contains("the server did not begin"), "{message}");
        good().await;
    }
    // Open: no attempt is made, and the caller is told when to come again.
    let tried = down.count("started");
    let error = run(&skills, "a", json!({})).await.unwrap_err();
    assert_eq!(error.class, NotStarted);
    assert!(
        error.message.contains("failed several times"),
        "{}",
        error.message
    );
    assert!(error.retry_after_ms.unwrap() <= limits::MCP_PAUSE_MS_MIN);
    assert_eq!(down.count("started"), tried);
    good().await;

    down.unset("down");
    tokio::time::sleep(Duration::from_millis(limits::MCP_PAUSE_MS_MIN + 50)).await;
    assert_eq!(
        run(&skills, "a", json!({ "n": 2 })).await,
        Ok(json!({ "n": 2 }))
    );
    good().await;
    assert_eq!(well.count("started"), 1, "its connection was never touched");
}

/// A slow start of one server delays the calls of that server only.
#[tokio::test]
async fn r109_a_slow_server_delays_nobody_else() {
    let bench = Bench::new();
    let servers = json!({ "slow": bench.server("hang_at_start"), "well": bench.server("good") });
    let skills = [("a", "slow/echo", "read"), ("b", "well/echo", "read")];
    let skills = build(&pinned(spec(servers, &skills), &bench).await);
    let slow = within(&skills, "a", 3_000);
    let fast = async {
        let started = Instant::now();
        run(&skills, "b", json!({})).await.unwrap();
        started.elapsed()
    };
    let (slow, fast) = tokio::join!(slow, fast);
    assert_eq!(failed(slow).0, NotStarted);
    assert!(fast < Duration::from_secs(2), "{fast:?}");
}

fn messages(events: &[Body]) -> Vec<&'static str> {
    let kinds = events.iter().filter_map(|body| match body {
        Body::SkillFailed(_) => Some("failed"),
        Body::SkillReturned(_) => Some("returned"),
        _ => None,
    });
    kinds.collect()
}

/// R108: the list fails once, or lacks the tool once. The failure is an event,
/// the model's substitute is refused, and the proper tool is called once.
#[tokio::test]
async fn r108_a_lost_tool_is_not_silently_replaced() {
    for manners in ["list_fails_once", "lost_once"] {
        let bench = Bench::new();
        let skills = [("price", "s/send", "read"), ("web", "s/echo", "read")];
        let mut spec = pinned(spec(json!({ "s": bench.server(manners) }), &skills), &bench).await;
        // A list that was good is asked for anew after each failure.
        spec.skills.get_mut("price").unwrap().timeout_ms = Some(8_000);
        let model = Script::new()
            .call("web", json!({ "text": "price of tea" }))
            .call("price", json!({ "text": "tea" }))
            .say("done");
        let run = drive(serde_json::to_value(&spec).unwrap(), Path::new("."), model).await;
        assert!(
            matches!(run.rest, Rest::Ended(Outcome::Completed { .. })),
            "{manners}: {:?}",
            run.rest
        );
        assert_eq!(bench.count("called_echo"), 0);
        assert_eq!(bench.count("called_send"), 1);
        assert_eq!(messages(&run.events), ["failed", "returned"], "{manners}");
    }
}

/// The environment of a server is what is declared and nothing more.
#[tokio::test]
async fn a_server_gets_the_secrets_that_are_declared_for_it() {
    let bench = Bench::new();
    std::fs::write(bench.path().join("token"), "sk-1\n").unwrap();
    let mut server = bench.server("good");
    server["env"] =
        json!({ "TOKEN": format!("file:{}/token", bench.path().display()), "MODE": "x" });
    let spec = spec(json!({ "s": server }), &[("env", "s/env", "read")]);
    let skills = build(&pinned(spec, &bench).await);
    let env = run(&skills, "env", json!({})).await.unwrap();
    let env = env.as_object().unwrap();
    assert_eq!((&env["TOKEN"], &env["MODE"]), (&json!("sk-1"), &json!("x")));
    let inherited = ["CARGO_MANIFEST_DIR", "CARGO", "USER"];
    assert!(
        inherited.iter().all(|name| !env.contains_key(*name)),
        "{env:?}"
    );
    let secrets = skills.get("env").unwrap().secrets().unwrap();
    assert_eq!(
        secrets.iter().map(|one| one.reveal()).collect::<Vec<_>>(),
        ["sk-1"]
    );
}

#[test]
fn what_does_not_fit_is_named_with_code_and_hint() {
    let servers = json!({
        "none": {}, "both": { "command": ["x"], "url": "https://h/" },
        "inner": { "url": "http://127.0.0.1:1/mcp" }, "s": { "command": ["x"] },
    });
    let skills = [
        ("a", "s/tool", "read"),
        ("b", "nobody/tool", "read"),
        ("c", "s", "read"),
    ];
    let errors = Skills::build(&spec(servers, &skills), Path::new("."), &Default::default());
    let shown: String = errors
        .unwrap_err()
        .iter()
        .map(|error| {
            let problem = error.problem();
            let hint = problem.hint.unwrap();
            format!(
                "{} {}: {error}\n  {hint}\n",
                problem.code,
                problem.path.join(".")
            )
        })
        .collect();
    expect_test::expect![[r#"
        S0010 mcp.both: server `both`: `command` and `url` exclude each other
          see docs/skills.md for what a server needs
        S0010 mcp.inner: server `inner`: `127.0.0.1` is a loopback address, and `private_hosts` does not name it
          see docs/skills.md for what a server needs
        S0010 mcp.none: server `none`: it has neither `command` nor `url`
          see docs/skills.md for what a server needs
        S0012 skills.a.mcp: skill `a`: tool `tool` of server `s` is not pinned
          look at what it does with `steadfast mcp list WORKFLOW`, then pin it with `steadfast mcp pin WORKFLOW`
        S0011 skills.b.mcp: skill `b`: no server `nobody` is declared under `mcp`
          see docs/skills.md for how a tool is named
        S0011 skills.c.mcp: skill `c`: write `mcp: SERVER/TOOL`
          see docs/skills.md for how a tool is named
    "#]]
    .assert_eq(&shown);
}

#[tokio::test]
async fn a_breaker_is_seen_from_outside() {
    let bench = Bench::new();
    let declared = serde_json::from_value(bench.server("dies_at_start")).unwrap();
    let server = Server::new("s", &declared, Path::new(".")).unwrap();
    assert_eq!(server.circuit(), Circuit::Closed);
    for _ in 0..limits::MCP_FAILURES_IN_A_ROW {
        let error = server.tools().await.unwrap_err();
        assert!(error.message.contains("stderr: cannot bind"), "{error}");
    }
    assert!(matches!(server.circuit(), Circuit::Open(_)));
}
