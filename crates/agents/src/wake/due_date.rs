//! Due dates that draw near: when they wake the agent of their task, and which change set one.

use dormouse_store::agent::timer::{self, Kind};
use dormouse_store::{Commit, Db, Op};
use dormouse_types::change::{Change, What};
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::{AgentId, TaskId, Timestamp, WorkspaceId};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::{AgentError, Agents};

/// Hour of the preceding day at which a due date counts as near.
const MORNING: i8 = 9;

/// How many timers are moved in one commit.
const AT_ONCE: usize = 500;

/// Returns when an agent is woken for a due date, or `None` if that time has passed.
///
/// Units: 9 o'clock on the morning before, in the workspace's time zone.
pub fn near_due_at(due: Date, zone: &TimeZone, now: Timestamp) -> Option<Timestamp> {
    let morning = due.yesterday().ok()?.at(MORNING, 0, 0, 0).to_zoned(zone.clone()).ok()?;
    let at = Timestamp::from_jiff(morning.timestamp());
    (at > now).then_some(at)
}

impl Agents {
    /// Lets due dates draw near by the clock of the zone that the workspace has now.
    ///
    /// Units: what the clock moved past is near now; an agent that was woken for its due date is not woken
    /// for it again.
    pub async fn follow_zone(&self, ws: WorkspaceId) -> Result<(), AgentError> {
        let (zone, now) = (self.zone.get(), self.clock.now());
        let waiting = self.store.all(timer::waiting(ws, Kind::DueDate)).await?;
        // A damaged timer is reported when it is due.
        let moved: Vec<Op> = waiting
            .into_iter()
            .flatten()
            .filter_map(|timer| {
                let due = timer.about.as_ref()?.parse().ok()?;
                let at = near_due_at(due, &zone, now).unwrap_or(now);
                (timer.at > now && timer.at != at).then(|| timer::shift(ws, &timer, at))
            })
            .collect();
        for some in moved.chunks(AT_ONCE) {
            let commit = Commit::new("agent.zone", Db::Agent, ws).ops(some.iter().cloned());
            self.store.commit(commit).await?;
        }
        Ok(())
    }
}

/// Returns the op that sets or clears an agent's timer for the due date of its task.
pub(crate) fn timer(
    ws: WorkspaceId,
    agent: &AgentId,
    due: Option<Date>,
    zone: &TimeZone,
    now: Timestamp,
) -> Op {
    match due.and_then(|due| Some((due, near_due_at(due, zone, now)?))) {
        Some((due, at)) => timer::set(ws, agent, Kind::DueDate, at, Some(&due.to_string())),
        None => timer::unset(ws, agent, Kind::DueDate),
    }
}

/// Returns the due date that a change set, if it set one; `Some(None)` if it was cleared.
pub(crate) fn set_by(change: &Change, task: &TaskId) -> Option<Option<Date>> {
    change.what_of(task).rev().find_map(|what| match what {
        What::FieldSet(FieldChange { field: FieldRef::DueDate, to, .. }) => {
            Some(to.as_ref().and_then(FieldValue::day))
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        Timestamp::from_jiff(text.parse().expect("a time"))
    }

    fn near(due: &str, zone: &str, now: &str) -> Option<String> {
        let zone = TimeZone::get(zone).expect("a zone");
        let due = due.parse().expect("a day");
        near_due_at(due, &zone, time(now)).map(|at| at.to_string())
    }

    #[test]
    fn a_due_date_is_near_on_the_morning_before_in_the_persons_zone() {
        let now = "2026-03-01T00:00:00Z";
        assert_eq!(near("2026-03-10", "UTC", now).as_deref(), Some("2026-03-09T09:00:00Z"));
        assert_eq!(
            near("2026-03-10", "America/New_York", now).as_deref(),
            Some("2026-03-09T13:00:00Z")
        );
        // The clocks go forward in the night before that morning.
        assert_eq!(
            near("2026-03-30", "Europe/Berlin", now).as_deref(),
            Some("2026-03-29T07:00:00Z")
        );
    }

    #[test]
    fn a_due_date_of_today_or_before_wakes_nobody() {
        let now = "2026-03-09T09:00:00Z";
        assert_eq!(near("2026-03-10", "UTC", now), None);
        assert_eq!(near("2026-03-01", "UTC", now), None);
        assert_eq!(near("2026-03-11", "UTC", now).as_deref(), Some("2026-03-10T09:00:00Z"));
    }
}
