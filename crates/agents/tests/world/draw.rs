//! Reproducible numbers.

/// A reproducible sequence of numbers.
pub struct Draw(pub u64);

impl Draw {
    pub fn below(&mut self, n: usize) -> usize {
        // Source: SplitMix64, by Sebastiano Vigna.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let z = usize::try_from((z ^ (z >> 31)) >> 8).expect("64 bits");
        z % n
    }
}
