//! The key that seals secrets, kept in the test.

use dormouse_types::port::SealingKeys;

/// A key that is always there.
#[derive(Debug, Clone, Copy)]
pub struct FixedKey(pub [u8; 32]);

impl SealingKeys for FixedKey {
    fn find(&self) -> Result<Option<[u8; 32]>, String> {
        Ok(Some(self.0))
    }

    fn find_or_keep(&self, _fresh: [u8; 32]) -> Result<[u8; 32], String> {
        Ok(self.0)
    }
}
