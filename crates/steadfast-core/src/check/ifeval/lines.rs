//! Structure as the reference reads it: its patterns, walked by hand so that
//! the time stays linear.

use super::Set;

/// `^\s*\*[^\*].*$` over lines: the mark may stand behind blank lines, and what
/// follows it may be the line break itself.
pub(super) fn star_bullets(text: &str) -> usize {
    bullets(text, |rest| {
        let behind = rest.strip_prefix('*')?;
        let next = behind.chars().next().filter(|c| *c != '*')?;
        Some(1 + next.len_utf8())
    })
}

/// `^\s*-.*$`.
pub(super) fn dash_bullets(text: &str) -> usize {
    bullets(text, |rest| rest.starts_with('-').then_some(1))
}

fn bullets(text: &str, mark: impl Fn(&str) -> Option<usize>) -> usize {
    let mut found = 0;
    let mut line_start = Some(0);
    while let Some(start) = line_start {
        let at = start + (text[start..].len() - text[start..].trim_start().len());
        let end = match mark(&text[at..]) {
            Some(length) => {
                found += 1;
                at + length
            }
            None => at,
        };
        line_start = text[end..].find('\n').map(|length| end + length + 1);
        // A mark that ate the break takes the next line too, which the search
        // from behind it does by itself.
    }
    found
}

/// `\[.*?\]`.
pub(super) fn placeholders(text: &str) -> usize {
    let mut found = 0;
    for line in text.split('\n') {
        let mut rest = line;
        while let Some(open) = rest.find('[')
            && let Some(length) = rest[open..].find(']')
        {
            found += 1;
            rest = &rest[open + length + 1..];
        }
    }
    found
}

/// `\*[^\n\*]*\*` and `\*\*[^\n\*]*\*\*`, each with something inside: a bold
/// stretch is found by the second only, and what stands between two bold ones
/// is not.
pub(super) fn highlights(text: &str) -> usize {
    let mut found = 0;
    for line in text.split('\n') {
        let stars: Vec<usize> = line.match_indices('*').map(|(at, _)| at).collect();
        let inside = |from: usize, to: usize| !line[from..to].trim().is_empty();
        let mut index = 0;
        while index + 1 < stars.len() {
            found += usize::from(inside(stars[index] + 1, stars[index + 1]));
            index += 2;
        }
        let adjacent = |index: usize| stars.get(index + 1) == Some(&(stars[index] + 1));
        let mut index = 0;
        while index + 3 < stars.len() {
            if adjacent(index) && adjacent(index + 2) {
                found += usize::from(inside(stars[index + 1] + 1, stars[index + 2]));
                index += 4;
            } else {
                index += 1;
            }
        }
    }
    found
}

/// `\s?MARKER\s?\d+\s?`.
pub(super) fn sections(text: &str, marker: &str) -> usize {
    let ends = pattern_ends(text, marker).into_iter();
    ends.filter(|(_, end)| {
        let mut rest = text[*end..].chars();
        let next = rest.next();
        let digit = match next {
            Some(c) if c.is_whitespace() => rest.next(),
            other => other,
        };
        digit.is_some_and(char::is_numeric)
    })
    .count()
}

/// `<<[^\n]+>>` with something inside.
pub(super) fn titles(text: &str) -> usize {
    text.split('\n')
        .filter(|line| {
            let (Some(open), Some(close)) = (line.find("<<"), line.rfind(">>")) else {
                return false;
            };
            open + 2 < close
                && !line[open..close + 2]
                    .trim_start_matches('<')
                    .trim_end_matches('>')
                    .trim()
                    .is_empty()
        })
        .count()
}

/// `P.P.S` and `P.S.` may have a blank between; any other marker is a pattern.
pub(super) fn has_postscript(text: &str, marker: &str) -> bool {
    let text = text.to_lowercase();
    let letters: &[&str] = match marker {
        "P.P.S" => &["p.", "p.", "s"],
        "P.S." => &["p.", "s."],
        "P.D." => &["p.", "d."],
        other => return !pattern_ends(&text, &other.to_lowercase()).is_empty(),
    };
    text.match_indices(letters[0]).any(|(at, _)| {
        let mut rest = &text[at + letters[0].len()..];
        letters[1..].iter().all(|part| {
            let after = rest.strip_prefix(char::is_whitespace).unwrap_or(rest);
            let next = rest.strip_prefix(part).or_else(|| after.strip_prefix(part));
            rest = next.unwrap_or("");
            next.is_some()
        })
    })
}

/// Parts between `******`; two equal ones, or an empty one in the middle, do
/// not count as responses.
pub(super) fn responses(text: &str) -> usize {
    let parts: Vec<&str> = text.split("******").map(str::trim).collect();
    let last = parts.len() - 1;
    let empty_within = parts
        .iter()
        .enumerate()
        .any(|(at, part)| part.is_empty() && at != 0 && at != last);
    let filled: Vec<&&str> = parts.iter().filter(|part| !part.is_empty()).collect();
    if empty_within || filled.len() == 2 && filled[0] == filled[1] {
        return 0;
    }
    filled.len()
}

/// `¿[^?]*\?` with something inside.
pub(super) fn spanish_pairs(text: &str, open: char, close: char) -> usize {
    let mut found = 0;
    let mut rest = text;
    while let Some(start) = rest.find(open)
        && let Some(length) = rest[start..].find(close)
    {
        let inside = rest[start..start + length].trim_start_matches(open).trim();
        found += usize::from(!inside.is_empty());
        rest = &rest[start + length + close.len_utf8()..];
    }
    found
}

/// Split at `\s?\*\*\*\s?`; none where an inner paragraph is empty.
pub(super) fn starred_paragraphs(text: &str) -> Option<usize> {
    let parts: Vec<&str> = text.split("***").collect();
    let last = parts.len() - 1;
    let mut found = parts.len();
    for (at, part) in parts.iter().enumerate() {
        if part.trim().is_empty() {
            if at != 0 && at != last {
                return None;
            }
            found -= 1;
        }
    }
    Some(found)
}

/// Split at `\n\n`. Blank parts are not counted, but they keep their place. The
/// Spanish set asks for several words at times.
pub(super) fn paragraph_start(
    text: &str,
    paragraph: u32,
    paragraphs: Option<u32>,
    word: &str,
    set: Set,
) -> bool {
    let parts: Vec<&str> = text.split("\n\n").collect();
    let count = parts.iter().filter(|part| !part.trim().is_empty()).count();
    let index = usize::try_from(paragraph).unwrap_or(usize::MAX);
    if index == 0 || index > count {
        return false;
    }
    let part = parts[index - 1];
    let as_many = paragraphs.is_none_or(|wanted| usize::try_from(wanted) == Ok(count));
    let begins = match set {
        Set::English => first_word(part).is_some_and(|own| own == word.to_lowercase()),
        Set::Spanish => begins_with_words(part, word),
    };
    as_many && begins
}

fn first_word(part: &str) -> Option<String> {
    let first = part.split_whitespace().next()?;
    let first = first.trim_start_matches('\'').trim_start_matches('"');
    let end = first
        .find(['.', ',', '?', '!', '\'', '"'])
        .unwrap_or(first.len());
    Some(first[..end].to_lowercase())
}

/// Word for word, ASCII punctuation left out.
fn begins_with_words(part: &str, words: &str) -> bool {
    let mut own = part.split_whitespace();
    !part.trim().is_empty()
        && words.to_lowercase().split_whitespace().all(|wanted| {
            let plain = |word: &str| {
                word.replace(|c: char| c.is_ascii_punctuation(), "")
                    .to_lowercase()
            };
            own.next().is_some_and(|own| plain(own) == wanted)
        })
}

/// `(^\s*[\d]+\.\s*)|(^\s*[-*]\s*)` over lines, taken out.
pub(super) fn without_list_marks(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut start = 0;
    loop {
        let rest = &text[start..];
        let body = rest.trim_start();
        let digits = body.len() - body.trim_start_matches(char::is_numeric).len();
        let mark = match body[digits..].chars().next() {
            Some('.') if digits > 0 => digits + 1,
            Some('-' | '*') if digits == 0 => 1,
            _ => 0,
        };
        if mark > 0 {
            start = text.len() - body[mark..].trim_start().len();
            if start == text.len() {
                return kept;
            }
            // A mark right behind the break is taken too.
            if text[..start].ends_with('\n') {
                continue;
            }
        }
        // Up to the end of the next line that is not blank.
        let from = if mark > 0 {
            start
        } else {
            text.len() - body.len()
        };
        let end = text[from..]
            .find('\n')
            .map_or(text.len(), |length| from + length + 1);
        kept.push_str(&text[start..end]);
        if end == text.len() {
            return kept;
        }
        start = end;
    }
}

/// Where a pattern of literal characters and `.` matches, without overlap.
/// Patterns of the set hold no other operator.
pub(super) fn pattern_ends(text: &str, pattern: &str) -> Vec<(usize, usize)> {
    /// Characters of a pattern that are looked at from each place.
    const PATTERN_CHARS_MAX: usize = 200;
    if pattern.is_empty() {
        return Vec::new();
    }
    if !pattern.contains('.') || pattern.chars().count() > PATTERN_CHARS_MAX {
        return text
            .match_indices(pattern)
            .map(|(at, found)| (at, at + found.len()))
            .collect();
    }
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let mut rest = text[at..].chars();
        let matches = pattern.chars().all(|wanted| {
            rest.next()
                .is_some_and(|own| own == wanted || wanted == '.' && own != '\n')
        });
        if matches {
            let end = text.len() - rest.as_str().len();
            found.push((at, end));
            at = end;
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bullets_as_the_reference_counts() {
        assert_eq!(star_bullets("* a\n\n  * b\n**c**\n*\nd\n*"), 3);
        assert_eq!(dash_bullets("- a\n--\n---\n b - c"), 3);
    }

    #[test]
    fn highlights_as_the_reference_counts() {
        assert_eq!(highlights("*a* **b** **"), 2);
        assert_eq!(highlights("* a\n* b"), 0);
        assert_eq!(highlights("***c***"), 2);
    }

    #[test]
    fn the_rest() {
        assert_eq!(placeholders("[a] [] [b\n] [[c]]"), 3);
        assert_eq!(
            sections("Section 1 Section2 section 3 Sections", "Section"),
            2
        );
        assert_eq!(titles("<<a>>\n<<>>\n<< >>"), 1);
        assert!(has_postscript("x p. s. y", "P.S."));
        assert!(!has_postscript("x PS y", "P.S."));
        assert_eq!(responses("a******b"), 2);
        assert_eq!(responses("a******a"), 0);
        assert_eq!(spanish_pairs("¿Qué? ¿? hola?", '¿', '?'), 1);
        assert_eq!(starred_paragraphs("a\n***\nb\n***"), Some(2));
        assert_eq!(starred_paragraphs("a\n******\nb"), None);
        assert!(paragraph_start(
            "x\n\n\"Hola, y",
            2,
            Some(2),
            "hola",
            Set::English
        ));
        assert!(paragraph_start(
            "En mi *opinión*, sí",
            1,
            Some(1),
            "En mi opinión",
            Set::Spanish
        ));
        assert_eq!(
            without_list_marks("a\n\n1. b\n- c\n**d**\n\n  x\n2.5 y\n-"),
            "a\nb\nc\n*d**\n\n  x\n5 y\n"
        );
    }
}
