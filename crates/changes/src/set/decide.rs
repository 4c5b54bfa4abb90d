//! Verdicts: confirm, reject, defer. The decision is durable before anything is applied.

use std::sync::Arc;
use std::time::Duration;

use dormouse_journal::{Changed, Journal, JournalError};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, Decision, DecisionVerdict, Outcome, SetStatus};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::doc::Doc;
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Db, Once, Op, ReadError, Refusal, Store,
};
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::{
    ChangeSetId, DecisionId, Fingerprint, Id as _, OperationId, Origin, Timestamp, WorkspaceId,
    hash, limits,
};

use crate::set::conclude::{Crossing, Errand};
use crate::set::fold;
use crate::set::state::{Event, after};

/// Decides, applies and takes back proposals. Cheap to clone.
#[derive(Clone)]
pub struct Changes {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: jiff::tz::TimeZone,
}

/// Who decides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Who {
    /// The workspace.
    pub ws: WorkspaceId,
    /// As the audit log names them.
    pub actor: String,
    /// At most once under this id, if there is one.
    pub once: Option<Once>,
}

/// Why a verdict was not taken, or not applied.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    /// No such set or item. Retry: never.
    #[error("there is no proposal {set}:{index}")]
    NotFound {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// The digest shown belongs to another proposal. Retry: after looking again.
    #[error(
        "proposal {set}:{index} has digest {found:.8}, not {given:.8}: look at it again before deciding"
    )]
    DigestDiffers {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What the caller was shown.
        given: String,
        /// What is stored.
        found: String,
    },
    /// Somebody decided otherwise. Retry: never.
    #[error("proposal {set}:{index} is {} already", .state.name())]
    AlreadyDecided {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What it is now.
        state: State,
    },
    /// Seven days passed since it was shown. Retry: never.
    #[error("proposal {set}:{index} expired: nobody decided within 7 days")]
    Expired {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// It can never be applied; it was withdrawn. Retry: never.
    #[error("proposal {set}:{index} cannot be applied: {reason}")]
    Retracted {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// Why.
        reason: String,
    },
    /// The field was changed since; nothing was undone. Retry: never.
    #[error("cannot undo {set}:{index}: {source}")]
    Changed {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What is different.
        #[source]
        source: Changed,
    },
    /// There is no verdict to take back. Retry: never.
    #[error("proposal {set}:{index} is {}: there is no verdict to take back", .state.name())]
    NothingToUndo {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
        /// What it is now.
        state: State,
    },
    /// A reason that is too long. Retry: with a shorter one.
    #[error(transparent)]
    Reason(#[from] limits::Beyond),
    /// Others keep writing. Retry: later.
    #[error("proposal {set}:{index} is being decided by others: try again")]
    Busy {
        /// The set.
        set: ChangeSetId,
        /// The item.
        index: i64,
    },
    /// The journal could not. Recovery goes on where this stopped.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The commit failed; nothing was decided.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// An invariant does not hold. Retry: never; `dormouse doctor` tells more.
    #[error("{0}")]
    Broken(String),
}

/// An item with its set, as it was read.
pub(crate) struct Seen {
    pub(crate) set: Stored<ChangeSet>,
    pub(crate) items: Vec<Item>,
    pub(crate) item: Item,
}

/// How often a verdict is decided on fresh rows before it gives way to others.
const ATTEMPTS: usize = 8;

/// The verdict a person asks for.
#[derive(Debug, Clone, Copy)]
enum Want<'a> {
    Confirm,
    Reject { reason: Option<&'a str> },
    Defer,
}

impl Want<'_> {
    fn state(self) -> State {
        match self {
            Self::Confirm => State::Confirmed,
            Self::Reject { .. } => State::Rejected,
            Self::Defer => State::Deferred,
        }
    }

    fn event(self) -> Event {
        match self {
            Self::Confirm => Event::Confirm,
            Self::Reject { .. } => Event::Reject,
            Self::Defer => Event::Defer,
        }
    }

    fn action(self) -> &'static str {
        match self {
            Self::Confirm => "change.confirm",
            Self::Reject { .. } => "change.reject",
            Self::Defer => "change.defer",
        }
    }
}

impl Changes {
    /// Joins what verdicts need.
    pub fn new(
        store: Store,
        journal: Journal,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        zone: jiff::tz::TimeZone,
    ) -> Self {
        Self { store, journal, clock, entropy, zone }
    }

    pub(crate) async fn seen(
        &self,
        ws: WorkspaceId,
        set: &ChangeSetId,
        index: i64,
    ) -> Result<Seen, DecideError> {
        let missing = || DecideError::NotFound { set: set.clone(), index };
        let stored = self
            .store
            .first(entity::by_id::<ChangeSet>(ws, set.as_str()))
            .await?
            .ok_or_else(missing)?;
        let items = self.store.all(change_item::of_set(ws, set)).await?;
        let item = items.iter().find(|item| item.index == index).cloned().ok_or_else(missing)?;
        Ok(Seen { set: stored, items, item })
    }

    /// Confirms an item: exactly once, whoever asks and however often.
    pub async fn confirm(
        &self,
        who: &Who,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
    ) -> Result<Item, DecideError> {
        self.decide(who, set, index, digest, Want::Confirm).await
    }

    /// Rejects an item, with the person's reason if they gave one.
    pub async fn reject(
        &self,
        who: &Who,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        reason: Option<&str>,
    ) -> Result<Item, DecideError> {
        let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
        limits::REASON.check(reason.map_or(0, |reason| reason.chars().count()))?;
        self.decide(who, set, index, digest, Want::Reject { reason }).await
    }

    /// Puts an item off. It stays open and leaves the ten shown.
    pub async fn defer(
        &self,
        who: &Who,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
    ) -> Result<Item, DecideError> {
        self.decide(who, set, index, digest, Want::Defer).await
    }

    async fn decide(
        &self,
        who: &Who,
        set: &ChangeSetId,
        index: i64,
        digest: Option<&Fingerprint>,
        want: Want<'_>,
    ) -> Result<Item, DecideError> {
        for _ in 0..ATTEMPTS {
            let seen = self.seen(who.ws, set, index).await?;
            checked_digest(&seen.item, digest)?;
            if seen.item.state == want.state() {
                return Ok(seen.item);
            }
            match seen.item.state {
                State::Applying => {
                    // Somebody confirmed it a moment ago, or was interrupted: one errand, one end.
                    self.conclude_operation(who.ws, &seen.item.operation).await?;
                }
                State::Confirmed | State::Rejected => return Err(already(&seen.item)),
                State::Retracted => return Err(retracted(&seen.item)),
                State::Expired => return Err(expired(&seen.item)),
                State::Pending | State::Deferred => {
                    self.still_fresh(who.ws, &seen).await?;
                    self.take(who, &seen, want).await?;
                }
            }
        }
        Err(DecideError::Busy { set: set.clone(), index })
    }

    /// Writes a verdict on an open item, and runs the errand it asks for. When somebody else moved
    /// the item since it was read nothing is written, and the caller looks again.
    async fn take(&self, who: &Who, seen: &Seen, want: Want<'_>) -> Result<(), DecideError> {
        let now = self.clock.now();
        let item = &seen.item;
        let crossing = match want {
            Want::Confirm => Some(Crossing::Confirm),
            Want::Reject { .. } if item.tool == "assign_task_label" => Some(Crossing::Suppress),
            Want::Reject { .. } | Want::Defer => None,
        };
        let errand = self.errand(crossing.unwrap_or(Crossing::Confirm), item);
        let decision = self.decision(seen, &errand, want, now);
        let mut ops = vec![
            self.settle(who.ws, item, want.event(), None, now)?,
            entity::insert(who.ws, &decision),
        ];
        if crossing.is_some() {
            ops.push(errand.open(who.ws, seen, now));
        }
        if want.state() != State::Confirmed {
            ops.extend(refresh(who.ws, seen, want.state(), now));
        }
        match self.write("change.decide", who, seen, want.action(), ops).await {
            Err(CommitError::Refused { refusal: Refusal::ItemMoved, .. }) => return Ok(()),
            other => other?,
        }
        if crossing.is_some() {
            self.conclude(who.ws, &errand, &errand.operation(&item.operation)).await?;
        }
        Ok(())
    }

    /// An item older than seven days is expired here and now, whatever a sweep did.
    async fn still_fresh(&self, ws: WorkspaceId, seen: &Seen) -> Result<(), DecideError> {
        let now = self.clock.now();
        if seen.item.shown_at.is_some_and(|shown| shown <= now - age()) {
            self.expire_items(ws, std::slice::from_ref(&seen.item)).await?;
            return Err(expired(&seen.item));
        }
        Ok(())
    }

    /// The op that moves an item; it tests state, round, digest and age again in the commit.
    pub(crate) fn settle(
        &self,
        ws: WorkspaceId,
        item: &Item,
        event: Event,
        error: Option<&str>,
        now: Timestamp,
    ) -> Result<Op, DecideError> {
        let to = after(item.state, event).map_err(|e| DecideError::Broken(e.to_string()))?;
        let by_person = matches!(event, Event::Confirm | Event::Reject | Event::Defer);
        let shown_after = by_person.then(|| now - age());
        Ok(change_item::settle(ws, item, to, error, shown_after, now))
    }

    fn errand(&self, crossing: Crossing, item: &Item) -> Errand {
        Errand {
            crossing,
            set: item.set.clone(),
            index: item.index,
            round: item.round,
            decision: DecisionId::fresh(self.clock.now(), &*self.entropy),
            task: item.task.clone(),
            agent: item.agent.clone(),
        }
    }

    fn decision(&self, seen: &Seen, errand: &Errand, want: Want<'_>, now: Timestamp) -> Decision {
        let (verdict, outcome, reason) = match want {
            Want::Confirm => (DecisionVerdict::Confirmed, Outcome::Applying, None),
            Want::Reject { reason } => (DecisionVerdict::Rejected, Outcome::Applied, reason),
            Want::Defer => (DecisionVerdict::Deferred, Outcome::Applied, None),
        };
        Decision {
            id: errand.decision.clone(),
            agent_id: seen.item.agent.clone(),
            change_set_id: seen.item.set.clone(),
            item_index: seen.item.index,
            tool_name: seen.item.tool.clone(),
            args: serde_json::from_str(&seen.item.args).unwrap_or_default(),
            fingerprint: seen.item.fingerprint.to_string(),
            verdict,
            outcome,
            outcome_reason: None,
            task_id: Some(seen.item.task.clone()),
            rejection_reason: reason.map(ToOwned::to_owned),
            round: seen.item.round,
            created_at: now,
            updated_at: now,
            undone_at: None,
            deleted_at: None,
        }
    }

    /// Writes an agent commit about an item, with its event and its audit row.
    pub(crate) async fn write(
        &self,
        label: &'static str,
        who: &Who,
        seen: &Seen,
        action: &'static str,
        ops: Vec<Op>,
    ) -> Result<(), CommitError> {
        let item = &seen.item;
        let origin = Origin::Person { via: Some(item.agent.clone()) };
        let mut commit = Commit::new(label, Db::Agent, who.ws)
            .ops(ops)
            .change(ChangeRow::agent(
                origin,
                "change-set:item",
                Some(item.task.clone()),
                item.set.to_string(),
            ))
            .audit(Audit {
                actor: who.actor.clone(),
                action,
                object: format!("{}:{}", item.set, item.index),
                detail: item.operation.to_string(),
            });
        commit.once.clone_from(&who.once);
        match self.store.commit(commit).await?.replayed {
            None => Ok(()),
            // The same request was faster by its other sending: it is looked at again.
            Some(_) => Err(CommitError::Refused { label, refusal: Refusal::ItemMoved }),
        }
    }
}

/// The ops that bring a set and its ten shown items up to date after one item moved.
pub(crate) fn refresh(ws: WorkspaceId, seen: &Seen, to: State, now: Timestamp) -> Vec<Op> {
    let mut items = seen.items.clone();
    for item in items.iter_mut().filter(|item| item.index == seen.item.index) {
        item.state = to;
    }
    refreshed(ws, &seen.set.doc, &items, now)
}

/// The ops that bring a set's row and its ten shown items up to date with its items as they are.
pub(crate) fn refreshed(
    ws: WorkspaceId,
    set: &Doc<ChangeSet>,
    items: &[Item],
    now: Timestamp,
) -> Vec<Op> {
    let status = fold::status(items.iter().map(|item| &item.state));
    let mut ops = Vec::new();
    if set.value.status != status {
        let mut set = set.clone();
        set.value.status = status;
        set.value.updated_at = now;
        set.value.resolved_at = (status == SetStatus::Resolved).then_some(now);
        ops.push(entity::put(ws, &set));
    }
    let shown = fold::shown(items);
    let fresh = items.iter().filter(|item| shown.contains(&item.index) && item.shown_at.is_none());
    ops.extend(fresh.map(|item| change_item::show(ws, &item.set, item.index, now)));
    ops
}

/// How long a shown item stays open.
pub(crate) fn age() -> Duration {
    Duration::from_secs(limits::PROPOSAL_AGE_SECONDS)
}

/// The operation of an item: the same intent of the same run and round is the same operation.
pub fn operation(run_key: &str, fingerprint: &Fingerprint, round: i64) -> OperationId {
    OperationId(hash::joined(&[run_key, fingerprint.as_str(), &round.to_string()]).0)
}

pub(crate) fn checked_digest(item: &Item, digest: Option<&Fingerprint>) -> Result<(), DecideError> {
    match digest {
        // A prefix of at least 8 digits names a digest as well as the whole does.
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

pub(crate) fn already(item: &Item) -> DecideError {
    DecideError::AlreadyDecided { set: item.set.clone(), index: item.index, state: item.state }
}

pub(crate) fn retracted(item: &Item) -> DecideError {
    DecideError::Retracted {
        set: item.set.clone(),
        index: item.index,
        reason: item.error.clone().unwrap_or_else(|| "it was withdrawn".into()),
    }
}

fn expired(item: &Item) -> DecideError {
    DecideError::Expired { set: item.set.clone(), index: item.index }
}
