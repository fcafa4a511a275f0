//! HTML: the answer begins and ends with a tag, and tags close as they opened.

use std::ops::Range;

use crate::check::answer::Answer;
use crate::check::evidence::{Outcome, Said};

/// Elements without an end tag.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr", "!doctype",
];
/// Elements whose end tag may be left out.
const OPEN_ENDED: [&str; 12] = [
    "p", "li", "dt", "dd", "tr", "td", "th", "thead", "tbody", "tfoot", "option", "colgroup",
];

pub(super) fn check(answer: &Answer<'_>) -> Outcome {
    let allowed = || super::said("整个答案是 HTML", "the whole answer as HTML");
    let whole = super::without_outer_fence(answer.text).unwrap_or_else(|| answer.trimmed());
    let text = answer.text[whole.clone()].trim();
    let offset =
        whole.start + (answer.text[whole.clone()].len() - answer.text[whole].trim_start().len());
    if !text.starts_with('<') || !text.ends_with('>') {
        let found = super::said("标签之外还有文字", "text around the tags");
        return answer.broken(allowed(), found, Some(offset..offset + text.len()));
    }
    match unbalanced(text) {
        Some((range, name)) => {
            let found = Said::new(
                format!("标签 <{name}> 不成对"),
                format!("the tag <{name}> without its other half"),
            );
            answer.broken(
                allowed(),
                found,
                Some(offset + range.start..offset + range.end),
            )
        }
        None => Outcome::Kept,
    }
}

/// The first tag that does not fit.
fn unbalanced(text: &str) -> Option<(Range<usize>, String)> {
    let mut open: Vec<(Range<usize>, String)> = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find('<') {
        let start = at + next;
        let rest = &text[start..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            at = start + 4 + comment.find("-->").map_or(comment.len(), |end| end + 3);
            continue;
        }
        // `a < b` is text. Asked first, so that no end is looked for in vain.
        if !rest[1..].starts_with('/') && name_of(&rest[1..]).is_empty() {
            at = start + 1;
            continue;
        }
        let Some(length) = rest.find('>') else {
            return Some((start..text.len(), name_of(&rest[1..])));
        };
        let end = start + length + 1;
        at = end;
        let inside = &text[start + 1..end - 1];
        if let Some(closing) = inside.strip_prefix('/') {
            let name = name_of(closing);
            while open
                .last()
                .is_some_and(|(_, top)| *top != name && OPEN_ENDED.contains(&top.as_str()))
            {
                open.pop();
            }
            match open.pop() {
                Some((_, top)) if top == name => {}
                _ if OPEN_ENDED.contains(&name.as_str()) => {}
                _ => return Some((start..end, name)),
            }
            continue;
        }
        let name = name_of(inside);
        if !inside.ends_with('/') && !VOID.contains(&name.as_str()) {
            // What a script or style holds is not read as tags.
            if name == "script" || name == "style" {
                at = end + text[end..].find("</").unwrap_or(text.len() - end);
            }
            open.push((start..end, name));
        }
    }
    open.retain(|(_, name)| !OPEN_ENDED.contains(&name.as_str()));
    open.pop()
}

fn name_of(inside: &str) -> String {
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '!');
    inside
        .chars()
        .take(32)
        .take_while(|c| is_name(*c))
        .collect::<String>()
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_in_pairs() {
        for text in [
            "<p>a<br>b</p>",
            "<ul><li>a<li>b</ul>",
            "<!DOCTYPE html><html><body>1 < 2 <!-- <x> --></body></html>",
            "<script>if (a<b) {}</script>",
            "<img src=x/><hr>",
        ] {
            assert_eq!(unbalanced(text), None, "{text}");
        }
        for (text, name) in [
            ("<div><b>a</div>", "div"),
            ("<div>", "div"),
            ("</b>", "b"),
            ("<b", "b"),
        ] {
            assert_eq!(
                unbalanced(text).map(|(_, name)| name).as_deref(),
                Some(name),
                "{text}"
            );
        }
    }
}
