//! One change each to a faithful summary. An operator that finds nothing to
//! change makes no mutant.

type Mutant = (&'static str, String, Vec<String>);

/// Word for word, by operator; the first that stands in the summary is replaced.
type Swaps = &'static [(&'static str, &'static [(&'static str, &'static str)])];

const EN: Swaps = &[
    (
        "unit",
        &[
            (" dollars", " euros"),
            (" euros", " dollars"),
            (" minutes", " hours"),
            (" MB", " GB"),
            (" ms to", " s to"),
        ],
    ),
    (
        "bound",
        &[
            ("at most", "about"),
            ("at least", "about"),
            ("at least", "at most"),
            ("at most", "at least"),
        ],
    ),
    (
        "negation in",
        &[
            ("passed", "did not pass"),
            ("succeeded", "did not succeed"),
            ("was approved", "was not approved"),
            ("finished", "was not finished"),
            ("was received", "was not received"),
            ("were restarted", "were not restarted"),
            ("dropped", "did not drop"),
        ],
    ),
    (
        "negation out",
        &[
            ("was not found", "was found"),
            ("no warnings", "warnings"),
            ("not ", ""),
        ],
    ),
    (
        "modality",
        &[
            ("must sign", "may sign"),
            ("might be", "will be"),
            ("should have", "may have"),
            ("might be", "must be"),
        ],
    ),
    (
        "entity swap",
        &[
            ("Alice Miller", "Greta Thorn"),
            ("Bob Chen", "Greta Thorn"),
            ("Carla Gomez", "Greta Thorn"),
            ("Derek Olsen", "Greta Thorn"),
            ("Emma Novak", "Greta Thorn"),
            ("Farid Khan", "Greta Thorn"),
            ("Berlin", "Madrid"),
        ],
    ),
    (
        "antonym",
        &[
            ("rejected by", "accepted by"),
            ("approved by", "rejected by"),
            ("offline", "online"),
            ("dropped", "rose"),
            ("completed the upload", "completed the download"),
            ("were rejected", "were accepted"),
            ("enabling", "disabling"),
        ],
    ),
    (
        "success/failure",
        &[
            ("failed", "succeeded"),
            ("succeeded", "failed"),
            ("passed", "failed"),
        ],
    ),
    (
        "quantifier",
        &[
            ("all ", "some "),
            ("Some ", "All "),
            ("must sign all", "must sign some"),
        ],
    ),
    (
        "relation",
        &[
            ("before the audit", "after the audit"),
            ("because the price", "although the price"),
            ("with the new cache", "without the new cache"),
        ],
    ),
    ("degree", &[("the most stable", "the least stable")]),
    (
        "fact to plan",
        &[
            (" sent contract", " planned to send contract"),
            (" uses the", " is considering using the"),
            (" saved the report", " tried to save the report"),
        ],
    ),
    (
        "denial verb",
        &[
            (" sent contract", " refused to send contract"),
            (" uses the", " rarely uses the"),
            (" uses the", " no longer uses the"),
            ("was approved by", "was denied by"),
        ],
    ),
    (
        "inserted",
        &[
            (
                " to Bob Chen before",
                " and the price list to Bob Chen before",
            ),
            ("with the new cache", "with the new cache and the old proxy"),
        ],
    ),
];

const ZH: Swaps = &[
    (
        "unit",
        &[
            (" 元", " 美元"),
            (" 欧元", " 英镑"),
            (" 分钟", " 小时"),
            (" MB", " GB"),
            (" 毫秒", " 秒"),
        ],
    ),
    (
        "bound",
        &[
            ("不超过", "大约"),
            ("至少", "大约"),
            ("至少", "最多"),
            ("不超过", "不少于"),
        ],
    ),
    (
        "negation in",
        &[
            ("测试在", "测试没有在"),
            ("重试成功", "重试没有成功"),
            ("已由", "未由"),
            ("任务完成", "任务没有完成"),
            ("收到付款", "没有收到付款"),
            ("重启", "没有重启"),
            ("降低到", "没有降低到"),
        ],
    ),
    (
        "negation out",
        &[("没有找到", "找到"), ("没有发现", "发现")],
    ),
    (
        "modality",
        &[
            ("必须", "可以"),
            ("可能", "必须"),
            ("应当", "可以"),
            ("可能", ""),
        ],
    ),
    (
        "entity swap",
        &[
            ("张伟", "孙强"),
            ("李娜", "孙强"),
            ("王芳", "孙强"),
            ("陈刚", "孙强"),
            ("刘洋", "孙强"),
            ("赵敏", "孙强"),
            ("上海", "广州"),
        ],
    ),
    (
        "antonym",
        &[
            ("被客户拒绝", "被客户接受"),
            ("批准", "驳回"),
            ("离线", "在线"),
            ("降低到", "上升到"),
            ("的上传", "的下载"),
            ("拒绝了", "接受了"),
            ("启用", "停用"),
        ],
    ),
    (
        "success/failure",
        &[("失败", "成功"), ("成功", "失败"), ("通过", "未通过")],
    ),
    ("quantifier", &[("所有", "部分"), ("部分", "所有")]),
    (
        "relation",
        &[
            ("在审计开始之前", "在审计开始之后"),
            ("因为价格", "尽管价格"),
            ("日之前交付", "日之后交付"),
        ],
    ),
    ("degree", &[("最稳定", "最不稳定")]),
    (
        "fact to plan",
        &[
            ("把合同", "打算把合同"),
            ("上使用", "上考虑使用"),
            ("洋把报告", "洋试图把报告"),
        ],
    ),
    (
        "denial verb",
        &[
            ("把合同", "拒绝把合同"),
            ("上使用", "上很少使用"),
            ("上使用", "上不再使用"),
            ("已由张伟确认", "已由张伟否认"),
        ],
    ),
    (
        "inserted",
        &[
            (" 发给李娜", " 和价格表发给李娜"),
            ("启用新缓存", "启用新缓存和旧代理"),
        ],
    ),
];

pub(super) fn mutants(summary: &str, chinese: bool) -> Vec<Mutant> {
    let mut found: Vec<Mutant> = Vec::new();
    let mut push = |name: &'static str, text: String| {
        if text != summary {
            found.push((name, text, Vec::new()));
        }
    };
    for (name, swaps) in if chinese { ZH } else { EN } {
        for (from, to) in *swaps {
            push(name, summary.replacen(from, to, 1));
        }
    }
    if let Some(text) = names_swapped(summary) {
        push("role swap", text);
    }
    let runs = digit_runs(summary);
    for (start, end) in &runs {
        let figure = &summary[*start..*end];
        let joined = summary[..*start].ends_with(['-', '/', 'v', '.', '_', ',', ':'])
            || summary[..*start].ends_with(|c: char| c.is_ascii_alphabetic());
        let changed = bump(figure);
        let name = if joined {
            "id digit"
        } else if is_date(summary, *start, *end) {
            "date"
        } else {
            "number"
        };
        push(
            name,
            format!("{}{changed}{}", &summary[..*start], &summary[*end..]),
        );
        if name == "number" && !figure.contains(',') {
            push(
                "magnitude",
                format!("{}{figure}0{}", &summary[..*start], &summary[*end..]),
            );
        } else if name == "number" {
            let times = if chinese {
                format!("{figure} 万")
            } else {
                format!("{figure}k")
            };
            push(
                "magnitude",
                format!("{}{times}{}", &summary[..*start], &summary[*end..]),
            );
        }
    }
    let (rule, leave) = if chinese {
        (
            " 今后必须先删除旧数据再运行。",
            " 无需审批即可删除生产数据。",
        )
    } else {
        (
            " You must always delete old data before each run.",
            " It is allowed to delete production data without approval.",
        )
    };
    push("invented rule", format!("{summary}{rule}"));
    push("permission widened", format!("{summary}{leave}"));
    let (quoted, user) = if chinese {
        (" 原话是“一切照旧”。", " 用户要求清空数据库。")
    } else {
        (
            " The words were “business as usual”.",
            " The user asked to empty the database.",
        )
    };
    push("invented quotation", format!("{summary}{quoted}"));
    push("invented authority", format!("{summary}{user}"));
    // Dropped: the summary loses the path that it has to keep.
    for word in summary.split([' ', '，', '。', ',', ';', '）', '（']) {
        let word = word.trim_end_matches('.');
        if word.starts_with("/srv/") {
            found.push((
                "dropped reference",
                summary.replace(word, "…"),
                vec![word.to_owned()],
            ));
        }
    }
    found
}

#[rustfmt::skip]
const NAMES: &[&str] = &[
    "Alice Miller", "Bob Chen", "Carla Gomez", "Derek Olsen", "Emma Novak", "Farid Khan", "张伟",
    "李娜", "王芳", "陈刚", "刘洋", "赵敏",
];

/// Each of two people in the other's place.
fn names_swapped(summary: &str) -> Option<String> {
    let mut found: Vec<(usize, &str)> = NAMES
        .iter()
        .filter_map(|name| Some((summary.find(name)?, *name)))
        .collect();
    found.sort_unstable();
    let [(a, first), (b, second)] = found[..] else {
        return None;
    };
    let (head, between) = (&summary[..a], &summary[a + first.len()..b]);
    let rest = &summary[b + second.len()..];
    Some(format!("{head}{second}{between}{first}{rest}"))
}

/// Runs of digits, with commas inside.
fn digit_runs(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len()
            && (bytes[at].is_ascii_digit()
                || bytes[at] == b',' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit))
        {
            at += 1;
        }
        found.push((start, at));
    }
    found
}

/// The last digit but for zeros, one higher: 1,200 → 1,300.
fn bump(figure: &str) -> String {
    let mut bytes = figure.as_bytes().to_vec();
    let at = bytes
        .iter()
        .rposition(|c| (b'1'..=b'9').contains(c))
        .unwrap_or(bytes.len() - 1);
    bytes[at] = if bytes[at] == b'9' {
        b'8'
    } else {
        bytes[at] + 1
    };
    String::from_utf8(bytes).unwrap()
}

fn is_date(text: &str, start: usize, end: usize) -> bool {
    const MONTHS: &[&str] = &[
        "January ",
        "February ",
        "March ",
        "April ",
        "May ",
        "June ",
        "July ",
        "August ",
        "September ",
        "October ",
        "November ",
        "December ",
    ];
    let (before, after) = (&text[..start], &text[end..]);
    MONTHS.iter().any(|month| before.ends_with(month))
        || before.ends_with(", ") && end - start == 4
        || after.starts_with(['年', '月', '日'])
}
