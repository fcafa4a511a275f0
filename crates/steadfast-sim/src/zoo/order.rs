//! What a text orders, in the words that people, pages and runtimes use for it.
//! A small vocabulary of the zoo's own; the runtime's reader is not asked.

/// What one sentence asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Language(&'static str),
    /// Sentences: at most, about, at least; or as many as one likes.
    Most(u64),
    About(u64),
    Least(u64),
    AnyLength,
    Bullets(u64),
    OfficialOnly,
    CiteForum,
    NoExclamations,
    EndWith(String),
    NeverSend,
    NeverPublish,
    Send,
    Publish,
}

/// What an order is about: of each the last word counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum About {
    Language,
    Length,
    Bullets,
    Sources,
    Exclamations,
    Ending,
    Sending,
    Publishing,
    /// What is to be done now is no rule.
    Deed,
}

impl Order {
    pub(super) fn about(&self) -> About {
        match self {
            Order::Language(_) => About::Language,
            Order::Most(_) | Order::About(_) | Order::Least(_) | Order::AnyLength => About::Length,
            Order::Bullets(_) => About::Bullets,
            Order::OfficialOnly | Order::CiteForum => About::Sources,
            Order::NoExclamations => About::Exclamations,
            Order::EndWith(_) => About::Ending,
            Order::NeverSend => About::Sending,
            Order::NeverPublish => About::Publishing,
            Order::Send | Order::Publish => About::Deed,
        }
    }
}

const TONGUES: &[(&str, &[&str])] = &[
    ("en", &["english", "英文"]),
    ("zh", &["chinese", "中文"]),
    ("fr", &["french", "法文"]),
    ("de", &["german", "德文"]),
    ("es", &["spanish", "西班牙文"]),
];

/// Words before and after the name of a language that make it an order.
const IN_TONGUE: &[(&str, &str)] = &[
    ("answer in ", ""),
    ("prose in ", ""),
    ("switch to ", ""),
    ("都用", "写"),
    ("用", "回答"),
    ("改成", ""),
    ("可以用", ""),
    ("正文用", ""),
];

/// Words before and after a number, and the order that they make of it.
type Numbered = (&'static str, &'static str, fn(u64) -> Order);

const NUMBERS: &[Numbered] = &[
    ("at most ", " sentence", Order::Most),
    ("about ", " sentence", Order::About),
    ("at least ", " sentence", Order::Least),
    ("不超过", "句", Order::Most),
    ("至多", "句", Order::Most),
    ("约", "句", Order::About),
    ("至少写", "句", Order::Least),
    ("use ", " bullet point", Order::Bullets),
    ("exactly ", " bullet point", Order::Bullets),
    ("列", "个要点", Order::Bullets),
    ("改为", "个要点", Order::Bullets),
    ("恰好", "个项目符号", Order::Bullets),
];

const FIXED: &[(&str, Order)] = &[
    ("forget the sentence limit", Order::AnyLength),
    ("取消句数限制", Order::AnyLength),
    ("official sources only", Order::OfficialOnly),
    ("cite only official sources", Order::OfficialOnly),
    ("只用官方来源", Order::OfficialOnly),
    ("只可引用官方来源", Order::OfficialOnly),
    ("cite the forum", Order::CiteForum),
    ("请引用论坛", Order::CiteForum),
    ("avoid exclamation marks", Order::NoExclamations),
    ("never use \"!\"", Order::NoExclamations),
    ("never use \"！!\"", Order::NoExclamations),
    ("不要用感叹号", Order::NoExclamations),
    ("不得使用\"!\"", Order::NoExclamations),
    ("不得使用\"！!\"", Order::NoExclamations),
    ("do not email", Order::NeverSend),
    ("never send", Order::NeverSend),
    ("不得对外发送", Order::NeverSend),
    ("never publish", Order::NeverPublish),
    ("不得发布", Order::NeverPublish),
    ("publish it now", Order::Publish),
    ("publish the report now", Order::Publish),
    ("现在就发布", Order::Publish),
    ("立即发布报告", Order::Publish),
    ("send it to him", Order::Send),
    ("send the report to", Order::Send),
    ("发给他", Order::Send),
    ("把报告发给", Order::Send),
];

const ENDINGS: &[&str] = &["end with the words ", "end with ", "结尾写", "结尾改为"];

/// The orders of a line, each with the byte where it begins. The line is in lower
/// case and, where it is Chinese, without blanks.
pub(super) fn orders(line: &str, as_written: &str) -> Vec<(usize, Order)> {
    let mut found = Vec::new();
    for (tag, names) in TONGUES {
        for name in *names {
            for (before, after) in IN_TONGUE {
                let words = format!("{before}{name}{after}");
                let places = line.match_indices(words.as_str());
                found.extend(places.map(|(at, _)| (at, Order::Language(tag))));
            }
        }
    }
    for (before, after, make) in NUMBERS {
        for (at, _) in line.match_indices(before) {
            let rest = &line[at + before.len()..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            if let Ok(number) = rest[..digits].parse()
                && rest[digits..].starts_with(after)
            {
                found.push((at, make(number)));
            }
        }
    }
    for (words, order) in FIXED {
        let places = line.match_indices(words);
        found.extend(places.map(|(at, _)| (at, order.clone())));
    }
    for words in ENDINGS {
        for (at, _) in line.match_indices(words) {
            let rest = &line[at + words.len()..];
            found.extend(first_quoted(rest).map(|text| (at, ending(text, as_written))));
        }
    }
    if let Some((at, rest)) = line
        .find('以')
        .map(|at| (at, &line[at + '以'.len_utf8()..]))
        && rest.contains("结尾")
        && let Some(text) = first_quoted(rest)
    {
        found.push((at, ending(text, as_written)));
    }
    found.sort_by_key(|(at, _)| *at);
    found
}

/// The ending as it was written, in its letter case and with its blanks.
fn ending(folded: &str, as_written: &str) -> Order {
    let lower = as_written.to_ascii_lowercase();
    let at = lower.find(folded);
    let text = at.and_then(|at| as_written.get(at..at + folded.len()));
    Order::EndWith(text.unwrap_or(folded).to_owned())
}

fn first_quoted(text: &str) -> Option<&str> {
    let inner = text.strip_prefix(['"', '“'])?;
    let end = inner.find(['"', '”'])?;
    Some(&inner[..end])
}
