//! Which tasks work is about, and in which order they are listed.

use std::cmp::Reverse;

use dormouse_types::task::Priority;
use dormouse_types::work_facts::{TaskFacts, WorkspaceFacts};
use dormouse_types::work_kind::Only;
use jiff::civil::Date;

/// The tasks that fit a filter.
pub(super) fn fitting<'a>(facts: &'a WorkspaceFacts, only: &Only) -> Vec<&'a TaskFacts> {
    facts.tasks.iter().filter(|task| fits(task, only)).collect()
}

/// Whether a task fits a filter.
pub(super) fn fits(task: &TaskFacts, only: &Only) -> bool {
    let of_category = only.categories.is_empty()
        || task
            .category
            .as_ref()
            .is_some_and(|category| only.categories.iter().any(|it| it.id == category.id));
    let with_label = only.labels.is_empty()
        || task.labels.iter().any(|label| only.labels.iter().any(|it| it.id == label.id));
    let of_priority = only.priorities.is_empty()
        || task.priority.is_some_and(|priority| only.priorities.contains(&priority));
    of_category && with_label && of_priority
}

/// The most important first, then by day, then by title; so the order does not depend on that of the facts.
pub(super) fn by_day(task: &TaskFacts, day: Option<Date>) -> impl Ord + use<> {
    (day, rank(task), task.title.clone(), task.id.clone())
}

/// The most important first, then the newest day: an old deadline that nobody met is rarely what a person
/// does today.
pub(super) fn newest_first(task: &TaskFacts, day: Option<Date>) -> impl Ord + use<> {
    (rank(task), Reverse(day), task.title.clone(), task.id.clone())
}

/// A task without a priority counts as medium.
fn rank(task: &TaskFacts) -> Priority {
    task.priority.unwrap_or_default()
}
