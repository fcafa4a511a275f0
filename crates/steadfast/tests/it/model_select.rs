//! Which model a name means, and why.

use std::collections::BTreeMap;

use steadfast::core::event::model::ModelFailure;
use steadfast::model::select::SelectError;
use steadfast::model::{failure, select};

fn choose(name: &str, variables: &[(&str, &str)]) -> Result<(String, String), SelectError> {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    let env = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    select(name, &env).map(|(model, why)| (model.name().to_owned(), why))
}

fn chosen(name: &str, variables: &[(&str, &str)]) -> (String, String) {
    choose(name, variables).unwrap()
}

fn both(model: &str, why: &str) -> (String, String) {
    (model.to_owned(), why.to_owned())
}

#[cfg(feature = "openai")]
const LOCAL: (&str, &str) = ("STEADFAST_BASE_URL", "http://localhost:11434/v1");

#[test]
fn auto_takes_the_extractive_writer_where_no_endpoint_is_set() {
    let expected = both(
        "extractive/1",
        "the extractive writer, a stand-in that extracts and does not reason: STEADFAST_BASE_URL is not set",
    );
    assert_eq!(chosen("auto", &[]), expected);
    // A key alone spends no money, and neither does a variable that is blank.
    assert_eq!(
        chosen(
            "auto",
            &[("OPENAI_API_KEY", "sk"), ("STEADFAST_BASE_URL", " ")]
        ),
        expected
    );
}

#[cfg(feature = "openai")]
#[test]
fn auto_takes_an_endpoint_that_is_set() {
    let with_model = [LOCAL, ("STEADFAST_MODEL", "qwen3:8b")];
    assert_eq!(
        chosen("auto", &with_model),
        both(
            "qwen3:8b",
            "`qwen3:8b` at http://localhost:11434/v1: STEADFAST_BASE_URL and STEADFAST_MODEL are set"
        )
    );
    assert_eq!(
        chosen("auto", &[("OPENAI_BASE_URL", "http://user:pass@box/v1")]),
        both(
            "default",
            "`default` at http://box/v1: OPENAI_BASE_URL is set, and STEADFAST_MODEL names no model of it"
        )
    );
}

#[cfg(feature = "openai")]
#[test]
fn a_named_model_needs_somewhere_to_be() {
    assert_eq!(
        chosen("qwen3:8b", &[LOCAL]),
        both(
            "qwen3:8b",
            "`qwen3:8b` at http://localhost:11434/v1, as asked"
        )
    );
    assert_eq!(
        chosen("openai:gpt-x", &[("OPENAI_API_KEY", "sk")]),
        both("gpt-x", "`gpt-x` at https://api.openai.com/v1, as asked")
    );
    let error = |name: &str, variables: &[(&str, &str)]| {
        let error = choose(name, variables).unwrap_err();
        (error.code(), error.to_string())
    };
    let expected = |code: &'static str, message: &str| (code, message.to_owned());
    assert_eq!(
        error("extractve", &[]),
        expected("M0002", "no model is named `extractve`")
    );
    assert_eq!(
        error("openai:", &[]),
        expected("M0002", "no model is named `openai:`")
    );
    assert_eq!(
        error("openai:gpt-x", &[]),
        expected("M0003", "the key variable `OPENAI_API_KEY` is not set")
    );
    assert_eq!(
        error("auto", &[LOCAL, ("STEADFAST_API_KEY_ENV", "MY_KEY")]),
        expected("M0003", "the key variable `MY_KEY` is not set")
    );
    assert_eq!(
        error("auto", &[LOCAL, ("STEADFAST_SYSTEM_MESSAGES", "last")]),
        expected(
            "M0004",
            "`last` is not a value of `STEADFAST_SYSTEM_MESSAGES`"
        )
    );
    assert_eq!(
        error("auto", &[("STEADFAST_BASE_URL", "localhost")]),
        expected("M0004", "`localhost` is not an address of an endpoint")
    );
}

#[test]
fn a_script_is_taken_from_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("script.yaml");
    std::fs::write(&path, "- say: hello\n").unwrap();
    let name = format!("script:{}", path.display());
    let why = format!("the script `{}`, as asked", path.display());
    assert_eq!(chosen(&name, &[]), both("scripted", &why));
    let missing = choose("script:/nowhere/script.yaml", &[]).unwrap_err();
    assert_eq!(missing.code(), "M0001");
    assert_eq!(
        missing.to_string(),
        "cannot read script `/nowhere/script.yaml`"
    );
}

#[test]
fn every_code_has_a_page() {
    let pages = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let classes = [
        ModelFailure::Unreachable,
        ModelFailure::Quota,
        ModelFailure::Lost,
        ModelFailure::Transport,
        ModelFailure::Timeout,
        ModelFailure::RateLimited,
        ModelFailure::Provider,
        ModelFailure::Rejected,
        ModelFailure::OutputBudget,
        ModelFailure::Malformed,
        ModelFailure::Empty,
        ModelFailure::NotRecorded,
    ];
    let codes = classes.into_iter().map(failure::code);
    for code in codes.chain([
        "M0001", "M0002", "M0003", "M0004", "M0005", "M0006", "M0007",
    ]) {
        let page = std::fs::read_to_string(pages.join(format!("{code}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}")), "no page for {code}");
    }
}
