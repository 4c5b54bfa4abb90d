//! Members that tasks and entries have in both documents.

use dormouse_types::Timestamp;
use dormouse_types::task::{EntryKind, Flags};

use crate::intake::instant;
use crate::json::{Object, parsed};

/// The flags of a task or an entry.
pub(super) fn flags(object: &mut Object<'_>) -> Flags {
    Flags {
        starred: parsed(object, "starred").unwrap_or_default(),
        private: parsed(object, "private").unwrap_or_default(),
    }
}

/// When the task was last changed before it was exported. Anything but a time stays what it is.
pub(super) fn as_of(object: &mut Object<'_>) -> Option<Timestamp> {
    let at = object.peek("updatedAt").and_then(|at| instant(&at.text()?))?;
    object.drop(&["updatedAt"]);
    Some(at)
}

/// The kind of an entry. Time is text, for a draft has no minutes.
pub(super) fn kind(entry: &mut Object<'_>) -> EntryKind {
    let kind = parsed(entry, "kind").filter(|kind: &EntryKind| kind.is_derived());
    kind.unwrap_or_default()
}
