//! Facts out of results: what a skill declares that it `provides`.
//!
//! A newer value of the same standing replaces the older one. One of a person's
//! own is never touched: the clash is asked, and until the answer the person's
//! value holds. A value that is declared to go one way only does not go back, so
//! that 97 % never becomes 42 % (field report R16).

use serde_json::Value;

use crate::event::Body;
use crate::event::ledger::{FactSet, QuestionOpened};
use crate::facts::{self, Fact};
use crate::id::Seq;
use crate::ledger::question::Why;
use crate::ledger::{Operation, Proposer, Question, QuestionId, words};
use crate::limits;
use crate::source::Source;
use crate::task::Corrupt;
use crate::task::record::Draft;
use crate::task::state::Call;
use crate::workflow::contract::Lang;
use crate::workflow::spec::{Monotone, SkillSpec};

impl Draft<'_> {
    /// Sets the facts of a result that counts; `at` is the event that brought it.
    /// A skill that is itself a model sets none: its words are no findings.
    pub(super) fn provide(
        &mut self,
        call: &Call,
        spec: &SkillSpec,
        at: Seq,
        result: &Value,
    ) -> Result<(), Corrupt> {
        if spec.kind.as_deref() == Some("prompt") {
            return Ok(());
        }
        let source = Source::Skill {
            skill: call.skill.clone(),
        };
        for (name, provides) in &spec.provides {
            let state = &self.task.state;
            let present = state.facts.get(name);
            let full = state.facts.len() >= limits::FACTS_MAX && present.is_none();
            let value = provides.find(result).filter(|value| fits(value));
            let Some(value) = value.filter(|_| !full) else {
                continue;
            };
            let goes_back = present.is_some_and(|fact| {
                let way = provides.monotone();
                way.is_some_and(|way| is_back(way, &fact.value, value))
            });
            if goes_back {
                let shown = |value: &Value| value.to_string();
                let before = present.map(|fact| shown(&fact.value)).unwrap_or_default();
                let (name, after) = (name.clone(), shown(value));
                self.went_back(&name, &before, &after)?;
                continue;
            }
            if present.is_some_and(|fact| facts::same(&fact.value, value)) {
                continue;
            }
            let may = facts::may_set(&state.facts, name, value, &source, &state.ledger.owner);
            match (may, present.cloned()) {
                (Ok(()), _) => {
                    let (name, value) = (name.clone(), state.salt.seal_json(value));
                    self.push(source.clone(), Body::FactSet(FactSet { name, value }))?;
                }
                (Err(_), Some(present)) => self.ask_about(&source, at, name, &present, value)?,
                (Err(_), None) => {}
            }
        }
        Ok(())
    }

    /// Asks which of two values holds. The same clash is asked about once.
    fn ask_about(
        &mut self,
        source: &Source,
        at: Seq,
        name: &str,
        present: &Fact,
        found: &Value,
    ) -> Result<(), Corrupt> {
        let ledger = &self.task.state.ledger;
        let options = vec![Operation::SetFact {
            name: name.to_owned(),
            value: found.clone(),
        }];
        let asked = ledger
            .unresolved
            .iter()
            .any(|one| one.why == Why::Fact && one.options == options);
        if asked || ledger.unresolved.len() >= limits::LEDGER_QUESTIONS_MAX {
            return Ok(());
        }
        let question = Question {
            id: QuestionId(ledger.asked + 1),
            why: Why::Fact,
            text: text(source, name, present, found, self.task.lang()),
            about: Vec::new(),
            holds_back: Vec::new(),
            options,
            source: source.clone(),
            message: at,
            start: 0,
            words: name.to_owned(),
            proposer: Proposer::Direct,
        };
        let body = QuestionOpened {
            question: question.id,
            why: question.why,
            about: Vec::new(),
            message: at,
            content: self.task.state.salt.seal_own(&question),
        };
        self.push(source.clone(), Body::QuestionOpened(body))
    }
}

/// The question. It stands in the part of the prompt that instructs, so that no
/// text of a tool is in it: numbers are shown, words are not.
fn text(source: &Source, name: &str, present: &Fact, found: &Value, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let shown = |value: &Value| match value {
        Value::Number(_) | Value::Bool(_) => value.to_string(),
        _ if zh => "另一个值".to_owned(),
        _ => "another value".to_owned(),
    };
    let own = |fact: &Fact| match (&fact.source, &fact.value) {
        // A person's own words are theirs to instruct with.
        (Source::User { .. } | Source::Policy | Source::Developer, value) => value.to_string(),
        (_, value) => shown(value),
    };
    let who = |source: &Source| match (source, zh) {
        (Source::User { .. }, false) => "the user".to_owned(),
        (Source::User { .. }, true) => "用户".to_owned(),
        (Source::Skill { skill }, _) => format!("`{skill}`"),
        (_, false) => "a higher source".to_owned(),
        (_, true) => "更高的来源".to_owned(),
    };
    let name = words::quoted(name);
    let (by, from) = (who(&present.source), who(source));
    let (old, new) = (own(present), shown(found));
    match lang {
        Lang::En => format!(
            "{name} is {old} by {by}; {from} found {new}. Shall that be taken? Until you say yes, \
             {old} holds."
        ),
        Lang::Zh => format!(
            "{name} 现为 {old}（{by}）；{from} 查到 {new}。要改用它吗？在您确认之前，仍按 {old}。"
        ),
    }
}

/// A fact is a value, not a document.
fn fits(value: &Value) -> bool {
    !value.is_null() && value.to_string().len() <= limits::FACT_BYTES_MAX
}

fn is_back(way: Monotone, before: &Value, after: &Value) -> bool {
    let (Some(before), Some(after)) = (number(before), number(after)) else {
        return false;
    };
    match way {
        Monotone::Up => after < before,
        Monotone::Down => after > before,
    }
}

/// A number, also where it stands in a text: `97`, `"97 %"`.
fn number(value: &Value) -> Option<crate::decimal::Decimal> {
    let text = match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.trim().trim_end_matches(['%', '％']).trim().to_owned(),
        _ => return None,
    };
    text.parse().ok()
}
