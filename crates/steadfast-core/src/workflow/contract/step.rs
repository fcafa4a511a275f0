//! The steps of a contract, read off the machine.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::{Lang, Style};
use crate::id::{SkillName, StateName};
use crate::limits;
use crate::workflow::spec::{Complete, Form, SkillSpec};
use crate::workflow::{StateDef, Workflow};

/// One numbered step of a contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Counted from 1 within the contract.
    pub number: usize,
    /// The state, or the state that runs the sub-workflow.
    pub state: StateName,
    /// The sub-workflow, where the step is one.
    pub workflow: Option<String>,
    /// The calls that the step asks for; of a sub-workflow, all of them.
    pub calls: Vec<Call>,
    pub complete: Complete,
}

/// One call that a step asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    pub skill: SkillName,
    /// Mandatory skills of the same step that come before it.
    pub requires: Vec<SkillName>,
    /// Arguments that the model gives.
    pub input: Vec<String>,
    /// What the result holds, by field or by kind.
    pub output: Vec<String>,
}

/// The mandatory steps of one machine, in the order of the contract.
pub fn steps(workflow: &Workflow, group: Option<&StateName>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for def in workflow.machine.mandatory() {
        let Some((own, nested)) = place_in(def, group) else {
            continue;
        };
        let calls = calls(workflow, def);
        if nested && let Some(step) = steps.iter_mut().find(|step| step.state == own) {
            step.calls.extend(calls);
            continue;
        }
        steps.push(Step {
            number: steps.len() + 1,
            workflow: nested.then(|| sub_workflow(workflow, &own)).flatten(),
            state: own,
            complete: if nested { Complete::All } else { def.complete },
            calls,
        });
    }
    steps
}

/// The state of `group` that `def` is or lies under, and whether it lies under.
fn place_in(def: &StateDef, group: Option<&StateName>) -> Option<(StateName, bool)> {
    let prefix = group.map(|group| format!("{group}/")).unwrap_or_default();
    let rest = def.name.as_str().strip_prefix(&prefix)?;
    match rest.split_once('/') {
        Some((first, _)) => Some((StateName::new(format!("{prefix}{first}")), true)),
        None => Some((def.name.clone(), false)),
    }
}

/// The name of the sub-workflow that the state at a path runs.
fn sub_workflow(workflow: &Workflow, path: &StateName) -> Option<String> {
    let mut states = &workflow.spec.states;
    let mut found = None;
    for part in path.as_str().split('/') {
        let name = states.get(part)?.workflow.clone()?;
        states = &workflow.spec.workflows.get(&name)?.states;
        found = Some(name);
    }
    found
}

fn calls(workflow: &Workflow, def: &StateDef) -> Vec<Call> {
    let asked = |skill: &SkillName| {
        def.complete == Complete::Any || def.find(skill.as_str()).is_some_and(|one| one.mandatory)
    };
    // Sub-tasks are run without the model, which need not read a thousand names.
    let most = match def.runs_tasks {
        true => limits::CHILDREN_SHOWN_MAX,
        false => usize::MAX,
    };
    def.uses
        .iter()
        .filter(|one| asked(&one.skill))
        .take(most)
        .map(|one| {
            let spec = workflow.skill(one.skill.as_str());
            Call {
                skill: one.skill.clone(),
                requires: one
                    .requires
                    .iter()
                    .filter(|skill| asked(skill))
                    .cloned()
                    .collect(),
                input: spec.map(|spec| input(spec, &one.with)).unwrap_or_default(),
                output: spec.map(|spec| output(&spec.output)).unwrap_or_default(),
            }
        })
        .collect()
}

/// The arguments that a model must give: the required ones, or all where none
/// is required, without those that the runtime fills.
fn input(spec: &SkillSpec, with: &BTreeMap<String, String>) -> Vec<String> {
    let required: Vec<String> = match spec.input.get("required") {
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        _ => Vec::new(),
    };
    let all = if required.is_empty() {
        properties(&spec.input)
    } else {
        required
    };
    all.into_iter()
        .filter(|name| !with.contains_key(name) && spec.key_arg.as_ref() != Some(name))
        .collect()
}

fn output(schema: &Value) -> Vec<String> {
    let fields = properties(schema);
    if !fields.is_empty() {
        return fields;
    }
    let named = schema
        .get("title")
        .or_else(|| schema.get("type"))
        .and_then(Value::as_str);
    named.map(|name| vec![name.to_owned()]).unwrap_or_default()
}

fn properties(schema: &Value) -> Vec<String> {
    match schema.get("properties") {
        Some(Value::Object(fields)) => fields.keys().cloned().collect(),
        _ => Vec::new(),
    }
}

impl Step {
    /// The step as a line of text, without its number.
    pub(super) fn text(&self, style: Style) -> String {
        match style.form {
            Form::Terse => self.terse(style.lang),
            Form::Full => self.full(style.lang),
        }
    }

    fn terse(&self, lang: Lang) -> String {
        let names: Vec<&str> = self.calls.iter().map(|call| call.skill.as_str()).collect();
        if let Some(workflow) = &self.workflow {
            return lang.aside(workflow, &names.join(" → "));
        }
        let text = match self.complete {
            Complete::Any if names.len() > 1 => lang.one_of(&lang.list(&names)),
            _ => lang.list(&names),
        };
        self.with_order(lang, text)
    }

    fn full(&self, lang: Lang) -> String {
        let calls: Vec<String> = self.calls.iter().map(|call| call.text(lang)).collect();
        let text = calls.join(lang.semicolon());
        if let Some(workflow) = &self.workflow {
            return format!("{workflow}: {text}");
        }
        let text = match self.complete {
            Complete::Any if calls.len() > 1 => lang.one_of_these(&text),
            _ => text,
        };
        self.with_order(lang, text)
    }

    fn with_order(&self, lang: Lang, text: String) -> String {
        let order: Vec<String> = self
            .calls
            .iter()
            .filter(|call| !call.requires.is_empty())
            .map(|call| {
                let required: Vec<&str> = call.requires.iter().map(SkillName::as_str).collect();
                lang.after(call.skill.as_str(), &lang.list(&required))
            })
            .collect();
        if order.is_empty() {
            text
        } else {
            lang.aside(&text, &order.join(lang.semicolon()))
        }
    }

    pub(super) fn record(&self, form: Form) -> Record<'_> {
        let several = self.calls.len() != 1 || self.workflow.is_some();
        Record {
            step: self.number,
            workflow: self.workflow.as_deref(),
            call: (!several).then(|| self.calls[0].record(form)),
            complete: (self.complete == Complete::Any && several).then_some("any"),
            calls: several.then(|| self.calls.iter().map(|call| call.record(form)).collect()),
        }
    }
}

impl Call {
    fn text(&self, lang: Lang) -> String {
        let yields = (!self.output.is_empty()).then(|| lang.list(&self.output));
        lang.call(
            self.skill.as_str(),
            &self.input.join(", "),
            yields.as_deref(),
        )
    }

    fn record(&self, form: Form) -> CallRecord<'_> {
        let full = form == Form::Full;
        CallRecord {
            skill: &self.skill,
            after: &self.requires,
            input: full.then_some(&self.input),
            output: (full && !self.output.is_empty()).then_some(&self.output),
        }
    }
}

/// A step in the JSON mark-up.
#[derive(Serialize)]
pub(super) struct Record<'a> {
    step: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<&'a str>,
    #[serde(flatten)]
    call: Option<CallRecord<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    complete: Option<&'a str>,
    #[serde(rename = "skills", skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<CallRecord<'a>>>,
}

#[derive(Serialize)]
struct CallRecord<'a> {
    skill: &'a SkillName,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    after: &'a [SkillName],
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'a Vec<String>>,
}
