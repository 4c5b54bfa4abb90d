//! Files become drafts, and text becomes fit for a terminal.
//!
//! Owns: what a Markdown file means as tasks, items and entries; which characters may reach a
//! terminal. Defends against: a note that is lost because no rule claimed it; a task imported
//! twice because its key moved; a text that repaints the screen of whoever reads it.
//!
//! Does not own: opening files, writing to the journal, deciding what a re-import changes.
//!
//! Reading order: [`markdown`], [`sanitise`].

pub mod markdown;
pub mod sanitise;
