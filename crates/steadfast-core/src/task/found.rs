//! Facts that results bring, as their skill declares them.
//!
//! What a tool finds never takes the place of what a person set, nor of what
//! another tool found: the value that was there stays, and a person is asked
//! which one holds. A tool that finds another value for its own fact has looked
//! again.

use serde_json::Value;

use crate::event::Body;
use crate::event::ledger::{FactSet, QuestionOpened};
use crate::facts::{self, Fact, Found};
use crate::id::{Seq, SkillName};
use crate::ledger::question::Why;
use crate::ledger::{Operation, Proposer, Question, QuestionId, words};
use crate::limits;
use crate::source::Source;
use crate::task::Corrupt;
use crate::task::record::Draft;
use crate::workflow::contract::Lang;

impl Draft<'_> {
    /// Takes in the facts of a result that counts. `at` is the event that brought
    /// it. A skill that is itself a model sets none: its words are no findings.
    pub(super) fn find_facts(
        &mut self,
        skill: &SkillName,
        at: Seq,
        result: &Value,
    ) -> Result<(), Corrupt> {
        let Some(spec) = self.task.workflow.skill(skill.as_str()) else {
            return Ok(());
        };
        if spec.facts.is_empty() || spec.kind.as_deref() == Some("prompt") {
            return Ok(());
        }
        let source = Source::Skill {
            skill: skill.clone(),
        };
        for (name, pointer) in spec.facts.clone() {
            let Some(value) = result.pointer(&pointer).filter(|value| !value.is_null()) else {
                continue;
            };
            match facts::meet(&self.task.state.facts, &name, value, &source) {
                Found::News if self.has_room(&name) => {
                    let value = self.task.state.salt.seal_json(value);
                    self.push(source.clone(), Body::FactSet(FactSet { name, value }))?;
                }
                Found::News | Found::Same => {}
                Found::Clash(present) => {
                    let present = present.clone();
                    self.ask_about(&source, at, &name, &present, value)?;
                }
            }
        }
        Ok(())
    }

    fn has_room(&self, name: &str) -> bool {
        let known = &self.task.state.facts;
        known.contains_key(name) || known.len() < limits::FACTS_MAX
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
