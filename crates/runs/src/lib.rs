//! Drives one run: request, model, turn, effects, final commit, each guarded by the lease.
//!
//! Owns: the commits of a run and their order, what is replayed after a crash, the time limits.
//! Does not own: what a run is about. Context and tools come in through [`handler::RunHandler`];
//! who wakes when, and what a report is, belong to the rooms above. The failures it defends
//! against: a turn asked twice after a crash, a stale owner that writes, a provider failure that
//! counts as an empty success.
//!
//! Reading order: [`status`], [`lease`], [`breaker`], [`handler`], [`run_log`], [`model_call`],
//! [`drive`].

pub mod status;
pub mod lease;
pub mod breaker;
pub mod handler;
pub mod run_log;
pub mod model_call;
pub mod drive;

pub use drive::{Driver, End, Stop};
pub use handler::{
    AppliedCall, ExecutedCalls, RunError, RunHandler, RunOutput, StopReason, TurnContext,
};
pub use lease::Lease;
