//! A summary of a step by rule, out of its raw events. It always exists, costs
//! no call, and is the same whenever it is made.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::archive::density::{self, Density};
use crate::archive::extract::extract;
use crate::archive::fidelity;
use crate::archive::summary::{Field, FieldName, Reference, Summary};
use crate::content::Content;
use crate::hash::Hash;
use crate::id::{CallId, Seq, StateName};
use crate::ledger::Constraint;
use crate::limits;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::task::Task;
use crate::task::state::{CallOutcome, Step, StepCall};
use crate::workflow::contract::Lang;
use crate::workflow::spec::EffectClass;

/// A summary that is not yet in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    pub summary: Summary,
    /// The lines that a context shows.
    pub text: String,
    /// The agent's own words.
    pub words: Option<String>,
    pub covers: Vec<Seq>,
    pub calls: Vec<CallId>,
    pub asked: Hash,
}

/// Sums a settled step up. `to` is where the machine stood after it.
pub fn compose(task: &Task, step: &Step, to: Option<&StateName>) -> Candidate {
    compose_in(task, step, to, task.phase())
}

/// The same by the template of a phase; an empty name is none.
pub fn compose_in(task: &Task, step: &Step, to: Option<&StateName>, phase: &str) -> Candidate {
    let mut made = Making {
        task,
        phase,
        lang: task.lang(),
        fields: Vec::new(),
        references: Vec::new(),
        rules: 0,
        covers: vec![step.seq],
    };
    for call in step.calls.iter().take(limits::SUMMARY_CALLS_MAX) {
        made.call(step, call);
    }
    made.further_calls(step);
    if step.calls.is_empty() {
        made.answer(step);
    }
    made.state_change(step, to);
    let importance = made.fields.iter().map(|one| one.importance).max();
    let summary = Summary {
        step: step.no,
        state: step.state.clone(),
        phase: made.phase(),
        fields: made.fields,
        references: made.references,
        rules_left_out: made.rules,
        importance: importance.unwrap_or(1),
    };
    let mut text = summary.text(made.lang);
    let facts = in_force(task);
    for (name, value) in contradicted(&text, &facts) {
        text.push_str(&now_in_force(&name, &value, made.lang));
    }
    made.covers.sort_unstable();
    made.covers.dedup();
    Candidate {
        asked: asked(step),
        words: words(task, step),
        calls: step.calls.iter().map(|call| call.call.clone()).collect(),
        covers: made.covers,
        summary,
        text,
    }
}

/// Names what a step asked, by skills and arguments; a step of words alone is
/// like no other.
pub(crate) fn asked(step: &Step) -> Hash {
    let calls = step.calls.iter();
    let asked: Vec<(&str, Hash)> = calls
        .map(|call| (call.skill.as_str(), call.args.hash))
        .collect();
    match asked.is_empty() {
        true => Hash::of_json(&(step.no, step.seq)),
        false => Hash::of_json(&asked),
    }
}

struct Making<'a> {
    task: &'a Task,
    phase: &'a str,
    lang: Lang,
    fields: Vec<Field>,
    references: Vec<Reference>,
    rules: u32,
    covers: Vec<Seq>,
}

impl Making<'_> {
    fn field(&mut self, name: FieldName, text: String, importance: u8, cites: Vec<Seq>) {
        self.fields.push(Field {
            name,
            text,
            importance,
            cites,
        });
    }

    fn call(&mut self, step: &Step, call: &StepCall) {
        let (result, importance, seq) = self.outcome(call);
        let mut cites = vec![step.seq];
        cites.extend(seq);
        self.covers.extend(seq);
        let density = match (importance, &call.outcome) {
            (5, _) => Density::Sparse,
            (
                _,
                CallOutcome::Returned {
                    because: None,
                    result,
                    ..
                },
            ) => density::of_text(&result.text()),
            _ => Density::Void,
        };
        let args = self.taken(&call.args, density, &call.skill);
        let action = format!("{} {args}", call.skill);
        self.field(FieldName::Action, action, importance.min(3), vec![step.seq]);
        self.field(FieldName::Result, result, importance, cites.clone());
        let data = match &call.outcome {
            CallOutcome::Returned { result, .. } => Some(result),
            CallOutcome::Failed { message, .. } => Some(message),
            CallOutcome::Denied { reason } => reason.as_ref(),
            _ => None,
        };
        if let Some(data) = data {
            let text = self.taken(data, density, &call.skill);
            if !text.is_empty() {
                self.field(FieldName::KeyData, text, importance, cites.clone());
            }
            self.phase_fields(data, importance, &cites);
        }
    }

    /// The fields of the present phase: members of that name in the data, word
    /// for word. The template is that of the phase in which the summary is made.
    fn phase_fields(&mut self, data: &Content, importance: u8, cites: &[Seq]) {
        let fields = self.task.template_of(self.phase);
        if fields.is_empty() {
            return;
        }
        let value = data.json();
        for name in fields {
            let Some(found) = member(&value, name, 0) else {
                continue;
            };
            let text = match found {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            let taken = extract(&text, limits::PHASE_FIELD_TOKENS_MAX, self.lang);
            self.rules += taken.rules;
            let name = FieldName::Phase(name.clone());
            let importance = importance.max(4);
            self.field(name, one_line(&taken.text), importance, cites.to_vec());
        }
    }

    /// The key data of a content; what is not all of it leaves a reference.
    fn taken(&mut self, content: &Content, density: Density, of: &str) -> String {
        let text = content.text();
        // A long text is weighed by its length: three bytes are about a token.
        let tokens = match text.len() < limits::RESULT_TOKENS_MAX as usize {
            true => ScriptEstimate.count(&text),
            false => u32::try_from(text.len() / 3).unwrap_or(u32::MAX),
        };
        let shown = tokens.min(limits::RESULT_TOKENS_MAX);
        let taken = extract(&text, density::budget(shown, density), self.lang);
        self.rules += taken.rules;
        if !taken.whole {
            self.references.push(Reference {
                hash: content.hash,
                bytes: content.bytes,
                of: of.to_owned(),
            });
        }
        one_line(&taken.text)
    }

    /// How a call came out: in words, how much that matters, and where it stands.
    fn outcome(&self, call: &StepCall) -> (String, u8, Option<Seq>) {
        let acts = self.acts(&call.skill);
        let say = |en: &str, zh: &str| match self.lang {
            Lang::En => en.to_owned(),
            Lang::Zh => zh.to_owned(),
        };
        let deed = |otherwise: u8| if acts { 5 } else { otherwise };
        match &call.outcome {
            CallOutcome::Returned { seq, because, .. } => match because {
                None => (say("counted", "算数"), deed(3), Some(*seq)),
                Some(because) => {
                    let said = say("not accepted: ", "未被接受：");
                    (format!("{said}{because}"), deed(2), Some(*seq))
                }
            },
            CallOutcome::Failed { seq, class, .. } => {
                let said = say("failed: ", "失败：");
                (format!("{said}{}", class.name()), deed(2), Some(*seq))
            }
            CallOutcome::Refused { refusal, .. } => {
                let said = say("refused, not carried out: ", "被拒绝，未执行：");
                let why = refusal.explain(&call.skill);
                (format!("{said}{} ({why})", refusal.code()), 1, None)
            }
            // A proposal to the runtime changes nothing in the world; what it led to
            // stands in the ledger.
            CallOutcome::Heard { .. } => (say("heard by the runtime", "运行时已收到"), 1, None),
            CallOutcome::Denied { .. } => (
                say("a person said no; not carried out", "有人否决，未执行"),
                5,
                None,
            ),
            CallOutcome::Settled { done: true } => (
                say("done, as was found out later", "事后确认已执行"),
                5,
                None,
            ),
            CallOutcome::Settled { done: false } => (
                say("not done, as was found out later", "事后确认未执行"),
                5,
                None,
            ),
            CallOutcome::Dropped => (
                say(
                    "dropped, not carried out: the user said something new first",
                    "未执行：用户先说了新的话",
                ),
                1,
                None,
            ),
            CallOutcome::Pending => (say("outcome unknown", "结果未知"), deed(4), None),
        }
    }

    /// Whether the skill does something in the world, or may.
    fn acts(&self, skill: &str) -> bool {
        let spec = self.task.workflow.skill(skill);
        spec.is_some_and(|spec| spec.effect != Some(EffectClass::Read))
    }

    fn further_calls(&mut self, step: &Step) {
        let further = step.calls.len().saturating_sub(limits::SUMMARY_CALLS_MAX);
        if further == 0 {
            return;
        }
        let rest = &step.calls[limits::SUMMARY_CALLS_MAX..];
        let mut importance = 1;
        for call in rest {
            let (_, of_call, seq) = self.outcome(call);
            importance = importance.max(of_call);
            self.covers.extend(seq);
        }
        let names: Vec<&str> = rest.iter().map(|call| call.skill.as_str()).collect();
        let text = match self.lang {
            Lang::En => format!("{further} more calls: {}", names.join(", ")),
            Lang::Zh => format!("另有 {further} 次调用：{}", names.join("、")),
        };
        self.field(FieldName::Action, text, importance, vec![step.seq]);
    }

    /// A step of words alone: an answer that was not let through.
    fn answer(&mut self, step: &Step) {
        let action = match self.lang {
            Lang::En => "proposed an answer",
            Lang::Zh => "提出了一份答复",
        };
        self.field(FieldName::Action, action.to_owned(), 1, vec![step.seq]);
        if let Some((refusal, _)) = &step.refused {
            let why = refusal.explain("the answer");
            let text = match self.lang {
                Lang::En => format!("refused, not delivered: {} ({why})", refusal.code()),
                Lang::Zh => format!("被拒绝，未交付：{}（{why}）", refusal.code()),
            };
            self.field(FieldName::Result, one_line(&text), 2, vec![step.seq]);
        }
        if let Some(text) = &step.text {
            self.references.push(Reference {
                hash: text.hash,
                bytes: text.bytes,
                of: match self.lang {
                    Lang::En => "proposal".to_owned(),
                    Lang::Zh => "答复".to_owned(),
                },
            });
        }
    }

    fn state_change(&mut self, step: &Step, to: Option<&StateName>) {
        let relays = step
            .calls
            .iter()
            .rev()
            .filter_map(|call| match &call.outcome {
                CallOutcome::Returned { relay, seq, .. } => Some((relay, *seq)),
                _ => None,
            });
        let last = relays.max_by_key(|(_, seq)| *seq);
        let moved = step.state.as_ref() != to;
        if !moved && last.is_none() {
            return;
        }
        let name = |state: Option<&StateName>| match (state, self.lang) {
            (Some(state), _) => state.to_string(),
            (None, Lang::En) => "the end".to_owned(),
            (None, Lang::Zh) => "终点".to_owned(),
        };
        let mut text = match (moved, &step.state) {
            (true, Some(from)) => format!("{from} → {}", name(to)),
            (true, None) => format!("→ {}", name(to)),
            (false, _) => match self.lang {
                Lang::En => format!("stays in {}", name(to)),
                Lang::Zh => format!("停留在 {}", name(to)),
            },
        };
        let mut cites = vec![step.seq];
        if let Some((relay, seq)) = last.filter(|(relay, _)| !relay.contract_step.is_empty()) {
            let contract = match self.lang {
                Lang::En => format!("; contract {}", relay.contract_step),
                Lang::Zh => format!("；契约 {}", relay.contract_step),
            };
            text.push_str(&contract);
            cites.push(seq);
        }
        let importance = if moved { 3 } else { 1 };
        self.field(FieldName::StateChange, text, importance, cites);
    }

    fn phase(&self) -> Option<String> {
        (!self.phase.is_empty()).then(|| self.phase.to_owned())
    }
}

/// The agent's own words of a step that called something: their beginning, as
/// far as nothing in force contradicts it and it gives no rule.
fn words(task: &Task, step: &Step) -> Option<String> {
    let text = step.text.as_ref().filter(|_| !step.calls.is_empty())?;
    let taken = extract(&text.text(), limits::ARCHIVE_WORDS_TOKENS_MAX, task.lang());
    let words = one_line(&taken.text);
    let rules: Vec<Constraint> = task.state.ledger.in_force().cloned().collect();
    let agree = fidelity::agrees(&words, &rules, &in_force(task)).is_empty();
    (agree && !words.is_empty()).then_some(words)
}

/// Names and values of the facts in force.
fn in_force(task: &Task) -> BTreeMap<String, Value> {
    let facts = task.state.facts.iter();
    facts
        .map(|(name, fact)| (name.clone(), fact.value.clone()))
        .collect()
}

/// The facts to which a text gives another value.
pub(crate) fn contradicted(text: &str, facts: &BTreeMap<String, Value>) -> Vec<(String, Value)> {
    // Most texts contradict nothing, and are read once.
    if fidelity::agrees(text, &[], facts).is_empty() {
        return Vec::new();
    }
    let other = |(name, value): &(&String, &Value)| {
        let one = BTreeMap::from([((*name).clone(), (*value).clone())]);
        !fidelity::agrees(text, &[], &one).is_empty()
    };
    let facts = facts.iter().filter(other);
    facts
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The line that marks what a summary says of a fact as outdated.
pub(crate) fn now_in_force(name: &str, value: &Value, lang: Lang) -> String {
    match lang {
        Lang::En => {
            format!("\n(in force now: {name} = {value})")
        }
        Lang::Zh => format!("\n（现行：{name} = {value}）"),
    }
}

/// The first member of a name, wherever it stands.
fn member<'a>(value: &'a Value, name: &str, depth: usize) -> Option<&'a Value> {
    if depth > limits::PHASE_FIELD_DEPTH_MAX {
        return None;
    }
    match value {
        Value::Object(members) => members.get(name).or_else(|| {
            let mut inner = members.values();
            inner.find_map(|inner| member(inner, name, depth + 1))
        }),
        Value::Array(items) => items.iter().find_map(|item| member(item, name, depth + 1)),
        _ => None,
    }
}

fn one_line(text: &str) -> String {
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    text.trim().replace(ends, " ")
}

impl Candidate {
    /// What a context pays for it, by the script estimate.
    pub fn tokens(&self) -> u32 {
        let words = self
            .words
            .as_deref()
            .map_or(0, |text| ScriptEstimate.count(text));
        ScriptEstimate.count(&self.text) + words
    }
}
