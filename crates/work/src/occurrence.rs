//! Single occurrences of a schedule: what comes, and what a person skips, moves or suspends.
//!
//! What is said about an occurrence is kept with the schedule, under its original start: an occurrence that
//! is moved is the same one, so what has run never runs again. How far the series has come stays as it is: what
//! is due and has no row yet is not lost.

use dormouse_formats::recurrence::{Exception, Person, Position, Series, Start};
use dormouse_store::agent::work::definition::Definition;
use dormouse_types::audit::AuditAction;
use dormouse_types::work::{SkipReason, WorkCreator, WorkState};
use dormouse_types::{Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId};

use crate::error::broken;
use crate::schedule::occurrence;
use crate::snapshot::{NewRun, Step, Written};
use crate::{RequestContext, Work, WorkError, series_text};

/// How many occurrences are listed that will happen.
const LISTED: usize = 5;

/// The farthest occurrence that can be changed.
const FARTHEST: usize = 400;

/// Marks the second of two times that a clock shows the same.
const SECOND: &str = "~second";

/// An occurrence that is still to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UpcomingOccurrence {
    /// Which one it is: its original start on the clock of the schedule.
    pub key: String,
    /// When it is due.
    pub due: Timestamp,
    /// Whether a person moved it.
    pub is_moved: bool,
    /// Whether a person skips it.
    pub is_skipped: bool,
    /// Whether it was skipped or moved, and can still happen as the schedule says.
    pub can_restore: bool,
}

/// What comes of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UpcomingOccurrences {
    /// The next occurrences, in the order in which they are due: five that happen, and all that a person
    /// skipped or moved.
    pub occurrences: Vec<UpcomingOccurrence>,
    /// When it is due again; `None` if it is not suspended.
    pub suspended_until: Option<Timestamp>,
}

/// What a person wants with an occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// It does not happen.
    Skip,
    /// It happens then.
    MoveTo(Timestamp),
    /// It happens as the schedule says.
    Restore,
}

impl Wish {
    fn action(self) -> AuditAction {
        match self {
            Self::Skip => AuditAction::WorkSkip,
            Self::MoveTo(_) => AuditAction::WorkMove,
            Self::Restore => AuditAction::WorkRestore,
        }
    }
}

/// What is requested with an occurrence, as an idempotency key stands for it.
pub(crate) fn subject_of(key: &str, sent: Option<&str>) -> String {
    format!("{key} {}", sent.unwrap_or_default())
}

fn key_of(start: Start) -> String {
    format!("{}{}", start.civil, if start.fold { SECOND } else { "" })
}

/// The same series with other exceptions.
fn with_exceptions(
    series: &Series,
    person: &Person,
    exceptions: impl IntoIterator<Item = Exception>,
) -> Result<Series, WorkError> {
    let mut again = match series.rule() {
        Some(rule) => Series::new(series.start(), series.clock().clone(), rule.clone(), person),
        None => Ok(Series::once(series.start(), series.clock().clone())),
    }
    .map_err(broken)?;
    exceptions.into_iter().for_each(|one| again.except(one));
    Ok(again)
}

/// What is still to come, with what is skipped: the first that happen, as many as are wanted, and all that a
/// person changed.
fn upcoming(
    whole: &Series,
    series: &Series,
    position: &Position,
    person: &Person,
    (now, n_happen): (jiff::Timestamp, usize),
) -> Vec<(Start, UpcomingOccurrence)> {
    let changed: Vec<Start> = series.exceptions().iter().filter_map(changed).collect();
    let skipped: Vec<Start> = series.exceptions().iter().filter_map(cancelled).collect();
    let mut n = 0;
    let near = whole.upcoming(position, person).take(FARTHEST).map(|one| one.id.start);
    let near = near.take_while(|start| {
        n += usize::from(!skipped.contains(start));
        n <= n_happen
    });
    let near: Vec<Start> = near.collect();
    let far = changed.into_iter().filter(|start| whole.is_to_come(*start, position, person));
    let far: Vec<Start> = far.filter(|start| !near.contains(start)).collect();
    let mut all: Vec<(Start, UpcomingOccurrence)> = near
        .into_iter()
        .chain(far)
        .map(|start| (start, described(whole, series, start, person, now)))
        .collect();
    all.sort_by_key(|(start, one)| (one.due, *start));
    all
}

/// An occurrence as it is listed.
fn described(
    whole: &Series,
    series: &Series,
    start: Start,
    person: &Person,
    now: jiff::Timestamp,
) -> UpcomingOccurrence {
    let one = whole.occurrence(start, person);
    let is_skipped = series.exceptions().iter().any(|one| cancelled(one) == Some(start));
    let by_rule = whole.due_by_rule(start, person);
    let is_changed = one.is_moved || is_skipped;
    UpcomingOccurrence {
        key: key_of(start),
        due: Timestamp::from_jiff(one.due),
        is_moved: one.is_moved,
        is_skipped,
        can_restore: is_changed && by_rule > now && !series.is_suspended(by_rule),
    }
}

fn cancelled(exception: &Exception) -> Option<Start> {
    match exception {
        Exception::Cancelled(start) => Some(*start),
        Exception::Added(_)
        | Exception::Excluded(_)
        | Exception::ExcludedDay(_)
        | Exception::Moved { .. }
        | Exception::Suspended { .. } => None,
    }
}

/// The original start of the occurrence that a person changed with an exception.
fn changed(exception: &Exception) -> Option<Start> {
    match exception {
        Exception::Cancelled(start) | Exception::Moved { original: start, .. } => Some(*start),
        Exception::Added(_)
        | Exception::Excluded(_)
        | Exception::ExcludedDay(_)
        | Exception::Suspended { .. } => None,
    }
}

/// The suspensions of a schedule as text that have not ended.
pub(crate) fn open_suspensions(
    text: &str,
    person: &Person,
    now: jiff::Timestamp,
) -> Vec<Exception> {
    let Ok(series) = series_text::read(text, person) else { return Vec::new() };
    let is_open = |one: &Exception| match one {
        Exception::Suspended { until, .. } => until.is_none_or(|until| until > now),
        _ => false,
    };
    series.exceptions().into_iter().filter(is_open).collect()
}

impl Work {
    /// What comes of the schedule of a definition, while it is paused as if it were resumed now.
    pub fn upcoming_of(&self, definition: &Definition) -> Result<UpcomingOccurrences, WorkError> {
        if definition.schedule.is_none() {
            return Ok(UpcomingOccurrences::default());
        }
        let person = self.person();
        let (series, position) = self.series_of(definition, &person)?;
        let now = self.clock.now();
        let whole = whole(&series, &person)?;
        let mut n_happen = 0;
        let occurrences = upcoming(&whole, &series, &position, &person, (now.to_jiff(), LISTED))
            .into_iter()
            .map(|(_, one)| one)
            // What was skipped is no longer listed once its time has passed.
            .filter(|one| !one.is_skipped || one.due > now)
            .filter(|one| {
                n_happen += usize::from(!one.is_skipped);
                n_happen <= LISTED || one.is_skipped || one.is_moved
            })
            .collect();
        let until = series.suspended_until(now.to_jiff()).flatten();
        Ok(UpcomingOccurrences { occurrences, suspended_until: until.map(Timestamp::from_jiff) })
    }

    /// Skips or moves an occurrence that is still to come, or lets it happen as the schedule says.
    ///
    /// Errors: no such occurrence is to come; its time has passed; its new time has passed for the schedule, or is suspended.
    pub async fn change_occurrence(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        key: &str,
        wish: Wish,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        let sent = match wish {
            Wish::MoveTo(_) => Some(context.sent.as_str()),
            Wish::Skip | Wish::Restore => None,
        };
        let subject = subject_of(key, sent);
        self.change(ws, id, (wish.action(), &subject, context), |step, _, now| {
            let after = step.definition();
            let none = || WorkError::NoOccurrence { work: id.clone(), key: key.to_owned() };
            let refused = |hint| WorkError::Occurrence { key: key.to_owned(), hint };
            if after.schedule.is_none() {
                return Err(none());
            }
            let person = self.person();
            let (series, position) = self.series_of(after, &person)?;
            let whole = whole(&series, &person)?;
            let all = upcoming(&whole, &series, &position, &person, (now.to_jiff(), FARTHEST));
            let found = all.into_iter().find(|(_, one)| one.key == key);
            let (original, found) = found.ok_or_else(none)?;
            if found.is_skipped && found.due <= now {
                return Err(refused("was skipped and its time has passed: choose one that is still to come"));
            }
            let kept = series.exceptions().into_iter();
            let kept = kept.filter(|one| changed(one) != Some(original));
            let mut again = with_exceptions(&series, &person, kept)?;
            let mut detail = key.to_owned();
            match wish {
                Wish::Skip => again.except(Exception::Cancelled(original)),
                Wish::Restore => {
                    let by_rule = again.due_by_rule(original, &person);
                    if again.is_suspended(by_rule) {
                        return Err(refused(
                            "is suspended at the time that its schedule says: resume the work first",
                        ));
                    }
                    let is_to_come = again.is_to_come(original, &position, &person);
                    if by_rule <= now.to_jiff() || !is_to_come {
                        return Err(refused(
                            "cannot be restored, because the time that its schedule says has passed: skip it, \
                             or move it to another time",
                        ));
                    }
                }
                Wish::MoveTo(to) => {
                    if to <= now {
                        return Err(refused(
                            "cannot be moved to a time that has passed: name one that is still to come",
                        ));
                    }
                    if series.is_suspended(to.to_jiff()) {
                        return Err(refused(
                            "cannot be moved to a time at which the work is suspended: resume it first, or \
                             name a later time",
                        ));
                    }
                    again.except(again.moved_to(original, to.to_jiff(), &person));
                    // Somebody who travels west meets a time again that has passed for the schedule.
                    if !again.is_to_come(original, &position, &person) {
                        return Err(refused(
                            "cannot be moved to a time that its clock has shown already: name a later time",
                        ));
                    }
                    detail = format!("{key} to {to}");
                }
            }
            self.reschedule(after, &again, &person)?;
            step.note(detail);
            Ok(Vec::new())
        })
        .await
    }

    /// Lets nothing of a schedule be due until a time. What falls into it never runs late.
    ///
    /// Errors: it has no schedule, or is not active.
    pub async fn suspend(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        until: Timestamp,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        self.change(ws, id, (AuditAction::WorkSuspend, &context.sent, context), |step, _, now| {
            let after = step.definition();
            if after.schedule.is_none() || after.state != WorkState::Active {
                let hint = "only active work with a schedule can be suspended; pause it instead";
                return Err(WorkError::State { work: id.clone(), state: after.state, hint });
            }
            let person = self.person();
            let (series, _) = self.series_of(after, &person)?;
            let ended = ended(&series, now.to_jiff());
            let mut again = with_exceptions(&series, &person, ended)?;
            again.suspend(now.to_jiff(), Some(until.to_jiff()));
            self.reschedule(after, &again, &person)?;
            step.note(format!("until {until}"));
            Ok(Vec::new())
        })
        .await
    }

    /// Ends the suspension of a definition. Returns whether there was one.
    ///
    /// Of work that happens once, what fell into the suspension has a row that says so: nothing else of it
    /// comes.
    pub(crate) fn end_suspension(
        &self,
        step: &mut Step,
        now: Timestamp,
    ) -> Result<bool, WorkError> {
        let after = step.definition();
        if after.schedule.is_none() {
            return Ok(false);
        }
        let person = self.person();
        let (series, position) = self.series_of(after, &person)?;
        if !series.is_suspended(now.to_jiff()) {
            return Ok(false);
        }
        let again = with_exceptions(&series, &person, ended(&series, now.to_jiff()))?;
        self.reschedule(after, &again, &person)?;
        let only = series.occurrence(Start::at(series.start()), &person);
        let is_left_out = series.rule().is_none()
            && position.at < only.due
            && only.due <= now.to_jiff()
            && again.is_suspended(only.due);
        if is_left_out {
            let new = NewRun {
                depth: 0,
                occurrence: occurrence(&after.id, &only.id),
                scheduled_for: Some(Timestamp::from_jiff(only.due)),
                skipped: Some(SkipReason::Suspended),
                revises: None,
                by: WorkCreator::Scheduler,
            };
            let over = Position::new(now.to_jiff(), &person);
            after.position = Some(serde_json::to_string(&over).map_err(broken)?);
            step.add_run(WorkRunId::fresh(now, &*self.entropy), new, now);
        }
        Ok(true)
    }

    /// The series of a definition that has one, and how far it has come.
    fn series_of(
        &self,
        definition: &Definition,
        person: &Person,
    ) -> Result<(Series, Position), WorkError> {
        let text = definition.schedule.as_deref().unwrap_or_default();
        let series = series_text::read(text, person).map_err(broken)?;
        let stored = definition.position.as_deref().map(serde_json::from_str::<Position>);
        let stored = stored.transpose().map_err(broken)?;
        let position = match stored {
            Some(stored) if definition.state == WorkState::Active => stored,
            // What is due while it is paused never runs.
            stored => Position {
                counted: stored.and_then(|stored| stored.counted),
                ..Position::new(self.clock.now().to_jiff(), person)
            },
        };
        Ok((series, position))
    }

    /// Writes a series whose exceptions changed. How far it has come stays.
    fn reschedule(
        &self,
        after: &mut Definition,
        series: &Series,
        person: &Person,
    ) -> Result<(), WorkError> {
        let (_, position) = self.series_of(after, person)?;
        after.schedule = Some(series_text::write(series));
        if after.state == WorkState::Active {
            let next = series.next_due(&position, person);
            after.next_due_at = next.map(|due| Timestamp::from_jiff(due.at));
        }
        Ok(())
    }
}

/// The series with what is skipped.
fn whole(series: &Series, person: &Person) -> Result<Series, WorkError> {
    let kept = series.exceptions().into_iter().filter(|one| cancelled(one).is_none());
    with_exceptions(series, person, kept)
}

/// All exceptions, with suspensions that end at a time at the latest.
fn ended(series: &Series, now: jiff::Timestamp) -> Vec<Exception> {
    let end = |one| match one {
        Exception::Suspended { from, .. } if from >= now => None,
        Exception::Suspended { from, until } => {
            let until = Some(until.map_or(now, |until| until.min(now)));
            Some(Exception::Suspended { from, until })
        }
        other => Some(other),
    };
    series.exceptions().into_iter().filter_map(end).collect()
}
