//! The pure step over a run's log, and the request a model is asked.
//!
//! Owns: what a run does next, the order of the prompt, its caps, its fencing as data, and the
//! digest by which a rebuilt prompt is verified. Does not own: what the fragments say (the rooms
//! that gather them), performing a step (`dormouse-runs`), storing anything. The failures it
//! defends against: a loop that never ends, a resumed run that asks again what was answered, text
//! of a task read as an instruction.
//!
//! Reading order: [`step`], [`request`].

pub mod step;
pub mod request;

pub use step::{Limits, LoggedTurn, RunLog, Step, next};
