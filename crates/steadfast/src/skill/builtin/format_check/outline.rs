//! The headings of a draft: one title, no level left out, none twice, none
//! with nothing under it.

use std::collections::BTreeMap;

use pulldown_cmark::{Event, Parser, Tag, TagEnd};

use super::super::lines::Lines;
use super::structure::options;
use super::{Issue, Rules};

/// One heading with what stands under it.
struct Heading {
    level: usize,
    text: String,
    line: usize,
    /// It is the first block of the draft.
    first: bool,
    /// Blocks stand between it and the next heading.
    has_body: bool,
}

pub(super) fn issues(draft: &str, lines: &Lines, rules: &Rules) -> Vec<Issue> {
    let headings = headings(draft, lines);
    let mut issues = Vec::new();
    if rules.one_title {
        title(draft, lines, &headings, &mut issues);
    }
    levels(&headings, &mut issues);
    empty(&headings, &mut issues);
    if rules.unique_headings {
        twice(&headings, &mut issues);
    }
    for section in &rules.required_sections {
        let wanted = folded(section);
        if !headings
            .iter()
            .any(|heading| folded(&heading.text) == wanted)
        {
            let message = format!("the section `{section}` is missing");
            issues.push(Issue {
                line: 1,
                rule: "required_section",
                message,
            });
        }
    }
    issues
}

fn headings(draft: &str, lines: &Lines) -> Vec<Heading> {
    let mut headings: Vec<Heading> = Vec::new();
    let mut depth = 0usize;
    let mut blocks = 0usize;
    let mut open: Option<Heading> = None;
    for (event, range) in Parser::new_ext(draft, options()).into_offset_iter() {
        match event {
            Event::Start(Tag::Heading { level, .. }) if depth == 0 => {
                let line = lines.number(range.start);
                let (level, first) = (level as usize, blocks == 0);
                open = Some(Heading {
                    level,
                    text: String::new(),
                    line,
                    first,
                    has_body: false,
                });
                blocks += 1;
                depth += 1;
            }
            Event::End(TagEnd::Heading(_)) if depth == 1 => {
                headings.extend(open.take());
                depth -= 1;
            }
            Event::Start(Tag::MetadataBlock(_)) => depth += 1,
            Event::Start(_) => {
                if depth == 0 {
                    blocks += 1;
                    headings
                        .iter_mut()
                        .last()
                        .into_iter()
                        .for_each(|last| last.has_body = true);
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            Event::Text(words) | Event::Code(words) => {
                if let Some(heading) = &mut open {
                    heading.text.push_str(&words);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(heading) = &mut open {
                    heading.text.push(' ');
                }
            }
            // A rule divides; it says nothing.
            _ => {}
        }
    }
    headings
}

fn title(draft: &str, lines: &Lines, headings: &[Heading], issues: &mut Vec<Issue>) {
    let rule = "one_title";
    let mut titles = headings.iter().filter(|heading| heading.level == 1);
    match titles.next() {
        None => {
            let message = "the draft has no title: begin it with `# ` and the title".to_owned();
            issues.push(Issue {
                line: 1,
                rule,
                message,
            });
        }
        Some(title) if !title.first => {
            let start = draft.len() - draft.trim_start().len();
            let message = format!(
                "the title `{}` stands on line {}, not at the start",
                title.text, title.line
            );
            issues.push(Issue {
                line: lines.number(start),
                rule,
                message,
            });
        }
        Some(_) => {}
    }
    issues.extend(titles.map(|extra| Issue {
        line: extra.line,
        rule,
        message: format!("`{}` is a second level-1 heading", extra.text),
    }));
}

fn levels(headings: &[Heading], issues: &mut Vec<Issue>) {
    for pair in headings.windows(2) {
        if pair[1].level > pair[0].level + 1 {
            let message = format!(
                "`{}` is of level {} under a heading of level {}",
                pair[1].text, pair[1].level, pair[0].level
            );
            issues.push(Issue {
                line: pair[1].line,
                rule: "heading_jump",
                message,
            });
        }
    }
}

fn empty(headings: &[Heading], issues: &mut Vec<Issue>) {
    for (index, heading) in headings.iter().enumerate() {
        if heading.text.trim().is_empty() {
            let message = "the heading has no text".to_owned();
            issues.push(Issue {
                line: heading.line,
                rule: "empty_heading",
                message,
            });
        }
        let deeper = headings
            .get(index + 1)
            .is_some_and(|next| next.level > heading.level);
        if !heading.has_body && !deeper {
            let message = format!("nothing stands under `{}`", heading.text);
            issues.push(Issue {
                line: heading.line,
                rule: "empty_section",
                message,
            });
        }
    }
}

fn twice(headings: &[Heading], issues: &mut Vec<Issue>) {
    let mut seen: BTreeMap<(usize, String), usize> = BTreeMap::new();
    for heading in headings {
        let key = (heading.level, folded(&heading.text));
        if let Some(line) = seen.get(&key) {
            let message = format!("`{}` is already a heading on line {line}", heading.text);
            issues.push(Issue {
                line: heading.line,
                rule: "duplicate_heading",
                message,
            });
        } else {
            seen.insert(key, heading.line);
        }
    }
}

fn folded(text: &str) -> String {
    super::super::words::fold(text.trim())
}
