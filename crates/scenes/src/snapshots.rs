//! Copies of both databases at every point a program passes.

use std::sync::{Arc, Mutex};

use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_types::port::{Faults, Point, Stage as Moment};

use crate::world::lock;

/// Both databases at one point.
#[derive(Clone)]
pub struct StateSnapshot {
    /// Where in the life of a commit or a question.
    pub moment: Moment,
    /// The commit or question.
    pub label: String,
    /// Both databases.
    pub snapshot: Snapshot,
}

impl StateSnapshot {
    /// The store as it is now, at a point of the program.
    pub fn of(sqlite: &Sqlite, point: Point<'_>) -> Self {
        let snapshot = sqlite.snapshot().expect("a store in memory can be copied");
        Self { moment: point.stage, label: point.label.to_owned(), snapshot }
    }
}

/// Takes a snapshot at every point, until they are taken out.
pub struct SnapshotRecorder {
    sqlite: Arc<Sqlite>,
    taken: Mutex<Option<Vec<StateSnapshot>>>,
}

impl SnapshotRecorder {
    /// A recorder on a store.
    pub fn on(sqlite: Arc<Sqlite>) -> Self {
        Self { sqlite, taken: Mutex::new(Some(Vec::new())) }
    }

    /// The pictures so far; no more are taken.
    pub fn finish(&self) -> Vec<StateSnapshot> {
        lock(&self.taken).take().unwrap_or_default()
    }
}

impl Faults for SnapshotRecorder {
    fn pass(&self, point: Point<'_>) {
        if let Some(taken) = lock(&self.taken).as_mut() {
            taken.push(StateSnapshot::of(&self.sqlite, point));
        }
    }
}
