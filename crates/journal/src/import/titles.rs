//! New tasks of a file that have the title of a task that is here already.

use std::collections::BTreeSet;

use dormouse_store::in_list;
use dormouse_store::journal::task;
use dormouse_types::fold::folded;
use dormouse_types::{WorkspaceId, draft};

use super::content::one_line;
use crate::Journal;
use crate::error::JournalError;

impl Journal {
    /// How many drafts of a file would be new tasks although a task here has their title.
    pub async fn import_same_titles(
        &self,
        ws: WorkspaceId,
        file: &str,
        drafts: &[&draft::Task],
    ) -> Result<usize, JournalError> {
        let mut n = 0;
        for drafts in drafts.chunks(in_list::MOST) {
            let (keys, known) = self.import_keys(ws, file, drafts).await?;
            let title = |draft: &draft::Task| folded(&one_line(&draft.title));
            let titles: Vec<String> = drafts
                .iter()
                .map(|draft| title(draft))
                .filter(|title| !title.is_empty())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect();
            let here = self.store.all(task::live_titles(ws, &titles)).await?;
            let here: BTreeSet<String> = here.into_iter().collect();
            for (draft, key) in drafts.iter().zip(&keys) {
                let is_alike = !known.contains(key) && here.contains(&title(draft));
                if is_alike && self.own_export(ws, draft).await?.is_none() {
                    n += 1;
                }
            }
        }
        Ok(n)
    }
}
