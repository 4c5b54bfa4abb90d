//! Decisions: what the person said to the proposals of an agent, or about a task.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_changes::set::effective_state;
use dormouse_changes::tools;
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::in_list;
use dormouse_types::field_change::FieldChange;
use dormouse_types::{AgentId, ChangeSetId, TaskId, WorkRunId, WorkspaceId};

use crate::view::{Decision, Page};
use crate::{Queries, QueryError, page};

impl Queries {
    /// Decisions on an agent's proposals, newest first.
    pub async fn decisions(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Decision>, QueryError> {
        self.agents.agent(ws, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let all = entity::of_agent::<change_set::Decision>(ws, id, limit);
        let all = self.store.all(all).await?;
        self.decision_views(ws, all).await
    }

    /// A page of the decisions on an agent's proposals, newest first.
    pub async fn decisions_page(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Decision>, QueryError> {
        self.agents.agent(ws, id).await?;
        let (at, after) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let (place, limit_read) = ((at, after.as_str()), page::rows_to_read(limit));
        let query = entity::page_of_agent::<change_set::Decision>(ws, id, place, limit_read);
        let views = self.store.all(query).await?;
        let views = self.decision_views(ws, views).await?;
        Ok(page::page_of(views, limit, |one| page::cursor_of(one.created_at, &one.id)))
    }

    /// Decisions about a task, newest first.
    pub async fn task_decisions(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<Vec<Decision>, QueryError> {
        self.journal.task(ws, id).await?;
        let all = self.store.all(entity::of_task::<change_set::Decision>(ws, id)).await?;
        self.decision_views(ws, all).await
    }

    async fn decision_views(
        &self,
        ws: WorkspaceId,
        all: Vec<Stored<change_set::Decision>>,
    ) -> Result<Vec<Decision>, QueryError> {
        let items = self.decided_items(ws, all.iter().map(|one| &one.doc.value)).await?;
        Ok(all.into_iter().map(|one| decision_view(one, &items)).collect())
    }

    /// Reads the proposals that decisions are about, up to a page of sets with one statement.
    pub(crate) async fn decided_items(
        &self,
        ws: WorkspaceId,
        decisions: impl Iterator<Item = &change_set::Decision>,
    ) -> Result<DecidedItems, QueryError> {
        let sets: BTreeSet<&ChangeSetId> = decisions.map(|one| &one.change_set_id).collect();
        let sets: Vec<ChangeSetId> = sets.into_iter().cloned().collect();
        let mut items = BTreeMap::new();
        for some in sets.chunks(in_list::MOST) {
            // The change of a damaged row is what the arguments of its decision say.
            for item in self.store.each(change_item::of_sets(ws, some)).await?.into_iter().flatten()
            {
                items.insert((item.set.clone(), item.index), item);
            }
        }
        Ok(DecidedItems(items))
    }
}

/// The proposals that decisions are about, by set and number.
pub(crate) struct DecidedItems(BTreeMap<(ChangeSetId, i64), Item>);

impl DecidedItems {
    /// The change that was decided, seen from the time of its proposal. Once the proposal is gone, only
    /// what the arguments say is known.
    pub(crate) fn change_of(&self, decision: &change_set::Decision) -> Option<FieldChange> {
        let of_args =
            || tools::item(&decision.tool_name).and_then(|tool| tool.change(&decision.args, None));
        let item = self.0.get(&(decision.change_set_id.clone(), decision.item_index));
        let Some(item) = item else { return of_args() };
        item.change.clone().or_else(|| {
            let from = effective_state::before(item);
            of_args().map(|change| FieldChange { from, ..change })
        })
    }
}

/// The one line in English that a client without words of its own shows.
pub(crate) fn summary(decision: &change_set::Decision) -> String {
    tools::item(&decision.tool_name)
        .map_or_else(|| decision.tool_name.clone(), |tool| tool.summary(&decision.args, None))
}

fn decision_view(stored: Stored<change_set::Decision>, items: &DecidedItems) -> Decision {
    let decision = stored.doc.value;
    Decision {
        human_summary: summary(&decision),
        change: items.change_of(&decision),
        id: decision.id,
        agent_id: AgentId::try_from(&decision.proposer).ok(),
        run_id: WorkRunId::try_from(&decision.proposer).ok(),
        change_set_id: decision.change_set_id,
        item_index: decision.item_index,
        tool_name: decision.tool_name,
        verdict: decision.verdict,
        outcome: decision.outcome,
        task_id: decision.task_id,
        rejection_reason: decision.rejection_reason,
        by_rule: decision.by_rule,
        created_at: decision.created_at,
        undone_at: decision.undone_at,
        vector_clock: stored.columns.clock,
    }
}
