//! Observations: private notes that the agent keeps.
//!
//! Does not own: the report. An observation is noted only once, across runs.
//!
//! Reading order: [`moved`] (deadlines), [`pressure`], [`progress`], [`pace`] (over weeks), [`verdict`].

pub mod moved;
pub mod pace;
pub mod pressure;
pub mod progress;
pub mod verdict;

use dormouse_types::limits;
use dormouse_types::model::{ObservationCategory, ObservationPriority};

use crate::Input;
use crate::propose::statement::{Statement, statements};
use crate::read::fold::fold;

/// A private note of the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// Text of the note.
    pub text: String,
    /// How important it is.
    pub priority: ObservationPriority,
    /// What it is about.
    pub category: ObservationCategory,
}

impl Observation {
    /// A note about the work on the task.
    fn of_work(text: String, priority: ObservationPriority) -> Self {
        Self { text, priority, category: ObservationCategory::Operational }
    }
}

/// Returns what is worth keeping from this wake, most important first; often nothing.
pub fn observations(input: &Input<'_>) -> Vec<Observation> {
    let statements = statements(input);
    let mut found: Vec<Observation> = Vec::new();
    let noticed = moved::observe(input, &statements)
        .into_iter()
        .chain(pressure::observe(input, &statements))
        .chain(progress::observe(input))
        .chain(pace::observe(input))
        .chain(verdict::observe(input));
    for observation in noticed {
        let folded = fold(&observation.text);
        let is_known = input.log.observations.iter().any(|note| fold(&note.text) == folded)
            || found.iter().any(|other| fold(&other.text) == folded);
        if !is_known {
            found.push(observation);
        }
    }
    let weight = |observation: &Observation| match observation.priority {
        ObservationPriority::Critical => 0,
        ObservationPriority::Notable => 1,
        ObservationPriority::Routine => 2,
    };
    found.sort_by_key(weight);
    found.truncate(limits::OBSERVATIONS_PER_WAKE.max);
    found
}

/// Returns whether a statement is new to the agent: in the first wake all are, later only those of
/// entries that were added or edited.
fn is_new(input: &Input<'_>, statement: &Statement<'_>) -> bool {
    use dormouse_types::change::What;
    input.instruction.first
        || input.delta.changes.iter().any(|change| match &change.what {
            What::EntryAdded { entry }
            | What::EntryEdited { entry }
            | What::EntryRestored { entry } => *entry == statement.entry.id,
            What::TaskCreated { .. }
            | What::TaskDeleted
            | What::TaskRestored
            | What::FieldSet(_)
            | What::ItemAdded { .. }
            | What::ItemChecked { .. }
            | What::ItemRenamed { .. }
            | What::ItemArchived { .. }
            | What::ItemMoved { .. }
            | What::EntryDeleted { .. }
            | What::EntryFlagged { .. }
            | What::LabelAdded { .. }
            | What::LabelRemoved { .. }
            | What::LinkAdded { .. }
            | What::LinkRemoved { .. }
            | What::Unknown => false,
        })
}

/// Shortens a person's words to one line that fits into a note.
fn cut(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(400).collect()
}
