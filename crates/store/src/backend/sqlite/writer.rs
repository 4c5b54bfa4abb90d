//! The one thread that writes a database: all pending commits are applied in one transaction.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};

use dormouse_types::HostId;
use dormouse_types::port::Clock;
use rusqlite::Connection;
use tokio::sync::{oneshot, watch};

use super::apply::{self, Setting};
use super::health::Health;
use super::open::OpenError;
use super::other_database::OtherDatabase;
use crate::commit::{Commit, CommitError, Committed, Db};

type Answer = oneshot::Sender<Result<Committed, CommitError>>;

/// What the thread has to do.
enum Job {
    Commit(Commit, Answer),
    /// Rewrites the file without what it keeps of former rows.
    Clean(oneshot::Sender<Result<(), String>>),
}

/// Sends commits to the thread. Dropping it ends the thread after the last commit.
pub(super) struct Handle {
    sender: Option<Sender<Job>>,
    thread: Option<std::thread::JoinHandle<()>>,
    n_transactions: Arc<AtomicU64>,
}

pub(super) struct Writer {
    pub(super) connection: Connection,
    pub(super) db: Db,
    pub(super) host: HostId,
    pub(super) neighbour: OtherDatabase,
    pub(super) health: Arc<Health>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) changes: Arc<watch::Sender<u64>>,
}

impl Handle {
    pub(super) fn start(writer: Writer, path: &Path) -> Result<Self, OpenError> {
        let (sender, receiver) = channel();
        let n_transactions = Arc::new(AtomicU64::new(0));
        let ended = n_transactions.clone();
        let thread = std::thread::Builder::new()
            .name(format!("{}-writer", writer.db.name()))
            .spawn(move || write(&writer, &ended, &receiver))
            .map_err(|e| OpenError::Engine { path: path.into(), detail: e.to_string() })?;
        Ok(Self { sender: Some(sender), thread: Some(thread), n_transactions })
    }

    pub(super) fn n_transactions(&self) -> u64 {
        self.n_transactions.load(Ordering::Relaxed)
    }

    pub(super) async fn commit(&self, commit: Commit) -> Result<Committed, CommitError> {
        let (label, db) = (commit.label, commit.db.name());
        let gone =
            || CommitError::Broken { label, db, detail: "the writer has stopped".to_owned() };
        let (answer, result) = oneshot::channel();
        let sender = self.sender.as_ref().ok_or_else(gone)?;
        sender.send(Job::Commit(commit, answer)).map_err(|_| gone())?;
        result.await.unwrap_or_else(|_| {
            Err(CommitError::Unknown {
                label,
                detail: "the writer stopped during the commit".into(),
            })
        })
    }
}

impl Handle {
    pub(super) async fn clean(&self) -> Result<(), String> {
        let (answer, result) = oneshot::channel();
        let is_sent =
            self.sender.as_ref().is_some_and(|sender| sender.send(Job::Clean(answer)).is_ok());
        let gone = || Err("the writer has stopped".to_owned());
        if is_sent { result.await.unwrap_or_else(|_| gone()) } else { gone() }
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.sender = None;
        if let Some(thread) = self.thread.take() {
            // Callers waiting for an answer have already got the error of a panic in the writer.
            drop(thread.join());
        }
    }
}

fn write(writer: &Writer, n_transactions: &AtomicU64, receiver: &Receiver<Job>) {
    let Writer { connection, db, host, neighbour, health, clock, changes } = writer;
    // Set permanently by a failed sync: this connection does not know what reached the disk. The
    // other database has its own connection and continues.
    let mut stopped = false;
    while let Ok(first) = receiver.recv() {
        let (mut commits, mut answers, mut cleans) = (Vec::new(), Vec::new(), Vec::new());
        for job in std::iter::once(first).chain(receiver.try_iter()) {
            match job {
                Job::Commit(commit, answer) => {
                    commits.push(commit);
                    answers.push(answer);
                }
                Job::Clean(answer) => cleans.push(answer),
            }
        }
        let announces: Vec<bool> =
            commits.iter().map(|commit| !commit.changes.is_empty()).collect();
        let results = if commits.is_empty() {
            Vec::new()
        } else if stopped {
            apply::refused(*db, &commits, &apply::unsynced(*db))
        } else {
            n_transactions.fetch_add(1, Ordering::Relaxed);
            let remembered = neighbour.remembered(&commits);
            let now = clock.now().micros();
            apply::batch(connection, &Setting { db: *db, host, now, remembered, health }, &commits)
        };
        if results.iter().any(|result| matches!(result, Err(CommitError::Unknown { .. }))) {
            health.unsynced(apply::unsynced(*db));
            stopped = true;
        }
        if announces.iter().zip(&results).any(|(announces, result)| *announces && result.is_ok()) {
            changes.send_modify(|n| *n += 1);
        }
        for (answer, result) in answers.into_iter().zip(results) {
            // The caller may be gone; the commit is valid regardless.
            drop(answer.send(result));
        }
        for answer in cleans {
            let cleaned = if stopped {
                Err(apply::unsynced(*db))
            } else {
                clean(connection).map_err(|e| e.to_string())
            };
            drop(answer.send(cleaned));
        }
    }
}

/// Rewrites the file, then empties its log, which has pages as they were before.
///
/// Errors: the disk has no room for a second copy, or readers kept the log in use.
fn clean(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("VACUUM")?;
    let is_busy: bool =
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get(0))?;
    if is_busy {
        let busy = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY);
        return Err(rusqlite::Error::SqliteFailure(busy, Some("its log is in use".to_owned())));
    }
    Ok(())
}
