//! Proposals: tools that touch the journal, change sets, decisions, undo, recovery.
//!
//! Owns: what each tool accepts and how it reads to a person, which proposals are refused and why,
//! the life of an item, the three commits of a confirm, and the recovery of interrupted operations.
//! Does not own: journal rules (the journal room decides each edit), the report and observation
//! tools (they write only the agent store), when an agent wakes. The failures it defends against: a
//! rejected proposal that comes back, a value set by the person that is overwritten on old
//! evidence, a confirm that applies twice or applies something other than what was shown.
//!
//! Reading order: [`tool`], [`group`], [`words`], [`tools`], [`run_call`], [`delegate`], [`set`],
//! [`rule`], [`delegation`], [`ledger`], [`recovery`].

pub mod task_ref;
pub mod tool;
pub mod words;
pub mod tools;
pub mod group;
pub mod run_call;
pub mod delegate;
pub mod set;
pub mod rule;
pub mod delegation;
pub mod ledger;
pub mod recovery;

pub use set::error::DecideError;
pub use set::lost::ReopenedItems;
pub use set::rows::Settled;
pub use set::service::{Changes, Decider};
pub use tool::{Effect, ItemTool, ModelTool, Policy, Refused, Tool};
pub use tools::TOOLS;
