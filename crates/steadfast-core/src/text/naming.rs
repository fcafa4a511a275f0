//! Whether a text names a value: an address, a name, an amount; and whether two
//! values are the same however they are written (5000, `"5,000"`, 五千).

use std::str::FromStr;

use serde_json::Value;

use crate::decimal::Decimal;
use crate::text::fold::Folded;
use crate::text::number::numbers;

/// Whether `value` stands in `text`: a text as whole words, in any letter case and
/// width; a number in any spelling. Values that are neither stand nowhere.
pub fn names(text: &str, value: &Value) -> bool {
    if let Some(number) = number(value) {
        let mut found = numbers(text).into_iter();
        return found.any(|one| one.value == number || one.upto == Some(number));
    }
    match value {
        Value::String(word) => stands(Folded::of(text).text(), Folded::of(word.trim()).text()),
        _ => false,
    }
}

/// Whether two values mean the same: numbers by what they are, texts in any letter
/// case and width, lists of one like the one.
pub fn agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(all), single) | (single, Value::Array(all)) if !single.is_array() => {
            !all.is_empty() && all.iter().all(|each| agree(each, single))
        }
        (Value::String(a), Value::String(b))
            if number(one).is_none() || number(other).is_none() =>
        {
            Folded::of(a.trim()).text() == Folded::of(b.trim()).text()
        }
        _ => match (number(one), number(other)) {
            (Some(a), Some(b)) => a == b,
            _ => one == other,
        },
    }
}

/// The number that a value is: a JSON number, or a text that holds one number and
/// next to nothing else (`"5,000 USD"`, `"8000元"`).
pub fn number(value: &Value) -> Option<Decimal> {
    match value {
        Value::Number(number) => Decimal::from_str(&number.to_string()).ok(),
        Value::String(text) => {
            let text = text.trim();
            let found = numbers(text);
            let [one] = found.as_slice() else {
                return None;
            };
            let rest = text.len() - one.span.len();
            (one.upto.is_none() && rest <= UNIT_BYTES).then_some(one.value)
        }
        _ => None,
    }
}

/// Room for a sign, a code or a unit beside a number.
const UNIT_BYTES: usize = 8;

/// Whether the words stand in the text with nothing of a longer word around them.
fn stands(text: &str, words: &str) -> bool {
    if words.is_empty() {
        return false;
    }
    let part = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (first, last) = (words.chars().next(), words.chars().next_back());
    text.match_indices(words).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + words.len()..].chars().next();
        !(part(before) && part(first) || part(after) && part(last))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_names_a_value_in_any_spelling() {
        let text = "预算是五千元。Send it to Bob@Example.test, not to evil@example.test.cn.";
        for named in [
            json!(5000),
            json!("5,000"),
            json!("5000 元"),
            json!("bob@example.test"),
        ] {
            assert!(names(text, &named), "{named}");
        }
        for absent in [
            json!(500),
            json!("ob@example.test"),
            json!("Bo"),
            json!(true),
            json!(""),
        ] {
            assert!(!names(text, &absent), "{absent}");
        }
    }

    #[test]
    fn values_agree_by_what_they_mean() {
        let same = [
            (json!(5000), json!("5,000")),
            (json!("Player-X"), json!("ｐlayer-x ")),
            (json!("ann@a.test"), json!(["ann@a.test"])),
            (json!(true), json!(true)),
            (json!({"a": 1}), json!({"a": 1})),
        ];
        for (one, other) in same {
            assert!(agree(&one, &other) && agree(&other, &one), "{one} {other}");
        }
        let other = [
            (json!(5000), json!(8000)),
            (json!("player-x"), json!("player-y")),
            (json!("ann@a.test"), json!(["ann@a.test", "bob@a.test"])),
            (json!("ann@a.test"), json!([])),
            (json!(1), json!(true)),
            (json!("v1.2"), json!("v1.3")),
        ];
        for (one, other) in other {
            assert!(
                !agree(&one, &other) && !agree(&other, &one),
                "{one} {other}"
            );
        }
    }
}
