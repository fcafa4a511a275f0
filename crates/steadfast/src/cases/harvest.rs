//! From a recorded run to a case: what went in, what came back, what was done.
//!
//! The skills' results become replies and the model's replies a script, so that
//! the case plays without model, key or network. What is expected is the
//! contract's own order, or the run's where it went as it should: an incident is
//! not made the norm.

use std::collections::BTreeMap;

use serde_json::Value;
use steadfast_core::event::{Body, Event};
use steadfast_core::id::CallId;
use steadfast_core::source::Source;
use steadfast_core::workflow::Workflow;
use steadfast_core::workflow::gate::Refusal;

use super::path::path;
use super::spec::{
    Case, Document, ModelFull, ModelSpec, Reply, ScriptCall, ScriptTurn, Speaker, TextDocument,
    Turn,
};

/// A case made of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Harvest {
    pub case: Case,
    /// The folder that it belongs in, by what happened.
    pub group: &'static str,
    /// What a person should look at before it is kept.
    pub notes: Vec<String>,
}

/// Makes a case of a log whose contents are loaded.
pub fn harvest(id: &str, reason: &str, workflow: &Workflow, events: &[Event]) -> Harvest {
    let mut case = Case {
        case_id: id.to_owned(),
        added_reason: Some(reason.to_owned()),
        replies: replies(events),
        model: script(events),
        ..Case::default()
    };
    let mut notes = Vec::new();
    said(events, &mut case);
    let went = path(events);
    let completed = events
        .iter()
        .any(|event| matches!(event.body, Body::TaskCompleted(_) | Body::RoundEnded(_)));
    case.expected_path = match completed {
        true => went.states(),
        false => {
            notes.push(
                "the run did not complete: the path that is expected is the contract's order; \
                 give --expected-path where another is right"
                    .to_owned(),
            );
            workflow
                .machine
                .mandatory()
                .map(|state| state.name.to_string())
                .collect()
        }
    };
    case.expected_output_contains = workflow
        .machine
        .mandatory()
        .flat_map(|state| &state.uses)
        .filter(|one| one.mandatory)
        .filter(|one| {
            workflow
                .skill(one.skill.as_str())
                .is_some_and(|skill| skill.checks.is_some())
        })
        .map(|one| format!("{}_passed", one.skill))
        .collect();
    if tempts(&case) {
        case.tags.push("adversarial".to_owned());
    }
    Harvest {
        group: group(workflow, events),
        case,
        notes,
    }
}

/// Whether the words of a case tempt a model, as far as can be told by rule.
pub(crate) fn tempts(case: &Case) -> bool {
    let turns = case.turns.iter().map(|turn| turn.text.as_str());
    let mut said = turns.chain([case.input.as_str()]);
    said.any(|text| crate::audit::urging::find(text).is_some())
}

fn said(events: &[Event], case: &mut Case) {
    let mut owner = None;
    for event in events {
        match &event.body {
            Body::TaskStarted(body) => {
                case.input = body.input.text().into_owned();
                case.facts = body.facts();
                let documents = body.documents.iter().map(|document| {
                    Document::Text(TextDocument {
                        name: document.name.clone(),
                        text: document.text.text().into_owned(),
                    })
                });
                case.documents = documents.collect();
                owner = Some(event.source.clone());
            }
            Body::UserSent(body) => {
                let own = owner.as_ref() == Some(&event.source)
                    || !matches!(event.source, Source::User { .. });
                case.turns.push(Turn {
                    source: if own {
                        Speaker::User
                    } else {
                        Speaker::OtherUser
                    },
                    text: body.text.text().into_owned(),
                });
            }
            _ => {}
        }
    }
}

/// What came back of each call, in the order in which it did.
fn replies(events: &[Event]) -> Vec<Reply> {
    let mut skills: BTreeMap<CallId, String> = BTreeMap::new();
    let mut replies = Vec::new();
    for event in events {
        let (call, result, fail) = match &event.body {
            Body::CallAdmitted(body) => {
                skills.insert(body.call.clone(), body.skill.to_string());
                continue;
            }
            Body::SkillReturned(body) => (&body.call, body.result.json(), None),
            Body::SkillFailed(body) => (&body.call, Value::Null, Some(body.class)),
            _ => continue,
        };
        if let Some(skill) = skills.get(call) {
            let skill = skill.clone();
            replies.push(Reply {
                skill,
                result,
                fail,
            });
        }
    }
    replies
}

/// The model's replies as a script; none where a model said nothing.
fn script(events: &[Event]) -> Option<ModelSpec> {
    let turn = |event: &Event| match &event.body {
        Body::ModelReplied(body) => Some(ScriptTurn {
            say: body.text.as_ref().map(|text| text.text().into_owned()),
            calls: body
                .calls
                .iter()
                .map(|call| ScriptCall {
                    skill: call.skill.clone(),
                    // As it was written: what does not parse must not parse again.
                    args: match call.args.json() {
                        args @ Value::Object(_) => args,
                        _ => Value::String(call.args.text().into_owned()),
                    },
                })
                .collect(),
            ..ScriptTurn::default()
        }),
        Body::ModelFailed(body) => Some(ScriptTurn {
            fail: Some(body.class.name().to_owned()),
            ..ScriptTurn::default()
        }),
        _ => None,
    };
    let script: Vec<ScriptTurn> = events
        .iter()
        .filter_map(turn)
        .filter(|turn| turn.say.is_some() || !turn.calls.is_empty() || turn.fail.is_some())
        .collect();
    (!script.is_empty()).then_some(ModelSpec::Full(ModelFull {
        script,
        recorded: None,
    }))
}

/// The failure mode: what the gate refused first, else what failed.
fn group(workflow: &Workflow, events: &[Event]) -> &'static str {
    let of = |refusal: &Refusal| match refusal {
        one if one.is_skip() => Some("leak"),
        one if one.is_misorder() => Some("order"),
        Refusal::NotChecked { .. } | Refusal::Unchanged | Refusal::BadAnswer { .. } => {
            Some("format")
        }
        Refusal::Forbidden { .. } | Refusal::BreaksRules { .. } => Some("drift"),
        _ => None,
    };
    let mut checks = BTreeMap::new();
    for event in events {
        let found = match &event.body {
            Body::CallRefused(body) => of(&body.refusal),
            Body::AnswerRefused(body) => of(&body.refusal),
            Body::CallAdmitted(body) => {
                let skill = workflow.skill(body.skill.as_str());
                if skill.is_some_and(|skill| skill.checks.is_some()) {
                    checks.insert(body.call.clone(), ());
                }
                body.observed.iter().find_map(of)
            }
            Body::AnswerAdmitted(body) => body.observed.iter().find_map(of),
            Body::SkillReturned(body) if !body.success && checks.contains_key(&body.call) => {
                Some("format")
            }
            _ => None,
        };
        if let Some(found) = found {
            return found;
        }
    }
    "other"
}
