//! Recomputes what definitions say about their runs.

use dormouse_store::ReadError;
use dormouse_store::agent::work::definition;
use dormouse_types::WorkspaceId;

use crate::{Work, WorkError};

impl Work {
    /// Compares the columns that definitions have of their runs with the runs; returns a line for each
    /// definition that differs, and for each that cannot be read, itself or its runs.
    pub async fn check(&self, ws: WorkspaceId) -> Result<Vec<String>, WorkError> {
        let (mut wrong, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.store.each(definition::page(ws, &after, 200)).await?;
            if page.is_empty() {
                return Ok(wrong);
            }
            for one in page {
                let definition = match one {
                    Ok(definition) => definition,
                    // A row without a readable place would be read for ever.
                    Err(ReadError::Corrupt { ref id, .. }) if *id > after => {
                        after.clone_from(id);
                        wrong.extend(one.err().map(|error| error.to_string()));
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                };
                after = definition.id.to_string();
                match self.snapshot_of(ws, definition).await {
                    Ok(snapshot) => wrong.extend(Self::wrong_columns(&snapshot)),
                    Err(error) if error.is_damage() => wrong.push(format!("{after}: {error}")),
                    Err(error) => return Err(error),
                }
            }
        }
    }
}
