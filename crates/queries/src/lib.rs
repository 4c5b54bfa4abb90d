//! The read side: what people and programs are shown, made from the rows of both databases.
//!
//! Owns: the views, lists and search, the overview, what needs the user, the inspection of agents,
//! client events, exports, and what `doctor` reads. Does not own: permissions (the facade checks the
//! caller), wire formats, any write. The failures it defends against: a list whose cost grows with
//! the workspace, a damaged row that hides the others, a client that misses an event.
//!
//! Reading order: [`view`], [`tasks`], [`task_list`], [`agents`], [`agent_list`], [`agent_state`],
//! [`inspect`], [`as_of`], [`tool_calls`], [`change_sets`], [`decisions`],
//! [`recent`], [`spending`], [`attention`],
//! [`overview`], [`operations`], [`audit`], [`events`], `work_events`, [`export`], [`whole_task`],
//! [`work`], [`transcript`], [`work_log`], [`conversations`], `templates`, `template_metrics`, `work_facts`, [`doctor`], [`error`].

#![warn(missing_docs)]

pub mod view;
pub mod tasks;
pub mod task_list;
pub mod agents;
pub mod agent_list;
pub mod agent_state;
pub mod inspect;
pub mod tool_calls;
pub mod memory;
mod memory_search;
pub mod as_of;
pub mod change_sets;
pub mod decisions;
pub mod recent;
pub mod spending;
pub mod attention;
mod work_attention;
pub mod overview;
pub mod operations;
pub mod audit;
pub mod events;
mod work_events;
pub mod export;
pub mod whole_task;
pub mod work;
mod work_hooks;
mod deliveries;
pub mod transcript;
pub mod work_log;
pub mod conversations;
mod templates;
mod template_metrics;
mod metric_judgement;
mod rules;
mod evolution;
mod work_facts;
pub mod doctor;
pub mod error;
mod proposals;
mod scheduled;
mod page;

use std::sync::Arc;

use dormouse_agents::Agents;
use dormouse_journal::Journal;
use dormouse_runs::Models;
use dormouse_store::Store;
use dormouse_types::WorkspaceZone;
use dormouse_types::port::Clock;

pub use agent_list::AgentFilter;
pub use attention::{AttentionEntry, AttentionFilter};
pub use conversations::TranscriptFile;
pub use error::QueryError;
pub use inspect::MessageFilter;
pub use operations::OperationFilter;
pub use task_list::{AgentPresence, TaskFilter};
pub use whole_task::WholeTask;
pub use work::{RunDays, WorkFilter};

/// Everything that can be read. Cheap to clone.
#[derive(Clone)]
pub struct Queries {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) agents: Agents,
    pub(crate) models: Models,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) zone: WorkspaceZone,
}

/// What the queries read from.
pub struct Parts {
    /// Both databases.
    pub store: Store,
    /// The tasks.
    pub journal: Journal,
    /// The agents.
    pub agents: Agents,
    /// The models that agents may ask.
    pub models: Models,
    /// The clock.
    pub clock: Arc<dyn Clock>,
    /// The time zone of the workspace, which defines "today".
    pub zone: WorkspaceZone,
}

impl Queries {
    /// The queries over these parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, journal, agents, models, clock, zone } = parts;
        Self { store, journal, agents, models, clock, zone }
    }
}
