//! SentencePiece's normaliser: a rule table in a double-array trie (the format
//! of darts-clone) maps byte sequences to their compatibility forms; blanks
//! become `▁`.

/// The blank as pieces write it.
pub(super) const BLANK: char = '\u{2581}';

/// A trie of byte sequences and the texts that stand for them.
#[derive(Debug)]
pub(super) struct Normalizer {
    units: Vec<u32>,
    /// Replacements, each ended by a zero byte.
    texts: Vec<u8>,
}

impl Normalizer {
    /// From a `precompiled_charsmap`: the trie's size, the trie, the texts.
    pub(super) fn read(map: &[u8]) -> Result<Normalizer, String> {
        let size = map.first_chunk::<4>().ok_or("the rule table is empty")?;
        let size = u32::from_le_bytes(*size) as usize;
        let trie = map.get(4..4 + size).ok_or("the rule table is cut off")?;
        let units = trie
            .chunks_exact(4)
            .map(|unit| u32::from_le_bytes([unit[0], unit[1], unit[2], unit[3]]))
            .collect();
        let texts = map[4 + size..].to_vec();
        Ok(Normalizer { units, texts })
    }

    /// The text as pieces see it: a blank in front, runs of blanks as one,
    /// none at the end.
    pub(super) fn apply(&self, text: &str) -> String {
        let mut plain = Vec::with_capacity(text.len());
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let (replacement, length) = match self.longest(&bytes[at..]) {
                Some((replacement, length)) => (replacement, length),
                None => {
                    let length = text[at..].chars().next().map_or(1, char::len_utf8);
                    (&bytes[at..at + length], length)
                }
            };
            plain.extend_from_slice(replacement);
            at += length;
            // A rule may end inside a character of broken text only.
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
        let plain = String::from_utf8_lossy(&plain);
        let mut spaced = String::with_capacity(plain.len() + 8);
        for word in plain.split(' ').filter(|word| !word.is_empty()) {
            spaced.push(BLANK);
            spaced.push_str(word);
        }
        spaced
    }

    /// The longest rule that the bytes begin with: its replacement and length.
    fn longest(&self, bytes: &[u8]) -> Option<(&[u8], usize)> {
        let mut found = None;
        let mut node = offset(*self.units.first()?);
        for (at, &byte) in bytes.iter().enumerate() {
            node ^= byte as usize;
            let unit = *self.units.get(node)?;
            if unit & 0x8000_00ff != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            if unit & 0x100 != 0 {
                let value = (*self.units.get(node)? & 0x7fff_ffff) as usize;
                found = Some((value, at + 1));
            }
        }
        let (value, length) = found?;
        let text = self.texts.get(value..)?;
        let end = text.iter().position(|byte| *byte == 0)?;
        Some((&text[..end], length))
    }
}

fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}
