//! Implementations of the ports for real use, and the scripted model for tests.
//!
//! Owns: the system clock, the system's entropy, models that answer from a script. Defends against:
//! a clock that is set back during a sleep; a script that answers a replayed turn differently.
//!
//! Does not own: rules. An adapter can be replaced without a change above the port.
//!
//! Reading order: [`clock`], [`entropy`], [`scripted`].

pub mod clock;
pub mod entropy;
pub mod scripted;

pub use clock::SystemClock;
pub use entropy::OsEntropy;
pub use scripted::Script;
