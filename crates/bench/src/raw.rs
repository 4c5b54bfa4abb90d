//! The bare loop: the same statements with the same values on a copy of the same file, in as many
//! transactions, by one thread and nothing else.
//!
//! What a round of wakes wrote was recorded. Here it is written once more with `rusqlite` alone:
//! prepared statements, values bound beforehand, `BEGIN`, statements, `COMMIT` with
//! `synchronous=FULL`. Nothing is read, no lease is renewed, no hint is given. The rows are those
//! of the product to the byte, its change rows and counters included; the transactions are as many
//! as its writer needed.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use dormouse_store::{Commit, Db, Param, Value};
use dormouse_types::HostId;
use rusqlite::{Connection, params_from_iter};

use crate::place::Place;
use crate::tape::Taped;

/// A statement with its values.
pub(crate) struct Statement {
    pub(crate) sql: &'static str,
    pub(crate) values: Vec<Value>,
    /// How many rows it must change, as when the product ran it.
    rows: RangeInclusive<usize>,
}

impl Statement {
    fn one(sql: &'static str, values: Vec<Value>) -> Self {
        Self { sql, values, rows: 1..=1 }
    }

    /// Errors: it changed another number of rows than when the product ran it.
    pub(crate) fn expect(&self, changed: usize) -> anyhow::Result<()> {
        let Self { sql, rows, .. } = self;
        anyhow::ensure!(
            rows.contains(&changed),
            "the bare loop does not write what the product wrote: {changed} rows by {sql}"
        );
        Ok(())
    }
}

/// How the rows of a round are written once more.
pub(crate) struct Round<'a> {
    /// What was recorded, of both databases.
    pub(crate) tape: &'a [Taped],
    pub(crate) db: Db,
    pub(crate) host: &'a HostId,
    pub(crate) n_transactions: usize,
    /// The time in the rows.
    pub(crate) now: i64,
}

impl Round<'_> {
    /// Divides the commits of one database evenly over the transactions; in each, the counters are
    /// moved as often as the engine does it.
    pub(crate) fn transactions(&self, counting: Counting) -> anyhow::Result<Vec<Vec<Statement>>> {
        let Round { db, host, n_transactions, now, .. } = *self;
        let commits: Vec<&Taped> = self.tape.iter().filter(|one| one.commit.db == db).collect();
        let n_transactions = n_transactions.clamp(usize::from(!commits.is_empty()), commits.len());
        let mut transactions: Vec<Vec<Statement>> = Vec::new();
        let mut counters = vec![BTreeMap::new(); n_transactions];
        transactions.resize_with(n_transactions, Vec::new);
        for (n, Taped { commit, seq }) in commits.iter().enumerate() {
            let place = n * n_transactions / commits.len();
            let ws = Value::Int(commit.ws.0);
            match counting {
                Counting::EachCommit => {
                    transactions[place].push(Statement::one(COUNTER, vec![ws]));
                }
                Counting::EachTransaction => {
                    let newest = Value::Int(seq.0 + commit.span() - 1);
                    counters[place].insert(commit.ws, vec![ws, newest]);
                }
            }
            transactions[place].extend(statements(commit, seq.0, host, now)?);
            if matches!(counting, Counting::EachCommit) && commit.span() > 1 {
                let newest = Value::Int(seq.0 + commit.span() - 1);
                let set = vec![Value::Int(commit.ws.0), newest];
                transactions[place].push(Statement::one(SET_COUNTER, set));
            }
        }
        for (transaction, counters) in transactions.iter_mut().zip(counters) {
            let set = counters.into_values().map(|values| Statement::one(SET_COUNTER, values));
            transaction.extend(set);
        }
        Ok(transactions)
    }
}

/// How often an engine moves the counter of a workspace.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counting {
    /// SQLite.
    EachCommit,
    /// Postgres, at the end.
    EachTransaction,
}

/// Recorded commits of one database, ready to be written once more.
pub struct Replay {
    transactions: Vec<Vec<Statement>>,
    db: Db,
}

const COUNTER: &str = "INSERT INTO counters (ws, seq) VALUES (?1, 1)
    ON CONFLICT (ws) DO UPDATE SET seq = counters.seq + 1";
const SET_COUNTER: &str = "UPDATE counters SET seq = ?2 WHERE ws = ?1";
const CHANGE: &str = "INSERT INTO change_log
    (ws, seq, origin, depth, touched, neighbours, what, event, subject, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const AUDIT: &str = "INSERT INTO audit_log (ws, seq, n, actor, action, object, detail, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

impl Replay {
    pub(crate) fn new(round: &Round<'_>) -> anyhow::Result<Self> {
        Ok(Self { transactions: round.transactions(Counting::EachCommit)?, db: round.db })
    }

    /// Opens the database that [`Replay::run`] writes to: a copy of the one the product began with.
    ///
    /// Errors: the file cannot be opened.
    pub fn open(&self, place: &Place) -> anyhow::Result<Connection> {
        let connection = Connection::open(place.file(self.db))?;
        connection.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;")?;
        connection.set_prepared_statement_cache_capacity(256);
        Ok(connection)
    }

    /// Writes everything.
    ///
    /// Errors: a statement fails, or changes other rows than it did when the product ran it.
    pub fn run(&self, connection: &Connection) -> anyhow::Result<()> {
        for statements in &self.transactions {
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            for statement in statements {
                let changed = connection
                    .prepare_cached(statement.sql)?
                    .execute(params_from_iter(&statement.values))?;
                statement.expect(changed)?;
            }
            connection.prepare_cached("COMMIT")?.execute([])?;
        }
        Ok(())
    }
}

/// What the writer makes of a commit.
fn statements(
    commit: &Commit,
    seq: i64,
    host: &HostId,
    now: i64,
) -> anyhow::Result<Vec<Statement>> {
    let ws = Value::Int(commit.ws.0);
    let mut all = Vec::new();
    for op in &commit.ops {
        let values = op.params.iter().map(|param| bound(param, seq, host, now)).collect();
        all.push(Statement { sql: op.sql, values, rows: op.rows.clone() });
    }
    for (offset, change) in commit.numbered_changes() {
        let values = vec![
            ws.clone(),
            Value::Int(seq + offset),
            Value::Text(serde_json::to_string(&change.origin)?),
            Value::Int(change.depth),
            Value::Text(serde_json::to_string(&change.touched)?),
            Value::Text(serde_json::to_string(&change.neighbours)?),
            Value::Text(serde_json::to_string(&change.what)?),
            change.event_name().into(),
            change.subject.clone().into(),
            Value::Int(now),
        ];
        all.push(Statement::one(CHANGE, values));
    }
    for (audit, n) in commit.audit.iter().zip(0..) {
        let values = vec![
            ws.clone(),
            Value::Int(seq),
            Value::Int(n),
            audit.actor.to_string().into(),
            audit.action.name().into(),
            audit.object.clone().into(),
            audit.detail.clone().into(),
            Value::Int(now),
        ];
        all.push(Statement::one(AUDIT, values));
    }
    Ok(all)
}

fn bound(param: &Param, seq: i64, host: &HostId, now: i64) -> Value {
    match param {
        Param::Value(value) => value.clone(),
        Param::Seq => Value::Int(seq),
        Param::Now => Value::Int(now),
        Param::Later(by) => {
            Value::Int(now.saturating_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX)))
        }
        Param::Host => Value::Text(host.to_string()),
    }
}
