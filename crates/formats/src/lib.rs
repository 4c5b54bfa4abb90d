//! Turns files into drafts and tasks into files, reads dates as people say them, knows when a recurrence
//! rule is due, and makes text safe for a terminal.
//!
//! Owns: what a file of any format means as tasks, items and entries, and how a person corrects that;
//! how tasks are written in each format, and what that loses; which characters may reach a terminal.
//! Defends against: text that is lost because no rule claimed it; a task imported twice because its
//! key changed; a version or an amount taken for a date; text that breaks out of the file it is
//! written into, or manipulates the reader's screen.
//!
//! Does not own: opening files, writing to the journal, deciding what a re-import changes.
//!
//! Reading order: [`reading`], [`plan`], [`markdown`], [`plain_lines`], [`intake`], one module for each other
//! format, [`export`], [`when`], [`recurrence`], [`quick_add`], [`sanitise`].

pub mod reading;
mod decoding;
pub mod plan;
pub mod markdown;
mod checklist;
pub mod plain_lines;
mod task_paper;
pub mod intake;
mod mail;
pub mod todo_txt;
pub mod icalendar;
pub mod csv;
mod json;
pub mod trello;
pub mod vikunja;
pub mod github_issues;
pub mod dormouse_json;
mod other_documents;
pub mod other_json;
mod outline;
pub mod opml;
mod state_outline;
pub mod export;
pub mod when;
pub mod recurrence;
pub mod quick_add;
pub mod sanitise;
