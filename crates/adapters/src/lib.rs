//! What stands behind the ports when the program runs for real, and the scripted model of tests.
//!
//! Owns: the system's clock, the system's entropy, models that answer from a script. Defends
//! against: a clock that is set back while somebody sleeps; a script that answers a replayed turn
//! differently.
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
