//! GitLab: a code quality report, which merge requests show at the files. What
//! the test tab shows is the JUnit file.

use serde_json::json;
use steadfast_core::hash::Hash;

use super::github::relative;
use super::outcome::{Check, Report};

/// One entry a failure (GitLab docs, Code Quality report format).
pub(super) fn json(report: &Report) -> String {
    let one = |layer: &str, check: &Check| {
        let file = check.file.as_ref().map(|file| relative(file));
        json!({
            "description": format!("{}: {}", check.name, check.message),
            "check_name": format!("steadfast/{layer}"),
            // The same failure keeps its name, so that GitLab can tell new ones.
            "fingerprint": Hash::of_json(&(layer, &check.group, &check.name)).short(),
            "severity": "major",
            "location": {
                "path": file.unwrap_or_else(|| "suite.yaml".to_owned()),
                "lines": { "begin": 1 }
            }
        })
    };
    let bad = report.checks().filter(|(_, check)| !check.status.is_good());
    let list: Vec<_> = bad.map(|(layer, check)| one(layer.layer, check)).collect();
    serde_json::to_string_pretty(&list).expect("made of JSON") + "\n"
}
