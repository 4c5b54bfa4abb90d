//! What a room above provides for a run: its context, its tools, and what its end writes.

use std::sync::Arc;
use std::time::Duration;

use dormouse_store::agent::message::Chain;
use dormouse_store::agent::source::Source;
use dormouse_store::{Audit, ChangeRow, CommitError, MaybeRefused, Op, ReadError, Refusal};
use dormouse_types::TemplateVersionId;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::port::BoxFuture;

use crate::clearance::Clearance;
use crate::gate::Draft;
use crate::request::Offer;
use crate::step::{Limits, LoggedTurn, RunLog, ToolSet};
use crate::window::TooLarge;

/// What one run is about; implemented by the room above, for one lease.
///
/// It takes `&mut self`, so that an implementation can carry what it has read from one step to the
/// next.
pub trait RunHandler: Send + Sync {
    /// Returns why the run may not ask the model, or `None` if it may. Checked right before asking.
    fn block_reason(&mut self) -> BoxFuture<'_, Result<Option<StopReason>, RunError>>;

    /// Returns what a person has deleted of that which the run is about, since its context was gathered; `None` if
    /// all of it is there. Checked right before asking.
    fn deleted(&mut self) -> BoxFuture<'_, Result<Option<Deleted>, RunError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Returns the change row that says that the run moved: it ended, or was requeued.
    fn announce(&self) -> ChangeRow;

    /// Returns the change row that says that a turn of this number was recorded; `None` if nobody needs to know.
    fn announce_turn(&self, _turn: u32) -> Option<ChangeRow> {
        None
    }

    /// Returns the tools that close the run, or `None` if none does. The answer must not change
    /// during a run.
    fn closing(&mut self) -> BoxFuture<'_, Result<Option<ClosingTools>, RunError>>;

    /// Returns whether an accepted call in the log closed the run.
    fn is_closed(&self, log: &RunLog) -> bool;

    /// Returns whether the run has ended with what is in the log: the model is not called again, even if
    /// it has not said that it wants nothing more.
    fn is_over(&self, _log: &RunLog) -> bool {
        false
    }

    /// Returns the most turns and calls of the run.
    fn limits(&self) -> Limits {
        Limits::default()
    }

    /// Returns how long the run may take, if that is longer than its model allows.
    fn time_limit(&self) -> Option<Duration> {
        None
    }

    /// Returns what is written when the run is requeued, to be resumed later.
    fn requeue(&self) -> BoxFuture<'_, Result<Vec<Op>, RunError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns what its memory was folded from, as far as it was.
    fn checkpoint_sources(&mut self) -> BoxFuture<'_, Result<Vec<Source>, RunError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Returns the next piece of its memory to fold before the first turn; `None` if there is none.
    /// A checkpoint that the model may not see counts as not there.
    fn piece_to_fold<'a>(
        &'a mut self,
        _may_see: &'a Clearance,
    ) -> BoxFuture<'a, Result<Option<FoldPiece>, RunError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Takes what came of the piece; returns what is written, or `None` if it cannot be used.
    fn folded<'a>(
        &'a mut self,
        _folded: Folded<'a>,
        _chain: &'a mut Chain,
    ) -> BoxFuture<'a, Result<Option<Vec<Op>>, RunError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Gathers the context of the first turn.
    fn context(&mut self) -> BoxFuture<'_, Result<TurnContext, RunError>>;

    /// Returns the tools of a later turn, and its instruction. The context of the first turn is sent
    /// again as it was; in a closing turn, what this returns follows the earlier turns.
    fn followup_context(&mut self, tools: ToolSet) -> BoxFuture<'_, Result<TurnContext, RunError>>;

    /// Runs the calls of a turn, as far as they write only the agent store. Refuses calls outside
    /// of `tools`.
    fn execute<'a>(
        &'a mut self,
        calls: &'a [ToolCall],
        tools: ToolSet,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>>;

    /// Runs a recorded call that writes the journal; repeating it has no further effect.
    fn apply_call<'a>(
        &'a mut self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>>;

    /// Returns what is committed with the end of a completed or skipped run.
    fn finalize<'a>(
        &'a mut self,
        log: &'a RunLog,
        chain: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>>;

    /// Gives up what the run made so far, because its prompt was cut and its model has not read the rest. What it
    /// returns is committed with the end of the run.
    fn discard<'a>(&'a mut self) -> BoxFuture<'a, Result<Vec<Op>, RunError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    /// Returns what is committed with the end of a failed run.
    fn fail<'a>(&'a mut self, error: &'a str) -> BoxFuture<'a, Result<RunOutput, RunError>>;
}

/// The tools that close a run, for example by publishing its result.
///
/// If the model wants nothing more but a required closing call is missing, or if it reaches the cap
/// on turns, it gets one more request and may call only these; the tools that it is offered stay the same.
#[derive(Debug, Clone)]
pub struct ClosingTools {
    pub names: Vec<String>,
    /// Whether the run needs such a call.
    pub is_required: bool,
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

/// What was deleted of that which a run is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deleted {
    Task,
    /// An entry of the task.
    Entry,
}

/// What is committed with the end of a run.
#[derive(Debug, Clone, Default)]
pub struct RunOutput {
    /// Writes for the run's last commit.
    pub ops: Vec<Op>,
    /// Change rows to publish, in addition to the end of the run.
    pub news: Vec<ChangeRow>,
    /// What the audit log notes.
    pub audit: Vec<Audit>,
}

/// A piece of memory that a model is to fold.
#[derive(Debug, Clone)]
pub struct FoldPiece {
    /// The prompt, before the gate. Its log is what is folded.
    pub fragments: Vec<Draft>,
    /// The tool that takes the result.
    pub tools: Arc<Offer>,
}

/// What came of a piece.
#[derive(Debug, Clone, Copy)]
pub enum Folded<'a> {
    /// The model gave this turn.
    Answer {
        /// The name of the model.
        model: &'a str,
        turn: &'a LoggedTurn,
        /// What the model was shown.
        sources: &'a [Source],
    },
    /// The model may see none of the lines.
    Hidden,
    /// The piece does not fit into the window of the model.
    TooLarge {
        /// What the model could be shown.
        sources: &'a [Source],
    },
}

/// The context of a turn, of which the gate lets through what the model may see.
#[derive(Debug, Clone)]
pub struct TurnContext {
    /// Fragments of the prompt, in any order, before the gate.
    pub fragments: Vec<Draft>,
    /// All tools of the run, the same in each of its turns.
    pub tools: Arc<Offer>,
    /// Whether there is nothing to ask; the run is then skipped.
    pub nothing_changed: bool,
    /// The version of a template whose directives are among the fragments; `None` if none has a row.
    pub template_version: Option<TemplateVersionId>,
}

impl TurnContext {
    /// A context with something to ask, and without directives of a template.
    pub fn of(fragments: Vec<Draft>, tools: Arc<Offer>) -> Self {
        Self { fragments, tools, nothing_changed: false, template_version: None }
    }
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
    /// What the results were made of beyond what the run's requests were: later turns show them, so
    /// whatever the run writes is as private as they are.
    pub sources: Vec<Source>,
    /// Calls that the policy refused.
    pub audit: Vec<Audit>,
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
    /// The prompt does not fit into the window of the model.
    #[error(
        "the prompt needs about {} tokens with room for an answer, and the window of the model has {}: choose \
         another model, or say that the window is larger (dormouse models edit MODEL --window TOKENS)",
        .0.needed, .0.window
    )]
    TooLarge(TooLarge),
    /// A row of this agent or task is damaged, or a rule is broken; only this run fails.
    #[error("{0}")]
    Broken(String),
}

impl MaybeRefused for RunError {
    fn refusal(&self) -> Option<Refusal> {
        if let Self::Commit(error) = self { error.refusal() } else { None }
    }
}
