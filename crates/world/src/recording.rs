//! An engine that records its reads.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, ReadError, Row, Value,
};
use dormouse_types::HostId;
use dormouse_types::port::BoxFuture;

/// Records each read with the number of rows it returned.
pub struct Recording {
    engine: Arc<dyn Backend>,
    reads: Mutex<Vec<(&'static str, usize)>>,
}

impl Recording {
    /// Creates a recorder of another engine.
    pub fn over(engine: Arc<dyn Backend>) -> Self {
        Self { engine, reads: Mutex::default() }
    }

    /// Returns the reads since the last call: the statement, and how many rows it returned.
    pub fn take(&self) -> Vec<(&'static str, usize)> {
        std::mem::take(&mut self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs something and returns its result with the number of statements and of rows it read.
    pub fn cost_of<T>(&self, run: impl FnOnce() -> T) -> (T, usize, usize) {
        self.take();
        let result = run();
        let reads = self.take();
        (result, reads.len(), reads.iter().map(|(_, n_rows)| n_rows).sum())
    }

    /// Runs something and returns its result with the statements it read.
    pub fn reads_of<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
        self.take();
        let result = run();
        (result, self.take().into_iter().map(|(sql, _)| sql).collect())
    }
}

impl Backend for Recording {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let rows = self.engine.read(db, sql, params).await;
            let n_rows = rows.as_ref().map_or(0, Vec::len);
            self.reads.lock().unwrap_or_else(PoisonError::into_inner).push((sql, n_rows));
            rows
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
