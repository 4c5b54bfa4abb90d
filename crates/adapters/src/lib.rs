//! Implementations of the ports for real use.
//!
//! Owns: the system clock, the system's entropy, threads that compute. Defends against: a clock that
//! is set back during a sleep; a job that panics.
//!
//! Does not own: rules. An adapter can be replaced without a change above the port.
//!
//! Reading order: [`clock`], [`entropy`], [`compute`].

pub mod clock;
pub mod entropy;
pub mod compute;

pub use clock::SystemClock;
pub use compute::ThreadPool;
pub use entropy::OsEntropy;
