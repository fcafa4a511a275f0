//! Text as it reads once an encoding is taken off, with the way back to where
//! each byte came from.
//!
//! A view is computed without places, since nearly every text holds no secret;
//! only where one was found are its places looked up, in a second walk.

use std::borrow::Cow;
use std::ops::Range;

/// A way to read a text. Each step takes some bytes and gives some.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// One layer of escapes taken off: `%41`, `\u0041`, `\x41`, `\n`, `\"`.
    Unescaped,
    /// Base64 on one line, in the standard alphabet.
    Base64,
    /// Hex digits in lower case, on one line and without separators.
    Hex,
}

/// What stands at a place of the source.
#[derive(Clone, Copy, Debug)]
struct Step {
    used: usize,
    out: [u8; 4],
    given: usize,
}

impl Step {
    fn one(byte: u8) -> Step {
        Step {
            used: 1,
            out: [byte, 0, 0, 0],
            given: 1,
        }
    }

    fn of(used: usize, c: char) -> Step {
        let mut out = [0; 4];
        let given = c.encode_utf8(&mut out).len();
        Step { used, out, given }
    }

    fn byte(used: usize, byte: u8) -> Step {
        Step {
            used,
            ..Step::one(byte)
        }
    }

    const NOTHING: Step = Step {
        used: 1,
        out: [0; 4],
        given: 0,
    };
}

impl View {
    /// The text under this view, and where in the source an escape begins whose
    /// end may yet come. Borrowed where nothing changes.
    pub(super) fn read<'a>(self, source: &'a [u8]) -> (Cow<'a, [u8]>, usize) {
        let whole = source.len();
        if self == View::Unescaped && !source.iter().any(|b| matches!(b, b'%' | b'\\')) {
            return (Cow::Borrowed(source), whole);
        }
        let mut out = Vec::with_capacity(whole);
        let mut at = 0;
        let mut open = whole;
        while at < whole {
            let step = self.step(source, at);
            if self == View::Unescaped && open == whole && is_open(&source[at..]) {
                open = at;
            }
            out.extend_from_slice(&step.out[..step.given]);
            at += step.used;
        }
        (Cow::Owned(out), open)
    }

    /// The text with the escapes that begin with `mark` taken off, and the others
    /// left.
    pub(super) fn without(source: &[u8], mark: u8) -> Vec<u8> {
        let mut out = Vec::with_capacity(source.len());
        let mut at = 0;
        while at < source.len() {
            let whole = escape(&source[at..]).filter(|_| source[at] == mark);
            let step = whole.unwrap_or(Step::one(source[at]));
            out.extend_from_slice(&step.out[..step.given]);
            at += step.used;
        }
        out
    }

    /// The places in the source of ranges of the view, which must be in order
    /// and apart.
    pub(super) fn locate(self, source: &[u8], ranges: &mut [Range<usize>]) {
        let (mut at, mut given) = (0, 0);
        let mut starts = 0;
        let mut ends = 0;
        while at < source.len() && ends < ranges.len() {
            let step = self.step(source, at);
            let upto = given + step.given;
            if step.given > 0 {
                // Ranges are in order, so starts and ends are found in order too.
                while starts < ranges.len() && ranges[starts].start < upto {
                    ranges[starts].start = at;
                    starts += 1;
                }
                while ends < starts && ranges[ends].end <= upto {
                    ranges[ends].end = at + step.used;
                    ends += 1;
                }
            }
            (at, given) = (at + step.used, upto);
        }
        for range in &mut ranges[ends..] {
            range.end = source.len();
        }
        for range in &mut ranges[starts..] {
            range.start = source.len();
        }
    }

    /// The place in the source of a byte of the view.
    pub(super) fn place(self, source: &[u8], at: usize) -> usize {
        let mut range = at..at + 1;
        self.locate(source, std::slice::from_mut(&mut range));
        range.start
    }

    fn step(self, source: &[u8], at: usize) -> Step {
        let byte = source[at];
        match self {
            View::Unescaped => escape(&source[at..]).unwrap_or(Step::one(byte)),
            View::Base64 => match byte {
                b if b.is_ascii_whitespace() => Step::NOTHING,
                b'-' => Step::one(b'+'),
                b'_' => Step::one(b'/'),
                b => Step::one(b),
            },
            View::Hex => match byte {
                b if b.is_ascii_whitespace() || matches!(b, b':' | b'-') => Step::NOTHING,
                b => Step::one(b.to_ascii_lowercase()),
            },
        }
    }
}

/// The escape at the start of `rest`, if it is a whole one.
fn escape(rest: &[u8]) -> Option<Step> {
    match rest {
        [b'%', high, low, ..] => Some(Step::byte(3, hex(&[*high, *low])? as u8)),
        [b'\\', b'x', high, low, ..] => Some(Step::byte(4, hex(&[*high, *low])? as u8)),
        [b'\\', b'u', digits @ ..] => unicode(digits),
        [b'\\', b'n', ..] => Some(Step::byte(2, b'\n')),
        [b'\\', b'r', ..] => Some(Step::byte(2, b'\r')),
        [b'\\', b't', ..] => Some(Step::byte(2, b'\t')),
        [b'\\', b'b', ..] => Some(Step::byte(2, 8)),
        [b'\\', b'f', ..] => Some(Step::byte(2, 12)),
        [b'\\', c @ (b'"' | b'\\' | b'/' | b'\''), ..] => Some(Step::byte(2, *c)),
        _ => None,
    }
}

/// What stands behind `\u`: one unit, or two that make a character.
fn unicode(digits: &[u8]) -> Option<Step> {
    let unit = hex(digits.get(..4)?)?;
    if let Some(c) = char::from_u32(unit) {
        return Some(Step::of(6, c));
    }
    let low = match digits.get(4..10)? {
        [b'\\', b'u', low @ ..] => hex(low)?,
        _ => return None,
    };
    let pair = [u16::try_from(unit).ok()?, u16::try_from(low).ok()?];
    let c = char::decode_utf16(pair).next()?.ok()?;
    Some(Step::of(12, c))
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0u32, |number, digit| {
        Some(number * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// Whether more bytes could make an escape of what begins here.
fn is_open(rest: &[u8]) -> bool {
    let digits = |from: usize| rest[from..].iter().all(u8::is_ascii_hexdigit);
    match rest {
        [b'%'] | [b'\\'] => true,
        [b'%', _] => digits(1),
        [b'\\', b'x', ..] if rest.len() < 4 => digits(2),
        [b'\\', b'u', ..] if rest.len() < 6 => digits(2),
        // The first half of a pair waits for the second.
        [b'\\', b'u', d, ..] if rest.len() < 12 => {
            matches!(d, b'd' | b'D')
                && escape(rest).is_none()
                && b"\\u".starts_with(&rest[6..rest.len().min(8)])
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(view: View, text: &str) -> String {
        String::from_utf8(view.read(text.as_bytes()).0.into_owned()).unwrap()
    }

    #[test]
    fn escapes_come_off_layer_by_layer() {
        let of = |text| read(View::Unescaped, text);
        assert_eq!(of(r#"a%2Fb%2fc\/d\"e\u0066\x67"#), "a/b/c/d\"efg");
        assert_eq!(of(r"\\u0041"), r"\u0041");
        assert_eq!(of(r"\ud83d\ude00 \ud83d!"), "😀 \\ud83d!");
        assert_eq!(of("100% \\q %zz"), "100% \\q %zz");
    }

    #[test]
    fn places_lead_back() {
        let source = br"ab\u0041%42c";
        let (out, _) = View::Unescaped.read(source);
        assert_eq!(out.as_ref(), b"abABc");
        let mut ranges = [1..3, 3..5];
        View::Unescaped.locate(source, &mut ranges);
        assert_eq!(ranges, [1..8, 8..12]);
        assert_eq!(View::Base64.place(b"ab \n cd", 2), 5);
    }

    #[test]
    fn an_escape_without_its_end_is_open() {
        for text in [
            "a%",
            "a%4",
            "a\\",
            "a\\u",
            "a\\u00",
            "a\\ud83d",
            "a\\ud83d\\u",
            "a\\x4",
        ] {
            assert_eq!(View::Unescaped.read(text.as_bytes()).1, 1, "{text}");
        }
        for text in ["a%zz", "a%41", "a\\n", "a\\u0041", "a\\ud83d!", "ab"] {
            assert_eq!(
                View::Unescaped.read(text.as_bytes()).1,
                text.len(),
                "{text}"
            );
        }
    }
}
