//! The facts that proposals on a task depend on: when it was closed or deleted, and what the person
//! set.

use std::collections::BTreeMap;
use std::time::Duration;

use dormouse_store::journal::row::Stored;
use dormouse_store::journal::task::{self, AggregateRow, Task};
use dormouse_store::journal::{field_say, label, task_list};
use dormouse_store::{ReadError, in_list};
use dormouse_types::caller::By;
use dormouse_types::model::{FieldSay, StatedField, TaskState};
use dormouse_types::task::Status;
use dormouse_types::{Id as _, TaskId, Timestamp, WorkspaceId};
use jiff::tz::TimeZone;

use crate::Journal;
use crate::error::JournalError;
use crate::view::{TaskView, state};

/// Why a task currently needs no decisions from the person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paused {
    /// It is soft-deleted.
    Deleted,
    Closed(Status),
}

/// The facts that proposals on a task depend on, all of them stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskReviewState {
    /// Why it needs no decisions now, if so.
    pub paused: Option<Paused>,
    /// Whether the task is private.
    pub is_private: bool,
    /// When it was paused: disjoint periods, oldest first; the last one may still be open.
    pauses: Vec<(Timestamp, Option<Timestamp>)>,
    /// The fields the person set last, and when.
    says: Vec<(StatedField, Timestamp)>,
}

/// The part of it that is read without the task's document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskReviewFacts {
    /// Why it needs no decisions now, if so.
    pub paused: Option<Paused>,
    /// When the person last set a field.
    pub stated_at: Option<Timestamp>,
}

impl TaskReviewState {
    /// The review state of a task that was read in full.
    pub fn of(view: &TaskView) -> Self {
        Self::new(&view.task.value, view.says.iter())
    }

    fn new<'a>(task: &Task, says: impl Iterator<Item = &'a FieldSay>) -> Self {
        let paused = paused(task.deleted_at.is_some(), task.status.status);
        let says =
            says.filter(|say| say.by == By::User).map(|say| (say.field.clone(), say.at)).collect();
        Self { paused, is_private: task.flags.private, pauses: pauses(task), says }
    }

    /// When the person set a field, unless somebody else set it since.
    pub fn stated_at(&self, field: &StatedField) -> Option<Timestamp> {
        self.says.iter().find(|(last_say, _)| last_say == field).map(|(_, at)| *at)
    }

    /// How long the task was closed or deleted within a period.
    pub fn paused_between(&self, from: Timestamp, upto: Timestamp) -> Duration {
        overlap(&self.pauses, from, upto)
    }
}

fn paused(is_deleted: bool, status: Status) -> Option<Paused> {
    if is_deleted {
        return Some(Paused::Deleted);
    }
    status.is_terminal().then_some(Paused::Closed(status))
}

/// How long a task was closed or deleted within a period.
pub fn paused_between(task: &Task, from: Timestamp, upto: Timestamp) -> Duration {
    overlap(&pauses(task), from, upto)
}

fn overlap(
    pauses: &[(Timestamp, Option<Timestamp>)],
    from: Timestamp,
    upto: Timestamp,
) -> Duration {
    let parts = pauses.iter().map(|(begin, end)| {
        let (begin, end) = ((*begin).max(from), end.unwrap_or(upto).min(upto));
        begin.until(end)
    });
    parts.sum()
}

/// The periods in which a task was closed or deleted, merged where they overlap.
fn pauses(task: &Task) -> Vec<(Timestamp, Option<Timestamp>)> {
    let mut all: Vec<(Timestamp, Option<Timestamp>)> = Vec::new();
    let present = std::iter::once(&task.status);
    // The current status is also the last entry of the history; older rows have no history.
    let earlier = task.status_history.iter().filter(|entry| **entry != task.status);
    let statuses: Vec<_> = earlier.chain(present).collect();
    for (place, entry) in statuses.iter().enumerate() {
        if entry.status.is_terminal() {
            all.push((entry.created_at, statuses.get(place + 1).map(|next| next.created_at)));
        }
    }
    all.extend(task.absences.iter().map(|one| (one.deleted_at, Some(one.restored_at))));
    all.extend(task.deleted_at.map(|deleted_at| (deleted_at, None)));
    all.sort_by_key(|(from, _)| *from);
    let mut joined: Vec<(Timestamp, Option<Timestamp>)> = Vec::new();
    for (from, upto) in all {
        match joined.last_mut() {
            Some((_, end)) if end.is_none_or(|end| from <= end) => {
                *end = end.zip(upto).map(|(one, other)| one.max(other));
            }
            Some(_) | None => joined.push((from, upto)),
        }
    }
    joined
}

impl Journal {
    /// The review states of the given tasks, in two queries per 200 tasks. Missing tasks and those whose
    /// row cannot be read are left out.
    pub async fn review_states(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<TaskId, TaskReviewState>, JournalError> {
        let mut review_states = BTreeMap::new();
        for some in tasks.chunks(in_list::MOST) {
            let ids: Vec<String> = some.iter().map(ToString::to_string).collect();
            let says = self.says(ws, some).await?;
            for line in self.store.all(task_list::some(ws, &ids)).await? {
                let Ok(Stored { doc, .. }) = line.task else { continue };
                let says = says.get(doc.value.id.as_str()).into_iter().flatten();
                let review = TaskReviewState::new(&doc.value, says);
                review_states.insert(doc.value.id, review);
            }
        }
        Ok(review_states)
    }
}

impl Journal {
    /// What the columns of the given tasks say about the proposals on them, in one query per 200 tasks.
    /// Missing tasks and those whose columns cannot be read are left out.
    pub async fn review_facts(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<TaskId, TaskReviewFacts>, JournalError> {
        let mut facts = BTreeMap::new();
        for some in tasks.chunks(in_list::MOST) {
            let rows = self.store.each(task_list::review_columns(ws, some)).await?;
            for task_list::ReviewColumns { task, status, is_deleted, stated_at } in
                rows.into_iter().flatten()
            {
                let paused = paused(is_deleted, status);
                facts.insert(task, TaskReviewFacts { paused, stated_at });
            }
        }
        Ok(facts)
    }

    /// Who set which field of tasks last, by the id of the task. A row that cannot be read is left out: it
    /// keeps no other task, and no proposal, from being shown and from expiring.
    async fn says(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
    ) -> Result<BTreeMap<String, Vec<FieldSay>>, JournalError> {
        let mut says: BTreeMap<String, Vec<FieldSay>> = BTreeMap::new();
        for row in self.store.each(field_say::of_tasks(ws, tasks)).await? {
            match row {
                Ok((task, say)) => says.entry(task).or_default().push(say),
                Err(error) => tracing::warn!(%error, "who set a field last cannot be read"),
            }
        }
        Ok(says)
    }

    /// State and review state of the given tasks, by which proposals about them are shown, in three
    /// queries per 200 tasks. Of the fields only those are named that the person set last. Missing
    /// tasks and those with a row that cannot be read are left out.
    pub async fn states(
        &self,
        ws: WorkspaceId,
        tasks: &[TaskId],
        zone: &TimeZone,
    ) -> Result<BTreeMap<TaskId, (TaskState, TaskReviewState)>, JournalError> {
        let mut states = BTreeMap::new();
        for some in tasks.chunks(in_list::MOST) {
            let mut parts: BTreeMap<String, Result<Vec<AggregateRow>, ReadError>> = BTreeMap::new();
            for (task, row) in self.store.all(task::aggregates(ws, some)).await? {
                let parts = parts.entry(task).or_insert_with(|| Ok(Vec::new()));
                match (row, &mut *parts) {
                    (Ok(row), Ok(parts)) => parts.push(row),
                    (Err(damaged), _) => *parts = Err(damaged),
                    (Ok(_), Err(_)) => {}
                }
            }
            let mut says = self.says(ws, some).await?;
            let definitions = self.store.all(label::definitions(ws)).await?;
            for (task, parts) in parts {
                let Ok(parts) = parts else { continue };
                let says = says.remove(&task).unwrap_or_default();
                let view = TaskView::new(parts, Vec::new(), definitions.clone(), says);
                let Some(view) = view else { continue };
                let review = TaskReviewState::of(&view);
                states.insert(view.id().clone(), (state(&view, zone), review));
            }
        }
        Ok(states)
    }
}

#[cfg(test)]
mod tests {
    use dormouse_store::journal::task::{Absence, StatusEntry};

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn status(status: Status, since: i64) -> StatusEntry {
        StatusEntry { status, reason: None, created_at: at(since) }
    }

    /// A task with these statuses, the last one current, and these absences.
    fn task(statuses: &[(Status, i64)], absences: &[(i64, i64)], deleted: Option<i64>) -> Task {
        let history: Vec<_> = statuses.iter().map(|(kind, since)| status(*kind, *since)).collect();
        Task {
            id: format!("jt-{}", "1".repeat(26)).parse().expect("an id"),
            title: String::new(),
            status: history.last().expect("a status").clone(),
            status_history: history,
            priority: None,
            due_on: None,
            estimate_minutes: None,
            language_code: None,
            language_source: By::User,
            category_id: None,
            label_ids: Vec::new(),
            ai_suppressed_label_ids: Vec::new(),
            flags: dormouse_types::task::Flags::NONE,
            created_at: at(0),
            updated_at: at(0),
            deleted_at: deleted.map(at),
            absences: absences
                .iter()
                .map(|(from, upto)| Absence { deleted_at: at(*from), restored_at: at(*upto) })
                .collect(),
        }
    }

    fn check(task: &Task, paused: Option<Paused>, seconds_until_100: u64) {
        let review = TaskReviewState::new(task, [].iter());
        assert_eq!(review.paused, paused, "{task:?}");
        let time = review.paused_between(at(10), at(100));
        assert_eq!(time, Duration::from_secs(seconds_until_100), "{task:?}");
    }

    #[test]
    fn a_task_pauses_while_it_is_closed_or_deleted_and_overlaps_count_once() {
        use Status::{Done, Open, Rejected};
        check(&task(&[(Open, 0)], &[], None), None, 0);
        let done = Some(Paused::Closed(Done));
        check(&task(&[(Open, 0), (Done, 40)], &[], None), done, 60);
        check(&task(&[(Open, 0), (Done, 40), (Open, 50)], &[], None), None, 10);
        check(&task(&[(Open, 0), (Done, 40), (Rejected, 45), (Open, 50)], &[], None), None, 10);
        check(&task(&[(Open, 0), (Done, 5), (Open, 30)], &[], None), None, 20);
        check(&task(&[(Open, 0)], &[(20, 30), (40, 45)], None), None, 15);
        check(&task(&[(Open, 0)], &[], Some(70)), Some(Paused::Deleted), 30);
        let both = task(&[(Open, 0), (Done, 40), (Open, 60)], &[(30, 50)], Some(90));
        check(&both, Some(Paused::Deleted), 40);
    }
}
