//! Whether two calls ask for the same thing, to the letter or nearly.
//!
//! Nearly means: the same numbers, names and fixed values, and the same words
//! of content, give or take case, order, marks, endings and little words. A call
//! for another page, another customer or another day is another call, however
//! much its text looks like the one before. No similarity score could tell
//! these apart: one digit of forty is a small difference and a great one.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::hash::Hash;
use crate::text::identifier::identifiers;
use crate::text::token::{Token, TokenKind, is_han, tokens};

/// How much longer one wording may be than the other, as a share of its words.
const ADDED_PERCENT: usize = 25;
/// Letters that two words must share from their beginning to be forms of one.
const STEM_CHARS_MIN: usize = 4;
/// Letters by which the endings of two forms of a word may differ.
const ENDING_CHARS_MAX: usize = 3;

/// Words that ask politely or join others and change nothing of what is asked.
const LITTLE: [&str; 36] = [
    "a", "an", "the", "of", "in", "on", "at", "for", "and", "or", "is", "are", "was", "be", "do",
    "does", "did", "how", "what", "which", "can", "could", "please", "i", "me", "my", "you", "we",
    "it", "its", "this", "that", "s", "with", "about", "by",
];
const LITTLE_HAN: [char; 24] = [
    '的', '了', '吗', '呢', '吧', '啊', '请', '帮', '我', '你', '们', '一', '下', '把', '是', '有',
    '么', '什', '怎', '样', '如', '何', '和', '与',
];
/// Words that give the others their direction: where one stands, order counts.
const DIRECTION: [&str; 12] = [
    "from", "to", "before", "after", "than", "into", "over", "under", "between", "versus", "vs",
    "until",
];
const DIRECTION_HAN: [char; 6] = ['从', '到', '至', '比', '往', '由'];

/// What of a call decides whether another one asks for the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Likeness {
    exact: Hash,
    /// The shape of the arguments with every value that must not differ.
    fixed: Hash,
    /// Of each text among the arguments: its words of content.
    words: Vec<Wording>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Wording {
    /// In their order.
    content: Vec<String>,
    directed: bool,
}

impl Likeness {
    /// The likeness of a call. Fields of `cosmetic` (names of arguments at any
    /// depth) are left out: labels for a screen, trace ids.
    pub fn of(skill: &str, args: &Value, cosmetic: &BTreeSet<String>) -> Likeness {
        let args = without(args, cosmetic);
        let mut drawn = Drawn::default();
        drawn.value(&mut String::new(), &args);
        Likeness {
            exact: Hash::of_json(&(skill, &args)),
            fixed: Hash::of_json(&(skill, &drawn.fixed)),
            words: drawn.words,
        }
    }

    pub fn is_same(&self, other: &Likeness) -> bool {
        self.exact == other.exact
    }

    /// Whether both ask for the same, to the letter or nearly.
    pub fn is_near(&self, other: &Likeness) -> bool {
        self.is_same(other)
            || self.fixed == other.fixed
                && self.words.len() == other.words.len()
                && self
                    .words
                    .iter()
                    .zip(&other.words)
                    .all(|(one, other)| one.is_near(other))
    }
}

impl Wording {
    fn of(text: &str, fixed: &mut Vec<String>) -> Wording {
        let named = identifiers(text);
        let mut wording = Wording::default();
        for Token { kind, span } in tokens(text) {
            if named
                .iter()
                .any(|name| name.span.start <= span.start && span.end <= name.span.end)
            {
                continue;
            }
            let word = text[span].to_lowercase();
            match kind {
                TokenKind::Mark => {}
                TokenKind::Number => fixed.push(word),
                TokenKind::Han => wording.han(&word),
                TokenKind::Word => wording.word(word),
            }
        }
        fixed.extend(named.into_iter().map(|name| text[name.span].to_owned()));
        wording
    }

    fn han(&mut self, word: &str) {
        let is_in = |list: &[char]| word.chars().all(|c| list.contains(&c));
        self.directed |= is_in(&DIRECTION_HAN);
        if !is_in(&LITTLE_HAN) {
            self.content.push(word.to_owned());
        }
    }

    fn word(&mut self, word: String) {
        self.directed |= DIRECTION.contains(&word.as_str());
        if !LITTLE.contains(&word.as_str()) {
            self.content.push(word);
        }
    }

    /// One may say a little more than the other; neither may say something else.
    fn is_near(&self, other: &Wording) -> bool {
        let (short, long) = if self.content.len() <= other.content.len() {
            (self, other)
        } else {
            (other, self)
        };
        let more = long.content.len() - short.content.len();
        if more * 100 > long.content.len() * ADDED_PERCENT {
            return false;
        }
        if self.directed || other.directed {
            return is_within_in_order(&short.content, &long.content);
        }
        let mut left: Vec<&String> = long.content.iter().collect();
        short.content.iter().all(|word| {
            let found = left.iter().position(|other| are_forms(word, other));
            found.map(|at| left.swap_remove(at)).is_some()
        })
    }
}

fn is_within_in_order(short: &[String], long: &[String]) -> bool {
    let mut rest = long.iter();
    short
        .iter()
        .all(|word| rest.any(|other| are_forms(word, other)))
}

/// Whether two words are one, or two forms of one (`sort`, `sorting`).
fn are_forms(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    if one.chars().chain(other.chars()).any(is_han) {
        return false;
    }
    let shared = one
        .chars()
        .zip(other.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let rest = |word: &str| word.chars().count() - shared;
    // One is the other with an ending, or both carry one of the usual endings.
    shared >= STEM_CHARS_MIN
        && rest(one).min(rest(other)) == 0
        && rest(one).max(rest(other)) <= ENDING_CHARS_MAX
}

/// What is read off arguments: what must be equal, and what may be worded anew.
#[derive(Default)]
struct Drawn {
    fixed: Vec<String>,
    words: Vec<Wording>,
}

impl Drawn {
    fn value(&mut self, path: &mut String, value: &Value) {
        let depth = path.len();
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    path.push('/');
                    path.push_str(name);
                    self.value(path, value);
                    path.truncate(depth);
                }
            }
            Value::Array(items) => {
                for (index, value) in items.iter().enumerate() {
                    path.push('/');
                    path.push_str(&index.to_string());
                    self.value(path, value);
                    path.truncate(depth);
                }
            }
            Value::String(text) => {
                self.fixed.push(path.clone());
                if is_prose(text) {
                    self.words.push(Wording::of(text, &mut self.fixed));
                } else {
                    self.fixed.push(text.trim().to_lowercase());
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {
                self.fixed.push(path.clone());
                self.fixed.push(value.to_string());
            }
        }
    }
}

/// A text of several words. A single one is a value: a city, a status, a key.
fn is_prose(text: &str) -> bool {
    let words = tokens(text);
    let counted = words.iter().filter(|token| token.kind != TokenKind::Mark);
    counted.count() > 1
}

fn without(value: &Value, names: &BTreeSet<String>) -> Value {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !names.contains(*name))
            .map(|(name, value)| (name.clone(), without(value, names)))
            .collect(),
        Value::Array(items) => items.iter().map(|item| without(item, names)).collect(),
        other => other.clone(),
    }
}

/// What came of a call, as far as it tells whether anything has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    hash: Hash,
    pub failed: bool,
}

impl Outcome {
    /// Of a call that was done. Fields of `cosmetic` (a time stamp, a counter
    /// for a screen) are left out.
    pub fn done(result: &Value, cosmetic: &BTreeSet<String>) -> Outcome {
        Outcome {
            hash: Hash::of_json(&without(result, cosmetic)),
            failed: false,
        }
    }

    /// Of a call that failed: numbers and names of its message do not count,
    /// since they are times, addresses and ids of the attempt.
    pub fn failed(message: &str) -> Outcome {
        let mut fixed = Vec::new();
        let wording = Wording::of(message, &mut fixed);
        Outcome {
            hash: Hash::of_json(&wording.content),
            failed: true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn near(one: &Value, other: &Value) -> bool {
        let none = BTreeSet::new();
        Likeness::of("ask", one, &none).is_near(&Likeness::of("ask", other, &none))
    }

    #[test]
    fn wordings_of_one_question_are_near() {
        for (one, other) in [
            ("weather in Paris today", "Weather today, Paris?"),
            ("how to sort a list in Python", "sort list Python"),
            ("sort a list in Python", "sorting lists in python"),
            ("北京今天的天气", "请问北京今天天气"),
            (
                "refund policy of order A-1029",
                "order A-1029 refund policy",
            ),
            (
                "flights from Berlin to Rome",
                "Flights from Berlin to Rome, please",
            ),
        ] {
            assert!(
                near(&json!({"q": one}), &json!({"q": other})),
                "{one} | {other}"
            );
            assert!(
                near(&json!({"q": other}), &json!({"q": one})),
                "{other} | {one}"
            );
        }
    }

    #[test]
    fn another_number_name_or_direction_is_another_question() {
        for (one, other) in [
            ("weather in Paris today", "weather in London today"),
            ("北京今天的天气", "上海今天的天气"),
            ("flights from Berlin to Rome", "flights from Rome to Berlin"),
            ("从北京到上海的高铁", "从上海到北京的高铁"),
            ("order A-1029 refund policy", "order A-1030 refund policy"),
            ("page 2 of the report", "page 3 of the report"),
            ("users who paid", "users who paid and then left"),
            ("2024 revenue of Acme", "2025 revenue of Acme"),
        ] {
            assert!(
                !near(&json!({"q": one}), &json!({"q": other})),
                "{one} | {other}"
            );
        }
        assert!(!near(&json!({"page": 1}), &json!({"page": 2})));
        assert!(!near(&json!({"city": "paris"}), &json!({"city": "london"})));
        assert!(!near(&json!({"q": "a b"}), &json!({"p": "a b"})));
        assert!(!near(
            &json!({"q": "a b", "r": "c d"}),
            &json!({"q": "c d", "r": "a b"})
        ));
    }

    #[test]
    fn cosmetic_fields_do_not_count() {
        let cosmetic = BTreeSet::from(["label".to_owned()]);
        let call = |n: u32| Likeness::of("sh", &json!({"cmd": "x", "label": n}), &cosmetic);
        assert!(call(1).is_same(&call(2)));
    }

    #[test]
    fn failures_are_compared_by_their_words() {
        let one = Outcome::failed("timeout after 3021 ms (request 9f8e7d6c5b4a3210)");
        assert_eq!(
            one,
            Outcome::failed("timeout after 2987 ms (request 0123456789abcdef)")
        );
        assert_ne!(one, Outcome::failed("no such file"));
        assert_ne!(one, Outcome::done(&json!("timeout"), &BTreeSet::new()));
    }
}
