//! Whether the values in a call's arguments follow from anything: what users
//! and the system said, what skills returned, what the workflow file says.
//!
//! Looked at are values that cannot be had by thinking: numbers of two digits
//! and more, ids, e-mail addresses, paths, dates, short names. Prose is the
//! agent's own and only such values within it are looked for. An agent's own
//! words count once a user has answered them. Everything is a set of words, so
//! the cost grows with the size of the log and no faster.

use std::collections::BTreeSet;

use serde_json::Value;

use super::urging::is_cjk;

/// Words of a text beyond which it is prose.
const NAME_WORDS_MAX: usize = 4;
/// Characters of a Chinese text beyond which it is prose.
const CJK_CHARS_MAX: usize = 12;
/// Texts up to this length are codes and choices, not values.
const SHORT_CHARS_MAX: usize = 3;

/// What has been seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ground {
    words: BTreeSet<String>,
    pairs: BTreeSet<(char, char)>,
    /// What the agent said since the last words of a user.
    pending: Vec<String>,
}

impl Ground {
    /// Takes in what someone other than the agent said.
    pub(crate) fn saw(&mut self, text: &str) {
        let mut before = None;
        for c in text.chars().filter(|c| !c.is_whitespace()) {
            if let Some(before) = before.filter(|before| is_cjk(*before) && is_cjk(c)) {
                self.pairs.insert((before, c));
            }
            before = Some(c);
        }
        for word in words(text) {
            for part in parts(word) {
                if !self.words.contains(part) {
                    self.words.insert(part.to_lowercase());
                }
            }
            let whole = normal(word);
            if !self.words.contains(&whole) {
                self.words.insert(whole);
            }
        }
    }

    /// Takes in a value with its keys.
    pub(crate) fn saw_value(&mut self, value: &Value) {
        match value {
            Value::String(text) => self.saw(text),
            Value::Array(all) => all.iter().for_each(|one| self.saw_value(one)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.saw(name);
                    self.saw_value(value);
                }
            }
            Value::Number(number) => self.saw(&number.to_string()),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Takes in what the agent said; it counts from the next words of a user on.
    pub(crate) fn agent_said(&mut self, text: &str) {
        self.pending.push(text.to_owned());
    }

    /// Takes in what a user said.
    pub(crate) fn user_said(&mut self, text: &str) {
        for said in std::mem::take(&mut self.pending) {
            self.saw(&said);
        }
        self.saw(text);
    }

    /// The values of arguments that follow from nothing, each once, with the
    /// argument in which it stands.
    pub(crate) fn unfounded(&self, args: &Value) -> Vec<(String, String)> {
        let mut found = Vec::new();
        if let Value::Object(fields) = args {
            for (name, value) in fields {
                self.look(name, value, &mut found);
            }
        }
        let mut seen = BTreeSet::new();
        found.retain(|(_, value)| seen.insert(value.clone()));
        found
    }

    fn look(&self, name: &str, value: &Value, found: &mut Vec<(String, String)>) {
        match value {
            Value::String(text) => {
                let missing = self.missing_in(text);
                found.extend(missing.into_iter().map(|one| (name.to_owned(), one)));
            }
            Value::Number(number) => {
                let text = number.to_string();
                if !self.has_number(&text) {
                    found.push((name.to_owned(), text));
                }
            }
            Value::Array(all) => all.iter().for_each(|one| self.look(name, one, found)),
            Value::Object(fields) => {
                for (field, value) in fields {
                    self.look(&format!("{name}.{field}"), value, found);
                }
            }
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn missing_in(&self, text: &str) -> Vec<String> {
        let text = text.trim();
        let count = text.chars().count();
        if count <= SHORT_CHARS_MAX && !text.chars().all(|c| c.is_ascii_digit()) {
            return Vec::new();
        }
        if text.chars().any(is_cjk) && count <= CJK_CHARS_MAX {
            return if self.has_cjk(text) {
                Vec::new()
            } else {
                vec![text.to_owned()]
            };
        }
        let all: Vec<&str> = words(text).collect();
        let is_name = all.len() <= NAME_WORDS_MAX;
        let missing = all.iter().filter(|word| match kind(word) {
            Kind::Hard => !self.has(word),
            Kind::Number => !self.has_number(word),
            Kind::Word => is_name && word.chars().count() > SHORT_CHARS_MAX && !self.has(word),
        });
        let missing: Vec<String> = missing.map(|word| (*word).to_owned()).collect();
        // A short name is one value, whichever of its words is the stranger.
        if is_name && !missing.is_empty() {
            return vec![text.to_owned()];
        }
        missing
    }

    fn has(&self, word: &str) -> bool {
        self.words.contains(&normal(word))
            || parts(word)
                .all(|part| part.chars().count() < 2 || self.words.contains(&part.to_lowercase()))
            || is_date(word) && self.has_date(word)
    }

    /// Single digits are counts, and counting needs no source.
    fn has_number(&self, text: &str) -> bool {
        let plain = normal(text.trim_start_matches('-'));
        let digits = plain.chars().filter(char::is_ascii_digit).count();
        digits < 2 || self.words.contains(&plain)
    }

    fn has_cjk(&self, text: &str) -> bool {
        let chars: Vec<char> = text.chars().filter(|c| is_cjk(*c)).collect();
        chars
            .windows(2)
            .all(|pair| self.pairs.contains(&(pair[0], pair[1])))
    }

    /// `2024-05-20` follows from `May 20`, `20 May`, `5/20` and `5月20日`.
    fn has_date(&self, date: &str) -> bool {
        let mut numbers = date.split('-').map(|part| part.trim_start_matches('0'));
        let (Some(_), Some(month), Some(day)) = (numbers.next(), numbers.next(), numbers.next())
        else {
            return false;
        };
        let said = |word: &str| self.words.contains(word);
        let number = |text: &str| said(text) || said(&format!("{text:0>2}"));
        let ordinal = ["st", "nd", "rd", "th"]
            .iter()
            .any(|end| said(&format!("{day}{end}")));
        let names = month
            .parse::<usize>()
            .ok()
            .and_then(|month| MONTHS.get(month.wrapping_sub(1)));
        let named = names.is_some_and(|(long, short)| said(long) || said(short));
        (number(day) || ordinal) && (named || number(month))
    }
}

const MONTHS: [(&str, &str); 12] = [
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("may", "may"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
];

enum Kind {
    /// An id, an address, a path.
    Hard,
    Number,
    Word,
}

fn kind(word: &str) -> Kind {
    let digits = word.chars().any(|c| c.is_ascii_digit());
    let letters = word.chars().any(char::is_alphabetic);
    let number = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    match (digits, letters) {
        (true, false) if word.chars().all(number) => Kind::Number,
        (true, _) => Kind::Hard,
        (false, _) if word.contains(['@', '/', '\\']) => Kind::Hard,
        _ => Kind::Word,
    }
}

/// Words with what holds ids, addresses and paths together; Chinese ends a word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| {
        is_cjk(c)
            || !(c.is_alphanumeric()
                || matches!(
                    c,
                    '@' | '.' | '_' | '-' | '/' | '\\' | ':' | ',' | '+' | '\''
                ))
    })
    .flat_map(|word| {
        // A comma holds the groups of a number together and nothing else.
        let number = word
            .chars()
            .all(|c| c.is_ascii_digit() || matches!(c, ',' | '.'));
        let split: fn(char) -> bool = if number { |_| false } else { |c| c == ',' };
        word.split(split)
    })
    .map(|word| word.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '/' | '\\'))))
    .filter(|word| word.chars().any(char::is_alphanumeric))
}

/// The letters and digits that a word is made of.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
}

/// One form for what is written in several: case, groups of digits, `5.0` and
/// `5`, possessives.
fn normal(word: &str) -> String {
    let lower = word.to_lowercase();
    let lower = lower.strip_suffix("'s").unwrap_or(&lower);
    if lower
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, ',' | '.'))
    {
        let plain = lower.replace(',', "");
        return match plain.split_once('.') {
            Some((whole, fraction)) => {
                let fraction = fraction.trim_end_matches('0');
                if fraction.is_empty() {
                    whole.to_owned()
                } else {
                    format!("{whole}.{fraction}")
                }
            }
            None => plain,
        };
    }
    lower.to_owned()
}

fn is_date(word: &str) -> bool {
    let mut parts = word.split('-').map(str::len);
    (parts.next(), parts.next(), parts.next(), parts.next()) == (Some(4), Some(2), Some(2), None)
        && word.bytes().all(|b| b.is_ascii_digit() || b == b'-')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn unfounded(said: &str, args: Value) -> Vec<String> {
        let mut ground = Ground::default();
        ground.user_said(said);
        let found = ground.unfounded(&args);
        found.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn values_must_follow() {
        let none: [&str; 0] = [];
        let said = "My id is mia_li_3668, from JFK on May 20th for $5,000. Mail mia@x.org. 订单号 A-77, 主题是智能客服";
        assert_eq!(
            unfounded(
                said,
                json!({"user": "mia_li_3668", "date": "2024-05-20", "amount": 5000, "amount2": 5000.0,
                       "mail": "MIA@x.org", "order": "A-77", "from": "JFK", "count": 3, "topic": "智能客服", "flag": true})
            ),
            none
        );
        assert_eq!(
            unfounded(
                said,
                json!({"user": "mia_li_3669", "amount": 800, "date": "2024-05-21", "topic": "量子计算"})
            ),
            ["800", "2024-05-21", "量子计算", "mia_li_3669"]
        );
    }

    #[test]
    fn prose_is_the_agents_own_but_not_the_values_in_it() {
        let note = "The customer was told that refund R-991 arrives within a week or two";
        assert_eq!(unfounded("refund please", json!({"note": note})), ["R-991"]);
    }

    #[test]
    fn what_the_agent_said_counts_once_it_was_answered() {
        let mut ground = Ground::default();
        ground.agent_said("I suggest flight HAT120.");
        let args = json!({"flight": "HAT120"});
        assert_eq!(ground.unfounded(&args).len(), 1);
        ground.user_said("Fine.");
        assert_eq!(ground.unfounded(&args), []);
    }
}
