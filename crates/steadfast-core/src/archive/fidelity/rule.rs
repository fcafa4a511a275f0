//! Rules and permissions in a summary: a summary tells what was done, and may
//! repeat a rule only where the source gives it.

use std::ops::Range;

use super::align::Aligned;
use super::modality::{Force, force};
use super::reading::{Reading, Sentence, within};
use super::{Finding, FindingKind, Options, Pair, SourceSpan, whole};
use crate::text::negation::NegationKind;
use crate::text::token::find_words;

/// Signs of a lasting rule or a permission beyond the modal words.
const STANDING: &[&str] = &[
    "from now on",
    "in future",
    "in the future",
    "going forward",
    "at all times",
    "no exceptions",
    "under no circumstances",
    "今后",
    "以后都",
    "从现在起",
    "始终",
    "任何情况下",
    "不得有例外",
    "一律",
];
const LEAVE: &[&str] = &[
    "allowed to",
    "permitted to",
    "free to",
    "authorized to",
    "authorised to",
    "no approval needed",
    "no approval is needed",
    "without approval",
    "without asking",
    "no need to ask",
    "may be skipped",
    "is optional",
    "are optional",
    "may skip",
    "can skip",
    "full access",
    "permission to",
    "允许",
    "可以",
    "有权",
    "无需批准",
    "无需审批",
    "不必确认",
    "无需确认",
    "授权",
    "可跳过",
    "免审批",
    "不必经过",
];

/// Whether the claim is a rule with no source; then a finding was made.
pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) -> bool {
    let Some((span, kind)) = rule(pair.summary, pair.claim) else {
        return false;
    };
    let has_source = pair.aligned.iter().any(|one| gives(pair, one, kind));
    if has_source {
        return false;
    }
    let source = pair.nearest().map(|(reading, sentence, _)| {
        reading.place(
            pair.sources.seq(pair.aligned[0].at.0),
            sentence.span.clone(),
        )
    });
    let (kind, why) = match kind {
        Kind::Demand => (
            FindingKind::InventedRule,
            "a rule that the source does not give",
        ),
        Kind::Leave => (
            FindingKind::InventedPermission,
            "a permission that the source does not give",
        ),
    };
    findings.push(pair.finding(kind, span, source, why));
    true
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Demand,
    Leave,
}

/// The rule that a sentence gives, and the words that make it one.
fn rule(reading: &Reading<'_>, sentence: &Sentence) -> Option<(Range<usize>, Kind)> {
    let piece = reading.text[sentence.span.clone()].to_ascii_lowercase();
    let find = |list: &[&str]| {
        let mut all = list.iter().filter_map(|words| find_words(&piece, words, 0));
        let at = all.next()?;
        Some(at.start + sentence.span.start..at.end + sentence.span.start)
    };
    if let Some(span) = find(LEAVE) {
        let denied = within(&reading.negations, &sentence.span, |one| &one.span).any(|one| {
            one.span.end <= span.start && span.start - one.span.end < 8
                || one.span.contains(&span.start)
        });
        return Some((
            span.clone(),
            if denied && !is_release(reading, &span) {
                Kind::Demand
            } else {
                Kind::Leave
            },
        ));
    }
    if let Some(span) = find(STANDING) {
        return Some((span, Kind::Demand));
    }
    for one in within(&reading.modals, &sentence.span, |one| &one.span) {
        match force(one.modality, &reading.text[one.span.clone()]) {
            Some(Force::Must | Force::MustNot | Force::Should | Force::ShouldNot) => {
                return Some((one.span.clone(), Kind::Demand));
            }
            Some(Force::May | Force::NeedNot) => return Some((one.span.clone(), Kind::Leave)),
            _ => {}
        }
    }
    within(&reading.negations, &sentence.span, |one| &one.span)
        .find(|one| {
            one.kind == NegationKind::Prohibition && is_order(reading, sentence, one.span.start)
        })
        .map(|one| (one.span.clone(), Kind::Demand))
}

fn is_release(reading: &Reading<'_>, span: &Range<usize>) -> bool {
    let words = &reading.text[span.clone()];
    words.contains(['无', '不', '免']) || words.to_ascii_lowercase().contains("no ")
}

/// "Do not …" at the head of a sentence or clause, and Chinese 不要, 请勿, 禁止:
/// not "they do not".
fn is_order(reading: &Reading<'_>, sentence: &Sentence, at: usize) -> bool {
    let before = reading.text[sentence.span.start..at].trim_end();
    let rest = &reading.text[at..];
    let chinese = [
        "不要", "请勿", "切勿", "勿", "严禁", "禁止", "别", "不许", "不准", "不得",
    ];
    if chinese.iter().any(|words| rest.starts_with(words)) {
        return !rest.starts_with("别的");
    }
    let lower = rest.to_ascii_lowercase();
    (lower.starts_with("do not")
        || lower.starts_with("don't")
        || lower.starts_with("never")
        || lower.starts_with("avoid"))
        && (before.is_empty() || before.ends_with([':', '：', ',', '-', '*', ';']))
}

/// Whether a source sentence, or its neighbours, gives a rule of that kind.
fn gives(pair: &Pair<'_, '_>, one: &Aligned, kind: Kind) -> bool {
    if one.share < 0.2 {
        return false;
    }
    let reading = &pair.sources.spans[one.at.0].2;
    let sentence = &reading.sentences[one.at.1];
    let piece = reading.text[sentence.span.clone()].to_ascii_lowercase();
    let own = rule(reading, sentence).map(|(_, kind)| kind);
    let forces = within(&reading.modals, &sentence.span, |one| &one.span)
        .filter_map(|one| force(one.modality, &reading.text[one.span.clone()]));
    let forces: Vec<Force> = forces.collect();
    match kind {
        Kind::Demand => {
            own == Some(Kind::Demand)
                || forces.iter().any(|force| {
                    matches!(
                        force,
                        Force::Must | Force::MustNot | Force::Should | Force::ShouldNot
                    )
                })
                || within(&reading.negations, &sentence.span, |one| &one.span)
                    .any(|one| one.kind == NegationKind::Prohibition)
                || within(&reading.amounts, &sentence.span, |one| &one.span).any(|one| !one.plain)
                || DEMANDS
                    .iter()
                    .any(|words| find_words(&piece, words, 0).is_some())
        }
        Kind::Leave => {
            own == Some(Kind::Leave)
                || forces
                    .iter()
                    .any(|force| matches!(force, Force::May | Force::NeedNot | Force::Possible))
                || [
                    "can",
                    "optional",
                    "allowed",
                    "permitted",
                    "approved",
                    "granted",
                    "可",
                    "能",
                    "许可",
                    "权限",
                    "获准",
                ]
                .iter()
                .any(|words| find_words(&piece, words, 0).is_some())
        }
    }
}

const DEMANDS: &[&str] = &[
    "please",
    "always",
    "only",
    "required",
    "requires",
    "require",
    "requirement",
    "needs",
    "need",
    "limit",
    "deadline",
    "due",
    "make sure",
    "ensure",
    "has to",
    "asked",
    "forced",
    "obliged",
    "compelled",
    "ordered",
    "directed",
    "instructed",
    "told to",
    "mandated",
    "mandatory",
    "demanded",
    "wants",
    "reminds",
    "请",
    "要求",
    "需",
    "需要",
    "要",
    "只",
    "仅",
    "限",
    "务必",
    "上限",
    "截止",
    "确保",
    "提醒",
    "规定",
    "被迫",
    "强制",
    "责令",
    "命令",
];

/// A summary without the rules that its source does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    pub text: String,
    /// What was taken out, with spans of the summary as it came.
    pub removed: Vec<Finding>,
}

/// Takes sentences out of a summary that give a rule or permission which the
/// source does not give. All other words stay as they are.
pub fn strip_rules(source: &[SourceSpan<'_>], summary: &str) -> Stripped {
    let verdict = whole(source, summary, &Options::default());
    let (removed, _): (Vec<Finding>, Vec<Finding>) =
        verdict.findings.into_iter().partition(|one| {
            matches!(
                one.kind,
                FindingKind::InventedRule | FindingKind::InventedPermission
            )
        });
    let mut text = String::with_capacity(summary.len());
    let mut from = 0;
    for claim in &verdict.claims {
        let is_rule = removed
            .iter()
            .any(|one| claim.span.start <= one.span.start && one.span.start < claim.span.end);
        if is_rule {
            text += &summary[from..claim.span.start];
            from = claim.span.end;
        }
    }
    text += &summary[from..];
    Stripped {
        text: text.trim().to_owned(),
        removed,
    }
}

/// The sentences of a text that give a rule or a permission, whoever gives it.
pub fn rules_in(text: &str) -> Vec<Range<usize>> {
    let reading = Reading::of(text);
    let ruling = |sentence: &&Sentence| rule(&reading, sentence).is_some();
    let sentences = reading.sentences.iter().filter(ruling);
    sentences.map(|sentence| sentence.span.clone()).collect()
}
