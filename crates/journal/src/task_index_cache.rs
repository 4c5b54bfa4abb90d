//! Keeps the index that lists are filtered and sorted by from one page to the next, so that reading
//! a long list to its end loads the index once, not once per page.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::journal::task_list::{self, TaskIndexRow};
use dormouse_store::{Db, ReadError, Store, change_log};
use dormouse_types::{Seq, WorkspaceId, limits};

/// The index of the most recently listed workspace, valid while nothing is written there.
#[derive(Clone, Default)]
pub(crate) struct TaskIndexCache(Arc<Mutex<Option<CachedIndex>>>);

struct CachedIndex {
    ws: WorkspaceId,
    /// The journal position before the tasks were read.
    head: Seq,
    lines: Arc<Vec<TaskIndexRow>>,
}

impl TaskIndexCache {
    /// The index of every task of a workspace, including soft-deleted ones, unordered.
    pub(crate) async fn of(
        &self,
        store: &Store,
        ws: WorkspaceId,
    ) -> Result<Arc<Vec<TaskIndexRow>>, ReadError> {
        // The position is read first: anything written between the two reads advances the position,
        // and the next caller reads again.
        let head = store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        if let Some(lines) = self.cached(ws, head) {
            return Ok(lines);
        }
        let lines = Arc::new(store.all(task_list::all(ws)).await?);
        // A list that fits one page is not read again, so it is not cached.
        let is_long = lines.len() > limits::PAGE.max;
        let kept = is_long.then(|| CachedIndex { ws, head, lines: lines.clone() });
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        Ok(lines)
    }

    fn cached(&self, ws: WorkspaceId, head: Seq) -> Option<Arc<Vec<TaskIndexRow>>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = kept.as_ref().filter(|kept| kept.ws == ws && kept.head == head)?;
        Some(kept.lines.clone())
    }
}
