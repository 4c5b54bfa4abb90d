//! What is registered with the scheduler of a process: kinds of holders, and their chores.

use std::sync::Arc;
use std::time::Duration;

use dormouse_scheduler::{Chore, Handler};

use crate::Agents;
use crate::template::evolution::handler::EvolutionRuns;
use crate::wake::chores;
use crate::wake::handler::TaskAgents;

impl Agents {
    /// Returns the kinds of holders that are registered with a scheduler: task agents, and sessions about
    /// templates.
    pub fn handlers(&self) -> [Arc<dyn Handler>; 2] {
        [Arc::new(TaskAgents(self.clone())), Arc::new(EvolutionRuns(self.clone()))]
    }

    /// Returns the background work of agents, in the order in which it runs, where a lease lasts so long.
    pub fn chores(&self, lease: Duration) -> Vec<Arc<dyn Chore>> {
        vec![
            // What a rule confirms is routed in the same poll.
            Arc::new(chores::Rules(self.clone())),
            Arc::new(chores::Routing(self.clone())),
            Arc::new(chores::Operations { agents: self.clone(), lease }),
            Arc::new(chores::Expiry(self.clone())),
            Arc::new(chores::Trimming(self.clone())),
            Arc::new(chores::Indexing(self.clone())),
        ]
    }
}
