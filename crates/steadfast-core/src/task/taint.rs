//! Where the directing arguments of a call that acts come from: whom it reaches,
//! where it goes, how much it moves.
//!
//! A value that stands in untrusted text (a document, a result) and in nothing that
//! a person said is the wish of that text's author (field report R40). Such a call
//! is reported, or held for a person, as the workflow says. Words that only inform
//! (a body, a summary) come from results by nature and are not looked at; a value
//! that stands nowhere is the model's own and is not either.

use serde_json::Value;

use crate::content::Content;
use crate::event::proposal::Taint;
use crate::id::Seq;
use crate::limits;
use crate::source::Source;
use crate::task::Task;
use crate::task::state::{Call, CallOutcome};
use crate::text::naming;
use crate::workflow::StateDef;
use crate::workflow::spec::{EffectClass, SkillSpec, TaintMode};

/// Names of arguments that direct a deed, in parts: `to`, `contact_email`,
/// `收款账号`. Matched by the words of a name, Chinese ones anywhere in it.
const DIRECTING: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "receiver",
    "contact",
    "email",
    "mail",
    "phone",
    "address",
    "account",
    "iban",
    "payee",
    "beneficiary",
    "target",
    "destination",
    "dest",
    "url",
    "uri",
    "host",
    "domain",
    "webhook",
    "amount",
    "total",
    "sum",
    "price",
];
const DIRECTING_ZH: &[&str] = &[
    "收件人",
    "抄送",
    "联系人",
    "邮箱",
    "电话",
    "账号",
    "账户",
    "收款",
    "金额",
    "地址",
    "目标",
    "网址",
    "对象",
];

impl Task {
    /// The arguments of a proposed call that only untrusted text names.
    pub(super) fn taints(
        &self,
        skill: &str,
        spec: &SkillSpec,
        state: Option<&StateDef>,
        args: &Value,
    ) -> Vec<Taint> {
        let acts = spec.effect != Some(EffectClass::Read);
        if !acts || self.workflow.spec.guards.taint == TaintMode::Off {
            return Vec::new();
        }
        // What the workflow's author binds is the author's own choice.
        let bound = state
            .and_then(|state| state.find(skill))
            .map(|one| &one.with);
        let given = args.as_object().into_iter().flatten().filter(|(name, _)| {
            let by_runtime = spec.key_arg.as_ref() == Some(*name);
            !by_runtime && !bound.is_some_and(|with| with.contains_key(*name))
        });
        let mut leaves = Vec::new();
        for (name, value) in given {
            collect(name, name, value, spec, &mut leaves);
        }
        if leaves.is_empty() {
            return Vec::new();
        }
        let (trusted, untrusted) = (self.trusted(), self.untrusted());
        let only_untrusted = |(path, value): (String, &Value)| {
            let named = trusted.iter().any(|text| naming::names(text, value));
            let from = untrusted
                .iter()
                .find(|(_, text)| naming::names(text, value));
            let (from, _) = from.filter(|_| !named)?;
            Some(Taint {
                argument: path,
                from: *from,
            })
        };
        leaves.into_iter().filter_map(only_untrusted).collect()
    }

    /// Whether a call waits for a person because of where its arguments come from.
    pub(super) fn holds_tainted(&self, call: &Call) -> bool {
        self.workflow.spec.guards.taint == TaintMode::Hold && !call.tainted.is_empty()
    }

    /// What people and the workflow's author said.
    fn trusted(&self) -> Vec<String> {
        let state = &self.state;
        let owner = &state.ledger.owner;
        let messages = state.stands.messages.iter();
        let own = messages.filter(|said| said.principal.as_ref() == Some(owner));
        let own = own.map(|said| said.text.text().into_owned());
        let rules = state.ledger.constraints.iter().map(|one| one.words.clone());
        let facts = state.facts.values().filter(|fact| fact.source.commands());
        let facts = facts.map(|fact| text_of(&fact.value));
        let goal = state.ledger.goal.text.iter().cloned();
        let request = state.ledger.request.iter().map(|one| one.text.clone());
        [state.input.text().into_owned()]
            .into_iter()
            .chain(own)
            .chain(rules)
            .chain(facts)
            .chain(goal)
            .chain(request)
            .chain(self.workflow.spec.policy.clone())
            .collect()
    }

    /// What came in from outside, with the event that brought it, newest first.
    fn untrusted(&self) -> Vec<(Seq, String)> {
        let state = &self.state;
        let steps = state.beliefs.steps.iter().rev();
        let outcomes = steps.flat_map(|step| step.calls.iter().rev());
        let results = outcomes.filter_map(|call| match &call.outcome {
            CallOutcome::Returned { seq, result, .. } => Some((*seq, result)),
            CallOutcome::Failed { seq, message, .. } => Some((*seq, message)),
            _ => None,
        });
        let receipts = state.beliefs.receipts.values();
        let receipts = receipts.flat_map(|all| all.values().map(|one| (one.seq, &one.result)));
        let archived = state.beliefs.archive.entries.iter().rev();
        let archived = archived.map(|one| (one.at, &one.text));
        let documents = state.documents.iter().map(|one| (Seq(1), &one.text));
        let found = state
            .facts
            .values()
            .filter(|fact| matches!(fact.source, Source::Skill { .. } | Source::Document { .. }));
        let found = found.map(|fact| (fact.seq, text_of(&fact.value)));
        results
            .chain(receipts)
            .chain(archived)
            .chain(documents)
            .map(|(seq, content)| (seq, read(content)))
            .chain(found)
            .collect()
    }
}

/// The beginning of a content's text, as far as it is looked at.
fn read(content: &Content) -> String {
    let text = content.text();
    let mut end = text.len().min(limits::TAINT_BYTES_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

fn text_of(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// The values within an argument that direct, with the path that names them.
fn collect<'a>(
    path: &str,
    name: &str,
    value: &'a Value,
    spec: &SkillSpec,
    leaves: &mut Vec<(String, &'a Value)>,
) {
    if leaves.len() >= limits::TAINT_VALUES_MAX {
        return;
    }
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                collect(&format!("{path}.{key}"), key, value, spec, leaves);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(path, name, item, spec, leaves);
            }
        }
        _ if directs(path, name, value, spec) => leaves.push((path.to_owned(), value)),
        _ => {}
    }
}

/// Whether a value says whom, where or how much: where the skill declares which
/// ones do, by that; else by the argument's name, or for being an address.
fn directs(path: &str, name: &str, value: &Value, spec: &SkillSpec) -> bool {
    let short = match value {
        Value::String(text) => {
            let text = text.trim();
            !text.is_empty() && text.len() <= limits::TAINT_VALUE_BYTES_MAX && !text.contains('\n')
        }
        Value::Number(_) => true,
        _ => false,
    };
    if !short {
        return false;
    }
    if !spec.directs.is_empty() {
        let top = path.split('.').next().unwrap_or(path);
        return spec.directs.iter().any(|one| one == path || one == top);
    }
    let lower = name.to_lowercase();
    let mut words = lower.split(|c: char| !c.is_alphanumeric());
    let address = value.as_str().is_some_and(is_address);
    address
        || words.any(|word| DIRECTING.contains(&word))
        || DIRECTING_ZH.iter().any(|word| lower.contains(word))
}

/// A mail address, or a link.
fn is_address(text: &str) -> bool {
    let text = text.trim();
    if text.contains(char::is_whitespace) {
        return false;
    }
    let mail = text.split_once('@');
    let mail = mail.is_some_and(|(who, host)| !who.is_empty() && host.contains('.'));
    mail || text.contains("://")
}
