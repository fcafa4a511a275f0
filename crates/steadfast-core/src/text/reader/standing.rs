//! Tells a standing wish from a one-off request, where no type holds either.

use crate::ledger::constraint::Force;
use crate::text::reader::clause::{Clause, Sentence};
use crate::text::reader::lexicon::{NO_VERBS_ZH, VERBS_ZH};
use crate::text::reader::mood::{self, Act, Mood, any};
use crate::text::token::{find_words, starts_with_words};

/// Verbs that say how to answer rather than what to do.
#[rustfmt::skip]
const MANNER_VERBS: &[&str] = &[
    "use", "keep", "make", "limit", "cite", "include", "add", "start", "begin", "end", "finish",
    "output", "respond", "answer", "reply", "give", "put", "set", "change", "switch", "move",
    "raise", "lower", "spend", "stay", "stick", "return", "format", "avoid", "wrap", "present",
    "speak", "say", "revert", "go", "reduce", "increase", "extend", "cut", "rely", "ask", "hold",
    "structure", "let", "stop", "prefer", "convert", "replace", "quote", "mention", "deliver",
    "submit", "do", "don't", "never", "always", "be", "ensure", "without", "write", "drop",
    "update", "omit", "exclude", "turn", "cap", "complete", "restrict", "confine", "enclose",
    "conclude", "capitalize", "leave", "refrain", "remember", "check", "get",
];

/// Whether a clause asks for a piece of work, so that a language or length in
/// it is a property of that piece and no standing rule.
pub(super) fn task(bare: &str, chinese: bool) -> bool {
    if chinese {
        const CREATE: &[&str] = &[
            "写", "生成", "起草", "做", "出", "拟", "准备", "编", "整理", "来", "给我",
        ];
        #[rustfmt::skip]
        const PIECE: &[&str] = &[
            "一份", "一篇", "一段", "一个", "一封", "一首", "一条", "一则", "一下", "个", "份",
            "篇", "封",
        ];
        #[rustfmt::skip]
        const WORK: &[&str] = &[
            "总结", "概括", "翻译", "分析", "解释", "归纳", "对比", "比较", "介绍", "描述", "查",
            "搜", "找", "讲讲", "说说", "改写", "重写", "润色", "评价", "评估", "帮我",
        ];
        return CREATE.iter().any(|verb| {
            bare.strip_prefix(verb)
                .is_some_and(|rest| PIECE.iter().any(|piece| rest.starts_with(piece)))
        }) || WORK.iter().any(|verb| bare.starts_with(verb));
    }
    if !mood::imperative_en(bare) {
        return false;
    }
    // A ban for good is no piece of work.
    if ["under no circumstances", "at no point"]
        .iter()
        .any(|ban| starts_with_words(bare, ban))
    {
        return false;
    }
    let bare = bare.strip_prefix("let's ").unwrap_or(bare);
    let bare = bare.strip_prefix("let us ").unwrap_or(bare);
    let verb = bare.split(' ').next().unwrap_or_default();
    let object = bare[verb.len()..].trim_start();
    #[rustfmt::skip]
    const OBJECTS: &[&str] = &[
        "a", "an", "the", "this", "that", "these", "those", "me a", "me an", "my", "our", "some",
        "up", "his", "her", "their", "all", "one",
    ];
    let has_object = OBJECTS.iter().any(|word| starts_with_words(object, word));
    if matches!(
        verb,
        "write" | "draft" | "create" | "prepare" | "compose" | "generate" | "produce" | "get"
    ) {
        return has_object
            && !starts_with_words(object, "all")
            && !starts_with_words(object, "the answer")
            && !starts_with_words(object, "the whole");
    }
    let give_me =
        verb == "give" && (starts_with_words(object, "me a") || starts_with_words(object, "me an"));
    give_me || !MANNER_VERBS.contains(&verb)
}

/// Whether a clause without a type asks for something to be done once.
pub(super) fn requests(clause: &Clause<'_>, sentence: &Sentence<'_>) -> bool {
    let bare = mood::strip_leads(clause.text);
    if go_on(clause.text) {
        return true;
    }
    if mood::chinese(clause.text) {
        let opens = VERBS_ZH.iter().any(|verb| bare.starts_with(verb))
            && !NO_VERBS_ZH.iter().any(|word| bare.starts_with(word));
        let asked = any(
            clause.text,
            &["请", "帮我", "帮忙", "麻烦", "替我", "给我", "为我"],
        ) && !any(clause.text, &["申请", "邀请", "请求", "请假", "聘请"]);
        let located = clause.act == Act::Directive
            && any(
                clause.text,
                &[
                    "加一",
                    "加个",
                    "加上",
                    "加入",
                    "改一下",
                    "补充",
                    "里加",
                    "中加",
                ],
            );
        return (opens || asked || located) && clause.act == Act::Directive
            || (sentence.mood == Mood::Polite && (opens || asked));
    }
    let wish = [
        "i want you to",
        "i need you to",
        "i'd like you to",
        "i would like you to",
        "i need",
        "i want",
        "i'd like",
        "i would like",
    ]
    .iter()
    .any(|wish| starts_with_words(bare, wish));
    let you = ["you must", "you should", "you need to", "you have to"]
        .iter()
        .any(|you| starts_with_words(bare, you));
    sentence.mood == Mood::Polite
        || mood::imperative_en(bare)
        || mood::pleads(clause.text)
        || wish
        || you
}

/// 继续, "go on".
pub(super) fn go_on(text: &str) -> bool {
    let text = text.trim().trim_end_matches(['。', '.', '!', '！', ' ']);
    matches!(
        text,
        "继续"
            | "请继续"
            | "接着说"
            | "继续吧"
            | "下一个"
            | "再来一个"
            | "重来"
            | "go on"
            | "continue"
            | "please continue"
            | "carry on"
            | "keep going"
            | "again"
            | "next"
            | "proceed"
            | "stop"
            | "停"
            | "停下"
            | "停止"
    )
}

/// How something is to be written, without a verb: 语气正式一些.
pub(super) fn manner(text: &str) -> bool {
    let zh = any(text, &["一些", "一点", "点儿", "些"])
        && any(
            text,
            &[
                "语气", "正式", "简洁", "口语", "活泼", "详细", "通俗", "严谨", "友好", "客气",
                "专业", "简单", "短", "长", "委婉", "直接", "轻松", "幽默", "清楚", "清晰", "具体",
                "准确", "礼貌", "温和", "谨慎", "生动", "仔细",
            ],
        );
    let more = any(
        text,
        &[
            "more formal",
            "more concise",
            "less formal",
            "more detailed",
            "more friendly",
            "friendlier",
            "shorter",
            "formal tone",
            "neutral tone",
            "simpler",
            "clearer",
            "more polite",
            "more precise",
            "more careful",
            "more specific",
            "gentler",
        ],
    );
    (zh || more) && text.chars().count() <= 40
}

/// Whether a clause without a type sets something that is to last.
pub(super) fn standing(text: &str, said_to_stand: bool) -> bool {
    let bare = mood::strip_leads(text);
    if said_to_stand || manner(text) {
        return true;
    }
    if mood::chinese(text) {
        #[rustfmt::skip]
        const RULES: &[&str] = &[
            "不要", "别", "不得", "禁止", "严禁", "必须", "务必", "一定要", "不许", "不准", "不能",
            "不可", "勿", "应当", "应该", "尽量", "最好", "始终", "总是", "每次", "避免", "确保",
            "保证", "保持",
        ];
        return any(text, RULES) && !any(text, &["不得了", "别的", "差别", "级别"]);
    }
    #[rustfmt::skip]
    const OPENERS: &[&str] = &[
        "never", "always", "do not", "don't", "avoid", "make sure", "be", "ensure", "no",
        "without", "you must", "you should", "you must not", "you should not", "must", "prefer",
        "stay", "stick to", "under no circumstances", "keep",
    ];
    #[rustfmt::skip]
    const MODALS: &[&str] = &[
        "must", "should", "must not", "should not", "shall", "cannot", "can't", "may not",
        "mustn't", "shouldn't", "always", "never",
    ];
    OPENERS.iter().any(|word| starts_with_words(bare, word)) || any(bare, MODALS)
}

/// Whether a clause wishes rather than demands.
pub(super) fn force(text: &str) -> Force {
    #[rustfmt::skip]
    const WISHES: &[&str] = &[
        "尽量", "尽可能", "最好", "建议", "希望", "如果可以", "可以的话", "可能的话", "方便的话",
        "如果方便", "如能", "倾向于", "争取", "prefer", "preferably", "ideally", "if possible",
        "where possible", "when possible", "as far as possible", "if you can", "if you could",
        "try to", "try and", "aim for", "aim to", "i'd like", "would be nice", "would be good",
        "would be great", "would be ideal", "would be best", "would be perfect",
        "would be better", "would be preferable", "nice to have",
    ];
    if any(text, WISHES) {
        Force::Should
    } else {
        Force::Must
    }
}

/// Whether a clause says nothing but that the rest is a wish.
pub(super) fn only_wishes(text: &str) -> bool {
    let bare = text.trim_matches([' ', '.', '!', '。', '！']);
    #[rustfmt::skip]
    const WHOLE: &[&str] = &[
        "如果可以", "如果可以的话", "可以的话", "可能的话", "如果可能", "如果可能的话", "方便的话",
        "如果方便的话", "如果方便", "最好", "尽量", "建议", "if possible", "if you can",
        "if you could", "ideally", "preferably", "where possible", "when possible",
        "if at all possible", "if it is possible", "if it's possible",
    ];
    WHOLE.contains(&bare)
}

/// Where the words of a new goal begin, in a sentence that sets one.
pub(super) fn goal(text: &str) -> Option<usize> {
    #[rustfmt::skip]
    const LEADS: &[&str] = &[
        "目标改为", "目标改成", "目标变为", "目标变成", "目标换成", "目标是", "目标:", "任务改为",
        "任务改成", "任务换成", "新任务:", "新目标:", "新任务是", "新目标是", "任务变成",
        "the new goal is to", "the new goal is", "the goal is now to", "the goal is now",
        "new goal:", "new task:", "change the goal to", "our goal is to", "our goal is",
        "the goal is to", "the goal is", "the task is now to", "the task is now", "goal:",
        "your new task is to", "the new task is to", "the new task is", "my goal is to",
        "your goal is to",
    ];
    let place = LEADS
        .iter()
        .filter_map(|lead| find_words(text, lead, 0).map(|place| (place.start, place.end)));
    let (start, end) = place.max_by_key(|(start, end)| (std::cmp::Reverse(*start), *end))?;
    let head = text[..start].trim();
    let own = head.chars().count() <= 12
        && !any(
            head,
            &[
                "客户",
                "公司",
                "他",
                "her",
                "his",
                "their",
                "客户的",
                "项目的",
            ],
        );
    let rest = text[end..].trim();
    (own && !rest.is_empty() && !text.ends_with(['?', '？']))
        .then_some(end + (text[end..].len() - text[end..].trim_start().len()))
}

/// 要么用英文要么用中文: a choice left open.
pub(super) fn either(text: &str) -> bool {
    any(
        text,
        &["要么", "或者", "或", "都行", "都可以", "either", "or"],
    )
}

/// Nothing definite: 你看着办, "just do it", "same format as before".
pub(super) fn unclear(text: &str) -> bool {
    let bare = text.trim().trim_end_matches(['。', '.', '!', '！', ' ']);
    #[rustfmt::skip]
    const WHOLE: &[&str] = &[
        "just do it", "do it", "do that", "whatever", "up to you", "you decide", "as you like",
        "as usual", "the usual", "你看着办", "随便", "随你", "直接弄", "直接弄吧", "直接做吧",
        "照办", "就这么办", "按你说的办", "你定", "你决定吧", "直接做", "弄吧", "办吧",
        "go ahead and do it", "just go ahead", "handle it",
    ];
    WHOLE.contains(&bare)
        || WHOLE
            .iter()
            .any(|words| bare.strip_prefix("please ").unwrap_or(bare) == *words)
        || any(bare, &["老样子", "你看着办", "看着处理"])
        || refers_back(bare)
}

/// 还是用原来的格式: refers to what is no longer in force.
pub(super) fn refers_back(text: &str) -> bool {
    any(
        text,
        &[
            "原来的格式",
            "之前的格式",
            "以前的格式",
            "原来的样子",
            "原来那样",
            "上次的格式",
            "跟上次一样",
            "和上次一样",
            "老样子",
            "same format as before",
            "same as before",
            "same as last time",
            "like before",
            "like last time",
            "the old format",
            "the way it was",
            "previous format",
        ],
    )
}

/// Whether a clause calls off something that was to be done: 这封信不用发了.
pub(super) fn calls_off(text: &str) -> bool {
    if mood::chinese(text) {
        let rest = ["不用", "不必", "无需", "不需要"]
            .iter()
            .find_map(|word| find_words(text, word, 0))
            .map(|place| &text[place.end..]);
        return rest.is_some_and(|rest| VERBS_ZH.iter().any(|verb| rest.starts_with(verb)));
    }
    let rest = ["need to", "have to", "bother to"]
        .iter()
        .find_map(|word| find_words(text, word, 0))
        .map(|place| text[place.end..].trim_start());
    rest.is_some_and(mood::imperative_en)
}

/// "it is …" behind "it is not …".
pub(super) fn corrects(text: &str) -> bool {
    let text = text.trim_start();
    ["it is", "it's", "but", "rather"]
        .iter()
        .any(|word| starts_with_words(text, word))
}
