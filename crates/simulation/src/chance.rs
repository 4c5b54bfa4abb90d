//! Chance that repeats: every choice of a play is drawn from its seed, in the order of the play.

/// A stream of numbers that a seed decides.
#[derive(Debug, Clone)]
pub struct Chance {
    state: u64,
}

impl Chance {
    /// The stream of a seed.
    pub fn of(seed: u64) -> Self {
        // Neighbouring seeds must not begin alike, and no state may be 0.
        let state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut chance = Self { state };
        for _ in 0..8 {
            chance.number();
        }
        chance
    }

    /// The next number. Source: xorshift64* of Vigna (2014), shifts 12, 25 and 27.
    pub fn number(&mut self) -> u64 {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`; 0 when `n` is.
    pub fn below(&mut self, n: u64) -> u64 {
        // The upper bits are the good ones.
        (self.number() >> 16).checked_rem(n).unwrap_or(0)
    }

    /// A place in a list of `n`.
    pub fn place(&mut self, n: usize) -> usize {
        usize::try_from(self.below(u64::try_from(n).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// Yes in one of `n` draws; never when `n` is 0.
    pub fn one_in(&mut self, n: u64) -> bool {
        n > 0 && self.below(n) == 0
    }

    /// One of several.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.place(from.len());
        from.get(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_repeats_and_its_neighbour_does_not() {
        let draw = |seed| {
            let mut chance = Chance::of(seed);
            [0; 8].map(|_: u64| chance.number())
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
        let mut chance = Chance::of(3);
        let hits = (0..10_000).filter(|_| chance.one_in(10)).count();
        assert!((800..1200).contains(&hits), "{hits} of 10000");
    }
}
