//! What lists are sifted and sorted by, kept from one page to the next: whoever reads to the end of a
//! long list has every task looked up once, not once for each page.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_store::journal::task_list::{self, TaskIndexRow};
use dormouse_store::{Db, ReadError, Store, change_log};
use dormouse_types::{Seq, WorkspaceId, limits};

/// The tasks of the workspace that was asked for last, as long as nothing is written there.
#[derive(Clone, Default)]
pub(crate) struct TaskIndexCache(Arc<Mutex<Option<CachedIndex>>>);

struct CachedIndex {
    ws: WorkspaceId,
    /// The position of the journal before the tasks were read.
    head: Seq,
    lines: Arc<Vec<TaskIndexRow>>,
}

impl TaskIndexCache {
    /// Every task of a workspace in brief, soft-deleted ones too, in no order.
    pub(crate) async fn of(
        &self,
        store: &Store,
        ws: WorkspaceId,
    ) -> Result<Arc<Vec<TaskIndexRow>>, ReadError> {
        // First the position, then the tasks: what is written between the two moves the position,
        // and whoever asks next reads anew.
        let head = store.first(change_log::head(Db::Journal, ws)).await?.unwrap_or_default();
        if let Some(lines) = self.cached(ws, head) {
            return Ok(lines);
        }
        let lines = Arc::new(store.all(task_list::all(ws)).await?);
        // What fits a page is not asked for again.
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
