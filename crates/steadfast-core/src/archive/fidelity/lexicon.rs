//! Which words say the same, which the opposite, and which another thing of the
//! same kind, in Chinese and English, across both.
//!
//! Closed and small: what is in none of the lists is neither, and passes.

mod kinds;
mod relations;
mod senses;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// The place of a word in the lexicon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sense {
    pub(super) concept: usize,
    /// The word stands on the negative side of its opposites.
    pub(super) negative: bool,
    /// The concept has two sides.
    pub(super) polar: bool,
}

static SENSES: LazyLock<BTreeMap<String, Sense>> = LazyLock::new(|| {
    let mut all = BTreeMap::new();
    for (concept, group) in senses::GROUPS.iter().enumerate() {
        let polar = group.contains('|');
        for (side, words) in group.split('|').enumerate() {
            for word in words.split_whitespace() {
                let sense = Sense {
                    concept,
                    negative: side == 1,
                    polar,
                };
                all.entry(word.to_owned()).or_insert(sense);
                if word.is_ascii() {
                    all.entry(stem(word)).or_insert(sense);
                }
            }
        }
    }
    all
});

/// Word → the kinds it belongs to, with its name in each.
static KINDS: LazyLock<BTreeMap<String, Vec<(usize, &'static str)>>> = LazyLock::new(|| {
    let mut all: BTreeMap<String, Vec<(usize, &'static str)>> = BTreeMap::new();
    for (kind, list) in kinds::KINDS.iter().enumerate() {
        for member in list.split_whitespace() {
            let name = member.split('=').next().unwrap_or(member);
            for word in member.split('=') {
                all.entry(fold(word)).or_default().push((kind, name));
            }
        }
    }
    all
});

static ANTONYMS: LazyLock<BTreeSet<(String, String)>> = LazyLock::new(|| {
    let lines = include_str!("antonyms.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(' '))
        .flat_map(|(a, b)| {
            let (a, b) = (stem(a), stem(b));
            [(a.clone(), b.clone()), (b, a)]
        })
        .collect()
});

/// All words of those pairs.
static OPPOSED: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let lines = include_str!("antonyms.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).collect()
});

static RELATED: LazyLock<BTreeSet<&'static str>> = LazyLock::new(|| {
    let groups = relations::RELATIONS.iter();
    groups.flat_map(|group| group.split_whitespace()).collect()
});

fn fold(word: &str) -> String {
    if word.is_ascii() {
        stem(word)
    } else {
        word.to_owned()
    }
}

pub(super) fn sense(word: &str) -> Option<Sense> {
    SENSES.get(word).copied()
}

/// Whether one word for the other changes what is said: opposites, or two of
/// one kind.
pub(super) fn contrast(a: &str, b: &str) -> bool {
    if let (Some(a), Some(b)) = (sense_of(a), sense_of(b)) {
        return a.concept == b.concept && a.negative != b.negative;
    }
    let (a, b) = (fold(a), fold(b));
    if ANTONYMS.contains(&(a.clone(), b.clone())) || is_prefixed(&a, &b) || is_prefixed(&b, &a) {
        return true;
    }
    let (Some(ours), Some(theirs)) = (KINDS.get(&a), KINDS.get(&b)) else {
        return false;
    };
    ours.iter().any(|(kind, name)| {
        theirs
            .iter()
            .any(|(other, its)| kind == other && name != its)
    })
}

/// Uncrewed, crewed; non-linear, linear. Other prefixes (import, inform) make other
/// words as often as opposites: those that do are in the list.
fn is_prefixed(longer: &str, word: &str) -> bool {
    let rest = longer
        .strip_prefix("non-")
        .or_else(|| longer.strip_prefix("non"))
        .or_else(|| longer.strip_prefix("un"));
    rest == Some(word) && word.len() >= 4
}

/// Whether two words are known to say the same.
pub(super) fn same(a: &str, b: &str) -> bool {
    let (first, second) = (fold(a), fold(b));
    if first == second {
        return true;
    }
    match (sense_of(a), sense_of(b)) {
        (Some(a), Some(b)) => a.concept == b.concept && a.negative == b.negative,
        _ => false,
    }
}

/// Whether two words of grammar relate the same things the other way round.
pub(super) fn opposed_relations(a: &str, b: &str) -> bool {
    relations::RELATIONS.iter().any(|group| {
        let Some((one, other)) = group.split_once('|') else {
            return false;
        };
        let stands = |side: &str, word: &str| side.split_whitespace().any(|its| its == word);
        stands(one, a) && stands(other, b) || stands(one, b) && stands(other, a)
    })
}

/// Words that make a plan, an attempt or a guess of a fact.
pub(super) fn is_hedge(word: &str) -> bool {
    relations::HEDGES.contains(&word)
}

/// Whether the form of an English word says that it names nobody ("Previously",
/// "Former"), wherever its capital comes from.
pub(super) fn is_ordinary(word: &str) -> bool {
    const ENDS: &[&str] = &[
        "ously", "ently", "ally", "tion", "ments", "ness", "ical", "ible",
    ];
    relations::OPENERS.contains(&word)
        || OPPOSED.contains(word)
        || ENDS
            .iter()
            .any(|end| word.ends_with(end) && word.len() >= end.len() + 4)
}

fn sense_of(word: &str) -> Option<Sense> {
    sense(word).or_else(|| sense(&fold(word)))
}

/// A known word of any list: no name, whatever its capital says.
pub(super) fn is_known(word: &str) -> bool {
    is_function(word)
        || sense_of(word).is_some()
        || KINDS.contains_key(&fold(word))
        || RELATED.contains(word)
        || !word.is_ascii() && relations::HEDGES.contains(&word)
}

/// A crude English stem: inflection off, so that forms of one word meet.
pub(super) fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 {
        return word.to_owned();
    }
    let cut = |end: &str, least: usize| {
        word.strip_suffix(end)
            .filter(|rest| rest.len() >= least && rest.bytes().any(|c| b"aeiouy".contains(&c)))
    };
    let base = if let Some(rest) = cut("ies", 2).or_else(|| cut("ied", 2)) {
        return format!("{rest}y");
    } else if word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        word
    } else if let Some(rest) = cut("ing", 3).or_else(|| cut("ed", 3)) {
        rest
    } else if let Some(rest) = cut("es", 3) {
        rest
    } else if let Some(rest) = cut("s", 3) {
        rest
    } else {
        word
    };
    let base = base.strip_suffix('e').unwrap_or(base);
    let bytes = base.as_bytes();
    let doubled = bytes.len() > 3
        && base.len() < word.len()
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !b"lsz".contains(&bytes[bytes.len() - 1]);
    base[..base.len() - usize::from(doubled)].to_owned()
}

const FUNCTION: &str = "a an the of in on at to for with by from and or but as that which who whom whose \
    this these those it its is are was were be been being am has have had having do does did will would can \
    could may might must shall should he she they i we you him her them his their our your my me us there here \
    then than so into onto over about after before while when where if because since until during such also \
    very just own up out off down between through against under per via using use uses used not no nor n't and/or \
    what how why although though however both each all any some every more most less few only other another \
    now yet still already again too well get got s re ve ll \
    的 了 在 是 和 与 及 以及 被 把 将 对 为 由 从 到 向 其 该 这 那 也 都 就 已 已经 并 并且 而 但 但是 或 \
    因为 所以 因此 然后 不过 于 之 中 上 下 里 内 后 前 时 个 们 我 你 他 她 它 我们 他们 它们 地 得 着 过 等 \
    一 有 会 要 还 又 再 给 让 使 使用 用 以 则 即 如果 若 至 共 约 请 可 可以 可能 应 应该 必须 不 没 没有 未 无 不得 \
    禁止 全部 所有 每 部分 一些 仅 只 只能 进行 了解 目前 当前 现在 其中 关于 通过了";

static FUNCTIONS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| FUNCTION.split_whitespace().collect());

/// Words of grammar, which say nothing of where a claim comes from.
pub(super) fn is_function(word: &str) -> bool {
    FUNCTIONS.contains(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_meet() {
        for (a, b) in [
            ("running", "run"),
            ("tests", "test"),
            ("copies", "copy"),
            ("stopped", "stop"),
            ("created", "create"),
            ("passes", "passing"),
        ] {
            assert_eq!(stem(a), stem(b), "{a} {b}");
        }
    }

    #[test]
    fn opposites_and_kinds_differ_synonyms_do_not() {
        for (a, b) in [
            ("failed", "succeeded"),
            ("失败", "成功"),
            ("red", "blue"),
            ("增加", "减少"),
            ("monday", "friday"),
            ("上午", "下午"),
            ("mother", "father"),
        ] {
            assert!(contrast(a, b), "{a} {b}");
        }
        for (a, b) in [
            ("failed", "failure"),
            ("buy", "purchase"),
            ("mom", "mother"),
            ("删除", "移除"),
        ] {
            assert!(!contrast(a, b), "{a} {b}");
        }
        assert!(same("buy", "purchase") && same("失败", "failed"));
    }
}
