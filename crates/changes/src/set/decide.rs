//! Verdicts: confirm, reject, defer. The decision is durable before anything is applied.

use dormouse_journal::{Paused, TaskReviewState, TaskView, state};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict, Outcome};
use dormouse_store::agent::entity;
use dormouse_store::agent::rule;
use dormouse_store::{CommitError, MaybeRefused as _, Op, Policy, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::{
    Actor, ChangeSetId, DecisionId, Fingerprint, Id as _, Timestamp, WorkspaceId, limits,
};

use crate::group;
use crate::set::apply::edit_of_rejection;
use crate::set::effective_state::{self, KnownValue};
use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Settled, transitioned};
use crate::set::saga_payload::{SagaKind, SagaPayload};
use crate::set::service::{Changes, Decider};
use crate::set::state::Event;

/// How many times a verdict is retried on fresh rows before it reports `Busy`.
const ATTEMPTS: usize = 8;

/// A verdict with what comes with it. An undo is a request of its own.
#[derive(Debug, Clone, Copy)]
enum NewVerdict<'a> {
    Confirm { over: Option<&'a KnownValue> },
    Reject { reason: Option<&'a str> },
    Defer,
}

impl NewVerdict<'_> {
    fn state(self) -> State {
        match self {
            Self::Confirm { .. } => State::Confirmed,
            Self::Reject { .. } => State::Rejected,
            Self::Defer => State::Deferred,
        }
    }

    fn event(self) -> Event {
        match self {
            Self::Confirm { .. } => Event::Confirm,
            Self::Reject { .. } => Event::Reject,
            Self::Defer => Event::Defer,
        }
    }

    fn action(self) -> AuditAction {
        match self {
            Self::Confirm { .. } => AuditAction::ChangeConfirm,
            Self::Reject { .. } => AuditAction::ChangeReject,
            Self::Defer => AuditAction::ChangeDefer,
        }
    }
}

impl Changes {
    /// Confirms an item. The item is applied exactly once, however many callers confirm it.
    pub async fn confirm(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
    ) -> Result<Settled, DecideError> {
        self.decide(who, set, index, digest, NewVerdict::Confirm { over: None }).await
    }

    /// Confirms an item although the person set the value after it was proposed; `over` names that
    /// value.
    pub async fn confirm_over(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        over: &KnownValue,
    ) -> Result<Settled, DecideError> {
        self.decide(who, set, index, digest, NewVerdict::Confirm { over: Some(over) }).await
    }

    /// Rejects an item, with the person's reason if they gave one.
    pub async fn reject(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        reason: Option<&str>,
    ) -> Result<Settled, DecideError> {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        limits::REASON.check(reason.map_or(0, |reason| reason.chars().count()))?;
        self.decide(who, set, index, digest, NewVerdict::Reject { reason }).await
    }

    /// Defers an item: it stays open but is no longer among the ten shown.
    pub async fn defer(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
    ) -> Result<Settled, DecideError> {
        self.decide(who, set, index, digest, NewVerdict::Defer).await
    }

    /// Returns why the last confirm of an item that is open again was not applied, or `None` if it
    /// was never confirmed. If a confirm would be refused now, that reason is returned instead.
    pub async fn not_applied(
        &self,
        ws: WorkspaceId,
        item: &Item,
        over: Option<&KnownValue>,
    ) -> Result<Option<DecideError>, DecideError> {
        let is_waiting = matches!(item.state, State::Pending | State::Deferred);
        let Some(reason) = item.error.clone().filter(|_| is_waiting) else { return Ok(None) };
        let (set, index) = (item.set.clone(), item.index);
        let seen = self.load(ws, &set, index).await?;
        let task = self.task_of(ws, &item.task).await?;
        let digest = Some(&item.fingerprint);
        let allowed = self
            .ensure_decidable(ws, &seen, task.as_ref(), digest, NewVerdict::Confirm { over })
            .await;
        Ok(Some(allowed.err().unwrap_or(DecideError::NotApplied { set, index, reason })))
    }

    async fn decide(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        want: NewVerdict<'_>,
    ) -> Result<Settled, DecideError> {
        retry(Policy::Attempts(ATTEMPTS), &[Refusal::ItemMoved], || {
            self.decide_once(who, set, index, digest, want)
        })
        .await
        .map_err(|error| match error.refusal() {
            Some(Refusal::ItemMoved) => DecideError::Busy { set: set.clone(), index },
            _ => error,
        })
    }

    /// Makes one attempt; fails with `ItemMoved` if the item is now another one than was read, so
    /// that the verdict must be decided again.
    async fn decide_once(
        &self,
        who: &Decider,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        want: NewVerdict<'_>,
    ) -> Result<Settled, DecideError> {
        let seen = self.load_for(who, set, index).await?;
        ensure_digest(&seen.item, digest)?;
        if seen.item.state == want.state() {
            if let NewVerdict::Reject { reason: Some(reason) } = want {
                self.add_reason(who, &seen, reason).await?;
            } else if self.is_lost(who.ws, &seen.item).await? {
                self.reopen_lost_item(who, &seen).await?;
                return Err(moved());
            }
            return Ok(Settled::new(seen, None));
        }
        match seen.item.state {
            State::Applying => {
                // Another caller has just confirmed it, or was interrupted: finish that operation
                // first.
                self.finish_operation(who.ws, &seen.item.operation).await?;
                Err(moved())
            }
            State::Confirmed | State::Rejected => Err(DecideError::already(&seen.item)),
            State::Retracted => Err(DecideError::retracted(&seen.item)),
            State::Expired => Err(DecideError::expired(&seen.item)),
            State::Pending | State::Deferred => {
                let task = self.task_of(who.ws, &seen.item.task).await?;
                self.ensure_decidable(who.ws, &seen, task.as_ref(), digest, want).await?;
                let settled = self.record_decision(who, &seen, task, want).await?;
                match settled.item.state {
                    state if state == want.state() => Ok(settled),
                    // It can never be applied.
                    State::Retracted => Err(DecideError::retracted(&settled.item)),
                    // The verdict was given, and another process has undone or replaced it since.
                    // Deciding again would overrule that person.
                    State::Pending
                    | State::Deferred
                    | State::Applying
                    | State::Confirmed
                    | State::Rejected
                    | State::Expired => Err(DecideError::Busy { set: set.clone(), index }),
                }
            }
        }
    }

    /// Adds a reason to a rejection that has none.
    ///
    /// Errors: the rejection has a different reason, which the agent may already have read.
    async fn add_reason(
        &self,
        who: &Decider,
        seen: &LoadedItem,
        reason: &str,
    ) -> Result<(), DecideError> {
        let Some(mut decision) = self.current_decision(who.ws, &seen.item).await? else {
            return Ok(());
        };
        match &decision.doc.value.rejection_reason {
            Some(known) if known == reason => return Ok(()),
            Some(_) => return Err(DecideError::already(&seen.item)),
            None => {}
        }
        decision.doc.value.rejection_reason = Some(reason.to_owned());
        decision.doc.value.updated_at = self.clock.now();
        let ops = vec![
            change_item::expect_unmoved(who.ws, &seen.item),
            entity::replace(who.ws, &decision),
        ];
        match self.write("change.decide", who, seen, AuditAction::ChangeReject, ops).await {
            Err(CommitError::Refused { refusal: Refusal::ItemMoved | Refusal::Stale, .. }) => {
                let (set, index) = (seen.item.set.clone(), seen.item.index);
                Err(DecideError::Busy { set, index })
            }
            other => Ok(other?),
        }
    }

    /// Records a verdict on an open item and starts the journal operation it requires.
    ///
    /// The decision, the item's transition and the saga are one commit, before the journal is
    /// written: after a crash, recovery finds the open saga and finishes it, so a verdict is never
    /// lost. If the item moved since it was read, nothing is written and the caller reads it again.
    /// Otherwise the rows are known without reading them again: they are what was read, with what
    /// the commits changed.
    async fn record_decision(
        &self,
        who: &Decider,
        seen: &LoadedItem,
        task: Option<TaskView>,
        want: NewVerdict<'_>,
    ) -> Result<Settled, DecideError> {
        let now = self.clock.now();
        let item = &seen.item;
        let review = task.as_ref().map(TaskReviewState::of);
        let fresh_for = Some(effective_state::fresh_for(item, review.as_ref(), now));
        let kind = match want {
            NewVerdict::Confirm { .. } => Some(SagaKind::Confirm),
            NewVerdict::Reject { .. } if edit_of_rejection(item).is_some() => {
                Some(SagaKind::Suppress)
            }
            NewVerdict::Reject { .. } | NewVerdict::Defer => None,
        };
        let depth = self.depth_of(who.ws, item).await?;
        let saga = kind.unwrap_or(SagaKind::Confirm);
        let payload = SagaPayload { depth, ..self.saga_payload(who, saga, item, want) };
        let decision = self.decision(item, &payload, want, now);
        let mut ops = vec![
            self.transition(who.ws, item, want.event(), None, fresh_for, now)?,
            entity::insert(who.ws, &decision),
        ];
        let mut others = Vec::new();
        match want {
            // What it belongs to must still be confirmed when the verdict is stored.
            NewVerdict::Confirm { .. } => {
                let parent = group::parent_of(item)
                    .and_then(|at| seen.items.iter().find(|other| other.index == at));
                ops.extend(parent.map(|parent| change_item::expect_unmoved(who.ws, parent)));
            }
            NewVerdict::Reject { .. } => {
                for child in group::open_children(&seen.items, item) {
                    let (more, child) = self.rejected_with(who, seen, &child, want, now)?;
                    ops.extend(more);
                    others.push(child);
                }
            }
            NewVerdict::Defer => {}
        }
        if kind.is_some() {
            ops.push(payload.open(who.ws, seen, now));
        }
        if let Actor::Rule(rule) = &who.actor {
            ops.push(rule::expect_in_force(who.ws, rule));
        }
        // It is decided: no rule has to any more.
        ops.push(rule::release(who.ws, &item.set, item.index));
        let (after, more) = match want {
            NewVerdict::Confirm { .. } => {
                (seen.with(transitioned(item, State::Applying, None, now)), Vec::new())
            }
            NewVerdict::Reject { .. } | NewVerdict::Defer => {
                let item = transitioned(item, want.state(), None, now);
                seen.moved_with(who.ws, item, &others, now)
            }
        };
        ops.extend(more);
        self.write("change.decide", who, seen, want.action(), ops).await?;
        if kind.is_none() {
            return Ok(Settled::new(after, task));
        }
        let after = LoadedItem { decision: Some(decision), ..after };
        self.finish(who.ws, &payload, &payload.operation(&item.operation), Some(after), task).await
    }

    /// Returns what rejects an item of a group together with the one that it belongs to. It has a decision of
    /// its own, so that its agent learns of it and an undo finds it.
    fn rejected_with(
        &self,
        who: &Decider,
        seen: &LoadedItem,
        child: &Item,
        want: NewVerdict<'_>,
        now: Timestamp,
    ) -> Result<(Vec<Op>, Item), DecideError> {
        let why = group::rejected_with(&seen.item);
        let payload = self.saga_payload(who, SagaKind::Confirm, child, want);
        let mut decision = self.decision(child, &payload, want, now);
        decision.with_item = Some(seen.item.index);
        let ops = vec![
            self.transition(who.ws, child, Event::Reject, Some(&why), None, now)?,
            entity::insert(who.ws, &decision),
        ];
        Ok((ops, transitioned(child, State::Rejected, Some(&why), now)))
    }

    /// Refuses a verdict that the item, its task or the time does not allow. Writes nothing, except
    /// that it expires an overdue item and withdraws one that no longer holds.
    async fn ensure_decidable(
        &self,
        ws: WorkspaceId,
        seen: &LoadedItem,
        view: Option<&TaskView>,
        digest: Option<&Fingerprint>,
        want: NewVerdict<'_>,
    ) -> Result<(), DecideError> {
        let (item, now) = (&seen.item, self.clock.now());
        let task = view.map(TaskReviewState::of);
        // An overdue item expires here, even if no sweep has found it yet.
        if effective_state::expires_at(item, task.as_ref(), now).is_some_and(|at| at <= now) {
            self.end_items(ws, std::slice::from_ref(item), Event::Expire, None).await?;
            return Err(DecideError::expired(item));
        }
        let NewVerdict::Confirm { over } = want else { return Ok(()) };
        if let Some(parent) = group::parent_of(item)
            .and_then(|at| seen.items.iter().find(|other| other.index == at))
            .filter(|parent| parent.state != State::Confirmed)
        {
            if parent.state == State::Applying {
                self.finish_operation(ws, &parent.operation).await?;
                return Err(moved());
            }
            return Err(DecideError::parent_first(item, parent));
        }
        if item.shown_at.is_none() && digest.is_none() {
            return Err(DecideError::NotShown { set: item.set.clone(), index: item.index });
        }
        match task.and_then(|task| effective_state::paused(item, &task)) {
            Some(Paused::Deleted) => {
                return Err(DecideError::TaskDeleted { task: item.task.clone() });
            }
            Some(Paused::Closed(status)) => {
                return Err(DecideError::TaskClosed { task: item.task.clone(), status });
            }
            None => {}
        }
        if let Some(reason) = self.not_yet(ws, item).await? {
            let (set, index) = (item.set.clone(), item.index);
            return Err(DecideError::NotApplied { set, index, reason });
        }
        let Some(view) = view else { return Ok(()) };
        let task = state(view, &self.zone.get());
        if let Some(why) = effective_state::no_longer_holds(item, &task).filter(|_| over.is_none())
        {
            self.end_items(ws, std::slice::from_ref(item), Event::Retract, Some(why)).await?;
            return Err(DecideError::retracted(&Item { error: Some(why.into()), ..item.clone() }));
        }
        match effective_state::set_since(item, &task) {
            Some(found) if !found.is_known(over) => Err(DecideError::ValueChanged {
                set: item.set.clone(),
                index: item.index,
                now: found.words(),
                current: found.value,
            }),
            Some(_) | None => Ok(()),
        }
    }

    fn saga_payload(
        &self,
        who: &Decider,
        kind: SagaKind,
        item: &Item,
        want: NewVerdict<'_>,
    ) -> SagaPayload {
        let over = match want {
            NewVerdict::Confirm { over } => over.cloned(),
            NewVerdict::Reject { .. } | NewVerdict::Defer => None,
        };
        SagaPayload {
            actor: Some(who.actor.clone()),
            depth: 0,
            over,
            kind,
            set: item.set.clone(),
            index: item.index,
            round: item.round,
            decision: DecisionId::fresh(self.clock.now(), &*self.entropy),
            task: item.task.clone(),
            proposer: item.proposer.clone(),
        }
    }

    fn decision(
        &self,
        item: &Item,
        payload: &SagaPayload,
        want: NewVerdict<'_>,
        now: Timestamp,
    ) -> Decision {
        let (verdict, outcome, reason) = match want {
            NewVerdict::Confirm { .. } => (DecisionVerdict::Confirmed, Outcome::Applying, None),
            NewVerdict::Reject { reason } => (DecisionVerdict::Rejected, Outcome::Applied, reason),
            NewVerdict::Defer => (DecisionVerdict::Deferred, Outcome::Applied, None),
        };
        Decision {
            id: payload.decision.clone(),
            proposer: item.proposer.clone(),
            change_set_id: item.set.clone(),
            item_index: item.index,
            tool_name: item.tool.clone(),
            args: serde_json::from_str(&item.args).unwrap_or_default(),
            fingerprint: item.fingerprint.to_string(),
            verdict,
            outcome,
            outcome_reason: None,
            task_id: Some(item.task.clone()),
            rejection_reason: reason.map(ToOwned::to_owned),
            with_item: None,
            by_rule: match &payload.actor {
                Some(Actor::Rule(rule)) => Some(rule.clone()),
                Some(_) | None => None,
            },
            round: item.round,
            created_at: now,
            updated_at: now,
            undone_at: None,
            deleted_at: None,
        }
    }
}

/// The refusal after which a verdict is decided again on fresh rows.
fn moved() -> DecideError {
    CommitError::Refused { label: "change.decide", refusal: Refusal::ItemMoved }.into()
}

pub(crate) fn ensure_digest(item: &Item, digest: Option<&Fingerprint>) -> Result<(), DecideError> {
    match digest {
        // A prefix of at least 8 digits is as good as the whole digest.
        Some(given)
            if given.0.len() < 8 || !item.fingerprint.0.starts_with(&given.0.to_lowercase()) =>
        {
            Err(DecideError::DigestDiffers {
                set: item.set.clone(),
                index: item.index,
                given: given.0.clone(),
                found: item.fingerprint.0.clone(),
            })
        }
        Some(_) | None => Ok(()),
    }
}
