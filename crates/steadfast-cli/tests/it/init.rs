//! `init`, and the guard-rails article's own case and CI job run end to end.

use std::collections::BTreeMap;
use std::process::Command;

use serde_json::Value;

use crate::harness::Case;

/// As the guard-rails article prints it, its quotes lost.
const ARTICLE: &str = "{ case_id: reg_017, input: 帮我快速处理一下这段文字，不用太复杂, expected_path: [S1, S2, S3], expected_output_contains: [format_check_passed], added_reason: 用户催促导致漏调 format_check，2024-11 线上事故 }";

fn laid(ci: &str) -> Case {
    let case = Case::new();
    let ran = case.run(&["init", "--ci", ci]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    case
}

/// What is laid passes at once, with each kind of CI file, and says what it
/// looked at.
#[test]
fn what_is_laid_passes_at_once() {
    for ci in ["none", "github", "gitlab"] {
        let case = laid(ci);
        let ran = case.run(&["test"]);
        assert_eq!(ran.exit, 0, "{ci}: {}{}", ran.stdout, ran.stderr);
        let held = "regression: 3 of 3 hold";
        assert!(ran.stdout.contains(held), "{ci}: {}", ran.stdout);
        let store = case.path(".steadfast");
        assert!(!store.exists(), "the store is not touched");
        // Its own cases are in order too.
        let ran = case.run(&["case", "lint"]);
        assert_eq!((ran.exit, ran.stdout.as_str()), (0, ""), "{}", ran.stderr);
    }
}

/// A second run writes nothing over.
#[test]
fn files_that_are_there_are_kept() {
    let case = laid("gitlab");
    case.write("workflow.yaml", "mine\n");
    let ran = case.run(&["init", "--ci", "gitlab"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("kept     workflow.yaml"),
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains("written"), "{}", ran.stdout);
    assert_eq!(case.read("workflow.yaml"), "mine\n");
}

/// Show 1: the job that `init` makes for GitHub, its commands run in order by a
/// shell as a runner would, with the article's own case among the cases; the
/// binary is fetched as an archive.
#[test]
fn the_articles_case_and_the_github_job_run_end_to_end() {
    let case = laid("github");
    let article = case.path("regression_cases/leak/reg_017.json");
    std::fs::write(&article, ARTICLE).unwrap();
    let job: Value = serde_saphyr::from_str(&case.read(".github/workflows/steadfast.yml")).unwrap();
    assert_eq!(job["jobs"]["state-machine"]["needs"], "contract");
    assert_eq!(job["jobs"]["regression"]["needs"], "state-machine");
    archive(&case);
    for suite in ["fast", "full"] {
        let runs = jobs(&case, &job, suite);
        for (name, (code, output)) in &runs {
            assert_eq!(*code, 0, "{suite} {name}: {output}");
        }
        assert_eq!(runs.len(), 3);
    }
    // The full suite has the article's case; each layer left its JUnit file.
    let junit = case.read("reports/regression.xml");
    assert!(
        junit.contains("name=\"reg_017\" classname=\"regression.leak\""),
        "{junit}"
    );
    for layer in ["contract", "state-machine"] {
        assert!(
            case.read(&format!("reports/{layer}.xml"))
                .contains("<testsuite ")
        );
    }

    // A workflow whose check was taken out: the article's case turns red, with an
    // annotation at its file and a summary of the job.
    let workflow = case.read("workflow.yaml");
    let broken = workflow
        .replace(
            "S2: { skill: search_knowledge, on_success: S3",
            "S2: { skill: search_knowledge, on_success: DONE",
        )
        .replace(
            "  S3: { skill: format_check, on_success: DONE, on_failure: S3_RETRY }\n",
            "",
        );
    assert_ne!(workflow, broken);
    case.write("workflow.yaml", &broken);
    let (code, output) = &jobs(&case, &job, "full")["regression"];
    assert_eq!(*code, 3, "{output}");
    assert!(
        output.contains("::error file=regression_cases/leak/reg_017.json,title=reg_017 failed::"),
        "{output}"
    );
    let summary = case.read("summary.md");
    assert!(summary.contains("## steadfast test: failed"), "{summary}");
}

/// The archive that the job fetches: of a debug build it holds a word that leads
/// to the binary, since packing hundreds of megabytes would be all that is timed.
fn archive(case: &Case) {
    std::fs::create_dir_all(case.path("packed")).unwrap();
    let body = format!("exec '{}' \"$@\"", env!("CARGO_BIN_EXE_steadfast"));
    case.script("packed/steadfast", &body);
    let made = Command::new("tar")
        .args(["-czf", "steadfast.tar.gz", "-C", "packed", "steadfast"])
        .current_dir(case.path(""))
        .status()
        .unwrap();
    assert!(made.success());
}

/// Runs the `run:` steps of each job in order, and gives the exit code and the
/// output of each job.
fn jobs(case: &Case, job: &Value, suite: &str) -> BTreeMap<String, (i32, String)> {
    let url = format!("file://{}", case.path("steadfast.tar.gz").display());
    let mut done = BTreeMap::new();
    for name in ["contract", "state-machine", "regression"] {
        let steps = job["jobs"][name]["steps"].as_array().unwrap();
        assert_eq!(steps[0]["uses"], "actions/checkout@v4");
        let _ = std::fs::remove_file(case.path("path.txt"));
        let (mut code, mut output) = (0, String::new());
        for step in steps.iter().filter_map(|step| step["run"].as_str()) {
            let added = case.read("path.txt").lines().collect::<Vec<_>>().join(":");
            let path = format!("{added}:{}", std::env::var("PATH").unwrap());
            let ran = Command::new("bash")
                .args(["-e", "-o", "pipefail", "-c", step])
                .current_dir(case.path(""))
                .env_clear()
                .env("PATH", path)
                .env("HOME", case.path("home"))
                .env("GITHUB_ACTIONS", "true")
                .env("GITHUB_PATH", case.path("path.txt"))
                .env("GITHUB_STEP_SUMMARY", case.path("summary.md"))
                .env("STEADFAST_URL", &url)
                .env("SUITE", suite)
                .output()
                .unwrap();
            code = ran.status.code().unwrap_or(-1);
            output += &String::from_utf8_lossy(&ran.stdout);
            output += &String::from_utf8_lossy(&ran.stderr);
            if code != 0 {
                break;
            }
        }
        done.insert(name.to_owned(), (code, output));
    }
    done
}

/// The GitLab file is one that GitLab's own reader would take as far as its shape
/// goes: stages in order, each job in its stage and behind the one before.
#[test]
fn the_gitlab_file_chains_its_jobs() {
    let case = laid("gitlab");
    let file: Value = serde_saphyr::from_str(&case.read(".gitlab-ci.yml")).unwrap();
    assert_eq!(
        file["stages"],
        serde_json::json!(["contract", "state-machine", "regression"])
    );
    assert_eq!(
        file["state-machine"]["needs"],
        serde_json::json!(["contract"])
    );
    assert_eq!(
        file["regression"]["needs"],
        serde_json::json!(["state-machine"])
    );
    for layer in ["contract", "state-machine", "regression"] {
        assert_eq!(file[layer]["stage"], layer);
        let script = file[layer]["script"][0].as_str().unwrap();
        let args: Vec<&str> = script.split_whitespace().skip(1).collect();
        let args: Vec<&str> = args
            .iter()
            .map(|arg| if *arg == "\"$SUITE\"" { "fast" } else { arg })
            .collect();
        let ran = case.run(&args);
        assert_eq!(ran.exit, 0, "{layer}: {}{}", ran.stdout, ran.stderr);
        assert_eq!(case.read("reports/quality.json"), "[]\n");
    }
}
