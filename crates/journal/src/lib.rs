//! The person's data: tasks, checklists, entries, labels, and links between tasks.
//!
//! Owns: reading a task as one aggregate, edits as values with the rules that accept or refuse
//! them, undo, import of drafts, and which task a change touches. Does not own: SQL (the store),
//! proposals (the changes room), when an agent wakes. The failures it defends against: an edit
//! decided on rows that have changed since, a write that happens twice, a person's edit overwritten
//! by an import or an undo, a value outside its closed list.
//!
//! Reading order: [`view`], [`edit`], [`link`], [`decision`], [`mod@decide`], [`effect`], [`write`], [`read`],
//! [`as_of`], [`list`], [`definition`], [`import`].

pub mod view;
pub mod edit;
pub mod link;
mod moved;
pub mod decision;
pub mod decide;
mod diff;
pub mod effect;
pub mod error;
pub mod write;
pub mod follow_up;
pub mod as_of;
pub mod read;
pub mod review_state;
mod task_index_cache;
pub mod list;
pub mod definition;
pub mod import;

use std::sync::Arc;

use dormouse_store::Store;
use dormouse_types::port::{Clock, Entropy};

pub use as_of::TaskAsOf;
pub use decide::decide;
pub use decision::{CreatedId, Decided, EditContext};
pub use edit::{Edit, EditError, NewTask, Place};
pub use effect::{Changed, Effect, undo};
pub use error::{JournalError, RuleError};
pub use follow_up::Applied;
pub use import::{Imported, ImportedTask, Known, Missing, Outcome};
pub use list::{Deleted, Due, Sort, TaskQuery};
pub use read::{CategoryRef, Filter, Page, TaskSummary};
pub use review_state::{Paused, TaskReviewFacts, TaskReviewState};
pub use view::{TaskView, state};
pub use write::{EditCtx, Edited, OnceKey, Rule};

/// Reads and edits the person's data. Cheap to clone.
#[derive(Clone)]
pub struct Journal {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    briefs: task_index_cache::TaskIndexCache,
}

impl Journal {
    /// Combines a store with a clock and a source of randomness for ids.
    pub fn new(store: Store, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { store, clock, entropy, briefs: task_index_cache::TaskIndexCache::default() }
    }
}
