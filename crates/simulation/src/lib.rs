//! The whole runtime under a seeded scheduler: nodes, people and a model, and everything that can go
//! wrong between them.
//!
//! A play runs on one store in memory and on one thread. Its seed picks which of the ready tasks
//! goes on, when a node dies and what the model says, so a seed that fails can be played again. The
//! oracle looks at every commit and every question in the moment in which they happen; when nothing
//! is due any more, the rows of both databases are looked at as a whole.
//!
//! Does not own: any rule of the runtime, and the store; only tests and `xtask` use this room. Crash
//! points of single stories live in `dormouse-scenes`, disks in `dormouse-powercut`.
//!
//! Reading order: [`batch`], [`play`], [`faults`], [`mutation`], [`chance`], [`time`], then what a
//! play is made of: the sim, the executor, the wire, the oracle, the model, nodes, people, a second
//! kind of run, faults of the clock, and what must hold at rest. Apart from these, [`work_calendar`] and
//! [`work_oracle`] are the runs that schedules must have, which the planner of agent work is compared with.

pub mod batch;
pub mod play;
pub mod faults;
pub mod mutation;
pub mod chance;
pub mod time;
mod locks;
mod hints;
mod terms;
mod process;
mod oracle_memory;
mod sim_state;
mod process_life;
mod executor;
mod dishonest_store;
mod sim_backend;
mod answers;
mod turn_oracle;
mod spend_oracle;
mod fold_oracle;
mod oracle;
mod heard;
mod marks;
mod model;
mod node;
mod client;
mod budget_acts;
mod second_kind;
mod work_known;
mod work_watch;
mod work_play;
mod work_rest;
mod clock_faults;
mod quiescence;
pub mod work_calendar;
pub mod work_oracle;

pub use batch::{Options, Report, run};
pub use faults::{Fault, Tally};
pub use mutation::Mutation;
pub use play::{Kinds, Played, play, play_of};
