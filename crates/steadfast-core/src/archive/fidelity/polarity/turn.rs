//! Whether two clauses that speak of one thing say yes and no of it.

use std::ops::Range;

use super::super::reading::{Clause, Reading, Sentence, within};
use crate::text::negation::Negation;

/// What one clause denies.
pub(super) struct Side<'r> {
    text: &'r str,
    sentence: &'r Sentence,
    clause: &'r Clause,
    negations: Vec<&'r Negation>,
    zeros: usize,
}

/// A word with an opposite.
struct Polar {
    concept: usize,
    negative: bool,
    at: usize,
}

impl<'r> Side<'r> {
    pub(super) fn of(
        reading: &'r Reading<'_>,
        sentence: &'r Sentence,
        clause: &'r Clause,
    ) -> Side<'r> {
        Side {
            text: reading.text,
            sentence,
            clause,
            negations: within(&reading.negations, &clause.span, |one| &one.span).collect(),
            zeros: within(&reading.amounts, &clause.span, |one| &one.span)
                .filter(|one| one.quantity.number.value.micros() == 0)
                .count(),
        }
    }

    /// The first negation, or the clause.
    pub(super) fn span(&self) -> Range<usize> {
        self.negations
            .first()
            .map_or(self.clause.span.clone(), |one| one.span.clone())
    }

    /// The first word of content that a negation denies.
    fn focus(&self, one: &Negation) -> Option<&'r str> {
        let mut content = self.sentence.content(self.clause);
        content
            .find(|word| word.span.start >= one.span.end)
            .map(|word| word.key.as_str())
    }

    fn has(&self, key: &str) -> bool {
        self.sentence
            .content(self.clause)
            .any(|word| word.key == key)
    }

    /// Whether the other side, which denies nothing, has the very word that is
    /// denied here.
    fn affirmed_by(&self, other: &Side<'_>) -> bool {
        let is_polar = |key: &str| {
            let mut words = self.sentence.content(self.clause);
            words.any(|word| word.key == key && word.sense.is_some_and(|sense| sense.polar))
        };
        let mut denied = self.negations.iter().filter_map(|one| self.focus(one));
        other.negations.is_empty() && denied.any(|key| !is_polar(key) && other.says(key))
    }

    /// Whether a word stands there with no negative word right before it
    /// ("incorrectly guessed").
    fn says(&self, key: &str) -> bool {
        let content: Vec<_> = self.sentence.content(self.clause).collect();
        let Some(at) = content.iter().position(|word| word.key == key) else {
            return false;
        };
        let before = at.checked_sub(1).and_then(|at| content[at].sense);
        before.is_none_or(|sense| !sense.negative)
    }

    /// Whether a word stands before the negation, out of its reach.
    fn affirms(&self, key: &str, one: &Negation) -> bool {
        let mut content = self.sentence.content(self.clause);
        content.any(|word| word.key == key && word.span.end <= one.span.start)
    }

    fn polar(&self) -> Vec<Polar> {
        let inside = |at: usize| self.negations.iter().any(|one| one.span.contains(&at));
        self.sentence.words[self.clause.words.clone()]
            .iter()
            .filter(|word| !inside(word.span.start) && !word.is_function)
            .filter_map(|word| {
                let sense = word.sense.filter(|sense| sense.polar)?;
                Some(Polar {
                    concept: sense.concept,
                    negative: sense.negative,
                    at: word.span.start,
                })
            })
            .collect()
    }
}

/// Opposites of two clauses, word against word.
#[derive(Default)]
struct Opposites {
    /// Where the turned words stand: in ours, in theirs.
    turned: Vec<(usize, usize)>,
    /// Negative words with no counterpart: they may stand for a negation of the
    /// other side.
    ours_loose: usize,
    theirs_loose: usize,
}

impl Opposites {
    fn of(mut ours: Vec<Polar>, mut theirs: Vec<Polar>) -> Opposites {
        // First what is the same goes, so that a word that both have is never
        // taken for the counterpart of another.
        take(&mut ours, &mut theirs, true, |_, _| {});
        let mut found = Opposites::default();
        take(&mut ours, &mut theirs, false, |a, b| {
            found.turned.push((a.at, b.at));
        });
        found.ours_loose = ours.iter().filter(|one| one.negative).count();
        found.theirs_loose = theirs.iter().filter(|one| one.negative).count();
        found
    }
}

/// Takes pairs of one concept, on the same side of it or not, out of both lists.
fn take(
    ours: &mut Vec<Polar>,
    theirs: &mut Vec<Polar>,
    same: bool,
    mut with: impl FnMut(&Polar, &Polar),
) {
    ours.retain(|a| {
        let fits = |b: &Polar| a.concept == b.concept && (a.negative == b.negative) == same;
        let Some(at) = theirs.iter().position(fits) else {
            return true;
        };
        with(a, &theirs.remove(at));
        false
    });
}

/// Whether one says yes where the other says no.
///
/// A negation cancels an opposite only where the opposite stands behind it: "did
/// not pass" is "failed", and "an old pub where they cannot try" is not "a new pub
/// where they can try".
pub(super) fn is_turned(ours: &Side<'_>, theirs: &Side<'_>) -> bool {
    let mine = ours.negations.len();
    // A dropped subordinate negation goes with what it denied; where none was
    // dropped, each stands against one, whatever word it denies there.
    let counted = if mine >= theirs.negations.len() {
        theirs.negations.len()
    } else {
        let denied = theirs
            .negations
            .iter()
            .filter(|one| theirs.focus(one).is_none_or(|key| ours.has(key)));
        denied.count()
    };
    if ours.zeros != theirs.zeros && mine != counted {
        return false;
    }
    let mut opposites = Opposites::of(ours.polar(), theirs.polar());
    let extra = mine.abs_diff(counted);
    if extra == 0 {
        return !opposites.turned.is_empty() || mine == 1 && moved(ours, theirs);
    }
    let (denying, other, loose) = if mine > counted {
        (ours, theirs, opposites.theirs_loose)
    } else {
        (theirs, ours, opposites.ours_loose)
    };
    // A negative word stands for the negation of another word ("broken", "not
    // working"), not where the very word is affirmed ("working slowly").
    let loose = if denying.affirmed_by(other) { 0 } else { loose };
    let first = denying.negations[0].span.end;
    let mut left = extra;
    opposites.turned.retain(|(a, b)| {
        let at = if mine > counted { *a } else { *b };
        let cancels = left > 0 && at >= first;
        left -= usize::from(cancels);
        !cancels
    });
    !opposites.turned.is_empty() || left % 2 == 1 && loose == 0
}

/// Both deny, and each what the other affirms: "was not happy to stay", "was
/// happy not to stay".
fn moved(ours: &Side<'_>, theirs: &Side<'_>) -> bool {
    let ([a], [b]) = (&ours.negations[..], &theirs.negations[..]) else {
        return false;
    };
    if !is_adverb(ours, a) || !is_adverb(theirs, b) {
        return false;
    }
    let (Some(mine), Some(other)) = (ours.focus(a), theirs.focus(b)) else {
        return false;
    };
    mine != other
        && ours.has(other)
        && theirs.has(mine)
        && (ours.affirms(other, a) || theirs.affirms(mine, b))
}

/// "Not" and 不, which deny the next word; "no errors found" is "errors not
/// found", and in 没有在服务器上找到 the place stands between.
fn is_adverb(side: &Side<'_>, one: &Negation) -> bool {
    const BETWEEN: &[char] = &[
        '在', '于', '对', '把', '将', '被', '向', '从', '由', '为', '给',
    ];
    let words = side.text[one.span.clone()].to_lowercase();
    let behind = side.text[one.span.end..].trim_start();
    ["not", "n't", "n’t", "不", "未", "没"]
        .iter()
        .any(|end| words.ends_with(end))
        && !behind.starts_with(BETWEEN)
}
