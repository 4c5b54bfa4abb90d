//! Tasks of earlier imports of a file that the file no longer has.

use std::collections::BTreeSet;

use dormouse_store::journal::imported;
use dormouse_types::{TaskId, WorkspaceId};

use super::import_key;
use crate::Journal;
use crate::error::JournalError;

/// The keys that are read at once.
const PAGE: usize = 1_000;

/// How many of the tasks are named; the others are counted.
const NAMED: usize = 5;

/// Tasks that were imported from a file and that it no longer has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Missing {
    /// How many.
    pub n: usize,
    /// The titles that the first of them have now.
    pub titles: Vec<String>,
}

impl Journal {
    /// The tasks that came from a list, unlike those that were created here.
    pub async fn imported_tasks(&self, ws: WorkspaceId) -> Result<BTreeSet<TaskId>, JournalError> {
        let ids = self.store.all(imported::tasks(ws)).await?;
        Ok(ids.into_iter().filter_map(|id| id.parse().ok()).collect())
    }

    /// The tasks that were imported from a file under other keys than those it has now. Deleted
    /// tasks do not count.
    ///
    /// None if no task of the file was imported before, and none of its words is the title of such a task or of an
    /// item of it: it is then another list of that name. `words` are in lower case.
    pub async fn import_missing(
        &self,
        ws: WorkspaceId,
        file: &str,
        keys: &BTreeSet<&str>,
        words: &BTreeSet<String>,
    ) -> Result<Missing, JournalError> {
        let keys: BTreeSet<String> = keys.iter().map(|key| import_key(file, key)).collect();
        let start = import_key(file, "");
        // The sign after `|`, so that the range has every key of the file.
        let end = format!("{}}}", &start[..start.len() - 1]);
        let mut missing = Missing::default();
        let mut first: Vec<String> = Vec::new();
        let mut is_known = false;
        let mut after = start.clone();
        loop {
            let page = self.store.all(imported::between(ws, &after, &end, PAGE)).await?;
            let Some((last, _)) = page.last() else { break };
            after.clone_from(last);
            let is_last = page.len() < PAGE;
            for (key, task) in page {
                if keys.contains(&key) {
                    is_known = true;
                    continue;
                }
                missing.n += 1;
                if first.len() < NAMED {
                    first.push(task);
                }
            }
            if is_last {
                break;
            }
        }
        for task in first {
            let Ok(task) = task.parse::<TaskId>() else { continue };
            match self.task(ws, &task).await {
                Ok(view) => {
                    let title = &view.task.value.title;
                    let items = view.items.iter().map(|item| &item.value.title);
                    is_known |= items.chain([title]).any(|it| words.contains(&it.to_lowercase()));
                    missing.titles.push(title.clone());
                }
                // It went since the page was read.
                Err(JournalError::NoTask { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(if is_known { missing } else { Missing::default() })
    }
}
