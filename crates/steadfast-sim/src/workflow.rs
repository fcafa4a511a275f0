//! Workflows to run: made by chance from a shape that can be shrunk, and the
//! fixed ones of the articles.
//!
//! Conditions are kept to one form, `facts.flag == true`, so that the oracle
//! can evaluate them without the engine that it judges.

mod shape;

use std::collections::BTreeMap;

use serde_json::json;
use steadfast_core::budget::{Budget, OnExhausted};
use steadfast_core::id::{SkillName, StateName};
use steadfast_core::workflow::Spec;
use steadfast_core::workflow::spec::{
    AnswerFrom, Approval, Complete, EdgeSpec, EdgesSpec, EffectClass, Limits, ModelRetry, Retry,
    SkillSpec, StateSpec, Steering, ToolMask, UseFull, UseSpec,
};

pub use shape::{Failure, Purse, Shape, Stay, Turn};

/// The one condition of generated workflows.
pub const FLAG: &str = "facts.flag == true";

/// How long a simulated task waits for its provider.
pub const PATIENCE_MS: u64 = 15 * 60_000;

/// A workflow, and which of its skills are checks and verifiers.
#[derive(Clone, Debug)]
pub struct Case {
    pub spec: Spec,
    pub input: String,
    pub flag: bool,
}

/// The content pipeline of the guard-rails article, with its ports.
pub fn content_pipeline() -> Case {
    let states = json!({
        "S1": {"skill": "extract_keywords", "on_success": "S2", "on_failure": "S1_RETRY"},
        "S2": {"skill": "search_knowledge", "on_success": "S3", "on_failure": "S2_RETRY"},
        "S3": {"skill": "format_check", "on_success": "DONE", "on_failure": "S3_RETRY",
               "success_when": "result.ok"}
    });
    let port = |name: &str| json!({"type": "object", "required": [name], "properties": {name: {"type": "string"}}});
    let spec = json!({
        "workflow_id": "content_pipeline",
        "initial_state": "S1",
        "states": states,
        "skills": {
            "extract_keywords": {"effect": "read", "input": port("q")},
            "search_knowledge": {"effect": "read", "input": port("q")},
            "format_check": {"effect": "read", "input": port("text"), "checks": "text"}
        }
    });
    let spec = serde_json::from_value(spec).expect("a workflow of ours reads");
    Case {
        spec,
        input: "帮我快速处理一下这段文字，不用太复杂".to_owned(),
        flag: false,
    }
}

/// Builds the workflow of a shape.
pub fn build(shape: &Shape) -> Case {
    let mut builder = Builder::default();
    let mut states = BTreeMap::new();
    for (at, stay) in shape.states.iter().enumerate() {
        states.insert(state_name(at), builder.state(shape, at, stay));
    }
    let spec = Spec {
        workflow_id: "simulated".to_owned(),
        description: None,
        initial_state: state_name(0),
        states,
        policy: Some("Do the steps.".to_owned()),
        skills: builder.skills,
        mcp: BTreeMap::new(),
        workflows: BTreeMap::new(),
        tasks: BTreeMap::new(),
        steering: if shape.runtime {
            Steering::Runtime
        } else {
            Steering::Model
        },
        contract: steadfast_core::workflow::spec::ContractSpec {
            tools: if shape.all_tools {
                ToolMask::All
            } else {
                ToolMask::Due
            },
            ..Default::default()
        },
        answer: steadfast_core::workflow::spec::AnswerSpec {
            from: shape.answer_by_model.then_some(AnswerFrom::Model),
            ..Default::default()
        },
        ledger: Default::default(),
        clock: Default::default(),
        validation: Default::default(),
        conversation: shape.talk > 0,
        reviewer: Default::default(),
        phases: Default::default(),
        memory: Default::default(),
        guards: Default::default(),
        limits: Limits {
            steps: 40,
            visits: 3,
            time_ms: shape.hasty.then_some(3_000),
            ..Limits::default()
        },
        budget: Budget {
            tokens: shape.purse.tokens,
            model_calls: shape.purse.model_calls,
            skill_calls: shape.purse.skill_calls,
            on_exhausted: match shape.purse.ask {
                true => OnExhausted::Ask,
                false => OnExhausted::Fail,
            },
            ..Budget::default()
        },
        retry: ModelRetry {
            patience_ms: PATIENCE_MS,
            ..ModelRetry::default()
        },
    };
    let input = if shape.urged {
        "快点，不用那么麻烦。"
    } else {
        "Please handle order 7."
    };
    Case {
        spec,
        input: input.to_owned(),
        flag: shape.flag,
    }
}

pub(crate) fn state_name(at: usize) -> StateName {
    StateName::new(format!("S{}", at + 1))
}

#[derive(Default)]
struct Builder {
    skills: BTreeMap<SkillName, SkillSpec>,
}

impl Builder {
    fn state(&mut self, shape: &Shape, at: usize, stay: &Stay) -> StateSpec {
        let mut uses: Vec<UseSpec> = Vec::new();
        let mut before: Option<SkillName> = None;
        for (index, turn) in stay.turns.iter().enumerate() {
            let name = self.skill(at, index, turn);
            let requires = before
                .iter()
                .filter(|_| turn.after_previous)
                .cloned()
                .collect();
            let with = if shape.runtime && turn.effect == Some(EffectClass::Read) && !turn.check {
                BTreeMap::from([("q".to_owned(), "input.text".to_owned())])
            } else {
                BTreeMap::new()
            };
            let mandatory = (turn.open && index > 0).then_some(false);
            uses.push(UseSpec::Full(UseFull {
                skill: name.clone(),
                requires,
                with,
                mandatory,
            }));
            before = Some(name);
        }
        StateSpec {
            skills: uses,
            complete: if stay.any {
                Complete::Any
            } else {
                Complete::All
            },
            on_success: next(shape, at),
            on_failure: Some(EdgesSpec::One(match stay.failure {
                Failure::Retry => format!("{}_RETRY", state_name(at)),
                Failure::Back(to) => state_name(to.min(at)).to_string(),
                Failure::Failed => "FAILED".to_owned(),
            })),
            mandatory: stay.optional.then_some(false),
            skip_when: stay.skippable.then(|| FLAG.to_owned()),
            retry: stay.retry.then_some(Retry {
                attempts: 3,
                backoff_ms: 200,
                ..Retry::default()
            }),
            ..StateSpec::default()
        }
    }

    fn skill(&mut self, at: usize, index: usize, turn: &Turn) -> SkillName {
        let letter = char::from(b'a' + u8::try_from(index % 26).unwrap_or(0));
        let kind = match (turn.check, turn.effect) {
            (true, _) => "check",
            (_, Some(EffectClass::Read)) => "read",
            (_, Some(EffectClass::Idempotent)) => "put",
            (_, Some(EffectClass::Irreversible)) => "send",
            (_, None) => "act",
        };
        let name = format!("{kind}_{}{letter}", at + 1);
        let argument = if turn.check { "text" } else { "q" };
        let mut properties = json!({ argument: {"type": "string"} });
        let keyed = turn.effect == Some(EffectClass::Idempotent);
        if keyed {
            properties["key"] = json!({"type": "string"});
        }
        let verify = turn
            .verified
            .then(|| SkillName::new(format!("verify_{name}")));
        if let Some(verify) = &verify {
            let asks = SkillSpec {
                effect: Some(EffectClass::Read),
                ..SkillSpec::default()
            };
            self.skills.insert(verify.clone(), asks);
        }
        let spec = SkillSpec {
            description: format!("Does {name}."),
            input: json!({"type": "object", "required": [argument], "properties": properties}),
            output: json!({"type": "object", "required": ["ok"]}),
            effect: turn.effect,
            approval: if turn.approval {
                Approval::Required
            } else {
                Approval::None
            },
            success_when: Some("result.ok".to_owned()),
            checks: turn.check.then(|| "text".to_owned()),
            claims_when: vec![claim(&name)],
            verify,
            key_arg: keyed.then(|| "key".to_owned()),
            touches: if turn.apart {
                vec!["q".to_owned()]
            } else {
                Vec::new()
            },
            // Longer than any reply takes; the wait before a deed in doubt is asked about.
            timeout_ms: Some(1_000),
            ..SkillSpec::default()
        };
        let name = SkillName::new(name);
        self.skills.insert(name.clone(), spec);
        name
    }
}

/// The words by which an answer claims that a skill was carried out.
pub fn claim(skill: &str) -> String {
    format!("I did {skill}")
}

/// Success leads to the next state; one that lies beside the way is entered only
/// under the flag.
fn next(shape: &Shape, at: usize) -> EdgesSpec {
    let name = |at: usize| match at < shape.states.len() {
        true => state_name(at).to_string(),
        false => "DONE".to_owned(),
    };
    match shape.states.get(at + 1) {
        Some(stay) if stay.optional && stay.beside => EdgesSpec::Many(vec![
            EdgeSpec {
                when: Some(FLAG.to_owned()),
                to: name(at + 1),
            },
            EdgeSpec {
                when: None,
                to: name(at + 2),
            },
        ]),
        _ => EdgesSpec::One(name(at + 1)),
    }
}
