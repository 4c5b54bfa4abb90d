//! Opens, checks and migrates database files.

use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_types::port::Entropy;
use dormouse_types::{HostId, Id as _, Timestamp};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::commit::Db;

const JOURNAL: &[&str] = &[
    concat!(
        include_str!("../../migrations/sqlite/0001_both.sql"),
        include_str!("../../migrations/sqlite/0001_journal.sql")
    ),
    include_str!("../../migrations/sqlite/0002_journal.sql"),
    include_str!("../../migrations/sqlite/0003_journal.sql"),
];
const AGENT: &[&str] = &[
    concat!(
        include_str!("../../migrations/sqlite/0001_both.sql"),
        include_str!("../../migrations/sqlite/0001_agent.sql")
    ),
    include_str!("../../migrations/sqlite/0002_agent.sql"),
    include_str!("../../migrations/sqlite/0003_agent.sql"),
    include_str!("../../migrations/sqlite/0004_agent.sql"),
];

/// The steps that lead to the present schema of a database, oldest first.
pub(in crate::backend) fn migrations(db: Db) -> &'static [&'static str] {
    match db {
        Db::Journal => JOURNAL,
        Db::Agent => AGENT,
    }
}

/// The schema version that this program writes.
pub(super) fn newest(db: Db) -> i64 {
    i64::try_from(migrations(db).len()).unwrap_or(i64::MAX)
}

/// Why a database could not be opened. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// A newer version wrote it.
    #[error(
        "{} was written by a newer Dormouse (schema {found}, this one knows {known}): \
         use that version, or another data folder", .path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: i64,
        /// The newest schema this program knows.
        known: i64,
    },
    /// It may not be written.
    #[error("{} cannot be written: {detail}. Check the permissions of the folder", .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        detail: String,
    },
    /// It is not a database, or damaged.
    #[error("{} is not a readable database: {detail}. Restore it from a backup", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        detail: String,
    },
    /// Anything else.
    #[error("cannot open {}: {detail}", .path.display())]
    Engine {
        /// The file.
        path: PathBuf,
        /// What the engine says.
        detail: String,
    },
}

pub(super) fn error(path: &Path, e: &rusqlite::Error) -> OpenError {
    use rusqlite::ErrorCode as Code;
    let (path, detail) = (path.to_owned(), e.to_string());
    match e.sqlite_error_code() {
        Some(Code::ReadOnly | Code::PermissionDenied | Code::CannotOpen) => {
            OpenError::ReadOnly { path, detail }
        }
        Some(Code::NotADatabase | Code::DatabaseCorrupt) => OpenError::Damaged { path, detail },
        _ => OpenError::Engine { path, detail },
    }
}

pub(super) fn version(connection: &Connection) -> rusqlite::Result<i64> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Refuses a file that a newer version wrote, before anything is written to it or beside it.
pub(super) fn refuse_newer(path: &Path, db: Db) -> Result<(), OpenError> {
    if !path.exists() {
        return Ok(());
    }
    let fail = |e: rusqlite::Error| error(path, &e);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(fail)?;
    let found = version(&connection).map_err(fail)?;
    if found <= newest(db) {
        return Ok(());
    }
    if has_log {
        // Closing would fold the log that a killed process left into the file.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(fail)?;
    }
    Err(OpenError::Newer { path: path.to_owned(), found, known: newest(db) })
}

/// Acknowledged means durable: FULL syncs the log at each COMMIT, and many commits share one.
pub(super) const DURABLE: &str = "PRAGMA synchronous = FULL;";

/// Opens the writing connection of a file.
pub(super) fn file(path: &Path, _db: Db) -> Result<Connection, OpenError> {
    let connection = Connection::open(path).map_err(|e| error(path, &e))?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(|e| error(path, &e))?;
    connection
        .execute_batch("PRAGMA journal_mode = WAL;")
        .and_then(|()| connection.execute_batch(DURABLE))
        .and_then(|()| keep_statements(&connection))
        .map_err(|e| error(path, &e))?;
    Ok(connection)
}

/// Opens a reading connection of a file.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute_batch("PRAGMA query_only = ON;")?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// Opens a database in memory, empty or as it was serialised.
pub(super) fn memory(image: Option<&[u8]>) -> Result<Connection, OpenError> {
    let path = Path::new(":memory:");
    let mut connection = Connection::open_in_memory().map_err(|e| error(path, &e))?;
    if let Some(image) = image {
        connection
            .deserialize_read_exact("main", image, image.len(), false)
            .map_err(|e| error(path, &e))?;
    }
    keep_statements(&connection).map_err(|e| error(path, &e))?;
    Ok(connection)
}

/// Lets a statement be compiled once. Without the guarantee that plans are stable, SQLite compiles
/// many of them anew whenever another value is bound: that was a fifth of the time of a wake.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(())
}

/// Brings a database to the present schema and reads its host id.
///
/// Each migration is one transaction: interrupted, the old schema stands whole.
pub(super) fn prepare(
    connection: &mut Connection,
    db: Db,
    path: &Path,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<HostId, OpenError> {
    let fail = |e: rusqlite::Error| error(path, &e);
    let found = version(connection).map_err(fail)?;
    if found > newest(db) {
        return Err(OpenError::Newer { path: path.to_owned(), found, known: newest(db) });
    }
    for (version, sql) in (1i64..).zip(migrations(db)).filter(|(version, _)| *version > found) {
        let transaction = connection.transaction().map_err(fail)?;
        transaction.execute_batch(sql).map_err(fail)?;
        transaction.pragma_update(None, "user_version", version).map_err(fail)?;
        if version == 1 {
            let host = HostId::fresh(now, entropy);
            transaction
                .execute("INSERT INTO meta (key, value) VALUES ('host', ?1)", [host.as_str()])
                .map_err(fail)?;
        }
        transaction.commit().map_err(fail)?;
    }
    let host: String = connection
        .query_row("SELECT value FROM meta WHERE key = 'host'", [], |row| row.get(0))
        .map_err(fail)?;
    host.parse().map_err(|e| OpenError::Damaged { path: path.to_owned(), detail: format!("{e}") })
}
