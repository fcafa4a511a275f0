//! Hashes: BLAKE3, written `b3:` and 64 hex digits.
//!
//! Structured values are hashed over their canonical JSON (RFC 8785), so that
//! the order of keys and the spelling of numbers do not matter.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The name that exported records give as `hash_alg`.
pub const HASH_ALG: &str = "blake3";

const PREFIX: &str = "b3:";
const DIGITS: usize = PREFIX.len() + 64;

/// A BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Hash([u8; 32]);

impl Hash {
    /// What the first event of a log names as its predecessor.
    pub const ZERO: Hash = Hash([0; 32]);

    pub fn of_bytes(bytes: &[u8]) -> Hash {
        Hash(*blake3::hash(bytes).as_bytes())
    }

    /// The hash of a value's canonical JSON.
    pub fn of_json<T: Serialize>(value: &T) -> Hash {
        Hash::of_bytes(canonical_json(value).as_bytes())
    }

    pub fn keyed(key: &[u8; 32], bytes: &[u8]) -> Hash {
        Hash(*blake3::keyed_hash(key, bytes).as_bytes())
    }

    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    pub fn from_bytes(bytes: [u8; 32]) -> Hash {
        Hash(bytes)
    }

    /// The first eight bytes, where a few hundred hashes are told apart.
    pub fn prefix(&self) -> u64 {
        self.0[..8]
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    /// As it is written. Most bytes of a context's manifest are hashes.
    fn digits<'a>(&self, buffer: &'a mut [u8; DIGITS]) -> &'a str {
        buffer[..PREFIX.len()].copy_from_slice(PREFIX.as_bytes());
        let pairs = buffer[PREFIX.len()..].chunks_exact_mut(2);
        for (pair, byte) in pairs.zip(self.0) {
            let digit = |nibble: u8| b"0123456789abcdef"[usize::from(nibble)];
            pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 0xf)]);
        }
        std::str::from_utf8(buffer).expect("prefix and digits are ASCII")
    }

    /// The first eight hex digits, for people.
    pub fn short(&self) -> String {
        self.0[..4].iter().map(|b| format!("{b:02x}")).collect()
    }
}

/// The canonical JSON (RFC 8785) of a value.
///
/// # Panics
///
/// When the value cannot be JSON at all (a map with keys that are not strings):
/// every type that is hashed here is one of ours.
pub fn canonical_json<T: Serialize>(value: &T) -> String {
    serde_json_canonicalizer::to_string(value).expect("our types serialise to JSON")
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.digits(&mut [0; DIGITS]))
    }
}

impl fmt::Debug for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "b3:{}…", self.short())
    }
}

/// A hash is not written `b3:` and 64 lower-case hex digits.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is not a hash")]
pub struct ParseHashError(String);

impl FromStr for Hash {
    type Err = ParseHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bad = || ParseHashError(text.to_owned());
        let digits = text.strip_prefix(PREFIX).ok_or_else(bad)?.as_bytes();
        if digits.len() != 64 {
            return Err(bad());
        }
        let mut out = [0u8; 32];
        for (byte, pair) in out.iter_mut().zip(digits.chunks_exact(2)) {
            let nibble = |c: u8| match c {
                b'0'..=b'9' => Some(c - b'0'),
                b'a'..=b'f' => Some(c - b'a' + 10),
                _ => None,
            };
            *byte = nibble(pair[0]).ok_or_else(bad)? << 4 | nibble(pair[1]).ok_or_else(bad)?;
        }
        Ok(Hash(out))
    }
}

impl Serialize for Hash {
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_str(self.digits(&mut [0; DIGITS]))
    }
}

impl<'de> Deserialize<'de> for Hash {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_reads_back_as_it_is_written() {
        let hash = Hash::of_bytes(b"steadfast");
        assert_eq!(hash.to_string().parse::<Hash>().unwrap(), hash);
        assert!("b3:00".parse::<Hash>().is_err());
        assert!("md5:00".parse::<Hash>().is_err());
    }

    #[test]
    fn key_order_and_number_spelling_do_not_matter() {
        let a: serde_json::Value = serde_json::from_str(r#"{"b":1.0,"a":[1e2]}"#).unwrap();
        let b: serde_json::Value = serde_json::from_str(r#"{"a":[100],"b":1}"#).unwrap();
        assert_eq!(Hash::of_json(&a), Hash::of_json(&b));
    }
}
