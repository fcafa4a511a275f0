//! Scripts: strict order, what was shown is kept, files read the same.

use serde_json::json;
use steadfast::core::event::model::{Finish, ModelFailure};
use steadfast::core::proposal::{ModelError, Reply};
use steadfast::model::{Model, Script};

use crate::model_request::{request, task};

#[tokio::test]
async fn a_script_answers_in_order_and_then_runs_out() {
    let model = Script::new()
        .call("search", json!({"q": 1}))
        .fail(ModelFailure::RateLimited)
        .then(|request| Ok(Reply::say("scripted", &request.messages[0].text())))
        .say("done")
        .build();
    let requests = ["a", "b", "c", "d", "e"].map(|text| request(vec![task(text)]));
    let mut outcomes = Vec::new();
    for request in &requests {
        outcomes.push(model.call(request).await);
    }
    let expected = [
        Ok(Reply::call("scripted", &[("search", json!({"q": 1}))])),
        Err(ModelError::new(
            ModelFailure::RateLimited,
            "scripted failure `rate_limited`",
        )),
        Ok(Reply::say("scripted", "c")),
        Ok(Reply::say("scripted", "done")),
        Err(ModelError::new(
            ModelFailure::NotRecorded,
            "the script has no reply for call 5",
        )),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(model.requests(), requests);
    assert_eq!(model.remaining(), 0);
}

#[tokio::test]
async fn a_script_is_read_from_yaml_and_from_json() {
    let yaml = "
- call: { skill: search, args: { q: no, n: 010 } }
- say: no
- calls:
    - { skill: a }
    - { skill: b, args: '{\"cut' }
  say: both
- fail: timeout
- { fail: rate_limited, message: slow down, retry_after_ms: 50 }
";
    let json = r#"[
        {"call": {"skill": "search", "args": {"q": "no", "n": "010"}}},
        {"say": "no"},
        {"calls": [{"skill": "a"}, {"skill": "b", "args": "{\"cut"}], "say": "both"},
        {"fail": "timeout"},
        {"fail": "rate_limited", "message": "slow down", "retry_after_ms": 50}
    ]"#;
    let mut both = Reply::call("scripted", &[("a", json!({})), ("b", json!({}))]);
    both.text = Some("both".to_owned());
    both.calls[1].args = "{\"cut".to_owned();
    assert_eq!(both.finish, Finish::ToolCalls);
    let slow = ModelError {
        class: ModelFailure::RateLimited,
        message: "slow down".to_owned(),
        retry_after_ms: Some(50),
    };
    let expected = [
        Ok(Reply::call(
            "scripted",
            &[("search", json!({"q": "no", "n": "010"}))],
        )),
        Ok(Reply::say("scripted", "no")),
        Ok(both),
        Err(ModelError::new(
            ModelFailure::Timeout,
            "scripted failure `timeout`",
        )),
        Err(slow),
    ];
    for text in [yaml, json] {
        let model = Script::parse(text).unwrap().build();
        for expected in &expected {
            assert_eq!(&model.call(&request(Vec::new())).await, expected);
        }
        assert_eq!(model.remaining(), 0);
    }
}

#[tokio::test]
async fn a_resumed_script_leaves_out_what_was_recorded() {
    let model = Script::new().say("a").say("b").skip(1).build();
    assert_eq!(
        model.call(&request(Vec::new())).await,
        Ok(Reply::say("scripted", "b"))
    );
    assert_eq!(Script::new().say("a").skip(9).build().remaining(), 0);
}

#[test]
fn a_script_that_means_nothing_is_refused_by_turn() {
    let message = |text: &str| Script::parse(text).unwrap_err().to_string();
    assert_eq!(
        message("- say: a\n- {}"),
        "turn 2 of the script says nothing and calls nothing"
    );
    assert_eq!(
        message("- { say: a, fail: timeout }"),
        "turn 1 of the script fails and replies at once"
    );
    assert_eq!(
        message("- { call: { skill: a }, calls: [{ skill: b }] }"),
        "turn 1 of the script has both `call` and `calls`"
    );
    assert!(message("- shout: a").starts_with("script does not parse: "));
    assert!(message("- fail: bad_luck").starts_with("script does not parse: "));
}
