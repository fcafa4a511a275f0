//! Redaction of a text that comes in pieces: a secret split over several of
//! them is found, and what may be the start of one is held back until it is
//! known not to be.

use steadfast_core::limits;

use super::Redactor;

/// Takes pieces in and gives clean ones out. What is held back is given by
/// [`Stream::finish`].
#[derive(Clone, Debug)]
pub struct Stream {
    redactor: Redactor,
    /// The last character given, then what is held back.
    buffer: String,
    given: usize,
}

impl Stream {
    pub(super) fn new(redactor: Redactor) -> Stream {
        Stream {
            redactor,
            buffer: String::new(),
            given: 0,
        }
    }

    /// Takes a piece in and gives what can be shown by now.
    pub fn push(&mut self, piece: &str) -> String {
        if self.redactor.is_empty() {
            return piece.to_owned();
        }
        self.buffer.push_str(piece);
        self.give(Upto::Settled)
    }

    /// Gives the rest.
    pub fn finish(&mut self) -> String {
        let rest = self.give(Upto::End);
        self.buffer.clear();
        self.given = 0;
        rest
    }

    fn give(&mut self, upto: Upto) -> String {
        let bytes = self.buffer.as_bytes();
        let mut hits = self.redactor.hits(bytes);
        // What was given before is only there to be seen beside the rest.
        hits.retain(|hit| hit.range.end > self.given);
        for hit in &mut hits {
            hit.range.start = hit.range.start.max(self.given);
        }
        let mut end = match upto {
            Upto::End => bytes.len(),
            Upto::Settled => self.redactor.unfinished(bytes),
        };
        while !self.buffer.is_char_boundary(end) {
            end -= 1;
        }
        if let Some(hit) = hits.iter().find(|hit| hit.range.contains(&end)) {
            end = hit.range.start;
        }
        if bytes.len() - end.max(self.given) > limits::SECRET_STREAM_HELD_MAX {
            end = bytes.len();
        }
        if end <= self.given {
            return String::new();
        }
        hits.retain(|hit| hit.range.end <= end);
        let clean = self.redactor.replace(&bytes[..end], &hits);
        let clean = String::from_utf8(clean).expect("hits begin and end between characters");
        let shown = clean[self.given..].to_owned();
        let last = self.buffer[..end].chars().next_back();
        let keep = last.map_or(0, char::len_utf8);
        self.buffer.drain(..end - keep);
        self.given = keep;
        shown
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Upto {
    Settled,
    End,
}
