//! Addresses in a text, and whose they are.
//!
//! Hosts are compared label by label in their ASCII form, never as text:
//! `notgov.cn` and `gov.cn.evil.test` are not of `gov.cn`. The forms that hide
//! a host are undone as browsers do: user info before `@`, ports, backslashes,
//! percent-encoding, full-width letters and dots, a final dot, Unicode names,
//! and IPv4 addresses as one number, in octal or in hexadecimal.
//!
//! Not here: redirects and look-alike letters. A look-alike is another label,
//! so it is not allowed by being similar.

mod host;
mod punycode;

use std::ops::Range;

pub use host::Host;

use crate::text::segment::lines;

/// An address as it stands in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    pub range: Range<usize>,
    /// Whose it is; none where no host can be read from it.
    pub host: Option<Host>,
}

const SCHEMES: [&str; 5] = ["http", "https", "ftp", "ftps", "ws"];

/// Whether an address may begin at this byte: asked before the slower look.
pub(crate) fn may_begin(text: &str, at: usize) -> bool {
    let bytes = text.as_bytes();
    let first = bytes[at].to_ascii_lowercase();
    matches!(first, b'h' | b'f' | b'w') && border(text, at)
}

/// Letters and digits of ASCII before it make it part of another word; Chinese
/// goes up to an address without a blank.
fn border(text: &str, at: usize) -> bool {
    let before = text[..at].chars().next_back();
    before.is_none_or(|c| !c.is_ascii_alphanumeric())
}

/// Where the address that begins at `at` ends; none where none begins.
pub(crate) fn end_at(text: &str, at: usize) -> Option<usize> {
    let start = authority_at(text, at)?;
    let end = stop(text, start);
    (end > start).then_some(end)
}

/// Where the authority of an address begins: behind `https://` or at `www.`.
fn authority_at(text: &str, at: usize) -> Option<usize> {
    let rest = &text.as_bytes()[at..];
    if starts_with(rest, b"www.") && rest.get(4).is_some_and(|b| b.is_ascii_alphanumeric()) {
        return Some(at);
    }
    // Browsers take any number of slashes of either kind.
    let scheme = SCHEMES.iter().find(|scheme| {
        starts_with(rest, scheme.as_bytes()) && rest.get(scheme.len()) == Some(&b':')
    })?;
    let slashes = rest[scheme.len() + 1..]
        .iter()
        .take_while(|b| matches!(b, b'/' | b'\\'))
        .count();
    (slashes >= 2).then_some(at + scheme.len() + 1 + slashes)
}

fn starts_with(bytes: &[u8], prefix: &[u8]) -> bool {
    bytes.len() >= prefix.len() && bytes[..prefix.len()].eq_ignore_ascii_case(prefix)
}

/// Where an address stops: at a blank, a mark that cannot be part of one, or
/// Chinese punctuation. Closing marks at its end belong to the sentence.
fn stop(text: &str, start: usize) -> usize {
    let mut end = text.len();
    let mut open = 0_u32;
    for (at, c) in text[start..].char_indices() {
        let stops = match c {
            '(' | '[' => {
                open += 1;
                false
            }
            ')' | ']' => {
                let closes_outer = open == 0;
                open = open.saturating_sub(1);
                closes_outer
            }
            '<' | '>' | '"' | '`' | '|' | '{' | '}' | '“' | '”' | '‘' | '’' => true,
            '，' | '；' | '：' | '！' | '？' | '、' | '（' | '）' | '《' | '》' | '「' | '」' => {
                true
            }
            // A full-width full stop may part labels; within a path it ends the sentence.
            '。' | '．' | '｡' => !continues_host(&text[start..], at, c),
            _ => c.is_whitespace() || c.is_control(),
        };
        if stops {
            end = start + at;
            break;
        }
    }
    let trailing = ['.', ',', ';', ':', '!', '?', '\'', '*', '_'];
    start + text[start..end].trim_end_matches(trailing).len()
}

/// Whether a full-width stop at `at` stands between labels of a host. The host
/// is at most 253 characters long, so only so much is looked at.
fn continues_host(address: &str, at: usize, mark: char) -> bool {
    let in_host = at < 253 && !address[..at].contains(['/', '?', '#', '\\']);
    let next = address[at + mark.len_utf8()..].chars().next();
    in_host && next.is_some_and(|c| c.is_ascii_alphanumeric())
}

/// All addresses of a text with a scheme or `www.`, and the targets of Markdown
/// links and images.
pub fn links(text: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let range = if c == '(' && text[..at].ends_with(']') {
            markdown_target(text, at + 1)
        } else if may_begin(text, at) {
            end_at(text, at).map(|end| at..end)
        } else {
            None
        };
        match range {
            Some(range) => {
                at = range.end;
                let host = Host::of_address(&text[range.clone()]);
                found.push(Link { range, host });
            }
            None => at += c.len_utf8(),
        }
    }
    found
}

/// The target of a Markdown link that leads to another host; one within the
/// document (`#part`, `file.md`) is none.
fn markdown_target(text: &str, from: usize) -> Option<Range<usize>> {
    let start = from + usize::from(text[from..].starts_with('<'));
    let rest = &text.as_bytes()[start..];
    if rest.starts_with(b"//") || rest.starts_with(b"\\\\") {
        let end = stop(text, start + 2);
        return (end > start + 2).then_some(start..end);
    }
    let end = end_at(text, start)?;
    Some(start..end)
}

/// Hosts that stand in a text by their bare name, such as `stats.gov.cn`; also
/// words such as `main.rs` that only look like one. `is_wanted` is asked about
/// each.
pub fn bare_hosts(text: &str, is_wanted: impl Fn(&Host) -> bool) -> Vec<Link> {
    let is_part =
        |c: char| c.is_alphanumeric() && !crate::text::length::is_cjk(c) || "-._".contains(c);
    let mut found = Vec::new();
    let mut run: Option<usize> = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, c) in ends {
        if is_part(c) {
            run = run.or(Some(at));
            continue;
        }
        let Some(start) = run.take() else { continue };
        let name = text[start..at].trim_matches(['.', '-', '_']);
        if name.len() > 253 || !name.contains('.') {
            continue;
        }
        let Some(host) = Host::parse(name) else {
            continue;
        };
        if is_wanted(&host) {
            let start = start + text[start..at].find(name).unwrap_or(0);
            let range = start..start + name.len();
            found.push(Link {
                range,
                host: Some(host),
            });
        }
    }
    found
}

/// A numbered citation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Citation {
    pub range: Range<usize>,
    pub number: u32,
    /// The entry of the list of references, rather than a mention in the text.
    pub is_entry: bool,
}

/// The numbered citations of a text: `[3]`, `【3】`, and the entries `[3] …`,
/// `[3]: …` at the beginning of a line.
pub fn citations(text: &str) -> Vec<Citation> {
    let mut found = Vec::new();
    for (offset, line) in lines(text) {
        for (at, open) in line.match_indices(['[', '【']) {
            if let Some(mut citation) = citation_at(line, at, open) {
                citation.range = offset + citation.range.start..offset + citation.range.end;
                found.push(citation);
            }
        }
    }
    found
}

fn citation_at(line: &str, at: usize, open: &str) -> Option<Citation> {
    let rest = &line[at + open.len()..];
    let marks = usize::from(rest.starts_with('^'));
    let digits = rest[marks..]
        .bytes()
        .take_while(u8::is_ascii_digit)
        .take(5)
        .count();
    let close = if open == "[" { ']' } else { '】' };
    let inside = marks + digits;
    if !(1..=4).contains(&digits) || !rest[inside..].starts_with(close) {
        return None;
    }
    let end = at + open.len() + inside + close.len_utf8();
    // `[3](…)` is a link with a number for its text.
    if line[end..].starts_with('(') {
        return None;
    }
    let opens_line = at <= 8
        && line[..at]
            .chars()
            .all(|c| c.is_whitespace() || "-*".contains(c));
    Some(Citation {
        range: at..end,
        number: rest[marks..inside].parse().ok()?,
        is_entry: opens_line && line[end..].starts_with([':', ' ', '：', '\t']),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(&str, String)> {
        let links = links(text).into_iter();
        links
            .map(|one| {
                let host = one.host.map_or("-".to_owned(), |host| host.to_string());
                (&text[one.range], host)
            })
            .collect()
    }

    #[test]
    fn addresses_end_where_sentences_do() {
        assert_eq!(
            found(
                "见https://a.gov.cn/x_(y)。另（http://b.cn/?q=1，www.c.cn）。[d](<https://d.cn/>), [e](//e.cn/z)."
            ),
            [
                ("https://a.gov.cn/x_(y)", "a.gov.cn".to_owned()),
                ("http://b.cn/?q=1", "b.cn".to_owned()),
                ("www.c.cn", "www.c.cn".to_owned()),
                ("https://d.cn/", "d.cn".to_owned()),
                ("//e.cn/z", "e.cn".to_owned()),
            ]
        );
        assert_eq!(found("[a](#part) [b](file.md) xhttp://a.cn https:// x"), []);
    }

    #[test]
    fn bare_names_and_numbers() {
        let bare = bare_hosts("来源：stats.gov.cn，main.rs, a.gov.cn.", |host| {
            host.is_within("gov.cn")
        });
        let text = "来源：stats.gov.cn，main.rs, a.gov.cn.";
        let names: Vec<&str> = bare.into_iter().map(|one| &text[one.range]).collect();
        assert_eq!(names, ["stats.gov.cn", "a.gov.cn"]);
        let cited: Vec<(u32, bool)> = citations("x [1][22] 【3】 [4](u)\n[1]: a\n- [^22] b\n[x]")
            .into_iter()
            .map(|one| (one.number, one.is_entry))
            .collect();
        assert_eq!(
            cited,
            [(1, false), (22, false), (3, false), (1, true), (22, true)]
        );
    }
}
