//! Whether a count lies within a bound, and the bound in words.

use std::fmt::Display;
use std::ops::Range;

use crate::check::answer::{Answer, wide};
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::{Bound, End};
use crate::limits::ABOUT_PERCENT;

/// On which side of a bound a value lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Below,
    Within,
    Above,
}

/// Where `value` lies. "About" is asked by `about`, which gives the two ends.
pub(super) fn side<T: PartialOrd>(
    bound: &Bound<T>,
    value: &T,
    about: impl Fn(&T) -> Option<(T, T)>,
) -> Side {
    let below = |end: &End<T>| *value < end.value || end.open && *value == end.value;
    let above = |end: &End<T>| *value > end.value || end.open && *value == end.value;
    if bound.min.as_ref().is_some_and(below) {
        return Side::Below;
    }
    if bound.max.as_ref().is_some_and(above) {
        return Side::Above;
    }
    match bound.about.as_ref().and_then(about) {
        Some((low, _)) if *value < low => Side::Below,
        Some((_, high)) if *value > high => Side::Above,
        _ => Side::Within,
    }
}

/// The ends of "about so many": rounded outwards, so that about 5 takes 4 to 6.
pub(super) fn around(middle: u64) -> (u64, u64) {
    let reach = middle
        .saturating_mul(u64::from(ABOUT_PERCENT))
        .div_ceil(100);
    (middle.saturating_sub(reach), middle.saturating_add(reach))
}

pub(super) fn count_side(bound: &Bound<u64>, count: u64) -> Side {
    side(bound, &count, |middle| Some(around(*middle)))
}

pub(super) fn is_given<T>(bound: &Bound<T>) -> bool {
    bound.min.is_some() || bound.max.is_some() || bound.about.is_some()
}

/// The bound in words, with a unit behind the number.
pub(super) fn said<T: Display + PartialEq>(bound: &Bound<T>, unit: &Said) -> Said {
    let mut zh = Vec::new();
    let mut en = Vec::new();
    match (&bound.min, &bound.max) {
        (Some(min), Some(max)) if min.value == max.value && !min.open && !max.open => {
            zh.push(format!("恰好 {}", min.value));
            en.push(format!("exactly {}", min.value));
        }
        (min, max) => {
            if let Some(end) = min {
                let (zh_word, en_word) = if end.open {
                    ("多于", "more than")
                } else {
                    ("至少", "at least")
                };
                zh.push(format!("{zh_word} {}", end.value));
                en.push(format!("{en_word} {}", end.value));
            }
            if let Some(end) = max {
                let (zh_word, en_word) = if end.open {
                    ("少于", "fewer than")
                } else {
                    ("至多", "at most")
                };
                zh.push(format!("{zh_word} {}", end.value));
                en.push(format!("{en_word} {}", end.value));
            }
        }
    }
    if let Some(middle) = &bound.about {
        zh.push(format!("约 {middle}（上下 {ABOUT_PERCENT}%）"));
        en.push(format!("about {middle} (within {ABOUT_PERCENT} %)"));
    }
    Said::new(
        format!("{} {}", zh.join("、"), unit.zh).trim_end(),
        format!("{} {}", en.join(" and "), unit.en).trim_end(),
    )
}

/// Judges things that were found and counted. Too many: the first one beyond
/// the bound and those behind it are the places.
pub(super) fn judge(
    answer: &Answer<'_>,
    bound: &Bound<u64>,
    found: &[Range<usize>],
    unit: &Said,
) -> Outcome {
    if !is_given(bound) {
        return Outcome::NotChecked(Why::NoBound);
    }
    let count = wide(found.len());
    let places = match count_side(bound, count) {
        Side::Within => return Outcome::Kept,
        Side::Below => &[],
        Side::Above => &found[most(bound).min(found.len())..],
    };
    let counted = Said::new(
        format!("{count} {}", unit.zh).trim_end(),
        format!("{count} {}", unit.en).trim_end(),
    );
    answer.broken(said(bound, unit), counted, places.iter().cloned())
}

/// How many the bound allows at most.
pub(super) fn most(bound: &Bound<u64>) -> usize {
    let max = bound
        .max
        .as_ref()
        .map(|end| end.value.saturating_sub(u64::from(end.open)));
    let about = bound.about.map(|middle| around(middle).1);
    let most = max.into_iter().chain(about).min().unwrap_or(u64::MAX);
    usize::try_from(most).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides() {
        assert_eq!(count_side(&Bound::at_most(3), 3), Side::Within);
        assert_eq!(count_side(&Bound::less_than(3), 3), Side::Above);
        assert_eq!(count_side(&Bound::more_than(3), 3), Side::Below);
        assert_eq!(count_side(&Bound::exactly(3), 2), Side::Below);
        assert_eq!(count_side(&Bound::about(500), 450), Side::Within);
        assert_eq!(count_side(&Bound::about(500), 449), Side::Below);
        assert_eq!(count_side(&Bound::about(500), 551), Side::Above);
        assert_eq!(count_side(&Bound::about(u64::MAX), 5), Side::Below);
    }

    #[test]
    fn words_of_a_bound() {
        let unit = Said::new("词", "words");
        assert_eq!(
            said(&Bound::less_than(300), &unit),
            Said::new("少于 300 词", "fewer than 300 words")
        );
        let between = Bound {
            min: Some(End {
                value: 2,
                open: false,
            }),
            max: Some(End {
                value: 4,
                open: false,
            }),
            about: None,
        };
        assert_eq!(
            said(&between, &unit),
            Said::new("至少 2、至多 4 词", "at least 2 and at most 4 words")
        );
    }
}
