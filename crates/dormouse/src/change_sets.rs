//! Change sets: decide.

use dormouse_changes::set::effective_state::KnownValue;
use dormouse_changes::{DecideError, Settled};
use dormouse_journal::{JournalError, TaskView};
use dormouse_queries::change_sets::takes_away;
use dormouse_store::agent::change_item::State;
use dormouse_store::journal::task;
use dormouse_store::{Commit, CommitError, Db, Once, receipt};
use dormouse_types::{
    Caller, ChangeSetId, Fingerprint, Scope, Seq, TaskId, Verdict, WorkspaceId, hash, limits,
};
use serde::Serialize;

use crate::request::{decider, receipt_id, require};
use crate::view::{DecidedItem, OpenChanges, Outcome};
use crate::{Dormouse, Error};

/// One of many verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictOf {
    /// The task, if the request names one: a set of another task does not exist for it.
    pub task: Option<TaskId>,
    /// The set.
    pub set: ChangeSetId,
    /// The item, from 1.
    pub index: i64,
    /// The verdict.
    pub verdict: Verdict,
    /// The digest that was shown.
    pub digest: Option<String>,
    /// For a rejection, the reason.
    pub reason: Option<String>,
    /// For a confirm: the value that the user set since the proposal, to be overwritten.
    pub over: Option<KnownValue>,
}

/// The outcomes of verdicts about one task.
#[derive(Debug)]
pub struct DecidedItems {
    /// An outcome for each verdict, in the same order.
    pub outcomes: Vec<Result<Outcome, Error>>,
    /// The task and its open proposals. None if the caller may not read, or they cannot be read: the
    /// verdicts hold all the same.
    pub open: Option<OpenChanges>,
}

/// The task as a verdict left it, and the position of what it wrote; `None` if it wrote nothing to the
/// journal.
fn written_by(settled: &Settled) -> Option<(TaskView, Seq)> {
    settled.written.and_then(|at| Some((settled.task.clone()?, at)))
}

/// An item as it was shown, for confirming several at once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Shown {
    /// The item, from 1.
    pub index: i64,
    /// Its digest.
    pub digest: String,
}

impl Dormouse {
    /// Decides one item, even if that overwrites a value that the user set since the proposal. The digest
    /// identifies what the user was shown.
    pub async fn decide_item(
        &self,
        caller: &Caller,
        wanted: VerdictOf,
        key: Option<String>,
    ) -> Result<Outcome, Error> {
        let settled = self.settle(caller, wanted, key).await?;
        self.outcome(caller.workspace, settled).await
    }

    /// Decides one item as [`Self::decide_item`] does, and answers its task as it is then, with what is
    /// open about it.
    pub async fn decide_item_and_list(
        &self,
        caller: &Caller,
        wanted: VerdictOf,
        key: Option<String>,
    ) -> Result<DecidedItem, Error> {
        let settled = self.settle(caller, wanted, key).await?;
        let (id, written) = (settled.item.task.clone(), written_by(&settled));
        let outcome = self.outcome(caller.workspace, settled).await?;
        Ok(DecidedItem { outcome, open: self.open_after(caller, &id, written).await })
    }

    async fn settle(
        &self,
        caller: &Caller,
        wanted: VerdictOf,
        key: Option<String>,
    ) -> Result<Settled, Error> {
        require(caller, Scope::Decide)?;
        let VerdictOf { task: _, set, index, verdict, digest, reason, over } = &wanted;
        let request = hash::canonical(&(set, index, name_in_receipts(*verdict), digest, reason));
        let over = over.as_ref().map(|over| hash::canonical(over).expect("a value is plain data"));
        let request = request.expect("a verdict is plain data") + &over.unwrap_or_default();
        let once = receipt_id(caller, key.as_deref())?.map(|id| Once {
            id,
            request: hash::sha256(request),
            answer: format!("{set}:{index}"),
            effects: None,
        });
        self.settle_once(caller, wanted, once).await
    }

    async fn settle_once(
        &self,
        caller: &Caller,
        wanted: VerdictOf,
        once: Option<Once>,
    ) -> Result<Settled, Error> {
        let VerdictOf { task, set, index, verdict, digest, reason, over } = wanted;
        let (ws, set, who) = (caller.workspace, &set, decider(caller, once, task));
        if let Some(once) = &who.once
            && let Some(receipt) = self.store.first(receipt::by_id(Db::Agent, ws, &once.id)).await?
        {
            if receipt.request != once.request {
                let id = once.id.clone();
                return Err(CommitError::Mismatch { label: "change.decide", id }.into());
            }
            // A repeated request: it was decided then, and is not decided again after an undo.
            let settled = self.changes.settled(&who, set, index).await?;
            let item = &settled.item;
            // An item that could not be applied is refused again; for an item being applied, wait.
            let is_applying = item.state == State::Applying && verdict == Verdict::Confirm;
            if verdict == Verdict::Confirm
                && let Some(why) = self.changes.not_applied(ws, item, over.as_ref()).await?
            {
                return Err(why.into());
            }
            if item.state != State::Retracted && !is_applying {
                return Ok(settled);
            }
        }
        let digest = digest.map(|digest| Fingerprint(digest.trim().to_lowercase()));
        let (digest, changes) = (digest.as_ref(), &self.changes);
        Ok(match verdict {
            Verdict::Confirm => match &over {
                Some(over) => changes.confirm_over(&who, set, index, digest, over).await?,
                None => changes.confirm(&who, set, index, digest).await?,
            },
            Verdict::Reject => changes.reject(&who, set, index, digest, reason.as_deref()).await?,
            Verdict::Defer => changes.defer(&who, set, index, digest).await?,
            Verdict::Undo => changes.undo(&who, set, index, digest).await?,
        })
    }

    /// Confirms exactly these items of a set as they were shown, in order. A failed item keeps its
    /// reason. Items whose value the user set since, and items that remove something, are skipped.
    ///
    /// Errors: no items, more than are shown at once, or a duplicate.
    pub async fn confirm_all(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        items: Vec<Shown>,
        key: Option<String>,
    ) -> Result<Vec<(Shown, Result<Outcome, Error>)>, Error> {
        require(caller, Scope::Decide)?;
        let most = limits::ITEMS_SHOWN.max;
        let wrong = |message: String| Error::Invalid { field: "items", message };
        if items.is_empty() || items.len() > most {
            let n = items.len();
            return Err(wrong(format!("list 1 to {most} items as they were shown, not {n}")));
        }
        for (place, item) in items.iter().enumerate() {
            if items[..place].iter().any(|other| other.index == item.index) {
                return Err(wrong(format!("item {} is listed twice", item.index)));
            }
        }
        let id = receipt_id(caller, key.as_deref())?;
        let seen = self.read_change_set(caller.workspace, set).await?;
        if let Some(id) = &id {
            // The key is claimed before anything is decided, so that another request under it is
            // refused.
            let request = hash::canonical(&("confirmAll", set, &items));
            let once = Once {
                id: id.clone(),
                request: hash::sha256(request.expect("a request is plain data")),
                answer: set.to_string(),
                effects: None,
            };
            let commit = Commit::new("change.decideAll", Db::Agent, caller.workspace).once(once);
            self.store.commit(commit).await?;
        }
        let mut outcomes = Vec::new();
        // What another item belongs to comes before it.
        let parent_of = |index| {
            let item = seen.items.iter().find(|item| item.index == index);
            item.and_then(|item| item.parent)
        };
        let order: Vec<i64> = items.iter().map(|item| item.index).collect();
        let (first, then): (Vec<Shown>, Vec<Shown>) =
            items.into_iter().partition(|item| parent_of(item.index).is_none());
        for shown in first.into_iter().chain(then) {
            let (index, digest) = (shown.index, shown.digest.clone());
            let item = seen.items.iter().find(|item| item.index == index);
            let outcome =
                if item.is_some_and(|item| item.status != State::Confirmed && takes_away(item)) {
                    Err(Error::ConfirmAlone { item: format!("{set}:{index}") })
                } else {
                    let place = (set, index, digest);
                    self.decide_among(caller, place, Verdict::Confirm, id.as_deref()).await
                };
            outcomes.push((shown, outcome));
        }
        outcomes.sort_by_key(|(shown, _)| order.iter().position(|at| *at == shown.index));
        Ok(outcomes)
    }

    /// Decides one of several items of a set; each has its own receipt under that of the request.
    async fn decide_among(
        &self,
        caller: &Caller,
        (set, index, digest): (&ChangeSetId, i64, String),
        verdict: Verdict,
        id: Option<&str>,
    ) -> Result<Outcome, Error> {
        let once = id.map(|id| Once {
            id: hash::joined(&[id, &index.to_string()]).0,
            request: hash::sha256(&digest),
            answer: format!("{set}:{index}"),
            effects: None,
        });
        let (task, set, digest) = (None, set.clone(), Some(digest));
        let wanted = VerdictOf { task, set, index, verdict, digest, reason: None, over: None };
        let settled = self.settle_once(caller, wanted, once).await?;
        self.outcome(caller.workspace, settled).await
    }

    /// Decides items of one task, each with its own outcome and idempotency key, and answers the task as
    /// it is then, with what is open about it.
    ///
    /// Errors: no such task. A verdict that is refused is an outcome.
    pub async fn decide_items(
        &self,
        caller: &Caller,
        id: &TaskId,
        wanted: Vec<(VerdictOf, Option<String>)>,
    ) -> Result<DecidedItems, Error> {
        require(caller, Scope::Decide)?;
        let ws = caller.workspace;
        if self.store.first(task::by_id(ws, id)).await?.is_none() {
            return Err(JournalError::NoTask { task: id.clone() }.into());
        }
        let (mut outcomes, mut written) = (Vec::new(), None);
        let mut waiting = Vec::new();
        let places: Vec<_> = wanted.iter().map(|(one, _)| (one.set.clone(), one.index)).collect();
        for (place, (wanted, key)) in wanted.into_iter().enumerate() {
            let wanted = VerdictOf { task: Some(id.clone()), ..wanted };
            let outcome = self.settled_among(caller, wanted.clone(), key.clone(), &mut written);
            let outcome = outcome.await;
            // What it belongs to is confirmed later in the same request.
            if let Err(Error::Decide(DecideError::ParentFirst { parent, .. })) = &outcome
                && places[place + 1..].contains(&(wanted.set.clone(), *parent))
            {
                waiting.push((place, wanted, key));
            }
            outcomes.push(outcome);
        }
        for (place, wanted, key) in waiting {
            outcomes[place] = self.settled_among(caller, wanted, key, &mut written).await;
        }
        let open = self.open_after(caller, id, written).await;
        Ok(DecidedItems { outcomes, open })
    }

    /// Decides one of many, and keeps what the last of them wrote.
    async fn settled_among(
        &self,
        caller: &Caller,
        wanted: VerdictOf,
        key: Option<String>,
        written: &mut Option<(TaskView, Seq)>,
    ) -> Result<Outcome, Error> {
        let settled = self.settle(caller, wanted, key).await?;
        if let Some(by_this) = written_by(&settled) {
            *written = Some(by_this);
        }
        self.outcome(caller.workspace, settled).await
    }

    /// The task that was decided on as a list shows it, if the caller may read it. A verdict is durable: a
    /// list that cannot be read must not look like a refusal.
    async fn open_after(
        &self,
        caller: &Caller,
        id: &TaskId,
        written: Option<(TaskView, Seq)>,
    ) -> Option<OpenChanges> {
        require(caller, Scope::Read).ok()?;
        let ws = caller.workspace;
        let open = match written {
            Some((task, at)) => self.queries.open_changes_after(ws, &task, at).await,
            None => self.queries.open_changes(ws, id).await,
        };
        open.ok()
    }

    /// Defers every open item of a set.
    pub async fn dismiss(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        key: Option<String>,
    ) -> Result<Vec<Outcome>, Error> {
        require(caller, Scope::Decide)?;
        let id = receipt_id(caller, key.as_deref())?;
        let seen = self.read_change_set(caller.workspace, set).await?;
        let open = seen.items.into_iter().filter(|item| item.status == State::Pending);
        let mut wanted: Vec<(i64, String)> =
            open.map(|item| (item.index, item.digest.to_string())).collect();
        if let Some(id) = &id {
            // The affected items are stored before anything is decided, so that a repeated request
            // affects the same items and none shown since.
            let once = Once {
                id: id.clone(),
                request: hash::sha256(
                    hash::canonical(&("all", set, name_in_receipts(Verdict::Defer)))
                        .expect("a request is plain data"),
                ),
                answer: hash::canonical(&wanted).expect("places and digests are plain data"),
                effects: None,
            };
            let commit = Commit::new("change.decideAll", Db::Agent, caller.workspace).once(once);
            if let Some(answer) = self.store.commit(commit).await?.replayed {
                wanted = serde_json::from_str(&answer)
                    .map_err(|e| DecideError::Broken(format!("receipt {id}: {e}")))?;
            }
        }
        let mut outcomes = Vec::new();
        for (index, digest) in wanted {
            let place = (set, index, digest);
            match self.decide_among(caller, place, Verdict::Defer, id.as_deref()).await {
                Ok(outcome) => outcomes.push(outcome),
                Err(error @ (Error::Decide(_) | Error::Journal(_))) => {
                    let fresh = self.read_change_set(caller.workspace, set).await?;
                    let status = fresh.status;
                    if let Some(mut item) =
                        fresh.items.into_iter().find(|other| other.index == index)
                    {
                        item.error.get_or_insert(error.problem().detail);
                        outcomes.push(Outcome { item, set_status: status, revision: None });
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Ok(outcomes)
    }

    /// Shows the result of a verdict, without reading again what the verdict knows.
    async fn outcome(&self, ws: WorkspaceId, settled: Settled) -> Result<Outcome, Error> {
        let Settled { set, items, item, task, .. } = settled;
        let task = match task {
            Some(view) => Some(view),
            None => match self.journal.task(ws, &item.task).await {
                Ok(view) => Some(view),
                Err(JournalError::NoTask { .. }) => None,
                Err(error) => return Err(error.into()),
            },
        };
        let set = self.queries.set_as_left(set, items, task.as_ref());
        let (set_status, index) = (set.status, item.index);
        let item = set.items.into_iter().find(|other| other.index == index);
        let item =
            item.ok_or_else(|| Error::NotFound { what: "proposal", id: index.to_string() })?;
        Ok(Outcome { item, set_status, revision: task.map(|view| view.revision) })
    }
}

/// How the digest of a request spells a verdict: as in the receipts of earlier versions, so that a
/// request repeated after an update is recognised.
fn name_in_receipts(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Confirm => "Confirm",
        Verdict::Reject => "Reject",
        Verdict::Defer => "Defer",
        Verdict::Undo => "Undo",
    }
}
