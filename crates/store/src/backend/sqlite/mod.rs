//! SQLite: one file per database, one writer with group commit, and separate readers.
//!
//! A memory store has one connection per database and applies a commit inside the call; tests and
//! the simulation use it. Apart from the thread, it runs the same code.

mod lock;
mod rows;
mod apply;
mod other_database;
pub mod health;
pub mod inspection;
pub(super) mod open;
mod writer;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use dormouse_types::port::{BoxFuture, Clock, Entropy};
use dormouse_types::{HostId, Id as _};
use rusqlite::Connection;
use tokio::sync::watch;

use crate::commit::{Commit, CommitError, Committed, Db};
use crate::identity::{self, Known, Reason};
use crate::store::{Backend, Engine, ReadError};
use crate::value::{Row, Value};

use apply::Setting;
use health::Health;
use lock::lock;
use other_database::{OtherDatabase, Place};
use rows::rows;

pub use open::OpenError;

/// Both databases, in a data folder or in memory.
pub struct Sqlite {
    journal: Half,
    agent: Half,
    changes: Arc<watch::Sender<u64>>,
    health: Arc<Health>,
}

struct Half {
    host: HostId,
    db: Db,
    readers: Mutex<Vec<Connection>>,
    path: Option<PathBuf>,
    clock: Arc<dyn Clock>,
    writer: Writer,
}

/// A database with the current schema, before its writer starts.
struct Opened {
    connection: Connection,
    db: Db,
    path: PathBuf,
    host: HostId,
}

impl Opened {
    fn new(
        mut connection: Connection,
        db: Db,
        path: &Path,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        let host = open::prepare(&mut connection, db, path, clock.now(), entropy)?;
        Ok(Self { connection, db, path: path.to_owned(), host })
    }

    fn known(&self) -> Result<Known, OpenError> {
        open::known(&self.connection, self.db, &self.host, &self.path)
    }
}

/// Gives a new id to a database that does not match what the other remembers of it.
fn recognise(
    opened: &mut [Opened; 2],
    accepted: Option<Db>,
    clock: &Arc<dyn Clock>,
    entropy: &dyn Entropy,
) -> Result<(), OpenError> {
    let known = [opened[0].known()?, opened[1].known()?];
    for (at, one) in opened.iter_mut().enumerate() {
        let (own, other) = (&known[at], &known[1 - at]);
        let why = match identity::lost(own, other) {
            _ if accepted == Some(one.db) => Reason::Missing,
            Some(_) => Reason::Older,
            None => continue,
        };
        let now = clock.now();
        let renewal = identity::renewal(own, other, HostId::fresh(now, entropy), now, why);
        open::renew(&mut one.connection, &renewal, &one.path)?;
        tracing::warn!(db = one.db.name(), why = why.describe(), "it goes on under another id");
        one.host = renewal.host;
    }
    Ok(())
}

enum Writer {
    Thread(writer::Handle),
    Inline(Arc<Mutex<Connection>>, Arc<dyn Clock>, OtherDatabase),
}

/// Both databases at one instant; memory stores only.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Snapshot {
    journal: Vec<u8>,
    agent: Vec<u8>,
}

impl Sqlite {
    /// Opens or creates the databases of a folder.
    ///
    /// A database that does not match what the other remembers of it continues under a new id, see
    /// [`crate::identity`]. The caller holds the folder's lock.
    /// Errors: the folder cannot be written, a file is missing or not a database, a newer version
    /// wrote it, or a damaged page was found in it.
    pub fn open(
        folder: &Path,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        Self::in_folder(folder, None, clock, entropy)
    }

    /// Opens a folder in which a database is missing, and recreates it.
    ///
    /// Errors: as for [`Sqlite::open`]; and the database is not missing.
    pub fn open_without(
        missing: Db,
        folder: &Path,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        Self::in_folder(folder, Some(missing), clock, entropy)
    }

    fn in_folder(
        folder: &Path,
        accepted: Option<Db>,
        clock: &Arc<dyn Clock>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        let path = |db: Db| folder.join(format!("{}.sqlite", db.name()));
        let [journal, agent] = Db::ALL.map(|db| open::found(&path(db), db));
        let missing = open::missing(journal?, agent?);
        match (missing, accepted) {
            (Some(db), accepted) if accepted != Some(db) => {
                return Err(OpenError::Missing { path: path(db), db });
            }
            (None, Some(db)) => return Err(OpenError::Present { path: path(db) }),
            (Some(_) | None, _) => {}
        }
        let engine = |e: std::io::Error| OpenError::Engine {
            path: folder.to_owned(),
            detail: e.to_string(),
        };
        if let Some(detail) = health::read(folder).map_err(engine)? {
            return Err(OpenError::Marked { detail });
        }
        let half = |db: Db| Opened::new(open::file(&path(db), db)?, db, &path(db), clock, entropy);
        // The journal is complete before the agent store is begun: see `open::missing`.
        let mut opened = [half(Db::Journal)?, half(Db::Agent)?];
        recognise(&mut opened, accepted, clock, entropy)?;
        let (changes, health) = (Arc::new(watch::Sender::new(0)), Arc::new(Health::of(folder)));
        let hosts = opened.each_ref().map(|opened| opened.host.clone());
        let start = |opened: Opened, neighbour: HostId| -> Result<Half, OpenError> {
            let Opened { connection, db, path: own, host } = opened;
            let writer = writer::Writer {
                connection,
                db,
                host: host.clone(),
                neighbour: OtherDatabase::file(neighbour, path(db.other())),
                health: health.clone(),
                clock: clock.clone(),
                changes: changes.clone(),
            };
            let writer = Writer::Thread(writer::Handle::start(writer, &own)?);
            let clock = clock.clone();
            Ok(Half { host, db, readers: Mutex::default(), path: Some(own), clock, writer })
        };
        let ([journal, agent], [of_journal, of_agent]) = (opened, hosts);
        let (journal, agent) = (start(journal, of_agent)?, start(agent, of_journal)?);
        Ok(Self { journal, agent, changes, health })
    }

    /// A fresh store in memory.
    pub fn memory(clock: &Arc<dyn Clock>, entropy: &dyn Entropy) -> Result<Self, OpenError> {
        Self::in_memory(None, clock, entropy)
    }

    /// A memory store with the state of a snapshot.
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
        let half = |db: Db| {
            let connection = open::memory(snapshot.map(|s| s.of(db)))?;
            Opened::new(connection, db, Path::new(":memory:"), clock, entropy)
        };
        let mut opened = [half(Db::Journal)?, half(Db::Agent)?];
        recognise(&mut opened, None, clock, entropy)?;
        let [journal, agent] = opened;
        let hosts = [journal.host.clone(), agent.host.clone()];
        let [of_journal, of_agent] =
            [journal.connection, agent.connection].map(|one| Arc::new(Mutex::new(one)));
        let half = |db, host, own: &Arc<Mutex<Connection>>, neighbour: HostId, other: &Arc<_>| {
            let neighbour =
                OtherDatabase { host: neighbour, place: Place::Memory(Arc::clone(other)) };
            let writer = Writer::Inline(own.clone(), clock.clone(), neighbour);
            let clock = clock.clone();
            Half { host, db, readers: Mutex::default(), path: None, clock, writer }
        };
        let [j, a] = hosts;
        Ok(Self {
            journal: half(Db::Journal, j.clone(), &of_journal, a.clone(), &of_agent),
            agent: half(Db::Agent, a, &of_agent, j, &of_journal),
            changes: Arc::new(watch::Sender::new(0)),
            health: Arc::default(),
        })
    }

    /// Copies both databases of a memory store; `None` for a folder.
    pub fn snapshot(&self) -> Option<Snapshot> {
        Some(Snapshot { journal: self.journal.serialize()?, agent: self.agent.serialize()? })
    }

    /// Returns the number of transactions a database's writer thread has begun since it started;
    /// each is one sync. `None` for a memory store, which has no such thread.
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
    /// Replaces one of the databases with another store's copy, as a restore would.
    #[must_use]
    pub fn with(self, db: Db, other: &Self) -> Self {
        let bytes = other.of(db).to_vec();
        match db {
            Db::Journal => Self { journal: bytes, ..self },
            Db::Agent => Self { agent: bytes, ..self },
        }
    }

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
            Writer::Inline(connection, ..) => {
                lock(connection).serialize("main").ok().map(|data| data.to_vec())
            }
            Writer::Thread(_) => None,
        }
    }

    fn read(
        &self,
        sql: &'static str,
        params: &[Value],
        health: &Health,
    ) -> Result<Vec<Row>, ReadError> {
        let engine = |detail| ReadError::Engine { db: self.db.name(), detail };
        let failed = |e: rusqlite::Error| {
            let damage = health.judge(self.db, self.clock.now(), &e);
            engine(damage.unwrap_or_else(|| e.to_string()))
        };
        match (&self.writer, &self.path) {
            (Writer::Inline(connection, ..), _) => {
                rows(&lock(connection), sql, params).map_err(failed)
            }
            (Writer::Thread(_), path) => {
                let pooled = lock(&self.readers).pop();
                let connection = match (pooled, path) {
                    (Some(connection), _) => connection,
                    (None, Some(path)) => open::reader(path).map_err(failed)?,
                    (None, None) => return Err(engine("no file".to_owned())),
                };
                let rows = rows(&connection, sql, params).map_err(failed);
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
        // A SQLite point read takes microseconds; moving it to another thread would cost more.
        Box::pin(async move { self.half(db).read(sql, &params, &self.health) })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            let half = self.half(commit.db);
            match &half.writer {
                Writer::Inline(connection, clock, neighbour) => {
                    let announces = !commit.changes.is_empty();
                    let commits = [commit];
                    // Before its own connection is locked: the other writer does the same.
                    let remembered = neighbour.remembered(&commits);
                    let setting = Setting {
                        db: half.db,
                        host: &half.host,
                        now: clock.now().micros(),
                        remembered,
                        health: &self.health,
                    };
                    let mut results = apply::batch(&lock(connection), &setting, &commits);
                    if announces && results.iter().any(Result::is_ok) {
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

    fn engine(&self) -> Engine {
        Engine::Sqlite
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn clean_files(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            for half in [&self.agent, &self.journal] {
                if let Writer::Thread(handle) = &half.writer {
                    handle.clean().await.map_err(|e| format!("{}: {e}", half.db.name()))?;
                }
            }
            Ok(())
        })
    }

    fn writing_ended(&self) -> Option<String> {
        self.health.trouble()
    }
}
