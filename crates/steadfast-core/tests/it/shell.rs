//! Forbidden programs in command lines.

use serde_json::{Value, json};
use steadfast_core::shell::{self, Refused};

fn check(line: impl Into<Value>) -> Result<(), Refused> {
    shell::check(&line.into(), &["sudo".to_owned()])
}

fn is_forbidden(line: &str) -> bool {
    check(line) == Err(Refused::Program("sudo".to_owned()))
}

fn is_unclear(line: &str) -> bool {
    matches!(check(line), Err(Refused::Unclear(_)))
}

/// A rule advertised as absolute was avoided by giving the program's full path.
#[test]
fn r78_a_forbidden_program_is_found_by_what_the_line_runs() {
    for line in [
        "sudo id",
        "/usr/bin/sudo id",
        "env A=1 sudo id",
        "sh -c 'sudo id'",
        "cd x && sudo id",
    ] {
        assert!(is_forbidden(line), "{line}");
    }
    for line in ["echo sudo", "grep 'sudo id' f"] {
        assert_eq!(check(line), Ok(()), "{line}");
    }
}

#[test]
fn r78_quotes_hide_no_program() {
    for line in [
        "'sudo' id",
        "su\"do\" id",
        r"\sudo id",
        r"s\udo id",
        "su\\\ndo id",
        "/usr/bin/su'd'o id",
        "SUDO id",
        "sudo.exe id",
        "A=1 B='x y' sudo id",
        "2>/dev/null sudo id",
        ">f sudo id",
        "echo a|sudo id",
        "echo a;sudo id",
        "echo a&sudo id",
        "false||sudo id",
        "echo a\nsudo id",
        "(cd x; sudo id)",
        "{ sudo id; }",
        "! sudo id",
        "if sudo id; then ls; fi",
        "while true; do sudo id; done",
        "echo $(sudo id)",
        "echo \"a $(echo b; sudo id) c\"",
        "echo `sudo id`",
        "A=$(sudo id)",
        "echo a > $(sudo id)",
        "echo ${HOME} \"$(sh -c \"env sudo id\")\"",
    ] {
        assert!(is_forbidden(line), "{line}");
    }
}

#[test]
fn r78_wrappers_hide_no_program() {
    for line in [
        "env -i -u X 'A=1' sudo id",
        "nohup nice -n 5 sudo id",
        "nice -5 sudo id",
        "timeout -s KILL 5 sudo id",
        "timeout --signal=KILL 5 /bin/sudo id",
        "stdbuf -oL sudo id",
        "exec sudo id",
        "command sudo id",
        "builtin exec -a x sudo id",
        "time -p sudo id",
        "busybox sudo id",
        "bash -euo pipefail -c 'sudo id'",
        "bash -ec \"sudo id\"",
        "/bin/dash -c -e 'ls; sudo id'",
        "sh -c 'sh -c \"sudo id\"'",
        "eval 'sudo id'",
        "eval su'do' id",
        "echo id | xargs -n 1 sudo",
        "find . -name x -exec sudo cat {} \\;",
    ] {
        assert!(is_forbidden(line), "{line}");
    }
}

/// What is not understood is refused, and not let through.
#[test]
fn r78_what_cannot_be_read_does_not_run() {
    for line in [
        "$X id",
        "\"$@\"",
        "env $X id",
        "env A=$X id",
        "env -S 'sudo id'",
        "nice -n $X id",
        "sh -c \"$X\"",
        "sh f",
        "echo c3VkbyBpZA== | base64 -d | sh",
        ". ./f",
        "eval \"$X\"",
        "{sudo,id}",
        "/usr/bin/sud? id",
        "$'sudo' id",
        "${X:-sudo} id",
        "alias x=sudo",
        "x() { sudo id; }",
        "trap 'sudo id' EXIT",
        "cat <<E\nE",
        "cat <(sudo id)",
        "case x in x) sudo id;; esac",
        "echo $((1))",
        "echo 'open",
        "echo $(sudo id",
        "echo a # it's",
        "echo a\u{a0}b",
        "echo a\rsudo id",
        "xargs sh -c",
        "xargs -I X X id",
        "xargs env",
        "find . -exec sh -c '{}' \\;",
        "echo x &>f sudo id",
        "test -v 'a[$(sudo id)]'",
        "ssh host id",
    ] {
        assert!(is_unclear(line), "{line}: {:?}", check(line));
    }
    let deep = format!("{}id{}", "$(".repeat(40), ")".repeat(40));
    assert!(is_unclear(&format!("echo {deep}")));
    assert!(is_unclear(&format!("{}id", "nohup ".repeat(9_000))));
    assert!(is_unclear(&"a".repeat(70_000)));
}

#[test]
fn r78_lines_that_only_mention_it_run() {
    for line in [
        "",
        "ls -la | grep -v \"sudo\" > out.txt 2>&1",
        "git commit -m 'sudo; rm' && git push",
        "for_sudo=1 make",
        "env A=sudo printenv A",
        "sh -c 'echo sudo'",
        "nohup make -j2 sudo",
        "find . -name sudo -exec wc -l {} +",
        "cat $HOME/f *.txt",
        "echo 'don'\\''t sudo'",
        "echo \"$X\" '$(sudo id)'",
        "if [ -f sudo ]; then cat sudo; fi",
        "find . -name '*.rs' | xargs -0 wc -l",
        "pseudo id",
    ] {
        assert_eq!(check(line), Ok(()), "{line}");
    }
}

#[test]
fn a_list_is_a_program_with_its_arguments() {
    assert_eq!(check(json!(["echo", "a; sudo id", "$(sudo id)"])), Ok(()));
    for line in [
        json!(["/bin/sudo", "id"]),
        json!(["env", "A=1", "sudo"]),
        json!(["sh", "-c", "sudo id"]),
    ] {
        assert_eq!(check(line), Err(Refused::Program("sudo".to_owned())));
    }
    for line in [json!(null), json!(7), json!(["echo", 7])] {
        assert!(matches!(check(line), Err(Refused::Unclear(_))));
    }
}

proptest::proptest! {
    /// A separator starts a new command, whatever stands before it.
    #[test]
    fn nothing_in_front_hides_a_program(front in "[a-z '\"$`(){};&|<>#=\\\\-]{0,24}") {
        // A backslash at its end takes the separator away.
        proptest::prop_assume!(!front.ends_with('\\'));
        let whole = shell::check(&format!("{front}\n").into(), &["sudo".to_owned()]);
        if whole.is_ok() {
            let line = format!("{front}\nsudo id");
            proptest::prop_assert!(check(line.as_str()).is_err(), "{line}");
        }
    }
}
