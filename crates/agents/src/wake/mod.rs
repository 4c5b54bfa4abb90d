//! Who wakes when: routing, the queue, keys, claims, recovery, drain.

pub mod route;
pub mod key;
pub mod claim;
pub mod recover;
pub mod drain;
