//! What the commands of the harness say to input that they cannot take: which
//! thing, where, and what mends it; with a code, and exit code 1.

use crate::harness::{Case, PAY, payment};

/// A command, its code, and what the text must name.
type Refused<'a> = (&'a [&'a str], &'a str, &'a [&'a str]);

fn refused(case: &Case, table: &[Refused<'_>]) {
    for (args, code, says) in table {
        let ran = case.run(args);
        assert_eq!(ran.exit, 1, "{args:?}: {}{}", ran.stdout, ran.stderr);
        let code = format!("error[{code}]: ");
        assert!(ran.stderr.contains(&code), "{args:?}: {}", ran.stderr);
        for one in *says {
            assert!(ran.stderr.contains(one), "{args:?} {one}: {}", ran.stderr);
        }
    }
}

fn folders(case: &Case) {
    for folder in ["empty", "bytes", "huge", "list", "cases"] {
        std::fs::create_dir_all(case.path(folder)).unwrap();
    }
    std::fs::write(case.path("bytes/a.yaml"), b"\xff\xfe\x00").unwrap();
    case.write(
        "huge/a.yaml",
        "case_id: a\ninput: x\nrepeats: 99999999999999999999\n",
    )
    .write("list/a.json", "[1, 2]")
    .write("broken.yaml", "tests: [\n  a: {")
    .write("cases/suite.yaml", "workflow: ../pay.yaml\n")
    .write("cases/a.yaml", "case_id: a\ninput: Pay it.\n");
}

/// Folders and files that are not there, empty, no text, or no case.
#[test]
fn cases_that_cannot_be_read() {
    let case = payment("none");
    folders(&case);
    let here = "name a case file, or a folder of them";
    let mend = "mend what is listed above";
    refused(
        &case,
        &[
            (&["test", "missing"], "A0032", &["`missing`", here]),
            (&["test", "empty"], "C0060", &["`empty`", "steadfast init"]),
            (
                &["test", "bytes"],
                "A0032",
                &["`bytes/a.yaml`", "convert the file to UTF-8"],
            ),
            (&["test", "huge"], "A0030", &["huge/a.yaml", mend]),
            (
                &["test", "list"],
                "A0030",
                &["list/a.json:1:1", "found a list", mend],
            ),
            (
                &["fit", "missing", "--model", "extractive"],
                "A0032",
                &["`missing`", here],
            ),
            (
                &["fit", "empty", "--model", "extractive"],
                "C0060",
                &["`empty`"],
            ),
            (&["case", "lint", "empty"], "C0060", &["`empty`"]),
            (&["case", "list", "missing"], "A0032", &["`missing`"]),
            (
                &["case", "show", "nope", "cases"],
                "C0060",
                &["no case `nope` in `cases`", "steadfast case list cases"],
            ),
            (
                &["case", "import", "missing.yaml"],
                "C0001",
                &["`missing.yaml`"],
            ),
            (&["case", "import", "bytes/a.yaml"], "C0002", &["UTF-8"]),
            (&["case", "import", "broken.yaml"], "C0062", &["line 2"]),
        ],
    );
}

/// Numbers, names and values that cannot be.
#[test]
fn arguments_that_cannot_be() {
    let case = payment("none");
    folders(&case);
    assert_eq!(case.run(PAY).exit, 0);
    refused(
        &case,
        &[
            (
                &["test", "cases", "--parallel", "0"],
                "C0068",
                &["'0'", "from 1 on"],
            ),
            (
                &["test", "cases", "--suite", "wish"],
                "C0068",
                &["fast, full"],
            ),
            (
                &["case", "add", "--from", "t1", "--reason", ""],
                "C0068",
                &["--reason"],
            ),
            (
                &["case", "add", "--from", "nope", "--reason", "x"],
                "L0002",
                &["`nope`"],
            ),
            (
                &["fork", "t1", "--at", "0"],
                "A0040",
                &["event 0", "steadfast log"],
            ),
            (
                &["fork", "t1", "--at", "9999"],
                "A0040",
                &["number 9999", "steadfast log"],
            ),
            (
                &["fork", "t1", "--at", "99999999999999999999"],
                "C0068",
                &["too large"],
            ),
            (&["replay", "t1", "--with", "x"], "C0063", &["KEY=VALUE"]),
            (
                &["replay", "t1", "--with", "constraint= "],
                "C0063",
                &["no words"],
            ),
            (
                &["replay", "t1", "--with", "summariser=x"],
                "M0002",
                &["`x`"],
            ),
            (
                &[
                    "bisect",
                    "t1",
                    "--good",
                    "9",
                    "--bad",
                    "2",
                    "--model",
                    "extractive",
                ],
                "A0041",
                &["event 2", "event 9", "--good"],
            ),
            (&["metrics", "--since", "x"], "C0068", &["'x'", "--since"]),
            (
                &["metrics", "--compare", "wish"],
                "C0068",
                &["`earlier`", "`fingerprint`"],
            ),
            (
                &["review", "--record", "gone.jsonl"],
                "C0001",
                &["`gone.jsonl`"],
            ),
        ],
    );
}

/// A report that cannot be written is told before the hours that it takes.
#[test]
fn a_drill_whose_report_has_no_place_does_not_begin() {
    let case = Case::new();
    let args = ["drill", "--html", "gone/drill.html", "--dialogues", "1000"];
    let began = std::time::Instant::now();
    refused(
        &case,
        &[(&args, "C0013", &["`gone/drill.html`", "folder is there"])],
    );
    assert!(
        began.elapsed().as_secs() < 60,
        "it was drilled all the same"
    );
}

/// Ctrl-C: what was run until then is told.
#[test]
fn a_drill_that_is_stopped_tells_what_was_run() {
    let case = Case::new();
    let mut child = case
        .command(&["drill", "--dialogues", "1000", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_secs(10));
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status();
    assert!(sent.unwrap().success());
    let mut stdout = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut stdout).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let report: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let runs = report["runs"].as_array().unwrap().len();
    assert!((1..28_000).contains(&runs), "{runs}");
}
