//! Opens, checks and migrates database files.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use dormouse_types::port::Entropy;
use dormouse_types::{HostId, Id as _, Timestamp};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::rows::rows as read_rows;
use crate::commit::Db;
use crate::identity::{self, IdChange, Known};
use crate::store::{Engine, ReadError};

const JOURNAL: &[&str] = &[
    concat!(
        include_str!("../../migrations/sqlite/0001_both.sql"),
        include_str!("../../migrations/sqlite/0001_journal.sql")
    ),
    include_str!("../../migrations/sqlite/0002_journal.sql"),
    include_str!("../../migrations/sqlite/0003_journal.sql"),
    include_str!("../../migrations/sqlite/0004_both.sql"),
    include_str!("../../migrations/sqlite/0005_journal.sql"),
    include_str!("../../migrations/sqlite/0006_journal.sql"),
    include_str!("../../migrations/sqlite/0007_journal.sql"),
];
const AGENT: &[&str] = &[
    concat!(
        include_str!("../../migrations/sqlite/0001_both.sql"),
        include_str!("../../migrations/sqlite/0001_agent.sql")
    ),
    include_str!("../../migrations/sqlite/0002_agent.sql"),
    include_str!("../../migrations/sqlite/0003_agent.sql"),
    concat!(
        include_str!("../../migrations/sqlite/0004_both.sql"),
        include_str!("../../migrations/sqlite/0004_agent.sql")
    ),
    include_str!("../../migrations/sqlite/0005_agent.sql"),
    include_str!("../../migrations/sqlite/0006_agent.sql"),
    include_str!("../../migrations/sqlite/0007_agent.sql"),
    include_str!("../../migrations/sqlite/0008_agent.sql"),
    include_str!("../../migrations/sqlite/0009_agent.sql"),
    include_str!("../../migrations/sqlite/0010_agent.sql"),
    include_str!("../../migrations/sqlite/0011_agent.sql"),
    include_str!("../../migrations/sqlite/0012_agent.sql"),
    include_str!("../../migrations/sqlite/0013_agent.sql"),
    include_str!("../../migrations/sqlite/0014_agent.sql"),
    include_str!("../../migrations/sqlite/0015_agent.sql"),
    include_str!("../../migrations/sqlite/0016_agent.sql"),
    include_str!("../../migrations/sqlite/0017_agent.sql"),
    include_str!("../../migrations/sqlite/0018_agent.sql"),
    include_str!("../../migrations/sqlite/0019_agent.sql"),
    include_str!("../../migrations/sqlite/0020_agent.sql"),
    include_str!("../../migrations/sqlite/0021_agent.sql"),
    include_str!("../../migrations/sqlite/0022_agent.sql"),
    include_str!("../../migrations/sqlite/0023_agent.sql"),
    include_str!("../../migrations/sqlite/0024_agent.sql"),
    include_str!("../../migrations/sqlite/0025_agent.sql"),
    include_str!("../../migrations/sqlite/0026_agent.sql"),
    include_str!("../../migrations/sqlite/0027_agent.sql"),
    include_str!("../../migrations/sqlite/0028_agent.sql"),
    include_str!("../../migrations/sqlite/0029_agent.sql"),
    include_str!("../../migrations/sqlite/0030_agent.sql"),
    include_str!("../../migrations/sqlite/0031_agent.sql"),
    include_str!("../../migrations/sqlite/0032_agent.sql"),
    include_str!("../../migrations/sqlite/0033_agent.sql"),
];

/// The migrations that lead to the current schema of a database, oldest first.
pub(in crate::backend) fn migrations(db: Db) -> &'static [&'static str] {
    match db {
        Db::Journal => JOURNAL,
        Db::Agent => AGENT,
    }
}

/// What a migration does on one engine only: the search index, the view with times as text, and what is
/// read from documents. Empty for all other migrations.
pub(in crate::backend) fn of_engine(db: Db, version: i64, engine: Engine) -> &'static str {
    match (db, version, engine) {
        (Db::Journal, 6, Engine::Sqlite) => {
            include_str!("../../migrations/sqlite/0006_journal_labels.sql")
        }
        (Db::Journal, 6, Engine::Postgres) => {
            include_str!("../../migrations/postgres/0006_journal_labels.sql")
        }
        (Db::Agent, 12, Engine::Sqlite) => {
            include_str!("../../migrations/sqlite/0012_agent_search.sql")
        }
        (Db::Agent, 12, Engine::Postgres) => {
            include_str!("../../migrations/postgres/0012_agent_search.sql")
        }
        (Db::Agent, 14, Engine::Sqlite) => {
            include_str!("../../migrations/sqlite/0014_agent_tasks.sql")
        }
        (Db::Agent, 14, Engine::Postgres) => {
            include_str!("../../migrations/postgres/0014_agent_tasks.sql")
        }
        (Db::Agent, 20, Engine::Sqlite) => {
            include_str!("../../migrations/sqlite/0020_agent_tasks.sql")
        }
        (Db::Agent, 20, Engine::Postgres) => {
            include_str!("../../migrations/postgres/0020_agent_tasks.sql")
        }
        (Db::Journal | Db::Agent, _, Engine::Sqlite | Engine::Postgres) => "",
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
    /// It cannot be written.
    #[error("{} cannot be written: {detail}. Check the permissions of the folder", .path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The engine's error message.
        detail: String,
    },
    /// It is not a database, or it is damaged.
    #[error("{} is not a readable database: {detail}. Restore it from a backup", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The engine's error message.
        detail: String,
    },
    /// It does not exist, although the other database has been written to.
    #[error(
        "{} is missing, and the other database is there. Restore it from a backup of the data folder; \
         `dormouse doctor --accept-missing {}` goes on without it, for good", .path.display(), .db.name()
    )]
    Missing {
        /// The file.
        path: PathBuf,
        /// Which database.
        db: Db,
    },
    /// A person confirmed that they want to recreate a database that exists.
    #[error("{} is not missing: nothing was changed", .path.display())]
    Present {
        /// The file.
        path: PathBuf,
    },
    /// A damaged page was found during work, and the files have not been checked since.
    #[error(
        "{detail}. Run `dormouse doctor`: it reads all of both files, and lets Dormouse start again \
         once they are well"
    )]
    Marked {
        /// What was found, and when.
        detail: String,
    },
    /// Anything else.
    #[error("cannot open {}: {detail}", .path.display())]
    Engine {
        /// The file.
        path: PathBuf,
        /// The engine's error message.
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

/// What a folder holds of a database before it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::backend) enum Found {
    /// No file, or one without tables: its creation was interrupted.
    Nothing,
    /// Tables, but no commit yet.
    Empty,
    /// At least one commit.
    Written,
}

/// Inspects a file, and refuses one that a newer version wrote, before anything is written to it or
/// next to it.
pub(super) fn found(path: &Path, db: Db) -> Result<Found, OpenError> {
    if !path.exists() {
        return Ok(Found::Nothing);
    }
    let fail = |e: rusqlite::Error| error(path, &e);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    let has_log = std::fs::metadata(log).is_ok_and(|log| log.len() > 0);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(fail)?;
    let found = version(&connection).map_err(fail)?;
    if found == 0 {
        return Ok(Found::Nothing);
    }
    if found <= newest(db) {
        let sql = "SELECT EXISTS (SELECT 1 FROM counters)";
        let is_written = connection.query_row(sql, [], |row| row.get(0)).map_err(fail)?;
        return Ok(if is_written { Found::Written } else { Found::Empty });
    }
    if has_log {
        // Closing would fold a log left by a killed process into the file.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(fail)?;
    }
    Err(OpenError::Newer { path: path.to_owned(), found, known: newest(db) })
}

/// Returns which database is missing, if any, from what the folder holds of each.
///
/// A first start completes the journal before it touches the agent store, and commits nothing
/// before both exist. If it is killed in between, it leaves an empty journal and no agent store,
/// and the next start finishes the job. In any other case where one of the two is absent, it was
/// lost.
pub(in crate::backend) fn missing(journal: Found, agent: Found) -> Option<Db> {
    match (journal, agent) {
        (Found::Nothing, Found::Empty | Found::Written) => Some(Db::Journal),
        (Found::Written, Found::Nothing) => Some(Db::Agent),
        (Found::Nothing | Found::Empty, Found::Nothing)
        | (Found::Empty | Found::Written, Found::Empty | Found::Written) => None,
    }
}

/// An acknowledged commit is durable: FULL syncs the log at each COMMIT, and many commits share
/// one.
pub(super) const DURABLE: &str = "PRAGMA synchronous = FULL;";

/// Opens a file's writing connection.
pub(super) fn file(path: &Path, _db: Db) -> Result<Connection, OpenError> {
    let is_new = !path.exists();
    let connection = Connection::open(path).map_err(|e| error(path, &e))?;
    if is_new {
        // Files that SQLite adds later get the same mode.
        std::fs::set_permissions(path, Permissions::from_mode(0o600))
            .map_err(|e| OpenError::ReadOnly { path: path.to_owned(), detail: e.to_string() })?;
    }
    connection.busy_timeout(Duration::from_secs(5)).map_err(|e| error(path, &e))?;
    connection
        .execute_batch("PRAGMA journal_mode = WAL;")
        .and_then(|()| connection.execute_batch(DURABLE))
        .and_then(|()| keep_statements(&connection))
        .map_err(|e| error(path, &e))?;
    Ok(connection)
}

/// Opens a reading connection to a file.
pub(super) fn reader(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.execute_batch("PRAGMA query_only = ON;")?;
    keep_statements(&connection)?;
    Ok(connection)
}

/// Opens a database in memory, empty or from a serialised image.
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

/// Makes SQLite compile each statement once. Without the guarantee of stable plans it recompiles
/// many of them whenever another value is bound; that took a fifth of the time of a wake.
fn keep_statements(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(256);
    Ok(())
}

/// Migrates a database to the current schema and reads its host id.
///
/// Each migration is one transaction: if interrupted, the old schema stays intact.
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
        transaction.execute_batch(of_engine(db, version, Engine::Sqlite)).map_err(fail)?;
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

/// Reads the identity data of a database that has the current schema.
pub(super) fn known(
    connection: &Connection,
    db: Db,
    host: &HostId,
    path: &Path,
) -> Result<Known, OpenError> {
    let damaged =
        |e: ReadError| OpenError::Damaged { path: path.to_owned(), detail: e.to_string() };
    let engine = |e: rusqlite::Error| error(path, &e);
    let (renewals, marks) = (identity::id_changes(db), identity::counter_memories(db));
    let rows = read_rows(connection, renewals.sql, &renewals.params).map_err(engine)?;
    let of_renewals: Result<Vec<_>, _> = rows.iter().map(renewals.decode).collect();
    let rows = read_rows(connection, marks.sql, &marks.params).map_err(engine)?;
    let of_marks: Result<Vec<_>, _> = rows.iter().map(marks.decode).collect();
    Ok(Known {
        host: host.clone(),
        renewals: of_renewals.map_err(damaged)?,
        marks: of_marks.map_err(damaged)?,
    })
}

/// Gives a database a new id, with the reason, in one commit.
pub(super) fn renew(
    connection: &mut Connection,
    renewal: &IdChange,
    path: &Path,
) -> Result<(), OpenError> {
    let fail = |e: rusqlite::Error| error(path, &e);
    let transaction = connection.transaction().map_err(fail)?;
    transaction
        .execute("UPDATE meta SET value = ?1 WHERE key = 'host'", [renewal.host.as_str()])
        .map_err(fail)?;
    transaction
        .execute("INSERT INTO meta (key, value) VALUES (?1, ?2)", [renewal.key(), renewal.value()])
        .map_err(fail)?;
    transaction.commit().map_err(fail)
}
