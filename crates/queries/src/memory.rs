//! What an agent remembers: the lines of its log, and what older ones were folded into.

use dormouse_store::agent::{checkpoint, log_line};
use dormouse_types::{AgentId, HolderId, WorkspaceId};

use crate::error::QueryError;
use crate::view::{Checkpoint, MemoryLine, Page};
use crate::{Queries, page};

/// The most checkpoints that are shown: the newest ones.
const CHECKPOINTS: i64 = 50;

impl Queries {
    /// A page of the log of an agent, newest line first.
    ///
    /// Errors: no such agent; a cursor of another list.
    pub async fn memory(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<MemoryLine>, QueryError> {
        self.agent(ws, id).await?;
        let before = match cursor {
            None => i64::MAX,
            Some(text) => text.parse().map_err(|_| page::foreign_cursor(text))?,
        };
        let rows = log_line::before(ws, id, before, page::rows_to_read(limit));
        let lines = self.store.all(rows).await?.into_iter().map(|(line, run_key)| MemoryLine {
            n: line.n,
            text: line.text,
            run_key,
        });
        Ok(page::page_of(lines.collect(), limit, |line| line.n.to_string()))
    }

    /// What older lines of an agent's log were folded into, newest first.
    ///
    /// Errors: no such agent.
    pub async fn checkpoints(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<Checkpoint>, QueryError> {
        self.agent(ws, id).await?;
        let holder = HolderId::from(id);
        let found = self.store.all(checkpoint::of_holder(ws, &holder, CHECKPOINTS)).await?;
        let view = |found: checkpoint::CheckpointText| {
            let checkpoint = found.checkpoint;
            Checkpoint {
                n: checkpoint.n,
                audience: checkpoint.audience,
                kind: checkpoint.kind,
                from_line: checkpoint.from,
                upto_line: checkpoint.upto,
                depth: checkpoint.depth,
                model: checkpoint.model,
                text: found.text,
                run_key: checkpoint.run,
                created_at: checkpoint.created_at,
            }
        };
        Ok(found.into_iter().map(view).collect())
    }
}
