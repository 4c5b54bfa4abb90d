//! The two memories: the report a person reads, and the private log.

pub mod report;
pub mod linked;
pub mod fold;
pub mod log;
