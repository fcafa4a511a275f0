//! Line numbers of places in a text.

/// The ends of a text's lines, found once.
#[derive(Debug)]
pub(super) struct Lines(Vec<usize>);

impl Lines {
    pub(super) fn of(text: &str) -> Lines {
        Lines(
            text.bytes()
                .enumerate()
                .filter(|(_, b)| *b == b'\n')
                .map(|(at, _)| at)
                .collect(),
        )
    }

    /// The line of a byte, from 1.
    pub(super) fn number(&self, byte: usize) -> usize {
        self.0.partition_point(|&end| end < byte) + 1
    }
}
