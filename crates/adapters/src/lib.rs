//! Implementations of the ports for real use.
//!
//! Owns: the system clock and the system's entropy. Defends against: a clock that is set back during
//! a sleep.
//!
//! Does not own: rules. An adapter can be replaced without a change above the port.
//!
//! Reading order: [`clock`], [`entropy`].

pub mod clock;
pub mod entropy;

pub use clock::SystemClock;
pub use entropy::OsEntropy;
