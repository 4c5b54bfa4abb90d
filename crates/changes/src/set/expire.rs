//! Ends open items without a decision: they expired, or they are stale. The audit trail is kept.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_journal::{TaskReviewState, state};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::ChangeSet;
use dormouse_store::agent::entity;
use dormouse_store::{CommitError, Refusal};
use dormouse_types::audit::AuditAction;
use dormouse_types::{Actor, ChangeSetId, RunKey, TaskId, Timestamp, WorkspaceId};

use crate::group;
use crate::set::effective_state::{self, EffectiveState};
use crate::set::error::DecideError;
use crate::set::rows::transitioned;
use crate::set::service::{Changes, Decider};
use crate::set::state::Event;
use crate::set::supersede;

/// Reason given when the person set the field of an open proposal.
pub const OVERTAKEN: &str = "you set this yourself after the text it is based on was written";

/// Items read in one sweep.
const BATCH: i64 = 200;

/// An open proposal that has become outdated.
#[derive(Debug, Clone)]
pub struct Stale {
    /// The proposal as it was read.
    pub item: Item,
    /// How it ends.
    pub event: Event,
    /// Why, for the person; `None` if its time passed.
    pub why: Option<&'static str>,
}

impl Stale {
    /// Returns the proposal as it will be once it has been ended.
    pub fn ended(self, now: Timestamp) -> Item {
        let state = if self.event == Event::Expire { State::Expired } else { State::Retracted };
        Item { state, decided_at: Some(now), ..self.item }
    }
}

impl Changes {
    /// Ends the outdated proposals of a task before its agent reads it, and returns how many there
    /// were; see [`Changes::stale`].
    pub async fn withdraw_stale(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<usize, DecideError> {
        let ended = self.stale(ws, task).await?;
        for Stale { item, event, why } in &ended {
            self.end_items(ws, std::slice::from_ref(item), *event, *why).await?;
        }
        Ok(ended.len())
    }

    /// Returns the outdated proposals of a task: expired ones, those whose field the person set
    /// after the evidence was written, those that no longer hold, and all but the newest proposal
    /// for a field.
    pub async fn stale(&self, ws: WorkspaceId, task: &TaskId) -> Result<Vec<Stale>, DecideError> {
        let mut open = self.store.all(change_item::of_task(ws, task)).await?;
        open.retain(|item| matches!(item.state, State::Pending | State::Deferred));
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.task_of(ws, task).await?;
        let state = found.as_ref().map(|view| state(view, &self.zone.get()));
        let (view, now) = (found.as_ref().map(TaskReviewState::of), self.clock.now());
        let (mut ended, mut rest) = (Vec::new(), Vec::new());
        let retracted = |item, why| Stale { item, event: Event::Retract, why: Some(why) };
        for item in open {
            let stale =
                || state.as_ref().and_then(|task| effective_state::no_longer_holds(&item, task));
            match effective_state::of(&item, view.as_ref(), now) {
                EffectiveState::Expired => {
                    ended.push(Stale { item, event: Event::Expire, why: None })
                }
                EffectiveState::Overtaken => ended.push(retracted(item, OVERTAKEN)),
                EffectiveState::Waits
                | EffectiveState::PutOff
                | EffectiveState::Paused(_)
                | EffectiveState::Over => match stale() {
                    Some(why) => ended.push(retracted(item, why)),
                    None => rest.push(item),
                },
            }
        }
        let older = supersede::older(&rest).into_iter().cloned();
        ended.extend(older.map(|item| retracted(item, supersede::REASON)));
        Ok(ended)
    }

    /// Withdraws the open proposals about a task that a run made.
    pub async fn withdraw_of_run(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        run: &RunKey,
        why: &str,
    ) -> Result<(), DecideError> {
        let sets = self.store.all(entity::of_task::<ChangeSet>(ws, task)).await?;
        let sets = sets.into_iter().map(|stored| stored.doc.value);
        let sets: BTreeSet<ChangeSetId> =
            sets.filter(|set| set.run_key == run.as_str()).map(|set| set.id).collect();
        let mut items = self.store.all(change_item::of_task(ws, task)).await?;
        items.retain(|item| sets.contains(&item.set));
        self.end_items(ws, &items, Event::Retract, Some(why)).await
    }

    /// Withdraws all but the newest open proposal for each field of a task; returns how many.
    ///
    /// A turn and an undo each read before they commit, so two proposals for one field may end up
    /// open. Both call this after their commit; the later of them sees both proposals.
    pub async fn keep_newest(&self, ws: WorkspaceId, task: &TaskId) -> Result<usize, DecideError> {
        let items = self.store.all(change_item::of_task(ws, task)).await?;
        let older: Vec<Item> = supersede::older(&items).into_iter().cloned().collect();
        self.end_items(ws, &older, Event::Retract, Some(supersede::REASON)).await?;
        Ok(older.len())
    }

    /// Expires overdue items in all workspaces and returns how many. One call reads one batch; the
    /// next call continues after it.
    ///
    /// Errors: the first item that cannot be read or ended; all others of the batch are.
    pub async fn expire_due(&self) -> Result<usize, DecideError> {
        let now = self.clock.now();
        let shown_by = now - effective_state::WEEK;
        let after = self.sweep_cursor().clone();
        let rows = self.store.each(change_item::shown_by(shown_by, after.as_ref(), BATCH)).await?;
        let is_last = i64::try_from(rows.len()).is_ok_and(|n| n < BATCH);
        let mut failed: Option<DecideError> = None;
        let mut page = Vec::new();
        for row in rows {
            match row {
                Ok(item) => page.push(item),
                Err(error) => failed = failed.or(Some(error.into())),
            }
        }
        *self.sweep_cursor() = page.last().filter(|_| !is_last).map(|(ws, item)| {
            (item.shown_at.unwrap_or(shown_by), *ws, item.set.clone(), item.index)
        });
        let mut tasks: BTreeMap<WorkspaceId, BTreeSet<TaskId>> = BTreeMap::new();
        for (ws, item) in &page {
            tasks.entry(*ws).or_default().insert(item.task.clone());
        }
        let mut review_states = BTreeMap::new();
        for (ws, tasks) in tasks {
            let tasks: Vec<TaskId> = tasks.into_iter().collect();
            review_states.insert(ws, self.journal.review_states(ws, &tasks).await?);
        }
        let mut n_expired = 0;
        for (ws, item) in &page {
            let task = review_states.get(ws).and_then(|of_ws| of_ws.get(&item.task));
            if effective_state::of(item, task, now) == EffectiveState::Expired {
                match self.end_items(*ws, std::slice::from_ref(item), Event::Expire, None).await {
                    Ok(_) => n_expired += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(n_expired), Err)
    }

    /// Ends items, each in its own commit; an item that was decided meanwhile keeps its verdict.
    pub(crate) async fn end_items(
        &self,
        ws: WorkspaceId,
        items: &[Item],
        event: Event,
        why: Option<&str>,
    ) -> Result<(), DecideError> {
        let who = Decider { ws, actor: Actor::Program, once: None, task: None };
        let (label, action, to) = match event {
            Event::Retract => ("change.retract", AuditAction::ChangeRetract, State::Retracted),
            _ => ("change.expire", AuditAction::ChangeExpire, State::Expired),
        };
        for item in items {
            let seen = self.load(ws, &item.set, item.index).await?;
            if !matches!(seen.item.state, State::Pending | State::Deferred)
                || seen.item.round != item.round
            {
                continue;
            }
            let now = self.clock.now();
            let mut ops = vec![self.transition(ws, &seen.item, event, why, None, now)?];
            let mut others = Vec::new();
            for child in group::open_children(&seen.items, &seen.item) {
                let why = why.map(|_| group::ended_with(&seen.item));
                ops.push(self.transition(ws, &child, event, why.as_deref(), None, now)?);
                others.push(transitioned(&child, to, why.as_deref(), now));
            }
            let ended = transitioned(&seen.item, to, why, now);
            ops.extend(seen.moved_with(ws, ended, &others, now).1);
            match self.write(label, &who, &seen, action, ops).await {
                Err(CommitError::Refused { refusal: Refusal::ItemMoved, .. }) => {}
                other => other?,
            }
        }
        Ok(())
    }
}
