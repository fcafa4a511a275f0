//! A token that a command skill prints in every way stands nowhere afterwards:
//! not in the store's files, not on the terminal, not in an export.

use std::path::Path;

use crate::harness::Case;

const TOKEN: &str = "sk-test-123/4?5\"67";
const BASE64: &str = "c2stdGVzdC0xMjMvND81IjY3";
const HEX: &str = "736b2d746573742d3132332f343f35223637";

const WORKFLOW: &str = r#"
workflow_id: leaky
initial_state: S1
states:
  S1: { skill: leak, on_success: DONE }
skills:
  leak:
    kind: command
    effect: read
    input: { type: object }
    output: { type: object }
    config:
      command: [./leak.sh]
      env:
        secrets: { TOKEN: env:LEAK_TOKEN }
"#;

/// Prints the token as it stands, in base64 at each place of a group, in hex,
/// URL-encoded and inside JSON that is inside JSON; and on stderr.
const LEAK: &str = r#"
cat > /dev/null
e() { printf '%s' "$1" | base64 | tr -d '\n'; }
echo "using $TOKEN" >&2
json=$(printf '%s' "$TOKEN" | sed 's/"/\\"/g')
twice=$(printf '%s' "$json" | sed 's/\\/\\\\/g; s/"/\\"/g')
hex=$(printf '%s' "$TOKEN" | od -An -tx1 | tr -d ' \n')
url=$(printf '%s' "$hex" | sed 's/../%&/g')
printf '{"raw":"key %s!","b0":"%s","b1":"%s","b2":"%s","hex":"%s","url":"%s","nested":"{\\"k\\":\\"%s\\"}","%s":1}' \
  "$json" "$(e "$TOKEN")" "$(e "x$TOKEN")" "$(e "xy$TOKEN")" "$hex" "$url" "$twice" "$json"
exit "${EXIT:-0}"
"#;

fn case() -> Case {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW).script("leak.sh", LEAK);
    case
}

/// The pieces of the token that must not be found, in every spelling of the
/// script. The base64 of the other places begins in the middle of a group.
fn traces() -> Vec<String> {
    let mut url = String::new();
    for pair in HEX.as_bytes().chunks(2) {
        url += &format!("%{}", std::str::from_utf8(pair).unwrap());
    }
    let mut traces: Vec<String> = [TOKEN, BASE64, HEX, "sk-test-123", "NrLXRlc3Q", "zay10ZXN0"]
        .map(str::to_owned)
        .to_vec();
    traces.push(url);
    traces
}

/// Every place under a folder that holds one of the traces.
fn found(folder: &Path, traces: &[String]) -> Vec<String> {
    let mut places = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            places.extend(found(&path, traces));
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        for trace in traces {
            if bytes.windows(trace.len()).any(|w| w == trace.as_bytes()) {
                places.push(format!("{} holds {trace}", path.display()));
            }
        }
    }
    places
}

#[test]
fn r111_a_token_that_is_printed_stands_nowhere() {
    let case = case();
    let input = format!("log in with {TOKEN} or {BASE64}");
    let document = format!("the key is {HEX}\n");
    case.write("doc.txt", &document);
    let mut out = String::new();
    let mut keep = |args: &[&str]| {
        let output = case
            .command(args)
            .env("LEAK_TOKEN", TOKEN)
            .env("STEADFAST_LOG", "trace")
            .output()
            .unwrap();
        out += &String::from_utf8_lossy(&output.stdout);
        out += &String::from_utf8_lossy(&output.stderr);
        output.status.code()
    };
    let fact = format!("token={TOKEN}");
    let run = [
        "run", "w.yaml", "--input", &input, "--doc", "doc.txt", "--fact", &fact, "--task", "t_leak",
    ];
    assert_eq!(keep(&run), Some(0));
    keep(&["log", "t_leak", "--json"]);
    keep(&["log", "t_leak"]);
    keep(&["log", "t_leak", "--export", "out.jsonl"]);
    assert_eq!(keep(&["verify", "t_leak"]), Some(0));
    let reason = format!("{TOKEN} was shown, 2026-11");
    let add = ["case", "add", "--from", "t_leak", "--reason", &reason];
    assert_eq!(keep(&add), Some(0));
    // The same for a failure, whose message quotes stderr.
    let failing = WORKFLOW.replace(
        "env:LEAK_TOKEN }",
        "env:LEAK_TOKEN }\n        set: { EXIT: '3' }",
    );
    let failing = failing.replace("effect: read", "effect: read\n    retry: { backoff_ms: 1 }");
    case.write("f.yaml", &failing);
    keep(&["run", "f.yaml", "--input", "go", "--task", "t_fail"]);
    keep(&["log", "t_fail", "--json"]);

    std::fs::remove_file(case.path("doc.txt")).unwrap();
    let traces = traces();
    assert_eq!(found(&case.path("."), &traces), [""; 0]);
    for trace in &traces {
        assert!(!out.contains(trace.as_str()), "{trace} in {out}");
    }
    // And it was there to be found.
    assert!(out.contains("key [secret:LEAK_TOKEN]!"), "{out}");
    assert!(out.contains("using [secret:LEAK_TOKEN]"), "{out}");
    let added = case.read("regression_cases/other/reg_001.json");
    assert!(added.contains("[secret:LEAK_TOKEN] was shown"), "{added}");
    assert!(added.contains("key [secret:LEAK_TOKEN]!"), "{added}");
    let export = case.read("out.jsonl");
    assert!(export.contains("log in with [secret:LEAK_TOKEN] or [secret:LEAK_TOKEN]"));
    // The reference is what is kept: the stored workflow still resolves.
    assert!(export.contains("env:LEAK_TOKEN"), "{export}");
}

#[test]
fn a_missing_secret_stops_before_anything_is_recorded() {
    let case = case();
    let ran = case.run(&["run", "w.yaml", "--input", "go", "--task", "t_1"]);
    assert_eq!(ran.exit, 1);
    assert!(
        ran.stderr
            .contains("error[S0031]: the variable `LEAK_TOKEN` is not set"),
        "{}",
        ran.stderr
    );
    assert!(case.run(&["log", "t_1"]).stdout.is_empty());
}

#[test]
fn a_workflow_with_the_secret_in_it_is_refused() {
    let case = case();
    let clear = WORKFLOW.replace(
        "command: [./leak.sh]",
        "command: [./leak.sh, --key=sk-clear-98765]",
    );
    case.write("w.yaml", &clear);
    let output = case
        .command(&["run", "w.yaml", "--input", "go"])
        .env("LEAK_TOKEN", "sk-clear-98765")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("error[S0033]: the workflow holds the value of the secret `LEAK_TOKEN`"),
        "{text}"
    );
    assert!(!text.contains("sk-clear"), "{text}");
}

#[test]
fn what_people_send_is_clean_before_it_is_kept() {
    let case = case();
    let paused = WORKFLOW.replace(
        "effect: read",
        "effect: irreversible\n    approval: required",
    );
    case.write("w.yaml", &paused);
    let with = |args: &[&str]| {
        let output = case
            .command(args)
            .env("LEAK_TOKEN", TOKEN)
            .output()
            .unwrap();
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    };
    let (code, text) = with(&["run", "w.yaml", "--input", "go", "--task", "t_1"]);
    assert_eq!(code, Some(4), "{text}");
    let words = format!("here is {TOKEN}");
    let (code, text) = with(&["send", "t_1", &words]);
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(found(&case.path("."), &traces()), [""; 0]);
}
