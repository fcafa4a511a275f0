//! The request to mend an answer: it names the constraint, quotes what broke it
//! and asks for nothing else.

use crate::check::Report;
use crate::check::evidence::{Evidence, Outcome, Said, Tongue};
use crate::ledger::{Constraint, Force};

/// The request for one breach.
pub fn text(constraint: &Constraint, evidence: &Evidence, tongue: Tongue) -> String {
    let id = constraint.id;
    let words = constraint.words.trim();
    let (found, allowed) = (
        evidence.found.in_tongue(tongue),
        evidence.allowed.in_tongue(tongue),
    );
    let places = places(evidence, tongue);
    match tongue {
        Tongue::Chinese => format!(
            "答案不符合约束 {id}（“{words}”）。允许：{allowed}。实际：{found}。{places}只改正这一点，其余保持不变。"
        ),
        Tongue::English => format!(
            "The answer breaks constraint {id} (“{words}”). Allowed: {allowed}. Found: {found}. \
             {places}Mend only this and leave the rest as it is."
        ),
    }
}

fn places(evidence: &Evidence, tongue: Tongue) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> = evidence
        .places
        .iter()
        .take(SHOWN)
        .map(|place| {
            let quote = place.quote.replace('\n', " ");
            match tongue {
                Tongue::Chinese => format!("第 {} 行“{quote}”", place.line),
                Tongue::English => format!("line {} “{quote}”", place.line),
            }
        })
        .collect();
    if shown.is_empty() {
        return String::new();
    }
    let rest = evidence
        .places_total
        .saturating_sub(super::answer::wide(shown.len()));
    let more = match (tongue, rest) {
        (_, 0) => Said::new("", ""),
        (_, rest) => Said::new(format!("，另有 {rest} 处"), format!(", and {rest} more")),
    };
    match tongue {
        Tongue::Chinese => format!("位置：{}{}。", shown.join("；"), more.zh),
        Tongue::English => format!("Where: {}{}. ", shown.join("; "), more.en),
    }
}

impl Report {
    /// The requests for all breaches of hard constraints, a line each; empty
    /// where there are none.
    pub fn repair<'c>(
        &self,
        constraints: impl IntoIterator<Item = &'c Constraint>,
        tongue: Tongue,
    ) -> String {
        let all: Vec<&Constraint> = constraints.into_iter().collect();
        let lines = self.findings.iter().filter_map(|finding| {
            let constraint = all.iter().find(|one| one.id == finding.constraint)?;
            match &finding.outcome {
                Outcome::Broken(evidence) if finding.force == Force::Must => {
                    Some(text(constraint, evidence, tongue))
                }
                _ => None,
            }
        });
        lines.collect::<Vec<_>>().join("\n")
    }
}
