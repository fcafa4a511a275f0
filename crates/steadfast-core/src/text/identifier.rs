//! Names that must not change by a letter: addresses, hosts, mail, paths,
//! versions, hashes, ids, code.
//!
//! Cut out of stretches of ASCII without blanks, and judged by their shape.

use std::ops::Range;

/// A name with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identifier {
    /// Bytes of the text.
    pub span: Range<usize>,
    pub kind: IdentifierKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum IdentifierKind {
    /// `https://…`, `www.…`
    Url,
    Email,
    /// `nist.gov`
    Domain,
    /// `/srv/a`, `src/main.rs`, `report.md`
    Path,
    /// `v2`, `1.2.3`
    Version,
    /// A UUID or a long run of hexadecimal digits.
    Hash,
    /// `B08KFQ9HK5`, `snake_case`, `camelCase`, `GPT-4`, `123-1234-1234`
    Code,
}

/// All names of a text, from left to right.
pub fn identifiers(text: &str) -> Vec<Identifier> {
    identifiers_in(text)
}

pub(crate) fn identifiers_in(text: &str) -> Vec<Identifier> {
    let mut found = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !opens(bytes[at]) {
            at += 1;
            continue;
        }
        let end = stretch(text, at);
        let trimmed = trim(&text[at..end]);
        if let Some(kind) = kind(trimmed) {
            found.push(Identifier {
                span: at..at + trimmed.len(),
                kind,
            });
            at += trimmed.len();
        } else {
            at = end.max(at + 1);
        }
    }
    found
}

fn opens(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'/' | b'~' | b'.' | b'_' | b'@')
}

/// The end of the stretch from `at`.
fn stretch(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let mut address = false;
    let mut end = at;
    while let Some(&b) = bytes.get(end) {
        let inside = b.is_ascii_alphanumeric()
            || matches!(b, b'_' | b'-' | b'.' | b'/' | b'@' | b'~' | b'+' | b'\\');
        let in_address = address
            && matches!(
                b,
                b':' | b'?' | b'&' | b'=' | b'%' | b'#' | b'!' | b'$' | b'*' | b';' | b','
            );
        if b == b':' && (bytes[end + 1..].starts_with(b"//") || bytes.get(end + 1) == Some(&b'\\'))
        {
            address = true;
        } else if !inside && !in_address {
            break;
        }
        end += 1;
    }
    // `f()` is code.
    if end > at && bytes[end..].starts_with(b"()") {
        end += 2;
    }
    end
}

fn trim(stretch: &str) -> &str {
    stretch.trim_end_matches(['.', ',', ':', ';', '!', '?', '-', '+', '*', '~'])
}

#[rustfmt::skip]
const TOP_LEVEL: &[&str] = &[
    "com", "org", "net", "gov", "edu", "int", "mil", "io", "ai", "app", "dev", "info", "biz", "cn",
    "uk", "us", "de", "fr", "jp", "kr", "eu", "ch", "at", "nl", "it", "es", "ca", "au", "in", "br",
    "ru", "tw", "hk", "sg", "nz", "se", "no", "fi", "dk", "pl", "be", "ie", "me", "tv", "cc",
    "xyz", "example", "test",
];

fn kind(stretch: &str) -> Option<IdentifierKind> {
    if stretch.len() < 2 || stretch.len() > 4096 {
        return None;
    }
    let lower = stretch.to_ascii_lowercase();
    let letters = lower.bytes().any(|b| b.is_ascii_alphabetic());
    let has_digits = lower.bytes().any(|b| b.is_ascii_digit());
    if lower.contains("://") || lower.starts_with("www.") {
        return Some(IdentifierKind::Url);
    }
    if let Some((name, host)) = lower.split_once('@') {
        let mail = !name.is_empty() && host.contains('.') && !host.contains('@');
        return mail.then_some(IdentifierKind::Email);
    }
    if lower.contains(":\\") || rooted(&lower) {
        return Some(IdentifierKind::Path);
    }
    if version(&lower) {
        return Some(IdentifierKind::Version);
    }
    if hash(&lower) {
        return Some(IdentifierKind::Hash);
    }
    if lower.contains('/') {
        let host = lower.split('/').next().unwrap_or_default();
        if domain(host) {
            return Some(IdentifierKind::Url);
        }
        let path = letters && (lower.matches('/').count() >= 2 || lower.contains(['.', '_']));
        return path.then_some(IdentifierKind::Path);
    }
    if domain(&lower) {
        return Some(IdentifierKind::Domain);
    }
    if file(&lower) {
        return Some(IdentifierKind::Path);
    }
    code(stretch, letters, has_digits).then_some(IdentifierKind::Code)
}

fn rooted(lower: &str) -> bool {
    ["/", "./", "../", "~/"].iter().any(|root| {
        lower.strip_prefix(root).is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_'))
        })
    }) && lower.bytes().any(|b| b.is_ascii_alphabetic())
}

/// `v2`, `v1.4`, `1.2.3`, `1.2.3-rc1`.
fn version(lower: &str) -> bool {
    let (marked, rest) = match lower.strip_prefix('v') {
        Some(rest) => (true, rest),
        None => (false, lower),
    };
    let core = rest.split('-').next().unwrap_or_default();
    let parts: Vec<&str> = core.split('.').collect();
    let numeric = parts
        .iter()
        .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit()));
    numeric && (marked || parts.len() >= 3)
}

fn hash(lower: &str) -> bool {
    let hex = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit());
    let parts: Vec<&str> = lower.split('-').collect();
    let uuid = parts.len() == 5 && lower.len() == 36 && parts.iter().all(|part| hex(part));
    let both =
        lower.bytes().any(|b| b.is_ascii_digit()) && lower.bytes().any(|b| b.is_ascii_alphabetic());
    uuid || (lower.len() >= 7 && hex(lower) && both)
}

/// Whether this is a host name below a known top-level domain.
pub(crate) fn domain(lower: &str) -> bool {
    let host = lower.split(':').next().unwrap_or_default();
    let labels: Vec<&str> = host.split('.').collect();
    let well_formed = labels.len() >= 2
        && labels.iter().all(|label| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'-')
        });
    well_formed
        && labels.last().is_some_and(|last| TOP_LEVEL.contains(last))
        && !labels[0].is_empty()
        && labels[..labels.len() - 1]
            .iter()
            .any(|label| label.len() > 1)
        && labels
            .iter()
            .any(|label| label.bytes().any(|b| b.is_ascii_alphabetic()))
}

/// `report.md`: a short ending of letters behind a name.
fn file(lower: &str) -> bool {
    let Some((name, ending)) = lower.rsplit_once('.') else {
        return false;
    };
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    name.len() > 1
        && name.bytes().all(plain)
        && !name.contains('.')
        && (2..=5).contains(&ending.len())
        && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        && ending.bytes().any(|b| b.is_ascii_alphabetic())
        && name.bytes().any(|b| b.is_ascii_alphabetic())
}

/// Written to a currency, so an amount: `usd500`.
const CURRENCIES: &[&str] = &["usd", "cny", "rmb", "eur", "gbp", "jpy", "hkd"];

fn code(stretch: &str, letters: bool, has_digits: bool) -> bool {
    let lower = stretch.to_ascii_lowercase();
    if stretch.ends_with("()") || (letters && lower.trim_matches('_').contains('_')) {
        return true;
    }
    if lower.contains(['.', '/', '@', '+', '\\', '~']) {
        return false;
    }
    let begins_with_letter = lower.starts_with(|c: char| c.is_ascii_lowercase());
    if letters && has_digits {
        let money = CURRENCIES.iter().any(|name| {
            lower
                .strip_prefix(name)
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        });
        // 5kg, 3rd and 500-word begin with the figure that counts.
        let mixed = lower
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(|c: char| c.is_ascii_lowercase())
            .bytes()
            .any(|b| b.is_ascii_digit());
        let hyphened = lower.contains('-') && !begins_with_letter;
        return !money && (begins_with_letter || (mixed && !hyphened));
    }
    if !letters {
        let parts = lower.split('-').count();
        return parts >= 3 && lower.split('-').all(|part| part.len() >= 2);
    }
    // camelCase, as long as it is not just a name with one capital.
    let inner = stretch
        .as_bytes()
        .windows(2)
        .filter(|two| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase());
    inner.count() >= 1 && !stretch.contains('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        use IdentifierKind::{Code, Domain, Email, Hash, Path, Url, Version};
        let text = "见 https://a.cn/x?y=1, 写信给amy.w@gmail.com；nist.gov, /srv/a_b 与 src/main.rs report.md v1.2.3 \
                    1.2.3 B08KFQ9HK5 snake_case camelCase GPT-4 run() 550e8400-e29b-41d4-a716-446655440000 deadbee1 123-1234-1234";
        let all: Vec<(&str, IdentifierKind)> = identifiers(text)
            .into_iter()
            .map(|found| (&text[found.span], found.kind))
            .collect();
        assert_eq!(
            all,
            [
                ("https://a.cn/x?y=1", Url),
                ("amy.w@gmail.com", Email),
                ("nist.gov", Domain),
                ("/srv/a_b", Path),
                ("src/main.rs", Path),
                ("report.md", Path),
                ("v1.2.3", Version),
                ("1.2.3", Version),
                ("B08KFQ9HK5", Code),
                ("snake_case", Code),
                ("camelCase", Code),
                ("GPT-4", Code),
                ("run()", Code),
                ("550e8400-e29b-41d4-a716-446655440000", Hash),
                ("deadbee1", Hash),
                ("123-1234-1234", Code),
            ]
        );
    }

    #[test]
    fn no_names() {
        let text = "and/or e.g. i.e. 1/2 500-word 5kg 3-5 30% usd500 well-known $5k A.";
        assert_eq!(identifiers(text), []);
    }
}
