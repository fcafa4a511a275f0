//! Text to piece ids: SentencePiece's unigram model (Kudo 2018, arXiv
//! 1804.10959). Of all ways to cut a text into pieces of the vocabulary the one
//! with the highest sum of scores is taken.

use std::collections::HashMap;

use super::normalize::Normalizer;

const UNKNOWN: u32 = 0;
const BEGIN: u32 = 1;
const END: u32 = 2;
/// How much worse than the worst piece an unknown character is
/// (SentencePiece's `kUnkPenalty`).
const UNKNOWN_PENALTY: f32 = 10.0;

#[derive(Debug)]
pub(super) struct Pieces {
    /// Looked up by key only; its order is never seen.
    ids: HashMap<Box<str>, u32>,
    scores: Vec<f32>,
    unknown_score: f32,
    longest_bytes: usize,
    normalizer: Normalizer,
}

impl Pieces {
    /// Reads a `ModelProto`: pieces (field 1: text 1, score 2) and the rule
    /// table. Newer files hold it in the normaliser's specification (field 3,
    /// its field 2).
    pub(super) fn read(model: &[u8]) -> Result<Pieces, String> {
        let mut ids: HashMap<Box<str>, u32> = HashMap::new();
        let mut scores = Vec::new();
        let mut table = None;
        for field in fields(model) {
            match field? {
                (1, Value::Bytes(piece)) => {
                    let (text, score) = read_piece(piece)?;
                    let id = u32::try_from(scores.len()).map_err(|_| "too many pieces")?;
                    ids.insert(text.into(), id);
                    scores.push(score);
                }
                (3, Value::Bytes(spec)) => {
                    for field in fields(spec) {
                        if let (2, Value::Bytes(map)) = field? {
                            table = Some(map);
                        }
                    }
                }
                _ => {}
            }
        }
        if scores.is_empty() {
            return Err("no pieces".to_owned());
        }
        let normalizer = Normalizer::read(table.ok_or("no rule table")?)?;
        let worst = scores.iter().copied().fold(f32::INFINITY, f32::min);
        let longest_bytes = ids.keys().map(|piece| piece.len()).max().unwrap_or(0);
        Ok(Pieces {
            ids,
            scores,
            unknown_score: worst - UNKNOWN_PENALTY,
            longest_bytes,
            normalizer,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.scores.len()
    }

    /// The ids of a text, between those of its begin and end.
    pub(super) fn ids(&self, text: &str) -> Vec<u32> {
        let text = self.normalizer.apply(text);
        let mut ids = vec![BEGIN];
        if text.is_empty() {
            ids.push(UNKNOWN);
        } else {
            ids.extend(self.best_cut(&text));
        }
        ids.push(END);
        ids
    }

    /// Viterbi over byte positions: the best way to reach each one, and by
    /// which piece.
    fn best_cut(&self, text: &str) -> Vec<u32> {
        #[derive(Clone, Copy)]
        struct Way {
            score: f32,
            from: usize,
            piece: u32,
        }
        let nowhere = Way {
            score: f32::NEG_INFINITY,
            from: 0,
            piece: UNKNOWN,
        };
        let mut ways = vec![nowhere; text.len() + 1];
        ways[0].score = 0.0;
        for (at, c) in text.char_indices() {
            let base = ways[at].score;
            let single = at + c.len_utf8();
            let mut single_known = false;
            let reach = (at + self.longest_bytes).min(text.len());
            for end in (single..=reach).filter(|end| text.is_char_boundary(*end)) {
                if let Some(&piece) = self.ids.get(&text[at..end]) {
                    let score = base + self.scores[piece as usize];
                    if score > ways[end].score {
                        ways[end] = Way {
                            score,
                            from: at,
                            piece,
                        };
                    }
                    single_known |= end == single;
                }
            }
            let score = base + self.unknown_score;
            if !single_known && score > ways[single].score {
                ways[single] = Way {
                    score,
                    from: at,
                    piece: UNKNOWN,
                };
            }
        }
        let mut ids = Vec::new();
        let mut at = text.len();
        while at > 0 {
            ids.push(ways[at].piece);
            at = ways[at].from;
        }
        ids.reverse();
        ids
    }
}

fn read_piece(piece: &[u8]) -> Result<(&str, f32), String> {
    let (mut text, mut score) = ("", 0.0);
    for field in fields(piece) {
        match field? {
            (1, Value::Bytes(bytes)) => {
                text = std::str::from_utf8(bytes).map_err(|_| "a piece is not UTF-8")?;
            }
            (2, Value::Fixed32(bits)) => score = f32::from_bits(bits),
            _ => {}
        }
    }
    Ok((text, score))
}

/// A field's value in the Protocol Buffers wire format, as far as it is used.
enum Value<'a> {
    Bytes(&'a [u8]),
    Fixed32(u32),
    Other,
}

/// The fields of a message. An error ends the list.
fn fields(message: &[u8]) -> impl Iterator<Item = Result<(u64, Value<'_>), String>> {
    let mut rest = message;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let field = next_field(&mut rest);
        if field.is_none() {
            rest = &[];
        }
        Some(field.ok_or_else(|| "a field is cut off".to_owned()))
    })
}

fn next_field<'a>(rest: &mut &'a [u8]) -> Option<(u64, Value<'a>)> {
    let tag = varint(rest)?;
    let value = match tag & 7 {
        0 => {
            varint(rest)?;
            Value::Other
        }
        1 => {
            rest.split_off(..8)?;
            Value::Other
        }
        2 => {
            let length = usize::try_from(varint(rest)?).ok()?;
            Value::Bytes(rest.split_off(..length)?)
        }
        5 => {
            let bytes = rest.split_off(..4)?;
            Value::Fixed32(u32::from_le_bytes(bytes.try_into().ok()?))
        }
        _ => return None,
    };
    Some((tag >> 3, value))
}

fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let byte = *rest.split_off_first()?;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}
