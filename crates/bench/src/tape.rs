//! A backend that hands everything on, and notes commits that went through.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use dormouse_store::{Backend, Commit, CommitError, Committed, Db, Engine, ReadError, Row, Value};
use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::{HostId, Seq, Timestamp};
use tokio::sync::watch;

/// A commit that is durable.
#[derive(Debug, Clone)]
pub struct Taped {
    /// As it was sent.
    pub commit: Commit,
    /// Its place among the commits of its database and workspace.
    pub seq: Seq,
}

/// The backend under a store of a bench.
pub struct Tape {
    under: Arc<dyn Backend>,
    clock: Arc<dyn Clock>,
    noted: Mutex<Noted>,
}

#[derive(Default)]
struct Noted {
    is_recording: bool,
    commits: Vec<Taped>,
    first: BTreeMap<&'static str, Timestamp>,
    n_commits: u64,
    n_reads: u64,
    in_commits: i64,
}

impl Tape {
    /// Notes nothing but counts, and when a commit of each label came first.
    pub fn new(under: Arc<dyn Backend>, clock: Arc<dyn Clock>) -> Self {
        Self { under, clock, noted: Mutex::default() }
    }

    /// Keeps a copy of each commit from now on.
    pub fn record(&self) {
        self.noted().is_recording = true;
    }

    /// Stops, and gives back what was kept, in the order in which it was applied.
    pub fn cut(&self) -> Vec<Taped> {
        Self::cut_all([self])
    }

    /// The same of nodes that share a database.
    pub fn cut_all<'t>(tapes: impl IntoIterator<Item = &'t Self>) -> Vec<Taped> {
        let mut commits = Vec::new();
        for tape in tapes {
            let mut noted = tape.noted();
            noted.is_recording = false;
            commits.append(&mut noted.commits);
        }
        commits.sort_by_key(|taped| (taped.commit.db, taped.commit.ws, taped.seq));
        commits
    }

    /// When a commit of this label first became durable.
    pub fn first(&self, label: &str) -> Option<Timestamp> {
        self.noted().first.get(label).copied()
    }

    /// How many commits went through.
    pub fn n_commits(&self) -> u64 {
        self.noted().n_commits
    }

    /// How many statements were read.
    pub fn n_reads(&self) -> u64 {
        self.noted().n_reads
    }

    /// Units: microseconds. Between the sending of commits and their answers, added up.
    pub fn in_commits(&self) -> i64 {
        self.noted().in_commits
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Backend for Tape {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        self.noted().n_reads += 1;
        self.under.read(db, sql, params)
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(async move {
            let label = commit.label;
            let kept = self.noted().is_recording.then(|| commit.clone());
            let sent = self.clock.now();
            let committed = self.under.commit(commit).await?;
            let now = self.clock.now();
            let mut noted = self.noted();
            noted.n_commits += 1;
            noted.in_commits += now.micros() - sent.micros();
            noted.first.entry(label).or_insert(now);
            if committed.replayed.is_none() {
                noted.commits.extend(kept.map(|commit| Taped { commit, seq: committed.seq }));
            }
            Ok(committed)
        })
    }

    fn host(&self, db: Db) -> HostId {
        self.under.host(db)
    }

    fn engine(&self) -> Engine {
        self.under.engine()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.under.changes()
    }
}
