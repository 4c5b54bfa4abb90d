//! Connections for reading, separate from the writer's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use super::session::{Address, Failure, Session};
use crate::commit::Db;
use crate::stored_words::PLACES;
use crate::value::{Row, Value};

/// The most connections reading one database at once.
const CONNECTIONS: usize = 6;

pub(super) struct Readers {
    address: Arc<Address>,
    setup: String,
    idle: Mutex<Vec<Session>>,
    permits: Semaphore,
}

impl Readers {
    pub(super) fn new(address: Arc<Address>, setup: String) -> Self {
        Self { address, setup, idle: Mutex::default(), permits: Semaphore::new(CONNECTIONS) }
    }

    /// Reads all rows of a statement. A connection found lost, or lost while reading, is replaced
    /// once.
    pub(super) async fn read(
        &self,
        sql: &'static str,
        params: &[Value],
    ) -> Result<Vec<Row>, Failure> {
        let _permit = self.permits.acquire().await.expect("the pool is never closed");
        if let Some(session) = self.take() {
            let rows = session.rows(sql, params).await;
            if !rows.as_ref().is_err_and(|failure| failure.lost) {
                self.idle().push(session);
                return rows;
            }
        }
        let session = self.address.open(&self.setup, None).await?;
        let rows = session.rows(sql, params).await;
        if !session.is_closed() {
            self.idle().push(session);
        }
        rows
    }

    /// Makes the server reuse what its tables keep of former rows, and draw the statistics of their
    /// columns again, which have values of rows as samples. What it has written to its own log and to
    /// backups stays there until it overwrites them.
    pub(super) async fn vacuum(&self, db: Db) -> Result<(), Failure> {
        let mut tables: Vec<&str> =
            PLACES.iter().filter(|place| place.db == db).map(|place| place.table).collect();
        match db {
            Db::Journal => tables.push("journal"),
            Db::Agent => tables.extend(["purges", "search_index"]),
        }
        tables.dedup();
        let session = self.address.open(&self.setup, None).await?;
        session.client.batch_execute("SET default_transaction_read_only = off").await?;
        session.client.batch_execute(&format!("VACUUM (ANALYZE) {}", tables.join(", "))).await?;
        Ok(())
    }

    /// An idle connection not known to be closed.
    fn take(&self) -> Option<Session> {
        let mut idle = self.idle();
        idle.retain(|session| !session.is_closed());
        idle.pop()
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Session>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
