//! The overview. It reads no documents of tasks, and of agents only those with a model of their own or a timer.

use std::collections::BTreeSet;

use dormouse_agents::wake::policy::is_automatic;
use dormouse_store::agent::agent_entity::{self, Agent};
use dormouse_store::agent::timer::Timer;
use dormouse_store::agent::{entity, saga, timer};
use dormouse_store::in_list;
use dormouse_store::journal::task_list;
use dormouse_types::{HolderId, Timestamp, WorkspaceId};

use crate::proposals::sums;
use crate::view::Overview;
use crate::{Queries, QueryError};

/// How many timers to check for the next one whose agent wakes automatically: those of one page of
/// agents.
const TIMERS: i64 = in_list::MOST as i64;

impl Queries {
    /// The counts of tasks, agents and open proposals.
    pub async fn overview(&self, ws: WorkspaceId) -> Result<Overview, QueryError> {
        // A status of a newer version counts nowhere, like a task that cannot be read.
        let by_status = self.store.each(task_list::by_status(ws)).await?;
        let by_status: Vec<_> = by_status.into_iter().flatten().collect();
        let tasks = by_status.iter().map(|(_, n)| n).sum();
        let open = by_status.iter().filter(|(status, _)| !status.is_terminal());
        let agents = self.store.first(agent_entity::count(ws)).await?.unwrap_or_default();
        let (proposals, tasks_with_proposals) = sums(&self.open_proposals(ws).await?);
        let waiting = self.agents.waiting(ws).await?;
        let put_off = waiting.held.iter().map(|(_, until)| *until).min();
        let next_timer = self.next_timer(ws).await?;
        Ok(Overview {
            open_tasks: open.map(|(_, n)| n).sum(),
            tasks,
            agents: agents.live,
            open_proposals: proposals.open,
            put_off_proposals: proposals.put_off,
            tasks_with_proposals,
            waiting_agents: waiting.ready.len(),
            next_wake_at: put_off.into_iter().chain(next_timer).min(),
            dormant_agents: agents.failed,
            open_operations: self
                .store
                .first(saga::count(ws, saga::OperationStatus::Pending))
                .await?
                .unwrap_or_default(),
            queue: self.queue(ws, &waiting.models).await?,
            alerts: self.alerts(ws).await?,
            failing: self.failing(ws).await?,
            spending: self.spending(ws).await?,
        })
    }

    /// When the next timer fires whose agent wakes automatically.
    async fn next_timer(&self, ws: WorkspaceId) -> Result<Option<Timestamp>, QueryError> {
        // A damaged timer is reported where timers are listed.
        let coming = self.store.all(timer::coming(ws, self.clock.now(), TIMERS)).await?;
        let coming: Vec<Timer> = coming.into_iter().flatten().collect();
        let holders: BTreeSet<&HolderId> = coming.iter().map(|timer| &timer.holder).collect();
        let holders: Vec<&HolderId> = holders.into_iter().collect();
        let agents = self.store.each(entity::some::<Agent>(ws, &holders)).await?;
        let agents = agents.into_iter().flatten().map(|agent| agent.doc.value);
        let automatic: BTreeSet<HolderId> = agents
            .filter(|agent| is_automatic(agent, self.model_of(agent).class()))
            .map(|agent| agent.id.into())
            .collect();
        Ok(coming.into_iter().find(|it| automatic.contains(&it.holder)).map(|timer| timer.at))
    }
}
