//! What a room above provides for a run: its context, its tools, and what its end writes.

use std::sync::Arc;

use dormouse_store::agent::message::Chain;
use dormouse_store::{ChangeRow, CommitError, Op, ReadError};
use dormouse_types::model::{Fragment, ToolCall, ToolResult};
use dormouse_types::port::BoxFuture;

use crate::lease::Lease;
use crate::request::Offer;
use crate::step::RunLog;

/// What a run is about; implemented by the room above.
pub trait RunHandler: Send + Sync {
    /// Returns why the run may not ask the model, or `None` if it may. Checked right before asking.
    fn block_reason<'a>(
        &'a self,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<Option<StopReason>, RunError>>;

    /// Gathers the context of the first turn.
    fn context<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<TurnContext, RunError>>;

    /// Returns the tools and the instruction of a later turn; its other fragments are rebuilt.
    fn followup_context<'a>(
        &'a self,
        lease: &'a Lease,
        report_only: bool,
    ) -> BoxFuture<'a, Result<TurnContext, RunError>>;

    /// Runs the calls of a turn, as far as they write only the agent store.
    fn execute<'a>(
        &'a self,
        lease: &'a Lease,
        calls: &'a [ToolCall],
        report_only: bool,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>>;

    /// Runs a recorded call that writes the journal; repeating it has no further effect.
    fn apply_call<'a>(
        &'a self,
        lease: &'a Lease,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>>;

    /// Returns whether an accepted call in the log published a report.
    fn reported(&self, log: &RunLog) -> bool;

    /// Returns what is committed with the end of a completed or skipped run.
    fn finalize<'a>(
        &'a self,
        lease: &'a Lease,
        log: &'a RunLog,
        trail: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>>;

    /// Returns what is committed with the end of a failed run.
    fn fail<'a>(
        &'a self,
        lease: &'a Lease,
        error: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Op>, RunError>>;
}

/// Why a run may not ask the model any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopReason {
    /// The reason, in words.
    pub reason: &'static str,
    /// Whether this is permanent: the run is then claimed once more, only to be ended. If not,
    /// whatever unblocks the agent makes the run due again.
    pub is_final: bool,
}

/// What is committed with the end of a run.
#[derive(Debug, Clone, Default)]
pub struct RunOutput {
    /// Writes for the run's last commit.
    pub ops: Vec<Op>,
    /// Change rows to publish, in addition to the end of the run.
    pub news: Vec<ChangeRow>,
}

/// The context of a turn.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// Fragments of the prompt, in any order.
    pub fragments: Vec<Fragment>,
    /// Last log line that the log fragment shows; the first is 1.
    pub log_upto: i64,
    /// Tools that may be called.
    pub tools: Arc<Offer>,
    /// Whether the run must publish a report.
    pub report_due: bool,
    /// Whether there is nothing to ask; the run is then skipped.
    pub nothing_changed: bool,
}

/// The result of running a turn's calls.
#[derive(Debug, Clone, Default)]
pub struct ExecutedCalls {
    /// One entry per call; `None` for a call that writes the journal and runs after the commit.
    pub results: Vec<Option<ToolResult>>,
    /// Writes for the turn's commit: open items, sagas.
    pub ops: Vec<Op>,
    /// Change rows to publish with the commit.
    pub news: Vec<ChangeRow>,
}

/// The result of a recorded call that writes the journal.
#[derive(Debug, Clone)]
pub struct AppliedCall {
    /// Result that the model reads.
    pub result: ToolResult,
    /// Writes for the same commit: the end of the saga.
    pub ops: Vec<Op>,
    /// Ids of the journal entities that the call changed.
    pub touched: Vec<String>,
}

/// Why a run cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Rows could not be read.
    #[error("cannot read what the run needs")]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error("cannot write the results of the run")]
    Commit(#[from] CommitError),
    /// A row of this agent or task is damaged, or a rule is broken; only this run fails.
    #[error("{0}")]
    Broken(String),
}
