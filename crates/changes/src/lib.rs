//! Proposals: tools that touch the journal, change sets, decisions, undo, recovery.
//!
//! Owns: what each tool accepts and how it reads to a person, which proposal is refused and why,
//! the life of an item, the three commits of a confirm, and the recovery of what was interrupted.
//! Does not own: journal rules (the journal room decides each edit), the report and observation
//! tools (they write the agent store alone), when an agent wakes. The failures it defends against:
//! a proposal that comes back after a no, a value the person set overwritten on old evidence, a
//! confirm that applies twice or something other than what was shown.
//!
//! Reading order: [`tool`], [`tools`], [`set`], [`ledger`], [`recovery`].

pub mod tool;
pub mod tools;
pub mod set;
pub mod ledger;
pub mod recovery;

pub use set::error::DecideError;
pub use set::service::{Changes, Decider};
pub use tool::{ItemTool, ModelTool, Policy, Refused};
pub use tools::TOOLS;
