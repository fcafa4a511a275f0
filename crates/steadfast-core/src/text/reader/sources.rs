//! Which sources may be relied on: 只用官方来源, `only cite gov sites`, 不要引用维基百科.

use crate::ledger::rule::{Rule, SourceMatch, SourceMode};
use crate::text::identifier::{IdentifierKind, identifiers_in};
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::{self, any};
use crate::text::token::{find_words, starts_with_words};

/// Sites that people call by name.
const SITES: &[(&str, &[&str])] = &[
    ("wikipedia.org", &["wikipedia", "维基百科", "维基"]),
    ("baike.baidu.com", &["百度百科"]),
    ("zhihu.com", &["知乎", "zhihu"]),
    ("weibo.com", &["微博", "weibo"]),
    ("reddit.com", &["reddit"]),
    ("quora.com", &["quora"]),
    ("youtube.com", &["youtube"]),
    ("twitter.com", &["twitter"]),
    ("facebook.com", &["facebook"]),
    ("medium.com", &["medium posts", "medium articles"]),
    ("stackoverflow.com", &["stack overflow", "stackoverflow"]),
    ("arxiv.org", &["arxiv"]),
    ("github.com", &["github"]),
];

/// Grades that documents and hosts carry.
const GRADES: &[(&str, &[&str])] = &[
    (
        "official",
        &[
            "官方来源",
            "官方资料",
            "官方网站",
            "官方渠道",
            "官方文件",
            "官方数据",
            "官方",
            "official sources",
            "official sites",
            "official websites",
            "official documents",
            "official data",
            "official source",
            "official ones",
        ],
    ),
    (
        "government",
        &[
            "政府网站",
            "政府来源",
            "government sources",
            "government websites",
        ],
    ),
    (
        "internal",
        &[
            "内部资料",
            "内部文件",
            "内部来源",
            "internal sources",
            "internal documents",
            "internal material",
        ],
    ),
    (
        "academic",
        &[
            "学术来源",
            "学术论文",
            "期刊论文",
            "peer-reviewed sources",
            "peer-reviewed papers",
            "peer-reviewed articles",
            "academic sources",
            "scholarly sources",
            "peer-reviewed literature",
        ],
    ),
    ("primary", &["一手资料", "一手来源", "primary sources"]),
    (
        "forum",
        &["论坛", "贴吧", "forums", "forum posts", "message boards"],
    ),
    ("blog", &["博客", "自媒体", "blogs", "blog posts"]),
    ("social media", &["社交媒体", "social media"]),
    (
        "news",
        &["新闻报道", "news sites", "news articles", "news sources"],
    ),
];

#[rustfmt::skip]
const VERBS: &[&str] = &[
    "引用", "来源", "参考", "援引", "使用", "采用", "用", "查", "资料", "依据", "cite", "citing",
    "source", "sources", "quote", "rely", "refer", "reference", "use", "using", "consult", "sites",
    "from", "stick to",
];
const ONLY: &[&str] = &[
    "只",
    "仅",
    "唯有",
    "一律",
    "限于",
    "only",
    "exclusively",
    "solely",
    "nothing but",
    "stick to",
    "just",
];
#[rustfmt::skip]
const DENY: &[&str] = &[
    "不要", "不得", "别", "禁止", "不能", "不可", "不许", "勿", "不引用", "不用", "不使用", "排除",
    "避免", "don't", "do not", "never", "no", "not", "avoid", "exclude", "without", "stop",
    "must not", "should not", "cannot", "can't", "no more", "shouldn't", "mustn't",
];

pub(super) fn read(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    if !any(text, VERBS) && !text.contains('只') {
        return;
    }
    let sources = named(text);
    if sources.is_empty() {
        return;
    }
    let deny = any(text, DENY) && !any(text, &["不要只", "not only"]);
    let only = any(text, ONLY);
    let mode = match (deny, only) {
        // 除官方来源外不要引用 and "cite nothing but": only, said with a denial.
        (true, _)
            if any(
                text,
                &[
                    "除了",
                    "除",
                    "以外",
                    "other than",
                    "except",
                    "anything but",
                    "outside",
                ],
            ) =>
        {
            SourceMode::Allow
        }
        (true, _) => SourceMode::Deny,
        (false, true) => SourceMode::Allow,
        (false, false)
            if any(
                text,
                &[
                    "必须引用",
                    "要引用",
                    "must come from",
                    "must be from",
                    "必须来自",
                    "should come from",
                    "来源必须",
                    "来源限",
                ],
            ) =>
        {
            SourceMode::Allow
        }
        // "Use official sources": a grade is asked for, and so the only one.
        (false, false) if graded(&sources) && starts_with_use(text) => SourceMode::Allow,
        (false, false) => return,
    };
    hits.push(Hit {
        rule: Rule::Sources { mode, sources },
        span: clause.span(),
        name: "sources",
    });
}

fn graded(sources: &[SourceMatch]) -> bool {
    sources
        .iter()
        .all(|source| matches!(source, SourceMatch::Grade(_)))
}

fn starts_with_use(text: &str) -> bool {
    let bare = mood::strip_leads(text);
    [
        "use", "cite", "rely on", "stick to", "使用", "采用", "引用", "用",
    ]
    .iter()
    .any(|verb| starts_with_words(bare, verb))
}

/// The sources that a clause lets be used (可以引用维基百科).
pub(super) fn allowed(text: &str) -> Vec<SourceMatch> {
    let uses = any(
        text,
        &[
            "引用", "使用", "用", "参考", "cite", "use", "quote", "rely on",
        ],
    );
    let lets = any(
        text,
        &[
            "可以",
            "允许",
            "may",
            "can",
            "allowed to",
            "it's ok to",
            "feel free to",
        ],
    );
    let denies = any(text, DENY) || any(text, ONLY);
    if uses && lets && !denies {
        named(text)
    } else {
        Vec::new()
    }
}

/// The sources that a text names.
pub(super) fn named(text: &str) -> Vec<SourceMatch> {
    let mut found = Vec::new();
    for identifier in identifiers_in(text) {
        let name = &text[identifier.span.clone()];
        let host = match identifier.kind {
            IdentifierKind::Domain => name,
            IdentifierKind::Url => name
                .split("://")
                .last()
                .unwrap_or(name)
                .split('/')
                .next()
                .unwrap_or(name),
            _ => continue,
        };
        let host = host.trim_start_matches("www.");
        if crate::text::identifier::domain(host) {
            found.push(SourceMatch::Domain(host.to_owned()));
        }
    }
    for suffix in ["gov", "edu"] {
        let spoken = [
            format!("{suffix} sites"),
            format!("{suffix} sources"),
            format!("{suffix} websites"),
            format!("{suffix} domains"),
            format!("{suffix} pages"),
            format!("{suffix} 网站"),
        ];
        if spoken
            .iter()
            .any(|words| find_words(text, words, 0).is_some())
        {
            found.push(SourceMatch::Domain(suffix.to_owned()));
        }
    }
    for (domain, names) in SITES {
        if any(text, names) {
            let one = SourceMatch::Domain((*domain).to_owned());
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    for (grade, names) in GRADES {
        if any(text, names) {
            found.push(SourceMatch::Grade((*grade).to_owned()));
        }
    }
    found
}
