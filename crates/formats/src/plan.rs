//! What a text becomes, line by line, before anything is written.
//!
//! A reader of a format turns a text into a [`Reading`]: the tasks it found, and for each line the
//! place it has in them. No line is without a place, so a person can see that nothing was lost and
//! say where the reader was wrong: corrections are typed edits by line, and applying them is a
//! function of text, reading and corrections.
//!
//! Reading order: `read`, `deadlines`, `correction`, `apply`, `wanted`, `rework`, `due`, `join`,
//! `sheet`, `agents`, `layout`.

mod agents;
mod apply;
mod correction;
mod deadlines;
mod work;
mod due;
mod join;
mod layout;
mod options;
mod read;
mod readers;
mod rework;
mod sheet;
mod wanted;

pub(crate) use crate::reading::indent;
pub use crate::reading::{Format, MovingDay, Place, Reading, Role, lines};
pub use agents::deserves_agent;
pub use apply::apply;
pub use correction::{
    AgentChoice, Anchor, Correction, CorrectionError, Edit, Kept, KeptDay, KeptEdit, Planned,
    PlannedTask,
};
pub use layout::laid_out;
pub use options::{Error, Options};
pub use read::{decode, detect, digest, guessed_encoding, read};
