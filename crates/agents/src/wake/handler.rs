//! Task agents as a kind of holder: what the scheduler asks about them.

use dormouse_scheduler::{
    Admission, Capacity, Due, End, Handler, HandlerError, HolderKind, Lease, Slots, Stop,
};
use dormouse_store::agent::timer::Timer;
use dormouse_store::agent::wake_queue::{QueueEntry, Signal};
use dormouse_store::{ChangeRow, Op, ReadError};
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, HolderId, Id as _, Timestamp, WorkspaceId};

use crate::task_agent::TaskAgent;
use crate::wake::holder::{agent_of, wake_event};
use crate::{AgentError, Agents};

/// The handler of task agents.
pub struct TaskAgents(pub Agents);

impl Handler for TaskAgents {
    fn kind(&self) -> HolderKind {
        HolderKind { prefix: AgentId::PREFIX, noun: "agent", slots: Slots::Shared }
    }

    fn capacity(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        Box::pin(async move { Ok(self.0.capacity(ws).await?) })
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        Box::pin(async move { Ok(self.0.admit(due).await?) })
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        Box::pin(async move {
            let mut run = TaskAgent::new(&self.0, agent_of(lease.holder())?, lease);
            let driver = self.0.driver.stopping_on(stop.clone());
            Ok(driver.drive(&mut run, lease).await.map_err(AgentError::from)?)
        })
    }

    fn give_up<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async move {
            match self.0.failure_ops(ws, &agent_of(holder)?).await {
                // A damaged agent has no counter to raise; the run itself reports the damage.
                Err(AgentError::Read(ReadError::Corrupt { .. })) => Ok(Vec::new()),
                other => Ok(other?),
            }
        })
    }

    fn timer_signal<'a>(
        &'a self,
        ws: WorkspaceId,
        timer: &'a Timer,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<Signal, HandlerError>> {
        Box::pin(async move { Ok(self.0.timer_signal(ws, timer, now).await?) })
    }

    fn is_ready<'a>(
        &'a self,
        ws: WorkspaceId,
        entry: &'a QueueEntry,
        now: Timestamp,
    ) -> BoxFuture<'a, Result<bool, HandlerError>> {
        Box::pin(async move { Ok(self.0.is_ready(ws, entry, now).await?) })
    }

    fn announce(&self, holder: &HolderId, subject: &str) -> Option<ChangeRow> {
        let agent = AgentId::try_from(holder).ok()?;
        Some(wake_event(&agent, subject))
    }
}
