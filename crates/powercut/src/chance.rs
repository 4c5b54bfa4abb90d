//! Chance that repeats: the same seed draws the same numbers.

/// A generator of numbers; its own, so that a seed means the same in every version.
#[derive(Debug, Clone)]
pub struct Chance(u64);

impl Chance {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number. Source: the SplitMix64 generator of Steele, Lea and Flood (2014).
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        // The shift keeps the number inside of what `usize` holds everywhere.
        usize::try_from(self.draw() >> 33).unwrap_or_default() % n.max(1)
    }

    /// Yes in one of `n` draws.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// A generator of its own for a part of the work.
    pub fn fork(&mut self) -> Self {
        Self(self.draw())
    }
}
