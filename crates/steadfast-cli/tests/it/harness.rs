//! A folder of its own for each test, the binary in it, and what is different
//! from run to run taken out of its output.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use expect_test::Expect;
use tempfile::TempDir;

/// A working folder with workflows and skills.
pub(crate) struct Case {
    folder: TempDir,
}

/// What a run of the binary gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) exit: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Case {
    pub(crate) fn new() -> Case {
        Case {
            folder: TempDir::new().unwrap(),
        }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> &Case {
        std::fs::write(self.path(name), text).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// A shell script that a command skill runs.
    #[cfg(unix)]
    pub(crate) fn script(&self, name: &str, body: &str) -> &Case {
        use std::os::unix::fs::PermissionsExt;
        self.write(name, &format!("#!/bin/sh\n{body}\n"));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.path(name), executable).unwrap();
        self
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steadfast"));
        command
            .args(args)
            .current_dir(self.folder.path())
            .env_clear()
            .env("STEADFAST_USER", "ana");
        for name in ["PATH", "HOME", "SYSTEMROOT"] {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let output = self.command(args).output().unwrap();
        Ran {
            exit: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same with a text on stdin.
    pub(crate) fn run_with(&self, args: &[&str], stdin: &str) -> Ran {
        use std::io::Write;
        let mut command = self.command(args);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        // It may have ended before it read everything.
        let _ = input.write_all(stdin.as_bytes());
        drop(input);
        let output = child.wait_with_output().unwrap();
        Ran {
            exit: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Exit code, stdout and stderr in one picture.
    pub(crate) fn check(&self, args: &[&str], expected: Expect) {
        let Ran {
            exit,
            stdout,
            stderr,
        } = self.run(args);
        let section = |name: &str, text: &str| match text {
            "" => String::new(),
            text => format!("--- {name}\n{}\n", text.trim_end()),
        };
        let all = format!(
            "exit {exit}\n{}{}",
            section("stdout", &stdout),
            section("stderr", &stderr)
        );
        expected.assert_eq(&masked(&all, self.folder.path()));
    }
}

/// The output without what differs from run to run: the folder, hashes, times,
/// sizes and durations.
pub(crate) fn masked(text: &str, folder: &Path) -> String {
    let text = text.replace(&folder.display().to_string(), "[FOLDER]");
    let lines = text.lines().map(|line| {
        let line = mask_hashes(line);
        let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        for at in 0..words.len() {
            let next = words.get(at + 1).cloned().unwrap_or_default();
            let (open, word) = match words[at].strip_prefix('(') {
                Some(word) => ("(", word.to_owned()),
                None => ("", words[at].clone()),
            };
            // `236+3 tokens`: what went in and what came out.
            let digits = word.starts_with(|c: char| c.is_ascii_digit())
                && word.bytes().all(|b| b.is_ascii_digit() || b == b'+');
            let number = !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit() || b == b'.');
            let unit = next.trim_end_matches([',', ')', ';', ':']);
            if digits && matches!(unit, "tokens" | "reserved") || number && unit == "s" {
                words[at] = format!("{open}[N]");
            } else if is_date(&word) && is_time(&next) {
                words[at] = "[DATE]".to_owned();
                words[at + 1] = "[TIME]".to_owned();
            } else if is_short_hash(&word) {
                words[at] = "[HASH]".to_owned();
            }
        }
        words.join(" ")
    });
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn mask_hashes(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(at) = rest.find("b3:") {
        let digits = rest[at + 3..]
            .bytes()
            .take_while(u8::is_ascii_hexdigit)
            .count();
        out.push_str(&rest[..at]);
        out.push_str(if digits == 64 { "[HASH]" } else { "b3:" });
        rest = &rest[at + 3 + if digits == 64 { 64 } else { 0 }..];
    }
    out + rest
}

fn is_short_hash(word: &str) -> bool {
    word.len() == 8
        && word
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn is_date(word: &str) -> bool {
    word.len() == 10 && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

fn is_time(word: &str) -> bool {
    word.ends_with('Z') && word.contains(':')
}

/// A payment that a person approves: `look` reads a price, `pay` appends the
/// idempotency key to `paid.txt`.
#[cfg(unix)]
pub(crate) fn payment(approval: &str) -> Case {
    let case = Case::new();
    case.script("look.sh", r#"cat >/dev/null; echo '{"price": 10}'"#);
    case.script(
        "pay.sh",
        r#"cat >/dev/null; echo "$STEADFAST_IDEMPOTENCY_KEY" >> paid.txt; echo '{"paid": true}'"#,
    );
    case.write("pay.yaml", &workflow(approval));
    case.write(
        "script.yaml",
        "- call: { skill: look }\n- call: { skill: pay, args: { amount: 10 } }\n- say: All is paid.\n",
    );
    case
}

/// The workflow of [`payment`].
#[cfg(unix)]
pub(crate) fn workflow(approval: &str) -> String {
    format!(
        r"workflow_id: payment
initial_state: S1
states:
  S1:
    skill: look
    on_success: S2
    on_failure: S1_RETRY
  S2:
    skill: pay
    on_success: DONE
    on_failure: S2_RETRY
skills:
  look:
    kind: command
    description: Looks the price up.
    effect: read
    input: {{ type: object }}
    retry: {{ attempts: 3, backoff_ms: 1 }}
    config: {{ command: [./look.sh] }}
  pay:
    kind: command
    description: Pays the amount.
    effect: irreversible
    approval: {approval}
    input: {{ type: object, required: [amount], properties: {{ amount: {{ type: integer }} }} }}
    config: {{ command: [./pay.sh] }}
"
    )
}

/// The arguments of a run of [`payment`] as task `t1`.
#[cfg(unix)]
pub(crate) const PAY: &[&str] = &[
    "run",
    "pay.yaml",
    "--input",
    "Pay the bill.",
    "--model",
    "script:script.yaml",
    "--task",
    "t1",
];

/// Whether a later context of `log --json` holds the content that the first
/// event of a kind names.
#[cfg(unix)]
pub(crate) fn is_shown(log: &str, kind: &str, pointer: &str) -> bool {
    let events: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = events
        .iter()
        .position(|event| event["kind"] == kind)
        .expect("there is such an event");
    let hash = events[at]
        .pointer(pointer)
        .and_then(|hash| hash.as_str())
        .expect("it has content");
    let later = events[at..]
        .iter()
        .filter(|event| event["kind"] == "model_called");
    later
        .map(|event| event["body"]["fragments"].to_string())
        .any(|text| text.contains(hash))
}
