//! Who wakes when: routing, keys, what a claim decides, and what is registered with the scheduler.

pub mod policy;
pub mod due_date;
pub mod holder;
pub mod route;
pub mod restored;
pub mod key;
pub mod timer;
pub mod claim;
pub mod waiting;
pub mod cancel;
pub mod preview;
pub mod cancel_run;
mod trim;
pub mod handler;
pub mod chores;
mod service;
