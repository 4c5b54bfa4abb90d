//! Recomputes what definitions say about their runs.

use dormouse_store::agent::work::definition;
use dormouse_types::WorkspaceId;

use crate::{Work, WorkError};

impl Work {
    /// Compares the columns that definitions have of their runs with the runs; returns a line for each
    /// definition that differs.
    pub async fn check(&self, ws: WorkspaceId) -> Result<Vec<String>, WorkError> {
        let (mut wrong, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.store.all(definition::page(ws, &after, 200)).await?;
            let Some(last) = page.last() else { return Ok(wrong) };
            after = last.id.to_string();
            for definition in page {
                let snapshot = self.snapshot_of(ws, definition).await?;
                wrong.extend(Self::wrong_columns(&snapshot));
            }
        }
    }
}
