//! The host of an address, in the one form in which hosts are compared.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::punycode;

/// A host: a name in lower-case ASCII (`xn--…` for Unicode labels), or an
/// address of the Internet protocol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Host(Form);

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    Name(String),
    V4(Ipv4Addr),
    V6(Ipv6Addr),
}

/// Longest name of a host (RFC 1035).
const NAME_CHARS_MAX: usize = 253;

impl Host {
    /// The host of a whole address, with or without a scheme.
    pub fn of_address(address: &str) -> Option<Host> {
        let rest = match address.split_once(':') {
            Some((scheme, rest)) if rest.starts_with(['/', '\\']) && is_scheme(scheme) => rest,
            _ => address,
        };
        let rest = rest.trim_start_matches(['/', '\\']);
        let authority = &rest[..rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len())];
        // What stands before the last `@` is a user, however much it looks like a host.
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        Host::parse(host)
    }

    /// The host of `name`, `name:port` or `[v6]:port`.
    pub fn parse(text: &str) -> Option<Host> {
        if text.len() > NAME_CHARS_MAX * 12 {
            return None;
        }
        if let Some(rest) = text.strip_prefix('[') {
            let (inside, _) = rest.split_once(']')?;
            return inside.parse().ok().map(|v6| Host(Form::V6(v6)));
        }
        let decoded = percent_decoded(text)?;
        let plain: String = decoded.chars().flat_map(half_width).collect();
        let (name, port) = plain.split_once(':').unwrap_or((&plain, ""));
        if !port.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let name = name.strip_suffix('.').unwrap_or(name);
        let labels: Option<Vec<String>> = name.split('.').map(ascii_label).collect();
        let labels = labels?;
        // A name whose last label is a number is an address or nothing (URL standard).
        if labels.last().is_some_and(|last| ends_in_number(last)) {
            return v4(&labels).map(|v4| Host(Form::V4(v4)));
        }
        let name = labels.join(".");
        (name.len() <= NAME_CHARS_MAX).then_some(Host(Form::Name(name)))
    }

    /// Whether this host is `domain` or lies below it. Nothing lies below an
    /// address.
    pub fn is_within(&self, domain: &str) -> bool {
        let Some(Host(domain)) = Host::parse(domain.trim().trim_start_matches("*.")) else {
            return false;
        };
        match (&self.0, &domain) {
            (Form::Name(name), Form::Name(domain)) => name
                .strip_suffix(domain.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('.')),
            (own, other) => own == other,
        }
    }

    /// Whether this is the one host that `host` names.
    pub fn is(&self, host: &str) -> bool {
        Host::parse(host.trim()).as_ref() == Some(self)
    }

    /// Whether it has a name of at least two labels.
    pub fn is_dotted_name(&self) -> bool {
        matches!(&self.0, Form::Name(name) if name.contains('.'))
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Name(name) => f.write_str(name),
            Form::V4(v4) => v4.fmt(f),
            Form::V6(v6) => write!(f, "[{v6}]"),
        }
    }
}

fn is_scheme(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'+')
}

fn percent_decoded(text: &str) -> Option<String> {
    if !text.contains('%') {
        return Some(text.to_owned());
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        if *first == b'%' {
            let hex = behind.get(..2)?;
            let hex = std::str::from_utf8(hex).ok()?;
            bytes.push(u8::from_str_radix(hex, 16).ok()?);
            rest = &behind[2..];
        } else {
            bytes.push(*first);
            rest = behind;
        }
    }
    String::from_utf8(bytes).ok()
}

/// Lower case, full-width forms as ASCII, the four dots as one, what is not
/// seen left out (UTS 46 in short).
fn half_width(c: char) -> impl Iterator<Item = char> {
    let plain = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xff01 + 0x21).unwrap_or(c),
        '。' | '｡' => '.',
        _ => c,
    };
    let is_unseen = matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}'
    );
    plain.to_lowercase().filter(move |_| !is_unseen)
}

fn ascii_label(label: &str) -> Option<String> {
    if label.is_ascii() {
        let fits = label
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        return (fits && !label.is_empty() && label.len() <= 63).then(|| label.to_owned());
    }
    if !label.chars().all(|c| c.is_alphanumeric() || c == '-') {
        return None;
    }
    punycode::encode(label).map(|ascii| format!("xn--{ascii}"))
}

fn ends_in_number(label: &str) -> bool {
    label.bytes().all(|b| b.is_ascii_digit())
        || label
            .strip_prefix("0x")
            .is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// One to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`); the last
/// fills what is left of the four bytes.
fn v4(labels: &[String]) -> Option<Ipv4Addr> {
    if labels.len() > 4 {
        return None;
    }
    let numbers: Option<Vec<u64>> = labels.iter().map(|label| number(label)).collect();
    let numbers = numbers?;
    let (last, first) = numbers.split_last()?;
    let mut address: u64 = 0;
    for one in first {
        if *one > 255 {
            return None;
        }
        address = address << 8 | one;
    }
    let bits = 8 * (4 - first.len());
    if *last >= 1 << bits {
        return None;
    }
    let address = u32::try_from(address << bits | last).ok()?;
    Some(Ipv4Addr::from(address))
}

fn number(text: &str) -> Option<u64> {
    if let Some(hex) = text.strip_prefix("0x") {
        return if hex.is_empty() {
            Some(0)
        } else {
            u64::from_str_radix(hex, 16).ok()
        };
    }
    match text.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u64::from_str_radix(octal, 8).ok(),
        _ => text.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(address: &str) -> String {
        Host::of_address(address).map_or("-".to_owned(), |host| host.to_string())
    }

    #[test]
    fn one_form_of_a_host() {
        for (address, wanted) in [
            ("https://GOV.example:443/y", "gov.example"),
            ("https://gov.cn@evil.test/", "evil.test"),
            ("https://gov.cn%40evil.test/", "-"),
            ("https://evil.test/@gov.cn", "evil.test"),
            ("https:\\\\evil.test\\@gov.cn", "evil.test"),
            ("http://evil.test/?u=gov.example", "evil.test"),
            ("http://evil.test#.gov.cn", "evil.test"),
            ("http://gov.cn.", "gov.cn"),
            ("http://ｇｏｖ。ｃｎ/", "gov.cn"),
            ("http://%67ov.cn/", "gov.cn"),
            ("http://政务.中国/", "xn--zfr164b.xn--fiqs8s"),
            ("http://XN--FIQS8S/", "xn--fiqs8s"),
            ("http://2130706433/", "127.0.0.1"),
            ("http://0x7f.1/", "127.0.0.1"),
            ("http://0177.0.0.1:80/", "127.0.0.1"),
            ("http://1.2.3.4.5/", "-"),
            ("http://256.1.1.1/", "-"),
            ("http://[::1]:80/", "[::1]"),
            ("www.gov.cn/x", "www.gov.cn"),
            ("http://a b/", "-"),
        ] {
            assert_eq!(host(address), wanted, "{address}");
        }
    }

    #[test]
    fn domains_end_at_labels() {
        let within = |address: &str, domain: &str| {
            Host::of_address(address).is_some_and(|host| host.is_within(domain))
        };
        assert!(within("https://gov.cn/", "gov.cn"));
        assert!(within("https://stats.gov.cn/", "*.Gov.CN"));
        assert!(within("https://stats.政务.cn/", "政务.cn"));
        assert!(!within("https://notgov.cn/", "gov.cn"));
        assert!(!within("https://gov.cn.evil.test/", "gov.cn"));
        assert!(!within("https://evil-gov.cn.example/", "gov.cn"));
        assert!(!within("https://g0v.cn/", "gov.cn"));
        assert!(!within("http://1.2.3.4/", "4"));
    }
}
