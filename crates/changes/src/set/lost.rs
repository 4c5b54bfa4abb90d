//! Confirms that the journal has lost because it was restored from an older copy.

use std::collections::BTreeSet;

use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::{CommitError, Db, ReadError, Refusal, in_list, receipt};
use dormouse_types::audit::AuditAction;
use dormouse_types::{Actor, IdError, WorkspaceId};

use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Round, reopened};
use crate::set::service::{Changes, Decider};

/// What came of the confirms that an older journal has lost.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReopenedItems {
    /// How many wait for the person again.
    pub n: usize,
    /// Which others stay as they are, each with what about it cannot be read.
    pub unreadable: Vec<String>,
}

impl Changes {
    /// Reopens every confirmed item whose receipt is missing from the journal. The person can decide
    /// again instead of reading "confirmed" next to a value that is gone. One that cannot be read
    /// keeps no other closed.
    pub async fn reopen_lost(&self, ws: WorkspaceId) -> Result<ReopenedItems, DecideError> {
        let who = Decider { ws, actor: Actor::Program, once: None, task: None };
        let limit = i64::try_from(in_list::MOST).unwrap_or(i64::MAX);
        let mut after = (String::new(), -1);
        let mut reopened = ReopenedItems::default();
        loop {
            let page = change_item::confirmed_after(ws, (&after.0, after.1), limit);
            let items = self.store.all(page).await?;
            let Some((set, index, _)) = items.last() else { return Ok(reopened) };
            after = (set.clone(), *index);
            let ids: Vec<String> = items.iter().map(|(_, _, id)| id.clone()).collect();
            let known = self.store.all(receipt::known(Db::Journal, ws, &ids)).await?;
            let known: BTreeSet<String> = known.into_iter().collect();
            for (set, index, _) in items.into_iter().filter(|(_, _, id)| !known.contains(id)) {
                match self.reopen_if_lost(&who, &set, index).await {
                    Ok(is_reopened) => reopened.n += usize::from(is_reopened),
                    Err(DecideError::Read(error @ ReadError::Corrupt { .. })) => {
                        reopened.unreadable.push(format!("{set}:{index}: {error}"));
                    }
                    Err(error) => return Err(error),
                }
            }
        }
    }

    async fn reopen_if_lost(
        &self,
        who: &Decider,
        set: &str,
        index: i64,
    ) -> Result<bool, DecideError> {
        let set = set.parse().map_err(|e: IdError| {
            DecideError::Read(ReadError::Corrupt {
                db: "agent",
                noun: "change item",
                id: set.to_owned(),
                detail: e.to_string(),
            })
        })?;
        let seen = self.load(who.ws, &set, index).await?;
        // A task that is missing from the older journal cannot take a value.
        match self.task_of(who.ws, &seen.item.task).await? {
            Some(_) => self.reopen_lost_item(who, &seen).await,
            None => Ok(false),
        }
    }

    /// Returns whether an item is confirmed but the journal has no receipt for it.
    pub(crate) async fn is_lost(&self, ws: WorkspaceId, item: &Item) -> Result<bool, DecideError> {
        if item.state != State::Confirmed {
            return Ok(false);
        }
        let receipt = receipt::by_id(Db::Journal, ws, item.operation.as_str());
        Ok(self.store.first(receipt).await?.is_none())
    }

    /// Reopens a lost item; returns `false` if another process moved it first.
    ///
    /// The item gets the next round, hence a new operation id, so a new confirm cannot be answered
    /// by a receipt of the lost one.
    pub(crate) async fn reopen_lost_item(
        &self,
        who: &Decider,
        seen: &LoadedItem,
    ) -> Result<bool, DecideError> {
        let now = self.clock.now();
        let next = Round::of(&seen.item).next(seen);
        let Round { number, operation } = &next;
        let mut ops = vec![change_item::reopen(who.ws, &seen.item, *number, operation, now)];
        if let Some(decision) = self.current_decision(who.ws, &seen.item).await? {
            ops.extend(self.mark_undone(who.ws, &decision.doc.value.id, now).await?);
        }
        ops.extend(seen.moved(who.ws, reopened(&seen.item, &next, now), now).1);
        // The request's own receipt is written with the verdict, not here.
        let who = Decider { once: None, ..who.clone() };
        match self.write("change.undo", &who, seen, AuditAction::ChangeReopen, ops).await {
            Ok(()) => {}
            Err(CommitError::Refused { refusal: Refusal::ItemMoved, .. }) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        self.keep_newest(who.ws, &seen.item.task).await?;
        Ok(true)
    }
}
