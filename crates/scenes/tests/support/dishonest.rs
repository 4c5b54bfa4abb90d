//! A store that tells the program something else than what is written in it, to see that a scene
//! notices when a safeguard is missing.

use std::sync::Arc;

use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, ReadError, Row, Value,
};
use dormouse_types::HostId;
use dormouse_types::port::BoxFuture;

/// What the program does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lie {
    /// Whether tasks and entries are private: the gate lets everything through.
    Gate,
    /// What the requests of runs were made of: what a model wrote is tainted by nothing.
    Taint,
}

/// A store in memory that lies.
pub struct Dishonest {
    pub sqlite: Arc<Sqlite>,
    pub lie: Lie,
}

impl Dishonest {
    fn tell(&self, sql: &str, rows: &mut [Row]) {
        let (part, columns, text) = match self.lie {
            Lie::Gate => ("SELECT e.id, e.serialized, t.serialized FROM journal e", 1..3, "{}"),
            Lie::Taint => ("SELECT q.run_key, r.agent_id, q.spans, q.sources", 2..5, "[]"),
        };
        if !sql.contains(part) {
            return;
        }
        for Row(values) in rows {
            values[columns.clone()].fill(Value::Text(text.to_owned()));
        }
    }
}

impl Backend for Dishonest {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let mut rows = self.sqlite.read(db, sql, params).await?;
            self.tell(sql, &mut rows);
            Ok(rows)
        })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        self.sqlite.commit(commit)
    }

    fn host(&self, db: Db) -> HostId {
        self.sqlite.host(db)
    }

    fn engine(&self) -> Engine {
        self.sqlite.engine()
    }

    fn changes(&self) -> Hints {
        self.sqlite.changes()
    }
}
