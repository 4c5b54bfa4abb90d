//! Why something about an agent did not happen.

use dormouse_changes::DecideError;
use dormouse_journal::JournalError;
use dormouse_runs::RunError;
use dormouse_store::{CommitError, ReadError};
use dormouse_types::limits::Beyond;
use dormouse_types::{AgentId, TaskId};

/// Why something about an agent did not happen.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    /// No such agent. Retry: never.
    #[error("there is no agent {agent}: list the agents for their ids")]
    NotFound {
        /// As given.
        agent: AgentId,
    },
    /// The task has a live agent. Retry: after destroying it.
    #[error("task {task} already has agent {agent}: a task has one live agent")]
    Exists {
        /// The task.
        task: TaskId,
        /// Its agent.
        agent: AgentId,
    },
    /// The task is deleted. Retry: after restoring it.
    #[error("task {task} is deleted: restore it before giving it an agent")]
    TaskDeleted {
        /// The task.
        task: TaskId,
    },
    /// The task of the agent is deleted. Retry: after restoring it.
    #[error("agent {agent} cannot work: its task {task} is deleted: restore the task first")]
    NoTask {
        /// The agent.
        agent: AgentId,
        /// Its task.
        task: TaskId,
    },
    /// The agent is in no state for this. Retry: after what the message says.
    #[error("agent {agent} is {state}: {hint}")]
    State {
        /// The agent.
        agent: AgentId,
        /// Its lifecycle.
        state: &'static str,
        /// What to do.
        hint: &'static str,
    },
    /// A text beyond a limit. Retry: with a shorter one.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// A message that says nothing. Retry: with words.
    #[error("the message is empty: say something, or leave it out to wake the agent without words")]
    BlankMessage,
    /// The agent has not heard all that was said to it. Retry: once it has.
    #[error(
        "agent {agent} still has to hear what was said to it ({beyond}): wait until it has, \
             or cancel its wake"
    )]
    Unheard {
        /// The agent.
        agent: AgentId,
        /// Which limit.
        beyond: Beyond,
    },
    /// The id of a receipt was used for something else. Retry: with a fresh id.
    #[error("the id {id} was already used for a different request: use a fresh one")]
    Reused {
        /// The id.
        id: String,
    },
    /// Others keep writing. Retry: later.
    #[error("agent {agent} is being changed by others: try again")]
    Busy {
        /// The agent.
        agent: AgentId,
    },
    /// The journal could not.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A proposal could not.
    #[error(transparent)]
    Changes(#[from] DecideError),
    /// A run could not.
    #[error(transparent)]
    Work(#[from] RunError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(CommitError),
}

impl AgentError {
    /// Whether rows are damaged or missing that only one agent needs: nobody else is to wait for it.
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
            | Self::Beyond(_)
            | Self::BlankMessage
            | Self::Unheard { .. }
            | Self::Reused { .. }
            | Self::Busy { .. }
            | Self::Journal(_)
            | Self::Changes(_)
            | Self::Work(_)
            | Self::Read(_)
            | Self::Commit(_) => false,
        }
    }
}

/// The rows that can be read; the others are logged and left as they are.
pub(crate) fn readable<T>(rows: Vec<Result<T, ReadError>>) -> Vec<T> {
    let told = |row: Result<T, ReadError>| match row {
        Ok(row) => Some(row),
        Err(damaged) => {
            tracing::error!(%damaged, "a row cannot be read");
            None
        }
    };
    rows.into_iter().filter_map(told).collect()
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
