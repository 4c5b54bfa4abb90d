//! What a room above gives a run: its context, its tools, and what its end means.

use std::sync::Arc;

use dormouse_store::agent::message::Chain;
use dormouse_store::{ChangeRow, CommitError, Op, ReadError};
use dormouse_turns::RunLog;
use dormouse_turns::request::Offer;
use dormouse_types::model::{Fragment, ToolCall, ToolResult};
use dormouse_types::port::BoxFuture;

use crate::lease::Lease;

/// What a run is about.
pub trait RunHandler: Send + Sync {
    /// Why the run may not ask a model any more, if so; checked right before it does.
    fn block_reason<'a>(
        &'a self,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<Option<StopReason>, RunError>>;

    /// Gathers the context of the first turn.
    fn context<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<TurnContext, RunError>>;

    /// The tools and the instruction of a later turn, whose other fragments are rebuilt.
    fn followup_context<'a>(
        &'a self,
        lease: &'a Lease,
        report_only: bool,
    ) -> BoxFuture<'a, Result<TurnContext, RunError>>;

    /// Runs the calls of a turn as far as they touch the agent store alone.
    fn execute<'a>(
        &'a self,
        lease: &'a Lease,
        calls: &'a [ToolCall],
        report_only: bool,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>>;

    /// Runs a recorded call that writes the journal, once however often it is tried.
    fn apply_call<'a>(
        &'a self,
        lease: &'a Lease,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>>;

    /// Whether an accepted call of the log published a report.
    fn reported(&self, log: &RunLog) -> bool;

    /// What becomes durable with the end of a completed or skipped run.
    fn finalize<'a>(
        &'a self,
        lease: &'a Lease,
        log: &'a RunLog,
        trail: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>>;

    /// What becomes durable with the end of a failed run.
    fn fail<'a>(
        &'a self,
        lease: &'a Lease,
        error: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Op>, RunError>>;
}

/// Why a run may not ask a model any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StopReason {
    /// In words.
    pub reason: &'static str,
    /// Whether it stays so: the run is claimed once more, to be ended. Else whoever lets the holder run
    /// again makes it due.
    pub is_final: bool,
}

/// What becomes durable with the end of a run.
#[derive(Debug, Clone, Default)]
pub struct RunOutput {
    /// The writes.
    pub ops: Vec<Op>,
    /// What others may want to know of them, beside the end of the run.
    pub news: Vec<ChangeRow>,
}

/// The context of a turn.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// The prompt, unordered.
    pub fragments: Vec<Fragment>,
    /// The log lines that the log fragment shows: from 1 up to this place.
    pub log_upto: i64,
    /// The tools that may be called.
    pub tools: Arc<Offer>,
    /// Whether the run must publish a report.
    pub report_due: bool,
    /// Whether there is nothing to ask: the run is skipped.
    pub nothing_changed: bool,
}

/// What the calls of a turn led to.
#[derive(Debug, Clone, Default)]
pub struct ExecutedCalls {
    /// One place for each call; empty where the call writes the journal and runs after the commit.
    pub results: Vec<Option<ToolResult>>,
    /// What becomes durable with the turn: open items, sagas.
    pub ops: Vec<Op>,
    /// What others may want to know of that.
    pub news: Vec<ChangeRow>,
}

/// What a recorded call that writes the journal led to.
#[derive(Debug, Clone)]
pub struct AppliedCall {
    /// What the model reads.
    pub result: ToolResult,
    /// What becomes durable with the result: the end of the saga.
    pub ops: Vec<Op>,
    /// The entities of the journal that it touched.
    pub touched: Vec<String>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Rows could not be read.
    #[error("cannot read what the run needs")]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error("cannot write what the run made")]
    Commit(#[from] CommitError),
    /// A row of this agent or task is damaged, or a rule is broken: this run fails.
    #[error("{0}")]
    Broken(String),
}
