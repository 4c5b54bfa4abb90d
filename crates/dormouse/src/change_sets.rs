//! Change sets: read and decide.

use std::collections::BTreeMap;
use std::time::Duration;

use dormouse_changes::set::fold;
use dormouse_changes::{DecideError, tools};
use dormouse_journal::JournalError;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::{Commit, CommitError, Db, Once, ReadError, receipt};
use dormouse_types::model::TaskState;
use dormouse_types::{Caller, ChangeSetId, Fingerprint, Id as _, Scope, TaskId, hash, limits};
use serde::Serialize;
use serde_json::Value;

use crate::asked::{receipt_id, require, told, who};
use crate::view::{ChangeItem, ChangeSet, Outcome};
use crate::{Dormouse, Error};

/// What a person decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Verdict {
    /// Apply it.
    Confirm,
    /// Do not.
    Reject,
    /// Later.
    Defer,
    /// Take the verdict back.
    Undo,
}

/// One verdict of many.
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
    /// Why, of a rejection.
    pub reason: Option<String>,
}

/// Tasks that were read for a list, by id; none for one that is gone.
type Tasks = BTreeMap<TaskId, Option<TaskState>>;

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
        for set in stored {
            let items = self.store.all(change_item::of_set(ws, &set.doc.value.id)).await?;
            if all || items.iter().any(|item| item.state.is_open()) {
                sets.push(self.set_view(caller, set, items, &mut tasks).await?);
            }
        }
        Ok(sets)
    }

    /// A change set.
    pub async fn change_set(&self, caller: &Caller, id: &ChangeSetId) -> Result<ChangeSet, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let set = self
            .store
            .first(entity::by_id::<change_set::ChangeSet>(ws, id.as_str()))
            .await?
            .ok_or_else(|| Error::NotFound { what: "change set", id: id.to_string() })?;
        let items = self.store.all(change_item::of_set(ws, id)).await?;
        self.set_view(caller, set, items, &mut Tasks::new()).await
    }

    /// The change sets a person may mean: an id or its end, or words of a task's title.
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

    /// Decides one item. The digest is what the person was shown.
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
        require(caller, Scope::Decide)?;
        let request = (set, index, verdict, &digest, &reason);
        let once = receipt_id(caller, key.as_deref())?.map(|id| Once {
            id,
            request: hash::sha256(hash::canonical(&request).expect("a verdict is plain data")),
            answer: format!("{set}:{index}"),
            effects: None,
        });
        self.decide_once(caller, set, index, verdict, digest, reason, once).await
    }

    #[expect(clippy::too_many_arguments, reason = "each is one value of the request")]
    async fn decide_once(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        index: i64,
        verdict: Verdict,
        digest: Option<String>,
        reason: Option<String>,
        once: Option<Once>,
    ) -> Result<Outcome, Error> {
        let ws = caller.workspace;
        if let Some(once) = &once
            && let Some(receipt) = self.store.first(receipt::by_id(Db::Agent, ws, &once.id)).await?
        {
            if receipt.request != once.request {
                let id = once.id.clone();
                return Err(CommitError::Mismatch { label: "change.decide", id }.into());
            }
            // Sent again: it was decided then, and is not decided anew after an undo.
            let missing = || DecideError::NotFound { set: set.clone(), index };
            let item = self.store.first(change_item::by_index(ws, set, index)).await?;
            let item = item.ok_or_else(missing)?;
            // What could never be applied was refused then, and is refused now; what is being applied
            // is waited for.
            let is_applying = item.state == State::Applying && verdict == Verdict::Confirm;
            if item.state != State::Retracted && !is_applying {
                return self.outcome(caller, item).await;
            }
        }
        let digest = digest.map(|digest| Fingerprint(digest.trim().to_lowercase()));
        let (who, digest) = (who(caller, once), digest.as_ref());
        let changes = &self.changes;
        let item = match verdict {
            Verdict::Confirm => changes.confirm(&who, set, index, digest).await?,
            Verdict::Reject => changes.reject(&who, set, index, digest, reason.as_deref()).await?,
            Verdict::Defer => changes.defer(&who, set, index, digest).await?,
            Verdict::Undo => changes.undo(&who, set, index, digest).await?,
        };
        self.outcome(caller, item).await
    }

    /// Decides many items in order; reports each and stops at nothing.
    pub async fn decide_many(
        &self,
        caller: &Caller,
        verdicts: Vec<VerdictOf>,
    ) -> Result<Vec<Result<Outcome, Error>>, Error> {
        require(caller, Scope::Decide)?;
        let mut outcomes = Vec::new();
        for one in verdicts {
            let VerdictOf { set, index, verdict, digest, reason } = one;
            outcomes.push(self.decide(caller, &set, index, verdict, digest, reason, None).await);
        }
        Ok(outcomes)
    }

    /// Confirms the items of a set that are shown, in order. What fails stays with its reason.
    pub async fn confirm_all(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        key: Option<String>,
    ) -> Result<Vec<Outcome>, Error> {
        self.decide_open(caller, set, Verdict::Confirm, key).await
    }

    /// Looks whether the caller decides, and on a task that is there: what comes before a list of
    /// verdicts, of which each is answered for itself.
    pub async fn decides_on(&self, caller: &Caller, task: &TaskId) -> Result<(), Error> {
        require(caller, Scope::Decide)?;
        self.task(&told(caller), task).await.map(drop)
    }

    /// Looks whether the caller decides, and on a set of this task.
    pub async fn decides_on_set(
        &self,
        caller: &Caller,
        task: &TaskId,
        set: &ChangeSetId,
    ) -> Result<(), Error> {
        require(caller, Scope::Decide)?;
        let found = self.change_set(&told(caller), set).await?;
        if found.task_id == *task {
            return Ok(());
        }
        Err(Error::NotFound { what: "change set of this task", id: set.to_string() })
    }

    /// Puts every open item of a set off.
    pub async fn dismiss(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        key: Option<String>,
    ) -> Result<Vec<Outcome>, Error> {
        self.decide_open(caller, set, Verdict::Defer, key).await
    }

    async fn decide_open(
        &self,
        caller: &Caller,
        set: &ChangeSetId,
        verdict: Verdict,
        key: Option<String>,
    ) -> Result<Vec<Outcome>, Error> {
        require(caller, Scope::Decide)?;
        let id = receipt_id(caller, key.as_deref())?;
        let seen = self.change_set(&told(caller), set).await?;
        let open = seen.items.into_iter().filter(|item| item.status == "pending");
        // What was not shown is not confirmed, and what takes something away is confirmed by itself;
        // putting off takes everything.
        let wanted =
            open.filter(|item| verdict == Verdict::Defer || (item.shown && !takes_away(item)));
        let mut wanted: Vec<(i64, String)> =
            wanted.map(|item| (item.index, item.digest.to_string())).collect();
        if let Some(id) = &id {
            // What is meant is kept before anything is decided: sent again, the request means the
            // same items, and none that were shown since.
            let once = Once {
                id: id.clone(),
                request: hash::sha256(
                    hash::canonical(&("all", set, verdict)).expect("a request is plain data"),
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
            let once = id.as_ref().map(|id| Once {
                id: hash::joined(&[id, &index.to_string()]).0,
                request: hash::sha256(&digest),
                answer: format!("{set}:{index}"),
                effects: None,
            });
            let decided = self.decide_once(caller, set, index, verdict, Some(digest), None, once);
            match decided.await {
                Ok(outcome) => outcomes.push(outcome),
                Err(error @ (Error::Decide(_) | Error::Journal(_))) => {
                    let fresh = self.change_set(&told(caller), set).await?;
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
        let set = self.change_set(&told(caller), &item.set).await?;
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

    async fn set_view(
        &self,
        caller: &Caller,
        stored: Stored<change_set::ChangeSet>,
        items: Vec<Item>,
        tasks: &mut Tasks,
    ) -> Result<ChangeSet, Error> {
        let set = stored.doc.value;
        if !tasks.contains_key(&set.task_id) {
            let state = match self.journal.task(caller.workspace, &set.task_id).await {
                Ok(view) => Some(dormouse_journal::state(&view, &self.zone)),
                Err(
                    JournalError::NoTask { .. } | JournalError::Read(ReadError::Corrupt { .. }),
                ) => None,
                Err(error) => return Err(error.into()),
            };
            tasks.insert(set.task_id.clone(), state);
        }
        let task = tasks.get(&set.task_id).and_then(Option::as_ref);
        let shown = fold::shown(&items);
        let status = fold::status(items.iter().map(|item| &item.state));
        let status = serde_json::to_value(status).unwrap_or_default();
        Ok(ChangeSet {
            items: items.into_iter().map(|item| item_view(item, &shown, task)).collect(),
            task_title: task.map(|task| task.title.clone()).unwrap_or_default(),
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
}

pub(crate) fn item_view(item: Item, shown: &[i64], task: Option<&TaskState>) -> ChangeItem {
    let args: Value = serde_json::from_str(&item.args).unwrap_or_default();
    let tool = tools::item(&item.tool);
    let open = matches!(item.state, State::Pending | State::Deferred);
    ChangeItem {
        human_summary: tool.map_or_else(|| item.tool.clone(), |tool| tool.summary(&args, task)),
        now: tool.zip(task).and_then(|(tool, task)| tool.now(&args, task)),
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
        expires_at: item
            .shown_at
            .filter(|_| open)
            .map(|shown| shown + Duration::from_secs(limits::PROPOSAL_AGE_SECONDS)),
        round: item.round,
        error: item.error,
        created_at: item.created_at,
        decided_at: item.decided_at,
    }
}

/// Whether an item, once applied, takes something away. One of a tool that this version does not know
/// may.
pub(crate) fn takes_away(item: &ChangeItem) -> bool {
    tools::item(&item.tool_name).is_none_or(|tool| tool.is_destructive(&item.args))
}
