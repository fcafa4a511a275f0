//! Numbers in figures, and in English words.

use super::{Number, NumberKind, Scanned, han};
use crate::decimal::Decimal;
use crate::text::token::{is_han, starts_with_words};

/// The place after the character, or after the whole Latin word, at `at`.
pub(super) fn next(text: &str, at: usize) -> usize {
    let mut chars = text[at..].char_indices();
    let Some((_, first)) = chars.next() else {
        return text.len();
    };
    if !is_word(first) {
        return at + first.len_utf8();
    }
    let end = chars.find(|(_, c)| !is_word(*c)).map(|(end, _)| at + end);
    end.unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    (c.is_alphanumeric() && !is_han(c)) || c == '_'
}

fn before(text: &str, at: usize) -> Option<char> {
    text[..at].chars().next_back()
}

/// A number that begins with a digit, `½`, or a sign before a digit.
pub(super) fn digits(text: &str, at: usize) -> Option<Scanned> {
    let rest = &text[at..];
    let first = rest.chars().next()?;
    if let Some(value) = vulgar(first) {
        return Some(scanned(
            at,
            at + first.len_utf8(),
            value,
            NumberKind::Fraction,
        ));
    }
    let negative = first == '-'
        && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        && !before(text, at).is_some_and(|c| c.is_alphanumeric() || matches!(c, ')' | '-' | '%'));
    let start = at;
    let at = if negative { at + 1 } else { at };
    if !text[at..].starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (value, mut end) = figures(text, at)?;
    let value = if negative {
        Decimal::from_micros(-value.micros())
    } else {
        value
    };
    let rest = &text[end..];
    if let Some(value) = fraction(text, at, end, value) {
        let (value, end) = value;
        return Some(scanned(start, end, value, NumberKind::Fraction));
    }
    for ending in ["st", "nd", "rd", "th"] {
        if starts_with_words(rest, ending) {
            return Some(scanned(start, end + 2, value, NumberKind::Ordinal));
        }
    }
    if let Some((value, after)) = han::go_on(text, value, end) {
        let magnitude = han::magnitude_before(text, after);
        let mut found = scanned(start, after, value, NumberKind::Cardinal);
        found.magnitude = magnitude;
        han::finish(text, &mut found);
        return Some(found);
    }
    let mut found = scanned(start, end, value, NumberKind::Cardinal);
    let money = before(text, start).is_some_and(|c| matches!(c, '$' | '€' | '£' | '¥'))
        || text[..start].ends_with("$ ");
    if let Some((factor, width)) = suffix(rest, money) {
        end += width;
        found.number.value = value.checked_mul(factor)?;
        found.number.span.end = end;
        found.magnitude = factor;
    }
    han::finish(text, &mut found);
    percent(text, &mut found);
    Some(found)
}

fn scanned(start: usize, end: usize, value: Decimal, kind: NumberKind) -> Scanned {
    Scanned {
        number: Number {
            span: start..end,
            value,
            upto: None,
            kind,
            vague: false,
        },
        magnitude: Decimal::from(1),
    }
}

fn vulgar(c: char) -> Option<Decimal> {
    let micros = match c {
        '½' => 500_000,
        '¼' => 250_000,
        '¾' => 750_000,
        '⅓' => 333_333,
        '⅔' => 666_666,
        _ => return None,
    };
    Some(Decimal::from_micros(micros))
}

/// Digits with groups of three and one decimal point. More than six decimal
/// places are cut; a number that does not fit is none.
pub(super) fn figures(text: &str, at: usize) -> Option<(Decimal, usize)> {
    let bytes = text.as_bytes();
    let run = |from: usize| {
        let len = bytes[from..]
            .iter()
            .take_while(|b| b.is_ascii_digit())
            .count();
        from + len
    };
    let mut end = run(at);
    let mut plain = text[at..end].to_owned();
    if end - at <= 3 {
        while bytes.get(end) == Some(&b',') && run(end + 1) == end + 4 {
            plain.push_str(&text[end + 1..end + 4]);
            end += 4;
        }
    }
    if bytes.get(end) == Some(&b'.') && run(end + 1) > end + 1 {
        let after = run(end + 1);
        let places = &text[end + 1..after];
        plain.push('.');
        plain.push_str(&places[..places.len().min(6)]);
        end = after;
    }
    if plain.len() > 40 {
        return None;
    }
    Some((plain.parse().ok()?, end))
}

fn fraction(text: &str, at: usize, end: usize, upper: Decimal) -> Option<(Decimal, usize)> {
    let rest = text[end..].strip_prefix('/')?;
    if before(text, at) == Some('/') || !rest.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (lower, after) = figures(text, end + 1)?;
    if text[after..].starts_with('/') {
        return None;
    }
    Some((divide(upper, lower)?, after))
}

pub(super) fn divide(upper: Decimal, lower: Decimal) -> Option<Decimal> {
    let micros = upper.micros().checked_mul(1_000_000)?;
    micros.checked_div(lower.micros()).map(Decimal::from_micros)
}

/// `k`, `million` and the like behind a number; `m` and `b` only after a sign
/// of money, for else they are metres and bytes.
fn suffix(rest: &str, money: bool) -> Option<(Decimal, usize)> {
    const ATTACHED: &[(&str, i64)] = &[
        ("k", 1_000),
        ("mn", 1_000_000),
        ("bn", 1_000_000_000),
        ("w", 10_000),
    ];
    const WITH_MONEY: &[(&str, i64)] = &[("m", 1_000_000), ("b", 1_000_000_000)];
    const WORDS: &[(&str, i64)] = &[
        ("hundred", 100),
        ("thousand", 1_000),
        ("million", 1_000_000),
        ("billion", 1_000_000_000),
        ("dozen", 12),
    ];
    let blank = usize::from(rest.starts_with([' ', '-']));
    let attached = ATTACHED.iter().chain(if money { WITH_MONEY } else { &[] });
    let attached = attached
        .filter(|(word, _)| starts_with_words(rest, word))
        .map(|(word, factor)| (*factor, word.len()));
    let words = WORDS
        .iter()
        .filter(|(word, _)| starts_with_words(&rest[blank..], word))
        .map(|(word, factor)| (*factor, blank + word.len()));
    let (factor, width) = attached.chain(words).next()?;
    Some((Decimal::from(factor), width))
}

/// Takes in a sign or word for per cent.
fn percent(text: &str, found: &mut Scanned) {
    let rest = &text[found.number.span.end..];
    let blank = usize::from(rest.starts_with(' '));
    for sign in ["%", "percent", "per cent", "pct"] {
        if rest[blank..].starts_with(sign) {
            found.number.kind = NumberKind::Percent;
            found.number.span.end += blank + sign.len();
            return;
        }
    }
}

#[rustfmt::skip]
const SMALL: &[&str] = &[
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
    "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
    "nineteen",
];
const TENS: &[&str] = &[
    "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety",
];
const LARGE: &[(&str, i64)] = &[
    ("hundred", 100),
    ("thousand", 1_000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
    ("dozen", 12),
];
const ORDINALS: &[&str] = &[
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];
/// Parts of a whole, by singular; the plural adds an s.
const PARTS: &[(&str, i64)] = &[
    ("half", 2),
    ("third", 3),
    ("quarter", 4),
    ("fifth", 5),
    ("tenth", 10),
];

fn small(word: &str) -> Option<i64> {
    let index = |list: &[&str]| list.iter().position(|one| *one == word);
    let count = |at: usize| i64::try_from(at).unwrap_or(0);
    index(SMALL)
        .map(count)
        .or_else(|| index(TENS).map(|at| (count(at) + 2) * 10))
}

fn large(word: &str) -> Option<i64> {
    LARGE
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, value)| *value)
}

fn part(word: &str) -> Option<i64> {
    let word = if word == "halves" { "half" } else { word };
    let singular = word.strip_suffix('s').unwrap_or(word);
    PARTS
        .iter()
        .find(|(name, _)| *name == singular)
        .map(|(_, of)| *of)
}

/// The Latin word at `at`, when one begins there.
fn word(text: &str, at: usize) -> Option<(&str, usize)> {
    let len = text
        .get(at..)?
        .bytes()
        .take_while(u8::is_ascii_lowercase)
        .count();
    let goes_on = text[at + len..].starts_with(is_word);
    (len > 0 && !goes_on).then(|| (&text[at..at + len], at + len))
}

/// The next word, behind one blank or hyphen.
fn word_after(text: &str, end: usize) -> Option<(&str, usize)> {
    text[end..]
        .starts_with([' ', '-'])
        .then(|| word(text, end + 1))
        .flatten()
}

/// A number in English words.
pub(super) fn words(text: &str, at: usize) -> Option<Scanned> {
    if before(text, at).is_some_and(is_word) {
        return None;
    }
    let (first, end) = word(text, at)?;
    if let Some(place) = ORDINALS.iter().position(|one| *one == first) {
        let value = Decimal::from(i64::try_from(place).unwrap_or(0) + 1);
        return Some(scanned(at, end, value, NumberKind::Ordinal));
    }
    if first == "half" {
        return Some(scanned(
            at,
            end,
            Decimal::from_micros(500_000),
            NumberKind::Fraction,
        ));
    }
    if matches!(first, "a" | "an") {
        let (next, after) = word_after(text, end)?;
        if next == "couple" {
            let mut found = scanned(at, after, Decimal::from(2), NumberKind::Cardinal);
            found.number.vague = true;
            return Some(found);
        }
        if let Some(of) = part(next).filter(|of| matches!(of, 2..=4)) {
            let value = divide(Decimal::from(1), Decimal::from(of))?;
            return Some(scanned(at, after, value, NumberKind::Fraction));
        }
        large(next)?;
        let (value, end) = chain(text, 1, end)?;
        return Some(scanned(at, end, Decimal::from(value), NumberKind::Cardinal));
    }
    let start = small(first)?;
    if first == "one" && !counts(text, at, end) {
        return None;
    }
    let (value, end) = chain(text, start, end)?;
    if let Some((next, after)) = word_after(text, end)
        && let Some(of) = part(next)
    {
        let value = divide(Decimal::from(value), Decimal::from(of))?;
        return Some(scanned(at, after, value, NumberKind::Fraction));
    }
    let mut found = scanned(at, end, Decimal::from(value), NumberKind::Cardinal);
    percent(text, &mut found);
    Some(found)
}

/// Goes on from a first numeral: `twenty` `five`, `two` `hundred` `and` `six`.
fn chain(text: &str, first: i64, end: usize) -> Option<(i64, usize)> {
    let (mut total, mut section, mut end) = (0i64, first, end);
    while let Some((next, mut after)) = word_after(text, end) {
        let mut next = next;
        if next == "and" && (section >= 100 || total > 0) {
            let Some((further, end)) = word_after(text, after) else {
                break;
            };
            if small(further).is_none() {
                break;
            }
            (next, after) = (further, end);
        }
        if let Some(value) = small(next) {
            let room = section == 0
                || section % 100 == 0
                || (section % 10 == 0 && value < 10 && section % 100 >= 20);
            if !room {
                break;
            }
            section = section.checked_add(value)?;
        } else if let Some(value) = large(next) {
            if value >= 1_000 {
                total = total.checked_add(section.checked_mul(value)?)?;
                section = 0;
            } else {
                section = section.checked_mul(value)?;
            }
        } else {
            break;
        }
        end = after;
    }
    Some((total.checked_add(section)?, end))
}

/// Whether "one" counts something and is no pronoun.
fn counts(text: &str, at: usize, end: usize) -> bool {
    #[rustfmt::skip]
    const PRONOUN_BEFORE: &[&str] = &[
        "no", "any", "this", "that", "the", "which", "some", "every", "each", "another", "last",
        "first",
    ];
    #[rustfmt::skip]
    const PRONOUN_AFTER: &[&str] = &[
        "of", "another", "that", "who", "can", "should", "is", "was", "has", "must", "may",
        "would", "and",
    ];
    let prior = text[..at]
        .trim_end_matches(' ')
        .rsplit(|c: char| !c.is_ascii_lowercase())
        .next();
    if prior.is_some_and(|word| PRONOUN_BEFORE.contains(&word)) {
        return false;
    }
    word_after(text, end).is_some_and(|(next, _)| !PRONOUN_AFTER.contains(&next))
}
