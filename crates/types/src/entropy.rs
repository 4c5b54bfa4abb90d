//! The port of randomness. Ids are made with it, so it imports nothing.

/// A source of randomness.
pub trait Entropy: Send + Sync {
    /// Fills `out` with random bytes.
    fn fill(&self, out: &mut [u8]);
}
