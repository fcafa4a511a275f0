//! Rules in words: the canonical form that models and people read, in both
//! languages. One rule, one sentence; the user's own words stand beside it.

use std::fmt::Display;

use crate::ledger::constraint::{Constraint, Expiry, Force, Scope};
use crate::ledger::patch::{Draft, Operation};
use crate::ledger::rule::{
    Action, ActionKind, ActionMode, Bound, Format, LengthUnit, LetterCase, Part, Rule, SourceMatch,
    SourceMode,
};
use crate::workflow::contract::Lang;

/// `c3 (do not publish)`.
pub fn named(constraint: &Constraint, lang: Lang) -> String {
    match lang {
        Lang::En => format!("{} ({})", constraint.id, rule(&constraint.rule, lang)),
        Lang::Zh => format!("{}（{}）", constraint.id, rule(&constraint.rule, lang)),
    }
}

/// What a rule asks.
pub fn rule(rule: &Rule, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let say = |en: String, cn: String| if zh { cn } else { en };
    let both = |en: &str, cn: &str| if zh { cn.to_owned() } else { en.to_owned() };
    match rule {
        Rule::Language { language } => say(
            format!("answer in {}", tongue(language, lang)),
            format!("用{}回答", tongue(language, lang)),
        ),
        Rule::Length { unit, bound: b } => {
            let unit = length_unit(*unit, lang);
            say(
                format!("length {} {unit}", bound(b, lang)),
                format!("篇幅{}{unit}", bound(b, lang)),
            )
        }
        Rule::Format { format } => say(
            format!("format: {}", form(format, lang)),
            format!("格式：{}", form(format, lang)),
        ),
        Rule::Structure { part, bound: b } => say(
            format!("{} {}", bound(b, lang), part_name(part, lang)),
            format!("{}{}", bound(b, lang), part_name(part, lang)),
        ),
        Rule::Sources { mode, sources } => {
            let list: Vec<String> = sources.iter().map(|one| source(one, lang)).collect();
            match mode {
                SourceMode::Allow => say(
                    format!("cite only {}", list.join(", ")),
                    format!("只可引用{}", list.join("、")),
                ),
                SourceMode::Deny => say(
                    format!("never cite {}", list.join(", ")),
                    format!("不得引用{}", list.join("、")),
                ),
            }
        }
        Rule::Action { mode, action: deed } => {
            let deed = action(deed, lang);
            match mode {
                ActionMode::Forbid => say(format!("never {deed}"), format!("不得{deed}")),
                ActionMode::Require => say(deed.clone(), format!("必须{deed}")),
                ActionMode::Ask => say(
                    format!("{deed} only after a person said yes"),
                    format!("须经人同意才可{deed}"),
                ),
            }
        }
        Rule::Amount {
            name,
            bound: b,
            unit,
        } => {
            let unit = unit.as_deref().unwrap_or_default();
            let text = format!("{name} {} {unit}", bound(b, lang));
            text.trim_end().to_owned()
        }
        Rule::Date { name, bound: b } => format!("{name} {}", bound(b, lang)),
        Rule::Phrase { text, bound: b, .. } if is_none(b) => say(
            format!("never write {}", quoted(text)),
            format!("不得出现{}", quoted(text)),
        ),
        Rule::Phrase { text, bound: b, .. } => say(
            format!("write {} {} times", quoted(text), bound(b, lang)),
            format!("{}出现{}次", quoted(text), bound(b, lang)),
        ),
        Rule::Letters { letters, bound: b } => say(
            format!("letters of {}: {}", quoted(letters), bound(b, lang)),
            format!("字母{}：{}个", quoted(letters), bound(b, lang)),
        ),
        Rule::WordsWithLetters { letters, bound: b } => say(
            format!(
                "words with a letter of {}: {}",
                quoted(letters),
                bound(b, lang)
            ),
            format!("含字母{}的词：{}个", quoted(letters), bound(b, lang)),
        ),
        Rule::StartsWith { text } => say(
            format!("begin with {}", quoted(text)),
            format!("以{}开头", quoted(text)),
        ),
        Rule::EndsWith { text } => say(
            format!("end with {} and nothing after it", quoted(text)),
            format!("以{}结尾，其后不得有任何内容", quoted(text)),
        ),
        Rule::Quoted => both("put the whole answer in quotation marks", "全文放在引号内"),
        Rule::Case { case } => match case {
            LetterCase::Upper => both("all letters in capitals", "字母全部大写"),
            LetterCase::Lower => both("all letters in lower case", "字母全部小写"),
            LetterCase::Title => both("each word begins with a capital", "每个单词首字母大写"),
        },
        Rule::CapitalWords { bound: b } => say(
            format!("words in capitals: {}", bound(b, lang)),
            format!("全大写单词：{}个", bound(b, lang)),
        ),
        Rule::Punctuation { marks, bound: b } if is_none(b) => say(
            format!("never use {}", quoted(marks)),
            format!("不得使用{}", quoted(marks)),
        ),
        Rule::Punctuation { marks, bound: b } => say(
            format!("marks of {}: {}", quoted(marks), bound(b, lang)),
            format!("标点{}：{}个", quoted(marks), bound(b, lang)),
        ),
        Rule::ParagraphStart {
            paragraph,
            paragraphs,
            word,
        } => {
            let of = paragraphs.map_or_else(String::new, |n| {
                say(format!(" of {n}"), format!("（共{n}段）"))
            });
            say(
                format!("paragraph {paragraph}{of} begins with {}", quoted(word)),
                format!("第{paragraph}段{of}以{}开头", quoted(word)),
            )
        }
        Rule::OneOf { options } => {
            let list: Vec<String> = options.iter().map(|one| quoted(one)).collect();
            say(
                format!("answer with one of {}", list.join(", ")),
                format!("回答只能是{}之一", list.join("、")),
            )
        }
        Rule::Repeat { text } => say(
            format!("first repeat {} word for word", quoted(text)),
            format!("先逐字重复{}", quoted(text)),
        ),
        Rule::Permission { name, allowed } => match allowed {
            true => say(format!("permitted: {name}"), format!("允许：{name}")),
            false => say(format!("not permitted: {name}"), format!("不允许：{name}")),
        },
        Rule::Prose { text } => quoted(text),
    }
}

/// What an operation would do, as an option of a question.
pub fn operation(operation: &Operation, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let say = |en: String, cn: String| if zh { cn } else { en };
    let draft = |draft: &Draft| {
        let end = until(&draft.expiry, lang);
        format!("{}{end}", rule(&draft.rule, lang))
    };
    match operation {
        Operation::Add(new) => say(
            format!("add: {}", draft(new)),
            format!("新增：{}", draft(new)),
        ),
        Operation::Override { target, with } => {
            let old = target.map_or_else(String::new, |id| format!(" {id}"));
            say(
                format!("replace{old} by: {}", draft(with)),
                format!("把{old} 改为：{}", draft(with)),
            )
        }
        Operation::Exception {
            target,
            with,
            expiry,
        } => {
            let old = target.map_or_else(String::new, |id| format!(" {id}"));
            let end = until(expiry, lang);
            match with {
                Some(with) => {
                    let new = rule(&with.rule, lang);
                    say(
                        format!("in place of{old}, for a time{end}: {new}"),
                        format!("暂代{old}{end}：{new}"),
                    )
                }
                None => say(format!("let{old} rest{end}"), format!("暂停{old}{end}")),
            }
        }
        Operation::Revoke { target, about } => {
            let old = match (target, about) {
                (Some(id), _) => id.to_string(),
                (None, Some(about)) => rule(about, lang),
                (None, None) => String::new(),
            };
            say(format!("revoke {old}"), format!("撤销 {old}"))
        }
        Operation::SetGoal { goal } => {
            say(format!("the goal is: {goal}"), format!("目标改为：{goal}"))
        }
        Operation::SetOutput { output } => {
            let form = output
                .format
                .as_ref()
                .map_or_else(|| "JSON".to_owned(), |format| form(format, lang));
            say(format!("format: {form}"), format!("格式：{form}"))
        }
        Operation::SetRequest { request } => say(
            format!("for the next answer: {request}"),
            format!("仅下一个回答：{request}"),
        ),
        Operation::SetFact { name, value } => {
            let name = quoted(name);
            say(format!("{name} is {value}"), format!("{name} 改为 {value}"))
        }
        Operation::Ask { question, .. } => question.clone(),
    }
}

/// When something ends by itself, in brackets; empty where it does not.
pub fn until(expiry: &Expiry, lang: Lang) -> String {
    let text = match (expiry, lang) {
        (Expiry::Never, _) => return String::new(),
        (Expiry::Once, Lang::En) => "this once".to_owned(),
        (Expiry::Once, Lang::Zh) => "仅此一次".to_owned(),
        (Expiry::Turns(n), Lang::En) => format!("for {n} messages"),
        (Expiry::Turns(n), Lang::Zh) => format!("{n} 条消息内"),
        (Expiry::At(_), Lang::En) => "until a set time".to_owned(),
        (Expiry::At(_), Lang::Zh) => "到指定时间为止".to_owned(),
    };
    match lang {
        Lang::En => format!(" ({text})"),
        Lang::Zh => format!("（{text}）"),
    }
}

/// Scope, end and force beyond the usual; empty for a standing hard rule.
pub fn reach(constraint: &Constraint, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let mut parts: Vec<String> = Vec::new();
    let mut say = |en: String, cn: String| parts.push(if zh { cn } else { en });
    if constraint.force == Force::Should {
        say("a wish".to_owned(), "尽量".to_owned());
    }
    match &constraint.scope {
        Scope::Task => {}
        Scope::Phase(phase) => say(format!("in phase {phase}"), format!("仅阶段 {phase}")),
        Scope::State(state) => say(format!("in state {state}"), format!("仅状态 {state}")),
        Scope::NextAnswer => say("next answer only".to_owned(), "仅下一个回答".to_owned()),
    }
    match &constraint.expiry {
        Expiry::Never => {}
        end => {
            let text = until(end, lang);
            let text = text.trim_matches([' ', '(', ')', '（', '）']).to_owned();
            say(text.clone(), text);
        }
    }
    if parts.is_empty() {
        return String::new();
    }
    match lang {
        Lang::En => format!(" ({})", parts.join(", ")),
        Lang::Zh => format!("（{}）", parts.join("，")),
    }
}

/// A text in quotation marks that it cannot leave: line ends and marks inside
/// are escaped.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("text is JSON")
}

fn is_none(bound: &Bound<u64>) -> bool {
    bound
        .max
        .as_ref()
        .is_some_and(|end| end.value == 0 || (end.open && end.value == 1))
}

fn bound<T: Display + PartialEq>(bound: &Bound<T>, lang: Lang) -> String {
    let zh = lang == Lang::Zh;
    let mut parts = Vec::new();
    match (&bound.min, &bound.max) {
        (Some(min), Some(max)) if min == max && !min.open => {
            parts.push(if zh {
                format!("恰好 {} ", min.value)
            } else {
                format!("exactly {}", min.value)
            });
        }
        (min, max) => {
            if let Some(end) = min {
                parts.push(match (end.open, zh) {
                    (false, false) => format!("at least {}", end.value),
                    (true, false) => format!("more than {}", end.value),
                    (false, true) => format!("不少于 {} ", end.value),
                    (true, true) => format!("多于 {} ", end.value),
                });
            }
            if let Some(end) = max {
                parts.push(match (end.open, zh) {
                    (false, false) => format!("at most {}", end.value),
                    (true, false) => format!("less than {}", end.value),
                    (false, true) => format!("不超过 {} ", end.value),
                    (true, true) => format!("少于 {} ", end.value),
                });
            }
        }
    }
    if let Some(about) = &bound.about {
        parts.push(if zh {
            format!("约 {about} ")
        } else {
            format!("about {about}")
        });
    }
    parts.join(if zh { "、" } else { " and " })
}

pub(super) fn tongue(tag: &str, lang: Lang) -> String {
    let known = match tag {
        "zh" => ("Chinese", "中文"),
        "en" => ("English", "英文"),
        "fr" => ("French", "法文"),
        "de" => ("German", "德文"),
        "es" => ("Spanish", "西班牙文"),
        "ja" => ("Japanese", "日文"),
        "ko" => ("Korean", "韩文"),
        "ru" => ("Russian", "俄文"),
        "pt" => ("Portuguese", "葡萄牙文"),
        "it" => ("Italian", "意大利文"),
        other => return format!("`{other}`"),
    };
    (if lang == Lang::Zh { known.1 } else { known.0 }).to_owned()
}

fn length_unit(unit: LengthUnit, lang: Lang) -> &'static str {
    let (en, zh) = match unit {
        LengthUnit::Characters => ("characters (字)", "字"),
        LengthUnit::Graphemes => ("characters, blanks included", "个字符（含空格）"),
        LengthUnit::Words => ("words", "个单词"),
        LengthUnit::Sentences => ("sentences", "句"),
        LengthUnit::Paragraphs => ("paragraphs", "段"),
        LengthUnit::Lines => ("lines", "行"),
        LengthUnit::Tokens => ("tokens", "个 token"),
    };
    if lang == Lang::Zh { zh } else { en }
}

pub(crate) fn form(format: &Format, lang: Lang) -> String {
    match format {
        Format::Plain => (if lang == Lang::Zh {
            "纯文本"
        } else {
            "plain text"
        })
        .to_owned(),
        Format::Markdown => "Markdown".to_owned(),
        Format::Json { schema: None } => "JSON".to_owned(),
        Format::Json {
            schema: Some(schema),
        } => format!("JSON by the schema {schema}"),
        Format::Html => "HTML".to_owned(),
        Format::Csv => "CSV".to_owned(),
        Format::Other { named } => named.clone(),
    }
}

fn part_name(part: &Part, lang: Lang) -> String {
    let (en, zh) = match part {
        Part::Bullets => ("bullet points", "个项目符号"),
        Part::NumberedItems => ("numbered items", "个编号条目"),
        Part::Sections {
            marker: Some(marker),
        } => {
            return match lang {
                Lang::En => format!("sections, each opened by {}", quoted(marker)),
                Lang::Zh => format!("个以{}开头的小节", quoted(marker)),
            };
        }
        Part::Sections { marker: None } => ("sections", "个小节"),
        Part::Title => ("titles", "个标题"),
        Part::Headings => ("headings", "个小标题"),
        Part::Tables => ("tables", "个表格"),
        Part::CodeFences => ("code blocks", "个代码块"),
        Part::Highlights => ("highlighted parts", "处强调"),
        Part::Placeholders => ("placeholders in square brackets", "个方括号占位符"),
        Part::Postscript { marker } => {
            return match lang {
                Lang::En => format!("postscripts opened by {}", quoted(marker)),
                Lang::Zh => format!("个以{}开头的附言", quoted(marker)),
            };
        }
        Part::Responses => ("responses parted by ******", "个以 ****** 分隔的回答"),
        Part::Links => ("links", "个链接"),
        Part::Citations => ("citations", "处引用"),
        Part::Questions => ("questions", "个问句"),
        Part::Exclamations => ("exclamations", "个感叹句"),
    };
    (if lang == Lang::Zh { zh } else { en }).to_owned()
}

fn source(source: &SourceMatch, lang: Lang) -> String {
    match (source, lang) {
        (SourceMatch::Domain(domain), Lang::En) => format!("{domain} and below"),
        (SourceMatch::Domain(domain), Lang::Zh) => format!("{domain} 及其子域"),
        (SourceMatch::Host(host), _) => host.clone(),
        (SourceMatch::Grade(grade), Lang::En) => format!("{grade} sources"),
        (SourceMatch::Grade(grade), Lang::Zh) => match grade.as_str() {
            "official" => "官方来源".to_owned(),
            "internal" => "内部来源".to_owned(),
            other => format!("{other} 类来源"),
        },
    }
}

fn action(action: &Action, lang: Lang) -> String {
    let kind = match action {
        Action::Skill(skill) => {
            return match lang {
                Lang::En => format!("call `{skill}`"),
                Lang::Zh => format!("调用 `{skill}`"),
            };
        }
        Action::Kind(kind) => *kind,
    };
    let (en, zh) = match kind {
        ActionKind::Publish => ("publish", "发布"),
        ActionKind::Send => ("send", "对外发送"),
        ActionKind::Delete => ("delete", "删除"),
        ActionKind::Pay => ("pay", "付款"),
        ActionKind::Write => ("write files", "写入文件"),
        ActionKind::Execute => ("run commands", "执行命令"),
        ActionKind::Irreversible => ("do what cannot be taken back", "做不可撤销的事"),
    };
    (if lang == Lang::Zh { zh } else { en }).to_owned()
}
