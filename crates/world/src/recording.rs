//! A layer that records the reads of its engine.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::{Backend, Db, ReadError, Row, Value};
use dormouse_types::port::BoxFuture;

use crate::layer::Layer;

/// The longest cell that is not counted as a text. Units: bytes. Ids, names of states and digests are shorter.
const SHORT: usize = 64;

/// Records each read with the number of rows it returned.
pub struct Recording {
    engine: Arc<dyn Backend>,
    reads: Mutex<Vec<Read>>,
}

struct Read {
    sql: &'static str,
    n_rows: usize,
    /// How many cells held a document or another long text.
    n_texts: usize,
}

impl Read {
    fn new(sql: &'static str, rows: &[Row]) -> Self {
        let is_text = |value: &&Value| matches!(value, Value::Text(text) if text.len() > SHORT);
        let n_texts = rows.iter().flat_map(|row| &row.0).filter(is_text).count();
        Self { sql, n_rows: rows.len(), n_texts }
    }
}

impl Recording {
    /// Creates a recorder of another engine.
    pub fn over(engine: Arc<dyn Backend>) -> Self {
        Self { engine, reads: Mutex::default() }
    }

    /// Returns the reads since the last call: the statement, and how many rows it returned.
    pub fn take(&self) -> Vec<(&'static str, usize)> {
        self.recorded().into_iter().map(|read| (read.sql, read.n_rows)).collect()
    }

    fn recorded(&self) -> Vec<Read> {
        std::mem::take(&mut self.reads.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs something and returns its result with the number of statements and of rows it read.
    pub fn cost_of<T>(&self, run: impl FnOnce() -> T) -> (T, usize, usize) {
        self.take();
        let result = run();
        let reads = self.take();
        (result, reads.len(), reads.iter().map(|(_, n_rows)| n_rows).sum())
    }

    /// Runs something and returns its result with the number of documents and other long texts it read.
    pub fn texts_of<T>(&self, run: impl FnOnce() -> T) -> (T, usize) {
        self.take();
        let result = run();
        (result, self.recorded().iter().map(|read| read.n_texts).sum())
    }

    /// Runs something and returns its result with the statements it read.
    pub fn reads_of<T>(&self, run: impl FnOnce() -> T) -> (T, Vec<&'static str>) {
        self.take();
        let result = run();
        (result, self.take().into_iter().map(|(sql, _)| sql).collect())
    }
}

impl Layer for Recording {
    fn below(&self) -> &dyn Backend {
        &*self.engine
    }

    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let rows = self.engine.read(db, sql, params).await;
            let read = Read::new(sql, rows.as_deref().unwrap_or_default());
            self.reads.lock().unwrap_or_else(PoisonError::into_inner).push(read);
            rows
        })
    }
}
