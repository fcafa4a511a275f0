//! The fields of a JSON answer: 用 JSON 输出，字段为 amount、date; `answer as JSON
//! with the fields ticker and price`. They become a JSON Schema that demands
//! each, and leaves others free.

use serde_json::{Map, Value, json};

use super::Reader;
use crate::ledger::rule::{Format, Rule};
use crate::text::reader::clause::Sentence;
use crate::text::reader::hit::Hit;
use crate::text::reader::prose::QUOTED;
use crate::text::token::{find_words, is_han, starts_with_words};

/// Fields of one answer; more are not typed by hand.
const FIELDS_MAX: usize = 64;
/// Characters of a field's name.
const FIELD_CHARS_MAX: usize = 40;

impl Reader<'_, '_, '_> {
    /// Gives the JSON that a clause asks for the fields that the sentence names.
    pub(super) fn fields(&self, sentence: &Sentence<'_>, hits: &mut [Hit]) {
        for hit in hits {
            if let Rule::Format {
                format: Format::Json { schema },
            } = &mut hit.rule
            {
                let names = self.names(sentence);
                if !names.is_empty() {
                    *schema = Some(demands(&names));
                    let end = sentence.start + sentence.text.trim_end().len();
                    hit.span.end = hit.span.end.max(end);
                }
            }
        }
    }

    fn names(&self, sentence: &Sentence<'_>) -> Vec<String> {
        let text = sentence.text;
        let Some(word) = ["字段", "fields", "keys", "properties", "键"]
            .iter()
            .find_map(|word| find_words(text, word, 0))
        else {
            return Vec::new();
        };
        let behind = self.list(sentence, word.end);
        if !behind.is_empty() {
            return behind;
        }
        // 包含 title、score 两个字段, "with name and age fields".
        let before = &text[..word.start];
        #[rustfmt::skip]
        const LEADS: &[&str] = &[
            "包含", "包括", "含有", "含", "带有", "带", "有", "with the", "with", "containing",
            "including", "having",
        ];
        let from = LEADS
            .iter()
            .filter_map(|lead| before.rfind(lead).map(|at| at + lead.len()))
            .max();
        from.map_or_else(Vec::new, |from| {
            let mut names = self.list(sentence, from);
            names.retain(|name| name != "fields" && name != "keys");
            names
        })
    }

    /// Names from a place on, as far as they follow each other.
    fn list(&self, sentence: &Sentence<'_>, from: usize) -> Vec<String> {
        let text = sentence.text;
        let mut at = from;
        let mut names: Vec<String> = Vec::new();
        let quotes = self
            .message
            .quotes(sentence.start + from..sentence.start + text.len());
        let mut quotes = quotes.into_iter().peekable();
        while names.len() < FIELDS_MAX {
            at = skip(text, at, names.is_empty());
            let rest = &text[at..];
            let (name, end) = if rest.starts_with(QUOTED) {
                let run = rest.len() - rest.trim_start_matches(QUOTED).len();
                let Some((_, name)) = quotes.next() else {
                    break;
                };
                (name, at + run)
            } else {
                let name: String = rest.chars().take_while(|c| within(*c)).collect();
                let name = name.trim_end_matches('.').to_owned();
                let end = at + name.len();
                let han = name.chars().any(is_han);
                // 和 and 与 part names in Chinese, where no blank does.
                let cut = if han {
                    name.find(['和', '与', '及'])
                } else {
                    None
                };
                let name = cut.map_or(name.clone(), |cut| name[..cut].to_owned());
                (
                    name.clone(),
                    if cut.is_some() { at + name.len() } else { end },
                )
            };
            if name.is_empty() || name.chars().count() > FIELD_CHARS_MAX || counts(&name) {
                break;
            }
            names.push(name);
            at = end;
            if !parted(&text[at..]) {
                break;
            }
        }
        names
    }
}

fn within(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | '.')
}

/// 两个字段, "three": no name.
fn counts(name: &str) -> bool {
    name.ends_with('个') || name.chars().all(|c| c.is_ascii_digit())
}

/// Whether another name may follow.
fn parted(rest: &str) -> bool {
    let rest = rest.trim_start();
    rest.starts_with(['、', ',', '，', '和', '与', '及', '/'])
        || starts_with_words(rest, "and")
        || rest.starts_with("以及")
}

/// Past what stands between names, or before the first.
fn skip(text: &str, from: usize, first: bool) -> usize {
    #[rustfmt::skip]
    const FIRST: &[&str] = &[
        "分别是", "分别为", "有", "为", "是", "包括", "包含", "如下", "named", "called", "are",
        "must be", "should be",
    ];
    const BETWEEN: &[&str] = &["以及", "和", "与", "及", "and"];
    let words = if first { FIRST } else { BETWEEN };
    let mut at = from;
    loop {
        let rest = &text[at..];
        let bare = rest.trim_start_matches([' ', ',', '，', '、', ':', '：', '/', '\n', '-', '(']);
        at += rest.len() - bare.len();
        match words.iter().find(|word| starts_with_words(bare, word)) {
            Some(word) => at += word.len(),
            None => return at,
        }
    }
}

fn demands(names: &[String]) -> Value {
    let properties: Map<String, Value> =
        names.iter().map(|name| (name.clone(), json!({}))).collect();
    json!({ "type": "object", "required": names, "properties": properties })
}
