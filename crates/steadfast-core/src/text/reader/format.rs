//! The form of the answer: Markdown, JSON, tables, bullets, a title, links;
//! letter case, punctuation, quotation marks around the whole.

use crate::ledger::rule::{Bound, Format, LetterCase, Part, Rule};
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;
use crate::text::token::{ends_with_words, find_words, starts_with_words};

const FORMATS: &[(&str, &[&str])] = &[
    ("markdown", &["markdown"]),
    ("json", &["json"]),
    ("html", &["html"]),
    ("csv", &["csv"]),
    ("plain", &["纯文本", "纯文字", "plain text"]),
    ("yaml", &["yaml"]),
    ("xml", &["xml"]),
    ("latex", &["latex"]),
];

fn format(name: &str) -> Format {
    match name {
        "markdown" => Format::Markdown,
        "json" => Format::Json { schema: None },
        "html" => Format::Html,
        "csv" => Format::Csv,
        "plain" => Format::Plain,
        other => Format::Other {
            named: other.to_owned(),
        },
    }
}

#[rustfmt::skip]
const DENIED_BEFORE: &[&str] = &[
    "不要", "不用", "别用", "不要用", "不要使用", "禁用", "不使用", "别", "取代", "代替", "而不是",
    "而非", "no", "not", "no more", "without", "instead of", "rather than", "don't use",
    "do not use", "never use", "use no", "avoid", "stop using", "not use", "from",
];

fn denied(before: &str) -> bool {
    let before = before.trim_end();
    DENIED_BEFORE
        .iter()
        .any(|words| ends_with_words(before, words))
}

/// `sentence`: the whole, for a format that is named only to be put aside.
pub(super) fn read(clause: &Clause<'_>, sentence: &str, hits: &mut Vec<Hit>) {
    formats(clause, sentence, hits);
    parts(clause, hits);
    case(clause, hits);
    punctuation(clause, hits);
}

fn push(clause: &Clause<'_>, hits: &mut Vec<Hit>, rule: Rule, name: &'static str) {
    hits.push(Hit {
        rule,
        span: clause.span(),
        name,
    });
}

/// Whether a text names a format.
pub(super) fn names(text: &str) -> bool {
    FORMATS.iter().any(|(_, words)| any(text, words))
}

/// The format that a text does without (别用 JSON 了, "no more Markdown").
pub(super) fn put_aside(text: &str) -> Option<Format> {
    FORMATS.iter().find_map(|(name, words)| {
        let place = words.iter().find_map(|word| find_words(text, word, 0))?;
        denied(&text[..place.start]).then(|| format(name))
    })
}

/// Whether a text names more formats than one (JSON, 不要 Markdown).
pub(super) fn several(text: &str) -> bool {
    FORMATS.iter().filter(|(_, words)| any(text, words)).count() > 1
}

fn formats(clause: &Clause<'_>, sentence: &str, hits: &mut Vec<Hit>) {
    let text = clause.text;
    if any(
        text,
        &[
            "转换工具",
            "解析",
            "parse",
            "file",
            "文件",
            "validate",
            "convert the",
        ],
    ) && !any(text, &["格式"])
    {
        return;
    }
    let mut wanted = None;
    let mut unwanted = false;
    for (name, words) in FORMATS {
        for word in *words {
            let Some(place) = find_words(text, word, 0) else {
                continue;
            };
            let (before, after) = (
                text[..place.start].trim_end(),
                text[place.end..].trim_start(),
            );
            if denied(before) {
                unwanted = true;
                continue;
            }
            #[rustfmt::skip]
            const BEFORE: &[&str] = &[
                "用", "以", "使用", "输出", "改成", "改为", "改用", "换成", "格式为", "格式是",
                "格式:", "采用", "返回", "生成", "按", "要", "只输出", "成", "为", "use", "output",
                "in", "as", "return", "respond with", "respond in", "reply with", "format:",
                "format is", "to", "into", "valid", "produce", "with", "using", "only", "a", "raw",
                "emit", "be",
            ];
            const AFTER: &[&str] = &[
                "格式", "only", "please", "instead", "format", "输出", "回答", "就行", "即可",
            ];
            let framed = BEFORE.iter().any(|end| ends_with_words(before, end))
                || AFTER.iter().any(|word| after.starts_with(word))
                || before.is_empty();
            if framed {
                wanted = Some(*name);
            }
        }
    }
    match (wanted, unwanted) {
        (Some(name), _) => push(
            clause,
            hits,
            Rule::Format {
                format: format(name),
            },
            "format",
        ),
        (None, true) if any(text, &["markdown"]) && !several(sentence) => push(
            clause,
            hits,
            Rule::Format {
                format: Format::Plain,
            },
            "format",
        ),
        _ => {}
    }
}

/// Part, words that ask for it as the form of the answer.
type Ask = (
    fn() -> Part,
    &'static [&'static str],
    &'static [&'static str],
);

const PARTS: &[Ask] = &[
    (
        || Part::Tables,
        &["表格", "table", "tables"],
        &[
            "用表格",
            "表格形式",
            "表格格式",
            "表格呈现",
            "表格展示",
            "改成表格",
            "改用表格",
            "做成表格",
            "换成表格",
            "以表格",
            "as a table",
            "in a table",
            "in table form",
            "in tabular form",
            "use a table",
            "use tables",
            "table format",
            "into a table",
            "with a table",
            "a table instead",
            "a table please",
            "make it a table",
        ],
    ),
    (
        || Part::Bullets,
        &[
            "要点",
            "项目符号",
            "列表",
            "bullet points",
            "bullets",
            "bullet list",
            "bullet point",
        ],
        &[
            "用列表",
            "列表形式",
            "分点",
            "要点形式",
            "用要点",
            "列成要点",
            "改成要点",
            "改为要点",
            "换成要点",
            "改用要点",
            "use bullet points",
            "as bullet points",
            "in bullet points",
            "use bullets",
            "as bullets",
            "bullet list",
            "bulleted list",
            "bullet points only",
            "with bullet points",
        ],
    ),
    (
        || Part::Title,
        &["标题", "title"],
        &[
            "要有标题",
            "加标题",
            "加上标题",
            "加个标题",
            "加一个标题",
            "带标题",
            "包含标题",
            "写个标题",
            "必须有标题",
            "add a title",
            "include a title",
            "with a title",
            "have a title",
            "needs a title",
            "give it a title",
            "need a title",
        ],
    ),
    (
        || Part::Headings,
        &["小标题", "headings", "headers"],
        &[
            "用小标题",
            "加小标题",
            "使用小标题",
            "use headings",
            "with headings",
            "add headings",
            "include headings",
        ],
    ),
    (
        || Part::Links,
        &["链接", "links", "hyperlinks", "urls"],
        &[
            "附上来源链接",
            "附上链接",
            "附链接",
            "给出链接",
            "附来源链接",
            "附上原文链接",
            "带上链接",
            "include links",
            "with links",
            "add links",
            "include a link",
            "include source links",
            "include urls",
        ],
    ),
    (
        || Part::Citations,
        &["引用", "citations", "references"],
        &[
            "标注引用",
            "附上引用",
            "注明出处",
            "标明出处",
            "注明来源",
            "标注来源",
            "给出出处",
            "include citations",
            "with citations",
            "add citations",
            "include references",
            "cite your sources",
        ],
    ),
    (
        || Part::CodeFences,
        &["代码块", "code block", "code blocks"],
        &[
            "用代码块",
            "放在代码块",
            "in a code block",
            "use code blocks",
            "use a code block",
        ],
    ),
    (
        || Part::NumberedItems,
        &["编号", "numbered list"],
        &[
            "用编号",
            "编号列表",
            "as a numbered list",
            "use a numbered list",
            "in a numbered list",
        ],
    ),
];

fn parts(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    for (part, names, asks) in PARTS {
        let rule = |bound| Rule::Structure {
            part: part(),
            bound,
        };
        let counted = hits.iter().any(
            |hit| matches!(&hit.rule, Rule::Structure { part: known, .. } if *known == part()),
        );
        if counted {
            continue;
        }
        let refused = names.iter().any(|name| {
            find_words(text, name, 0).is_some_and(|place| denied(strip_verb(&text[..place.start])))
        });
        if refused {
            if !matches!(part(), Part::Citations) {
                push(clause, hits, rule(Bound::at_most(0)), "structure");
            }
        } else if any(text, asks) {
            push(clause, hits, rule(Bound::at_least(1)), "structure");
        }
    }
}

/// 不要加表格, "no big tables": the word between.
fn strip_verb(before: &str) -> &str {
    let before = before.trim_end();
    [
        "使用", "用", "加", "出现", "画", "任何", "any", "a", "the", "include", "add", "big",
    ]
    .iter()
    .find_map(|word| {
        ends_with_words(before, word).then(|| before[..before.len() - word.len()].trim_end())
    })
    .unwrap_or(before)
}

fn case(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    #[rustfmt::skip]
    const LOWER: &[&str] = &[
        "全文小写", "全部小写", "全小写", "都用小写", "小写字母", "all lowercase",
        "lowercase only", "in lowercase", "all lower case", "in lower case", "lowercase letters",
        "no capital letters",
    ];
    #[rustfmt::skip]
    const UPPER: &[&str] = &[
        "全文大写", "全部大写", "全大写", "都用大写", "大写字母", "all caps", "all capitals",
        "in capitals", "all uppercase", "in uppercase", "capital letters only", "in all caps",
        "in capital letters", "only capital letters", "all capital letters",
    ];
    let case = if any(clause.text, LOWER) {
        LetterCase::Lower
    } else if any(clause.text, UPPER) {
        LetterCase::Upper
    } else if any(clause.text, &["title case", "首字母大写"]) {
        LetterCase::Title
    } else {
        return;
    };
    push(clause, hits, Rule::Case { case }, "case");
}

fn punctuation(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    const MARKS: &[(&str, &[&str])] = &[
        ("！!", &["感叹号", "惊叹号"]),
        ("，,", &["逗号"]),
        ("？?", &["问号"]),
        ("；;", &["分号"]),
        ("……", &["省略号"]),
        (
            "!",
            &[
                "exclamation marks",
                "exclamation points",
                "exclamation mark",
                "exclamation point",
            ],
        ),
        (",", &["commas", "comma"]),
        ("?", &["question marks"]),
        (";", &["semicolons", "semicolon"]),
        ("—", &["em dashes", "em-dashes", "破折号"]),
    ];
    let text = clause.text;
    for (marks, names) in MARKS {
        let refused = names.iter().any(|name| {
            find_words(text, name, 0).is_some_and(|place| denied(strip_verb(&text[..place.start])))
        });
        if refused {
            let rule = Rule::Punctuation {
                marks: (*marks).to_owned(),
                bound: Bound::at_most(0),
            };
            push(clause, hits, rule, "punctuation");
        }
    }
    let wraps = any(text, &["wrap", "put", "enclose", "surround"])
        && any(text, &["quotation marks", "double quotes", "quotes"]);
    let wraps = wraps
        && any(
            text,
            &[
                "whole",
                "entire",
                "your answer",
                "the answer",
                "your response",
                "everything",
                "it",
            ],
        );
    let wraps_zh = text.contains("引号")
        && any(
            text,
            &[
                "整个回答",
                "全文",
                "整篇",
                "整个答案",
                "全部内容",
                "把回答",
                "把答案",
            ],
        );
    if (wraps || wraps_zh) && !starts_with_words(text, "no") {
        push(clause, hits, Rule::Quoted, "quoted");
    }
}
