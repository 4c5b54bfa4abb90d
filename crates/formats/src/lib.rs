//! Turns files into drafts, reads dates as people say them, and makes text safe for a terminal.
//!
//! Owns: what a Markdown file means as tasks, items and entries; which characters may reach a
//! terminal. Defends against: text that is lost because no rule claimed it; a task imported twice
//! because its key changed; text that manipulates the reader's screen.
//!
//! Does not own: opening files, writing to the journal, deciding what a re-import changes.
//!
//! Reading order: [`plan`], [`markdown`], [`when`], [`quick_add`], [`sanitise`].

pub mod plan;
pub mod markdown;
pub mod when;
pub mod quick_add;
pub mod sanitise;
