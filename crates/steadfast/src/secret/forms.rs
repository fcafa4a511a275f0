//! The forms that a value takes, as patterns of each view.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use steadfast_core::limits;

use super::view::View;

/// What is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) bytes: Vec<u8>,
    /// Only where it stands apart from letters, digits and `_`.
    pub(super) as_word: bool,
    /// The characters beside it hold bits of the secret too (base64).
    pub(super) bits_before: bool,
    pub(super) bits_after: bool,
}

impl Form {
    fn of(bytes: Vec<u8>) -> Form {
        Form {
            bytes,
            as_word: false,
            bits_before: false,
            bits_after: false,
        }
    }
}

/// The forms to look for in the text itself and under its escapes. A value that
/// itself looks like an escape is looked for as it reads under each layer.
pub(super) fn plain(value: &str) -> Vec<Form> {
    if value.len() < limits::SECRET_BYTES_MIN {
        return match value.len() < limits::SECRET_WORD_BYTES_MIN {
            true => Vec::new(),
            false => vec![Form {
                as_word: true,
                ..Form::of(value.as_bytes().to_vec())
            }],
        };
    }
    let mut values = vec![value.as_bytes().to_vec()];
    // A form field has a plus for a space.
    if value.contains(' ') {
        values.push(value.replace(' ', "+").into_bytes());
    }
    // Text around it may have been under one kind of escape only, and taking that
    // off takes off what looks like the other kind in the value.
    for kind in [b'%', b'\\'] {
        values.push(View::without(value.as_bytes(), kind));
    }
    values.extend(lines(value));
    let mut forms = Vec::new();
    for mut bytes in values {
        for _ in 0..=limits::SECRET_ESCAPINGS_MAX {
            let next = View::Unescaped.read(&bytes).0.into_owned();
            let changed = next != bytes;
            let form = Form::of(std::mem::replace(&mut bytes, next));
            if form.bytes.len() >= limits::SECRET_BYTES_MIN && !forms.contains(&form) {
                forms.push(form);
            }
            if !changed {
                break;
            }
        }
    }
    forms
}

/// The lines of a value of many lines, such as a private key: what prints it
/// may print it line by line. The frame around such a key is no secret.
fn lines(value: &str) -> impl Iterator<Item = Vec<u8>> + '_ {
    let several = value.contains('\n');
    let lines = value.lines().map(str::trim).filter(move |line| {
        several && line.len() >= limits::SECRET_LINE_BYTES_MIN && !line.starts_with("-----")
    });
    lines.map(|line| line.as_bytes().to_vec())
}

/// What the value gives in base64, whatever stands before and after it: the
/// characters that hold bits of the value alone, for each of the three places
/// that its first byte can have in a group.
pub(super) fn base64(value: &str) -> Vec<Form> {
    if value.len() < limits::SECRET_BYTES_MIN {
        return Vec::new();
    }
    let alignments = (0..3usize).map(|before| {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(value.as_bytes());
        let text = STANDARD_NO_PAD.encode(&bytes);
        let (first_bit, last_bit) = (before * 8, bytes.len() * 8);
        let core = first_bit.div_ceil(6)..last_bit / 6;
        Form {
            bits_before: first_bit % 6 != 0,
            bits_after: last_bit % 6 != 0,
            ..Form::of(text.as_bytes()[core].to_vec())
        }
    });
    alignments.collect()
}

/// The value in hex.
pub(super) fn hex(value: &str) -> Vec<Form> {
    if value.len() < limits::SECRET_BYTES_MIN {
        return Vec::new();
    }
    let digits: String = value.bytes().map(|byte| format!("{byte:02x}")).collect();
    vec![Form::of(digits.into_bytes())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_values_are_looked_for_as_words_or_not_at_all() {
        assert_eq!(plain("abc"), []);
        assert!(plain("abcd")[0].as_word);
        assert!(!plain("abcdefgh")[0].as_word);
        assert_eq!(base64("abcdefg"), []);
        assert_eq!(hex("abcdefg"), []);
    }

    #[test]
    fn every_alignment_of_base64_holds_its_core() {
        let value = "sk-test-123";
        let cores = base64(value);
        for (before, core) in cores.iter().enumerate() {
            for (front, back) in [("x", ""), ("\0", "yy"), ("~", "?")] {
                let text = STANDARD_NO_PAD.encode(format!("{}{value}{back}", front.repeat(before)));
                let core = std::str::from_utf8(&core.bytes).unwrap();
                assert!(text.contains(core), "{before}: {core} in {text}");
            }
        }
    }
}
