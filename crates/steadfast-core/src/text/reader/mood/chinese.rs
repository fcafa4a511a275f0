//! Chinese: particles, leading adverbs, and who the subject is.

use super::{Act, Mood, any, starts};
use crate::text::reader::lexicon::{NO_VERBS_ZH, REPORT_ZH, THIRD_ZH, VERBS_ZH};

pub(super) fn mood(text: &str, bare: &str) -> Mood {
    #[rustfmt::skip]
    const ASKS: &[&str] = &[
        "为什么", "为何", "怎么", "如何", "什么", "多少", "是否", "会不会", "哪", "谁", "几点",
        "是不是", "有没有", "对不对", "要不要", "该不该", "多长", "多久", "是还是",
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
    // 如果可以的话，… is a wish.
    const COURTESY: &[&str] = &[
        "如果可以",
        "如果可能",
        "如果方便",
        "若可以",
        "若可能",
        "若方便",
    ];
    if starts(bare, &["如果", "要是", "倘若", "万一", "若", "一旦"]) && !starts(bare, COURTESY)
    {
        return if asks_mark || any(text, ASKS) {
            Mood::Question
        } else {
            Mood::Conditional
        };
    }
    #[rustfmt::skip]
    const DISOWNED: &[&str] = &[
        "没让你", "没有让你", "没要求", "没有要求", "没说要", "没说过", "没有说", "没叫你",
        "没要你", "没有要你", "不是让你", "不是要你", "不是不让", "不是不能", "不是说", "没让",
        "并非要求", "从没要求", "从未要求", "没提过",
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
        && !forbids(text)
    {
        return Mood::Question;
    }
    #[rustfmt::skip]
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

pub(super) fn act(clause: &str, bare: &str) -> Act {
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
                "资料",
                "该",
                "这",
            ],
        );
        let modal = any(
            clause,
            &[
                "不要",
                "别",
                "必须",
                "不得",
                "禁止",
                "应",
                "要用",
                "用",
                "加",
                "补",
                "改",
                "删",
                "去掉",
                "插入",
                "只能",
                "只许",
                "仅限",
                "不超过",
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
    #[rustfmt::skip]
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

/// 不要改动代码，只说明问题在哪: opens with a ban, and so asks nothing.
fn forbids(text: &str) -> bool {
    #[rustfmt::skip]
    const BANS: &[&str] = &[
        "不要", "别", "不得", "不许", "不准", "禁止", "严禁", "请勿", "勿", "必须", "务必", "一定要",
    ];
    starts(text, BANS) && !starts(text, &["别的", "别人", "不得不"])
}

/// Whether a Chinese clause opens with a verb of request.
fn opens_zh(bare: &str) -> bool {
    VERBS_ZH.iter().any(|verb| bare.starts_with(verb))
        && !NO_VERBS_ZH.iter().any(|word| bare.starts_with(word))
}

/// 差旅总预算, 项目总额: a sum, and nobody's title.
fn amount_of(head: &str) -> bool {
    let rest = head.split_once('总').map(|(_, rest)| rest);
    rest.is_some_and(|rest| {
        rest.starts_with([
            '数', '预', '额', '价', '量', '费', '成', '字', '长', '支', '花', '开',
        ])
    })
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
        && !amount_of(&head)
}
