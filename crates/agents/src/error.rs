//! Why an operation on an agent failed.

use dormouse_changes::DecideError;
use dormouse_changes::rule::service::RuleError;
use dormouse_journal::JournalError;
use dormouse_runs::RunError;
use dormouse_scheduler::{HandlerError, SchedulerError};
use dormouse_store::{CommitError, MaybeRefused, ReadError, Refusal};
use dormouse_types::agent::RunStatus;
use dormouse_types::limits::Beyond;
use dormouse_types::{AgentId, EvolutionSessionId, HolderId, Id as _, RunKey, TaskId, WorkRunId};

use crate::template::TemplateError;

/// Why an operation on an agent failed.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// There is no such agent. Retry: never.
    #[error("there is no agent {agent}: list the agents for their ids")]
    NotFound {
        /// The id as given.
        agent: AgentId,
    },
    /// The task already has a live agent. Retry: after destroying it.
    #[error("task {task} already has agent {agent}: a task has one live agent")]
    Exists {
        /// Task that was to get an agent.
        task: TaskId,
        /// The agent it already has.
        agent: AgentId,
    },
    /// The task is deleted. Retry: after restoring it.
    #[error("task {task} is deleted: restore it before giving it an agent")]
    TaskDeleted {
        /// Id of the deleted task.
        task: TaskId,
    },
    /// The agent's task is deleted. Retry: after restoring it.
    #[error("agent {agent} cannot work: its task {task} is deleted: restore the task first")]
    NoTask {
        agent: AgentId,
        /// Id of its deleted task.
        task: TaskId,
    },
    /// Not allowed in the agent's present state. Retry: after following the hint.
    #[error("agent {agent} is {state}: {hint}")]
    State {
        agent: AgentId,
        /// The agent's present state.
        state: &'static str,
        /// What the user can do about it.
        hint: &'static str,
    },
    /// Words cannot be removed while somebody who may be reading them is at work. Retry: once they are not.
    #[error("{} may be reading the words: {}", reader(.0), wait_for(.0))]
    ReaderAtWork(HolderId),
    /// The run has ended, so it cannot be cancelled. Retry: never.
    #[error("run {run} of agent {agent} has already ended as {status}: nothing was cancelled", status = .status.name())]
    RunEnded {
        agent: AgentId,
        run: RunKey,
        /// How it ended.
        status: RunStatus,
    },
    /// The agent has no such run. Retry: never.
    #[error("agent {agent} has no run {run}: list its wakes for their keys")]
    NoRun {
        agent: AgentId,
        /// The key as given.
        run: RunKey,
    },
    /// The agent has no such line in its memory. Retry: never.
    #[error("agent {agent} knows no {line}: list what it knows for the names of its lines")]
    NoLine {
        agent: AgentId,
        /// The name as given.
        line: String,
    },
    /// A text exceeds its limit. Retry: with a shorter one.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// The message is blank. Retry: with text.
    #[error("the message is empty: write one, or omit it to wake the agent without a message")]
    BlankMessage,
    /// Too many messages to the agent are still unheard. Retry: once it has heard them.
    #[error(
        "agent {agent} still has to hear what was said to it ({beyond}): wait until it has, \
             or cancel its wake"
    )]
    Unheard {
        agent: AgentId,
        /// The limit that was exceeded.
        beyond: Beyond,
    },
    /// The idempotency key was used for a different request. Retry: with a fresh key.
    #[error("the id {id} was already used for a different request: use a fresh one")]
    Reused {
        /// The reused key.
        id: String,
    },
    /// Other writers keep changing the agent. Retry: later.
    #[error("agent {agent} is being changed by others: try again")]
    Busy { agent: AgentId },
    /// An operation on a template was refused.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// A policy of a tool was refused.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// The journal failed.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A change set operation failed.
    #[error(transparent)]
    Changes(#[from] DecideError),
    /// A run failed.
    #[error(transparent)]
    Work(#[from] RunError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(CommitError),
}

/// Names who is at work.
fn reader(holder: &HolderId) -> String {
    match holder.kind() {
        EvolutionSessionId::PREFIX => format!("the session {holder} about a template"),
        WorkRunId::PREFIX => format!("the run {holder} of agent work"),
        _ => format!("agent {holder}"),
    }
}

/// What a person can do about it.
fn wait_for(holder: &HolderId) -> &'static str {
    match holder.kind() {
        EvolutionSessionId::PREFIX => {
            "wait until it has answered, or stop its answer; then remove the line"
        }
        WorkRunId::PREFIX => "wait until it has ended, or cancel it; then remove the line",
        _ => "wait until its wake has ended, or cancel it; then remove the line",
    }
}

impl AgentError {
    /// Returns whether the error is damage to rows that only one agent needs, so that other agents
    /// can continue.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::NotFound { .. }
            | Self::Read(ReadError::Corrupt { .. })
            | Self::Work(RunError::Read(ReadError::Corrupt { .. }) | RunError::Broken(_))
            | Self::Journal(JournalError::Read(ReadError::Corrupt { .. }))
            | Self::Changes(DecideError::Read(ReadError::Corrupt { .. })) => true,
            Self::Exists { .. }
            | Self::TaskDeleted { .. }
            | Self::NoTask { .. }
            | Self::State { .. }
            | Self::ReaderAtWork(_)
            | Self::RunEnded { .. }
            | Self::NoRun { .. }
            | Self::NoLine { .. }
            | Self::Beyond(_)
            | Self::BlankMessage
            | Self::Unheard { .. }
            | Self::Reused { .. }
            | Self::Busy { .. }
            | Self::Template(_)
            | Self::Rule(_)
            | Self::Journal(_)
            | Self::Changes(_)
            | Self::Work(_)
            | Self::Read(_)
            | Self::Commit(_) => false,
        }
    }
}

impl MaybeRefused for AgentError {
    fn refusal(&self) -> Option<Refusal> {
        if let Self::Commit(error) = self { error.refusal() } else { None }
    }
}

impl From<CommitError> for AgentError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Mismatch { id, .. } => Self::Reused { id },
            other @ (CommitError::Refused { .. }
            | CommitError::Unknown { .. }
            | CommitError::Broken { .. }) => Self::Commit(other),
        }
    }
}

impl From<AgentError> for RunError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Read(error) => Self::Read(error),
            AgentError::Commit(error) => Self::Commit(error),
            AgentError::Work(error) => error,
            AgentError::Journal(error) => from_journal(error),
            AgentError::Changes(error) => from_changes(error),
            other => Self::Broken(other.to_string()),
        }
    }
}

pub(crate) fn from_journal(error: JournalError) -> RunError {
    match error {
        JournalError::Read(error) => RunError::Read(error),
        JournalError::Commit(error) => RunError::Commit(error),
        other => RunError::Broken(other.to_string()),
    }
}

pub(crate) fn from_changes(error: DecideError) -> RunError {
    match error {
        DecideError::Read(error) => RunError::Read(error),
        DecideError::Commit(error) => RunError::Commit(error),
        DecideError::Journal(error) => from_journal(error),
        other => RunError::Broken(other.to_string()),
    }
}

impl From<AgentError> for HandlerError {
    fn from(error: AgentError) -> Self {
        Self { is_damage: error.is_damage(), source: Box::new(error) }
    }
}

impl From<SchedulerError> for AgentError {
    fn from(error: SchedulerError) -> Self {
        match error {
            SchedulerError::Read(error) => error.into(),
            SchedulerError::Commit(error) => error.into(),
            SchedulerError::Handler(HandlerError { source, .. }) => {
                match source.downcast::<Self>() {
                    Ok(error) => *error,
                    Err(other) => broken(other),
                }
            }
            other @ (SchedulerError::NoHandler { .. } | SchedulerError::Status(_)) => broken(other),
        }
    }
}

/// Returns the error for a broken invariant of a run.
pub(crate) fn broken(error: impl std::fmt::Display) -> AgentError {
    RunError::Broken(error.to_string()).into()
}
