//! White space at the ends of lines.

use pulldown_cmark::{Event, Parser, Tag};

use super::Issue;
use super::structure::options;

pub(super) fn issues(draft: &str) -> Vec<Issue> {
    // What ends a line of code may matter there.
    let mut code = Parser::new_ext(draft, options())
        .into_offset_iter()
        .filter(|(event, _)| matches!(event, Event::Start(Tag::CodeBlock(_))))
        .map(|(_, range)| range)
        .peekable();
    let mut issues = Vec::new();
    let mut at = 0;
    for (index, line) in draft.split_inclusive('\n').enumerate() {
        let end = at + line.len();
        while code.next_if(|range| range.end <= at).is_some() {}
        let in_code = code.peek().is_some_and(|range| range.start < end);
        let bare = line.trim_end_matches(['\n', '\r']);
        if bare.ends_with([' ', '\t', '\u{3000}']) && !in_code {
            issues.push(Issue {
                line: index + 1,
                rule: "trailing_whitespace",
                message: "the line ends in white space; a line break is a `\\` there".to_owned(),
            });
        }
        at = end;
    }
    issues
}
