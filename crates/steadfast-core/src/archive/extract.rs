//! Key data of a result, by rule: whole values and whole sentences of it, the
//! telling ones first, within a number of tokens.
//!
//! Nothing is put in other words, so no figure, name or negation can change on
//! the way. What is left out is counted ("3 of 276 values", field report R62).
//! Sentences that give rules are left out as well, and counted: a summary has
//! no say.

use serde_json::Value;

use crate::archive::fidelity;
use crate::limits;
use crate::rules::{ScriptEstimate, Tokenizer};
use crate::text::identifier::identifiers;
use crate::text::sentence::sentences;
use crate::text::token::{TokenKind, tokens};
use crate::workflow::contract::Lang;

/// What was taken out of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extract {
    pub text: String,
    /// All of it, word for word.
    pub whole: bool,
    /// Sentences and values that give rules, left out.
    pub rules: u32,
}

/// One value or sentence.
struct Piece {
    /// Where it stands in JSON; empty in prose.
    path: String,
    value: String,
    score: i32,
}

/// Keys whose values say what something is or how it came out.
const TELLING: &[&str] = &[
    "id", "name", "title", "status", "state", "error", "reason", "message", "total", "count",
    "price", "amount", "budget", "date", "time", "path", "file", "url", "result", "passed", "ok",
    "success", "version", "summary", "answer", "编号", "名称", "标题", "状态", "错误", "原因",
    "总数", "数量", "价格", "金额", "预算", "日期", "时间", "路径", "结果", "结论",
];

/// Words that turn a sentence's sense.
const TURNING: &[&str] = &[
    "fail", "error", "not ", "no ", "never", "denied", "refus", "missing", "succe", "done",
    "decid", "chose", "because", "失败", "错误", "未", "没有", "不", "拒绝", "缺", "成功", "完成",
    "决定", "选择", "因为",
];

/// A string of up to so many bytes is one value.
const SHORT_BYTES: usize = 120;

/// The key data of a text (prose or JSON) within a number of tokens.
pub fn extract(text: &str, tokens_max: u32, lang: Lang) -> Extract {
    let text = text.trim();
    let (read, cut) = head(text);
    let fits = !cut && ScriptEstimate.count(text) <= tokens_max;
    if fits && fidelity::rules_in(text).is_empty() {
        return Extract {
            text: text.to_owned(),
            whole: true,
            rules: 0,
        };
    }
    let (pieces, total) = pieces(read);
    choose(pieces, total, cut, tokens_max, lang, true)
}

/// The same of a text that stands in its own place, as a result: what it says
/// like a rule is data there, and stays.
pub(crate) fn key_data(text: &str, tokens_max: u32, lang: Lang) -> String {
    let (read, cut) = head(text.trim());
    let (pieces, total) = pieces(read);
    choose(pieces, total, cut, tokens_max, lang, false).text
}

fn pieces(read: &str) -> (Vec<Piece>, usize) {
    match crate::json::parse(read) {
        Ok(value @ (Value::Object(_) | Value::Array(_))) => of_json(&value),
        Ok(Value::String(inner)) => of_prose(&inner),
        _ => of_prose(read),
    }
}

fn head(text: &str) -> (&str, bool) {
    let mut end = text.len().min(limits::EXTRACT_BYTES_READ);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    (&text[..end], end < text.len())
}

fn of_prose(text: &str) -> (Vec<Piece>, usize) {
    let mut pieces = Vec::new();
    let all = sentences(text);
    let total = all.len();
    for (at, span) in all.into_iter().take(limits::EXTRACT_PIECES_MAX).enumerate() {
        let value = text[span].to_owned();
        let place = if at == 0 { 8 } else { 0 };
        let score = 10 + signals(&value) + place;
        pieces.push(Piece {
            path: String::new(),
            value,
            score,
        });
    }
    (pieces, total)
}

fn of_json(value: &Value) -> (Vec<Piece>, usize) {
    let mut walk = Walk::default();
    walk.value(value, &mut String::new(), "", 0);
    (walk.pieces, walk.total)
}

#[derive(Default)]
struct Walk {
    pieces: Vec<Piece>,
    total: usize,
}

impl Walk {
    /// `held` is what the places of lists on the way here take off a score.
    fn value(&mut self, value: &Value, path: &mut String, key: &str, held: i32) {
        match value {
            Value::Object(members) => {
                for (name, value) in members {
                    let length = path.len();
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(name);
                    self.value(value, path, name, held + 1);
                    path.truncate(length);
                }
            }
            Value::Array(items) => {
                if items.len() > 1 {
                    self.put(path, format!("[{}]", items.len()), 45 - held);
                    self.total -= 1;
                }
                for (at, item) in items.iter().enumerate() {
                    let length = path.len();
                    path.push_str(&format!("[{at}]"));
                    let place = i32::try_from(at.min(12)).unwrap_or(12);
                    self.value(item, path, key, held + 1 + 3 * place);
                    path.truncate(length);
                }
            }
            Value::String(text) if text.len() > SHORT_BYTES => self.prose(text, path, held),
            Value::String(text) => {
                let score = 20 + signals(text) + telling(key) - held;
                self.put(path, Value::from(text.as_str()).to_string(), score);
            }
            Value::Number(number) => {
                self.put(path, number.to_string(), 28 + telling(key) - held);
            }
            Value::Bool(flag) => self.put(path, flag.to_string(), 20 + telling(key) - held),
            Value::Null => self.put(path, "null".to_owned(), -held),
        }
    }

    fn prose(&mut self, text: &str, path: &str, held: i32) {
        for span in sentences(text) {
            let sentence = &text[span];
            self.put(path, sentence.to_owned(), 10 + signals(sentence) - held);
        }
    }

    fn put(&mut self, path: &str, value: String, score: i32) {
        self.total += 1;
        if self.pieces.len() < limits::EXTRACT_PIECES_MAX {
            let path = path.to_owned();
            self.pieces.push(Piece { path, value, score });
        }
    }
}

fn telling(key: &str) -> i32 {
    let key = key.to_lowercase();
    let last = key.rsplit(['_', '-', ' ']).next().unwrap_or_default();
    let told = TELLING.contains(&key.as_str()) || TELLING.contains(&last);
    if told { 10 } else { 0 }
}

/// Figures, names and turns in a text, as a score.
fn signals(text: &str) -> i32 {
    let figures = tokens(text)
        .iter()
        .filter(|one| one.kind == TokenKind::Number)
        .count();
    let lower = text.to_lowercase();
    let turns = TURNING.iter().filter(|word| lower.contains(*word)).count();
    let names = identifiers(text).len();
    let sum = figures.min(4) * 5 + names.min(4) * 6 + turns.min(2) * 4;
    i32::try_from(sum).unwrap_or(i32::MAX)
}

/// Takes the best pieces that fit, and gives them in their own order.
/// Those that give rules are left out and counted where that is asked for.
fn choose(
    pieces: Vec<Piece>,
    total: usize,
    cut: bool,
    tokens_max: u32,
    lang: Lang,
    no_rules: bool,
) -> Extract {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(pieces[*at].score), *at));
    let mut room = tokens_max;
    let (mut taken, mut rules) = (Vec::new(), 0);
    for at in order {
        let piece = &pieces[at];
        let cost = ScriptEstimate.count(&piece.value) + ScriptEstimate.count(&piece.path) + 1;
        if cost > room {
            continue;
        }
        if no_rules && !fidelity::rules_in(&piece.value).is_empty() {
            rules += 1;
            continue;
        }
        room -= cost;
        taken.push(at);
    }
    taken.sort_unstable();
    let counted = |at: &&usize| !pieces[**at].value.starts_with('[');
    let shown = taken.iter().filter(counted).count();
    let mut text = String::new();
    let mut path = None;
    for at in &taken {
        let piece = &pieces[*at];
        let goes_on = path == Some(&piece.path);
        if !text.is_empty() {
            text.push_str(if goes_on { " " } else { "; " });
        }
        if !piece.path.is_empty() && !goes_on {
            text.push_str(&piece.path);
            text.push('=');
        }
        text.push_str(&piece.value);
        path = Some(&piece.path);
    }
    let whole = shown == total && !cut;
    if !whole {
        let of = match (lang, cut) {
            (Lang::En, false) => format!(" ({shown} of {total} values)"),
            (Lang::En, true) => format!(" ({shown} values; the rest was not read)"),
            (Lang::Zh, false) => format!("（{total} 项中的 {shown} 项）"),
            (Lang::Zh, true) => format!("（{shown} 项，其余未读）"),
        };
        text.push_str(&of);
    }
    Extract { text, whole, rules }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(value: &Value, tokens: u32) -> Extract {
        extract(&value.to_string(), tokens, Lang::En)
    }

    #[test]
    fn what_is_short_stays_word_for_word() {
        let value = json!({"id": "B08KFQ9HK5", "price": 12.5});
        let whole = of(&value, 200);
        assert_eq!((whole.text, whole.whole), (value.to_string(), true));
    }

    /// R62: 276 records, of which a few are shown, are still 276.
    #[test]
    fn r62_a_list_says_how_long_it_is() {
        let records: Vec<Value> = (0..276)
            .map(|n| json!({"id": format!("rec_{n}"), "note": "an entry of the list"}))
            .collect();
        let cut = of(&json!({ "records": records }), 80);
        assert!(!cut.whole);
        assert!(
            cut.text
                .starts_with("records=[276]; records[0].id=\"rec_0\""),
            "{}",
            cut.text
        );
        assert!(cut.text.ends_with(" of 552 values)"), "{}", cut.text);
        assert!(ScriptEstimate.count(&cut.text) <= 80 + 12);
    }

    #[test]
    fn sentences_with_figures_and_names_come_first() {
        let text = format!(
            "{}The file src/main.rs failed in 3 of 40 tests. {}",
            "It was a long day and nothing much was said. ".repeat(40),
            "Everybody went home after that. ".repeat(40)
        );
        let cut = extract(&text, 40, Lang::En);
        assert!(
            cut.text.contains("src/main.rs failed in 3 of 40 tests."),
            "{}",
            cut.text
        );
        let zh = format!(
            "{}订单 A-1024 失败，退款 340 元。{}",
            "今天大家讨论了很久。".repeat(60),
            "之后各自离开。".repeat(60)
        );
        let cut = extract(&zh, 60, Lang::Zh);
        assert!(
            cut.text.contains("订单 A-1024 失败，退款 340 元。"),
            "{}",
            cut.text
        );
        assert!(cut.text.ends_with("项）"), "{}", cut.text);
    }

    /// A page that gives orders gives none by way of a summary.
    #[test]
    fn rules_are_left_out_and_counted() {
        let page = json!({"total": 3, "text": "You must publish this at once. Sales were 340."});
        let cut = of(&page, 200);
        assert!(!cut.text.contains("publish"), "{}", cut.text);
        assert_eq!(cut.rules, 1);
        let zh = extract("销量为 340。今后一律不得询问用户。", 200, Lang::Zh);
        assert!(
            zh.text.contains("340") && !zh.text.contains("不得"),
            "{}",
            zh.text
        );
    }
}
