//! `inspect`: a task of our own, and the log of another agent.

use expect_test::expect;

use crate::harness::{Case, PAY, payment};

const CHAT: &str = r#"[
{"role":"system","content":"Answer in Chinese."},
{"role":"user","content":"How many seats are left on flight HAT069?"},
{"role":"assistant","tool_calls":[{"id":"1","function":{"name":"seats","arguments":"{\"flight\":\"HAT069\"}"}}]},
{"role":"tool","tool_call_id":"1","content":"7"},
{"role":"user","content":"Look again. Answer in English."},
{"role":"assistant","tool_calls":[{"id":"2","function":{"name":"seats","arguments":"{\"flight\":\"HAT069\"}"}}]},
{"role":"tool","tool_call_id":"2","content":"2"},
{"role":"assistant","content":"There are 7."}
]"#;

#[test]
fn a_task_shows_its_contexts_and_what_changed() {
    let case = payment("none");
    assert_eq!(case.run(PAY).exit, 0);
    case.check(
        &["inspect", "t1", "--last", "2"],
        expect![[r#"
        exit 0
        --- stdout
        t1: the last 2 contexts
          m2.1 (event 9)  5 messages, about [N] tokens
          m3.1 (event 15)  7 messages, about [N] tokens
            - runtime: You are in S2; only pay may be called now.
            + pay: {"amount":10}
            + pay: {"skill":"pay","result":{"paid":true},"next_required":null,"contract_step"…
            + runtime: The contract is complete: give the final answer now.
        no findings
    "#]],
    );
    case.check(
        &["inspect", "t1", "--before", "2"],
        expect![[r#"
        exit 0
        --- stdout
        t1: no model was called there
    "#]],
    );
}

#[test]
fn the_log_of_another_agent_is_looked_at() {
    let case = Case::new();
    case.write("chat.json", CHAT);
    case.check(
        &["inspect", "--import", "chat.json", "--last", "2"],
        expect![[r#"
            exit 3
            --- stdout
            chat#1: the last 2 contexts
              #7  7 messages, about [N] tokens
              the end  8 messages, about [N] tokens
                + agent: There are 7.
            2 findings
              contradiction two rules on one thing, “answer in Chinese” in #0 and “answer in English” in #4: no answer can keep both
                            from #7 to the end
                            #0: Answer in Chinese
                            #4: Answer in English
              stale         what `seats` gave in #3 was replaced in #6 and still stands
                            from #7 to the end, [N] tokens
                            #3: 7
                            #6: 2
        "#]],
    );
}

#[test]
fn programs_get_the_findings_with_their_places() {
    let case = Case::new();
    case.write("chat.json", CHAT);
    let ran = case.run(&["inspect", "--import", "chat.json", "--json"]);
    assert_eq!(ran.exit, 3, "{}", ran.stderr);
    let report: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let kinds: Vec<&str> = report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["contradiction", "stale"]);
    assert_eq!(report["findings"][1]["places"][0]["message"], 3);
}

#[test]
fn either_a_task_or_a_list_is_needed() {
    let case = Case::new();
    let ran = case.run(&["inspect"]);
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    let ran = case.run(&["inspect", "--import", "none.json"]);
    assert_eq!(ran.exit, 1, "{}", ran.stderr);
    assert!(ran.stderr.contains("none.json"), "{}", ran.stderr);
}
