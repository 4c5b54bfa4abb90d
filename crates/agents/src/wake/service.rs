//! What the scheduler of a process runs: task agents, other kinds of holders, and the chores.

use std::sync::Arc;

use dormouse_scheduler::{Chore, Handler, Scheduler};

use crate::Agents;
use crate::template::evolution::handler::EvolutionRuns;
use crate::wake::chores;
use crate::wake::handler::TaskAgents;

impl Agents {
    /// Returns the scheduler of this process, with task agents and sessions about templates as its kinds of holders.
    pub fn scheduler(&self) -> Scheduler {
        let own: [Arc<dyn Handler>; 2] =
            [Arc::new(TaskAgents(self.clone())), Arc::new(EvolutionRuns(self.clone()))];
        let mut chores: Vec<Arc<dyn Chore>> = vec![
            Arc::new(chores::Routing(self.clone())),
            Arc::new(chores::Operations(self.clone())),
            Arc::new(chores::Expiry(self.clone())),
            Arc::new(chores::Trimming(self.clone())),
            Arc::new(chores::Indexing(self.clone())),
        ];
        chores.extend(self.more_chores.iter().cloned());
        Scheduler::new(dormouse_scheduler::Parts {
            store: self.store.clone(),
            clock: self.clock.clone(),
            owner: self.owner.clone(),
            lease: self.lease,
            handlers: own.into_iter().chain(self.others.iter().cloned()).collect(),
            chores,
        })
    }
}
