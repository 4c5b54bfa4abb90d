//! Who wakes when: routing, the queue, keys, claims, recovery, drain.

pub mod route;
pub mod restored;
pub mod key;
pub mod timer;
pub mod order;
pub mod claim;
pub mod recover;
pub mod drain;
pub mod cancel;
mod trim;
pub mod service;
