//! Hooks that run something when the program passes a certain point, and a count of its commits.

use std::collections::BTreeMap;
use std::sync::Mutex;

use dormouse_types::port::{Faults, Point, Stage};

use crate::lock;

/// What a hook runs.
type Action = Box<dyn FnOnce() + Send>;

/// Runs something when the program passes a certain point, and counts its commits.
#[derive(Default)]
pub struct Hooks {
    waiting: Mutex<Vec<(Stage, &'static str, Action)>>,
    commits: Mutex<BTreeMap<String, usize>>,
}

impl Hooks {
    /// Runs something the next time a point is passed.
    pub fn once(&self, stage: Stage, label: &'static str, action: impl FnOnce() + Send + 'static) {
        lock(&self.waiting).push((stage, label, Box::new(action)));
    }

    /// Runs something right before the next commit with a label.
    pub fn before_commit(&self, label: &'static str, action: impl FnOnce() + Send + 'static) {
        self.once(Stage::BeforeCommit, label, action);
    }

    /// Returns whether every hook has run.
    pub fn is_done(&self) -> bool {
        lock(&self.waiting).is_empty()
    }

    /// Drops the hooks that have not run.
    pub fn clear(&self) {
        lock(&self.waiting).clear();
    }

    /// Number of commits with a label.
    pub fn commits(&self, label: &str) -> usize {
        lock(&self.commits).get(label).copied().unwrap_or(0)
    }

    /// Number of commits of any kind.
    pub fn all_commits(&self) -> usize {
        lock(&self.commits).values().sum()
    }
}

impl Faults for Hooks {
    fn pass(&self, point: Point<'_>) {
        if point.stage == Stage::AfterCommit {
            *lock(&self.commits).entry(point.label.to_owned()).or_default() += 1;
        }
        let next = {
            let mut waiting = lock(&self.waiting);
            let place = waiting
                .iter()
                .position(|(stage, label, _)| *stage == point.stage && *label == point.label);
            place.map(|at| waiting.remove(at))
        };
        // The lock is free again: what runs here may pass points itself.
        if let Some((_, _, action)) = next {
            action();
        }
    }
}
