//! A commit is a value: built by pure code, applied whole or not at all.

use std::ops::RangeInclusive;

use dormouse_types::audit::AuditAction;
use dormouse_types::change::What;
use dormouse_types::closed_list::Listed;
use dormouse_types::{Actor, Digest, EventKind, Origin, Seq, TaskId, WorkspaceId};

use crate::value::Param;

/// One of the two databases of a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Db {
    /// The person's data: tasks, checklists, entries.
    Journal,
    /// The agents' data: agents, messages, reports, wakes, change sets.
    Agent,
}

impl Db {
    /// Both, in the order in which they are opened.
    pub const ALL: [Self; 2] = [Self::Journal, Self::Agent];

    /// The other of the two.
    pub fn other(self) -> Self {
        match self {
            Self::Journal => Self::Agent,
            Self::Agent => Self::Journal,
        }
    }

    /// The name of its file and of its Postgres schema.
    pub fn name(self) -> &'static str {
        match self {
            Self::Journal => "journal",
            Self::Agent => "agent",
        }
    }
}

/// A set of writes to one database that is applied whole or not at all.
///
/// A commit is a value, not a closure over a transaction: pure code decides it without holding a
/// lock, tests compare it, and the writer may send it again or apply it with others in one
/// transaction. Everything known only when it is written (position, time, host) is a [`Param`], and
/// every assumption it was decided on is an op whose row count must match. See ADR 0002.
#[derive(Debug, Clone)]
pub struct Commit {
    /// What is being done, for fault points and logs: `journal.edit`, `run.claim`.
    pub label: &'static str,
    /// The database.
    pub db: Db,
    pub ws: WorkspaceId,
    /// Set when the commit must be applied at most once.
    pub once: Option<Once>,
    /// What others need to know of it; each row takes the next sequence number.
    pub changes: Vec<ChangeRow>,
    /// Lines for the audit log.
    pub audit: Vec<Audit>,
    /// The writes, in order; a precondition is an op whose row count must match.
    pub ops: Vec<Op>,
}

impl Commit {
    /// An empty commit.
    pub fn new(label: &'static str, db: Db, ws: WorkspaceId) -> Self {
        let (changes, audit, ops) = (Vec::new(), Vec::new(), Vec::new());
        Self { label, db, ws, once: None, changes, audit, ops }
    }

    /// Adds one write.
    pub fn op(mut self, op: Op) -> Self {
        self.ops.push(op);
        self
    }

    /// Adds writes.
    pub fn ops(mut self, ops: impl IntoIterator<Item = Op>) -> Self {
        self.ops.extend(ops);
        self
    }

    /// Makes the commit apply at most once under `once.id`.
    pub fn once(mut self, once: Once) -> Self {
        self.once = Some(once);
        self
    }

    /// Adds a change row that others read.
    pub fn change(mut self, change: ChangeRow) -> Self {
        self.changes.push(change);
        self
    }

    /// Adds several change rows.
    pub fn changes(mut self, changes: impl IntoIterator<Item = ChangeRow>) -> Self {
        self.changes.extend(changes);
        self
    }

    /// The change rows with their offset from the commit's position.
    pub fn numbered_changes(&self) -> impl Iterator<Item = (i64, &ChangeRow)> {
        (0..).zip(&self.changes)
    }

    /// Returns the number of positions the commit takes.
    pub fn span(&self) -> i64 {
        self.numbered_changes().last().map_or(1, |(offset, _)| offset + 1)
    }

    /// Adds a line to the audit log.
    pub fn audit(mut self, audit: Audit) -> Self {
        self.audit.push(audit);
        self
    }
}

/// A receipt: the commit is applied at most once under `id`, and a repetition gets the stored
/// answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Once {
    /// An operation id, an import key, or the hash of an idempotency key.
    pub id: String,
    /// The digest of the request: the same id with another digest is refused.
    pub request: Digest,
    /// The answer to the first caller, repeated to later ones.
    pub answer: String,
    /// Before and after of each field, as JSON; undo reads it.
    pub effects: Option<String>,
}

/// What others learn of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeRow {
    /// Where it came from.
    pub origin: Origin,
    /// How many agent-work results led here.
    pub depth: i64,
    pub touched: Vec<TaskId>,
    /// Tasks one link away.
    pub neighbours: Vec<TaskId>,
    /// What changed, for readers of the journal feed.
    pub what: Vec<What>,
    /// The kind of event, for readers of the agent feed; none in the journal.
    pub event: Option<Listed<EventKind>>,
    /// What the event is about: an id of the agent store.
    pub subject: Option<String>,
}

impl ChangeRow {
    /// A change of the journal.
    pub fn journal(origin: Origin, touched: Vec<TaskId>, what: Vec<What>) -> Self {
        Self { origin, depth: 0, touched, neighbours: Vec::new(), what, event: None, subject: None }
    }

    /// An event of the agent store.
    pub fn agent(
        origin: Origin,
        event: impl Into<Listed<EventKind>>,
        task: Option<TaskId>,
        subject: impl Into<String>,
    ) -> Self {
        Self {
            origin,
            depth: 0,
            touched: task.into_iter().collect(),
            neighbours: Vec::new(),
            what: Vec::new(),
            event: Some(event.into()),
            subject: Some(subject.into()),
        }
    }

    /// The name of its kind of event as it is stored; empty in the journal.
    pub fn event_name(&self) -> &str {
        self.event.as_ref().map_or("", Listed::name)
    }
}

/// A line of the audit log, written in the same transaction as its effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audit {
    /// Who.
    pub actor: Actor,
    /// What was done.
    pub action: AuditAction,
    /// The object's id.
    pub object: String,
    /// More, as short text; never the person's words.
    pub detail: String,
}

/// One statement with the row count it must have.
#[derive(Debug, Clone)]
pub struct Op {
    /// Portable SQL with `?1` placeholders.
    pub sql: &'static str,
    /// One for each placeholder.
    pub params: Vec<Param>,
    /// How many rows it must change.
    pub rows: RangeInclusive<usize>,
    /// What a wrong row count, or a violated unique index, means.
    pub refusal: Refusal,
}

impl Op {
    /// A statement that must change exactly one row.
    pub fn one(sql: &'static str, params: Vec<Param>, refusal: Refusal) -> Self {
        Self { sql, params, rows: 1..=1, refusal }
    }

    /// A statement that may change any number of rows.
    pub fn any(sql: &'static str, params: Vec<Param>) -> Self {
        Self { sql, params, rows: 0..=usize::MAX, refusal: Refusal::Broken }
    }
}

/// Which precondition failed. Nothing was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The task's revision is not the one the commit was decided on.
    #[error("the task has changed since it was read")]
    Stale,
    /// Something like it exists already.
    #[error("it already exists")]
    Exists,
    /// What it refers to does not exist.
    #[error("it does not exist")]
    Missing,
    /// A newer owner raised the fence.
    #[error("a newer owner took over")]
    Fenced,
    /// The lease is no longer held with this epoch.
    #[error("the lease was lost")]
    LeaseLost,
    /// The proposal's state is not the one the verdict was decided on.
    #[error("the proposal's state has changed")]
    ItemMoved,
    /// The feed position is not the one the routing was based on.
    #[error("the feed position has moved")]
    FeedMoved,
    /// The list was imported again since its last import was read.
    #[error("another import of the list came first")]
    ImportMoved,
    /// A budget leaves no room for what was to be reserved.
    #[error("the budget is used up")]
    OverBudget,
    /// Calls that cost money are switched off.
    #[error("paid calls are switched off")]
    PaidCallsOff,
    /// A broken invariant of this program.
    #[error("an invariant of the store is broken")]
    Broken,
}

/// A commit that is durable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// Its sequence number.
    pub seq: Seq,
    /// The stored answer if this id had already been applied; nothing was written now.
    pub replayed: Option<String>,
}

/// Why a commit is not known to be durable.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommitError {
    /// A precondition failed; nothing was written. Read fresh rows and decide again.
    #[error("{label}: {refusal}")]
    Refused {
        label: &'static str,
        /// The failed precondition.
        refusal: Refusal,
    },
    /// The id was used for another request; nothing was written. Use a fresh id.
    #[error("{label}: id {id} was already used for a different request")]
    Mismatch {
        label: &'static str,
        /// The id of its receipt.
        id: String,
    },
    /// It is unknown whether it was written. Send the same commit again.
    #[error("{label}: the outcome is unknown: {detail}")]
    Unknown {
        label: &'static str,
        /// What happened.
        detail: String,
    },
    /// The engine failed; nothing was written. Retrying helps only after the cause is fixed.
    #[error("cannot write to the {db} database: {detail}")]
    Broken {
        label: &'static str,
        /// Which database.
        db: &'static str,
        /// The engine's error message.
        detail: String,
    },
}

impl CommitError {
    /// The failed precondition, if that was the cause.
    pub fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Refused { refusal, .. } => Some(*refusal),
            Self::Mismatch { .. } | Self::Unknown { .. } | Self::Broken { .. } => None,
        }
    }
}
