//! How binding a clause is: must does not become may, nor a guess a fact.

use super::align::overlap;
use super::reading::within;
use super::{Finding, FindingKind, Pair};
use crate::text::modality::Modality;

/// Coarse force: what a reader acts on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Force {
    Must,
    MustNot,
    Should,
    ShouldNot,
    May,
    NeedNot,
    Possible,
}

/// Can, cannot and never tell of ability as often as of leave: they count
/// nowhere here, and as denials in `polarity`.
pub(super) fn force(modality: Modality, words: &str) -> Option<Force> {
    let lower = words.to_lowercase();
    if [
        "can", "could", "cannot", "can't", "never", "不能", "不可", "可", "likely",
    ]
    .contains(&lower.as_str())
    {
        return None;
    }
    Some(match modality {
        Modality::Must => Force::Must,
        Modality::MustNot => Force::MustNot,
        Modality::Should => Force::Should,
        Modality::ShouldNot => Force::ShouldNot,
        Modality::May => Force::May,
        Modality::NeedNot => Force::NeedNot,
        Modality::Possible => Force::Possible,
    })
}

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    for clause in &pair.claim.clauses {
        let ours: Vec<_> = within(&pair.summary.modals, &clause.span, |one| &one.span)
            .filter_map(|one| {
                Some((
                    one,
                    force(one.modality, &pair.summary.text[one.span.clone()])?,
                ))
            })
            .collect();
        let mut theirs = Vec::new();
        let mut nearest: Option<(usize, super::Place)> = None;
        for (at, reading, sentence) in pair.aligned() {
            for other in &sentence.clauses {
                let close = overlap(pair.claim, clause, sentence, other);
                if !close.is_close() {
                    continue;
                }
                let all = within(&reading.modals, &other.span, |one| &one.span)
                    .filter_map(|one| force(one.modality, &reading.text[one.span.clone()]));
                theirs.extend(all);
                if nearest
                    .as_ref()
                    .is_none_or(|(most, _)| close.shared > *most)
                {
                    nearest = Some((
                        close.shared,
                        reading.place(pair.sources.seq(at), other.span.clone()),
                    ));
                }
            }
        }
        let Some((_, place)) = nearest else { continue };
        let differs = if let Some((one, force)) = ours.first() {
            // A guess where the source is sure, or another force.
            (!theirs.iter().any(|their| fits(*force, *their))
                && (!theirs.is_empty() || *force == Force::Possible))
                .then(|| (one.span.clone(), "another modality"))
        } else {
            let guess = !theirs.is_empty() && theirs.iter().all(|their| *their == Force::Possible);
            guess.then(|| (clause.span.clone(), "a guess became a fact"))
        };
        if let Some((span, why)) = differs {
            findings.push(pair.finding(FindingKind::Modality, span, Some(place), why));
        }
    }
}

/// "May not" is a prohibition, a denied permission too; may of leave and may of
/// guess are one word.
fn fits(ours: Force, theirs: Force) -> bool {
    ours == theirs
        || matches!(
            (ours, theirs),
            (Force::May, Force::Possible) | (Force::Possible, Force::May)
        )
}
