//! Undoing a verdict, including what it wrote to the journal.

use dormouse_journal::{
    Applied, EditCtx, Edited, Effect, JournalError, RuleError, TaskReviewState, TaskView, follow_up,
};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::saga::{self, OperationStatus, Phase};
use dormouse_store::{ChangeRow, CommitError, Op, Refusal};
use dormouse_types::audit::AuditAction;
use dormouse_types::{ChangeSetId, Fingerprint, OperationId, Timestamp, WorkspaceId};

use crate::delegate::Answer;
use crate::group;
use crate::set::decide::ensure_digest;
use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Round, Settled, reopened, transitioned};
use crate::set::saga_payload::{SagaKind, SagaPayload};
use crate::set::service::{Changes, Decider};
use crate::set::supersede;
use crate::tools;

impl Changes {
    /// Undoes the verdict on an item: its value is restored, its lesson is forgotten, and the item
    /// is open again for seven days.
    ///
    /// Errors: the field no longer has the value that was set; there is no verdict.
    pub async fn undo(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
    ) -> Result<Settled, DecideError> {
        let seen = self.load_for(who, set, index).await?;
        ensure_digest(&seen.item, digest)?;
        if seen.item.state == State::Applying {
            self.finish_operation(who.ws, &seen.item.operation).await?;
            return Err(DecideError::Busy { set: set.clone(), index });
        }
        let Some(decision) = self.current_decision(who.ws, &seen.item).await? else {
            return Err(nothing_to_undo(&seen.item));
        };
        let decision = decision.doc.value;
        if seen.item.state == State::Deferred {
            return self.undo_deferral(who, &seen, &decision).await;
        }
        if !matches!(seen.item.state, State::Confirmed | State::Rejected) {
            return Err(nothing_to_undo(&seen.item));
        }
        self.ensure_group_allows(who.ws, &seen).await?;
        let payload = SagaPayload {
            kind: SagaKind::Undo,
            set: set.clone(),
            index,
            round: seen.item.round,
            decision: decision.id.clone(),
            task: seen.item.task.clone(),
            proposer: seen.item.proposer.clone(),
            actor: Some(who.actor.clone()),
            depth: self.depth_of(who.ws, &seen.item).await?,
            over: None,
        };
        let now = self.clock.now();
        // The item keeps its state until the journal has been restored. Only the open saga marks
        // the undo, so after a crash either the verdict is intact or recovery finishes the undo.
        let ops =
            vec![change_item::expect_unmoved(who.ws, &seen.item), payload.open(who.ws, &seen, now)];
        match self.write("change.undo", who, &seen, AuditAction::ChangeUndo, ops).await {
            Err(CommitError::Refused { refusal: Refusal::Exists | Refusal::ItemMoved, .. }) => {
                return Err(DecideError::Busy { set: set.clone(), index });
            }
            other => other?,
        }
        let operation = payload.operation(&seen.item.operation);
        self.finish(who.ws, &payload, &operation, Some(seen), None).await
    }

    /// Refuses to undo one item of a group against the others.
    ///
    /// Errors: what it belongs to is rejected, so it could not be confirmed; an item that belongs to it
    /// is being applied.
    async fn ensure_group_allows(
        &self,
        ws: WorkspaceId,
        seen: &LoadedItem,
    ) -> Result<(), DecideError> {
        let item = &seen.item;
        let parent =
            group::parent_of(item).and_then(|at| seen.items.iter().find(|it| it.index == at));
        if let Some(parent) = parent.filter(|parent| parent.state == State::Rejected) {
            return Err(DecideError::parent_first(item, parent));
        }
        for child in group::children(&seen.items, item) {
            if child.state == State::Applying {
                self.finish_operation(ws, &child.operation).await?;
                return Err(DecideError::Busy { set: item.set.clone(), index: item.index });
            }
        }
        Ok(())
    }

    /// Reopens a deferred item; the journal was never written for it.
    async fn undo_deferral(
        &self,
        who: &Decider,
        seen: &LoadedItem,
        decision: &Decision,
    ) -> Result<Settled, DecideError> {
        let now = self.clock.now();
        let next = Round::of(&seen.item).next(seen);
        let Round { number, operation } = &next;
        let mut ops = vec![change_item::reopen(who.ws, &seen.item, *number, operation, now)];
        ops.extend(self.mark_undone(who.ws, &decision.id, now).await?);
        let (after, more) = seen.moved(who.ws, reopened(&seen.item, &next, now), now);
        ops.extend(more);
        self.write("change.undo", who, seen, AuditAction::ChangeUndo, ops).await?;
        Ok(Settled::new(after, None))
    }

    /// Performs the second and third commit of an undo.
    ///
    /// The journal goes first: it refuses if the field has changed since, and then only the saga is
    /// closed and the verdict stays. Otherwise one commit reopens the item under its next round,
    /// marks the decision as undone and closes the saga. The new round gives the item a new
    /// operation id, so it can be confirmed again.
    pub(crate) async fn finish_undo(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        seen: &LoadedItem,
    ) -> Result<Settled, DecideError> {
        let (taken_back, news) = match self.taken_back(ws, payload, operation, seen).await? {
            Ok(written) => written,
            Err(reason) => {
                let (set, index) = (payload.set.clone(), payload.index);
                return Err(DecideError::Begun { set, index, reason });
            }
        };
        let (undone, round) = self.undo_in_journal(ws, payload, seen).await?;
        let now = self.clock.now();
        let task = match undone {
            Ok(task) => task,
            Err(error) => {
                let text = error.to_string();
                let why = Some(text.as_str());
                let close =
                    saga::close(ws, operation, Phase::AgentDone, OperationStatus::Failed, why, now);
                self.close(ws, payload, vec![close], Vec::new()).await?;
                return match error {
                    JournalError::Changed(source) => Err(DecideError::Changed {
                        set: payload.set.clone(),
                        index: payload.index,
                        source,
                    }),
                    other => Err(other.into()),
                };
            }
        };
        let done =
            saga::close(ws, operation, Phase::AgentDone, OperationStatus::Completed, None, now);
        let undone = self.mark_undone(ws, &payload.decision, now).await?;
        let next = round.next(seen);
        let all = self.store.all(change_item::of_task(ws, &payload.task)).await?;
        let (group_ops, others) = self.reopened_with(ws, seen, &all, now).await?;
        let mut open = all.iter().filter(|other| other.state.is_open());
        let why = if open.clone().any(|other| other.fingerprint == seen.item.fingerprint) {
            Some("proposed again")
        } else if open.any(|other| supersede::is_same_field(other, &seen.item)) {
            Some("a newer proposal is open")
        } else {
            None
        };
        // Only one proposal per field may be open; one made meanwhile takes precedence.
        let (op, item) = match why {
            Some(_) => {
                let to = State::Retracted;
                let op = change_item::transition(ws, &seen.item, to, why, None, now);
                (op, transitioned(&seen.item, to, why, now))
            }
            None => {
                // This undo itself set the field, which must not count as the person overtaking the
                // item.
                let read = match &task {
                    Some(_) => None,
                    None => self.task_of(ws, &seen.item.task).await?,
                };
                let last_set_at = stated_at(task.as_ref().or(read.as_ref()), &seen.item);
                let opened_at = last_set_at.map_or(now, |last_set_at| last_set_at.max(now));
                let Round { number, operation } = &next;
                let op = change_item::reopen(ws, &seen.item, *number, operation, opened_at);
                (op, reopened(&seen.item, &next, opened_at))
            }
        };
        let mut ops = vec![op, done];
        ops.extend(taken_back);
        ops.extend(undone);
        ops.extend(group_ops);
        let (after, more) = seen.moved_with(ws, item, &others, now);
        ops.extend(more);
        let is_ours = self.close(ws, payload, ops, news).await?;
        // A turn may have proposed another value since the items were read.
        let n_withdrawn = self.keep_newest(ws, &payload.task).await?;
        let rows = if is_ours && n_withdrawn == 0 {
            after
        } else {
            self.load(ws, &payload.set, payload.index).await?
        };
        Ok(Settled::new(rows, task))
    }

    /// Returns what opens the items of a group again with the one that they belong to: those that were
    /// applied with it, or rejected with it.
    async fn reopened_with(
        &self,
        ws: WorkspaceId,
        seen: &LoadedItem,
        all: &[Item],
        now: Timestamp,
    ) -> Result<(Vec<Op>, Vec<Item>), DecideError> {
        let (mut ops, mut after) = (Vec::new(), Vec::new());
        for child in group::children(&seen.items, &seen.item) {
            if child.state != seen.item.state {
                continue;
            }
            let Some(decision) = self.current_decision(ws, child).await? else { continue };
            let decision = decision.doc.value;
            if child.state == State::Rejected && decision.with_item != Some(seen.item.index) {
                continue;
            }
            let of_child = seen.about(child);
            let is_open = |other: &&Item| other.state.is_open();
            if all.iter().filter(is_open).any(|other| other.fingerprint == child.fingerprint) {
                let (to, why) = (State::Retracted, Some("proposed again"));
                ops.push(change_item::transition(ws, child, to, why, None, now));
                after.push(transitioned(child, to, why, now));
            } else {
                let next = Round::of(child).next(&of_child);
                let Round { number, operation } = &next;
                ops.push(change_item::reopen(ws, child, *number, operation, now));
                after.push(reopened(child, &next, now));
            }
            ops.extend(self.mark_undone(ws, &decision.id, now).await?);
        }
        Ok((ops, after))
    }

    /// Undoes the journal's effects of an item, in the task that has them. Of a task that it made, what the
    /// items of its group put there is undone first, in the same commit: all of it, or nothing.
    async fn undo_effects(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        (seen, round): (&LoadedItem, &Round),
        effects: Vec<Effect>,
        ctx: &EditCtx,
    ) -> Result<Edited, JournalError> {
        let args = serde_json::from_str(&seen.item.args).unwrap_or_default();
        let title = tools::item(&seen.item.tool).and_then(|tool| tool.creates(&args));
        let applied = match (title.is_some(), seen.item.state) {
            (true, State::Confirmed) => self.journal.applied(ws, &round.operation).await?,
            (_, _) => None,
        };
        let Some((title, applied)) = title.zip(applied) else {
            let moved = Applied { task: payload.task.clone(), effects };
            return self.journal.undo(ws, moved.is_in(), &moved.effects, ctx).await;
        };
        let mut all = effects;
        for child in group::children(&seen.items, &seen.item) {
            if child.state == State::Confirmed
                && let Some(more) = self.journal.applied(ws, &child.operation).await?
            {
                all.extend(more.effects);
            }
        }
        let rule = |view: &TaskView| {
            follow_up::holds_only(view, &title, &all)?;
            dormouse_journal::undo(view, &all)
        };
        match self.journal.edit_with(ws, &applied.task, ctx, &rule).await {
            Ok(edited) => Ok(edited),
            Err(RuleError::Rule(changed)) => Err(changed.into()),
            Err(RuleError::Journal(error)) => Err(error),
        }
    }

    /// Returns what takes back the agent work that a confirm started, or why it is too late; then the saga
    /// is closed, and the verdict stays.
    async fn taken_back(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        seen: &LoadedItem,
    ) -> Result<Result<(Vec<Op>, Vec<ChangeRow>), String>, DecideError> {
        if seen.item.state != State::Confirmed {
            return Ok(Ok(Default::default()));
        }
        let decision = self.current_decision(ws, &seen.item).await?;
        let decided_at = decision.map(|stored| stored.doc.value.created_at);
        // The work was derived from the time of the verdict.
        let item = Item { decided_at: decided_at.or(seen.item.decided_at), ..seen.item.clone() };
        let (key, actor) = (&seen.set.doc.value.run_key, payload.actor.as_ref());
        let started = self.started_by(ws, &item, key, &item.operation, actor).await?;
        let Some(work) = started else { return Ok(Ok(Default::default())) };
        match self.take_back_work(ws, &work).await? {
            Answer::Write { ops, news } => Ok(Ok((ops, news))),
            Answer::Never(why) => {
                let now = self.clock.now();
                let failed = OperationStatus::Failed;
                let close =
                    saga::close(ws, operation, Phase::AgentDone, failed, Some(why.as_str()), now);
                self.close(ws, payload, vec![close], Vec::new()).await?;
                Ok(Err(why))
            }
        }
    }

    /// Undoes the journal's effects, once. Returns the task if it was edited, or the refusal if a
    /// field has changed, and the last round of the item that the journal knows.
    ///
    /// If the agent store was restored from an older copy, that round may be later than the item's:
    /// the verdict was undone and given again. The verdict in effect is the one to undo.
    async fn undo_in_journal(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        seen: &LoadedItem,
    ) -> Result<(Result<Option<TaskView>, JournalError>, Round), DecideError> {
        let kind = match seen.item.state {
            State::Rejected => SagaKind::Suppress,
            _ => SagaKind::Confirm,
        };
        let verdict = SagaPayload { kind, ..payload.clone() };
        let mut round = Round::of(&seen.item);
        let mut task = None;
        let mut effects = self.effects(ws, &verdict.operation(&round.operation)).await?;
        while let Some(these) = effects {
            let ctx = Self::ctx(payload, &payload.operation(&round.operation));
            let own = |edited: Edited| Some(edited.view).filter(|it| *it.id() == payload.task);
            match self.undo_effects(ws, payload, (seen, &round), these, &ctx).await {
                Ok(edited) if edited.replayed => {
                    task = own(edited);
                    let next = round.next(seen);
                    let given_again = verdict.operation(&next.operation);
                    effects = self.effects(ws, &given_again).await?;
                    // A verdict the agent store knows was given after another process finished
                    // this undo. It is not the one to undo.
                    if effects.is_none() || !self.is_unknown(ws, &given_again).await? {
                        break;
                    }
                    round = next;
                }
                Ok(edited) => {
                    task = own(edited);
                    break;
                }
                Err(
                    error @ (JournalError::Changed(_)
                    | JournalError::Edit(_)
                    | JournalError::NoTask { .. }
                    | JournalError::Conflict { .. }),
                ) => return Ok((Err(error), round)),
                Err(error) => return Err(error.into()),
            }
        }
        Ok((Ok(task), round))
    }

    pub(crate) async fn mark_undone(
        &self,
        ws: WorkspaceId,
        decision: &dormouse_types::DecisionId,
        now: Timestamp,
    ) -> Result<Option<Op>, DecideError> {
        let edit = |decision: &mut Decision| {
            decision.undone_at = Some(now);
            decision.updated_at = now;
        };
        self.edit_decision(ws, decision, None, edit).await
    }

    /// Returns the verdict in effect on an item.
    pub(crate) async fn current_decision(
        &self,
        ws: WorkspaceId,
        item: &Item,
    ) -> Result<Option<Stored<Decision>>, DecideError> {
        let decisions = self.store.all(entity::of_task::<Decision>(ws, &item.task)).await?;
        // Verdicts of the same instant have no order; the one that matches the state is in effect.
        Ok(decisions.into_iter().find(|stored| {
            let decision = &stored.doc.value;
            decision.change_set_id == item.set
                && decision.item_index == item.index
                && decision.undone_at.is_none()
                && decision.round == item.round
                && state_after(decision.verdict) == item.state
        }))
    }
}

/// Returns when the person last set the field that an item targets.
fn stated_at(task: Option<&TaskView>, item: &Item) -> Option<Timestamp> {
    let (tool, view) = tools::item(&item.tool).zip(task)?;
    let args = serde_json::from_str(&item.args).unwrap_or_default();
    TaskReviewState::of(view).stated_at(&tool.target(&args).stated_field()?)
}

/// Returns the state of an item while a verdict is in effect.
fn state_after(verdict: DecisionVerdict) -> State {
    match verdict {
        DecisionVerdict::Confirmed => State::Confirmed,
        DecisionVerdict::Rejected => State::Rejected,
        DecisionVerdict::Deferred => State::Deferred,
    }
}

fn nothing_to_undo(item: &Item) -> DecideError {
    DecideError::NothingToUndo { set: item.set.clone(), index: item.index, state: item.state }
}
