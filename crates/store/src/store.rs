//! The store handle, shared by every room.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use dormouse_types::port::{BoxFuture, Faults, Point, Stage};
use dormouse_types::{HostId, Timestamp, WorkspaceId};
use tokio::sync::watch;

use crate::commit::{Commit, CommitError, Committed, Db};
use crate::value::{ColumnError, Param, Row, Value};

/// Why rows could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// The engine failed.
    #[error("cannot read the {db} database: {detail}")]
    Engine {
        /// Which database.
        db: &'static str,
        /// The engine's error message.
        detail: String,
    },
    /// A row holds something this program would not write.
    #[error("{noun} {id} in the {db} database cannot be read: {detail}")]
    Corrupt {
        /// Which database.
        db: &'static str,
        /// What kind of row.
        noun: &'static str,
        id: String,
        /// What is wrong with it.
        detail: String,
    },
}

impl ReadError {
    /// The error for an undecodable row of a table without documents.
    pub fn column(db: Db, noun: &'static str, error: &ColumnError) -> Self {
        Self::Corrupt { db: db.name(), noun, id: "row".into(), detail: error.to_string() }
    }
}

/// A statement that reads, with its decoder.
pub struct Query<T> {
    /// The database.
    pub db: Db,
    /// Portable SQL with `?1` placeholders.
    pub sql: &'static str,
    /// One for each placeholder.
    pub params: Vec<Value>,
    /// Turns one row into a value.
    pub decode: fn(&Row) -> Result<T, ReadError>,
}

/// Receives hints of commits; see [`Backend::changes`].
pub type Hints = watch::Receiver<u64>;

/// Sends hints about something that is not in a database to readers in the same process.
#[derive(Debug)]
pub struct HintSender(watch::Sender<u64>);

impl HintSender {
    /// Receives the hints from now on.
    pub fn hints(&self) -> Hints {
        self.0.subscribe()
    }

    /// Says that there may be news.
    pub fn send(&self) {
        self.0.send_modify(|number| *number = number.wrapping_add(1));
    }
}

impl Default for HintSender {
    fn default() -> Self {
        Self(watch::Sender::new(0))
    }
}

/// The kinds of engines. Statements are the same for both, apart from those of the search index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Engine {
    /// Files of this process, or its memory.
    Sqlite,
    /// A server that any number of nodes share.
    Postgres,
}

/// An engine that holds both databases.
pub trait Backend: Send + Sync {
    /// Reads rows that are committed.
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>>;
    /// Applies a commit whole or not at all; returns once it is durable.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>>;
    /// The id of a database.
    fn host(&self, db: Db) -> HostId;
    /// Which kind of engine it is.
    fn engine(&self) -> Engine;
    /// A number that rises after every commit with a change row, in either database.
    ///
    /// It is a hint and may be lost: a waiter must also poll the rows from time to time.
    fn changes(&self) -> Hints;
    /// Removes what the files of both databases keep of rows that were deleted or overwritten, as far
    /// as this program can. It takes as long as copying the databases.
    fn clean_files(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(std::future::ready(Ok(())))
    }
    /// The time of the database, which all nodes share and which [`Param::Now`] stands for; `None` if
    /// that is the clock of this process.
    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        Box::pin(std::future::ready(Ok(None)))
    }
    /// Why this process writes nothing until it is restarted; `None` while it can write.
    fn writing_ended(&self) -> Option<String> {
        None
    }
}

/// Reads and commits. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    backend: Arc<dyn Backend>,
    faults: Arc<dyn Faults>,
    /// Why the last commit could not be written; `None` after a successful one.
    write_failure: Arc<Mutex<Option<String>>>,
}

impl Store {
    /// Joins an engine with fault points.
    pub fn new(backend: Arc<dyn Backend>, faults: Arc<dyn Faults>) -> Self {
        Self { backend, faults, write_failure: Arc::default() }
    }

    /// The same store with different fault points.
    #[must_use]
    pub fn with_faults(self, faults: Arc<dyn Faults>) -> Self {
        Self { faults, ..self }
    }

    /// Reads all rows of a query.
    pub async fn all<T>(&self, query: Query<T>) -> Result<Vec<T>, ReadError> {
        let rows = self.backend.read(query.db, query.sql, query.params).await?;
        rows.iter().map(query.decode).collect()
    }

    /// Reads all rows of a query, each decoded separately, so that a damaged one does not hide the
    /// others.
    pub async fn each<T>(&self, query: Query<T>) -> Result<Vec<Result<T, ReadError>>, ReadError> {
        let rows = self.backend.read(query.db, query.sql, query.params).await?;
        Ok(rows.iter().map(query.decode).collect())
    }

    /// Reads the first row of a query.
    pub async fn first<T>(&self, query: Query<T>) -> Result<Option<T>, ReadError> {
        let rows = self.backend.read(query.db, query.sql, query.params).await?;
        rows.first().map(query.decode).transpose()
    }

    /// Applies a commit whole or not at all.
    ///
    /// An `Unknown` outcome is resolved here where possible: a commit with a receipt is sent again.
    /// A commit without one might be applied twice, so its outcome is returned as `Unknown`.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        let label = commit.label;
        self.faults.pass(Point { stage: Stage::BeforeCommit, label });
        let again = commit.once.is_some().then(|| commit.clone());
        let mut result = self.backend.commit(commit).await;
        if matches!(result, Err(CommitError::Unknown { .. }))
            && let Some(commit) = again
        {
            match self.backend.commit(commit).await {
                // The second attempt was not written. That says nothing about the first.
                Err(CommitError::Broken { .. }) => {}
                settled => result = settled,
            }
        }
        match &result {
            Ok(_) => self.note_write_failure(None),
            Err(error @ (CommitError::Broken { .. } | CommitError::Unknown { .. })) => {
                self.note_write_failure(Some(error.to_string()));
            }
            Err(CommitError::Refused { .. } | CommitError::Mismatch { .. }) => {}
        }
        let committed = result?;
        if committed.replayed.is_none() {
            self.faults.pass(Point { stage: Stage::AfterCommit, label });
        }
        Ok(committed)
    }

    fn note_write_failure(&self, failure: Option<String>) {
        *self.write_failure.lock().unwrap_or_else(PoisonError::into_inner) = failure;
    }

    /// Why the last commit could not be written, for example a full disk; `None` after a successful
    /// one.
    pub fn write_failure(&self) -> Option<String> {
        self.write_failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Marks a place where a fault may strike outside of commits.
    pub fn pass(&self, stage: Stage, label: &str) {
        self.faults.pass(Point { stage, label });
    }

    /// Removes what the files keep of former rows; see [`Backend::clean_files`].
    ///
    /// Errors: why a file could not be cleaned.
    pub async fn clean_files(&self) -> Result<(), String> {
        self.faults.pass(Point { stage: Stage::BeforeEffect, label: "purge.files" });
        let cleaned = self.backend.clean_files().await;
        self.faults.pass(Point { stage: Stage::AfterEffect, label: "purge.files" });
        cleaned
    }

    /// Receives hints of commits with change rows; see [`Backend::changes`].
    pub fn changes(&self) -> Hints {
        self.backend.changes()
    }

    /// The time of the database; see [`Backend::time`].
    pub async fn time(&self) -> Result<Option<Timestamp>, ReadError> {
        self.backend.time().await
    }

    /// Why this process no longer writes; see [`Backend::writing_ended`].
    pub fn writing_ended(&self) -> Option<String> {
        self.backend.writing_ended()
    }

    /// Which kind of engine it is.
    pub fn engine(&self) -> Engine {
        self.backend.engine()
    }

    /// The id of a database: the epoch of cursors and the key of vector clocks.
    pub fn host(&self, db: Db) -> HostId {
        self.backend.host(db)
    }
}

/// Fills in the parameters that only the writer knows.
pub(crate) fn bind<'p>(param: &'p Param, seq: i64, now: i64, host: &HostId) -> Cow<'p, Value> {
    Cow::Owned(match param {
        Param::Value(value) => return Cow::Borrowed(value),
        Param::Seq => Value::Int(seq),
        Param::Now => Value::Int(now),
        Param::Later(by) => Value::Int((Timestamp::from_micros(now) + *by).micros()),
        Param::Host => Value::Text(host.to_string()),
    })
}

/// The workspace as a parameter.
pub(crate) fn ws(ws: WorkspaceId) -> Value {
    Value::Int(ws.0)
}
