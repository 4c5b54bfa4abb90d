//! What lines call agent work.

use dormouse::view::AgentWork;
use dormouse_types::Id as _;

use crate::terminal::{line, titled};

/// `k3f9a  Morning digest`.
pub fn named(work: &AgentWork) -> String {
    format!("{}  {}", work.id.short(), line(titled(&work.title)))
}
