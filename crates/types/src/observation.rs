//! What an agent notes for itself: how much a note matters, and what it is about.

use schemars::JsonSchema;

use crate::closed_list;

closed_list! {
    /// How much an observation matters.
    #[derive(Default, JsonSchema)]
    pub enum ObservationPriority, "priority of an observation" {
        /// Worth keeping.
        #[default]
        Routine = "routine",
        /// Worth a second look.
        Notable = "notable",
        /// Leads the next prompt.
        Critical = "critical",
    }
}

closed_list! {
    /// What an observation is about.
    #[derive(Default, JsonSchema)]
    pub enum ObservationCategory, "category of an observation" {
        /// The work on the task.
        #[default]
        Operational = "operational",
        /// The person was not content with the agent.
        Grievance = "grievance",
        /// The person was pleased with the agent.
        Excellence = "excellence",
        /// The agent could work better for its person in a way that can be said.
        Improvement = "improvement",
    }
}
