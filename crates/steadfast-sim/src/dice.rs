//! Chance that can be repeated: SplitMix64 over a seed, and a small hash to
//! make seeds from what a decision rests on.

/// A stream of numbers that its seed decides.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A stream of its own for each combination of parts.
    pub fn of(parts: &[u64]) -> Dice {
        let mut mark = Mark::new();
        for part in parts {
            mark.number(*part);
        }
        Dice(mark.value())
    }

    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.roll() % n }
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of several, or none of none.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = usize::try_from(self.below(from.len() as u64)).unwrap_or(0);
        from.get(at)
    }
}

/// FNV-1a with a final mix. Not for secrets: only to tell inputs apart.
#[derive(Clone, Debug)]
pub struct Mark(u64);

impl Mark {
    pub fn new() -> Mark {
        Mark(0xcbf2_9ce4_8422_2325)
    }

    pub fn text(&mut self, text: &str) {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        // So that "ab", "c" and "a", "bc" differ.
        self.0 = (self.0 ^ 0xff).wrapping_mul(0x0100_0000_01b3);
    }

    pub fn number(&mut self, number: u64) {
        for byte in number.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub fn value(&self) -> u64 {
        Dice(self.0).roll()
    }
}

impl Default for Mark {
    fn default() -> Self {
        Mark::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_gives_the_same_stream() {
        let draw = |seed| {
            let mut dice = Dice::new(seed);
            [dice.roll(), dice.roll(), dice.below(10)]
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }
}
