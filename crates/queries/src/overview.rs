//! The overview.

use std::collections::HashSet;

use dormouse_agents::wake::route::is_automatic;
use dormouse_journal::Filter;
use dormouse_store::agent::agent_entity::{Agent, DormantReason, Lifecycle};
use dormouse_store::agent::{entity, saga, timer};
use dormouse_types::{AgentId, WorkspaceId, limits};

use crate::proposals::sums;
use crate::view::Overview;
use crate::{Queries, QueryError};

/// How many timers to check for the next one whose agent wakes automatically.
const TIMERS: i64 = 200;

impl Queries {
    /// The counts of tasks, agents and open proposals.
    pub async fn overview(&self, ws: WorkspaceId) -> Result<Overview, QueryError> {
        let (mut tasks, mut open_tasks, mut cursor) = (0, 0, None);
        loop {
            let filter = Filter::default();
            let page = self.journal.tasks(ws, &filter, limits::PAGE.max, cursor.as_deref()).await?;
            tasks += page.items.len();
            open_tasks += page.items.iter().filter(|task| !task.status.is_terminal()).count();
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        let agents = entity::each(entity::of_kind::<Agent>(ws));
        let agents: Vec<_> = self.store.all(agents).await?.into_iter().flatten().collect();
        let (proposals, tasks_with_proposals) = sums(&self.open_proposals(ws).await?);
        let waiting = self.agents.waiting(ws).await?;
        let class = self.model.class();
        let awake =
            agents.iter().map(|agent| &agent.doc.value).filter(|it| is_automatic(it, class));
        let automatic: HashSet<&AgentId> = awake.map(|agent| &agent.id).collect();
        // A damaged timer is reported where timers are listed.
        let armed = self.store.all(timer::coming(ws, self.clock.now(), TIMERS)).await?;
        let armed = armed
            .into_iter()
            .flatten()
            .filter(|timer| automatic.contains(&timer.agent))
            .map(|timer| timer.at);
        let put_off = waiting.held.iter().map(|(_, until)| *until);
        let next_wake_at = put_off.chain(armed).min();
        let is = |agent: &Agent, lifecycle| agent.lifecycle == lifecycle;
        Ok(Overview {
            open_tasks,
            tasks,
            agents: agents.iter().filter(|a| !is(&a.doc.value, Lifecycle::Destroyed)).count(),
            open_proposals: proposals.open,
            put_off_proposals: proposals.put_off,
            tasks_with_proposals,
            waiting_agents: waiting.ready.len(),
            next_wake_at,
            dormant_agents: agents
                .iter()
                .filter(|a| a.doc.value.dormant_reason == Some(DormantReason::Failures))
                .count(),
            open_operations: self.store.all(saga::by_status(ws, "pending")).await?.len(),
            queue: self.queue(ws).await?,
            alerts: self.alerts(ws).await?,
        })
    }
}
