//! Who did it to whom: two words of a copied sentence that changed places.

use std::ops::Range;

use super::super::FindingKind;
use super::super::reading::Word;
use super::Difference;

type Runs = [(Range<usize>, Range<usize>)];

/// Words that two things stand beside in either order.
#[rustfmt::skip]
const EVEN: &[&str] = &[
    "and", "or", "both", "with", "meet", "meets", "met", "marry", "marries", "married", "equals",
    "versus", "vs", "between", "和", "与", "及", "或", "跟", "同", "以及", "会见", "会面", "等于",
];
/// In the passive the doer stands behind.
#[rustfmt::skip]
const PASSIVE: &[&str] = &[
    "by", "is", "are", "was", "were", "been", "being", "be", "of", "'s", "由", "被", "为", "把", "将", "给", "让",
];

/// Words of one name at most.
const NAME_WORDS: usize = 3;

pub(super) fn swapped(theirs: &[Word], ours: &[Word], runs: &Runs) -> Option<Difference> {
    for (index, (from, to)) in runs.iter().enumerate() {
        let (old, new) = (&theirs[from.clone()], &ours[to.clone()]);
        for (later_from, later_to) in &runs[index + 1..] {
            let (later_old, later_new) = (&theirs[later_from.clone()], &ours[later_to.clone()]);
            let kept = &theirs[from.end..later_from.start];
            let even = kept.iter().all(|word| word.is_function)
                || kept.iter().any(|word| EVEN.contains(&word.lower.as_str()));
            if !even && opens_with(old, later_new) && opens_with(later_old, new) {
                return Some((
                    FindingKind::Contrast,
                    old[0].span.clone(),
                    new[0].span.clone(),
                    "two things changed places",
                ));
            }
        }
    }
    None
}

/// Whether the words begin with just this name; behind it something may have been
/// left out.
fn opens_with(words: &[Word], name: &[Word]) -> bool {
    let is_name = (1..=NAME_WORDS).contains(&name.len())
        && name.iter().all(|word| !word.is_function)
        && !words
            .iter()
            .any(|word| PASSIVE.contains(&word.lower.as_str()));
    is_name && words.len() >= name.len() && words.iter().zip(name).all(|(a, b)| a.lower == b.lower)
}
