//! Agents: who wakes when, what they see, what they remember.
//!
//! Owns: routing, wake policy, run keys, the context of a task agent, its two memories (the
//! report a person reads and the private log), its lifecycle, the templates it follows. Does not own: the queue and its claims (the
//! scheduler), driving a run (the runs room), proposals and verdicts (the changes room), the person's data. The failures it defends
//! against: a change that wakes nobody, an agent that wakes itself, a wake that costs something
//! although nothing changed, a report without its head, memory left by a failed run.
//!
//! Reading order: [`wake`], [`lifecycle`], [`inbox`], [`context`], [`tools`], [`memory`],
//! [`draft`], [`template`], [`task_agent`].

pub mod wake;
pub mod lifecycle;
pub mod inbox;
pub mod context;
pub mod tools;
pub mod memory;
pub mod draft;
pub mod template;
pub mod task_agent;
pub mod error;

use std::sync::Arc;

use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_runs::Driver;
use dormouse_store::Store;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_types::WorkspaceZone;
use dormouse_types::port::{Clock, Entropy, Model};

pub use error::AgentError;
pub use tools::TOOLS;

/// Routes changes to agents, wakes and runs them. Cheap to clone.
#[derive(Clone)]
pub struct Agents {
    pub(crate) store: Store,
    pub(crate) journal: Journal,
    pub(crate) changes: Changes,
    pub(crate) driver: Driver,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) entropy: Arc<dyn Entropy>,
    pub(crate) zone: WorkspaceZone,
}

/// What [`Agents`] is built from.
#[derive(Clone)]
pub struct Parts {
    /// The store of both databases.
    pub store: Store,
    /// The person's data.
    pub journal: Journal,
    /// Proposals and verdicts.
    pub changes: Changes,
    /// The driver of runs.
    pub driver: Driver,
    /// Source of the current time.
    pub clock: Arc<dyn Clock>,
    /// Source of randomness.
    pub entropy: Arc<dyn Entropy>,
    /// The workspace's time zone.
    pub zone: WorkspaceZone,
}

impl Agents {
    /// Creates the service from its parts.
    pub fn new(parts: Parts) -> Self {
        let Parts { store, journal, changes, driver, clock, entropy, zone } = parts;
        Self { store, journal, changes, driver, clock, entropy, zone }
    }

    /// Returns the model that an agent asks: its class decides merge window and automation, its
    /// provider the circuit breaker.
    pub(crate) fn model_of(&self, agent: &Agent) -> Arc<dyn Model> {
        let config = &agent.config;
        self.driver.models().of_agent(config.model.as_deref(), config.template_id.as_ref())
    }

    /// Returns the model of agents whose row names none.
    pub(crate) fn default_model(&self) -> Arc<dyn Model> {
        self.driver.models().default_model()
    }
}
