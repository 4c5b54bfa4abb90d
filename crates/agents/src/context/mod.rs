//! What a task agent's model sees: fragments as data, and their text.

pub mod delta;
pub mod linked;
pub mod render;
pub mod system;
pub mod trend;
