//! External programs: how each way to end is told, and that nothing a program
//! does can keep the runtime waiting.

#![cfg(unix)]

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use steadfast::skill::{CommandSkill, Skill, SkillCall, SkillError};
use steadfast_core::event::skill::SkillFailure::{Lost, NotStarted, Reported, Timeout};
use steadfast_core::workflow::spec::EffectClass;

use crate::skill_calls::{call, entry};

fn skill(effect: Option<EffectClass>, config: Value) -> CommandSkill {
    let mut spec = entry("command", config);
    spec.effect = effect;
    CommandSkill::new("tool".into(), spec, Path::new(".")).unwrap()
}

fn sh(script: &str) -> CommandSkill {
    skill(None, json!({ "command": ["sh", "-c", script] }))
}

async fn run(skill: &CommandSkill, args: Value) -> Result<Value, SkillError> {
    skill.call(&call(args)).await
}

fn failed(
    result: Result<Value, SkillError>,
) -> (steadfast_core::event::skill::SkillFailure, String) {
    let error = result.unwrap_err();
    (error.class, error.message)
}

#[tokio::test]
async fn arguments_go_in_and_one_value_comes_out() {
    let args = json!({ "text": "汉字 \"quoted\"\nline", "n": 3 });
    assert_eq!(run(&sh("cat"), args.clone()).await, Ok(args));
    assert_eq!(
        run(&sh("echo ' [1, 2] '"), json!({})).await,
        Ok(json!([1, 2]))
    );
}

#[tokio::test]
async fn an_exit_code_is_a_reported_failure_with_the_end_of_stderr() {
    let (class, message) = failed(
        run(
            &sh("echo out; echo first >&2; echo 磁盘已满 >&2; exit 3"),
            json!({}),
        )
        .await,
    );
    assert_eq!(class, Reported);
    assert_eq!(
        message,
        "`tool` failed: exit code 3; stderr: first\n磁盘已满"
    );

    let tail =
        json!({ "command": ["sh", "-c", "echo abcdefgh >&2; exit 1"], "stderr_limit_bytes": 5 });
    let (_, message) = failed(run(&skill(None, tail), json!({})).await);
    assert_eq!(
        message,
        "`tool` failed: exit code 1; stderr (after 4 bytes): efgh"
    );
}

#[tokio::test]
async fn a_killed_program_leaves_the_deed_in_doubt() {
    let (class, message) = failed(run(&sh("kill -9 $$"), json!({})).await);
    assert_eq!(class, Lost);
    assert!(message.contains("it was killed (signal: 9"), "{message}");
}

#[tokio::test]
async fn a_program_that_cannot_start_did_nothing() {
    let missing = skill(None, json!({ "command": ["/no/such/program"] }));
    let (class, message) = failed(run(&missing, json!({})).await);
    assert_eq!(class, NotStarted);
    assert!(message.starts_with("`tool` could not start `/no/such/program`: No such file"));

    let nowhere = skill(
        None,
        json!({ "command": ["true"], "cwd": "no/such/folder" }),
    );
    let (class, message) = failed(run(&nowhere, json!({})).await);
    assert_eq!(class, NotStarted);
    assert!(message.contains("its `cwd` is no folder"), "{message}");
}

/// The program is over its time, and so is the child that it started, which
/// holds the same pipes.
#[tokio::test]
async fn the_deadline_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let script = format!("(sleep 2; touch {}) & sleep 60", mark.display());
    let began = Instant::now();
    let mut short = call(json!({}));
    short.timeout_ms = 300;
    let (class, message) = failed(sh(&script).call(&short).await);
    assert_eq!(class, Timeout);
    assert_eq!(message, "`tool` did not end within 300 ms and was killed");
    assert!(
        began.elapsed() < Duration::from_millis(1_500),
        "{:?}",
        began.elapsed()
    );
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert!(
        !mark.exists(),
        "the grandchild went on after the call was over"
    );
}

#[tokio::test]
async fn an_abandoned_call_ends_the_whole_group() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let script = format!("(sleep 1; touch {}) & wait", mark.display());
    let tool = sh(&script);
    let one = call(json!({}));
    let abandoned = tokio::time::timeout(Duration::from_millis(300), tool.call(&one));
    assert!(abandoned.await.is_err());
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    assert!(
        !mark.exists(),
        "the grandchild went on after the call was abandoned"
    );
}

/// A process left behind holds stdout open; what the program itself printed
/// counts, and its end is the end of the call.
#[tokio::test]
async fn a_process_left_behind_does_not_keep_us_waiting() {
    let began = Instant::now();
    assert_eq!(
        run(&sh("sleep 60 & echo '{\"ok\":true}'"), json!({})).await,
        Ok(json!({"ok": true}))
    );
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
}

#[tokio::test]
async fn too_much_output_is_an_error_that_names_limit_and_size() {
    for (effect, class) in [
        (Some(EffectClass::Read), Reported),
        (Some(EffectClass::Idempotent), Lost),
        (Some(EffectClass::Irreversible), Lost),
        (None, Lost),
    ] {
        let config = json!({ "command": ["yes"], "output_limit_bytes": 1000 });
        let (found, message) = failed(run(&skill(effect, config), json!({})).await);
        assert_eq!(found, class, "{effect:?}");
        assert_eq!(
            message,
            "`tool` printed more than the 1000 bytes that `output_limit_bytes` allows and was \
             killed after 1001"
        );
    }
    let exact = json!({ "command": ["printf", "[%s]", "12345678"], "output_limit_bytes": 10 });
    assert_eq!(
        run(&skill(None, exact), json!({})).await,
        Ok(json!([12_345_678]))
    );
}

#[tokio::test]
async fn a_flood_on_stderr_neither_blocks_nor_counts() {
    let script = "head -c 5000000 /dev/zero >&2; echo 1";
    assert_eq!(run(&sh(script), json!({})).await, Ok(json!(1)));
}

#[tokio::test]
async fn output_that_is_not_one_json_value_is_judged_by_effect() {
    for (script, what) in [
        ("echo hello", "its output is not one JSON value: not JSON"),
        ("echo 1 2", "its output is not one JSON value: not JSON"),
        (
            "echo '{\"a\":1,\"a\":2}'",
            "its output is not one JSON value: not JSON",
        ),
        ("true", "it printed nothing"),
        ("printf '\\377'", "its output is not UTF-8"),
    ] {
        for (effect, class) in [(Some(EffectClass::Read), Reported), (None, Lost)] {
            let tool = skill(effect, json!({ "command": ["sh", "-c", script] }));
            let (found, message) = failed(run(&tool, json!({})).await);
            assert_eq!(found, class, "{script}");
            assert!(
                message.starts_with(&format!("`tool` ended well, but {what}")),
                "{message}"
            );
        }
    }
}

/// 8 MiB in and out at once: with blocking pipes both sides would wait.
#[tokio::test]
async fn a_large_input_does_not_deadlock_with_a_large_output() {
    let args = json!({ "text": "数据".repeat(1_400_000) });
    let config = json!({ "command": ["cat"], "output_limit_bytes": 16_000_000 });
    assert!(run(&skill(None, config), args.clone()).await == Ok(args));
}

#[tokio::test]
async fn a_program_may_leave_its_input_unread() {
    let args = json!({ "text": "x".repeat(3_000_000) });
    assert_eq!(run(&sh("echo 7"), args).await, Ok(json!(7)));
}

#[tokio::test]
async fn the_environment_is_what_was_allowed_and_set() {
    let names = |config: Value| async move {
        let tool = skill(None, config);
        let value = run(&tool, json!({})).await.unwrap();
        value
            .as_array()
            .unwrap()
            .iter()
            .map(|n| n.as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    // Prints the names of all variables but the ones that a shell makes itself.
    let script = "env | cut -d= -f1 | grep -vE '^(PWD|OLDPWD|SHLVL|_)$' | sort | \
                  awk 'BEGIN{printf \"[\"} {printf \"%s\\\"%s\\\"\", s, $0; s=\",\"} END{print \"]\"}'";
    let ours = [
        "STEADFAST_ATTEMPT",
        "STEADFAST_CALL",
        "STEADFAST_IDEMPOTENCY_KEY",
        "STEADFAST_TASK",
    ];

    let default = names(json!({ "command": ["sh", "-c", script] })).await;
    for name in &default {
        let known = steadfast::skill::command::ENV_DEFAULT.contains(&name.as_str());
        assert!(
            known || ours.contains(&name.as_str()),
            "`{name}` was inherited"
        );
    }
    assert!(default.contains(&"PATH".to_owned()));

    // CARGO_MANIFEST_DIR is there in every test run, so it can tell.
    let own = json!({ "command": ["sh", "-c", script],
        "env": { "allow": ["PATH", "CARGO_MANIFEST_DIR", "NOT_THERE"], "set": { "TOKEN": "t" } } });
    let mut expected = vec!["CARGO_MANIFEST_DIR", "PATH"];
    expected.extend(ours);
    expected.push("TOKEN");
    assert_eq!(names(own).await, expected);
}

#[tokio::test]
async fn the_call_is_told_who_it_is() {
    let script = "printf '[\"%s\",\"%s\",\"%s\",%s]' \"$STEADFAST_TASK\" \"$STEADFAST_CALL\" \
                  \"$STEADFAST_IDEMPOTENCY_KEY\" \"$STEADFAST_ATTEMPT\"";
    let one: SkillCall = call(json!({}));
    let expected = json!(["t_test", "s3.1", one.key.to_string(), 2]);
    assert_eq!(sh(script).call(&one).await, Ok(expected));
}

#[tokio::test]
async fn paths_start_at_the_workflow_folder_and_words_are_not_expanded() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("sub")).unwrap();
    let config = json!({ "command": ["sh", "-c", "printf '[\"%s\",\"%s\"]' \"$(basename \"$PWD\")\" \"$1\"",
                                     "sh", "$HOME *"], "cwd": "sub" });
    let tool = CommandSkill::new("tool".into(), entry("command", config), folder.path()).unwrap();
    assert_eq!(
        tool.call(&call(json!({}))).await,
        Ok(json!(["sub", "$HOME *"]))
    );
}

#[test]
fn a_configuration_that_does_not_fit_is_refused() {
    for (config, why) in [
        (
            json!(null),
            "invalid type: null, expected struct CommandConfig",
        ),
        (json!({ "command": [] }), "`command` names no program"),
        (
            json!({ "command": ["x"], "shell": true }),
            "unknown field `shell`",
        ),
        (
            json!({ "command": ["x"], "env": { "set": { "A=B": "" } } }),
            "`A=B` cannot name a variable",
        ),
        (
            json!({ "command": ["x"], "env": { "set": { "STEADFAST_TASK": "" } } }),
            "`STEADFAST_TASK`: names",
        ),
        (
            json!({ "command": ["x"], "output_limit_bytes": 0 }),
            "`output_limit_bytes` is not within",
        ),
    ] {
        let error =
            CommandSkill::new("tool".into(), entry("command", config), Path::new(".")).unwrap_err();
        assert!(error.starts_with(why), "{error}");
    }
}

/// The rule of a skill holds at each of its calls, before anything runs.
#[tokio::test]
async fn r78_a_forbidden_program_starts_nothing() {
    let config = |programs: Value| {
        json!({ "command": ["sh", "-c", "echo ran >> ran; echo '{}'"],
            "forbid": { "argument": "line", "programs": programs } })
    };
    let folder = tempfile::tempdir().unwrap();
    let spec = entry("command", config(json!(["sudo"])));
    let tool = CommandSkill::new("tool".into(), spec, folder.path()).unwrap();
    for line in ["cd x && sudo id", "env A=1 sudo id", "/usr/bin/sudo id"] {
        let (class, message) = failed(run(&tool, json!({ "line": line })).await);
        assert_eq!(class, Reported);
        assert_eq!(
            message,
            "`tool` ran nothing: argument `line`: it runs `sudo`, which is forbidden"
        );
    }
    for args in [json!({}), json!({ "line": "$X id" }), json!({ "line": 1 })] {
        let (class, _) = failed(run(&tool, args).await);
        assert_eq!(class, Reported);
    }
    assert!(!folder.path().join("ran").exists());
    let allowed = json!({ "line": "grep 'sudo id' f" });
    assert_eq!(run(&tool, allowed).await, Ok(json!({})));
    assert!(folder.path().join("ran").exists());
    for programs in [json!([]), json!(["/usr/bin/sudo"]), json!(["sudo *"])] {
        let spec = entry("command", config(programs));
        assert!(CommandSkill::new("tool".into(), spec, folder.path()).is_err());
    }
}
