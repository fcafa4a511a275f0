//! Chance that a seed decides: SplitMix64.

pub(super) struct Chance(u64);

impl Chance {
    /// A stream of its own for each combination of parts.
    pub(super) fn of(parts: &[u64]) -> Chance {
        let mut mixed = Chance(0x5354_4541_4446_4153);
        for part in parts {
            mixed.0 ^= part.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed.0 = mixed.roll();
        }
        mixed
    }

    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` to `high`, both of them possible.
    pub(super) fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.roll() % (high.saturating_sub(low) + 1)
    }

    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        let at = self.roll() % from.len().max(1) as u64;
        &from[usize::try_from(at).unwrap_or(0)]
    }

    pub(super) fn shuffle<T>(&mut self, list: &mut [T]) {
        for at in (1..list.len()).rev() {
            let other = self.roll() % (at as u64 + 1);
            list.swap(at, usize::try_from(other).unwrap_or(0));
        }
    }
}
