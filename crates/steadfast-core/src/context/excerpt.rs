//! One oversized text becomes an excerpt: its head and its tail, cut between
//! graphemes, with a reference to the whole.

use unicode_segmentation::GraphemeCursor;

use crate::rules::{ScriptEstimate, Tokenizer, hundredths};

/// The two ranges of a text that are shown: `0..head` and `tail..len`. Byte
/// offsets on grapheme boundaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    pub head: usize,
    pub tail: usize,
}

/// Share of an excerpt that its head gets.
const HEAD_PERCENT: u64 = 70;

/// Where to cut a text so that about `tokens_max` tokens of it are shown; none
/// when all of it fits.
///
/// Sizes come from the script estimate, which needs no vocabulary and errs on
/// the large side: the same text is cut in the same place for every model.
pub fn cut(text: &str, tokens_max: u32) -> Option<Cut> {
    // A token is at least a third of a byte long in this estimate, so a text of
    // this many bytes is not worth counting in full.
    let certain = usize::try_from(tokens_max)
        .unwrap_or(usize::MAX)
        .saturating_mul(8);
    if text.len() <= certain && ScriptEstimate.count(text) <= tokens_max {
        return None;
    }
    let head_max = u32::try_from(u64::from(tokens_max) * HEAD_PERCENT / 100).unwrap_or(u32::MAX);
    let head = prefix(text, head_max);
    let tail = text.len() - suffix(&text[head..], tokens_max - head_max);
    // Both move outwards into what is left out, never into what is shown.
    let head = boundary(text, text.floor_char_boundary(head), Towards::Start);
    let tail = boundary(text, text.ceil_char_boundary(tail), Towards::End);
    (head < tail).then_some(Cut { head, tail })
}

/// Bytes of the longest prefix within a number of tokens.
fn prefix(text: &str, tokens_max: u32) -> usize {
    let mut room = Room::of(tokens_max);
    let cut = text.char_indices().find(|(_, c)| !room.takes(*c));
    cut.map_or(text.len(), |(at, _)| at)
}

/// Bytes of the longest suffix within a number of tokens.
fn suffix(text: &str, tokens_max: u32) -> usize {
    let mut room = Room::of(tokens_max);
    let cut = text.char_indices().rev().find(|(_, c)| !room.takes(*c));
    cut.map_or(text.len(), |(at, c)| text.len() - at - c.len_utf8())
}

/// What is left to fill, in hundredths of a token.
struct Room(u64);

impl Room {
    fn of(tokens: u32) -> Room {
        Room(u64::from(tokens) * 100)
    }

    fn takes(&mut self, c: char) -> bool {
        let rest = self.0.checked_sub(u64::from(hundredths(c)));
        self.0 = rest.unwrap_or(0);
        rest.is_some()
    }
}

enum Towards {
    Start,
    End,
}

/// The nearest grapheme boundary at `at` or in one direction from it.
fn boundary(text: &str, at: usize, towards: Towards) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    let moved = match (cursor.is_boundary(text, 0), towards) {
        (Ok(true), _) => Ok(Some(at)),
        (_, Towards::Start) => cursor.prev_boundary(text, 0),
        (_, Towards::End) => cursor.next_boundary(text, 0),
    };
    moved.expect("the cursor has the whole text").unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// R95: no cut leaves half a character or half a grapheme.
        #[test]
        fn r95_cuts_fall_between_graphemes(
            text in "(?:[a-z汉字]|👩‍👩‍👧|é){0,200}",
            tokens in 1u32..40,
        ) {
            if let Some(Cut { head, tail }) = cut(&text, tokens) {
                prop_assert!(head < tail);
                let shown = format!("{}{}", &text[..head], &text[tail..]);
                prop_assert!(ScriptEstimate.count(&shown) <= tokens + 2);
                for at in [head, tail] {
                    let mut cursor = GraphemeCursor::new(at, text.len(), true);
                    prop_assert!(cursor.is_boundary(&text, 0).unwrap());
                }
            } else {
                prop_assert!(ScriptEstimate.count(&text) <= tokens + 2);
            }
        }
    }

    #[test]
    fn what_fits_is_not_cut() {
        assert_eq!(cut("short", 100), None);
        let long = "字".repeat(1000);
        let Cut { head, tail } = cut(&long, 100).unwrap();
        assert!(head / 3 <= 70 && (long.len() - tail) / 3 <= 30);
    }
}
