//! The place of each line in what a file becomes.

use super::outline::Outline;
use super::source::Source;
use crate::reading::{Place, Role};

/// Places by line, while tasks are gathered.
pub(super) struct Places(Vec<Option<(Role, Option<usize>)>>);

impl Places {
    /// Creates the places of a file, none of them known.
    pub fn new(source: &Source<'_>) -> Self {
        Self(vec![None; source.n_lines()])
    }

    /// Sets the place of a line.
    pub fn set(&mut self, line: usize, role: Role, task: Option<usize>) {
        if let Some(place) = self.0.get_mut(line) {
            *place = Some((role, task));
        }
    }

    /// The places of all lines. What no task took is a blank line or a rule between tasks.
    pub fn finish(self, source: &Source<'_>, outline: &Outline) -> Vec<Place> {
        let places = self.0.into_iter().enumerate().map(|(number, place)| {
            let (role, task) = place.unwrap_or_else(|| {
                let role = if source.line(number).trim().is_empty() {
                    Role::Blank
                } else if outline.lines[number].is_rule {
                    Role::Markup
                } else {
                    Role::Skipped
                };
                (role, None)
            });
            Place { line: number + 1, role, task }
        });
        places.collect()
    }
}
