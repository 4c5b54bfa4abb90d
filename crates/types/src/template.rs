//! Closed lists of templates: what they are for, and where a version is in its life.

use crate::closed_list;

closed_list! {
    /// What a template is for.
    pub enum TemplateKind, "kind of template" {
        /// Agents that watch a task.
        TaskAgent = "taskAgent",
        /// The agent that improves other templates.
        Improver = "improver",
        /// What agents carry out themselves.
        AgentWork = "agentWork",
    }
}

closed_list! {
    /// Where a version of a template is in its life.
    pub enum TemplateVersionStatus, "status of a version" {
        /// Written, and not used yet.
        Draft = "draft",
        /// In use. A template has one at most.
        Active = "active",
        /// Was in use, or was never activated and is not meant to be.
        Archived = "archived",
    }
}

closed_list! {
    /// How a figure of the active version compares with that of the version before.
    pub enum MetricJudgement, "judgement" {
        /// Too few wakes or decisions of one of the two for a judgement.
        TooEarly = "tooEarly",
        /// No difference, or one that chance explains.
        Same = "same",
        /// The active version does better.
        Better = "better",
        /// The active version does worse.
        Worse = "worse",
    }
}
