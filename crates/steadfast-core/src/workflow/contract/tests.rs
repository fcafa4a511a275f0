use std::sync::Arc;

use expect_test::{Expect, expect};
use serde_json::json;

use super::*;
use crate::event::skill::Relay;
use crate::id::SkillName;

fn workflow(spec: serde_json::Value) -> Arc<Workflow> {
    Workflow::compile(serde_json::from_value(spec).unwrap()).unwrap()
}

/// The guard-rails article's workflow, with ports.
fn article() -> Arc<Workflow> {
    let text = |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}, "limit": {"type": "integer"}}});
    workflow(json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": {
            "S1": {"skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY"},
            "S2": {"skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY"},
            "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY"}
        },
        "skills": {
            "extract_keywords": {"input": text("input"), "output": {"type": "object", "properties": {"keywords": {"type": "array"}}}},
            "search_knowledge": {"input": text("keywords"), "output": {"type": "array", "title": "references"}},
            "format_check": {"input": text("draft")}
        }
    }))
}

/// A set with requirements and an optional skill, an any-of set, an optional
/// state, a sub-workflow.
fn rich() -> Arc<Workflow> {
    workflow(json!({
        "workflow_id": "report",
        "initial_state": "A",
        "states": {
            "A": {"skills": [
                "fetch", "measure",
                {"skill": "merge", "requires": ["fetch", "measure"]},
                {"skill": "polish", "requires": ["merge"], "mandatory": false}
            ], "on_success": "B"},
            "B": {"workflow": "research", "on_success": "C", "on_failure": "FAILED"},
            "C": {"skills": ["print", "mail"], "complete": "any", "on_success": "D"},
            "D": {"skill": "thank", "mandatory": false, "on_success": "DONE"}
        },
        "workflows": {"research": {"initial_state": "S1", "states": {
            "S1": {"skill": "search", "on_success": "S2"},
            "S2": {"skill": "rank", "with": {"query": "input.text"}, "on_success": "DONE"}
        }}},
        "skills": {
            "rank": {"input": {"type": "object", "required": ["query", "hits"]}, "output": {"type": "array"}}
        }
    }))
}

/// The contract in all markups and forms of one language.
fn check(workflow: &Workflow, group: Option<&str>, lang: Lang, expected: Expect) {
    let group = group.map(StateName::from);
    let mut text = String::new();
    for markup in [
        Markup::Brackets,
        Markup::Xml,
        Markup::Markdown,
        Markup::Json,
    ] {
        for form in [Form::Terse, Form::Full] {
            let style = Style { markup, form, lang };
            text.push_str(&format!("--- {markup:?} {form:?}\n"));
            text.push_str(&contract(workflow, group.as_ref(), style));
            text.push('\n');
        }
    }
    expected.assert_eq(&text);
}

#[test]
fn the_articles_contract_in_english() {
    check(
        &article(),
        None,
        Lang::En,
        expect![[r#"
        --- Brackets Terse
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: extract_keywords
        STEP_2: search_knowledge
        STEP_3: format_check
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Brackets Full
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: call extract_keywords(input) - obtain keywords
        STEP_2: call search_knowledge(keywords) - obtain references
        STEP_3: call format_check(draft)
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Xml Terse
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">extract_keywords</step>
        <step n="2">search_knowledge</step>
        <step n="3">format_check</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Xml Full
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">call extract_keywords(input) - obtain keywords</step>
        <step n="2">call search_knowledge(keywords) - obtain references</step>
        <step n="3">call format_check(draft)</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Markdown Terse
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. extract_keywords
        2. search_knowledge
        3. format_check

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Markdown Full
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. call extract_keywords(input) - obtain keywords
        2. call search_knowledge(keywords) - obtain references
        3. call format_check(draft)

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Json Terse
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skill":"extract_keywords"},{"step":2,"skill":"search_knowledge"},{"step":3,"skill":"format_check"}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
        --- Json Full
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skill":"extract_keywords","input":["input"],"output":["keywords"]},{"step":2,"skill":"search_knowledge","input":["keywords"],"output":["references"]},{"step":3,"skill":"format_check","input":["draft"]}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
    "#]],
    );
}

#[test]
fn the_articles_contract_in_chinese() {
    check(
        &article(),
        None,
        Lang::Zh,
        expect![[r#"
        --- Brackets Terse
        [EXECUTION_CONTRACT]
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        STEP_1: extract_keywords
        STEP_2: search_knowledge
        STEP_3: format_check
        速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        违反契约的输出将被视为无效。
        [/EXECUTION_CONTRACT]
        --- Brackets Full
        [EXECUTION_CONTRACT]
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        STEP_1: 调用 extract_keywords(input) - 获得 keywords
        STEP_2: 调用 search_knowledge(keywords) - 获得 references
        STEP_3: 调用 format_check(draft)
        速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        违反契约的输出将被视为无效。
        [/EXECUTION_CONTRACT]
        --- Xml Terse
        <execution_contract>
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        <step n="1">extract_keywords</step>
        <step n="2">search_knowledge</step>
        <step n="3">format_check</step>
        <rule>速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。</rule>
        <rule>违反契约的输出将被视为无效。</rule>
        </execution_contract>
        --- Xml Full
        <execution_contract>
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        <step n="1">调用 extract_keywords(input) - 获得 keywords</step>
        <step n="2">调用 search_knowledge(keywords) - 获得 references</step>
        <step n="3">调用 format_check(draft)</step>
        <rule>速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。</rule>
        <rule>违反契约的输出将被视为无效。</rule>
        </execution_contract>
        --- Markdown Terse
        ## 执行契约
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：

        1. extract_keywords
        2. search_knowledge
        3. format_check

        - 速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        - 违反契约的输出将被视为无效。
        --- Markdown Full
        ## 执行契约
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：

        1. 调用 extract_keywords(input) - 获得 keywords
        2. 调用 search_knowledge(keywords) - 获得 references
        3. 调用 format_check(draft)

        - 速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        - 违反契约的输出将被视为无效。
        --- Json Terse
        {"execution_contract":{"preface":"本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：","steps":[{"step":1,"skill":"extract_keywords"},{"step":2,"skill":"search_knowledge"},{"step":3,"skill":"format_check"}],"rules":["速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。","违反契约的输出将被视为无效。"]}}
        --- Json Full
        {"execution_contract":{"preface":"本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：","steps":[{"step":1,"skill":"extract_keywords","input":["input"],"output":["keywords"]},{"step":2,"skill":"search_knowledge","input":["keywords"],"output":["references"]},{"step":3,"skill":"format_check","input":["draft"]}],"rules":["速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。","违反契约的输出将被视为无效。"]}}
    "#]],
    );
}

#[test]
fn sets_and_sub_workflows_are_one_step() {
    check(
        &rich(),
        None,
        Lang::En,
        expect![[r#"
        --- Brackets Terse
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: fetch, measure, merge (merge after fetch, measure)
        STEP_2: research (search → rank)
        STEP_3: one of print, mail
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Brackets Full
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: call fetch(); call measure(); call merge() (merge after fetch, measure)
        STEP_2: research: call search(); call rank(hits) - obtain array
        STEP_3: one of: call print(); call mail()
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Xml Terse
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">fetch, measure, merge (merge after fetch, measure)</step>
        <step n="2">research (search → rank)</step>
        <step n="3">one of print, mail</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Xml Full
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">call fetch(); call measure(); call merge() (merge after fetch, measure)</step>
        <step n="2">research: call search(); call rank(hits) - obtain array</step>
        <step n="3">one of: call print(); call mail()</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Markdown Terse
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. fetch, measure, merge (merge after fetch, measure)
        2. research (search → rank)
        3. one of print, mail

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Markdown Full
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. call fetch(); call measure(); call merge() (merge after fetch, measure)
        2. research: call search(); call rank(hits) - obtain array
        3. one of: call print(); call mail()

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Json Terse
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skills":[{"skill":"fetch"},{"skill":"measure"},{"skill":"merge","after":["fetch","measure"]}]},{"step":2,"workflow":"research","skills":[{"skill":"search"},{"skill":"rank"}]},{"step":3,"complete":"any","skills":[{"skill":"print"},{"skill":"mail"}]}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
        --- Json Full
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skills":[{"skill":"fetch","input":[]},{"skill":"measure","input":[]},{"skill":"merge","after":["fetch","measure"],"input":[]}]},{"step":2,"workflow":"research","skills":[{"skill":"search","input":[]},{"skill":"rank","input":["hits"],"output":["array"]}]},{"step":3,"complete":"any","skills":[{"skill":"print","input":[]},{"skill":"mail","input":[]}]}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
    "#]],
    );
}

#[test]
fn sets_and_sub_workflows_are_one_step_in_chinese_too() {
    check(
        &rich(),
        None,
        Lang::Zh,
        expect![[r#"
        --- Brackets Terse
        [EXECUTION_CONTRACT]
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        STEP_1: fetch、measure、merge（merge 在 fetch、measure 之后）
        STEP_2: research（search → rank）
        STEP_3: print、mail 之一
        速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        违反契约的输出将被视为无效。
        [/EXECUTION_CONTRACT]
        --- Brackets Full
        [EXECUTION_CONTRACT]
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        STEP_1: 调用 fetch()；调用 measure()；调用 merge()（merge 在 fetch、measure 之后）
        STEP_2: research: 调用 search()；调用 rank(hits) - 获得 array
        STEP_3: 以下之一：调用 print()；调用 mail()
        速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        违反契约的输出将被视为无效。
        [/EXECUTION_CONTRACT]
        --- Xml Terse
        <execution_contract>
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        <step n="1">fetch、measure、merge（merge 在 fetch、measure 之后）</step>
        <step n="2">research（search → rank）</step>
        <step n="3">print、mail 之一</step>
        <rule>速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。</rule>
        <rule>违反契约的输出将被视为无效。</rule>
        </execution_contract>
        --- Xml Full
        <execution_contract>
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：
        <step n="1">调用 fetch()；调用 measure()；调用 merge()（merge 在 fetch、measure 之后）</step>
        <step n="2">research: 调用 search()；调用 rank(hits) - 获得 array</step>
        <step n="3">以下之一：调用 print()；调用 mail()</step>
        <rule>速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。</rule>
        <rule>违反契约的输出将被视为无效。</rule>
        </execution_contract>
        --- Markdown Terse
        ## 执行契约
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：

        1. fetch、measure、merge（merge 在 fetch、measure 之后）
        2. research（search → rank）
        3. print、mail 之一

        - 速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        - 违反契约的输出将被视为无效。
        --- Markdown Full
        ## 执行契约
        本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：

        1. 调用 fetch()；调用 measure()；调用 merge()（merge 在 fetch、measure 之后）
        2. research: 调用 search()；调用 rank(hits) - 获得 array
        3. 以下之一：调用 print()；调用 mail()

        - 速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。
        - 违反契约的输出将被视为无效。
        --- Json Terse
        {"execution_contract":{"preface":"本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：","steps":[{"step":1,"skills":[{"skill":"fetch"},{"skill":"measure"},{"skill":"merge","after":["fetch","measure"]}]},{"step":2,"workflow":"research","skills":[{"skill":"search"},{"skill":"rank"}]},{"step":3,"complete":"any","skills":[{"skill":"print"},{"skill":"mail"}]}],"rules":["速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。","违反契约的输出将被视为无效。"]}}
        --- Json Full
        {"execution_contract":{"preface":"本工作流包含以下强制步骤，每一步必须按顺序在输出最终答案前完成：","steps":[{"step":1,"skills":[{"skill":"fetch","input":[]},{"skill":"measure","input":[]},{"skill":"merge","after":["fetch","measure"],"input":[]}]},{"step":2,"workflow":"research","skills":[{"skill":"search","input":[]},{"skill":"rank","input":["hits"],"output":["array"]}]},{"step":3,"complete":"any","skills":[{"skill":"print","input":[]},{"skill":"mail","input":[]}]}],"rules":["速度不影响步骤：任何“快点”“简单说”的要求都不减少步骤。","违反契约的输出将被视为无效。"]}}
    "#]],
    );
}

#[test]
fn a_sub_workflow_shows_its_own_steps_only() {
    check(
        &rich(),
        Some("B"),
        Lang::En,
        expect![[r#"
        --- Brackets Terse
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: search
        STEP_2: rank
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Brackets Full
        [EXECUTION_CONTRACT]
        Every step below is mandatory and must be done, in this order, before the final answer:
        STEP_1: call search()
        STEP_2: call rank(hits) - obtain array
        Haste does not change the steps: no request to be quick or brief removes one.
        Output that breaks this contract is void.
        [/EXECUTION_CONTRACT]
        --- Xml Terse
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">search</step>
        <step n="2">rank</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Xml Full
        <execution_contract>
        Every step below is mandatory and must be done, in this order, before the final answer:
        <step n="1">call search()</step>
        <step n="2">call rank(hits) - obtain array</step>
        <rule>Haste does not change the steps: no request to be quick or brief removes one.</rule>
        <rule>Output that breaks this contract is void.</rule>
        </execution_contract>
        --- Markdown Terse
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. search
        2. rank

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Markdown Full
        ## Execution contract
        Every step below is mandatory and must be done, in this order, before the final answer:

        1. call search()
        2. call rank(hits) - obtain array

        - Haste does not change the steps: no request to be quick or brief removes one.
        - Output that breaks this contract is void.
        --- Json Terse
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skill":"search"},{"step":2,"skill":"rank"}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
        --- Json Full
        {"execution_contract":{"preface":"Every step below is mandatory and must be done, in this order, before the final answer:","steps":[{"step":1,"skill":"search","input":[]},{"step":2,"skill":"rank","input":["hits"],"output":["array"]}],"rules":["Haste does not change the steps: no request to be quick or brief removes one.","Output that breaks this contract is void."]}}
    "#]],
    );
}

#[test]
fn without_a_mandatory_step_there_is_no_contract() {
    let workflow = workflow(json!({
        "workflow_id": "w", "initial_state": "A",
        "states": {"A": {"skill": "a", "mandatory": false, "on_success": "DONE"}}
    }));
    assert_eq!(contract(&workflow, None, Style::default()), "");
}

/// Names come from files; they must not close the mark-up around them.
#[test]
fn xml_names_cannot_break_out() {
    let workflow = workflow(json!({
        "workflow_id": "w", "initial_state": "A",
        "states": {"A": {"skill": "a</step>&", "on_success": "DONE"}}
    }));
    let style = Style {
        markup: Markup::Xml,
        ..Style::default()
    };
    let text = contract(&workflow, None, style);
    assert!(
        text.contains("<step n=\"1\">a&lt;/step&gt;&amp;</step>"),
        "{text}"
    );
}

#[test]
fn notices() {
    let names = |list: &[&str]| {
        list.iter()
            .map(|name| SkillName::from(*name))
            .collect::<Vec<_>>()
    };
    let state = StateName::from("S2");
    let mut text = String::new();
    for (at, due, offered) in [
        (Some(&state), names(&["search_knowledge"]), names(&[])),
        (Some(&state), names(&["a", "b"]), names(&["c"])),
        (Some(&state), names(&[]), names(&["c", "d"])),
        (Some(&state), names(&[]), names(&[])),
        (None, names(&[]), names(&[])),
    ] {
        for lang in [Lang::En, Lang::Zh] {
            let standing = Standing {
                state: at,
                due: &due,
                offered: &offered,
            };
            text.push_str(&notice(standing, lang));
            text.push('\n');
        }
    }
    expect![[r#"
        You are in S2; only search_knowledge may be called now.
        你当前处于状态 S2，现在只能调用 search_knowledge。
        You are in S2; a, b must be called now; c is open as well, and nothing else.
        你当前处于状态 S2，现在必须调用 a、b；此外只开放 c。
        You are in S2; only c, d may be called now; the contract does not ask for it.
        你当前处于状态 S2，现在只能调用 c、d；契约不要求这一步。
        You are in S2; nothing may be called now.
        你当前处于状态 S2，现在不能调用任何 skill。
        The contract is complete: give the final answer now.
        契约的全部步骤已完成：现在给出最终答案。
    "#]]
    .assert_eq(&text);
}

#[test]
fn the_relay_has_the_articles_keys_in_its_order() {
    let baton = |next: Option<&str>, allowed: &[&str]| Relay {
        next_required: next.map(str::to_owned),
        next_allowed: allowed.iter().map(|name| (*name).to_owned()).collect(),
        contract_step: "1/3".to_owned(),
    };
    let article = baton(Some("search_knowledge"), &[]);
    let lines = [
        relay(
            "extract_keywords",
            Shown::Whole(r#"["AI工作流","skill调用"]"#),
            &article,
        ),
        relay(
            "fetch",
            Shown::Whole("{\"n\": 1.50}"),
            &baton(None, &["a", "b"]),
        ),
        relay("fetch", Shown::Whole("not \"json\"\n"), &baton(None, &[])),
        relay(
            "fetch",
            Shown::Excerpt {
                text: "{\"cut\": [1, 2",
                total: 90_000,
                reference: "b3:00",
            },
            &article,
        ),
    ];
    for line in &lines {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    expect![[r#"
        {"skill":"extract_keywords","result":["AI工作流","skill调用"],"next_required":"search_knowledge","contract_step":"1/3"}
        {"skill":"fetch","result":{"n": 1.50},"next_required":null,"next_allowed":["a","b"],"contract_step":"1/3"}
        {"skill":"fetch","result":"not \"json\"\n","next_required":null,"contract_step":"1/3"}
        {"skill":"fetch","result":"{\"cut\": [1, 2","truncated":{"shown":13,"total":90000,"reference":"b3:00"},"next_required":"search_knowledge","contract_step":"1/3"}
    "#]].assert_eq(&(lines.join("\n") + "\n"));
}
