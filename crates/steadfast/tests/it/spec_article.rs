//! The guard-rails article's workflow, exactly as it is printed there.

use std::path::{Path, PathBuf};

use serde_json::json;
use steadfast::core::id::StateName;
use steadfast::core::workflow::{Spec, Target, Workflow};
use steadfast::spec::read;

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn printed() -> String {
    std::fs::read_to_string(workspace().join("examples/content-pipeline/article.yaml")).unwrap()
}

#[test]
fn the_printed_text_reads_and_compiles() {
    let spec = read(&printed(), "article.yaml").unwrap().spec;
    let json: Spec = serde_json::from_value(json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY"},
            "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY"}
        }
    }))
    .unwrap();
    assert_eq!(spec, json);
    let as_json = serde_json::to_string_pretty(&json).unwrap();
    assert_eq!(read(&as_json, "article.json").unwrap().spec, json);

    let workflow = Workflow::compile(spec).unwrap();
    let order: Vec<&str> = workflow
        .machine
        .order
        .iter()
        .map(StateName::as_str)
        .collect();
    assert_eq!(order, ["S1", "S2", "S3"]);
    let retries = workflow
        .machine
        .states
        .values()
        .all(|s| s.on_failure[0].to == Target::Retry);
    assert!(retries, "`S1_RETRY` means to retry S1 by its policy");
}

/// The text in the repository against the article itself, where it is at hand.
#[test]
#[allow(clippy::print_stderr)]
fn the_printed_text_is_the_articles() {
    let article = workspace().join("../shared/seeds/workflow-guardrails.zh.txt");
    let Ok(article) = std::fs::read_to_string(&article) else {
        eprintln!(
            "skipped: the article is not at hand at `{}`",
            article.display()
        );
        return;
    };
    assert!(
        article.contains(printed().trim_end()),
        "the example differs from the article"
    );
}

/// The runnable example has no finding once its skills are resolved.
#[test]
#[cfg(feature = "builtin-skills")]
fn the_runnable_example_is_clean() {
    let path = workspace().join("examples/content-pipeline/workflow.yaml");
    let read = read(&std::fs::read_to_string(path).unwrap(), "workflow.yaml").unwrap();
    let resolved =
        steadfast::spec::resolve(read.spec.clone(), None, &steadfast::skill::builtin::specs());
    assert_eq!(read.check(&resolved).reports(), []);
}
