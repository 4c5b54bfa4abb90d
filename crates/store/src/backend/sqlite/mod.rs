//! SQLite: one file per database, one writer with group commit, readers of their own.
//!
//! A memory store has one connection per database and applies a commit inside the call; tests and
//! simulation use it. It is the same code but for the thread.

mod apply;
pub mod look;
pub(super) mod open;
mod writer;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dormouse_types::HostId;
use dormouse_types::port::{BoxFuture, Clock, Entropy};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::commit::{Commit, CommitError, Committed, Db};
use crate::store::{Backend, ReadError};
use crate::value::{Row, Value};

pub use open::OpenError;

/// Both databases of a data folder, or of nothing but memory.
pub struct Sqlite {
    journal: Half,
    agent: Half,
    changes: Arc<watch::Sender<u64>>,
}

struct Half {
    host: HostId,
    db: Db,
    readers: Mutex<Vec<Connection>>,
    path: Option<std::path::PathBuf>,
    writer: Writer,
}

enum Writer {
    Thread(writer::Handle),
    Inline(Arc<Mutex<Connection>>, Arc<dyn Clock>),
}

/// Both databases at one instant; only of a memory store.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    journal: Vec<u8>,
    agent: Vec<u8>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while holding the lock leaves a connection that SQLite rolls back itself.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Sqlite {
    /// Opens or creates the databases of a folder.
    ///
    /// The caller holds the folder's lock.
    /// Errors: the folder cannot be written, a file is no database, or a newer version wrote it.
    pub fn open(
        folder: &Path,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        let path = |db: Db| folder.join(format!("{}.sqlite", db.name()));
        for db in Db::ALL {
            open::refuse_newer(&path(db), db)?;
        }
        let changes = Arc::new(watch::Sender::new(0));
        let half = |db: Db| -> Result<Half, OpenError> {
            let path = path(db);
            let mut connection = open::file(&path, db)?;
            let host = open::prepare(&mut connection, db, &path, clock.now(), entropy)?;
            let writer = writer::Handle::start(
                connection,
                db,
                host.clone(),
                clock.clone(),
                changes.clone(),
                &path,
            )?;
            Ok(Half {
                host,
                db,
                readers: Mutex::default(),
                path: Some(path),
                writer: Writer::Thread(writer),
            })
        };
        Ok(Self { journal: half(Db::Journal)?, agent: half(Db::Agent)?, changes })
    }

    /// A fresh store in memory.
    pub fn memory(clock: &Arc<dyn Clock>, entropy: &dyn Entropy) -> Result<Self, OpenError> {
        Self::in_memory(None, clock, entropy)
    }

    /// A store in memory as it was at a snapshot.
    pub fn restore(
        snapshot: &Snapshot,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        Self::in_memory(Some(snapshot), clock, entropy)
    }

    fn in_memory(
        snapshot: Option<&Snapshot>,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        let half = |db: Db| -> Result<Half, OpenError> {
            let path = Path::new(":memory:");
            let mut connection = open::memory(snapshot.map(|s| s.of(db)))?;
            let host = open::prepare(&mut connection, db, path, clock.now(), entropy)?;
            let writer = Writer::Inline(Arc::new(Mutex::new(connection)), clock.clone());
            Ok(Half { host, db, readers: Mutex::default(), path: None, writer })
        };
        let changes = Arc::new(watch::Sender::new(0));
        Ok(Self { journal: half(Db::Journal)?, agent: half(Db::Agent)?, changes })
    }

    /// Copies both databases of a memory store; none for a folder.
    pub fn snapshot(&self) -> Option<Snapshot> {
        Some(Snapshot { journal: self.journal.serialize()?, agent: self.agent.serialize()? })
    }

    /// How many transactions the writer thread of a database has begun since it started: each is
    /// one sync. None of a memory store, which has no such thread.
    pub fn n_transactions(&self, db: Db) -> Option<u64> {
        match &self.half(db).writer {
            Writer::Thread(handle) => Some(handle.n_transactions()),
            Writer::Inline(..) => None,
        }
    }

    fn half(&self, db: Db) -> &Half {
        match db {
            Db::Journal => &self.journal,
            Db::Agent => &self.agent,
        }
    }
}

impl Snapshot {
    fn of(&self, db: Db) -> &[u8] {
        match db {
            Db::Journal => &self.journal,
            Db::Agent => &self.agent,
        }
    }
}

impl Half {
    fn serialize(&self) -> Option<Vec<u8>> {
        match &self.writer {
            Writer::Inline(connection, _) => {
                lock(connection).serialize("main").ok().map(|data| data.to_vec())
            }
            Writer::Thread(_) => None,
        }
    }

    fn read(&self, sql: &'static str, params: &[Value]) -> Result<Vec<Row>, ReadError> {
        let engine = |e: &dyn std::fmt::Display| ReadError::Engine {
            db: self.db.name(),
            detail: e.to_string(),
        };
        match (&self.writer, &self.path) {
            (Writer::Inline(connection, _), _) => {
                apply::rows(&lock(connection), sql, params).map_err(|e| engine(&e))
            }
            (Writer::Thread(_), path) => {
                let pooled = lock(&self.readers).pop();
                let connection = match (pooled, path) {
                    (Some(connection), _) => connection,
                    (None, Some(path)) => open::reader(path).map_err(|e| engine(&e))?,
                    (None, None) => return Err(engine(&"no file")),
                };
                let rows = apply::rows(&connection, sql, params).map_err(|e| engine(&e));
                lock(&self.readers).push(connection);
                rows
            }
        }
    }
}

impl Backend for Sqlite {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        // A point read of SQLite takes microseconds: a hop to another thread would cost more.
        Box::pin(async move { self.half(db).read(sql, &params) })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            let half = self.half(commit.db);
            match &half.writer {
                Writer::Inline(connection, clock) => {
                    let now = clock.now().micros();
                    let told = commit.change.is_some();
                    let mut results =
                        apply::batch(&lock(connection), half.db, &half.host, now, &[commit]);
                    if told && results.iter().any(Result::is_ok) {
                        self.changes.send_modify(|n| *n += 1);
                    }
                    results.pop().expect("a batch answers each of its commits")
                }
                Writer::Thread(handle) => handle.commit(commit).await,
            }
        })
    }

    fn host(&self, db: Db) -> HostId {
        self.half(db).host.clone()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }
}
