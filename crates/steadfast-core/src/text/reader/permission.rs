//! Permissions by name: 不要联网, `do not access the internet`.

use crate::ledger::rule::Rule;
use crate::text::reader::clause::Clause;
use crate::text::reader::hit::Hit;
use crate::text::reader::mood::any;

pub(super) fn read(clause: &Clause<'_>, hits: &mut Vec<Hit>) {
    let text = clause.text;
    const NET: &[&str] = &[
        "联网",
        "上网",
        "访问网络",
        "访问互联网",
        "internet",
        "the web",
        "go online",
        "network access",
        "web access",
    ];
    if !any(text, NET) {
        return;
    }
    #[rustfmt::skip]
    const NO: &[&str] = &[
        "不要", "不得", "禁止", "别", "不能", "不许", "不可", "不准", "do not", "don't", "never",
        "no", "without", "must not", "not allowed", "stay off", "cannot", "may not",
    ];
    const YES: &[&str] = &[
        "可以联网",
        "允许联网",
        "可以上网",
        "允许上网",
        "you can access",
        "you may access",
        "you may use",
        "you can use",
        "allowed to access",
    ];
    let allowed = if any(text, NO) {
        false
    } else if any(text, YES) {
        true
    } else {
        return;
    };
    hits.push(Hit {
        rule: Rule::Permission {
            name: "network".to_owned(),
            allowed,
        },
        span: clause.span(),
        name: "permission",
    });
}
