//! `steadfast mcp`, and what a run does with tools that are pinned, changed or
//! not pinned.

use std::path::Path;

use crate::harness::Case;

fn server() -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../steadfast/tests/it/mcp_server.py");
    script.display().to_string()
}

/// A case with a workflow of one state that sends by a tool, and a second server
/// that cannot start.
fn case() -> Case {
    let case = Case::new();
    case.write(
        "w.yaml",
        &format!(
            "workflow_id: w
initial_state: S1
states:
  S1: {{skill: send, on_success: DONE}}
skills:
  send: {{mcp: desk/send, effect: irreversible, description: Sends it.}}
mcp:
  desk: {{command: [python3, {}, good, .]}}
",
            server()
        ),
    );
    case.write(
        "script.yaml",
        "- call: { skill: send, args: { text: hi } }
- say: sent
",
    );
    case
}

/// The line of the tool `send`, without what its server says of it.
fn words(listed: &str) -> Vec<&str> {
    let mut lines = listed.lines().map(str::trim);
    let line = lines.find(|line| line.starts_with("send ")).unwrap();
    let line = line.split("  Sends").next().unwrap();
    line.split_whitespace().collect()
}

#[test]
fn a_tool_is_listed_pinned_called_and_refused_once_it_changed() {
    let case = case();
    let refused = case.run(&["check", "w.yaml"]);
    assert_eq!(refused.exit, 1, "{refused:?}");
    assert!(refused.stdout.contains("S0012"), "{refused:?}");

    let listed = case.run(&["mcp", "list", "w.yaml"]);
    assert_eq!(listed.exit, 1, "{listed:?}");
    assert!(listed.stdout.starts_with("desk: ready\n"), "{listed:?}");
    assert_eq!(words(&listed.stdout), ["send", "not", "pinned", "used"]);

    let pinned = case.run(&["mcp", "pin", "w.yaml"]);
    assert_eq!(pinned.exit, 0, "{pinned:?}");
    assert!(
        pinned.stdout.starts_with("desk/send  pinned  b3:"),
        "{pinned:?}"
    );
    assert_eq!(case.run(&["check", "w.yaml"]).exit, 0);
    assert_eq!(case.run(&["mcp", "list", "w.yaml"]).exit, 0);
    let again = case.run(&["mcp", "pin", "w.yaml"]);
    assert!(
        again.stdout.starts_with("desk/send  unchanged  b3:"),
        "{again:?}"
    );

    let run = [
        "run",
        "w.yaml",
        "--input",
        "send it",
        "--model",
        "script:script.yaml",
    ];
    let done = case.run(&run);
    assert_eq!((done.exit, done.stdout.as_str()), (0, "sent\n"), "{done:?}");

    // R43: the server changes the description of the pinned tool.
    case.write("changed", "");
    let listed = case.run(&["mcp", "list", "w.yaml"]);
    assert_eq!(listed.exit, 1);
    assert_eq!(words(&listed.stdout), ["send", "changed", "used"]);
    let stopped = case.run(&run);
    assert_ne!(stopped.exit, 0, "{stopped:?}");
    let calls = std::fs::metadata(case.path("called_send")).unwrap().len();
    assert_eq!(calls, 1);
    let anew = case.run(&["mcp", "pin", "w.yaml"]);
    assert!(
        anew.stdout
            .starts_with("desk/send  changed, pinned anew  b3:"),
        "{anew:?}"
    );
}

#[test]
fn a_broken_server_is_named_and_its_pins_stay() {
    let case = case();
    assert_eq!(case.run(&["mcp", "pin", "w.yaml"]).exit, 0);
    let pins = std::fs::read_to_string(case.path("w.mcp.json")).unwrap();
    case.write("down", "");
    let listed = case.run(&["mcp", "list", "w.yaml", "--json"]);
    assert_eq!(listed.exit, 1);
    assert!(
        listed.stdout.contains(r#""server":"desk","state":"down""#),
        "{listed:?}"
    );
    assert!(listed.stdout.contains("stderr: cannot bind"), "{listed:?}");
    assert_eq!(case.run(&["mcp", "pin", "w.yaml"]).exit, 1);
    assert_eq!(
        std::fs::read_to_string(case.path("w.mcp.json")).unwrap(),
        pins
    );

    case.write("w.mcp.json", "{}");
    let refused = case.run(&["check", "w.yaml"]);
    assert!(refused.stderr.contains("S0013"), "{refused:?}");
}
