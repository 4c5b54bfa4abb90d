//! Folded lines in the search index: in the commit that folds them, and those of earlier versions
//! afterwards.

use dormouse_runs::request;
use dormouse_store::agent::log_line::Line;
use dormouse_store::agent::memory_index::{self, Backlog};
use dormouse_store::agent::{checkpoint, log_line};
use dormouse_store::{Commit, Db, Op, Refusal};
use dormouse_types::{HolderId, Timestamp, WorkspaceId};

use crate::{AgentError, Agents};

/// The most lines that are added in one commit, so that other writers are not held up.
const LINES: i64 = 200;

/// The most commits of one sweep.
const COMMITS: usize = 20;

/// The most checkpoints of one log that are added afterwards: the newest ones. Older ones are folded
/// into them.
const CHECKPOINTS: i64 = 200;

/// Returns the ops that add lines to the index. `now` replaces the time of a line whose run is
/// not known.
pub fn lines(
    ws: WorkspaceId,
    holder: &HolderId,
    lines: &[(Line, Option<Timestamp>)],
    now: Timestamp,
) -> Vec<Op> {
    let op = |(line, at): &(Line, Option<Timestamp>)| {
        // A line that was removed, or whose text was purged, is not found.
        let text = line.text.as_deref().filter(|_| line.removed_at.is_none())?;
        let words_of = request::unfenced(text);
        Some(memory_index::put_line(ws, holder, line, at.unwrap_or(now), words_of))
    };
    lines.iter().filter_map(op).collect()
}

impl Agents {
    /// Adds lines to the index that were folded before there was one.
    ///
    /// Each commit adds some lines and says where the next one begins, so a crash costs nothing.
    pub(crate) async fn index_backlog(&self) -> Result<(), AgentError> {
        for _ in 0..COMMITS {
            let Some(backlog) = self.store.first(memory_index::backlog()).await? else {
                return Ok(());
            };
            let commit = self.index_some(&backlog).await?;
            match self.store.commit(commit).await {
                // Another node was faster.
                Err(error) if error.refusal() == Some(Refusal::Exists) => return Ok(()),
                committed => committed?,
            };
        }
        Ok(())
    }

    async fn index_some(&self, backlog: &Backlog) -> Result<Commit, AgentError> {
        let Backlog { ws, holder, next, upto } = backlog;
        let last = next.saturating_add(LINES - 1).min(*upto);
        let some = self.store.all(log_line::dated(*ws, holder, *next, last)).await?;
        let mut ops = lines(*ws, holder, &some, self.clock.now());
        if last == *upto {
            let checkpoints = checkpoint::of_holder(*ws, holder, CHECKPOINTS);
            // A later summary has the words of the earlier ones of its audience.
            let mut audiences = Vec::new();
            for found in self.store.all(checkpoints).await? {
                let Some(body) = found.text.as_deref() else { continue };
                if audiences.contains(&found.checkpoint.audience) {
                    continue;
                }
                audiences.push(found.checkpoint.audience.clone());
                ops.push(memory_index::put_checkpoint(*ws, holder, &found.checkpoint, body));
            }
        }
        ops.push(memory_index::advance(backlog, last + 1));
        Ok(Commit::new("memory.index", Db::Agent, *ws).ops(ops))
    }
}
