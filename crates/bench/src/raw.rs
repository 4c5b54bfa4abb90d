//! The bare loop: the same statements with the same values on a copy of the same file, in as many
//! transactions, by one thread and nothing else.
//!
//! What a round of wakes wrote was recorded. Here it is written once more with `rusqlite` alone:
//! prepared statements, values bound beforehand, `BEGIN`, statements, `COMMIT` with
//! `synchronous=FULL`. Nothing is read, no lease is looked after, nobody is told. The rows are those
//! of the product to the byte, its change rows and counters included; the transactions are as many
//! as its writer needed.

use dormouse_store::{Commit, Db, Param, Value};
use dormouse_types::HostId;
use rusqlite::{Connection, params_from_iter};

use crate::place::Place;
use crate::tape::Taped;

/// A statement with its values.
struct Statement {
    sql: &'static str,
    values: Vec<Value>,
}

/// Recorded commits of one database, ready to be written once more.
pub struct Replay {
    transactions: Vec<Vec<Statement>>,
    db: Db,
}

const COUNTER: &str = "INSERT INTO counters (ws, seq) VALUES (?1, 1)
    ON CONFLICT (ws) DO UPDATE SET seq = counters.seq + 1";
const CHANGE: &str = "INSERT INTO change_log
    (ws, seq, origin, depth, touched, neighbours, what, event, subject, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
const AUDIT: &str = "INSERT INTO audit_log (ws, seq, n, actor, action, object, detail, at)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

impl Replay {
    /// Divides commits of one database evenly over so many transactions.
    pub fn new(
        tape: &[Taped],
        db: Db,
        host: &HostId,
        n_transactions: usize,
        now: i64,
    ) -> anyhow::Result<Self> {
        let mut transactions: Vec<Vec<Statement>> = Vec::new();
        let commits: Vec<&Taped> = tape.iter().filter(|taped| taped.commit.db == db).collect();
        let n_transactions = n_transactions.clamp(usize::from(!commits.is_empty()), commits.len());
        transactions.resize_with(n_transactions, Vec::new);
        for (n, taped) in commits.iter().enumerate() {
            let place = n * n_transactions / commits.len();
            transactions[place].extend(statements(&taped.commit, taped.seq.0, host, now)?);
        }
        Ok(Self { transactions, db })
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
    /// Errors: a statement fails.
    pub fn run(&self, connection: &Connection) -> anyhow::Result<()> {
        for statements in &self.transactions {
            connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
            for statement in statements {
                connection
                    .prepare_cached(statement.sql)?
                    .execute(params_from_iter(&statement.values))?;
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
    let mut all = vec![Statement { sql: COUNTER, values: vec![ws.clone()] }];
    for op in &commit.ops {
        let values = op.params.iter().map(|param| bound(param, seq, host, now)).collect();
        all.push(Statement { sql: op.sql, values });
    }
    if let Some(change) = &commit.change {
        let values = vec![
            ws.clone(),
            Value::Int(seq),
            Value::Text(serde_json::to_string(&change.origin)?),
            Value::Int(change.depth),
            Value::Text(serde_json::to_string(&change.touched)?),
            Value::Text(serde_json::to_string(&change.neighbours)?),
            Value::Text(serde_json::to_string(&change.what)?),
            change.event.into(),
            change.subject.clone().into(),
            Value::Int(now),
        ];
        all.push(Statement { sql: CHANGE, values });
    }
    for (audit, n) in commit.audit.iter().zip(0..) {
        let values = vec![
            ws.clone(),
            Value::Int(seq),
            Value::Int(n),
            audit.actor.clone().into(),
            audit.action.into(),
            audit.object.clone().into(),
            audit.detail.clone().into(),
            Value::Int(now),
        ];
        all.push(Statement { sql: AUDIT, values });
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
