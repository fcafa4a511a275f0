//! A fact that became a plan, an attempt or a rumour, or the other way round: one
//! word put into a copied sentence, or taken out.

use super::super::FindingKind;
use super::super::lexicon;
use super::super::reading::{Sentence, Word};
use super::Difference;

pub(super) fn changed(
    theirs: &Sentence,
    old: &[Word],
    ours: &Sentence,
    new: &[Word],
) -> Option<Difference> {
    let hedge = |words: &'_ [Word]| words.iter().position(|word| lexicon::is_hedge(&word.lower));
    match (hedge(old), hedge(new)) {
        (None, Some(at)) if is_bare(old, new) && !hedges(theirs, new) => Some((
            FindingKind::Modality,
            old.first()
                .map_or(theirs.span.clone(), |word| word.span.clone()),
            new[at].span.clone(),
            "a fact became a plan or a guess",
        )),
        (Some(at), None) if is_bare(new, old) && !hedges(ours, old) => Some((
            FindingKind::Modality,
            old[at].span.clone(),
            new.first()
                .map_or(ours.span.clone(), |word| word.span.clone()),
            "a plan or a guess became a fact",
        )),
        _ => None,
    }
}

/// Whether some words tell of nothing beside the others: "are" for "are planning
/// to", "sent" for "tried to send". What will be is as open as a plan.
fn is_bare(words: &[Word], others: &[Word]) -> bool {
    #[rustfmt::skip]
    const OPEN: &[&str] = &[
        "will", "would", "may", "might", "could", "should", "going", "can", "shall", "if", "将",
        "会", "可能", "要", "可以", "应",
    ];
    words.iter().all(|word| {
        // "Intend" for "plan" is another word for the hedge itself.
        let is_same = |one: &Word| one.key == word.key && !lexicon::is_hedge(&one.lower);
        let repeated = others.iter().any(is_same);
        (word.is_function || repeated) && !OPEN.contains(&word.lower.as_str())
    })
}

/// Whether another hedge of the sentence does the same.
fn hedges(sentence: &Sentence, beside: &[Word]) -> bool {
    sentence.words.iter().any(|word| {
        let own = beside.iter().any(|one| one.lower == word.lower);
        lexicon::is_hedge(&word.lower) && !own
            || ["will", "would", "将", "要"].contains(&word.lower.as_str())
    })
}
