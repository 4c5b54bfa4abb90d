//! Entropy from the operating system.

use std::fs::File;
use std::io::{self, Read as _};

use dormouse_types::port::Entropy;

/// Random bytes from the operating system's random device.
#[derive(Debug)]
pub struct OsEntropy {
    device: File,
}

impl OsEntropy {
    /// Opens the device once, so that a program without one fails at start-up.
    ///
    /// Errors: the system has no `/dev/urandom`.
    pub fn open() -> io::Result<Self> {
        Ok(Self { device: File::open("/dev/urandom")? })
    }
}

impl Entropy for OsEntropy {
    fn fill(&self, out: &mut [u8]) {
        (&self.device).read_exact(out).expect("an open random device never ends");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_draws_differ() -> io::Result<()> {
        let entropy = OsEntropy::open()?;
        let (mut one, mut two) = ([0; 32], [0; 32]);
        entropy.fill(&mut one);
        entropy.fill(&mut two);
        assert_ne!(one, two);
        Ok(())
    }
}
