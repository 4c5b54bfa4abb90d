//! The draft of a report: what a model has written of it so far, for people who watch.

pub mod partial_report;
pub mod drafts;
