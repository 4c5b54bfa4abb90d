//! The other database's position, which each commit remembers.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use dormouse_types::HostId;
use rusqlite::{Connection, OptionalExtension as _};

use super::lock::lock;
use super::open;
use crate::commit::Commit;

/// The other database, as seen by a writer.
pub(super) struct OtherDatabase {
    pub(super) host: HostId,
    pub(super) place: Place,
}

/// Where the other database is.
pub(super) enum Place {
    /// A file, with a connection opened on first use.
    File(PathBuf, Mutex<Option<Connection>>),
    /// The only connection of a memory store.
    Memory(Arc<Mutex<Connection>>),
}

/// What the commits of a batch remember of the other database.
#[derive(Debug, Clone)]
pub(super) struct Remembered {
    host: HostId,
    /// Positions by workspace; empty if they could not be read.
    seqs: BTreeMap<i64, i64>,
}

impl Remembered {
    /// Id and position for a workspace's counter. `None` leaves what was remembered before.
    pub(super) fn of(&self, ws: i64) -> (Option<&str>, Option<i64>) {
        use dormouse_types::Id as _;
        self.seqs.get(&ws).map_or((None, None), |seq| (Some(self.host.as_str()), Some(*seq)))
    }
}

impl OtherDatabase {
    pub(super) fn file(host: HostId, path: PathBuf) -> Self {
        Self { host, place: Place::File(path, Mutex::default()) }
    }

    /// Reads what a batch is to remember. This happens before the batch begins and after everything
    /// its commits were decided on was read, so they refer to nothing newer in the other database.
    pub(super) fn remembered(&self, commits: &[Commit]) -> Remembered {
        let mut seqs = BTreeMap::new();
        for ws in commits.iter().map(|commit| commit.ws.0) {
            if seqs.contains_key(&ws) {
                continue;
            }
            match self.seq(ws) {
                Ok(seq) => _ = seqs.insert(ws, seq),
                // No reason to refuse a commit; readers of that database get the error.
                Err(error) => tracing::warn!(%error, "the other database cannot be read"),
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
