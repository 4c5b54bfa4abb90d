//! What was read of one task of such a document.

use std::ops::RangeInclusive;

use crate::intake::Draft;
use crate::json::Node;
use crate::reading::Role;

/// What was read of one task.
pub(super) struct Part<'a> {
    pub node: Node<'a>,
    pub draft: Draft,
    pub id: Option<String>,
    pub parent: Option<String>,
    /// Whether it has no more than an item and a few words of its task can hold.
    pub is_bare: bool,
    pub roles: Vec<(RangeInclusive<usize>, Role)>,
}
