//! Change sets: read and decide.

use std::collections::BTreeMap;

use dormouse_changes::set::fold;
use dormouse_changes::set::standing::{self, KnownValue};
use dormouse_changes::{DecideError, tools};
use dormouse_journal::{JournalError, TaskStanding};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::{Commit, CommitError, Db, Once, ReadError, receipt};
use dormouse_types::model::TaskState;
use dormouse_types::{
    Caller, ChangeSetId, Fingerprint, Id as _, Scope, TaskId, WorkspaceId, hash, limits,
};
use serde::Serialize;
use serde_json::Value;

use crate::request::{decider, receipt_id, require};
use crate::view::{ChangeItem, ChangeSet, Outcome};
use crate::{Dormouse, Error};

/// A verdict of the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Apply it.
    Confirm,
    /// Reject it.
    Reject,
    /// Defer it.
    Defer,
    /// Undo the verdict.
    Undo,
}

/// One of many verdicts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictOf {
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

/// An item as it was shown, for confirming several at once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Shown {
    /// The item, from 1.
    pub index: i64,
    /// Its digest.
    pub digest: String,
}

/// Tasks loaded for a list, by id; `None` for a missing one.
type Tasks = BTreeMap<TaskId, Option<(TaskState, TaskStanding)>>;

impl Dormouse {
    /// Change sets, newest first: those with open items, or all.
    pub async fn change_sets(
        &self,
        caller: &Caller,
        task: Option<TaskId>,
        all: bool,
    ) -> Result<Vec<ChangeSet>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let stored = match &task {
            Some(task) => {
                self.journal.task(ws, task).await?;
                self.store.all(entity::of_task::<change_set::ChangeSet>(ws, task)).await?
            }
            None => self.store.all(entity::of_kind::<change_set::ChangeSet>(ws)).await?,
        };
        let mut tasks = Tasks::new();
        let mut sets = Vec::new();
        let now = self.clock.now();
        for set in stored {
            let items = self.store.all(change_item::of_set(ws, &set.doc.value.id)).await?;
            if !all && !items.iter().any(|item| item.state.is_open()) {
                continue;
            }
            let task = self.task_in(ws, &set.doc.value.task_id, &mut tasks).await?;
            let task = task.map(|(_, standing)| standing);
            if all || items.iter().any(|item| standing::of(item, task, now).is_asked()) {
                sets.push(self.set_view(ws, set, items, &mut tasks).await?);
            }
        }
        Ok(sets)
    }

    /// A change set.
    pub async fn change_set(&self, caller: &Caller, id: &ChangeSetId) -> Result<ChangeSet, Error> {
        require(caller, Scope::Read)?;
        self.read_change_set(caller.workspace, id).await
    }

    /// Reads a change set without a check: a token that may write and not read gets the result of
    /// its own write.
    async fn read_change_set(&self, ws: WorkspaceId, id: &ChangeSetId) -> Result<ChangeSet, Error> {
        let set = self
            .store
            .first(entity::by_id::<change_set::ChangeSet>(ws, id.as_str()))
            .await?
            .ok_or_else(|| Error::NotFound { what: "change set", id: id.to_string() })?;
        let items = self.store.all(change_item::of_set(ws, id)).await?;
        self.set_view(ws, set, items, &mut Tasks::new()).await
    }

    /// Finds change sets by an id or its end, or words of the task's title.
    pub async fn find_sets(&self, caller: &Caller, text: &str) -> Result<Vec<ChangeSet>, Error> {
        require(caller, Scope::Read)?;
        let text = text.trim().to_lowercase();
        let ends = |id: &str| id == text || (text.len() >= 5 && id.ends_with(&text));
        let of_kind = entity::of_kind::<change_set::ChangeSet>(caller.workspace);
        let mut found = Vec::new();
        for set in self.store.all(of_kind).await? {
            if ends(set.doc.value.id.as_str()) {
                found.push(self.change_set(caller, &set.doc.value.id).await?);
            }
        }
        if found.is_empty() {
            for task in self.find_tasks(caller, &text).await? {
                found.extend(self.change_sets(caller, Some(task.id), false).await?);
            }
            found.sort_by(|a, b| (b.created_at, &b.id).cmp(&(a.created_at, &a.id)));
        }
        Ok(found)
    }

    /// Decides one item. The digest identifies what the user was shown.
    #[expect(clippy::too_many_arguments, reason = "each is one value of the request")]
    pub async fn decide(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        index: i64,
        verdict: Verdict,
        digest: Option<String>,
        reason: Option<String>,
        key: Option<String>,
    ) -> Result<Outcome, Error> {
        let set = set.clone();
        self.decide_item(caller, VerdictOf { set, index, verdict, digest, reason, over: None }, key)
            .await
    }

    /// Decides one item, even if that overwrites a value that the user set since the proposal.
    pub async fn decide_item(
        &self,
        caller: &Caller,
        asked: VerdictOf,
        key: Option<String>,
    ) -> Result<Outcome, Error> {
        require(caller, Scope::Decide)?;
        let VerdictOf { set, index, verdict, digest, reason, over } = &asked;
        let request = hash::canonical(&(set, index, verdict, digest, reason));
        let over = over.as_ref().map(|over| hash::canonical(over).expect("a value is plain data"));
        let request = request.expect("a verdict is plain data") + &over.unwrap_or_default();
        let once = receipt_id(caller, key.as_deref())?.map(|id| Once {
            id,
            request: hash::sha256(request),
            answer: format!("{set}:{index}"),
            effects: None,
        });
        self.decide_once(caller, asked, once).await
    }

    async fn decide_once(
        &self,
        caller: &Caller,
        asked: VerdictOf,
        once: Option<Once>,
    ) -> Result<Outcome, Error> {
        let VerdictOf { set, index, verdict, digest, reason, over } = asked;
        let (ws, set) = (caller.workspace, &set);
        if let Some(once) = &once
            && let Some(receipt) = self.store.first(receipt::by_id(Db::Agent, ws, &once.id)).await?
        {
            if receipt.request != once.request {
                let id = once.id.clone();
                return Err(CommitError::Mismatch { label: "change.decide", id }.into());
            }
            // A repeated request: it was decided then, and is not decided again after an undo.
            let missing = || DecideError::NotFound { set: set.clone(), index };
            let item = self.store.first(change_item::by_index(ws, set, index)).await?;
            let item = item.ok_or_else(missing)?;
            // An item that could not be applied is refused again; for an item being applied, wait.
            let is_applying = item.state == State::Applying && verdict == Verdict::Confirm;
            if verdict == Verdict::Confirm
                && let Some(why) = self.changes.not_applied(ws, &item, over.as_ref()).await?
            {
                return Err(why.into());
            }
            if item.state != State::Retracted && !is_applying {
                return self.outcome(caller, item).await;
            }
        }
        let digest = digest.map(|digest| Fingerprint(digest.trim().to_lowercase()));
        let (who, digest) = (decider(caller, once), digest.as_ref());
        let changes = &self.changes;
        let item = match verdict {
            Verdict::Confirm => match &over {
                Some(over) => changes.confirm_over(&who, set, index, digest, over).await?,
                None => changes.confirm(&who, set, index, digest).await?,
            },
            Verdict::Reject => changes.reject(&who, set, index, digest, reason.as_deref()).await?,
            Verdict::Defer => changes.defer(&who, set, index, digest).await?,
            Verdict::Undo => changes.undo(&who, set, index, digest).await?,
        };
        self.outcome(caller, item).await
    }

    /// Decides many items in order; each has its own outcome, and a refusal does not stop the rest.
    pub async fn decide_many(
        &self,
        caller: &Caller,
        verdicts: Vec<VerdictOf>,
    ) -> Result<Vec<Result<Outcome, Error>>, Error> {
        require(caller, Scope::Decide)?;
        let mut outcomes = Vec::new();
        for one in verdicts {
            outcomes.push(self.decide_item(caller, one, None).await);
        }
        Ok(outcomes)
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
        for shown in items {
            let (index, digest) = (shown.index, shown.digest.clone());
            let item = seen.items.iter().find(|item| item.index == index);
            let outcome = if item.is_some_and(|item| item.status != "confirmed" && takes_away(item))
            {
                Err(Error::ConfirmAlone { item: format!("{set}:{index}") })
            } else {
                let place = (set, index, digest);
                self.decide_among(caller, place, Verdict::Confirm, id.as_deref()).await
            };
            outcomes.push((shown, outcome));
        }
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
        let set = set.clone();
        let asked =
            VerdictOf { set, index, verdict, digest: Some(digest), reason: None, over: None };
        self.decide_once(caller, asked, once).await
    }

    /// Checks that the caller may decide and that the task exists, before a list of verdicts with
    /// separate outcomes.
    pub async fn decides_on(&self, caller: &Caller, task: &TaskId) -> Result<(), Error> {
        require(caller, Scope::Decide)?;
        self.read_task(caller.workspace, task).await.map(drop)
    }

    /// Checks that the caller may decide and that the set belongs to this task.
    pub async fn decides_on_set(
        &self,
        caller: &Caller,
        task: &TaskId,
        set: &ChangeSetId,
    ) -> Result<(), Error> {
        require(caller, Scope::Decide)?;
        let found = self.read_change_set(caller.workspace, set).await?;
        if found.task_id == *task {
            return Ok(());
        }
        Err(Error::NotFound { what: "change set of this task", id: set.to_string() })
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
        let open = seen.items.into_iter().filter(|item| item.status == "pending");
        let mut wanted: Vec<(i64, String)> =
            open.map(|item| (item.index, item.digest.to_string())).collect();
        if let Some(id) = &id {
            // The affected items are stored before anything is decided, so that a repeated request
            // affects the same items and none shown since.
            let once = Once {
                id: id.clone(),
                request: hash::sha256(
                    hash::canonical(&("all", set, Verdict::Defer))
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
                    let status = fresh.status.clone();
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

    async fn outcome(&self, caller: &Caller, item: Item) -> Result<Outcome, Error> {
        let set = self.read_change_set(caller.workspace, &item.set).await?;
        let revision = match self.journal.task(caller.workspace, &item.task).await {
            Ok(view) => Some(view.revision),
            Err(JournalError::NoTask { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        let (status, index) = (set.status.clone(), item.index);
        let item = set.items.into_iter().find(|other| other.index == index);
        let item =
            item.ok_or_else(|| Error::NotFound { what: "proposal", id: index.to_string() })?;
        Ok(Outcome { item, set_status: status, revision })
    }

    /// A task as needed by lists of change sets; loaded once.
    async fn task_in<'t>(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
        tasks: &'t mut Tasks,
    ) -> Result<Option<&'t (TaskState, TaskStanding)>, Error> {
        if !tasks.contains_key(id) {
            let task = match self.journal.task(ws, id).await {
                Ok(view) => {
                    Some((dormouse_journal::state(&view, &self.zone), TaskStanding::of(&view)))
                }
                Err(
                    JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. }),
                ) => None,
                Err(error) => return Err(error.into()),
            };
            tasks.insert(id.clone(), task);
        }
        Ok(tasks.get(id).and_then(Option::as_ref))
    }

    async fn set_view(
        &self,
        ws: WorkspaceId,
        stored: Stored<change_set::ChangeSet>,
        items: Vec<Item>,
        tasks: &mut Tasks,
    ) -> Result<ChangeSet, Error> {
        let set = stored.doc.value;
        let task = self.task_in(ws, &set.task_id, tasks).await?;
        let items = self.as_shown(items, task.map(|(_, standing)| standing));
        let is_paused = task.is_some_and(|(_, standing)| standing.paused.is_some());
        let shown = if is_paused { Vec::new() } else { fold::shown(&items) };
        let status = fold::status(items.iter().map(|item| &item.state));
        let status = serde_json::to_value(status).unwrap_or_default();
        let task_state = task.map(|(state, standing)| (state, standing));
        Ok(ChangeSet {
            items: items.into_iter().map(|it| self.item_view(it, &shown, task_state)).collect(),
            task_title: task.map(|(task, _)| task.title.clone()).unwrap_or_default(),
            id: set.id,
            agent_id: set.agent_id,
            task_id: set.task_id,
            thread_id: set.thread_id,
            run_key: set.run_key,
            status: status.as_str().unwrap_or_default().to_owned(),
            created_at: set.created_at,
            resolved_at: set.resolved_at,
            vector_clock: stored.columns.clock,
        })
    }

    pub(crate) fn item_view(
        &self,
        item: Item,
        shown: &[i64],
        task: Option<(&TaskState, &TaskStanding)>,
    ) -> ChangeItem {
        let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
        let tool = tools::item(&item.tool);
        let open = matches!(item.state, State::Pending | State::Deferred);
        let (state, standing) = task.unzip();
        // The seven-day deadline is paused while the item is not shown.
        let is_paused = standing.is_some_and(|task| task.paused.is_some());
        let expires_at = standing::expires_at(&item, standing, self.clock.now());
        let set_since = open && state.is_some_and(|it| standing::set_since(&item, it).is_some());
        ChangeItem {
            human_summary: tool
                .map_or_else(|| item.tool.clone(), |tool| tool.summary(&args, state)),
            now: tool.zip(state).and_then(|(tool, task)| tool.now(&args, task)),
            set_since,
            proposed: tool.map(|tool| tool.proposed(&args)),
            set: item.set,
            index: item.index,
            tool_name: item.tool,
            args,
            status: item.state.name().into(),
            digest: item.fingerprint,
            evidence: item.evidence.and_then(|text| serde_json::from_str(&text).ok()),
            rationale: item.rationale,
            before: item.before,
            shown: shown.contains(&item.index),
            expires_at: expires_at.filter(|_| open && !is_paused),
            round: item.round,
            error: item.error,
            created_at: item.created_at,
            decided_at: item.decided_at,
        }
    }
}

/// Whether applying an item removes something. An item of an unknown tool might.
pub(crate) fn takes_away(item: &ChangeItem) -> bool {
    tools::item(&item.tool_name).is_none_or(|tool| tool.is_destructive(&item.args))
}
