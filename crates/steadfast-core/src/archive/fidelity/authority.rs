//! Who said it: "the user asked" needs a user who did.

use super::{Finding, FindingKind, Pair, Speaker};
use crate::text::token::find_words;

const USER_SAYS: &[&str] = &[
    "the user asked",
    "the user requested",
    "the user wants",
    "the user wanted",
    "the user said",
    "the user approved",
    "the user confirmed",
    "the user requires",
    "the user required",
    "the user agreed",
    "the user instructed",
    "the user told",
    "user asked",
    "user requested",
    "user approved",
    "user confirmed",
    "user wants",
    "as requested by the user",
    "per the user",
    "at the user's request",
    "approved by the user",
    "confirmed by the user",
    "用户要求",
    "用户希望",
    "用户表示",
    "用户同意",
    "用户批准",
    "用户确认",
    "用户指示",
    "用户说",
    "用户提出",
    "用户授权",
    "应用户要求",
    "按用户要求",
    "根据用户要求",
    "经用户批准",
    "经用户同意",
    "用户已批准",
    "用户已同意",
    "用户已确认",
];

pub(super) fn check(pair: &Pair<'_, '_>, findings: &mut Vec<Finding>) {
    let piece = pair.summary.text[pair.claim.span.clone()].to_ascii_lowercase();
    let Some(at) = USER_SAYS
        .iter()
        .find_map(|words| find_words(&piece, words, 0))
    else {
        return;
    };
    let by = |one: &super::Aligned| pair.sources.spans[one.at.0].1;
    let supported = pair.aligned.iter().any(|one| match by(one) {
        Speaker::User => true,
        Speaker::Unknown => names_user(pair, one.at),
        Speaker::Agent | Speaker::Data => false,
    });
    if supported {
        return;
    }
    let source = pair.nearest().map(|(reading, sentence, _)| {
        reading.place(
            pair.sources.seq(pair.aligned[0].at.0),
            sentence.span.clone(),
        )
    });
    let start = pair.claim.span.start;
    findings.push(pair.finding(
        FindingKind::Authority,
        start + at.start..start + at.end,
        source,
        "no user says so in the source",
    ));
}

/// A source of unknown speaker: the user is named in it, or speaks.
fn names_user(pair: &Pair<'_, '_>, at: super::align::At) -> bool {
    let reading = &pair.sources.spans[at.0].2;
    let around = reading
        .sentences
        .iter()
        .skip(at.1.saturating_sub(1))
        .take(2);
    around.into_iter().any(|sentence| {
        let piece = reading.text[sentence.span.clone()].to_ascii_lowercase();
        piece.contains("user") || piece.contains("用户") || piece.contains("客户")
    })
}
