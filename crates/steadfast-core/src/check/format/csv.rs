//! CSV: every record has as many fields as the first (RFC 4180).

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said};

pub(super) fn check(answer: &Answer<'_>) -> Outcome {
    let allowed = super::said(
        "CSV：每行字段数相同，至少两列",
        "CSV: each record with as many fields, at least two",
    );
    let whole = super::without_outer_fence(answer.text).unwrap_or_else(|| answer.trimmed());
    let records = records(&answer.text[whole.clone()]);
    let Some((_, columns)) = records.first() else {
        return answer.broken(allowed, super::said("空答案", "an empty answer"), []);
    };
    let wrong = records
        .iter()
        .find(|(_, fields)| fields != columns || *fields < 2);
    match wrong {
        Some((range, fields)) => {
            let found = Said::new(
                format!("这一行有 {fields} 个字段，第一行有 {columns} 个"),
                format!("a record of {fields} fields, the first has {columns}"),
            );
            let place = whole.start + range.start..whole.start + range.end;
            answer.broken(allowed, found, [place])
        }
        None => Outcome::Kept,
    }
}

/// Each record with its number of fields; blank lines aside.
fn records(text: &str) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    let (mut start, mut fields, mut quoted) = (0, 1, false);
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => fields += 1,
            '\n' if !quoted || at == text.len() => {
                if !text[start..at].trim().is_empty() {
                    found.push((start..start + text[start..at].trim_end().len(), fields));
                }
                start = (at + 1).min(text.len());
                fields = 1;
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_in_quotation_marks() {
        let fields: Vec<usize> = records("a,b\n\"x, \"\"y\"\"\nz\",2\n\n3")
            .into_iter()
            .map(|(_, n)| n)
            .collect();
        assert_eq!(fields, [2, 2, 1]);
    }
}
