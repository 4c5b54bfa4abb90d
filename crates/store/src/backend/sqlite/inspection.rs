//! Reads the database files of a folder without writing: while a server is running, and even if the
//! files cannot be opened for work.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::open::{self, Found, OpenError};
use super::rows;
use crate::commit::Db;
use crate::store::{Query, ReadError};
use crate::value::Row;

/// One database file, opened for inspection.
pub struct Inspection {
    connection: Connection,
    path: PathBuf,
    db: Db,
}

/// Returns which database is missing while the other exists, by the same rule as at startup.
///
/// Errors: a file ended unexpectedly while it was read.
pub fn missing(folder: &Path) -> Result<Option<Db>, OpenError> {
    let found = |db| match Inspection::open(folder, db)? {
        None => Ok(Found::Nothing),
        Some(file) => file.found().map_err(|e| open::error(&file.path, &e)),
    };
    Ok(open::missing(found(Db::Journal)?, found(Db::Agent)?))
}

/// The state of a database file as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// The version of SQLite in this program.
    pub sqlite: String,
    /// `wal`, unless somebody changed it.
    pub journal_mode: String,
    /// How a commit reaches the disk, as the writer of this program sets it.
    pub synchronous: String,
    pub schema: i64,
    /// The schema this program writes.
    pub known: i64,
    /// Its host id; `None` if the file has none.
    pub host: Option<String>,
    /// The faults the engine finds in the file; empty when it is intact.
    pub faults: Vec<String>,
}

impl Inspection {
    /// Opens the file of a database in a folder; `None` if there is no such file.
    ///
    /// Errors: it cannot be read, or is not a database.
    pub fn open(folder: &Path, db: Db) -> Result<Option<Self>, OpenError> {
        let path = folder.join(format!("{}.sqlite", db.name()));
        if !path.exists() {
            return Ok(None);
        }
        let connect = || -> rusqlite::Result<Connection> {
            // A log left by a killed process needs its index next to the file, which only a
            // connection with write access can create.
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
            let connection = Connection::open_with_flags(&path, flags)?;
            connection.busy_timeout(Duration::from_secs(5))?;
            // Closing would fold that log into the file.
            connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
            connection.execute_batch("PRAGMA query_only = ON;")?;
            connection.query_row("SELECT COUNT(*) FROM sqlite_master", [], |_| Ok(()))?;
            Ok(connection)
        };
        let connection = connect().map_err(|e| open::error(&path, &e))?;
        Ok(Some(Self { connection, path, db }))
    }

    /// Returns the state of the file as a whole; reads all of it.
    ///
    /// Errors: the file ended unexpectedly while it was read.
    pub fn facts(&self) -> Result<Facts, OpenError> {
        let facts = || -> rusqlite::Result<Facts> {
            let text = |sql: &str| self.connection.query_row(sql, [], |row| row.get(0));
            self.connection.execute_batch(open::DURABLE)?;
            let synchronous: i64 =
                self.connection.query_row("PRAGMA synchronous", [], |row| row.get(0))?;
            let names = ["OFF", "NORMAL", "FULL", "EXTRA"];
            let synchronous = usize::try_from(synchronous).ok().and_then(|n| names.get(n));
            let mut check = self.connection.prepare("PRAGMA integrity_check(20)")?;
            let faults: Vec<String> =
                check.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
            Ok(Facts {
                sqlite: rusqlite::version().to_owned(),
                journal_mode: text("PRAGMA journal_mode")?,
                synchronous: (*synchronous.unwrap_or(&"?")).to_owned(),
                schema: open::version(&self.connection)?,
                known: open::newest(self.db),
                host: text("SELECT value FROM meta WHERE key = 'host'").ok(),
                faults: faults.into_iter().filter(|fault| fault != "ok").collect(),
            })
        };
        facts().map_err(|e| open::error(&self.path, &e))
    }

    /// What a start would find in this database.
    fn found(&self) -> rusqlite::Result<Found> {
        if open::version(&self.connection)? == 0 {
            return Ok(Found::Nothing);
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM counters)";
        let is_written = self.connection.query_row(sql, [], |row| row.get(0))?;
        Ok(if is_written { Found::Written } else { Found::Empty })
    }

    /// Reads all rows of a query.
    pub fn all<T>(&self, query: Query<T>) -> Result<Vec<T>, ReadError> {
        self.each(query)?.into_iter().map(|read| read.row).collect()
    }

    /// Reads all rows of a query, each decoded by itself.
    pub fn each<T>(&self, query: Query<T>) -> Result<Vec<ReadRow<T>>, ReadError> {
        let engine =
            |e: rusqlite::Error| ReadError::Engine { db: self.db.name(), detail: e.to_string() };
        let rows = rows::rows(&self.connection, query.sql, &query.params).map_err(engine)?;
        let read = |row: &Row| ReadRow {
            first: row.text(0).unwrap_or_default().to_owned(),
            row: (query.decode)(row),
        };
        Ok(rows.iter().map(read).collect())
    }
}

/// A row that was read by itself.
pub struct ReadRow<T> {
    /// The text in its first column; empty if that is none.
    pub first: String,
    /// What it holds, or why that cannot be read.
    pub row: Result<T, ReadError>,
}
