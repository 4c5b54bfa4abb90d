//! The two memories: the report a person reads, and the private log.

pub mod report;
pub mod linked;
pub mod fold;
pub mod index;
pub mod log;
pub mod knowledge;
pub mod words;
pub mod purge_plan;
pub mod purge;
