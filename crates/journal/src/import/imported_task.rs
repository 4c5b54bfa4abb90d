//! What a task still holds of its last import.

use std::collections::BTreeSet;

use dormouse_store::journal::imported;
use dormouse_types::{TaskId, WorkspaceId};

use super::{import_key, last_import};
use crate::Journal;
use crate::error::JournalError;

/// A task that was imported before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedTask {
    pub task: TaskId,
    /// Its title now.
    pub title: String,
    /// How many of the items and entries it has.
    pub parts: usize,
}

impl Journal {
    /// The task of a key of a file, with how many of the named items and entries it has that its
    /// imports gave it. None if there is no such task, or it is deleted.
    ///
    /// An import deletes nothing, so what moves to another task in a file is in both from then on.
    pub async fn import_held(
        &self,
        ws: WorkspaceId,
        file: &str,
        key: &str,
        items: &BTreeSet<&str>,
        entries: &BTreeSet<&str>,
    ) -> Result<Option<ImportedTask>, JournalError> {
        let key = import_key(file, key);
        let Some(row) = self.store.first(imported::by_key(ws, &key)).await? else {
            return Ok(None);
        };
        let (task, Some(last)) = last_import(&key, &row)? else { return Ok(None) };
        let view = match self.task(ws, &task).await {
            Ok(view) => view,
            Err(JournalError::NoTask { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        if view.deleted_at().is_some() {
            return Ok(None);
        }
        let here: BTreeSet<_> = view.items.iter().map(|item| &item.value.id).collect();
        let items = last
            .items
            .iter()
            .filter(|(key, last)| items.contains(key.as_str()) && here.contains(&last.id));
        let here: BTreeSet<_> = view.entries.iter().map(|entry| &entry.value.id).collect();
        let entries = last
            .entries
            .iter()
            .filter(|(key, last)| entries.contains(key.as_str()) && here.contains(&last.id));
        let parts = items.count() + entries.count();
        Ok(Some(ImportedTask { task, title: view.task.value.title.clone(), parts }))
    }
}
