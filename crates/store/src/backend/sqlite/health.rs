//! Whether this process still writes, and the mark that a damaged page leaves in the folder.
//!
//! Opening reads no more of a large file than of a small one, so damage is found when a page is
//! read during work. From then on this process writes nothing: writing next to a damaged page
//! spreads the damage, and every further change is missing from the backup that must be restored.
//! The mark tells the next process that opens the folder.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use dormouse_types::Timestamp;
use rusqlite::ErrorCode;

use super::lock::lock;
use crate::commit::Db;

/// The file of the mark.
const NAME: &str = "damaged";

/// Shared by writers and readers of both databases.
#[derive(Default)]
pub(super) struct Health {
    /// Where the mark goes; `None` in memory.
    folder: Option<PathBuf>,
    /// A damaged page was found: neither database is written from then on.
    ended: Mutex<Option<String>>,
    /// A sync failed: its database is not written any more.
    unsynced: Mutex<Option<String>>,
}

impl Health {
    pub(super) fn of(folder: &Path) -> Self {
        Self { folder: Some(folder.to_owned()), ..Self::default() }
    }

    /// Why neither database is written any more.
    pub(super) fn ended(&self) -> Option<String> {
        lock(&self.ended).clone()
    }

    /// Why at least one database is not written any more.
    pub(super) fn trouble(&self) -> Option<String> {
        self.ended().or_else(|| lock(&self.unsynced).clone())
    }

    /// Records a failed sync.
    pub(super) fn unsynced(&self, why: String) {
        tracing::error!(why, "a sync failed: nothing is written until a restart");
        lock(&self.unsynced).get_or_insert(why);
    }

    /// Checks an engine error; a damaged page ends writing and leaves the mark. Returns the message
    /// to show instead.
    pub(super) fn judge(&self, db: Db, now: Timestamp, e: &rusqlite::Error) -> Option<String> {
        if !is_damage(e) {
            return None;
        }
        let met = format!("{}.sqlite was found damaged ({e}) at {now}", db.name());
        if self.ended().is_none()
            && let Some(folder) = &self.folder
            && let Err(error) = put(folder, &met)
        {
            tracing::error!(%error, "the damage mark cannot be written");
        }
        let why = format!(
            "{met}. Nothing more is written: stop Dormouse and run `dormouse doctor`, which says \
             what to do"
        );
        tracing::error!(why, "nothing is written until a restart");
        lock(&self.ended).get_or_insert(why.clone());
        Some(why)
    }
}

/// Whether the engine found a page that it did not write.
fn is_damage(e: &rusqlite::Error) -> bool {
    matches!(e.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Leaves the mark in a folder; an existing mark stays.
///
/// Errors: it cannot be written.
pub fn put(folder: &Path, met: &str) -> io::Result<()> {
    let path = folder.join(NAME);
    let mut options = OpenOptions::new();
    let mut file = match options.write(true).create_new(true).mode(0o600).open(&path) {
        Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
        other => other?,
    };
    writeln!(file, "{met}")?;
    file.sync_all()?;
    File::open(folder)?.sync_all()
}

/// Returns the text of a folder's mark; `None` without one.
///
/// Errors: it cannot be read.
pub fn read(folder: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(folder.join(NAME)) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Removes the mark, after all of both files was read and found intact.
///
/// Errors: it cannot be removed.
pub fn clear(folder: &Path) -> io::Result<()> {
    match fs::remove_file(folder.join(NAME)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(e),
        Ok(()) | Err(_) => Ok(()),
    }
}
