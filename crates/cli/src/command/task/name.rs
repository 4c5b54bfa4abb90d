//! What lines call a task.

use dormouse::view::Task;
use dormouse_types::Id as _;

use crate::terminal::{line, titled};

/// `k3f9a  Paint the fence`.
pub fn named(task: &Task) -> String {
    format!("{}  {}", task.id.short(), line(titled(&task.title)))
}
