//! What a failed run writes: the failure counter, a retry, and dormancy after too many failures.

use std::time::Duration;

use dormouse_store::Op;
use dormouse_store::agent::agent_entity::DormantReason;
use dormouse_store::agent::entity;
use dormouse_store::agent::wake_queue;
use dormouse_types::limits;
use dormouse_types::{AgentId, WorkspaceId};

use crate::lifecycle::fall_asleep;
use crate::{AgentError, Agents};

impl Agents {
    /// Returns the ops of a failed run: the failure counter, a retry, and dormancy after too many.
    ///
    /// They are committed with the end of the run: a failure is counted once, and an agent never
    /// fails without either a retry or dormancy. Messages to the failed run are still unheard, so
    /// the retry hears them.
    pub(crate) async fn failure_ops(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<Op>, AgentError> {
        let now = self.clock.now();
        let mut state = self.state(ws, id).await?;
        let mut agent = self.agent(ws, id).await?;
        state.value.consecutive_failure_count += 1;
        state.value.updated_at = now;
        let failures = state.value.consecutive_failure_count;
        let by_person = !self.unheard_range(ws, &state.value).await?.is_empty();
        let mut ops = Vec::new();
        if failures >= limits::FAILURES_TO_DORMANT {
            state.value.next_wake_at = None;
            fall_asleep(&mut agent.doc.value, DormantReason::Failures);
            agent.doc.value.updated_at = now;
            ops.push(entity::replace(ws, &agent));
            ops.push(wake_queue::park(ws, id));
        } else {
            state.value.next_wake_at = Some(now + self.back_off(failures));
        }
        ops.push(wake_queue::schedule_retry(ws, id, now, state.value.next_wake_at, by_person));
        ops.push(entity::put(ws, &state));
        Ok(ops)
    }

    /// Computes the wait: 30 s, doubled per failure up to an hour, plus up to a quarter of jitter.
    fn back_off(&self, failures: i64) -> Duration {
        let doublings = u32::try_from(failures - 1).unwrap_or(0).min(7);
        let base = Duration::from_secs((30 << doublings).min(3600));
        let mut byte = [0u8; 1];
        self.entropy.fill(&mut byte);
        base + base * u32::from(byte[0]) / 1024
    }
}
