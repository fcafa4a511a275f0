//! What is to happen to a rule that a clause speaks of: come in, replace one,
//! hold once, hold for the next answer; and for how long.

use crate::text::reader::mood::any;

/// 改成, 换成, "instead", "switch to": something else was in force.
pub(super) fn replaces(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "改成", "改为", "改用", "改到", "改回", "换成", "换为", "换用", "换回", "切换", "切回",
        "恢复到", "恢复成", "恢复为", "变成", "调整为", "调整到", "调到", "放宽到", "放宽为",
        "提高到", "提升到", "增加到", "加到", "涨到", "降到", "降至", "降低到", "减到", "减少到",
        "缩短为", "延到", "延长到", "延期到", "推迟到", "提前到", "改", "instead", "switch",
        "change", "make it", "go back", "back to", "revert", "replace", "raise", "increase",
        "lower", "reduce", "decrease", "move", "extend", "postpone", "bump", "update",
        "rather than", "instead of", "cut it to", "convert",
    ];
    let neutral = any(
        text,
        &[
            "改革",
            "修改意见",
            "改进",
            "make it clear",
            "make it short",
            "make it easy",
            "make it too",
        ],
    );
    any(text, WORDS) && !neutral
}

/// 从 … 改为 …, "from 300 to 500": the second value counts.
pub(super) fn from_to(text: &str) -> bool {
    let changes = any(
        text,
        &[
            "改", "提高", "增加", "降", "放宽", "调", "延", "change", "raise", "increase", "lower",
            "reduce", "extend", "move", "bump", "cut", "drop",
        ],
    );
    changes && any(text, &["从", "由", "from"])
}

/// 这次例外, "just this once".
pub(super) fn once(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "这次例外", "这一次例外", "例外一次", "破例", "仅这一次", "只这一次", "就这一次",
        "仅此一次", "只此一次", "就这次", "仅这次", "下不为例", "这次可以", "这次允许", "本次例外",
        "这回例外", "仅限这次", "仅限本次", "just this once", "only this once", "this once",
        "this one time", "just for this one", "as an exception", "one-time exception",
        "make an exception", "exception this time", "just this time", "only this time",
    ];
    any(text, WORDS)
}

/// 这次, "for this answer": holds for what comes next only.
pub(super) fn next_answer(text: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "这次", "这一次", "本次", "这回", "这条回答", "这个回答", "下一个回答", "下次回答",
        "下一条", "本轮", "for this answer", "for this reply", "for this response",
        "for this message", "for this one", "for the next answer", "for your next answer",
        "in your next answer", "in your next reply", "this time", "for now",
    ];
    any(text, WORDS)
}

/// Words that let something be.
pub(super) fn allows(text: &str) -> bool {
    any(
        text,
        &[
            "可以",
            "允许",
            "例外",
            "不受",
            "不限",
            "破例",
            "无妨",
            "you can",
            "you may",
            "may",
            "allowed",
            "go over",
            "ignore",
            "skip",
            "exceed",
            "it's ok",
            "it is ok",
            "exception",
            "feel free",
        ],
    )
}

/// 以后都, "from now on", "always": said to stand.
pub(super) fn stands(text: &str) -> bool {
    any(
        text,
        &[
            "以后",
            "今后",
            "从现在起",
            "从现在开始",
            "从今",
            "每次",
            "每个回答",
            "每条",
            "始终",
            "总是",
            "一直",
            "一律",
            "都要",
            "永远",
            "所有回答",
            "全程",
            "from now on",
            "always",
            "every time",
            "each time",
            "henceforth",
            "going forward",
            "in future",
            "in the future",
            "every answer",
            "all answers",
            "from here on",
            "never",
            "throughout",
            "at all times",
        ],
    )
}
