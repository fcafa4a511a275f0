//! The facts in force, as a model reads them: one line each, with its source;
//! and the instruction of the present phase.
//!
//! They stand near the end, after everything that may still name an older value.
//! People's facts are all shown; of those that skills found, the newest within
//! a bound.

use std::fmt::Write;

use crate::context::draw::{Drawn, Fitting, left_out};
use crate::context::fragment::{Piece, Text};
use crate::context::request::FragmentKind;
use crate::facts::Fact;
use crate::id::Seq;
use crate::limits;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::source::Source;
use crate::workflow::contract::Lang;

impl Fitting<'_> {
    pub(super) fn facts(&self, drawn: &mut Drawn) {
        let facts = &self.task.state.facts;
        let mut all: Vec<(&String, &Fact)> = facts.iter().collect();
        if all.is_empty() {
            return;
        }
        // Those of people first, then the newest.
        all.sort_by_key(|(name, fact)| (is_found(fact), std::cmp::Reverse(fact.seq), *name));
        let mut room = limits::FACTS_TOKENS_MAX;
        let (mut lines, mut sources, mut out) = (Vec::new(), Vec::new(), Vec::new());
        for (name, fact) in all {
            let line = line(name, fact, self.lang());
            let cost = ScriptEstimate.count(&line);
            if is_found(fact) && cost > room {
                out.push(fact.seq);
                continue;
            }
            room = room.saturating_sub(cost);
            lines.push((name, line));
            sources.push(fact.seq);
        }
        if !out.is_empty() {
            left_out(drawn, FragmentKind::Facts, sorted(out), "facts");
        }
        lines.sort_unstable();
        let mut text = match self.lang() {
            Lang::En => {
                "[FACTS] Values in force; an older one elsewhere is out of date.".to_owned()
            }
            Lang::Zh => "[FACTS] 现行数值；别处的旧值已失效。".to_owned(),
        };
        for (_, line) in lines {
            let _ = write!(text, "\n{line}");
        }
        text.push_str("\n[/FACTS]");
        let texts = vec![Text::Inline(text)];
        let pieces = vec![Piece::User { texts }];
        self.put(drawn, sorted(sources), FragmentKind::Facts, pieces);
    }
}

impl Fitting<'_> {
    /// The workflow's own words on the present phase.
    pub(super) fn phase(&self, drawn: &mut Drawn) {
        let name = self.task.phase();
        if let Some(text) = self.planned(name) {
            let texts = vec![Text::Inline(text)];
            let pieces = vec![Piece::User { texts }];
            self.put(drawn, vec![Seq(1)], FragmentKind::Phase, pieces);
            return;
        }
        let phase = self.task.workflow.spec.phases.get(name);
        let Some(instruction) = phase.and_then(|phase| phase.instruction.as_ref()) else {
            return;
        };
        let text = match self.lang() {
            Lang::En => format!("Phase {name}: {instruction}"),
            Lang::Zh => format!("阶段 {name}：{instruction}"),
        };
        let texts = vec![Text::Inline(text)];
        let pieces = vec![Piece::User { texts }];
        self.put(drawn, vec![Seq(1)], FragmentKind::Phase, pieces);
    }
}

impl Fitting<'_> {
    /// Where the task stands in the model's own plan: names of phases, no words of
    /// any other kind.
    fn planned(&self, name: &str) -> Option<String> {
        let plan = &self.task.state.beliefs.plan;
        let at = plan.iter().position(|one| one.name == name)? + 1;
        let names: Vec<&str> = plan.iter().map(|one| one.name.as_str()).collect();
        let (of, names) = (plan.len(), names.join(" → "));
        Some(match self.lang() {
            Lang::En => format!("Phase {name} ({at} of {of}, as you planned): {names}"),
            Lang::Zh => format!("阶段 {name}（你所规划的第 {at}/{of} 个）：{names}"),
        })
    }
}

fn sorted(mut seqs: Vec<Seq>) -> Vec<Seq> {
    seqs.sort_unstable();
    seqs.dedup();
    seqs
}

/// Whether nobody with a say gave it.
fn is_found(fact: &Fact) -> bool {
    matches!(
        fact.source,
        Source::Skill { .. } | Source::Model { .. } | Source::Document { .. }
    )
}

fn line(name: &str, fact: &Fact, lang: Lang) -> String {
    let by = match (&fact.source, lang) {
        (Source::Skill { skill }, Lang::En) => format!("found by {skill}"),
        (Source::Skill { skill }, Lang::Zh) => format!("由 {skill} 得到"),
        (Source::Model { .. }, Lang::En) => "said by a model".to_owned(),
        (Source::Model { .. }, Lang::Zh) => "模型所述".to_owned(),
        (Source::Document { name }, Lang::En) => format!("in {name}"),
        (Source::Document { name }, Lang::Zh) => format!("见 {name}"),
        (_, Lang::En) => "given".to_owned(),
        (_, Lang::Zh) => "给定".to_owned(),
    };
    let value = fact.value.to_string();
    let mut shown: String = value.chars().take(limits::FACT_CHARS_SHOWN).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    let ends = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    format!("- {name} = {shown} ({by}, {})", fact.seq).replace(ends, " ")
}
