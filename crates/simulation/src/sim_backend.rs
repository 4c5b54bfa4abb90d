//! The store as one node sees it: it answers late, lies about the outcome of a commit, loses hints,
//! and is where nodes die.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use dormouse_store::{Backend, Commit, CommitError, Committed, Db, Engine, ReadError, Row, Value};
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::{HostId, Timestamp};
use futures_util::future::FutureExt as _;
use tokio::sync::{oneshot, watch};

use crate::faults::Fault;
use crate::hints::NodeHints;
use crate::locks::lock;
use crate::sim_state::{OUTSIDE, SimState};
use crate::{dishonest_store, oracle, process_life};

/// The store as one node sees it.
#[derive(Clone)]
pub(crate) struct SimBackend {
    pub(crate) sim: Arc<SimState>,
    /// The place of the node among all that were started.
    pub(crate) node: usize,
    /// The name under which it holds leases.
    pub(crate) owner: String,
    pub(crate) hints: Arc<NodeHints>,
}

/// Lets somebody else go first, once.
pub(crate) struct Turn(bool);

impl Turn {
    pub(crate) fn of_others() -> Self {
        Self(false)
    }
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if std::mem::replace(&mut self.0, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }
}

impl SimBackend {
    /// Lets others go on before an answer, or a little time pass.
    async fn pace(&self) {
        match self.sim.draw(|chance| chance.below(64)) {
            0 => {
                let millis = 1 + self.sim.draw(|chance| chance.below(2000));
                self.sim.wait(Duration::from_millis(millis)).await;
            }
            1..24 => Turn::of_others().await,
            _ => {}
        }
    }

    async fn dies<T>(&self, fault: Fault, label: &str) -> T {
        self.sim.trace(format_args!("{} dies: {fault:?} {label}", self.owner));
        process_life::crash(&self.sim, self.node);
        std::future::pending().await
    }

    async fn write(&self, commit: Commit) -> Result<Committed, CommitError> {
        self.pace().await;
        let label = commit.label;
        let strikes = |fault| self.sim.strikes(fault);
        let db = commit.db.name();
        if strikes(Fault::CrashBefore) {
            return self.dies(Fault::CrashBefore, label).await;
        }
        if strikes(Fault::Broken) {
            let detail = "the disk is full".into();
            return Err(CommitError::Broken { label, db, detail });
        }
        let unknown = || CommitError::Unknown { label, detail: "the answer was lost".into() };
        if strikes(Fault::UnknownNot) {
            return Err(unknown());
        }
        let result = if !self.sim.is_alone() && strikes(Fault::Late) {
            self.write_late(commit).await
        } else {
            self.apply(commit)
        };
        if result.is_ok() && strikes(Fault::CrashAfter) {
            return self.dies(Fault::CrashAfter, label).await;
        }
        if result.is_ok() && strikes(Fault::UnknownDone) {
            return Err(unknown());
        }
        self.pace().await;
        result
    }

    /// The commit is on its way and arrives, whatever becomes of its node.
    async fn write_late(&self, commit: Commit) -> Result<Committed, CommitError> {
        let label = commit.label;
        let (sender, answer) = oneshot::channel();
        let wire = self.clone();
        let late = self.sim.draw(|chance| 1 + chance.below(90));
        self.sim.spawn(OUTSIDE, format!("late {label}"), async move {
            wire.sim.wait(Duration::from_secs(late)).await;
            // The caller may be dead.
            let _ = sender.send(wire.apply(commit));
        });
        answer.await.unwrap_or(Err(CommitError::Unknown { label, detail: "gone".into() }))
    }

    /// Applies a commit in this moment, under the eyes of the oracle.
    fn apply(&self, commit: Commit) -> Result<Committed, CommitError> {
        let sim = &self.sim;
        let suspicions = oracle::suspicions(sim, &self.owner, &commit);
        let result = dishonest_store::apply(sim, commit.clone());
        let brief = oracle::brief(&commit);
        match &result {
            Ok(done) if done.replayed.is_some() => {
                sim.trace(format_args!("{} {brief}: replayed", self.owner));
            }
            Ok(done) => {
                sim.trace(format_args!("{} {brief}: {}", self.owner, done.seq));
                for suspicion in suspicions {
                    sim.report_violation(suspicion);
                }
                oracle::saw(sim, &self.owner, &commit);
                if !commit.changes.is_empty() {
                    self.hint();
                }
            }
            Err(error) => sim.trace(format_args!("{} {brief}: {error}", self.owner)),
        }
        result
    }

    fn hint(&self) {
        let listeners: Vec<_> = lock(&self.sim.nodes)
            .iter()
            .filter(|node| node.is_alive)
            .map(|node| node.hints.clone())
            .collect();
        for listener in listeners {
            if !self.sim.strikes(Fault::LostHint) {
                listener.send();
            }
        }
    }
}

impl Backend for SimBackend {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            self.pace().await;
            let detail = || "the disk does not answer".to_owned();
            if self.sim.strikes(Fault::Unreadable) {
                return Err(ReadError::Engine { db: db.name(), detail: detail() });
            }
            let read = self.sim.sqlite.read(db, sql, params).now_or_never();
            let read = read.unwrap_or(Err(ReadError::Engine { db: db.name(), detail: detail() }));
            let read = read.map(|mut rows| {
                dishonest_store::rewrite(&self.sim, sql, &mut rows);
                rows
            });
            self.pace().await;
            read
        })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(self.write(commit))
    }

    fn host(&self, db: Db) -> HostId {
        self.sim.sqlite.host(db)
    }

    fn engine(&self) -> Engine {
        self.sim.sqlite.engine()
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.hints.subscribe()
    }

    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        Box::pin(std::future::ready(Ok(Some(self.sim.clock.now()))))
    }
}
