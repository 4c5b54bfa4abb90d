//! An agent as the scheduler knows it: a holder with an id, whose wakes are announced.

use dormouse_store::ChangeRow;
use dormouse_types::{AgentId, EventKind, HolderId, Origin};

use crate::AgentError;
use crate::error::broken;

/// Returns the agent that a holder is.
pub(crate) fn agent_of(holder: &HolderId) -> Result<AgentId, AgentError> {
    AgentId::try_from(holder).map_err(broken)
}

/// Returns the change row that announces a wake of an agent.
pub(crate) fn wake_event(agent: &AgentId, subject: &str) -> ChangeRow {
    let origin = Origin::Agent { agent: agent.clone() };
    ChangeRow::agent(origin, EventKind::AgentWake, None, subject)
}
