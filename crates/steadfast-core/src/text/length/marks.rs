//! What opens or is a line and is no part of a sentence: list marks, headings,
//! rulers.

/// The length of a list mark with its indent: `- `, `* `, `3. `, `（一）` are no
/// part of the sentence.
pub(super) fn list_mark(line: &str) -> usize {
    let indent = line.len() - line.trim_start().len();
    let rest = &line[indent..];
    let bullet = rest.starts_with(['-', '*', '+', '•', '·'])
        && rest.chars().nth(1).is_some_and(char::is_whitespace);
    if bullet {
        return indent + rest.chars().next().map_or(0, char::len_utf8);
    }
    indent + numbered_mark(rest)
}

/// The length of the number that opens a list item; 0 where none does.
pub(crate) fn numbered_mark(rest: &str) -> usize {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let behind = rest[digits..].chars().next();
    match behind {
        Some('.' | ')') if (1..=3).contains(&digits) => {
            let end = digits + 1;
            let blank = rest[end..].chars().next().is_none_or(char::is_whitespace);
            if blank { end } else { 0 }
        }
        Some(c @ ('、' | '）' | '．')) if (1..=3).contains(&digits) => digits + c.len_utf8(),
        _ => chinese_mark(rest),
    }
}

/// `一、`, `（二）`, `(三)`, `①`.
fn chinese_mark(rest: &str) -> usize {
    let is_number = |c: char| "一二三四五六七八九十百".contains(c);
    let mut chars = rest.chars();
    let first = chars.next();
    if first.is_some_and(|c| ('①'..='⑳').contains(&c)) {
        return '①'.len_utf8();
    }
    let bracketed = matches!(first, Some('（' | '('));
    let start = if bracketed {
        first.map_or(0, char::len_utf8)
    } else {
        0
    };
    let number: usize = rest[start..]
        .chars()
        .take(3)
        .take_while(|c| is_number(*c) || bracketed && c.is_ascii_digit())
        .map(char::len_utf8)
        .sum();
    let behind = rest[start + number..].chars().next();
    let closes = match behind {
        Some('）' | ')') => bracketed,
        Some('、') => !bracketed,
        _ => false,
    };
    if number > 0 && closes {
        start + number + behind.map_or(0, char::len_utf8)
    } else {
        0
    }
}

/// `# Heading`, of level 1 to 6.
pub(crate) fn heading_level(line: &str) -> Option<usize> {
    let rest = line.trim();
    let level = rest.bytes().take_while(|b| *b == b'#').count();
    let text = &rest[level..];
    ((1..=6).contains(&level) && text.starts_with([' ', '\t']) && !text.trim().is_empty())
        .then_some(level)
}

pub(super) fn is_heading(line: &str) -> bool {
    heading_level(line).is_some()
}

/// `***`, `---`, `___` and longer, alone on a line.
pub(crate) fn is_ruler(line: &str) -> bool {
    let rest = line.trim();
    let Some(mark) = rest.chars().next() else {
        return false;
    };
    matches!(mark, '*' | '-' | '_')
        && rest.chars().filter(|c| *c == mark).count() >= 3
        && rest.chars().all(|c| c == mark || c == ' ')
}
