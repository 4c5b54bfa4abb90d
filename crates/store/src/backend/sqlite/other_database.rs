//! How far the other database has come: what a commit remembers of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use dormouse_types::HostId;
use rusqlite::{Connection, OptionalExtension as _};

use super::{lock, open};
use crate::commit::Commit;

/// The other database, as the writer of one looks at it.
pub(super) struct OtherDatabase {
    pub(super) host: HostId,
    pub(super) place: Place,
}

/// Where the other database is.
pub(super) enum Place {
    /// A file, with a connection that reads it once it was needed.
    File(PathBuf, Mutex<Option<Connection>>),
    /// The one connection of a store in memory.
    Memory(Arc<Mutex<Connection>>),
}

/// What the commits of a batch remember of the other database.
#[derive(Debug, Clone)]
pub(super) struct Remembered {
    host: HostId,
    /// By workspace; empty where it could not be read.
    seqs: BTreeMap<i64, i64>,
}

impl Remembered {
    /// Id and position for the counter of a workspace. Nothing where it is not known: what was
    /// remembered before stays.
    pub(super) fn of(&self, ws: i64) -> (Option<&str>, Option<i64>) {
        use dormouse_types::Id as _;
        self.seqs.get(&ws).map_or((None, None), |seq| (Some(self.host.as_str()), Some(*seq)))
    }
}

impl OtherDatabase {
    pub(super) fn file(host: HostId, path: PathBuf) -> Self {
        Self { host, place: Place::File(path, Mutex::default()) }
    }

    /// What is to be remembered by a batch. It is read before the batch begins and behind everything
    /// its commits were decided on, so they refer to nothing of the other database that is newer.
    pub(super) fn look(&self, commits: &[Commit]) -> Remembered {
        let mut seqs = BTreeMap::new();
        for ws in commits.iter().map(|commit| commit.ws.0) {
            if seqs.contains_key(&ws) {
                continue;
            }
            match self.seq(ws) {
                Ok(seq) => _ = seqs.insert(ws, seq),
                // No reason to refuse a commit; whoever reads that database is told.
                Err(error) => tracing::warn!(%error, "the other database cannot be looked at"),
            }
        }
        Remembered { host: self.host.clone(), seqs }
    }

    fn seq(&self, ws: i64) -> rusqlite::Result<i64> {
        let read = |connection: &Connection| -> rusqlite::Result<i64> {
            let mut statement =
                connection.prepare_cached("SELECT seq FROM counters WHERE ws = ?1")?;
            let seq: Option<i64> = statement.query_row([ws], |row| row.get(0)).optional()?;
            Ok(seq.unwrap_or(0))
        };
        match &self.place {
            Place::Memory(connection) => read(&lock(connection)),
            Place::File(path, opened) => {
                let mut opened = lock(opened);
                let connection = match opened.take() {
                    Some(connection) => connection,
                    None => open::reader(path)?,
                };
                let seq = read(&connection);
                *opened = Some(connection);
                seq
            }
        }
    }
}
