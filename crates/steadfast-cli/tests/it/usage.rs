//! Usage errors are the user's (exit 1), help is data (stdout, exit 0).

use expect_test::expect;

use crate::harness::Case;

#[test]
fn usage_errors() {
    let case = Case::new();
    case.check(
        &["frobnicate"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0068]: unrecognized subcommand 'frobnicate'

        Usage: steadfast [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    case.check(
        &["resolve", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0068]: the following required arguments were not provided:
          <--approve|--deny|--done|--not-done>

        Usage: steadfast resolve --by <NAME> <--approve|--deny|--done|--not-done> <TASK> [CALL]

        For more information, try '--help'.
    "#]],
    );
    case.check(
        &["resolve", "t1", "--approve", "--deny"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0068]: the argument '--approve' cannot be used with '--deny'

        Usage: steadfast resolve --by <NAME> <--approve|--deny|--done|--not-done> <TASK> [CALL]

        For more information, try '--help'.
    "#]],
    );
    case.check(
        &["resolve", "t1", "--done", "--reason", "x"],
        expect![[r#"
        exit 1
        --- stderr
        error[C0068]: the argument '--done' cannot be used with '--reason <TEXT>'

        Usage: steadfast resolve --by <NAME> <--approve|--deny|--done|--not-done> <TASK> [CALL]

        For more information, try '--help'.
    "#]],
    );
}

/// Programs get a line of JSON; the values that an argument may have are in it.
#[test]
fn usage_errors_as_json() {
    let case = Case::new();
    let given: [(&[&str], &str, &str); 3] = [
        (
            &["drill", "--json", "--methods", "wish"],
            "'wish'",
            "usage: ",
        ),
        (&["frobnicate", "--json"], "'frobnicate'", "usage: "),
        (&["test", "--repeats", "many", "--json"], "'many'", "--help"),
    ];
    for (args, named, hint) in given {
        let ran = case.run(args);
        assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""), "{args:?}");
        let error: serde_json::Value = serde_json::from_str(ran.stderr.trim()).unwrap();
        assert_eq!(error["code"], "C0068", "{error}");
        assert!(
            error["message"].as_str().unwrap().contains(named),
            "{error}"
        );
        let said = error["hint"].as_str().unwrap();
        assert!(said.contains(hint) || said.contains("--help"), "{error}");
    }
}

#[test]
fn help_and_version() {
    let case = Case::new();
    let help = case.run(&["--help"]);
    assert_eq!((help.exit, help.stderr.as_str()), (0, ""));
    for command in [
        "run", "resume", "resolve", "cancel", "send", "tasks", "log", "verify", "diff", "check",
    ] {
        assert!(
            help.stdout.contains(&format!("\n  {command} ")),
            "{command}: {}",
            help.stdout
        );
    }
    case.check(
        &["--version"],
        expect![[r#"
        exit 0
        --- stdout
        steadfast 0.1.0
    "#]],
    );
}

/// A reader that has had enough (`| head`) is no error.
#[cfg(unix)]
#[test]
fn a_closed_pipe_is_quiet() {
    let case = Case::new();
    let mut child = case
        .command(&["schema"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut stderr = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut stderr).unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[cfg(unix)]
#[test]
fn programs_get_errors_as_json_too() {
    let case = crate::harness::payment("none");
    let failure = |args: &[&str]| -> serde_json::Value {
        let ran = case.run(args);
        assert_eq!((ran.exit, ran.stdout.as_str()), (1, ""));
        serde_json::from_str(ran.stderr.trim()).unwrap()
    };
    let gone = failure(&["run", "gone.yaml", "--input", "x", "--json"]);
    assert_eq!(gone["code"], "C0001");
    assert_eq!(gone["message"], "cannot read workflow `gone.yaml`");
    assert_eq!(
        gone["hint"],
        "check that the file is there and that you may read it"
    );
    assert_eq!(gone["because"].as_array().map(Vec::len), Some(1));
    case.write(
        "bad.yaml",
        "workflow_id: w\ninitial_state: S9\nstates: {}\n",
    );
    let bad = failure(&["run", "bad.yaml", "--input", "x", "--json"]);
    assert_eq!(bad["code"], "C0005");
    assert!(!bad["findings"].as_array().unwrap().is_empty(), "{bad}");
    assert!(
        bad["findings"][0]["code"]
            .as_str()
            .unwrap()
            .starts_with('W'),
        "{bad}"
    );
}
