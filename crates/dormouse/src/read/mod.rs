//! Reading: each method checks the caller and hands out what the room `queries` answers.

mod tasks;
mod agents;
mod history;
mod workspace;

pub use workspace::Export;
