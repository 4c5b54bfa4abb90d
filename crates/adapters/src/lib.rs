//! Implementations of the ports for real use.
//!
//! Owns: the system clock, the system's entropy, threads that compute, the one client for requests
//! that leave the process, and the formats of the providers of models. Defends against: a clock that
//! is set back during a sleep; a job that panics; a server that is slow, hostile or not what its
//! address promises.
//!
//! Does not own: rules. An adapter can be replaced without a change above the port. No time limits
//! and no choice of a model either: both are the caller's.
//!
//! Reading order: [`clock`], [`entropy`], [`compute`], [`http`], [`sse`], [`models`].

pub mod clock;
pub mod entropy;
pub mod compute;
pub mod http;
pub mod sse;
pub mod models;

pub use clock::SystemClock;
pub use compute::ThreadPool;
pub use entropy::OsEntropy;
