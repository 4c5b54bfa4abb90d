//! Expiry: seven days after it was shown an open item is over, with the audit trail kept.

use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::{CommitError, Refusal};
use dormouse_types::{TaskId, WorkspaceId};

use crate::set::error::DecideError;
use crate::set::service::{Changes, Who, age, refresh};
use crate::set::state::Event;

/// Items expired in one look.
const BATCH: i64 = 200;

impl Changes {
    /// Expires what is due about a task; says how many items that were.
    pub async fn expire(&self, ws: WorkspaceId, task: &TaskId) -> Result<usize, DecideError> {
        let due = self.clock.now() - age();
        let items = self.store.all(change_item::of_task(ws, task)).await?;
        let items: Vec<Item> = items
            .into_iter()
            .filter(|item| matches!(item.state, State::Pending | State::Deferred))
            .filter(|item| item.shown_at.is_some_and(|shown| shown <= due))
            .collect();
        self.expire_items(ws, &items).await?;
        Ok(items.len())
    }

    /// Expires what is due in any workspace; says how many items that were.
    pub async fn expire_due(&self) -> Result<usize, DecideError> {
        let due = self.clock.now() - age();
        let items = self.store.all(change_item::shown_by(due, BATCH)).await?;
        for (ws, item) in &items {
            self.expire_items(*ws, std::slice::from_ref(item)).await?;
        }
        Ok(items.len())
    }

    /// Expires items, each in a commit of its own; one that was decided meanwhile stays decided.
    pub(crate) async fn expire_items(
        &self,
        ws: WorkspaceId,
        items: &[Item],
    ) -> Result<(), DecideError> {
        let who = Who { ws, actor: "dormouse".into(), once: None };
        for item in items {
            let seen = self.seen(ws, &item.set, item.index).await?;
            if !matches!(seen.item.state, State::Pending | State::Deferred) {
                continue;
            }
            let now = self.clock.now();
            let mut ops = vec![self.settle(ws, &seen.item, Event::Expire, None, now)?];
            ops.extend(refresh(ws, &seen, State::Expired, now));
            match self.write("change.expire", &who, &seen, "change.expire", ops).await {
                Err(CommitError::Refused { refusal: Refusal::ItemMoved, .. }) => {}
                other => other?,
            }
        }
        Ok(())
    }
}
