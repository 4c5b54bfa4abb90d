//! What is registered with the scheduler of a process: task agents as a kind of holder, and their chores.

use std::sync::Arc;
use std::time::Duration;

use dormouse_scheduler::{Chore, Handler};

use crate::Agents;
use crate::wake::chores;
use crate::wake::handler::TaskAgents;

impl Agents {
    /// Returns task agents as a kind of holder.
    pub fn handler(&self) -> Arc<dyn Handler> {
        Arc::new(TaskAgents(self.clone()))
    }

    /// Returns the background work of agents, in the order in which it runs, where a lease lasts so long.
    pub fn chores(&self, lease: Duration) -> Vec<Arc<dyn Chore>> {
        vec![
            Arc::new(chores::Routing(self.clone())),
            Arc::new(chores::Operations { agents: self.clone(), lease }),
            Arc::new(chores::Expiry(self.clone())),
            Arc::new(chores::Trimming(self.clone())),
            Arc::new(chores::Indexing(self.clone())),
        ]
    }
}
