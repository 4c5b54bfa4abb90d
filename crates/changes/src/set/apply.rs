//! The second commit of an operation that spans both databases, and its recovery. The third is in
//! `conclude`.

use dormouse_journal::{
    Applied, Edit, EditCtx, EditError, Edited, Effect, JournalError, NewTask, OnceKey, RuleError,
    TaskView, state,
};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::saga::{self, OperationStatus};
use dormouse_store::{ChangeRow, Commit, CommitError, Db, Op, Policy, Refusal, receipt, retry};
use dormouse_types::{Actor, EventKind, OperationId, Origin, TaskId, WorkspaceId, hash};
use serde_json::Value;

use crate::group;

use crate::run_call::is_call;
use crate::set::conclude::{JournalOutcome, Written};
use crate::set::effective_state::{self, ChangedValue};
use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Round, Settled};
use crate::set::saga_payload::{SagaKind, SagaPayload};
use crate::set::service::Changes;
use crate::tool::{ItemTool, Refused};
use crate::tools;

/// Why the rule refuses to edit the journal.
#[derive(Debug, thiserror::Error)]
enum ApplyRefusal {
    /// The arguments are no longer valid.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// The task is deleted.
    #[error("the task is deleted")]
    Deleted,
    /// The person set the value after the proposal.
    #[error("the value was set after the proposal was made")]
    SetSince(ChangedValue),
}

/// Returns the edit that rejecting an item makes in the journal, if its tool makes one.
pub(crate) fn edit_of_rejection(item: &Item) -> Option<Edit> {
    let args = serde_json::from_str(&item.args).unwrap_or_default();
    tools::item(&item.tool)?.on_reject(&args)
}

impl Changes {
    /// Finishes an operation whose saga is open; does nothing if the saga is closed.
    pub(crate) async fn finish_operation(
        &self,
        ws: WorkspaceId,
        operation: &OperationId,
    ) -> Result<(), DecideError> {
        let open = self.store.all(saga::by_status(ws, OperationStatus::Pending)).await?;
        for saga in open {
            if is_call(&saga.payload) {
                continue;
            }
            let payload: SagaPayload = serde_json::from_str(&saga.payload)
                .map_err(|e| DecideError::Broken(format!("saga {}: {e}", saga.operation)))?;
            if saga.operation == *operation
                || self.load(ws, &payload.set, payload.index).await?.item.operation == *operation
            {
                self.finish(ws, &payload, &saga.operation, None, None).await?;
            }
        }
        Ok(())
    }

    /// Finishes an operation: first the journal, under the operation id, then the agent store.
    /// `seen` are its rows, if the caller knows them.
    ///
    /// There is no transaction across the two databases, so either commit may be repeated after a
    /// crash, or by two processes at once. The journal's receipt makes the first commit take effect
    /// once and replays its answer; the item's state and round guard the second.
    ///
    /// `task` is the task as the caller has just read it. The journal is written on top of it without
    /// another read, and the revision guard of the commit refuses it if it is no longer true.
    pub(crate) async fn finish(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        mut seen: Option<LoadedItem>,
        mut task: Option<TaskView>,
    ) -> Result<Settled, DecideError> {
        // A refusal means that another process advanced the saga. Re-read and retry; the journal
        // replays its receipt.
        retry(Policy::UntilSettled, &[Refusal::Stale], || {
            let (seen, task) = (seen.take(), task.take());
            async move {
                let seen = match seen {
                    Some(seen) => seen,
                    None => self.load(ws, &payload.set, payload.index).await?,
                };
                // Another process finished it, and its verdict was undone: the item's round is
                // not the one this operation is about.
                if seen.item.round != payload.round {
                    return Ok(Settled::new(seen, None));
                }
                self.finish_once(ws, payload, operation, &seen, task).await
            }
        })
        .await
    }

    /// Makes one attempt; fails with `Stale` if the decision thread moved meanwhile.
    async fn finish_once(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        seen: &LoadedItem,
        task: Option<TaskView>,
    ) -> Result<Settled, DecideError> {
        if payload.kind == SagaKind::Undo {
            return self.finish_undo(ws, payload, operation, seen).await;
        }
        let written = self.write_journal(ws, payload, seen, task).await?;
        let now = self.clock.now();
        let (after, ops, news) = match payload.kind {
            SagaKind::Confirm => {
                self.confirmed(ws, payload, operation, seen, &written, now).await?
            }
            SagaKind::Suppress | SagaKind::Undo => {
                self.suppressed(ws, payload, operation, seen, &written, now).await?
            }
        };
        let is_ours = self.close(ws, payload, ops, news).await?;
        let (task, at) = match written.answer {
            JournalOutcome::Done(edited) => {
                let at = edited.seq.filter(|_| !edited.replayed && !edited.what.is_empty());
                // A new task, or one that an item went to, is not the task of the proposal.
                (Some(edited.view).filter(|view| *view.id() == payload.task), at)
            }
            JournalOutcome::Never(_) => (None, None),
            JournalOutcome::Later(error) => {
                // A newer proposal for the field may have arrived while this one was being applied.
                self.keep_newest(ws, &payload.task).await?;
                match error {
                    // The rejection remains valid even if the label's task is deleted.
                    DecideError::TaskDeleted { .. } if payload.kind == SagaKind::Suppress => {
                        (None, None)
                    }
                    error => return Err(error),
                }
            }
        };
        let rows = match after.filter(|_| is_ours) {
            Some(rows) => rows,
            None => self.load(ws, &payload.set, payload.index).await?,
        };
        Ok(Settled { written: at, ..Settled::new(rows, task) })
    }

    /// Writes the last commit of an operation.
    ///
    /// Returns `false` if another process has already finished the same operation (`ItemMoved`),
    /// which counts as success; the rows are then as that process left them. `Stale` means that the
    /// decision thread moved: the operation is retried on fresh rows.
    pub(crate) async fn close(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        ops: Vec<Op>,
        news: Vec<ChangeRow>,
    ) -> Result<bool, DecideError> {
        let origin = Origin::Person { via: Some(payload.proposer.clone()) };
        let commit = Commit::new("change.conclude", Db::Agent, ws).ops(ops).changes(news).change(
            ChangeRow::agent(
                origin,
                EventKind::ChangeSetItem,
                Some(payload.task.clone()),
                payload.set.to_string(),
            ),
        );
        match self.store.commit(commit).await {
            Ok(_) => Ok(true),
            Err(CommitError::Refused { refusal: Refusal::ItemMoved, .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Returns the context of the journal commit, audited as the person who decided.
    pub(crate) fn ctx(payload: &SagaPayload, operation: &OperationId) -> EditCtx {
        let origin = Origin::Person { via: Some(payload.proposer.clone()) };
        let mut ctx = EditCtx::new(origin, payload.actor.clone().unwrap_or(Actor::Owner));
        ctx.depth = payload.depth;
        ctx.once =
            Some(OnceKey { id: operation.to_string(), request: hash::sha256(operation.as_str()) });
        ctx
    }

    /// Writes the journal for an item, once per round.
    ///
    /// A receipt under the round's operation id is normally the answer to an earlier attempt and is
    /// used as it is. The exception is an agent store restored from an older copy: the journal may
    /// hold verdicts that this store has forgotten. If such a verdict was undone, or the person has
    /// since replaced its value, its receipt says nothing about the present value. The journal is
    /// then written under the next round, which the item would have reached without the restore.
    async fn write_journal(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        seen: &LoadedItem,
        mut task: Option<TaskView>,
    ) -> Result<Written, DecideError> {
        let mut round = Round::of(&seen.item);
        loop {
            let operation = payload.operation(&round.operation);
            let answer = match payload.kind {
                SagaKind::Suppress => {
                    self.suppress(ws, payload, &operation, &seen.item, task.take()).await?
                }
                SagaKind::Confirm | SagaKind::Undo => {
                    self.apply(ws, payload, &operation, &seen.item, task.take()).await?
                }
            };
            let is_replayed = matches!(&answer, JournalOutcome::Done(edited) if edited.replayed);
            if !is_replayed || !self.is_forgotten(ws, payload, &round, &seen.item).await? {
                return Ok(Written { answer, round });
            }
            round = round.next(seen);
        }
    }

    /// Returns whether the journal's effect in a round belongs to a verdict that the agent store
    /// has forgotten and that no longer holds.
    ///
    /// A verdict is not forgotten if another process finished this operation meanwhile, and a
    /// person has undone it or set the value since: then there is nothing left to write.
    async fn is_forgotten(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        round: &Round,
        item: &Item,
    ) -> Result<bool, DecideError> {
        if self.is_of_another_group(ws, round, item).await? {
            return Ok(true);
        }
        let undo = SagaPayload { kind: SagaKind::Undo, ..payload.clone() };
        let undo = undo.operation(&round.operation);
        if self.store.first(receipt::by_id(Db::Journal, ws, undo.as_str())).await?.is_some() {
            return self.is_unknown(ws, &undo).await;
        }
        let Some(over) = &payload.over else { return Ok(false) };
        let task = self.task_of(ws, &payload.task).await?;
        let found =
            task.and_then(|view| effective_state::set_since(item, &state(&view, &self.zone.get())));
        Ok(found.is_some_and(|found| found.is_known(Some(over)))
            && self.load(ws, &payload.set, payload.index).await?.item.state == item.state)
    }

    /// Returns whether the agent store holds no saga of an operation that the journal has applied.
    ///
    /// A saga is opened before the journal is written and is kept, so an applied operation without
    /// one was decided after the copy was made from which the agent store was restored. Read it
    /// after the receipt: an operation that another process is finishing then has its saga.
    pub(crate) async fn is_unknown(
        &self,
        ws: WorkspaceId,
        operation: &OperationId,
    ) -> Result<bool, DecideError> {
        let status = self.store.first(saga::status_of(ws, operation)).await?;
        // A saga closed as failed left nothing in the journal; a later attempt did.
        Ok(status.is_none_or(|status| status == OperationStatus::Failed))
    }

    async fn apply(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        item: &Item,
        seen: Option<TaskView>,
    ) -> Result<JournalOutcome, DecideError> {
        let Some(tool) = tools::item(&item.tool) else {
            return Ok(JournalOutcome::Never(format!("this version has no tool {}", item.tool)));
        };
        let mut args: Value = serde_json::from_str(&item.args)
            .map_err(|e| DecideError::Broken(format!("arguments of {}: {e}", item.set)))?;
        let ctx = Self::ctx(payload, operation);
        if let Some(title) = tool.creates(&args) {
            let args = tool.created_on(&args, self.clock.now().day_in(&self.zone.get()));
            return self.create(ws, payload, (tool, &args, title), &ctx).await;
        }
        let parent = group::parent_of(item);
        if let Some(parent) = parent {
            match self.made_by(ws, item, parent).await? {
                Ok(task) => args["to"] = task.to_string().into(),
                Err(later) => return Ok(JournalOutcome::Later(later)),
            }
        }
        let rule = |view: &TaskView| {
            let task = state(view, &self.zone.get());
            match effective_state::set_since(item, &task) {
                Some(found) if !found.is_known(payload.over.as_ref()) => {
                    Err(ApplyRefusal::SetSince(found))
                }
                Some(_) | None => Ok(tool.check(&args, &task)?.edits),
            }
        };
        let edited = self.journal.edit_seen(ws, &payload.task, seen, &ctx, &rule).await;
        Ok(match classify(payload, edited)? {
            // What it belongs to is confirmed: it stays open with its reason, for the person to try
            // again once that reason is gone.
            JournalOutcome::Never(reason) if parent.is_some() => {
                let (set, index) = (payload.set.clone(), payload.index);
                JournalOutcome::Later(DecideError::NotApplied { set, index, reason })
            }
            outcome => outcome,
        })
    }

    /// Creates the task that an item proposes.
    async fn create(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        (tool, args, title): (&'static dyn ItemTool, &Value, String),
        ctx: &EditCtx,
    ) -> Result<JournalOutcome, DecideError> {
        let rule = |view: &TaskView| {
            if view.deleted_at().is_some() {
                return Err(ApplyRefusal::Deleted);
            }
            let edits = tool.check(args, &state(view, &self.zone.get()))?.edits;
            Ok(NewTask { title: title.clone(), edits })
        };
        classify(payload, self.journal.create_follow_up(ws, &payload.task, ctx, rule).await)
    }

    /// Returns the task that an item of the same set made, from its receipt; or why there is none.
    async fn made_by(
        &self,
        ws: WorkspaceId,
        item: &Item,
        parent: i64,
    ) -> Result<Result<TaskId, DecideError>, DecideError> {
        let (set, index) = (item.set.clone(), item.index);
        let Some(parent) = self.store.first(change_item::by_index(ws, &set, parent)).await? else {
            let reason = format!("there is no proposal {parent} in its set");
            return Ok(Err(DecideError::NotApplied { set, index, reason }));
        };
        if parent.state != State::Confirmed {
            return Ok(Err(DecideError::parent_first(item, &parent)));
        }
        let applied = self.journal.applied(ws, &parent.operation).await?;
        match applied.filter(Applied::made_task) {
            Some(applied) => Ok(Ok(applied.task)),
            None => {
                let reason = format!("the task of proposal {} is not there", parent.index);
                Ok(Err(DecideError::NotApplied { set, index, reason }))
            }
        }
    }

    /// Returns whether what the journal holds of an item of a group went to another task than its group
    /// has now made: the group was undone and confirmed again, and the agent store has forgotten it.
    async fn is_of_another_group(
        &self,
        ws: WorkspaceId,
        round: &Round,
        item: &Item,
    ) -> Result<bool, DecideError> {
        let Some(parent) = group::parent_of(item) else { return Ok(false) };
        let Ok(now) = self.made_by(ws, item, parent).await? else { return Ok(false) };
        let then = self.effects(ws, &round.operation).await?.unwrap_or_default();
        Ok(!then.iter().all(|effect| match effect {
            Effect::ItemTask { to, .. } => *to == now,
            Effect::Link { other, .. } => *other == now,
            _ => true,
        }))
    }

    async fn suppress(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        item: &Item,
        seen: Option<TaskView>,
    ) -> Result<JournalOutcome, DecideError> {
        let Some(edit) = edit_of_rejection(item) else {
            return Ok(JournalOutcome::Never(format!(
                "{} keeps nothing of a rejection",
                item.tool
            )));
        };
        let ctx = Self::ctx(payload, operation);
        let rule = |_: &TaskView| Ok::<_, ApplyRefusal>(vec![edit.clone()]);
        classify(payload, self.journal.edit_seen(ws, &payload.task, seen, &ctx, &rule).await)
    }

    /// Reads the effects of an operation from the journal's receipt.
    pub(crate) async fn effects(
        &self,
        ws: WorkspaceId,
        operation: &OperationId,
    ) -> Result<Option<Vec<dormouse_journal::Effect>>, DecideError> {
        let receipt = self.store.first(receipt::by_id(Db::Journal, ws, operation.as_str())).await?;
        let Some(effects) = receipt.and_then(|receipt| receipt.effects) else { return Ok(None) };
        serde_json::from_str(&effects)
            .map(Some)
            .map_err(|e| DecideError::Broken(format!("receipt of {operation}: {e}")))
    }
}

/// Separates errors that can never succeed from those that may succeed later.
fn classify(
    payload: &SagaPayload,
    result: Result<Edited, RuleError<ApplyRefusal>>,
) -> Result<JournalOutcome, DecideError> {
    let (set, index) = (payload.set.clone(), payload.index);
    match result {
        Ok(edited) => Ok(JournalOutcome::Done(Box::new(edited))),
        Err(RuleError::Rule(ApplyRefusal::Refused(refused))) => {
            Ok(JournalOutcome::Never(refused.to_string()))
        }
        Err(RuleError::Rule(ApplyRefusal::Deleted)) => {
            let task = payload.task.clone();
            Ok(JournalOutcome::Later(DecideError::TaskDeleted { task }))
        }
        Err(RuleError::Rule(ApplyRefusal::SetSince(found))) => {
            let (now, current) = (found.words(), found.value);
            Ok(JournalOutcome::Later(DecideError::ValueChanged { set, index, now, current }))
        }
        Err(RuleError::Journal(error)) => match error {
            // The proposals are open again once the task is restored.
            JournalError::Edit(EditError::Deleted { task }) => {
                Ok(JournalOutcome::Later(DecideError::TaskDeleted { task }))
            }
            JournalError::Edit(_) | JournalError::NoTask { .. } => {
                Ok(JournalOutcome::Never(error.to_string()))
            }
            JournalError::Conflict { .. } => {
                Ok(JournalOutcome::Later(DecideError::Busy { set, index }))
            }
            other => Err(other.into()),
        },
    }
}
