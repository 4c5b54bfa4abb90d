//! The one task of this node that writes a database: all pending commits are applied in one
//! transaction.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dormouse_types::port::Clock;
use dormouse_types::{HostId, Id as _, Timestamp};
use tokio::sync::{mpsc, oneshot};

use super::apply::{Batch, BatchError, Time, renewed};
use super::listener::Changes;
use super::open;
use super::session::{Address, Failure, Session};
use crate::commit::{Commit, CommitError, Committed, Db};

type Outcome = Result<Committed, CommitError>;
type Answer = oneshot::Sender<Outcome>;

/// How often a batch is tried when it is certain that nothing was written.
const TRIES: u32 = 5;
/// How long commits wait for a server that does not answer.
const LIMIT: Duration = Duration::from_secs(20);
/// The pause after the first failed attempt to connect; doubled with each further one.
const PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Sends commits to the task. Dropping it ends the task after the last commit.
pub(super) struct Handle {
    sender: mpsc::UnboundedSender<(Commit, Answer)>,
    n_transactions: Arc<AtomicU64>,
}

impl Handle {
    pub(super) async fn commit(&self, commit: Commit) -> Outcome {
        let (label, db) = (commit.label, commit.db.name());
        let (answer, result) = oneshot::channel();
        self.sender.send((commit, answer)).map_err(|_| CommitError::Broken {
            label,
            db,
            detail: "the writer has stopped".to_owned(),
        })?;
        result.await.unwrap_or_else(|_| {
            let detail = "the writer stopped during the commit".to_owned();
            Err(CommitError::Unknown { label, detail })
        })
    }

    pub(super) fn n_transactions(&self) -> u64 {
        self.n_transactions.load(Ordering::Relaxed)
    }
}

pub(super) struct Writer {
    pub(super) address: Arc<Address>,
    pub(super) setup: String,
    pub(super) db: Db,
    pub(super) host: HostId,
    pub(super) time: Time,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) changes: Arc<Changes>,
    pub(super) session: Option<Session>,
    pub(super) set_counter: String,
    /// The server's timeline when this node started, if reported.
    pub(super) timeline: Option<String>,
    pub(super) ended: Arc<Ended>,
}

/// Why this node stopped writing until a restart.
#[derive(Default)]
pub(super) struct Ended(Mutex<Option<String>>);

impl Ended {
    pub(super) fn why(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn end(&self, why: &str) {
        tracing::error!(why, "nothing is written until a restart");
        let mut ended = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        ended.get_or_insert_with(|| why.to_owned());
    }
}

impl Writer {
    /// Starts the task on the connections' runtime.
    pub(super) fn start(self) -> Handle {
        let (sender, receiver) = mpsc::unbounded_channel();
        let n_transactions = Arc::new(AtomicU64::new(0));
        let handle = Handle { sender, n_transactions: n_transactions.clone() };
        let runtime = self.address.runtime.clone();
        let task = Task {
            writer: self,
            known: BTreeSet::new(),
            written: BTreeMap::new(),
            down_since: None,
            n_transactions,
        };
        runtime.spawn(task.run(receiver));
        handle
    }
}

struct Task {
    writer: Writer,
    /// The workspaces that have a counter.
    known: BTreeSet<i64>,
    /// This node's last position in each workspace.
    written: BTreeMap<i64, i64>,
    /// Since when the server has not answered.
    down_since: Option<Timestamp>,
    n_transactions: Arc<AtomicU64>,
}

impl Task {
    async fn run(mut self, mut receiver: mpsc::UnboundedReceiver<(Commit, Answer)>) {
        while let Some(first) = receiver.recv().await {
            let mut waiting = vec![first];
            while let Ok(next) = receiver.try_recv() {
                waiting.push(next);
            }
            let (commits, answers): (Vec<_>, Vec<_>) = waiting.into_iter().unzip();
            let outcomes = self.apply(&commits).await;
            let is_news = |(commit, outcome): (&Commit, &Outcome)| {
                !commit.changes.is_empty()
                    && outcome.as_ref().is_ok_and(|done| done.replayed.is_none())
            };
            if commits.iter().zip(&outcomes).any(is_news) {
                self.writer.changes.announce();
            }
            for (answer, outcome) in answers.into_iter().zip(outcomes) {
                // The caller may be gone; the commit is valid regardless.
                drop(answer.send(outcome));
            }
        }
    }

    async fn apply(&mut self, commits: &[Commit]) -> Vec<Outcome> {
        let db = self.writer.db.name();
        let broken = |detail: &str| -> Vec<Outcome> {
            let error = |commit: &Commit| CommitError::Broken {
                label: commit.label,
                db,
                detail: detail.to_owned(),
            };
            commits.iter().map(|commit| Err(error(commit))).collect()
        };
        let mut tries = 0;
        loop {
            if let Some(why) = self.writer.ended.why() {
                return broken(&why);
            }
            let session = match self.session().await {
                Ok(session) => session,
                Err(detail) => return broken(&detail),
            };
            let batch = Batch {
                session: &session,
                db: self.writer.db,
                host: &self.writer.host,
                time: &self.writer.time,
                set_counter: &self.writer.set_counter,
            };
            tries += 1;
            match batch.apply(commits, &mut self.known, &mut self.written).await {
                Ok(outcomes) => {
                    self.n_transactions.fetch_add(1, Ordering::Relaxed);
                    self.writer.session = Some(session);
                    return outcomes;
                }
                Err(BatchError::Broken(failure)) => {
                    self.writer.session = Some(session);
                    return broken(&failure.detail);
                }
                Err(BatchError::Renewed(why)) => {
                    self.writer.ended.end(&why);
                    return broken(&why);
                }
                Err(BatchError::Unknown(failure)) => {
                    let unknown = |commit: &Commit| CommitError::Unknown {
                        label: commit.label,
                        detail: format!("the connection was lost after COMMIT: {failure}"),
                    };
                    return commits.iter().map(|commit| Err(unknown(commit))).collect();
                }
                Err(BatchError::Conflict(failure)) if tries < TRIES => {
                    tracing::debug!(db, %failure, "a batch is applied again");
                    self.writer.session = Some(session);
                }
                Err(BatchError::Lost(failure)) if tries < TRIES => {
                    tracing::warn!(db, %failure, "the writer's connection was lost");
                }
                Err(BatchError::Conflict(failure)) => {
                    self.writer.session = Some(session);
                    return broken(&format!("tried {TRIES} times: {failure}"));
                }
                Err(BatchError::Lost(failure)) => {
                    return broken(&format!("the connection was lost {TRIES} times: {failure}"));
                }
            }
        }
    }

    /// The connection, reopened if it was lost.
    async fn session(&mut self) -> Result<Session, String> {
        if let Some(session) = self.writer.session.take()
            && !session.is_closed()
        {
            return Ok(session);
        }
        let mut pause = PAUSE;
        loop {
            let failure = match self.open().await {
                Ok(session) => {
                    self.down_since = None;
                    return Ok(session);
                }
                Err(failure) => failure,
            };
            if let Some(why) = self.writer.ended.why() {
                return Err(why);
            }
            let now = self.writer.clock.now();
            let since = *self.down_since.get_or_insert(now);
            if now >= since + LIMIT {
                return Err(format!(
                    "the server has not answered since {since}: {failure}. Commits are accepted \
                     again once it does"
                ));
            }
            self.writer.clock.sleep_until(now + pause).await;
            pause = LONGEST_PAUSE.min(pause * 2);
        }
    }

    async fn open(&self) -> Result<Session, Failure> {
        let session = self.writer.address.open(&self.writer.setup, None).await?;
        let rows = session.rows("SELECT value FROM meta WHERE key = 'host'", &[]).await?;
        let found = rows.first().and_then(|row| row.text(0).ok()).unwrap_or("none");
        let refused = |why: String| {
            self.writer.ended.end(&why);
            Err(Failure { code: None, lost: false, detail: why })
        };
        if found != self.writer.host.as_str() {
            return refused(renewed(found, &self.writer.host));
        }
        match (&self.writer.timeline, open::timeline(&session).await?) {
            (Some(before), Some(now)) if *before != now => refused(format!(
                "a standby took the place of the server, or it was restored (timeline {now}, not \
                 {before}), and commits may be lost: start again"
            )),
            _ => Ok(session),
        }
    }
}
