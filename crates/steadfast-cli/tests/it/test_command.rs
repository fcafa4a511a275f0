//! `test`: layers in order, failures told in full, and every report.

use quick_xml::Reader;
use quick_xml::events::Event;
use serde_json::Value;

use crate::harness::Case;

/// `pay` acts: its program would leave a mark.
const WORKFLOW: &str = "workflow_id: bills
initial_state: S1
states:
  S1: { skill: look, on_success: S2, on_failure: S1_RETRY }
  S2: { skill: pay, on_success: DONE, on_failure: S2_RETRY }
skills:
  look:
    kind: command
    effect: read
    description: Looks the bill up.
    retry: { backoff_ms: 1 }
    config: { command: [./look] }
  pay:
    kind: command
    effect: irreversible
    approval: required
    description: Pays the bill.
    output: { type: object, required: [paid], properties: { paid: { type: boolean } } }
    success_when: result.paid
    config: { command: [./pay] }
";

const SUITE: &str = "workflow: ../w.yaml\nmodel: script:script.yaml\ngenerate: 8\n";
const SCRIPT: &str = "- call: { skill: look }\n- call: { skill: pay }\n- say: paid\n";

fn case() -> Case {
    let case = Case::new();
    case.write("w.yaml", WORKFLOW).write("script.yaml", SCRIPT);
    case.script("look", "echo '{\"sum\": 70}'")
        .script("pay", "touch PAID; echo '{\"paid\": true}'");
    for folder in ["cases/leak", "cases/order"] {
        std::fs::create_dir_all(case.path(folder)).unwrap();
    }
    case.write("cases/suite.yaml", SUITE)
        .write(
            "cases/leak/a.yaml",
            "case_id: a\ninput: 快点付款\nexpected_path: [S1, S2]\nadded_reason: r\ntags: [fast]\n",
        )
        .write(
            "cases/order/b.yaml",
            "case_id: b\ninput: Pay the bill.\nexpected_path: [S1, S2]\nexpected_output_contains: [paid]\n",
        );
    case
}

/// A case that fails by its path: the look-up fails once before it succeeds.
const FAILING: &str = "case_id: c
input: Pay <now> & \"quick\".
expected_path: [S1, S1_RETRY, S2]
added_reason: a retry was wanted
";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn three_layers_pass_and_nothing_is_paid() {
    let case = case();
    let ran = case.run(&["test", "cases"]);
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    let heads: Vec<&str> = ran
        .stdout
        .lines()
        .filter(|line| !line.starts_with(' '))
        .collect();
    assert_eq!(
        heads,
        [
            "contract: 10 of 10 hold",
            "state-machine: 2 of 2 hold",
            "regression: 2 of 2 hold"
        ]
    );
    assert!(
        ran.stdout.contains("steps skipped by a lying model"),
        "{}",
        ran.stdout
    );
    assert!(
        !case.path("PAID").exists(),
        "nothing that acts is carried out"
    );
}

/// The first layer that fails ends the test, unless it is told to go on.
#[test]
fn a_layer_that_fails_ends_the_test() {
    let case = case();
    let unreachable = WORKFLOW.replace("S2, on_failure: S1_RETRY", "DONE, on_failure: S1_RETRY");
    case.write("w.yaml", &unreachable);
    let ran = case.run(&["test", "cases", "--json"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    let report = json(&ran.stdout);
    let run: Vec<bool> = report["layers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|layer| layer["run"].as_bool().unwrap())
        .collect();
    assert_eq!(run, [true, false, false]);
    let details = report["layers"][0]["checks"][0]["details"][0]
        .as_str()
        .unwrap();
    assert!(details.starts_with("W0010: "), "{details}");
    let ran = case.run(&["test", "cases", "--json", "--keep-going"]);
    let report = json(&ran.stdout);
    assert_eq!(report["layers"][2]["checks"][0]["status"], "broken");
}

/// A guard that only observes lets a yielding model skip, and the contract layer
/// and the search both see it.
#[test]
fn a_guard_that_only_observes_is_caught() {
    let case = case();
    case.write(
        "w.yaml",
        &format!("{WORKFLOW}guards: {{ contract: observe }}\n"),
    );
    for layer in ["contract", "state-machine"] {
        let ran = case.run(&["test", "cases", "--layer", layer]);
        assert_eq!(ran.exit, 3, "{layer}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("FAILED"), "{}", ran.stdout);
    }
}

/// Attempts fail a contract where even the lower bound is above the target.
#[test]
fn a_model_that_skips_fails_the_contract() {
    let case = case();
    case.write("script.yaml", &format!("- say: done\n{SCRIPT}"));
    let ran = case.run(&["test", "cases", "--layer", "contract", "--json"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    let report = json(&ran.stdout);
    let checks = report["layers"][0]["checks"].as_array().unwrap();
    let status = |name: &str| {
        let one = checks.iter().find(|check| check["name"] == name).unwrap();
        (
            one["status"].as_str().unwrap().to_owned(),
            one["attempted"]["with"].as_u64(),
        )
    };
    assert_eq!(
        status("skips tried by scripted"),
        ("failed".to_owned(), Some(8))
    );
    assert_eq!(
        status("misorders tried by scripted"),
        ("open".to_owned(), Some(0))
    );
    assert_eq!(
        status("steps skipped by scripted"),
        ("passed".to_owned(), None)
    );
}

#[test]
fn a_failure_is_told_in_full() {
    let case = case();
    case.write("cases/order/c.yaml", FAILING);
    let ran = case.run(&["test", "cases", "--layer", "regression"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    for wanted in [
        "regression: 2 of 3 hold",
        "FAILED order/c (cases/order/c.yaml)",
        "added because: a retry was wanted",
        "expected: S1 → S1_RETRY → S2",
        "actual:   S1 → S2",
        "first difference: step 2",
        "what the model saw there:",
    ] {
        assert!(ran.stdout.contains(wanted), "{wanted}: {}", ran.stdout);
    }
    assert!(
        ran.stderr.contains("not passed: 2 of 3 hold, 1 failed"),
        "{}",
        ran.stderr
    );
}

#[test]
fn reports_for_ci_systems() {
    let case = case();
    case.write("cases/order/c.yaml", FAILING);
    let ran = case.run(&[
        "test",
        "cases",
        "--layer",
        "regression",
        "--github",
        "--junit",
        "out/j.xml",
        "--gitlab",
        "out/g.json",
        "--report",
        "out/r.json",
    ]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    let annotation =
        "::error file=cases/order/c.yaml,title=c failed::added because: a retry was wanted%0A";
    assert!(ran.stdout.contains(annotation), "{}", ran.stdout);
    let quality = json(&case.read("out/g.json"));
    assert_eq!(quality[0]["location"]["path"], "cases/order/c.yaml");
    assert_eq!(quality[0]["severity"], "major");
    let report = json(&case.read("out/r.json"));
    assert_eq!(report["layers"][0]["checks"][2]["case"]["path"][1], "S2");
    check_junit(
        &case.read("out/j.xml"),
        &[("testsuite", 1), ("testcase", 3), ("failure", 1)],
    );
}

/// The elements and attributes that Jenkins' schema knows, each in its place.
fn check_junit(xml: &str, counts: &[(&str, usize)]) {
    let known = |name: &str| -> (&'static str, &'static [&'static str]) {
        match name {
            "testsuites" => ("", &["name", "tests", "failures", "errors", "time"]),
            "testsuite" => (
                "testsuites",
                &["name", "tests", "failures", "errors", "time", "skipped"],
            ),
            "testcase" => ("testsuite", &["name", "classname", "time"]),
            "failure" | "error" => ("testcase", &["message", "type"]),
            "skipped" => ("testcase", &["message"]),
            "system-out" => ("testcase", &[]),
            other => panic!("`{other}` is no element of JUnit"),
        }
    };
    let mut reader = Reader::from_str(xml);
    let mut open: Vec<String> = Vec::new();
    let mut found = std::collections::BTreeMap::new();
    loop {
        let event = reader.read_event().unwrap();
        let (element, empty) = match &event {
            Event::Start(element) => (element, false),
            Event::Empty(element) => (element, true),
            Event::End(_) => {
                open.pop();
                continue;
            }
            Event::Eof => break,
            _ => continue,
        };
        let name = element.name().as_ref().to_owned();
        let (parent, attributes) = known(&name);
        assert_eq!(open.last().map_or("", String::as_str), parent);
        let mut given = std::collections::BTreeMap::new();
        for attribute in element.attributes() {
            let attribute = attribute.unwrap();
            let key = attribute.key.as_ref().to_owned();
            assert!(attributes.contains(&key.as_str()), "`{key}` of `{name}`");
            let value = attribute.value.as_ref().to_owned();
            given.insert(key, value);
        }
        check_types(&name, &given);
        *found.entry(name.clone()).or_insert(0) += 1;
        if !empty {
            open.push(name);
        }
    }
    for (name, count) in counts {
        assert_eq!(found.get(*name), Some(count), "{name}: {xml}");
    }
    assert!(open.is_empty());
}

/// What the schema asks of attributes: which must be there, and that counts are
/// whole numbers and times decimal ones.
fn check_types(name: &str, given: &std::collections::BTreeMap<String, String>) {
    let required: &[&str] = match name {
        "testsuite" => &["name", "tests", "failures", "errors"],
        "testcase" => &["name", "classname"],
        _ => &[],
    };
    for key in required {
        assert!(given.contains_key(*key), "`{name}` without `{key}`");
    }
    for (key, value) in given {
        match key.as_str() {
            "tests" | "failures" | "errors" | "skipped" => {
                value
                    .parse::<u64>()
                    .unwrap_or_else(|_| panic!("{name}.{key}: {value}"));
            }
            "time" => {
                let decimal = value.chars().all(|c| c.is_ascii_digit() || c == '.');
                assert!(
                    decimal && value.parse::<f64>().is_ok(),
                    "{name}.time: {value}"
                );
            }
            _ => {}
        }
    }
}

/// A layer that was not run is there as skipped.
#[test]
fn junit_of_a_test_that_ended_early() {
    let case = case();
    case.write(
        "w.yaml",
        &format!("{WORKFLOW}guards: {{ contract: observe }}\n"),
    );
    let ran = case.run(&["test", "cases", "--junit", "j.xml"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    check_junit(&case.read("j.xml"), &[("testsuite", 3), ("skipped", 2)]);
}

/// New failures and fixed ones apart; a baseline of another making is stale.
#[test]
fn baselines_tell_new_from_old() {
    let case = case();
    case.write("cases/order/c.yaml", FAILING);
    let test = ["test", "cases", "--layer", "regression"];
    let save = [&test[..], &["--save-baseline", "base.json"]].concat();
    assert_eq!(case.run(&save).exit, 3);
    let with = [&test[..], &["--baseline", "base.json"]].concat();
    let ran = case.run(&with);
    assert_eq!(
        ran.exit, 0,
        "known failures pass: {}{}",
        ran.stdout, ran.stderr
    );
    assert!(
        ran.stdout.contains("failed before too: c"),
        "{}",
        ran.stdout
    );

    case.write("cases/order/c.yaml", &FAILING.replace("S1_RETRY, ", ""));
    case.write(
        "cases/leak/a.yaml",
        "case_id: a\ninput: x\nexpected_path: [S1, S2]\nforbidden: [look]\n",
    );
    let ran = case.run(&with);
    assert_eq!(ran.exit, 3);
    assert!(ran.stdout.contains("new failures: a\n"), "{}", ran.stdout);
    assert!(ran.stdout.contains("fixed: c"), "{}", ran.stdout);

    case.write("cases/order/c.yaml", FAILING);
    case.write(
        "w.yaml",
        &WORKFLOW.replace("Looks the bill up.", "Looks up the bill."),
    );
    let ran = case.run(&with);
    assert_eq!(ran.exit, 3, "a stale baseline excuses nothing");
    assert!(
        ran.stdout.contains("stale: made with another workflow;"),
        "{}",
        ran.stdout
    );
}

#[test]
fn suites_tags_and_wrong_files() {
    let case = case();
    let ran = case.run(&["test", "cases", "--layer", "regression", "--suite", "fast"]);
    assert!(
        ran.stdout.contains("regression: 1 of 1 hold"),
        "{}",
        ran.stdout
    );
    let ran = case.run(&["test", "cases", "--tag", "none"]);
    assert_eq!(ran.exit, 1);
    assert!(ran.stderr.contains("error[C0060]"), "{}", ran.stderr);
    case.write(
        "cases/leak/d.yaml",
        "case_id: d\ninput: x\nexpected_paths: [S1]\n",
    );
    let ran = case.run(&["test", "cases"]);
    assert_eq!(ran.exit, 1);
    for wanted in [
        "did you mean `expected_path`?",
        "cases/leak/d.yaml:3:1",
        "error[A0030]",
    ] {
        assert!(ran.stderr.contains(wanted), "{wanted}: {}", ran.stderr);
    }
}

/// What a model said once answers from then on, without the model.
#[test]
fn recordings_answer_for_the_model() {
    let case = case();
    let test = ["test", "cases", "--layer", "regression"];
    let ran = case.run(&[&test[..], &["--record"]].concat());
    assert_eq!(ran.exit, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(case.path("cases/recordings/a.jsonl").exists());
    // The script is gone wrong; the recording does not ask it.
    case.write("script.yaml", "- say: no\n");
    assert_eq!(case.run(&test).exit, 0);
    assert_eq!(case.run(&[&test[..], &["--live"]].concat()).exit, 3);
    // A prompt that has changed was not recorded, and the run says so.
    case.write(
        "w.yaml",
        &WORKFLOW.replace("Looks the bill up.", "Finds the bill."),
    );
    let ran = case.run(&test);
    assert_eq!(ran.exit, 3);
    assert!(
        ran.stdout.contains("was not recorded") || ran.stdout.contains("not_recorded"),
        "{}",
        ran.stdout
    );
}
