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
        error: unrecognized subcommand 'frobnicate'

        Usage: steadfast [OPTIONS] <COMMAND>

        For more information, try '--help'.
    "#]],
    );
    case.check(
        &["resolve", "t1"],
        expect![[r#"
        exit 1
        --- stderr
        error: the following required arguments were not provided:
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
        error: the argument '--approve' cannot be used with '--deny'

        Usage: steadfast resolve --by <NAME> <--approve|--deny|--done|--not-done> <TASK> [CALL]

        For more information, try '--help'.
    "#]],
    );
    case.check(
        &["resolve", "t1", "--done", "--reason", "x"],
        expect![[r#"
        exit 1
        --- stderr
        error: the argument '--done' cannot be used with '--reason <TEXT>'

        Usage: steadfast resolve --by <NAME> <--approve|--deny|--done|--not-done> <TASK> [CALL]

        For more information, try '--help'.
    "#]],
    );
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
