//! An engine that records its reads.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, ReadError, Row, Value,
};
use dormouse_types::HostId;
use dormouse_types::port::BoxFuture;

/// Records each read with the number of rows returned.
pub struct Counting {
    engine: Arc<dyn Backend>,
    reads: Mutex<Vec<(&'static str, usize)>>,
}

impl Counting {
    pub fn over(engine: Arc<dyn Backend>) -> Self {
        Self { engine, reads: Mutex::default() }
    }

    /// Returns the reads since the last call.
    pub fn take(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Backend for Counting {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let rows = self.engine.read(db, sql, params).await?;
            let mut reads = self.reads.lock().unwrap_or_else(PoisonError::into_inner);
            reads.push((sql, rows.len()));
            Ok(rows)
        })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        self.engine.commit(commit)
    }

    fn host(&self, db: Db) -> HostId {
        self.engine.host(db)
    }

    fn engine(&self) -> Engine {
        self.engine.engine()
    }

    fn changes(&self) -> Hints {
        self.engine.changes()
    }
}
