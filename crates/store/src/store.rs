//! The handle every room holds.

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
        /// What the engine says.
        detail: String,
    },
    /// A row does not hold what this program writes.
    #[error("{noun} {id} in the {db} database cannot be read: {detail}")]
    Corrupt {
        /// Which database.
        db: &'static str,
        /// What kind of row.
        noun: &'static str,
        /// Its id.
        id: String,
        /// What is wrong with it.
        detail: String,
    },
}

impl ReadError {
    /// A row of a table without documents that cannot be decoded.
    pub fn column(db: Db, noun: &'static str, error: &ColumnError) -> Self {
        Self::Corrupt { db: db.name(), noun, id: "row".into(), detail: error.to_string() }
    }
}

/// A statement that reads, with its decoding.
pub struct Query<T> {
    /// Where.
    pub db: Db,
    /// Portable SQL with `?1` placeholders.
    pub sql: &'static str,
    /// One for each placeholder.
    pub params: Vec<Value>,
    /// Turns one row into a value.
    pub decode: fn(&Row) -> Result<T, ReadError>,
}

/// Hears of commits; see [`Backend::changes`].
pub type Hints = watch::Receiver<u64>;

/// An engine that holds both databases.
pub trait Backend: Send + Sync {
    /// Reads rows that are committed.
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>>;
    /// Applies a commit whole or not at all; answers once it is durable.
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>>;
    /// The id of a database.
    fn host(&self, db: Db) -> HostId;
    /// A number that rises behind every commit with a change row, of either database.
    ///
    /// It is a hint and may be lost: who waits for it looks at the rows from time to time as well.
    fn changes(&self) -> Hints;
    /// Why this process writes nothing more until it is started again; none while it does.
    fn writing_ended(&self) -> Option<String> {
        None
    }
}

/// Reads and commits. Cheap to clone.
#[derive(Clone)]
pub struct Store {
    backend: Arc<dyn Backend>,
    faults: Arc<dyn Faults>,
    /// Why the last commit could not be written; none once one was.
    write_failure: Arc<Mutex<Option<String>>>,
}

impl Store {
    /// Joins an engine with fault points.
    pub fn new(backend: Arc<dyn Backend>, faults: Arc<dyn Faults>) -> Self {
        Self { backend, faults, write_failure: Arc::default() }
    }

    /// The same store with other fault points.
    #[must_use]
    pub fn with_faults(self, faults: Arc<dyn Faults>) -> Self {
        Self { faults, ..self }
    }

    /// Reads all rows of a query.
    pub async fn all<T>(&self, query: Query<T>) -> Result<Vec<T>, ReadError> {
        let rows = self.backend.read(query.db, query.sql, query.params).await?;
        rows.iter().map(query.decode).collect()
    }

    /// Reads all rows of a query, each decoded by itself: a damaged one does not hide the others.
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
    /// An `Unknown` outcome is settled here where it can be: a commit with a receipt is sent again.
    pub async fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        let label = commit.label;
        self.faults.pass(Point { stage: Stage::BeforeCommit, label });
        let again = commit.once.is_some().then(|| commit.clone());
        let mut result = self.backend.commit(commit).await;
        if matches!(result, Err(CommitError::Unknown { .. }))
            && let Some(commit) = again
        {
            match self.backend.commit(commit).await {
                // The second was not written. That says nothing of the first.
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

    /// Why the last commit could not be written, such as a full disk; none once one was.
    pub fn write_failure(&self) -> Option<String> {
        self.write_failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Marks a place where a fault may strike outside of commits.
    pub fn pass(&self, stage: Stage, label: &str) {
        self.faults.pass(Point { stage, label });
    }

    /// Hears of commits that others may want to know of; see [`Backend::changes`].
    pub fn changes(&self) -> Hints {
        self.backend.changes()
    }

    /// Why this process writes nothing more; see [`Backend::writing_ended`].
    pub fn writing_ended(&self) -> Option<String> {
        self.backend.writing_ended()
    }

    /// The id of a database: the epoch of cursors and the key of vector clocks.
    pub fn host(&self, db: Db) -> HostId {
        self.backend.host(db)
    }
}

/// Binds the parameters that only the writer knows.
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
