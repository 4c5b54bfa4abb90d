//! What lines call an agent.

use dormouse::view::Agent;
use dormouse_types::Id as _;

use crate::terminal::{line, titled};

/// `agent Laura (k3f9a) of “Paint the fence”`.
pub fn named(agent: &Agent) -> String {
    let title = agent.task_title.as_deref().map_or("a deleted task", titled);
    format!("agent {} ({}) of “{}”", line(&agent.display_name), agent.id.short(), line(title))
}
