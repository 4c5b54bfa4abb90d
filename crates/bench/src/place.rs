//! A folder for the data of a bench, on a disk and not in memory, gone when the bench ends.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use dormouse_adapters::OsEntropy;
use dormouse_store::backend::postgres::Postgres;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Backend, Db, Store};
use dormouse_types::port::{Clock, Entropy, NoFaults};
use rusqlite::Connection;

use crate::clock::ShiftedClock;
use crate::tape::Tape;

/// A folder of its own.
pub struct Place {
    folder: tempfile::TempDir,
}

/// What writes under a store of a bench.
#[derive(Clone)]
pub enum Engine {
    /// Two files.
    Sqlite(Arc<Sqlite>),
    /// Two schemas of a server, as one node is connected to them.
    Postgres(Arc<Postgres>),
}

impl Engine {
    /// How many transactions its writer of a database has ended.
    ///
    /// Errors: it does not count them.
    pub fn n_transactions(&self, db: Db) -> anyhow::Result<u64> {
        match self {
            Self::Sqlite(sqlite) => {
                sqlite.n_transactions(db).context("this SQLite counts no transactions")
            }
            Self::Postgres(postgres) => Ok(postgres.n_transactions(db)),
        }
    }

    fn as_backend(&self) -> Arc<dyn Backend> {
        match self {
            Self::Sqlite(sqlite) => sqlite.clone(),
            Self::Postgres(postgres) => postgres.clone(),
        }
    }
}

/// A store on an engine, with what a bench looks at.
pub struct Opened {
    /// The store as the product uses it.
    pub store: Store,
    /// Under it.
    pub tape: Arc<Tape>,
    /// Under that.
    pub engine: Engine,
    /// The time.
    pub clock: ShiftedClock,
    /// The time as a port.
    pub as_clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
}

impl Place {
    /// A fresh folder inside another one; the system's folder for temporary files otherwise.
    ///
    /// Errors: the folder cannot be made.
    pub fn new(inside: Option<&Path>) -> anyhow::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("dormouse-bench-");
        let folder = match inside {
            Some(inside) => builder.tempdir_in(inside),
            None => builder.tempdir(),
        };
        Ok(Self { folder: folder.context("no folder for the data of the bench can be made")? })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file of a database.
    pub fn file(&self, db: Db) -> PathBuf {
        file(self.path(), db)
    }

    /// Opens the store as the product does, its commits being noted.
    ///
    /// Errors: as [`Sqlite::open`].
    pub fn open(&self) -> anyhow::Result<Opened> {
        open(self.path())
    }

    /// Folds the log of a database into its file. Nobody writes meanwhile.
    ///
    /// Errors: somebody reads or writes it.
    pub fn checkpoint(&self, db: Db) -> anyhow::Result<()> {
        let connection = Connection::open(self.file(db))?;
        let (busy, _, _): (i64, i64, i64) =
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        anyhow::ensure!(busy == 0, "the log of {} is in use", db.name());
        Ok(())
    }

    /// Units: bytes. Both databases, after their logs were folded into them.
    ///
    /// Errors: as [`Place::checkpoint`].
    pub fn bytes(&self) -> anyhow::Result<u64> {
        let mut bytes = 0;
        for db in Db::ALL {
            self.checkpoint(db)?;
            bytes += std::fs::metadata(self.file(db))?.len();
        }
        Ok(bytes)
    }

    /// Copies a database as it is to a fresh sibling folder, and syncs it.
    ///
    /// Errors: the disk is full; as [`Place::checkpoint`].
    pub fn copy(&self) -> anyhow::Result<Self> {
        let copy = Self::new(self.path().parent())?;
        for db in Db::ALL {
            self.checkpoint(db)?;
            std::fs::copy(self.file(db), copy.file(db)).context("no copy can be made")?;
            std::fs::File::open(copy.file(db))?.sync_all()?;
        }
        Ok(copy)
    }
}

/// The file of a database in a folder.
fn file(folder: &Path, db: Db) -> PathBuf {
    folder.join(format!("{}.sqlite", db.name()))
}

/// Opens the store of a folder as the product does, its commits being noted.
///
/// Errors: as [`Sqlite::open`].
pub fn open(folder: &Path) -> anyhow::Result<Opened> {
    let clock = ShiftedClock::default();
    let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
    let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy::open()?);
    let sqlite = Arc::new(Sqlite::open(folder, &as_clock, &*entropy)?);
    Ok(Opened::on(Engine::Sqlite(sqlite), clock, as_clock, entropy))
}

impl Opened {
    /// Puts a store on an engine.
    pub fn on(
        engine: Engine,
        clock: ShiftedClock,
        as_clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Self {
        let tape = Arc::new(Tape::new(engine.as_backend(), as_clock.clone()));
        let store = Store::new(tape.clone(), Arc::new(NoFaults));
        Self { store, tape, engine, clock, as_clock, entropy }
    }
}
