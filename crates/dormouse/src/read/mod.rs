//! Reading: each method checks the caller and hands out what the room `queries` answers.

mod tasks;
mod agents;
mod history;
mod workspace;
mod files;

pub use files::{ExportLoss, ExportLosses, Selection, TaskFile};
pub use workspace::Export;
