//! `check`, `schema` and `completions`.

use expect_test::expect;

use crate::harness::Case;

const WORKFLOW: &str = "workflow_id: w
initial_state: S1
states:
  S1:
    skill: extract_keywords
    on_success: S7
    on_failure: S1_RETRY
  S2:
    skill: format_check
    on_success: DONE
";

#[test]
fn findings_have_places() {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW);
    case.check(
        &["check", "w.yaml"],
        expect![[r#"
        exit 1
        --- stdout
        W0002

          × unknown target `S7`
           ╭─[w.yaml:6:17]
         5 │     skill: extract_keywords
         6 │     on_success: S7
           ·                 ─┬
           ·                  ╰── here
         7 │     on_failure: S1_RETRY
           ╰────
          help: states: `S1`, `S2`, `DONE`, `FAILED` or `S1_RETRY`
        --- stderr
        w.yaml: 1 error, 0 warnings
    "#]],
    );
    case.check(&["check", "w.yaml", "--json"], expect![[r#"
        exit 1
        --- stdout
        {"file":"w.yaml","errors":1,"warnings":0,"findings":[{"code":"W0002","severity":"error","message":"unknown target `S7`","path":"/states/S1/on_success","line":6,"column":17,"hint":"states: `S1`, `S2`, `DONE`, `FAILED` or `S1_RETRY`"}]}
    "#]]);
    case.write(
        "w.yaml",
        &WORKFLOW
            .replace("S7", "S2")
            .replace("DONE", "DONE\n    on_failure: FAILED"),
    );
    case.check(
        &["check", "w.yaml"],
        expect![[r#"
        exit 0
        --- stderr
        w.yaml: 0 errors, 0 warnings
    "#]],
    );
}

/// Warnings do not stop.
#[test]
fn warnings_only() {
    let case = Case::new();
    case.write("w.yaml", &WORKFLOW.replace("S7", "S2"));
    case.check(
        &["check", "w.yaml"],
        expect![[r#"
        exit 0
        --- stdout
        W0012

          ⚠ state `S2` does not say where failure leads
           ╭─[w.yaml:8:3]
         7 │     on_failure: S1_RETRY
         8 │   S2:
           ·   ─┬
           ·    ╰── here
         9 │     skill: format_check
           ╰────
          help: it is retried by its policy, as `on_failure: S2_RETRY` says
        --- stderr
        w.yaml: 0 errors, 1 warning
    "#]],
    );
}

/// A file that is no workflow, one that is not there, and a registry.
#[test]
fn files() {
    let case = Case::new();
    case.write("w.yaml", "workflow_id: w\nstatse: {}\n");
    case.check(
        &["check", "w.yaml"],
        expect![[r#"
        exit 1
        --- stdout
        W0001

          × missing field `initial_state`
           ╭─[w.yaml:1:1]
         1 │ workflow_id: w
           · ───────┬──────
           ·        ╰── here
         2 │ statse: {}
           ╰────
          help: see `docs/workflow.md` for what it holds

        W0001

          × missing field `states`
           ╭─[w.yaml:1:1]
         1 │ workflow_id: w
           · ───────┬──────
           ·        ╰── here
         2 │ statse: {}
           ╰────
          help: see `docs/workflow.md` for what it holds

        W0001

          × unknown field `statse`
           ╭─[w.yaml:2:1]
         1 │ workflow_id: w
         2 │ statse: {}
           · ───┬──
           ·    ╰── here
           ╰────
          help: did you mean `states`?
        --- stderr
        w.yaml: 3 errors, 0 warnings
    "#]],
    );
    case.check(
        &["check", "none.yaml"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0001]: cannot read workflow `none.yaml`
          because: No such file or directory (os error 2)

        hint: check that the file is there and that you may read it
    "#]],
    );
    case.write(
        "w.yaml",
        &WORKFLOW
            .replace("S7", "S2")
            .replace("format_check", "publish"),
    );
    case.write(
        "skills.yaml",
        "skills:\n  publish:\n    kind: command\n    description: Publishes the text.\n    effect: idempotent\n    config: { command: [./publish.sh] }\n",
    );
    assert_eq!(case.run(&["check", "w.yaml"]).exit, 1);
    let ran = case.run(&["check", "w.yaml", "--registry", "skills.yaml"]);
    assert_eq!(ran.exit, 0, "{}", ran.stdout);
}

#[test]
fn the_schema_is_json_schema() {
    let ran = Case::new().run(&["schema"]);
    let schema: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(schema["title"], "Steadfast workflow");
    assert!(schema["properties"]["states"].is_object());
    assert_eq!((ran.exit, ran.stderr.as_str()), (0, ""));
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let ran = Case::new().run(&["completions", shell]);
        assert_eq!(ran.exit, 0);
        for command in ["resume", "resolve", "verify"] {
            assert!(ran.stdout.contains(command), "{shell}: {command}");
        }
    }
}

#[cfg(unix)]
#[test]
fn programs_that_are_not_there_are_warned_of() {
    let case = crate::harness::payment("required");
    assert_eq!(case.run(&["check", "pay.yaml"]).stdout, "");
    std::fs::remove_file(case.path("pay.sh")).unwrap();
    case.write("look.sh", "#!/bin/sh\n");
    let plain = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    std::fs::set_permissions(case.path("look.sh"), plain).unwrap();
    let ran = case.run(&["check", "pay.yaml", "--json"]);
    assert_eq!(ran.exit, 0, "a warning stops nothing");
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let messages: Vec<_> = found["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| {
            (
                one["code"].as_str().unwrap(),
                one["message"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        messages,
        [
            (
                "W0052",
                "skill `look`: its program `./look.sh` may not be executed"
            ),
            ("W0052", "skill `pay`: its program `./pay.sh` is not there"),
        ]
    );
}
