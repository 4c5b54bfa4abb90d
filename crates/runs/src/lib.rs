//! Drives one run: request, model, turn, effects, final commit, each guarded by the lease.
//!
//! Owns: the commits of a run and their order, what is replayed after a crash, the caps on time.
//! Does not own: what a run is about. Context and tools come in through [`work::Work`]; who wakes
//! when, and what a report is, are the business of the rooms above. The failures it defends
//! against: a turn asked twice after a crash, a stale owner that writes, a failed provider that
//! counts as an empty success.
//!
//! Reading order: [`status`], [`lease`], [`breaker`], [`work`], [`trail`], [`ask`], [`drive`].

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
