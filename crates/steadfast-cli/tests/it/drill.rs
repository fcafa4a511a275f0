//! `drill`: the report in both forms, and what cannot be drilled.

use serde_json::Value;

use crate::harness::Case;

/// The JSON has the headline, the page has it too and fetches nothing.
#[test]
fn a_drill_reports_in_json_and_in_one_file() {
    let case = Case::new();
    let args = "drill --seed 1 --dialogues 1 --methods steadfast --json --html drill.html";
    let args: Vec<&str> = args.split(' ').collect();
    let ran = case.run(&args);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let models = report["models"].as_array().unwrap().len();
    assert_eq!(models, 7);
    let [row] = report["methods"].as_array().unwrap().as_slice() else {
        panic!("{report}");
    };
    assert_eq!(row["method"], "steadfast");
    // One dialogue with each model.
    assert_eq!(row["all_kept"]["of"], models);
    assert_eq!(row["all_kept"]["met"], models);
    assert!(row["constraints"]["of"].as_u64() > Some(100), "{row}");
    assert_eq!(report["by_model"].as_array().unwrap().len(), models);
    assert!(!case.path(".steadfast").exists(), "the store was touched");

    let page = case.read("drill.html");
    assert!(page.contains("7 of 7"), "{page}");
    for model in report["models"].as_array().unwrap() {
        let cell = format!("<td>{}</td>", model.as_str().unwrap());
        assert!(page.contains(&cell), "{cell}");
    }
    for outside in ["http", "//", "<script", "<link", "@import", "url(", "src="] {
        assert!(!page.contains(outside), "{outside}");
    }
}

/// The same seed, the same bytes; another seed, others.
#[test]
fn a_drill_of_a_seed_is_the_same_again() {
    let case = Case::new();
    let of = |seed: &str| {
        let args = [
            "--model",
            "zoo:mixing",
            "--methods",
            "full_history",
            "--json",
        ];
        let ran = case.run(&[&["drill", "--dialogues", "1", "--seed", seed], &args[..]].concat());
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        ran.stdout
    };
    assert_eq!(of("3"), of("3"));
    assert_ne!(of("3"), of("4"));
}

/// Each says what was given and what may be given instead.
#[test]
fn what_cannot_be_drilled_is_said() {
    let case = Case::new();
    let refused: [(&[&str], &[&str]); 4] = [
        (&["--dialogues", "0"], &["'0'", "1..=1000"]),
        (&["--repeats", "1001"], &["'1001'", "1..=1000"]),
        (&["--methods", "wish"], &["'wish'", "sliding_window"]),
        (
            &["--model", "zoo:nobody"],
            &["M0002", "`nobody`", "`zoo:suggestible`"],
        ),
    ];
    for (args, says) in refused {
        let ran = case.run(&[&["drill"], args].concat());
        assert_eq!(ran.exit, 1, "{args:?}: {}", ran.stderr);
        assert_eq!(ran.stdout, "", "{args:?}");
        for one in says {
            assert!(ran.stderr.contains(one), "{one}: {}", ran.stderr);
        }
    }
    let ran = case.run(&["drill", "--json", "--model", "zoo:nobody"]);
    let error: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!((ran.exit, &error["code"]), (1, &Value::from("M0002")));
}
