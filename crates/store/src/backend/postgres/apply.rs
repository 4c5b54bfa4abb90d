//! Applies commits: one transaction for the batch, one savepoint for each commit.
//!
//! The statements of a commit are sent together and checked afterwards: rolling back to a savepoint
//! undoes everything after a refused statement, so a commit costs one round trip however many
//! statements it has.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::{HostId, Id as _, Seq};
use tokio_postgres::Statement;

use super::session::{Failure, Session};
use crate::commit::{Commit, CommitError, Committed, Db, Once, Refusal};
use crate::store::bind;
use crate::value::{Row, Value};

/// Which time the writer uses for `Now`.
#[derive(Clone)]
pub enum Time {
    /// The database's time, the same for all nodes.
    Database,
    /// A clock, for tests.
    Clock(Arc<dyn Clock>),
}

const NEW_COUNTER: &str =
    "INSERT INTO counters (ws, seq) VALUES (?1, 0) ON CONFLICT (ws) DO NOTHING";
const COUNTER: &str = "SELECT seq FROM counters WHERE ws = ?1 FOR UPDATE";
/// The current time and the database's host id, read after the counters are locked.
const NOW: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT), value
     FROM meta WHERE key = 'host'";
/// The current time.
pub(super) const TIME: &str =
    "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)";
const RECEIPT: &str =
    "INSERT INTO applied_operations (ws, id, request_digest, answer, effects, seq, at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (ws, id) DO NOTHING";
const RECEIPT_BY_ID: &str =
    "SELECT request_digest, answer, seq FROM applied_operations WHERE ws = ?1 AND id = ?2";
const CHANGE: &str =
    "INSERT INTO change_log (ws, seq, origin, depth, touched, neighbours, what, event, subject, at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const AUDIT: &str = "INSERT INTO audit_log (ws, seq, n, actor, action, object, detail, at)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

/// The statements the writer itself uses.
const OWN: &[&str] = &[NEW_COUNTER, COUNTER, NOW, RECEIPT, RECEIPT_BY_ID, CHANGE, AUDIT];

/// The statement that advances a counter and records the other schema's position just before this
/// commit. A commit becomes visible only after its WAL record is flushed, and both schemas share
/// one WAL, so whatever survives of this commit, the commits it refers to survive as well.
pub(super) fn set_counter(other: &str) -> String {
    format!(
        "UPDATE counters SET seq = ?2,
           other_host = (SELECT value FROM \"{other}\".meta WHERE key = 'host'),
           other_seq = COALESCE((SELECT seq FROM \"{other}\".counters WHERE ws = ?1), 0)
         WHERE ws = ?1"
    )
}

/// Why a batch has no results. The transaction has been closed.
pub(super) enum BatchError {
    /// Another transaction conflicted; nothing was written.
    Conflict(Failure),
    /// The connection was lost before COMMIT was sent; nothing was written.
    Lost(Failure),
    /// The connection was lost after COMMIT was sent; the outcome is unknown.
    Unknown(Failure),
    /// The engine rolled the whole transaction back; nothing was written.
    Broken(Failure),
    /// Another node gave the schema a new id; nothing was written, and this node must stop writing.
    Renewed(String),
}

impl BatchError {
    fn before_commit(failure: Failure) -> Self {
        match &failure {
            Failure { lost: true, .. } => Self::Lost(failure),
            conflict if conflict.is_conflict() => Self::Conflict(failure),
            _ => Self::Broken(failure),
        }
    }
}

/// Where and when a batch is applied.
pub(super) struct Batch<'a> {
    pub(super) session: &'a Session,
    pub(super) db: Db,
    pub(super) host: &'a HostId,
    pub(super) time: &'a Time,
    /// See [`set_counter`].
    pub(super) set_counter: &'a str,
}

/// The statements of a batch, or why one could not be prepared.
type Prepared<'a> = HashMap<&'a str, Result<Statement, Failure>>;

impl<'a> Batch<'a> {
    /// Applies commits in one transaction and returns the outcome of each.
    ///
    /// `known` are the workspaces that have a counter; `written` is this node's last position in
    /// each.
    pub(super) async fn apply(
        &self,
        commits: &[Commit],
        known: &mut BTreeSet<i64>,
        written: &mut BTreeMap<i64, i64>,
    ) -> Result<Vec<Result<Committed, CommitError>>, BatchError> {
        let workspaces: BTreeSet<i64> = commits.iter().map(|commit| commit.ws.0).collect();
        // Outside the transaction: a statement that cannot be prepared would abort it, and a
        // counter created there would be locked out of order.
        let prepared = self.prepare(commits).await.map_err(BatchError::before_commit)?;
        for ws in workspaces.difference(&known.clone()) {
            let made = self.session.execute(own(&prepared, NEW_COUNTER)?, &[(*ws).into()]).await;
            made.map_err(BatchError::before_commit)?;
            known.insert(*ws);
        }
        let result = self.transaction(commits, &workspaces, &prepared, written).await;
        if let Err(BatchError::Conflict(_) | BatchError::Broken(_) | BatchError::Renewed(_)) =
            &result
        {
            known.clear();
            self.session.run("ROLLBACK").await.map_err(BatchError::before_commit)?;
        }
        result
    }

    async fn prepare(&self, commits: &[Commit]) -> Result<Prepared<'a>, Failure> {
        let of_commits = commits.iter().flat_map(|commit| &commit.ops).map(|op| op.sql);
        let own = OWN.iter().copied().chain([self.set_counter]);
        let all: BTreeSet<&'a str> = own.chain(of_commits).collect();
        let sent =
            all.iter().map(|sql| -> BoxFuture<'_, _> { Box::pin(self.session.prepare(sql)) });
        let mut prepared = Prepared::new();
        for (sql, statement) in all.iter().zip(together(sent.collect()).await) {
            if let Err(failure) = &statement
                && failure.lost
            {
                return Err(failure.clone());
            }
            prepared.insert(sql, statement);
        }
        Ok(prepared)
    }

    async fn transaction(
        &self,
        commits: &[Commit],
        workspaces: &BTreeSet<i64>,
        prepared: &Prepared<'_>,
        written: &mut BTreeMap<i64, i64>,
    ) -> Result<Vec<Result<Committed, CommitError>>, BatchError> {
        let (mut counters, now) = self.begin(workspaces, prepared).await?;
        // A restored file copy keeps the id, but positions this node wrote are gone.
        if counters.iter().any(|(ws, seq)| written.get(ws).is_some_and(|known| seq < known)) {
            return Err(BatchError::Renewed(went_back(self.db)));
        }
        let before = counters.clone();
        let mut results = Vec::with_capacity(commits.len());
        let mut savepoint = "SAVEPOINT one";
        for commit in commits {
            let counter = counters.get_mut(&commit.ws.0).expect("each workspace has its counter");
            let result = self.one(commit, *counter + 1, now, prepared, savepoint).await;
            // A commit that was applied leaves its savepoint for the next one to release.
            savepoint = "RELEASE SAVEPOINT one; SAVEPOINT one";
            let settled = match result {
                Ok(()) => {
                    results.push(Ok(Committed { seq: Seq(*counter + 1), replayed: None }));
                    *counter += commit.span();
                    continue;
                }
                Err(CommitFailure::Whole(failure)) => {
                    return Err(BatchError::before_commit(failure));
                }
                Err(CommitFailure::One(settled)) => settled,
            };
            let undo = "ROLLBACK TO SAVEPOINT one";
            self.session.run(undo).await.map_err(BatchError::before_commit)?;
            results.push(self.settle(commit, settled, prepared).await?);
        }
        let moved = counters.iter().filter(|(ws, seq)| before.get(ws) != Some(seq));
        let moved: Vec<[Value; 2]> = moved.map(|(ws, seq)| [(*ws).into(), (*seq).into()]).collect();
        self.end(&moved, prepared).await?;
        written.extend(counters);
        Ok(results)
    }

    /// Begins the transaction, locks the counters in workspace order, and reads the time.
    async fn begin(
        &self,
        workspaces: &BTreeSet<i64>,
        prepared: &Prepared<'_>,
    ) -> Result<(BTreeMap<i64, i64>, i64), BatchError> {
        let session = self.session;
        let mut sent: Vec<BoxFuture<'_, Result<Vec<Row>, Failure>>> = vec![Box::pin(async move {
            session.run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE").await?;
            Ok(Vec::new())
        })];
        let counter = own(prepared, COUNTER)?;
        for ws in workspaces {
            sent.push(Box::pin(async move { session.rows_of(counter, &[(*ws).into()]).await }));
        }
        let now = own(prepared, NOW)?;
        sent.push(Box::pin(async move { session.rows_of(now, &[]).await }));
        let answers: Result<Vec<_>, _> = together(sent).await.into_iter().collect();
        let mut answers = answers.map_err(BatchError::before_commit)?.into_iter().skip(1);
        let gone = |what: &str| {
            BatchError::Conflict(Failure {
                code: None,
                lost: false,
                detail: format!("{what} in the {} database is gone", self.db.name()),
            })
        };
        let mut row = || -> Option<Row> { answers.next()?.into_iter().next() };
        let mut counters = BTreeMap::new();
        for ws in workspaces {
            let counter = row().and_then(|row| row.int(0).ok());
            counters.insert(*ws, counter.ok_or_else(|| gone("the counter of a workspace"))?);
        }
        let now = row().ok_or_else(|| gone("the id"))?;
        let host = now.text(1).unwrap_or_default();
        if host != self.host.as_str() {
            return Err(BatchError::Renewed(renewed(host, self.host)));
        }
        let now = match self.time {
            Time::Database => now.int(0).map_err(|_| gone("the time"))?,
            Time::Clock(clock) => clock.now().micros(),
        };
        Ok((counters, now))
    }

    /// Applies one commit after a savepoint.
    async fn one(
        &self,
        commit: &Commit,
        seq: i64,
        now: i64,
        prepared: &Prepared<'_>,
        savepoint: &str,
    ) -> Result<(), CommitFailure> {
        let session = self.session;
        let writes = writes(commit, seq, now, self.host);
        let mut sent: Vec<BoxFuture<'_, Result<u64, Failure>>> = vec![Box::pin(async move {
            session.run(savepoint).await?;
            Ok(0)
        })];
        let mut unprepared = None;
        for write in &writes {
            match &prepared[write.sql] {
                Ok(statement) => {
                    let params = &write.params;
                    sent.push(Box::pin(async move { session.execute(statement, params).await }));
                }
                Err(failure) => {
                    unprepared = Some(failure);
                    break;
                }
            }
        }
        let mut answers = together(sent).await.into_iter();
        if let Some(Err(failure)) = answers.next() {
            return Err(CommitFailure::Whole(failure));
        }
        for (write, answer) in writes.iter().zip(answers) {
            let changed = answer.map_err(|failure| match write.means {
                _ if failure.lost || failure.is_conflict() => CommitFailure::Whole(failure),
                Means::Op(refusal, _) if failure.is_constraint() => {
                    CommitFailure::One(Settled::Refused(refusal))
                }
                Means::Op(..) | Means::Receipt | Means::Row => {
                    CommitFailure::One(Settled::Broken(failure))
                }
            })?;
            let changed = usize::try_from(changed).unwrap_or(usize::MAX);
            match write.means {
                Means::Receipt if changed == 0 => return Err(CommitFailure::One(Settled::Known)),
                Means::Op(refusal, rows) if !rows.contains(&changed) => {
                    return Err(CommitFailure::One(Settled::Refused(refusal)));
                }
                Means::Receipt | Means::Op(..) | Means::Row => {}
            }
        }
        match unprepared {
            Some(failure) => Err(CommitFailure::One(Settled::Broken(failure.clone()))),
            None => Ok(()),
        }
    }

    /// The result of a commit that was rolled back.
    async fn settle(
        &self,
        commit: &Commit,
        settled: Settled,
        prepared: &Prepared<'_>,
    ) -> Result<Result<Committed, CommitError>, BatchError> {
        let label = commit.label;
        let broken = |detail: String| CommitError::Broken { label, db: self.db.name(), detail };
        match (settled, &commit.once) {
            (Settled::Refused(refusal), _) => Ok(Err(CommitError::Refused { label, refusal })),
            (Settled::Broken(failure), _) => Ok(Err(broken(failure.detail))),
            (Settled::Known, Some(once)) => {
                let params = [commit.ws.0.into(), once.id.as_str().into()];
                let by_id = own(prepared, RECEIPT_BY_ID)?;
                let rows = self.session.rows_of(by_id, &params).await;
                let rows = rows.map_err(BatchError::before_commit)?;
                Ok(rows.first().map_or_else(
                    || Err(broken(format!("receipt {} both exists and does not exist", once.id))),
                    |row| replayed(label, once, row).unwrap_or_else(|e| Err(broken(e.to_string()))),
                ))
            }
            (Settled::Known, None) => {
                Ok(Err(broken("a receipt that the commit did not write".to_owned())))
            }
        }
    }

    /// Ends the transaction: with COMMIT when something was written.
    async fn end(&self, moved: &[[Value; 2]], prepared: &Prepared<'_>) -> Result<(), BatchError> {
        let session = self.session;
        if moved.is_empty() {
            return session.run("ROLLBACK").await.map_err(BatchError::before_commit);
        }
        let set = own(prepared, self.set_counter)?;
        let mut sent: Vec<BoxFuture<'_, Result<u64, Failure>>> = Vec::new();
        for params in moved {
            sent.push(Box::pin(async move { session.execute(set, params).await }));
        }
        sent.push(Box::pin(async move { session.run("COMMIT").await.map(|()| 0) }));
        let answers = together(sent).await;
        // COMMIT reports success even when it rolled back a failed transaction.
        for answer in answers {
            match answer {
                Ok(_) => {}
                Err(failure) if failure.lost => return Err(BatchError::Unknown(failure)),
                Err(failure) => return Err(BatchError::before_commit(failure)),
            }
        }
        Ok(())
    }
}

/// A statement of the writer itself.
fn own<'a>(prepared: &'a Prepared<'_>, sql: &str) -> Result<&'a Statement, BatchError> {
    prepared[sql].as_ref().map_err(|failure| BatchError::Broken(failure.clone()))
}

/// The message for a schema that is older than what this node has written to it.
fn went_back(db: Db) -> String {
    format!("the {} database went back to an older state: restart Dormouse", db.name())
}

/// The message for a schema whose id is not the one it was opened under.
pub(super) fn renewed(found: &str, expected: &HostId) -> String {
    // Positions read from one database mean nothing in another.
    format!(
        "the server now holds another database (host {found}, not {expected}): restart Dormouse"
    )
}

/// Why a commit was not applied.
enum CommitFailure {
    /// Only this commit is rolled back.
    One(Settled),
    /// The transaction cannot continue.
    Whole(Failure),
}

enum Settled {
    Refused(Refusal),
    /// Its receipt id was used before.
    Known,
    Broken(Failure),
}

/// One statement of a commit and what a wrong row count means.
struct Write<'a> {
    sql: &'static str,
    params: Vec<Value>,
    means: Means<'a>,
}

#[derive(Clone, Copy)]
enum Means<'a> {
    Receipt,
    Op(Refusal, &'a std::ops::RangeInclusive<usize>),
    Row,
}

/// Everything a commit writes, in order.
fn writes<'a>(commit: &'a Commit, seq: i64, now: i64, host: &HostId) -> Vec<Write<'a>> {
    let ws = commit.ws.0;
    let mut writes = Vec::with_capacity(commit.ops.len() + commit.audit.len() + 2);
    if let Some(once) = &commit.once {
        let params = vec![
            ws.into(),
            once.id.as_str().into(),
            once.request.as_str().into(),
            once.answer.as_str().into(),
            once.effects.clone().into(),
            seq.into(),
            now.into(),
        ];
        writes.push(Write { sql: RECEIPT, params, means: Means::Receipt });
    }
    for op in &commit.ops {
        let params =
            op.params.iter().map(|param| bind(param, seq, now, host).into_owned()).collect();
        writes.push(Write { sql: op.sql, params, means: Means::Op(op.refusal, &op.rows) });
    }
    for (offset, change) in commit.numbered_changes() {
        let params = vec![
            ws.into(),
            (seq + offset).into(),
            serde_json::to_string(&change.origin).expect("an origin is plain data").into(),
            change.depth.into(),
            serde_json::to_string(&change.touched).expect("ids are plain data").into(),
            serde_json::to_string(&change.neighbours).expect("ids are plain data").into(),
            serde_json::to_string(&change.what).expect("changes are plain data").into(),
            change.event_name().into(),
            change.subject.clone().into(),
            now.into(),
        ];
        writes.push(Write { sql: CHANGE, params, means: Means::Row });
    }
    for (n, audit) in (0i64..).zip(&commit.audit) {
        let params = vec![
            ws.into(),
            seq.into(),
            n.into(),
            audit.actor.to_string().into(),
            audit.action.name().into(),
            audit.object.as_str().into(),
            audit.detail.as_str().into(),
            now.into(),
        ];
        writes.push(Write { sql: AUDIT, params, means: Means::Row });
    }
    writes
}

/// The stored answer, if the request is the same.
fn replayed(
    label: &'static str,
    once: &Once,
    row: &Row,
) -> Result<Result<Committed, CommitError>, crate::value::ColumnError> {
    if row.text(0)? != once.request.as_str() {
        return Ok(Err(CommitError::Mismatch { label, id: once.id.clone() }));
    }
    Ok(Ok(Committed { seq: Seq(row.int(2)?), replayed: Some(row.text(1)?.to_owned()) }))
}

/// Sends everything in order before waiting for the first answer.
async fn together<T: Unpin>(mut sent: Vec<BoxFuture<'_, T>>) -> Vec<T> {
    let mut answers: Vec<Option<T>> = sent.iter().map(|_| None).collect();
    poll_fn(|context| {
        let mut all = true;
        for (future, answer) in sent.iter_mut().zip(&mut answers) {
            if answer.is_none() {
                match Pin::new(future).poll(context) {
                    Poll::Ready(value) => *answer = Some(value),
                    Poll::Pending => all = false,
                }
            }
        }
        if all { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    answers.into_iter().flatten().collect()
}
