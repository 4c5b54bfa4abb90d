//! Single occurrences of a schedule: what comes, and what a person skips, moves or suspends.
//!
//! What is said about an occurrence is kept with the schedule, under its original start: an occurrence that
//! is moved is the same one, so what has run never runs again. How far the series has come stays as it is: what
//! is due and has no row yet is not lost.

use dormouse_formats::recurrence::{Clock, Exception, Person, Position, Series, Start};
use dormouse_store::agent::work::definition::Definition;
use dormouse_types::audit::AuditAction;
use dormouse_types::work::WorkState;
use dormouse_types::{Timestamp, WorkId, WorkspaceId};

use crate::error::broken;
use crate::snapshot::Written;
use crate::{RequestContext, Work, WorkError, series_text};

/// How many occurrences are listed that will happen.
const LISTED: usize = 5;

/// The farthest occurrence that can be changed.
const FARTHEST: usize = 400;

/// Marks the second of two times that a clock shows the same.
const SECOND: &str = "~second";

/// An occurrence that is still to come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Upcoming {
    /// Which one it is: its original start on the clock of the schedule.
    pub key: String,
    /// When it is due.
    pub due: Timestamp,
    /// Whether a person moved it.
    pub is_moved: bool,
    /// Whether a person skips it.
    pub is_skipped: bool,
}

/// What comes of a schedule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coming {
    /// The next occurrences, in the order in which they are due: five that happen, and those between that are
    /// skipped.
    pub occurrences: Vec<Upcoming>,
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

/// What is still to come, with what is skipped, as far as anybody looks.
fn upcoming<'a>(
    whole: &'a Series,
    series: &'a Series,
    position: &Position,
    person: &'a Person,
) -> impl Iterator<Item = (Start, Upcoming)> + 'a {
    let skipped: Vec<Start> = series.exceptions().iter().filter_map(cancelled).collect();
    whole.upcoming(position, person).take(FARTHEST).map(move |one| {
        let start = one.id.start;
        let found = Upcoming {
            key: key_of(start),
            due: Timestamp::from_jiff(one.due),
            is_moved: one.is_moved,
            is_skipped: skipped.contains(&start),
        };
        (start, found)
    })
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

/// Whether an exception is about the occurrence with this original start.
fn is_about(exception: &Exception, original: Start) -> bool {
    match exception {
        Exception::Cancelled(start) | Exception::Moved { original: start, .. } => {
            *start == original
        }
        Exception::Added(_)
        | Exception::Excluded(_)
        | Exception::ExcludedDay(_)
        | Exception::Suspended { .. } => false,
    }
}

/// When something is due again that is suspended at a time.
fn suspended_until(series: &Series, at: jiff::Timestamp) -> Option<jiff::Timestamp> {
    let of = |one: Exception| match one {
        Exception::Suspended { from, until } => until.filter(|until| from <= at && at < *until),
        _ => None,
    };
    series.exceptions().into_iter().filter_map(of).max()
}

/// The suspensions of a schedule as text that are not over.
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
    pub fn coming_of(&self, definition: &Definition) -> Result<Coming, WorkError> {
        if definition.schedule.is_none() {
            return Ok(Coming::default());
        }
        let person = self.person();
        let (series, position) = self.series_of(definition, &person)?;
        let whole = whole(&series, &person)?;
        let mut n_happen = 0;
        let occurrences = upcoming(&whole, &series, &position, &person)
            .map(|(_, one)| one)
            .take_while(|one| {
                n_happen += usize::from(!one.is_skipped);
                n_happen <= LISTED
            })
            .collect();
        let until = suspended_until(&series, self.clock.now().to_jiff());
        Ok(Coming { occurrences, suspended_until: until.map(Timestamp::from_jiff) })
    }

    /// Skips or moves an occurrence that is still to come, or lets it happen as the schedule says.
    ///
    /// Errors: no such occurrence is to come; it is moved to a time at which the schedule is suspended.
    pub async fn change_occurrence(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        key: &str,
        wish: Wish,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        let action = match wish {
            Wish::Skip => AuditAction::WorkSkip,
            Wish::MoveTo(_) => AuditAction::WorkMove,
            Wish::Restore => AuditAction::WorkRestore,
        };
        let subject = format!("{key} {wish:?}");
        self.change(ws, id, (action, &subject, context), |step, _, _| {
            let after = step.definition();
            let none = || WorkError::NoOccurrence { work: id.clone(), key: key.to_owned() };
            if after.schedule.is_none() {
                return Err(none());
            }
            let person = self.person();
            let (series, position) = self.series_of(after, &person)?;
            let whole = whole(&series, &person)?;
            let found =
                upcoming(&whole, &series, &position, &person).find(|(_, one)| one.key == key);
            let (original, _) = found.ok_or_else(none)?;
            let kept = series.exceptions().into_iter().filter(|one| !is_about(one, original));
            let mut again = with_exceptions(&series, &person, kept)?;
            match wish {
                Wish::Restore => {}
                Wish::Skip => again.except(Exception::Cancelled(original)),
                Wish::MoveTo(to) => {
                    let to = to.to_jiff();
                    if suspended_until(&series, to).is_some() {
                        let hint = "it is suspended then: resume it first, or name a later time";
                        let state = after.state;
                        return Err(WorkError::State { work: id.clone(), state, hint });
                    }
                    let moved = moved(&again, to, &person);
                    again.except(Exception::Moved { original, to: moved.0, clock: moved.1 });
                    // Somebody who travels west meets a time again that was over for the schedule.
                    let whole = self::whole(&again, &person)?;
                    let mut all = upcoming(&whole, &again, &position, &person);
                    if !all.any(|(start, _)| start == original) {
                        let hint = "its clock has shown that time already: name a later time";
                        let state = after.state;
                        return Err(WorkError::State { work: id.clone(), state, hint });
                    }
                }
            }
            self.reschedule(after, &again, &person)?;
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
        let subject = until.to_string();
        self.change(ws, id, (AuditAction::WorkSuspend, &subject, context), |step, _, now| {
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
            Ok(Vec::new())
        })
        .await
    }

    /// Ends the suspension of a definition. Returns whether there was one.
    pub(crate) fn end_suspension(
        &self,
        after: &mut Definition,
        now: Timestamp,
    ) -> Result<bool, WorkError> {
        if after.schedule.is_none() {
            return Ok(false);
        }
        let person = self.person();
        let (series, _) = self.series_of(after, &person)?;
        if suspended_until(&series, now.to_jiff()).is_none() {
            return Ok(false);
        }
        let again = with_exceptions(&series, &person, ended(&series, now.to_jiff()))?;
        self.reschedule(after, &again, &person)?;
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

/// An instant as a time on the clock of a series: that of the person, or of its zone.
fn moved(series: &Series, to: jiff::Timestamp, person: &Person) -> (jiff::civil::DateTime, Clock) {
    match series.clock() {
        Clock::Floating | Clock::Day => (person.zone.to_datetime(to), Clock::Floating),
        Clock::Zone(_) => (jiff::tz::TimeZone::UTC.to_datetime(to), Clock::utc()),
    }
}
