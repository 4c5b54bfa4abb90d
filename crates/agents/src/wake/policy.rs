//! When changes wake an agent: by themselves or not at all, and how long they are merged first.

use std::time::Duration;

use dormouse_store::agent::agent_entity::{Agent, Automation, Lifecycle};
use dormouse_types::port::ModelClass;

/// Shortest merge window; also the wait before pending changes run when an agent is unblocked.
pub(crate) const SHORTEST_WINDOW: Duration = Duration::from_millis(100);

/// Returns how long signals are merged into one wake.
///
/// Units: 2 s for free models, 120 s for paid ones.
pub fn merge_window(class: ModelClass) -> Duration {
    let window = match class {
        ModelClass::Free => Duration::from_secs(2),
        ModelClass::Paid => Duration::from_secs(120),
    };
    window.max(SHORTEST_WINDOW)
}

/// Returns whether changes wake an agent by themselves.
pub fn is_automatic(agent: &Agent, class: ModelClass) -> bool {
    let alive = matches!(agent.lifecycle, Lifecycle::Created | Lifecycle::Active);
    let on = match agent.config.automation {
        Automation::On => true,
        Automation::Off => false,
        Automation::Auto => class == ModelClass::Free || agent.config.by_name,
    };
    alive && on
}
