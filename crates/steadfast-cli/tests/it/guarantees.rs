//! The guarantees as cases, run by the command: a Steadfast in which one of them
//! is broken is caught by `steadfast test`, as a user would run it.

use std::path::Path;

use serde_json::Value;

use crate::harness::Case;

/// Each case stands for a guarantee that its reason names, and holds.
#[test]
fn b09_the_cases_of_the_guarantees_hold() {
    let case = Case::new();
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/guarantees/cases");
    let cases = cases.display().to_string();
    let ran = case.run(&["test", &cases, "--layer", "regression", "--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_default();
    let checks = report["layers"][0]["checks"].as_array();
    let checks = checks.unwrap_or_else(|| panic!("{}", ran.stderr));
    for check in checks {
        assert_eq!(check["status"], "passed", "{check:#}");
    }
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let seen = ["g01", "g02", "g03", "g06", "g07", "g08", "g10", "g12"];
    for guarantee in seen {
        let one = |check: &&Value| {
            check["name"]
                .as_str()
                .is_some_and(|name| name.contains(guarantee))
        };
        assert!(checks.iter().any(|check| one(&check)), "{guarantee}");
    }
}
