//! Whether an answer keeps the rules in force: by rule, with exact evidence. What
//! no rule can judge is for a reviewer (`task/review.rs`); with none, it is named
//! as not checked, never taken as kept.

use crate::check::{self, CheckContext, KnownSource, Outcome, Profile, Report, Tongue, Why};
use crate::content::Content;
use crate::event::task::Cause;
use crate::ledger::constraint::Constraint;
use crate::ledger::{ConstraintId, Rule, question};
use crate::limits;
use crate::rules::Rules;
use crate::task::Task;
use crate::task::record::{Draft, Stop};
use crate::text::link;
use crate::workflow::contract::Lang;
use crate::workflow::gate::Refusal;

impl Task {
    pub(super) fn report(&self, answer: &Content, rules: Rules<'_>) -> Report {
        let constraints = self.rules_here();
        let cites = |one: &&Constraint| matches!(one.rule, Rule::Sources { .. });
        let sources = match constraints.iter().any(cites) {
            true => self.known_sources(),
            false => Vec::new(),
        };
        let context = CheckContext {
            schemas: rules.schemas,
            tokenizer: rules.tokenizer,
            sources: &sources,
            profile: Profile::Product,
        };
        let mut report = check::check(&answer.text(), constraints, &context);
        self.with_review(answer, &mut report);
        report
    }

    /// The addresses that came in with documents and results that still count, and
    /// the grades that the workflow declares.
    fn known_sources(&self) -> Vec<KnownSource> {
        let mut known = self.workflow.spec.ledger.sources.clone();
        let receipts = self.state.beliefs.receipts.values();
        let results = receipts.flat_map(|all| all.values().map(|one| &one.result));
        let documents = self.state.documents.iter().map(|one| &one.text);
        for content in results.chain(documents) {
            let text = content.text();
            for found in link::links(&text) {
                let Some(address) = text.get(found.range) else {
                    continue;
                };
                known.push(KnownSource {
                    address: address.to_owned(),
                    grades: Vec::new(),
                    retrieved: true,
                });
            }
        }
        known
    }

    /// The rules that an answer breaks, as a refusal.
    pub(super) fn broken_rules(&self, answer: &Content, rules: Rules<'_>) -> Option<Refusal> {
        let report = self.report(answer, rules);
        let constraints: Vec<ConstraintId> = report.breaches().map(|one| one.constraint).collect();
        (!constraints.is_empty()).then_some(Refusal::BreaksRules { constraints })
    }

    /// The rules about the answer that nobody has judged it by.
    pub(super) fn not_checked(&self, answer: &Content, rules: Rules<'_>) -> Vec<ConstraintId> {
        let report = self.report(answer, rules);
        let open = report.not_checked().filter(|one| {
            // Deeds are the gate's, and it has judged each.
            !matches!(one.outcome, Outcome::NotChecked(Why::NotInAnswer))
        });
        open.map(|one| one.constraint).collect()
    }

    /// The language of the runtime's own words: that of the answer where a rule
    /// says so, since models take over the language that they are spoken to in
    /// (field report R90); else the user's.
    pub fn lang(&self) -> Lang {
        let asked = self
            .state
            .ledger
            .in_force()
            .find_map(|one| match &one.rule {
                Rule::Language { language } if language == "zh" => Some(Lang::Zh),
                Rule::Language { language } if language == "en" => Some(Lang::En),
                _ => None,
            });
        let declared = self.workflow.spec.contract.lang;
        declared
            .or(asked)
            .unwrap_or_else(|| question::language(&self.state.input.text()))
    }
}

impl Draft<'_> {
    /// What a refused answer must mend, where it breaks rules: each by name, with
    /// what broke it, and nothing else.
    pub(super) fn repair(&self, answer: &Content, refusal: &Refusal) -> Option<Content> {
        if !matches!(refusal, Refusal::BreaksRules { .. }) {
            return None;
        }
        let report = self.task.report(answer, self.turn.rules);
        let tongue = match self.task.lang() {
            Lang::En => Tongue::English,
            Lang::Zh => Tongue::Chinese,
        };
        let text = report.repair(self.task.rules_here(), tongue);
        Some(self.task.state.salt.seal_text(&text))
    }

    /// Ends the task where one rule was broken too often in a row: another try
    /// would bring no more.
    pub(super) fn stop_if_spent(&mut self) -> Result<bool, Stop> {
        let broken = &self.task.state.stands.counters.broken;
        let spent = broken
            .iter()
            .find(|(_, times)| **times >= limits::ANSWER_REPAIRS_MAX);
        let Some((&rule, &times)) = spent else {
            return Ok(false);
        };
        let ledger = &self.task.state.ledger;
        let open = ledger
            .unresolved
            .iter()
            .find(|one| one.about.contains(&rule));
        let why = match open {
            Some(open) => format!(
                "question `{}` about it is open: it may contradict another rule",
                open.id
            ),
            None => "the model cannot keep it, or the input asks for the contrary".to_owned(),
        };
        let diagnosis = format!("{times} answers in a row broke rule `{rule}`; {why}");
        let cause = Cause::Limit {
            limit: "repairs".to_owned(),
            value: u64::from(times),
        };
        self.fail(cause, diagnosis)?;
        Ok(true)
    }
}
