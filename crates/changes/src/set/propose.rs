//! What a turn's proposals and retractions write: new open items, and each affected set once.

use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, SetStatus};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::rule;
use dormouse_store::doc::Doc;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::{
    ChangeSetId, EventKind, HolderId, Id as _, Origin, RuleId, RunKey, TaskId, ThreadId, Timestamp,
    TokenId, WorkspaceId, hash,
};

use crate::group;
use crate::set::conclude;
use crate::set::error::DecideError;
use crate::set::fold;
use crate::set::proposed::Proposed;
use crate::set::rows::{operation, refreshed};
use crate::set::service::Changes;
use crate::set::state::{Event, after};
use crate::set::supersede;
use crate::set::validate::evidence_json;
use crate::tool::Retraction;

/// Who makes proposals about a task.
#[derive(Debug, Clone, Copy)]
pub struct Proposer<'a> {
    /// Workspace of the task.
    pub ws: WorkspaceId,
    /// The agent of the task, or the run of agent work; decisions about the proposals are on its decision
    /// thread.
    pub holder: &'a HolderId,
    /// Task that the proposals are about.
    pub task: &'a TaskId,
    /// What they come from.
    pub source: Source<'a>,
}

/// What proposals come from. The proposals of one source are one set.
#[derive(Debug, Clone, Copy)]
pub enum Source<'a> {
    /// An attempt of a run.
    Run {
        /// Thread that holds the run's messages.
        thread: &'a ThreadId,
        key: &'a RunKey,
        /// Whether its model was shown something private.
        is_of_private: bool,
    },
    /// A program with a token that may propose.
    Client {
        token: &'a TokenId,
        /// Id of its request: repeating the request adds to the same set.
        request: &'a str,
    },
}

impl Proposer<'_> {
    /// Key that groups the proposals into one set. Their operation ids derive from it.
    fn group(&self) -> RunKey {
        match self.source {
            Source::Run { key, .. } => key.clone(),
            Source::Client { token, request } => {
                RunKey(hash::joined(&["client", token.as_str(), request]).0)
            }
        }
    }

    /// Returns whether something private is known to be part of them.
    fn is_of_private(&self) -> bool {
        match self.source {
            Source::Run { is_of_private, .. } => is_of_private,
            // What a program has read of the person's is not known.
            Source::Client { .. } => false,
        }
    }

    /// Thread in which their origin can be read.
    fn thread(&self) -> ThreadId {
        match self.source {
            Source::Run { thread, .. } => thread.clone(),
            Source::Client { .. } => conclude::thread(self.holder),
        }
    }
}

/// What a turn's proposals and retractions write, and the change rows that announce it.
#[derive(Debug, Default)]
pub struct TurnOps {
    /// Writes for the turn's commit.
    pub ops: Vec<Op>,
    /// One row for each set that the turn creates or changes.
    pub news: Vec<ChangeRow>,
}

/// A set as it will be after the turn.
struct TouchedSet {
    set: Doc<ChangeSet>,
    items: Vec<Item>,
    /// Number of items already stored; the items after them are new. 0 for a new set.
    n_stored: usize,
    is_new: bool,
    /// Whether its row has to be written, even if its status stays.
    is_changed: bool,
    /// The new items that a rule is to confirm.
    by_rule: Vec<(i64, RuleId)>,
}

impl Changes {
    /// Returns the ops of a turn.
    ///
    /// All proposals of one source about a task go into one set. Retractions are in the same commit as
    /// the proposals that replace them, so a reader never sees the list of open items empty in
    /// between. Each affected set is loaded and written once, because its status and its shown
    /// items depend on all changes of the turn together.
    pub async fn turn_ops(
        &self,
        by: Proposer<'_>,
        proposed: &[Proposed],
        retractions: &[Retraction],
    ) -> Result<TurnOps, DecideError> {
        let now = self.clock.now();
        let mut ops = Vec::new();
        let mut news = Vec::new();
        let mut all: Vec<TouchedSet> = Vec::new();
        let items = if proposed.is_empty() {
            Vec::new()
        } else {
            self.store.all(change_item::of_task(by.ws, by.task)).await?
        };
        let is_named = |item: &Item| retractions.iter().any(|one| one.item == *item);
        let mut superseded = supersede::superseded(proposed, &items);
        superseded.retain(|one| !is_named(&one.item));
        for retraction in retractions.iter().chain(&superseded) {
            let item = &retraction.item;
            let to = after(item.state, Event::Retract)
                .map_err(|e| DecideError::Broken(e.to_string()))?;
            ops.push(change_item::transition(by.ws, item, to, Some(&retraction.reason), None, now));
            let touched = self.touched(by.ws, &mut all, &item.set).await?;
            for other in touched.items.iter_mut().filter(|other| other.index == item.index) {
                other.state = State::Retracted;
            }
            // What belongs to it goes with it, unless it is withdrawn by itself.
            for child in group::open_children(&touched.items, item) {
                if is_named(&child) {
                    continue;
                }
                let why = group::ended_with(item);
                let to = State::Retracted;
                ops.push(change_item::transition(by.ws, &child, to, Some(&why), None, now));
                for other in touched.items.iter_mut().filter(|other| other.index == child.index) {
                    other.state = to;
                }
            }
        }
        if !proposed.is_empty() {
            let sets = self.store.all(entity::of_task::<ChangeSet>(by.ws, by.task)).await?;
            let group = by.group();
            let is_same = |set: &Stored<ChangeSet>| set.doc.value.run_key == group.as_str();
            let touched = match sets.into_iter().find(is_same) {
                Some(set) => self.touched(by.ws, &mut all, &set.doc.value.id).await?,
                None => {
                    let set = Doc::new(self.fresh_set(by, now));
                    let (items, by_rule) = (Vec::new(), Vec::new());
                    let (is_new, is_changed) = (true, false);
                    all.push(TouchedSet { set, items, n_stored: 0, is_new, is_changed, by_rule });
                    all.last_mut().expect("it was pushed")
                }
            };
            // An earlier turn of the run may have been shown less.
            if by.is_of_private() && !touched.set.value.made_of_private {
                touched.set.value.made_of_private = true;
                touched.is_changed = true;
            }
            for one in proposed {
                // Another proposal of the turn may have been dropped since; places are named, so
                // that each keeps its own, and what belongs to the dropped one is dropped with it.
                let last = touched.items.iter().map(|item| item.index).max().unwrap_or(0);
                let index = one.index.max(last + 1);
                let parent = group::parent(one.tool, &one.args);
                if parent.is_some_and(|at| touched.items.iter().all(|item| item.index != at)) {
                    continue;
                }
                let item = fresh_item(by, &touched.set.value.id, index, one, now);
                touched.by_rule.extend(one.by_rule.clone().map(|rule| (index, rule)));
                touched.items.push(item);
            }
        }
        for touched in all {
            let event =
                if touched.is_new { EventKind::ChangeSetCreated } else { EventKind::ChangeSetItem };
            let origin = Origin::own(by.holder);
            let set = touched.set.value.id.to_string();
            news.push(ChangeRow::agent(origin, event, Some(by.task.clone()), set));
            ops.extend(touched.ops(by.ws, now));
        }
        Ok(TurnOps { ops, news })
    }

    /// Returns the set as this turn leaves it so far, reading it on first use.
    async fn touched<'t>(
        &self,
        ws: WorkspaceId,
        all: &'t mut Vec<TouchedSet>,
        id: &ChangeSetId,
    ) -> Result<&'t mut TouchedSet, DecideError> {
        let place = match all.iter().position(|touched| touched.set.value.id == *id) {
            Some(place) => place,
            None => {
                let set = self.store.first(entity::by_id::<ChangeSet>(ws, id.as_str())).await?;
                let set = set.ok_or_else(|| DecideError::Broken(format!("set {id} is gone")))?;
                let items = self.store.all(change_item::of_set(ws, id)).await?;
                let n_stored = items.len();
                let (is_new, is_changed, by_rule) = (false, false, Vec::new());
                let set = set.doc;
                all.push(TouchedSet { set, items, n_stored, is_new, is_changed, by_rule });
                all.len() - 1
            }
        };
        Ok(&mut all[place])
    }

    fn fresh_set(&self, by: Proposer<'_>, now: Timestamp) -> ChangeSet {
        ChangeSet {
            id: ChangeSetId::fresh(now, &*self.entropy),
            proposer: by.holder.clone(),
            task_id: by.task.clone(),
            thread_id: by.thread(),
            run_key: by.group().to_string(),
            made_of_private: by.is_of_private(),
            status: SetStatus::Pending,
            created_at: now,
            updated_at: now,
            resolved_at: None,
            deleted_at: None,
        }
    }
}

fn fresh_item(
    by: Proposer<'_>,
    set: &ChangeSetId,
    index: i64,
    proposed: &Proposed,
    now: Timestamp,
) -> Item {
    Item {
        set: set.clone(),
        index,
        task: by.task.clone(),
        proposer: by.holder.clone(),
        tool: proposed.tool.to_owned(),
        args: hash::canonical(&proposed.args).expect("arguments are plain JSON"),
        fingerprint: proposed.fingerprint.clone(),
        evidence: proposed.evidence.as_ref().map(evidence_json),
        rationale: proposed.rationale.clone(),
        change: proposed.change.clone(),
        before: None,
        state: State::Pending,
        round: 0,
        operation: operation(by.group().as_str(), &proposed.fingerprint, 0),
        error: None,
        shown_at: None,
        created_at: now,
        decided_at: None,
    }
}

impl TouchedSet {
    fn ops(mut self, ws: WorkspaceId, now: Timestamp) -> Vec<Op> {
        let shown = fold::shown_indexes(&self.items);
        let mut ops = Vec::new();
        for item in &mut self.items[self.n_stored..] {
            item.shown_at = shown.contains(&item.index).then_some(now);
            ops.push(change_item::insert(ws, item));
            let rule = self.by_rule.iter().find(|(index, _)| *index == item.index);
            ops.extend(
                rule.map(|(index, rule)| rule::leave_to(ws, (&item.set, *index), rule, now)),
            );
        }
        if self.is_new {
            ops.push(entity::insert(ws, &self.set.value));
        } else {
            let status = self.set.value.status;
            ops.extend(refreshed(ws, &mut self.set, &mut self.items, now));
            if self.is_changed && self.set.value.status == status {
                self.set.value.updated_at = now;
                ops.push(entity::put(ws, &self.set));
            }
        }
        ops
    }
}
