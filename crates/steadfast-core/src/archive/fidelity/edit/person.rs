//! Names of people and organisations in Chinese, which no capital marks.

use std::ops::Range;

use super::super::Pair;
use super::super::lexicon;
use super::super::reading::Word;
use crate::text::token::is_han;

/// The bytes of a run of Chinese words.
pub(super) fn han_run(words: &[Word]) -> Option<Range<usize>> {
    let mut han = words.iter().filter(|word| word.lower.chars().all(is_han));
    let first = han.next()?;
    let last = han.next_back().unwrap_or(first);
    Some(first.span.start..last.span.end)
}

pub(in super::super) const SURNAMES: &str = "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳唐罗薛贺倪汤殷毕郝邬安常乐傅齐康伍余元顾孟黄穆萧尹姚邵汪祁毛狄米贝明臧戴宋庞熊纪舒屈项祝董梁杜阮蓝闵席季麻强贾路江童颜郭梅盛林刁钟徐邱骆高夏蔡田胡凌霍万柯卢莫房丁邓洪包左石崔吉龚程邢裴陆荣翁甄曲封侯段富焦巴侯刘叶白";

/// Ends of names of organisations and places.
const ENDS: &[&str] = &[
    "公司", "银行", "集团", "大学", "医院", "部", "局", "院", "所", "厂", "店", "省", "市", "县",
    "区", "路", "街", "中心", "学院", "科技", "仓库", "仓", "组", "室",
];

/// A person of the source whom the claim does not name, and in the same place of it
/// one whom the source does not name.
pub(super) fn other_person<'w>(
    pair: &Pair<'_, '_>,
    old: &'w [Word],
    new: &'w [Word],
) -> Option<(&'w Word, &'w Word)> {
    let (a, b) = (old.first()?, new.first()?);
    let source = pair.sources.spans[pair.aligned[0].at.0].2.text;
    let theirs = person_at(source, a.span.start)?;
    let ours = person_at(pair.summary.text, b.span.start)?;
    let claim = &pair.summary.text[pair.claim.span.clone()];
    let surname = |name: &str| name.chars().next();
    let is_other = surname(theirs) != surname(ours)
        && !claim.contains(theirs)
        && pair.sources.may_walk()
        && !pair
            .sources
            .readings()
            .any(|(_, reading)| reading.text.contains(ours));
    is_other.then_some((a, b))
}

/// A surname and one more character that are no word, and behind them something
/// that no name goes on with.
fn person_at(text: &str, at: usize) -> Option<&str> {
    let rest = &text[at..];
    let mut chars = rest.char_indices();
    let (_, surname) = chars.next()?;
    let (second, c) = chars.next()?;
    let end = second + c.len_utf8();
    let name = &rest[..end];
    let next: String = rest[end..]
        .chars()
        .take_while(|c| is_han(*c))
        .take(2)
        .collect();
    let first = next.chars().next().map(String::from).unwrap_or_default();
    let ends = next.is_empty() || lexicon::is_known(&next) || lexicon::is_known(&first);
    (SURNAMES.contains(surname) && is_han(c) && !lexicon::is_known(name) && ends).then_some(name)
}

/// Two Chinese names that differ: of people by surname and length, of
/// organisations by a common end.
pub(super) fn han_name(
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
