//! Something between a store and its engine.

use std::sync::Arc;

use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, ReadError, Row, Value,
};
use dormouse_types::port::BoxFuture;
use dormouse_types::{HostId, Timestamp};

/// What lies over an engine. It implements what it changes; the engine does all else.
pub trait Layer: Send + Sync {
    /// The engine.
    fn below(&self) -> &dyn Backend;

    /// As [`Backend::read`].
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        self.below().read(db, sql, params)
    }

    /// As [`Backend::commit`].
    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        self.below().commit(commit)
    }

    /// As [`Backend::engine`].
    fn engine(&self) -> Engine {
        self.below().engine()
    }

    /// As [`Backend::time`].
    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        self.below().time()
    }
}

/// A layer as an engine.
pub struct Layered<L>(pub Arc<L>);

impl<L: Layer> Backend for Layered<L> {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        self.0.read(db, sql, params)
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        self.0.commit(commit)
    }

    fn host(&self, db: Db) -> HostId {
        self.0.below().host(db)
    }

    fn engine(&self) -> Engine {
        self.0.engine()
    }

    fn changes(&self) -> Hints {
        self.0.below().changes()
    }

    fn clean_files(&self) -> BoxFuture<'_, Result<(), String>> {
        self.0.below().clean_files()
    }

    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        self.0.time()
    }

    fn writing_ended(&self) -> Option<String> {
        self.0.below().writing_ended()
    }
}
