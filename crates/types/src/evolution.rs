//! Sessions in which a person and a model evolve a template: closed lists, and what is counted.

use schemars::JsonSchema;

use crate::closed_list;

closed_list! {
    /// Where a session about a template is in its life.
    pub enum EvolutionStatus, "status of a session" {
        /// It goes on. A template has one such session at most.
        Active = "active",
        /// A proposal of it was approved.
        Completed = "completed",
        /// It was ended without a new version.
        Abandoned = "abandoned",
    }
}

closed_list! {
    /// What a line of a session is.
    pub enum EvolutionRole, "role in a session" {
        /// The person said it.
        Person = "person",
        /// The model answered it.
        Model = "model",
        /// The model proposed directives.
        Proposal = "proposal",
        /// The person approved a proposal.
        Approved = "approved",
        /// The person turned a proposal down.
        Rejected = "rejected",
        /// There is no answer, and why.
        Failed = "failed",
    }
}

closed_list! {
    /// What a note about a template is.
    #[derive(JsonSchema)]
    pub enum EvolutionNoteKind, "kind of note" {
        /// What the model thinks about what happened.
        Reflection = "reflection",
        /// What may be the case, to be looked at later.
        Hypothesis = "hypothesis",
        /// What was settled with the person.
        Decision = "decision",
        /// What happens again and again.
        Pattern = "pattern",
    }
}

/// What a person decided about what one tool proposed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolVerdicts {
    /// The tool of the proposals.
    pub tool: String,
    /// How many were confirmed.
    pub confirmed: u64,
    /// How many were rejected.
    pub rejected: u64,
}
