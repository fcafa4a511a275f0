//! The form of the whole answer.

mod csv;
mod html;
mod json;
mod markup;

use std::ops::Range;

use crate::check::CheckContext;
use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said, Why};
use crate::ledger::rule::Format;
use crate::text::segment::Fence;

pub(super) fn check(answer: &Answer<'_>, format: &Format, context: &CheckContext<'_>) -> Outcome {
    match format {
        Format::Plain => markup::plain(answer),
        Format::Markdown => markup::markdown(answer),
        Format::Json { schema } => json::check(answer, schema.as_ref(), context.schemas),
        Format::Html => html::check(answer),
        Format::Csv => csv::check(answer),
        Format::Other { named } => Outcome::NotChecked(Why::Unknown {
            name: named.clone(),
        }),
    }
}

/// What stands within the one fence around a whole text; none where there is no
/// such fence.
pub(super) fn without_outer_fence(text: &str) -> Option<Range<usize>> {
    let lead = text.len() - text.trim_start().len();
    let body = text.trim();
    let first_end = body.find('\n')?;
    let (fence, _) = Fence::opened_by(&body[..first_end])?;
    let last_start = body.rfind('\n')?;
    if last_start <= first_end || !fence.is_closed_by(&body[last_start + 1..]) {
        return (last_start == first_end && fence.is_closed_by(&body[last_start + 1..]))
            .then_some(lead + first_end + 1..lead + first_end + 1);
    }
    Some(lead + first_end + 1..lead + last_start)
}

fn said(zh: &str, en: &str) -> Said {
    Said::new(zh, en)
}
