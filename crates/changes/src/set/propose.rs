//! What a turn's proposals and retractions write: open items, and each touched set once.

use dormouse_store::Op;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{ChangeSet, SetStatus};
use dormouse_store::agent::entity;
use dormouse_store::doc::Doc;
use dormouse_types::{
    AgentId, ChangeSetId, Id as _, RunKey, TaskId, ThreadId, Timestamp, WorkspaceId,
};

use crate::set::decide::{Changes, DecideError, operation};
use crate::set::fold;
use crate::set::gather::{Proposed, evidence_json};
use crate::set::state::{Event, after};

/// The run that proposes.
#[derive(Debug, Clone, Copy)]
pub struct Proposer<'a> {
    /// The workspace.
    pub ws: WorkspaceId,
    /// The agent.
    pub agent: &'a AgentId,
    /// The task.
    pub task: &'a TaskId,
    /// The messages of the run.
    pub thread: &'a ThreadId,
    /// The run.
    pub run_key: &'a RunKey,
}

/// An open item its agent withdraws.
#[derive(Debug, Clone)]
pub struct Retraction {
    /// The item.
    pub item: Item,
    /// Why.
    pub reason: String,
}

impl Changes {
    /// The ops of a turn: one set per run and task, and the retractions of the same turn with it,
    /// so that the list of open items is never empty in between.
    pub async fn turn_ops(
        &self,
        by: Proposer<'_>,
        proposed: &[Proposed],
        retractions: &[Retraction],
    ) -> Result<Vec<Op>, DecideError> {
        let now = self.clock.now();
        let mut ops = Vec::new();
        let mut touched: Vec<(Doc<ChangeSet>, Vec<Item>, bool)> = Vec::new();
        for retraction in retractions {
            let item = &retraction.item;
            let to = after(item.state, Event::Retract)
                .map_err(|e| DecideError::Broken(e.to_string()))?;
            ops.push(change_item::settle(by.ws, item, to, Some(&retraction.reason), None, now));
            let place = self.touched(by.ws, &mut touched, &item.set).await?;
            if let Some(place) = place {
                for other in &mut touched[place].1 {
                    if other.index == item.index {
                        other.state = State::Retracted;
                    }
                }
            }
        }
        if !proposed.is_empty() {
            let own = self.store.all(entity::of_task::<ChangeSet>(by.ws, by.task)).await?;
            let own = own
                .into_iter()
                .find(|set| set.doc.value.run_key == by.run_key.as_str())
                .map(|set| set.doc.value.id);
            let place = match own {
                Some(id) => self.touched(by.ws, &mut touched, &id).await?.unwrap_or(0),
                None => {
                    touched.push((Doc::new(self.fresh_set(by, now)), Vec::new(), true));
                    touched.len() - 1
                }
            };
            let (set, items, _) = &mut touched[place];
            for one in proposed {
                let index = items.iter().map(|item| item.index).max().unwrap_or(0) + 1;
                items.push(fresh_item(by, &set.value.id, index, one, now));
            }
        }
        for (mut set, mut items, is_new) in touched {
            let shown = fold::shown(&items);
            for item in &mut items {
                let fresh = item.created_at == now && item.shown_at.is_none() && item.round == 0;
                let stored = !fresh || !proposed.iter().any(|p| p.fingerprint == item.fingerprint);
                if shown.contains(&item.index) && item.shown_at.is_none() {
                    item.shown_at = Some(now);
                    if stored {
                        ops.push(change_item::show(by.ws, &item.set, item.index, now));
                    }
                }
                if !stored {
                    ops.push(change_item::insert(by.ws, item));
                }
            }
            let status = fold::status(items.iter().map(|item| &item.state));
            if is_new {
                ops.push(entity::insert(by.ws, &set.value));
            } else if set.value.status != status {
                set.value.status = status;
                set.value.updated_at = now;
                set.value.resolved_at = (status == SetStatus::Resolved).then_some(now);
                ops.push(entity::put(by.ws, &set));
            }
        }
        Ok(ops)
    }

    async fn touched(
        &self,
        ws: WorkspaceId,
        touched: &mut Vec<(Doc<ChangeSet>, Vec<Item>, bool)>,
        id: &ChangeSetId,
    ) -> Result<Option<usize>, DecideError> {
        if let Some(place) = touched.iter().position(|(set, _, _)| set.value.id == *id) {
            return Ok(Some(place));
        }
        let Some(set) = self.store.first(entity::by_id::<ChangeSet>(ws, id.as_str())).await? else {
            return Ok(None);
        };
        let items = self.store.all(change_item::of_set(ws, id)).await?;
        touched.push((set.doc, items, false));
        Ok(Some(touched.len() - 1))
    }

    fn fresh_set(&self, by: Proposer<'_>, now: Timestamp) -> ChangeSet {
        ChangeSet {
            id: ChangeSetId::fresh(now, &*self.entropy),
            agent_id: by.agent.clone(),
            task_id: by.task.clone(),
            thread_id: by.thread.clone(),
            run_key: by.run_key.to_string(),
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
        agent: by.agent.clone(),
        tool: proposed.tool.to_owned(),
        args: dormouse_types::hash::canonical(&proposed.args).expect("arguments are plain JSON"),
        fingerprint: proposed.fingerprint.clone(),
        evidence: proposed.evidence.as_ref().map(evidence_json),
        rationale: proposed.rationale.clone(),
        before: proposed.before.clone(),
        state: State::Pending,
        round: 0,
        operation: operation(by.run_key.as_str(), &proposed.fingerprint, 0),
        error: None,
        shown_at: None,
        created_at: now,
        decided_at: None,
    }
}
