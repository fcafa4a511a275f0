//! Tools of servers that others wrote, as `cargo xtask mcp` installs them.
//!
//! Without `STEADFAST_MCP_SERVERS` (the folder of the installation) each test
//! says that it was skipped. With it, a server that is missing is a failure,
//! except those of npm where there is no Node.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use steadfast::skill::mcp::{Pins, Server, Standing};
use steadfast::skill::{SkillError, Skills};
use steadfast_core::event::skill::SkillFailure::Reported;

use crate::skill_calls::call;
use crate::skill_http::failed;

const FOLDER: &str = "STEADFAST_MCP_SERVERS";

#[allow(clippy::print_stderr, reason = "a skipped test says so")]
fn skipped(test: &str, why: &str) {
    eprintln!("{test}: skipped: {why}");
}

fn folder(test: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(FOLDER).map(PathBuf::from);
    if folder.is_none() {
        let why = format!("{FOLDER} is not set; `cargo xtask mcp` installs the servers");
        skipped(test, &why);
    }
    folder
}

/// The script of a server of npm.
fn of_npm(test: &str) -> Option<PathBuf> {
    let folder = folder(test)?.join("npm");
    if !folder.exists() {
        let why = "there is no Node, so `cargo xtask mcp` installed no npm server";
        skipped(test, why);
        return None;
    }
    let script = folder.join("node_modules/@modelcontextprotocol/server-everything/dist/index.js");
    assert!(script.exists(), "{}", script.display());
    Some(script)
}

/// All tools of a server as skills of their own names, pinned as offered.
async fn skills(server: Value) -> (Skills, Vec<String>) {
    let declared = serde_json::from_value(server.clone()).unwrap();
    let connected = Server::new("s", &declared, Path::new(".")).unwrap();
    let tools = connected.tools().await.unwrap();
    let mut pins = Pins::default();
    tools.iter().for_each(|tool| pins.add("s", tool));
    let entries = tools.iter().map(|tool| {
        let entry = json!({ "kind": "mcp", "mcp": format!("s/{}", tool.name), "effect": "read" });
        (tool.name.clone(), entry)
    });
    let mut spec = serde_json::from_value(json!({
        "workflow_id": "w", "initial_state": "S",
        "states": { "S": { "skill": tools[0].name, "on_success": "DONE" } },
        "mcp": { "s": server },
        "skills": entries.collect::<serde_json::Map<_, _>>(),
    }))
    .unwrap();
    pins.fill(&mut spec);
    // Another process of the same server has the same tools, to the byte.
    let again = Server::new("s", &spec.mcp["s"], Path::new(".")).unwrap();
    let offered = again.tools().await.unwrap();
    let standings = again.standings(&offered);
    assert!(
        standings.values().all(|one| *one == Standing::Pinned),
        "{standings:?}"
    );
    let names = tools.into_iter().map(|tool| tool.name).collect();
    (
        Skills::build(&spec, Path::new("."), &Default::default()).unwrap(),
        names,
    )
}

async fn ask(skills: &Skills, name: &str, args: Value) -> Result<Value, SkillError> {
    skills.get(name).unwrap().call(&call(args)).await
}

#[tokio::test]
async fn the_time_server_of_pypi() {
    let Some(folder) = folder("the_time_server_of_pypi") else {
        return;
    };
    let program = folder.join("venv/bin/mcp-server-time");
    let server = json!({
        "command": [program, "--local-timezone", "Asia/Shanghai"], "start_timeout_ms": 60_000,
    });
    let (skills, names) = skills(server).await;
    assert!(names.contains(&"convert_time".to_owned()), "{names:?}");
    let args = json!({
        "source_timezone": "UTC", "time": "12:30", "target_timezone": "Asia/Shanghai",
    });
    let converted = ask(&skills, "convert_time", args).await.unwrap();
    let time = converted["target"]["datetime"].as_str().unwrap();
    assert!(time.ends_with("T20:30:00+08:00"), "{converted}");
    let args = json!({ "source_timezone": "UTC", "time": "99:99", "target_timezone": "UTC" });
    let (class, message) = failed(ask(&skills, "convert_time", args).await);
    assert_eq!(class, Reported);
    assert!(message.contains("says that it failed"), "{message}");
}

#[tokio::test]
async fn the_git_server_of_pypi() {
    let Some(folder) = folder("the_git_server_of_pypi") else {
        return;
    };
    let repository = tempfile::tempdir().unwrap();
    let git = |args: &[&str]| {
        let status = std::process::Command::new("git")
            .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.test"])
            .args(args)
            .current_dir(repository.path())
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{args:?}");
    };
    git(&["init", "--quiet"]);
    std::fs::write(repository.path().join("茶.md"), "tea\n").unwrap();
    git(&["add", "."]);
    git(&["commit", "--quiet", "-m", "first cup"]);
    let program = folder.join("venv/bin/mcp-server-git");
    let server = json!({
        "command": [program, "--repository", repository.path()], "start_timeout_ms": 60_000,
    });
    let (skills, _) = skills(server).await;
    let args = json!({ "repo_path": repository.path() });
    let log = ask(&skills, "git_log", args).await.unwrap();
    assert!(log.to_string().contains("first cup"), "{log}");
    let elsewhere = ask(&skills, "git_log", json!({ "repo_path": "/" })).await;
    assert_eq!(failed(elsewhere).0, Reported);
}

#[tokio::test]
async fn the_everything_server_of_npm_on_its_pipes() {
    let Some(script) = of_npm("the_everything_server_of_npm_on_its_pipes") else {
        return;
    };
    let (skills, _) = skills(json!({
        "command": ["node", script, "stdio"], "start_timeout_ms": 60_000,
    }))
    .await;
    everything(&skills).await;
}

#[tokio::test]
async fn the_everything_server_of_npm_over_http() {
    let Some(script) = of_npm("the_everything_server_of_npm_over_http") else {
        return;
    };
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let mut server = tokio::process::Command::new("node")
        .arg(script)
        .arg("streamableHttp")
        .env("PORT", port.to_string())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    for _ in 0..300 {
        assert_eq!(server.try_wait().unwrap(), None, "the server ended");
        if tokio::net::TcpStream::connect(("127.0.0.1", port))
            .await
            .is_ok()
        {
            break;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let (skills, _) = skills(json!({
        "url": format!("http://127.0.0.1:{port}/mcp"), "private_hosts": ["127.0.0.1"],
        "start_timeout_ms": 30_000,
    }))
    .await;
    everything(&skills).await;
    // R109: it goes away and its skills say so.
    server.kill().await.unwrap();
    assert!(
        ask(&skills, "echo", json!({ "message": "x" }))
            .await
            .is_err()
    );
}

async fn everything(skills: &Skills) {
    assert_eq!(
        ask(skills, "echo", json!({ "message": "汉字" })).await,
        Ok(json!({ "text": "Echo: 汉字" }))
    );
    let wrong = failed(ask(skills, "echo", json!({ "message": 7 })).await);
    assert_eq!(wrong.0, Reported, "{}", wrong.1);
    let image = ask(skills, "get-tiny-image", json!({})).await.unwrap();
    let blocks = image["content"].as_array().unwrap();
    let sizes: Vec<&Value> = blocks
        .iter()
        .filter_map(|one| one.get("base64_bytes"))
        .collect();
    assert_eq!(sizes.len(), 1, "{image}");
    let structured = ask(
        skills,
        "get-structured-content",
        json!({ "location": "Chicago" }),
    );
    let structured = structured.await.unwrap();
    assert!(structured.get("temperature").is_some(), "{structured}");
}
