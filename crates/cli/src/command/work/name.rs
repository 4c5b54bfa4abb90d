//! What lines call agent work.

use dormouse::view::AgentWork;
use dormouse_types::Id as _;

use crate::failure::Failure;
use crate::terminal::{line, titled};

/// `k3f9a  Morning digest`.
pub fn named(work: &AgentWork) -> String {
    format!("{}  {}", work.id.short(), line(titled(&work.title)))
}

/// `“Morning digest” (k3f9a)`, within a sentence.
pub fn quoted(work: &AgentWork) -> String {
    format!("“{}” ({})", line(titled(&work.title)), work.id.short())
}

/// A refusal that names agent work as a person knows it, and not by its id.
pub fn by_title(mut failure: Failure, work: &AgentWork) -> Failure {
    failure.message = failure.message.replace(&format!("agent work {}", work.id), &quoted(work));
    failure
}
