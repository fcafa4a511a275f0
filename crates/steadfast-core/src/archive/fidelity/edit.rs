//! Sentences that are a copy but for a few words: what was put in the place of
//! what.

use std::ops::Range;

use super::lexicon;
use super::reading::{Sentence, Word};
use super::{Finding, FindingKind, Pair};
use crate::limits::FIDELITY_WORDS_MAX;
use crate::text::token::is_han;

/// How much of both sentences has to be the same.
const COPY_PERCENT: usize = 60;
/// In how close a copy words that were put in are a finding.
const CLOSE_COPY_PERCENT: usize = 80;
/// So many words of content in a row, with nothing taken out, are a new fact.
const INSERTED_WORDS: usize = 3;

pub(super) fn check(pair: &Pair<'_, '_>, strict: bool, findings: &mut Vec<Finding>) {
    let Some((reading, theirs, _)) = pair.nearest() else {
        return;
    };
    let ours = pair.claim;
    if ours.words.len() > FIDELITY_WORDS_MAX || theirs.words.len() > FIDELITY_WORDS_MAX {
        return;
    }
    let runs = differing(&theirs.words, &ours.words);
    let kept: usize = ours.words.len() - runs.iter().map(|(_, b)| b.len()).sum::<usize>();
    let percent = kept * 200 / (ours.words.len() + theirs.words.len()).max(1);
    let of_ours = kept * 100 / ours.words.len().max(1);
    if percent < COPY_PERCENT && of_ours < COPY_PERCENT + 15 {
        return;
    }
    let seq = pair.sources.seq(pair.aligned[0].at.0);
    for (from, to) in runs {
        let (old, new) = (&theirs.words[from.clone()], &ours.words[to.clone()]);
        if let Some((kind, a, b, why)) = replaced(pair, theirs, old, new, percent, strict) {
            let already = findings
                .iter()
                .any(|one| one.span.start < b.end && b.start < one.span.end);
            if !already {
                findings.push(pair.finding(kind, b, Some(reading.place(seq, a)), why));
            }
        }
    }
}

type Difference = (FindingKind, Range<usize>, Range<usize>, &'static str);

fn replaced(
    pair: &Pair<'_, '_>,
    theirs: &Sentence,
    old: &[Word],
    new: &[Word],
    percent: usize,
    strict: bool,
) -> Option<Difference> {
    let is_new = |word: &&Word| !theirs.keys.contains(&word.key) && !word.is_function;
    let is_gone = |word: &&Word| !pair.claim.keys.contains(&word.key) && !word.is_function;
    for b in new {
        for a in old {
            let opposite = a.lower != b.lower && lexicon::contrast(&a.lower, &b.lower);
            if opposite && (is_gone(&a) || is_new(&b)) && !moved(pair, theirs, a, b) {
                return Some((
                    FindingKind::Contrast,
                    a.span.clone(),
                    b.span.clone(),
                    "another of its kind, or the opposite",
                ));
            }
        }
    }
    let name = |word: &&Word| word.is_capital && !lexicon::is_known(&word.lower);
    if let (Some(a), Some(b)) = (old.iter().find(name), new.iter().find(name))
        && a.key != b.key
        && !common_head(&a.lower, &b.lower)
        && !moved(pair, theirs, a, b)
        && !(a.lower.starts_with(&b.lower) || b.lower.starts_with(&a.lower))
    {
        return Some((
            FindingKind::Name,
            a.span.clone(),
            b.span.clone(),
            "another name",
        ));
    }
    if let (Some(a), Some(b)) = (han_run(old), han_run(new))
        && percent >= COPY_PERCENT
        && let Some(why) = han_name(
            pair.sources.spans[pair.aligned[0].at.0].2.text,
            &a,
            pair.summary.text,
            &b,
        )
    {
        return Some((FindingKind::Name, a, b, why));
    }
    let fresh: Vec<&Word> = new
        .iter()
        .filter(is_new)
        .filter(|word| !pair.sources.has(&word.key))
        .collect();
    let gone: Vec<&Word> = old.iter().filter(is_gone).collect();
    if gone.is_empty() && percent >= CLOSE_COPY_PERCENT {
        let (least, latin) = (
            INSERTED_WORDS,
            fresh.iter().all(|word| word.lower.is_ascii()),
        );
        if latin && fresh.len() >= least {
            let at = old
                .first()
                .map_or(theirs.span.clone(), |word| word.span.clone());
            let span = fresh[0].span.start..fresh[fresh.len() - 1].span.end;
            return Some((
                FindingKind::Insertion,
                at,
                span,
                "words that the source does not have",
            ));
        }
    }
    if strict && percent >= CLOSE_COPY_PERCENT && !gone.is_empty() {
        let strange = fresh.iter().find(|b| {
            !gone
                .iter()
                .any(|a| lexicon::same(&a.lower, &b.lower) || common_head(&a.lower, &b.lower))
        })?;
        return Some((
            FindingKind::Substitution,
            gone[0].span.clone(),
            strange.span.clone(),
            "another word in a copied sentence",
        ));
    }
    None
}

/// Both words stand in both sentences: the order changed, unless one was put
/// exactly in the other's place in a copy.
fn moved(pair: &Pair<'_, '_>, theirs: &Sentence, a: &Word, b: &Word) -> bool {
    let has = |sentence: &Sentence, word: &Word| {
        sentence.keys.contains(&word.key)
            && sentence.words.iter().any(|one| one.lower == word.lower)
    };
    has(pair.claim, a) && has(theirs, b) && pair.claim.words.len() != theirs.words.len()
}

fn common_head(a: &str, b: &str) -> bool {
    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    same >= 4
}

/// The bytes of a run of Chinese words.
fn han_run(words: &[Word]) -> Option<Range<usize>> {
    let mut han = words.iter().filter(|word| word.lower.chars().all(is_han));
    let first = han.next()?;
    let last = han.next_back().unwrap_or(first);
    Some(first.span.start..last.span.end)
}

pub(super) const SURNAMES: &str = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳唐罗薛贺倪汤殷毕郝邬安常乐傅齐康伍余元顾孟黄穆萧尹姚邵汪祁毛狄米贝明臧戴宋庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路江童颜郭梅盛林刁钟徐邱骆高夏蔡田胡凌霍万柯卢莫房丁邓洪包左石崔吉龚程邢裴陆荣翁甄曲封侯段富焦巴侯刘叶白";

/// Ends of names of organisations and places.
const ENDS: &[&str] = &[
    "公司", "银行", "集团", "大学", "医院", "部", "局", "院", "所", "厂", "店", "省", "市", "县",
    "区", "路", "街", "中心", "学院", "科技", "仓库", "仓", "组", "室",
];

/// Two Chinese names that differ: of people by surname and length, of
/// organisations by a common end.
fn han_name(
    source: &str,
    a: &Range<usize>,
    summary: &str,
    b: &Range<usize>,
) -> Option<&'static str> {
    let (a, b) = (widen(source, a), widen(summary, b));
    let (old, new) = (&source[a], &summary[b]);
    let person = |name: &str| {
        (2..=3).contains(&name.chars().count())
            && name.chars().next().is_some_and(|c| SURNAMES.contains(c))
    };
    if person(old) && person(new) && old != new {
        return Some("another person");
    }
    ENDS.iter()
        .any(|end| {
            old != new
                && old.ends_with(end)
                && new.ends_with(end)
                && old.chars().count() <= 8
                && new.chars().count() <= 8
                && old.len() > end.len()
                && new.len() > end.len()
        })
        .then_some("another organisation or place")
}

/// Pairs of characters overlap; what differs may begin a character later.
fn widen(text: &str, span: &Range<usize>) -> Range<usize> {
    let piece = &text[span.clone()];
    let skip = piece
        .chars()
        .take_while(|c| "由让给与和向对被请经".contains(*c))
        .map(char::len_utf8)
        .sum::<usize>();
    span.start + skip.min(piece.len())..span.end
}

/// What two lists of words have not in common, in order: from the first, to
/// the second. The longest common sequence by dynamic programming; both lists
/// are short.
fn differing(a: &[Word], b: &[Word]) -> Vec<(Range<usize>, Range<usize>)> {
    let width = b.len() + 1;
    let mut table = vec![0_u16; (a.len() + 1) * width];
    for i in (0..a.len()).rev() {
        for j in (0..b.len()).rev() {
            table[i * width + j] = if a[i].lower == b[j].lower {
                table[(i + 1) * width + j + 1] + 1
            } else {
                table[(i + 1) * width + j].max(table[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j) = (0, 0);
    let (mut from, mut to) = (0, 0);
    let mut found = Vec::new();
    let mut close = |i: usize, j: usize, from: usize, to: usize| {
        if i > from || j > to {
            found.push((from..i, to..j));
        }
    };
    while i < a.len() && j < b.len() {
        if a[i].lower == b[j].lower {
            close(i, j, from, to);
            i += 1;
            j += 1;
            (from, to) = (i, j);
        } else if table[(i + 1) * width + j] >= table[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    close(a.len(), b.len(), from, to);
    found
}
