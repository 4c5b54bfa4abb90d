//! Drives one run: request, model, turn, effects, final commit, each guarded by the lease.
//!
//! Owns: the pure step over a run's log, the order of the prompt, its caps, its fencing as data and
//! the digest that verifies a rebuilt prompt; the commits of a run and their order, what is replayed
//! after a crash, the time limits. Does not own: what a run is about. Context and tools come in
//! through [`handler::RunHandler`], and so do the tools that close it; who wakes when, and what a
//! run leaves behind, belong to the rooms above.
//! The failures it defends against: a loop that never ends, a turn requested twice after a crash, text
//! of a task read as an instruction, private text sent to somebody else's model, a stale owner that writes, a provider failure that counts as an
//! empty success.
//!
//! Reading order: [`step`], [`clearance`], [`gate`], [`request`], [`breaker`], [`models`], [`handler`], [`run_log`],
//! [`recorded_turns`], [`model_call`], [`truncation`], [`window`], [`spending`], [`prober`], [`drive`], [`admission`].

pub mod step;
pub mod clearance;
pub mod gate;
pub mod request;
pub mod breaker;
pub mod models;
pub mod handler;
pub mod run_log;
pub mod recorded_turns;
pub mod model_call;
mod nul;
mod early_end;
pub mod truncation;
pub mod window;
pub mod spending;
pub mod prober;
pub mod drive;
pub mod admission;

pub use dormouse_scheduler::{End, Lease, Stop, status};
pub use drive::Driver;
pub use drive::preview::Preview;
pub use handler::{
    AppliedCall, ClosingTools, Deleted, ExecutedCalls, FoldPiece, Folded, RunError, RunHandler,
    RunOutput, StopReason, TurnContext,
};
pub use model_call::{DeltaSink, LiveTurn, NoSink};
pub use models::Models;
pub use prober::{NotProbed, Prober, Sign};
pub use step::{Closing, Limits, LoggedTurn, RunLog, Step, ToolSet, next};
