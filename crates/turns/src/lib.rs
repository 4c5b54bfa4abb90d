//! The pure step over a run's log, and the request sent to a model.
//!
//! Owns: what a run does next, the order of the prompt, its caps, its fencing as data, and the
//! digest that verifies a rebuilt prompt. Does not own: the content of fragments (the rooms that
//! gather them), performing a step (`dormouse-runs`), storing anything. The failures it defends
//! against: a loop that never ends, a resumed run that asks again for an answer it already has,
//! text of a task read as an instruction.
//!
//! Reading order: [`step`], [`request`].

pub mod step;
pub mod request;

pub use step::{Limits, LoggedTurn, RunLog, Step, next};
