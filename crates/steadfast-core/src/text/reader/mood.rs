//! What a sentence does: asks for something, asks about something, tells of
//! something, or says what others said.
//!
//! Decided by closed lists of words and by their place, for each language its
//! own way: English by the form of the verb, Chinese by particles and by who
//! the subject is.

use crate::text::reader::lexicon::{
    FINITE_EN, LEADS_EN, LEADS_ZH, NO_VERBS_ZH, NOUN_SIGNS, REPORT_EN, REPORT_ZH, THIRD_EN,
    THIRD_ZH, VERBS, VERBS_ZH,
};
use crate::text::token::{ends_with_words, find_words, is_han, starts_with_words};

/// What a sentence does as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mood {
    /// Open: its clauses tell.
    Plain,
    /// A request in the dress of a question (能不能改成英文？).
    Polite,
    Question,
    /// Suppose that … : nothing is asked for.
    Hypothetical,
    /// A condition with a request behind it: a rule that no type holds.
    Conditional,
    /// 没让你…, "I never told you to …": takes nothing back and asks nothing.
    Disowned,
    Past,
}

/// What a clause does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Told to the agent: an imperative, a wish, a rule with a modal verb.
    Directive,
    /// No verb that asserts anything ("under 300 words").
    Fragment,
    Statement,
    /// What somebody else says.
    Reported,
}

pub(super) fn chinese(text: &str) -> bool {
    let han = text.chars().filter(|c| is_han(*c)).count();
    let latin = text
        .split(|c: char| !c.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .count();
    han > latin
}

pub(super) fn any(text: &str, words: &[&str]) -> bool {
    words
        .iter()
        .any(|words| find_words(text, words, 0).is_some())
}

fn starts(text: &str, words: &[&str]) -> bool {
    words.iter().any(|words| starts_with_words(text, words))
}

/// Cuts words off the front that are no part of a request.
pub(super) fn strip_leads(text: &str) -> &str {
    let list = if chinese(text) { LEADS_ZH } else { LEADS_EN };
    let marks = [
        ' ', ',', ':', ';', '-', '*', '•', '(', '!', '.', '…', '#', '\u{1}',
    ];
    let mut text = text.trim_start_matches(marks);
    text = item(text);
    for _ in 0..6 {
        let lead = list
            .iter()
            .filter(|lead| starts_with_words(text, lead) && !begins_longer(text, lead))
            .max_by_key(|lead| lead.len());
        let Some(lead) = lead else {
            break;
        };
        text = text[lead.len()..].trim_start_matches(marks);
    }
    text
}

/// The number of a list's item: `1.`, `2)`, 一、
fn item(text: &str) -> &str {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let rest = &text[digits..];
    if (1..=2).contains(&digits) && rest.starts_with(['.', ')', '、']) {
        return rest[rest.chars().next().map_or(0, char::len_utf8)..].trim_start();
    }
    for numeral in [
        "一、", "二、", "三、", "四、", "五、", "六、", "七、", "八、", "九、",
    ] {
        if let Some(rest) = text.strip_prefix(numeral) {
            return rest;
        }
    }
    text
}

/// 请求 is not 请, 要点 not 要; "second paragraph" is not a lead.
fn begins_longer(text: &str, lead: &str) -> bool {
    const LONGER: &[&str] = &[
        "请求",
        "请假",
        "请教",
        "请问",
        "好像",
        "要点",
        "要求",
        "要么",
        "先生",
        "先后",
        "再见",
        "再说",
        "也许",
        "都市",
        "就是",
        "就业",
        "就按",
        "能力",
        "能源",
        "只要求",
        "那些",
        "那个",
        "那份",
        "那里",
        "那时",
        "你们",
        "以后",
        "记住了",
        "继续",
        "要不要",
        "能不能",
        "可以吗",
        "可以了",
        "还是",
        "好吗",
        "您好",
        "你好",
        "现在的",
        "最后一",
        "首先",
    ];
    const WHOLE: &[&str] = &["以后", "您好", "你好", "能不能", "首先", "还是"];
    let longer = LONGER.iter().any(|word| {
        word.len() > lead.len()
            && text.starts_with(word)
            && !(WHOLE.contains(word) && *word == lead)
    });
    let ordinal = matches!(
        lead,
        "first"
            | "second"
            | "third"
            | "next"
            | "right"
            | "good"
            | "great"
            | "note"
            | "only"
            | "remember"
            | "important"
            | "no wait"
            | "perfect"
            | "just"
            | "either"
            | "again"
            | "today"
            | "tomorrow"
            | "tonight"
    ) && text[lead.len()..].starts_with(' ')
        && !matches!(
            lead,
            "just"
                | "first"
                | "next"
                | "only"
                | "today"
                | "tomorrow"
                | "tonight"
                | "remember"
                | "again"
        );
    let noun = matches!(lead, "first" | "next")
        && !opens_with_verb(text[lead.len()..].trim_start_matches([' ', ',', ':']));
    longer || ordinal || noun
}

fn opens_with_verb(text: &str) -> bool {
    let text = text.strip_prefix("please ").unwrap_or(text);
    VERBS.iter().any(|verb| starts_with_words(text, verb))
        || starts(
            text,
            &[
                "do not", "don't", "never", "you", "i want", "i need", "always",
            ],
        )
}

pub(super) fn mood(sentence: &str) -> Mood {
    let text = sentence.trim();
    let bare = strip_leads(text);
    if chinese(text) {
        mood_zh(text, bare)
    } else {
        mood_en(text, bare)
    }
}

fn mood_zh(text: &str, bare: &str) -> Mood {
    const ASKS: &[&str] = &[
        "为什么",
        "为何",
        "怎么",
        "如何",
        "什么",
        "多少",
        "是否",
        "会不会",
        "哪",
        "谁",
        "几点",
        "是不是",
        "有没有",
        "对不对",
        "要不要",
        "该不该",
        "多长",
        "多久",
        "是还是",
    ];
    let asks_mark = text.ends_with(['?', '？'])
        || text.contains("吗")
        || text.ends_with('呢')
        || text.ends_with('么');
    if starts(
        bare,
        &["假设", "假如", "假定", "设想", "想象一下", "如果说"],
    ) {
        return Mood::Hypothetical;
    }
    if starts(bare, &["如果", "要是", "倘若", "万一", "若", "一旦"]) {
        return if asks_mark || any(text, ASKS) {
            Mood::Question
        } else {
            Mood::Conditional
        };
    }
    const DISOWNED: &[&str] = &[
        "没让你",
        "没有让你",
        "没要求",
        "没有要求",
        "没说要",
        "没说过",
        "没有说",
        "没叫你",
        "没要你",
        "没有要你",
        "不是让你",
        "不是要你",
        "不是不让",
        "不是不能",
        "不是说",
        "没让",
        "并非要求",
        "从没要求",
        "从未要求",
        "没提过",
    ];
    if any(text, DISOWNED) {
        return Mood::Disowned;
    }
    if starts(
        text,
        &["请问", "我想知道", "不知道", "想问", "问一下", "我在想"],
    ) {
        return Mood::Question;
    }
    let own = starts(
        bare,
        &[
            "我可以",
            "我能",
            "我们可以",
            "我们能",
            "我是",
            "我该",
            "我们该",
            "我要不要",
            "是否",
            "我可不可以",
        ],
    );
    if asks_mark
        || any(
            text,
            &["能不能", "可不可以", "能否", "可否", "好不好", "行不行"],
        )
    {
        let polite = any(
            text,
            &[
                "能不能",
                "可不可以",
                "能否",
                "可否",
                "麻烦",
                "帮",
                "好不好",
                "行不行",
                "请",
            ],
        ) || (text.contains("吗")
            && (starts(
                text,
                &[
                    "能",
                    "可以",
                    "你能",
                    "你可以",
                    "您能",
                    "您可以",
                    "那能",
                    "请",
                ],
            ) || any(text, &["好吗", "行吗", "可以吗", "可以么"])));
        if polite && !own && !any(text, ASKS) {
            return Mood::Polite;
        }
        if asks_mark {
            let imperative = opens_zh(bare) && starts(text, &["请", "帮", "麻烦"]);
            return if imperative && !any(text, &["怎么看", "吗"]) {
                Mood::Plain
            } else {
                Mood::Question
            };
        }
    }
    if any(text, ASKS)
        && !any(text, &["什么都", "怎么都", "谁都", "任何", "无论", "不管"])
        && !opens_zh(bare)
        && !text.contains('请')
    {
        return Mood::Question;
    }
    const ONCE: &[&str] = &[
        "上次", "刚才", "刚刚", "昨天", "之前", "以前", "曾经", "曾", "当时", "那次", "去年",
        "已经", "早就",
    ];
    let past = any(text, ONCE)
        && (text.contains('了') || text.contains('过'))
        && !opens_zh(bare)
        && !any(text, &["请", "不用管", "可以", "不要", "别", "改"]);
    let told = starts(text, ONCE)
        && (text.contains('了') || text.contains('过'))
        && !any(text, &["请", "不要", "别"]);
    if past || told {
        return Mood::Past;
    }
    Mood::Plain
}

fn mood_en(text: &str, bare: &str) -> Mood {
    if starts(
        bare,
        &[
            "suppose",
            "supposing",
            "imagine",
            "what if",
            "assuming",
            "let's say",
            "let us say",
            "say that",
            "hypothetically",
        ],
    ) {
        return Mood::Hypothetical;
    }
    if starts(
        bare,
        &["if", "in case", "unless", "when", "whenever", "once"],
    ) && !starts(bare, &["if possible", "if you can", "if you could"])
    {
        let asks = text.ends_with('?');
        return if asks {
            Mood::Question
        } else {
            Mood::Conditional
        };
    }
    const DISOWNED: &[&str] = &[
        "i didn't ask",
        "i did not ask",
        "i never asked",
        "i never told",
        "i didn't tell",
        "i did not tell",
        "i never said",
        "i didn't say",
        "i did not say",
        "it's not that",
        "it is not that",
        "nobody asked",
        "we never asked",
        "we didn't ask",
        "i am not asking",
        "i'm not asking",
        "i'm not saying",
    ];
    if any(text, DISOWNED) {
        return Mood::Disowned;
    }
    if starts(
        bare,
        &[
            "i wonder",
            "i was wondering",
            "i am wondering",
            "i'm wondering",
            "not sure",
            "i'm not sure",
            "i am not sure",
            "i don't know",
            "do you think",
        ],
    ) {
        let request = starts(
            bare,
            &["i was wondering if you could", "i wonder if you could"],
        );
        return if request {
            Mood::Polite
        } else {
            Mood::Question
        };
    }
    for opener in [
        "can you",
        "could you",
        "would you",
        "will you",
        "can we",
        "could we",
        "can i have",
        "can i get",
        "could i have",
        "could i get",
        "may i have",
        "would you mind",
        "do you mind",
        "why don't you",
        "can you please",
        "could you please",
        "would it be possible to",
        "is it possible to",
        "could this be",
        "could it be",
        "can this be",
        "can it be",
        "can we please",
        "any chance you could",
    ] {
        if let Some(rest) = bare.strip_prefix(opener)
            && rest.starts_with(' ')
        {
            let rest = rest.trim_start();
            let opinion = starts(
                rest,
                &[
                    "say",
                    "agree",
                    "recommend",
                    "think",
                    "consider",
                    "believe",
                    "see",
                    "remember",
                    "mean",
                    "know",
                ],
            );
            let we = opener.ends_with("we") && !opens_with_verb(rest);
            return if opinion || we {
                Mood::Question
            } else {
                Mood::Polite
            };
        }
    }
    const OPENERS: &[&str] = &[
        "what",
        "why",
        "how",
        "when",
        "where",
        "who",
        "whose",
        "which",
        "is",
        "are",
        "was",
        "were",
        "does",
        "did",
        "has",
        "should",
        "am",
        "can i",
        "may i",
        "could i",
        "shall",
        "do you",
        "do we",
        "do i",
        "do they",
        "have you",
        "have we",
        "will it",
        "will this",
        "would it",
        "would that",
        "would this",
        "can it",
        "can they",
        "isn't",
        "aren't",
        "doesn't",
        "didn't",
    ];
    if text.ends_with('?')
        || (starts(bare, OPENERS)
            && !starts(bare, &["do not", "how about", "what about", "which means"]))
    {
        if starts(bare, &["how about", "what about"]) && text.ends_with('?') {
            return Mood::Polite;
        }
        let imperative = opens_with_verb(bare) && !starts(bare, OPENERS);
        return if imperative && !text.ends_with("right?") {
            Mood::Polite
        } else {
            Mood::Question
        };
    }
    const ONCE: &[&str] = &[
        "last time",
        "earlier",
        "yesterday",
        "previously",
        "last week",
        "last month",
        "last year",
        "back then",
        "in the past",
        "so far",
    ];
    if starts(bare, ONCE) && !any(text, &["please", "must", "never", "don't"]) {
        return Mood::Past;
    }
    Mood::Plain
}

/// Whether a Chinese clause opens with a verb of request.
fn opens_zh(bare: &str) -> bool {
    VERBS_ZH.iter().any(|verb| bare.starts_with(verb))
        && !NO_VERBS_ZH.iter().any(|word| bare.starts_with(word))
}

pub(super) fn act(clause: &str) -> Act {
    let bare = strip_leads(clause);
    if chinese(clause) {
        act_zh(clause, bare)
    } else {
        act_en(clause, bare)
    }
}

fn act_zh(clause: &str, bare: &str) -> Act {
    let clause = clause.trim();
    let asked = clause.starts_with('请')
        || any(clause, &["请你", "请帮", "帮我", "麻烦", "替我", "给我"])
        || bare.len() < clause.len() && clause.starts_with("请");
    let third = THIRD_ZH.iter().any(|who| clause.starts_with(who)) || title(clause);
    if third && !asked {
        let reported = REPORT_ZH
            .iter()
            .any(|verb| clause.find(verb).is_some_and(|at| at > 0));
        if reported {
            return Act::Reported;
        }
        // 邮件不要发 speaks of the mail; 客户不要… of a person.
        let thing = starts(
            clause,
            &[
                "邮件",
                "文章",
                "报告",
                "文档",
                "文中",
                "报告里",
                "报告中",
                "消息",
                "合同",
                "网页",
                "页面",
                "该",
                "这",
            ],
        );
        let modal = any(
            clause,
            &[
                "不要", "别", "必须", "不得", "禁止", "应", "要用", "用", "加", "补", "改", "删",
                "去掉", "插入",
            ],
        );
        return if thing && modal {
            Act::Directive
        } else {
            Act::Statement
        };
    }
    if let Some(at) = ["说:", "写着", "写道", "表示:", "说,"]
        .iter()
        .find_map(|verb| clause.find(verb))
        && at > 0
        && !clause[..at].ends_with('我')
        && !asked
    {
        return Act::Reported;
    }
    if opens_zh(bare) || asked {
        return Act::Directive;
    }
    const RULES: &[&str] = &[
        "不要", "别", "不得", "禁止", "严禁", "必须", "务必", "不许", "不准", "不能", "不可", "勿",
        "应当", "应该", "一定", "需要", "要", "不用", "不必", "可以", "尽量", "最好", "每次",
        "始终", "总是",
    ];
    if any(clause, RULES) {
        return Act::Directive;
    }
    Act::Fragment
}

/// 张总, 李经理, 王老师.
fn title(clause: &str) -> bool {
    let head: String = clause.chars().take(5).collect();
    ["总", "经理", "老师", "主任", "先生", "女士"]
        .iter()
        .any(|title| {
            head.find(title)
                .is_some_and(|at| at == "张".len() || at == "张三".len())
        })
        && !head.starts_with("总")
        && !head.contains("总结")
        && !head.contains("总体")
        && !head.contains("总共")
        && !head.contains("总是")
        && !head.contains("总数")
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '-')))
        .filter(|word| !word.is_empty())
}

/// "Please" before a word that can only be a verb there, listed or not.
pub(super) fn pleads(clause: &str) -> bool {
    const NO_VERBS: &[&str] = &[
        "the", "a", "an", "in", "no", "not", "at", "only", "this", "that", "these", "those", "for",
        "with", "under", "about", "and", "but", "my", "your", "our", "as", "to", "of", "is", "i",
        "you", "it", "exactly", "between", "by", "on",
    ];
    ["please ", "kindly "].iter().any(|word| {
        let place = find_words(clause, word.trim_end(), 0);
        place.is_some_and(|place| {
            let next = words(&clause[place.end..]).next();
            next.is_some_and(|next| {
                next.starts_with(|c: char| c.is_ascii_lowercase()) && !NO_VERBS.contains(&next)
            })
        })
    })
}

fn act_en(clause: &str, bare: &str) -> Act {
    if imperative_en(bare) || (pleads(clause) && !reported_en(bare)) {
        return Act::Directive;
    }
    if reported_en(bare) {
        return Act::Reported;
    }
    let first: Vec<&str> = words(bare).take(6).collect();
    let third = first.iter().take(4).any(|word| THIRD_EN.contains(word))
        && !first.contains(&"you")
        && first.first() != Some(&"you");
    const WISHES: &[&str] = &[
        "i want",
        "i need",
        "i'd like",
        "i would like",
        "we want",
        "we need",
        "i'd prefer",
        "i prefer",
        "i would prefer",
        "we'd like",
        "i expect",
        "i'd rather",
    ];
    if starts(bare, WISHES) {
        return Act::Directive;
    }
    const YOU: &[&str] = &[
        "you can",
        "you may",
        "you must",
        "you should",
        "you need",
        "you have to",
        "you are to",
        "you cannot",
        "you can't",
        "you will",
        "you don't have to",
        "you do not have to",
        "you needn't",
        "you don't need",
        "you do not need",
        "you are allowed",
        "you're allowed",
        "you are not allowed",
        "you shall",
    ];
    if starts(bare, YOU) {
        return Act::Directive;
    }
    if third {
        return Act::Statement;
    }
    const MODALS: &[&str] = &[
        "must",
        "should",
        "shall",
        "needs to",
        "need to",
        "has to",
        "have to",
        "cannot",
        "can't",
        "may not",
        "mustn't",
        "shouldn't",
        "is not allowed",
        "are not allowed",
        "is forbidden",
        "are forbidden",
        "is prohibited",
        "is not to",
        "are not to",
        "may only",
        "can only",
    ];
    if any(bare, MODALS) && !starts(bare, &["i", "we"]) {
        return Act::Directive;
    }
    if parameter(bare) {
        return Act::Directive;
    }
    let finite = words(bare).any(|word| FINITE_EN.contains(&word));
    let pronoun = first.first().is_some_and(|word| {
        matches!(
            *word,
            "i" | "we" | "it" | "that" | "this" | "there" | "these" | "those"
        )
    }) && first.len() > 2
        && !starts(bare, &["this answer", "this time", "that way"]);
    let _ = clause;
    if finite
        || (pronoun
            && !starts(
                bare,
                &["it by", "this in", "it in", "that in", "it to", "it under"],
            ))
    {
        Act::Statement
    } else {
        Act::Fragment
    }
}

/// "The budget is …", "deadline: …": a setting, not a tale.
fn parameter(bare: &str) -> bool {
    const NAMES: &[&str] = &[
        "budget",
        "deadline",
        "limit",
        "word limit",
        "language",
        "format",
        "maximum",
        "length",
        "title",
        "tone",
        "goal",
        "due date",
        "output",
        "target",
        "minimum",
        "word count",
        "cap",
    ];
    let mut rest = bare;
    for lead in [
        "the ", "our ", "my ", "your ", "new ", "total ", "overall ", "output ", "final ",
    ] {
        rest = rest.strip_prefix(lead).unwrap_or(rest);
    }
    let Some(name) = NAMES
        .iter()
        .filter(|name| starts_with_words(rest, name))
        .max_by_key(|name| name.len())
    else {
        return false;
    };
    let rest = rest[name.len()..].trim_start();
    starts(
        rest,
        &["is", "are", "will be", "stays", "becomes", "remains", "now"],
    ) && !any(rest, &["was", "about the", "fine", "good", "great", "ok"])
        || rest.starts_with([':', '='])
}

pub(super) fn imperative_en(bare: &str) -> bool {
    const OPENERS: &[&str] = &[
        "do not",
        "don't",
        "never",
        "always",
        "let's",
        "let us",
        "make sure",
        "be sure",
        "be",
        "must",
        "no need",
        "not to",
        "ensure",
        "without",
        "don't you",
        "under no circumstances",
        "at no point",
        "do",
    ];
    if starts(bare, OPENERS) {
        return true;
    }
    let mut words = words(bare);
    let first = words.next();
    let second = words.next();
    let adverb = first.is_some_and(|word| word.ends_with("ly") && word.len() > 4);
    let (verb, after) = if adverb {
        (second, words.next())
    } else {
        (first, second)
    };
    let Some(verb) = verb.filter(|verb| VERBS.contains(verb)) else {
        return false;
    };
    let noun = after.is_some_and(|after| NOUN_SIGNS.contains(&after))
        && !(verb == "think" || verb == "sum");
    !noun
}

fn reported_en(bare: &str) -> bool {
    let mut before: Option<&str> = None;
    let mut first: Option<&str> = None;
    for word in words(bare).take(14) {
        let subject = before.is_some_and(|before| {
            !matches!(
                before,
                "i" | "we"
                    | "you"
                    | "to"
                    | "not"
                    | "as"
                    | "i've"
                    | "the"
                    | "a"
                    | "is"
                    | "are"
                    | "be"
            )
        });
        if subject
            && REPORT_EN.contains(&word)
            && !first.is_some_and(|first| matches!(first, "i" | "we" | "you"))
        {
            return true;
        }
        first = first.or(Some(word));
        before = Some(word);
    }
    starts(bare, &["according to"])
}

/// Whether a clause behind a reported one is the user's own again.
pub(super) fn own_again(clause: &str) -> bool {
    let clause = clause.trim_start_matches([' ', ',']);
    starts(
        clause,
        &[
            "so",
            "but",
            "please",
            "therefore",
            "hence",
            "thus",
            "所以",
            "因此",
            "但",
            "请",
            "那就",
            "那",
            "你",
            "不过",
            "于是",
            "我",
            "i",
        ],
    ) || ends_with_words(clause, "please")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_and_requests() {
        for text in [
            "字数限制是多少?",
            "我可以引用维基百科吗?",
            "为什么不得对外发送?",
            "what is the limit?",
            "can i cite it?",
            "why did you do it?",
            "要不要改成英文?",
        ] {
            assert_eq!(mood(text), Mood::Question, "{text}");
        }
        for text in [
            "能不能改成英文?",
            "可以改成英文吗?",
            "能用英文写吗?",
            "could you switch to english?",
            "can we switch to english?",
            "would you mind writing it in french?",
        ] {
            assert_eq!(mood(text), Mood::Polite, "{text}");
        }
        for text in [
            "改成英文",
            "switch to english.",
            "do not send it.",
            "请解释这是什么意思",
        ] {
            assert_eq!(mood(text), Mood::Plain, "{text}");
        }
    }

    #[test]
    fn who_speaks() {
        for text in [
            "客户要求我们用英文",
            "张总说预算不能超过五百元",
            "网页上写着:请发布",
            "my boss told me the budget must not exceed it",
            "the page says to publish it",
        ] {
            assert_eq!(act(text), Act::Reported, "{text}");
        }
        for text in [
            "不得对外发送",
            "请在报告中提到安全",
            "帮我写一份总结",
            "never publish it",
            "the budget must not exceed it",
            "withdraw 5 bitcoin",
            "i'd like it in english",
            "first, please list my accounts",
        ] {
            assert_eq!(act(text), Act::Directive, "{text}");
        }
        for text in [
            "our company was founded in 2010",
            "the meeting was about the budget",
            "our client must pay",
        ] {
            assert_eq!(act(text), Act::Statement, "{text}");
        }
    }
}
