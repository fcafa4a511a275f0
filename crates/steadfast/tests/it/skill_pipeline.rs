//! The example's workflow, from its file to its skills, carried out by hand in
//! the order of its states over its own articles and knowledge.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use steadfast::skill::{Skills, builtin, registry};
use steadfast::spec;
use steadfast_core::rules::Conditions;
use steadfast_core::workflow::spec::EdgesSpec;
use steadfast_core::workflow::{Spec, check};

use crate::skill_calls::call;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/content-pipeline")
}

fn file(name: &str) -> String {
    std::fs::read_to_string(folder().join(name)).unwrap()
}

fn workflow() -> Spec {
    let read = spec::read(&file("workflow.yaml"), "workflow.yaml").unwrap();
    registry::complete(spec::resolve(read.spec, None, &builtin::specs()))
}

#[test]
fn the_workflow_has_no_findings() {
    let rules = (
        steadfast::rules::JsonSchemas::new(),
        steadfast::rules::CelConditions::new(),
    );
    let spec = workflow();
    assert_eq!(check::check(&spec, &rules.0, &rules.1), []);

    // A failed check goes back to the draft four times, not a fifth.
    let EdgesSpec::Many(edges) = spec.states["S4"].on_failure.clone().unwrap() else {
        panic!("one edge cannot be bounded");
    };
    let again = edges[0].when.clone().unwrap();
    for (visits, holds) in [(1, true), (4, true), (5, false)] {
        let variables = json!({ "counters": { "visits": { "S3": visits, "S4": visits } } });
        assert_eq!(rules.1.evaluate(&again, &variables), Ok(json!(holds)));
    }
}

#[test]
fn the_draft_is_compose_under_its_own_name() {
    let draft = &workflow().skills["draft"];
    let compose = &builtin::specs()["compose"];
    assert_eq!(
        (&draft.input, &draft.output, draft.effect),
        (&compose.input, &compose.output, compose.effect)
    );
    // Complete once, complete for good.
    assert_eq!(registry::complete(workflow()), workflow());
}

/// Each article's own keywords find what the folder holds on its subject, and
/// the articles themselves pass the check that drafts must pass.
#[tokio::test]
async fn the_articles_go_through_every_skill() {
    let skills = Skills::build(&workflow(), &folder(), &BTreeMap::new()).unwrap();
    let run = |skill: &'static str, args: Value| {
        let skill = skills.get(skill).unwrap().clone();
        async move { skill.call(&call(args)).await.unwrap() }
    };
    for (article, found) in [
        ("article.zh.md", "checked-bytes.zh.md"),
        ("article.en.md", "retries.en.md"),
    ] {
        let text = file(article);
        let s1 = run("extract_keywords", json!({ "input": text })).await;
        assert_eq!(s1["keywords"].as_array().unwrap().len(), 12);
        let s2 = run("search_knowledge", json!({ "keywords": s1["keywords"] })).await;
        let references = s2["references"].as_array().unwrap();
        assert_eq!(references.len(), 5);
        assert!(
            references.iter().any(|one| one["source"] == *found),
            "{article}: {references:#?}"
        );
        let s3 = run("draft", json!({ "text": text })).await;
        let s4 = run("format_check", json!({ "draft": s3["draft"] })).await;
        assert_eq!(
            s4,
            json!({ "passed": true, "issues": [], "issue_count": 0, "format_check_passed": true })
        );
    }
}
