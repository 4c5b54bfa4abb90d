//! What fell into a pause: rows that say so, written when the pause ends.
//!
//! While work is paused nobody looks at its schedule, so what was due meanwhile is found when the schedule
//! goes on. A short pause leaves a row for each occurrence, a long one few rows: the oldest of them counts.

use std::collections::{HashSet, VecDeque};

use dormouse_formats::recurrence::{Person, Position, Series};
use dormouse_store::agent::work::definition::Definition;
use dormouse_store::agent::work::run::Occurrence;
use dormouse_types::work::{SkipReason, WorkCreator, WorkState};
use dormouse_types::{Id as _, Timestamp, WorkRunId, WorkspaceId, limits};

use crate::planner::{DueOccurrence, DueOccurrences, due_occurrences};
use crate::schedule::occurrence;
use crate::snapshot::{NewRun, Step};
use crate::{Work, WorkError, series_text};

/// The most rows that one pause leaves.
const MOST_ROWS: usize = 10;

/// How many occurrences of one pause are counted, about. An hourly schedule has as many in two years.
const MOST_COUNTED: usize = 20_000;

/// What fell into a pause.
#[derive(Debug, Default, PartialEq, Eq)]
struct LeftOut {
    /// The newest of what was due, in the order in which it was: a row each.
    rows: VecDeque<DueOccurrence>,
    /// When the first of all was due, if the oldest row stands for more than itself.
    since: Option<jiff::Timestamp>,
    /// How many occurrences the oldest row stands for.
    n_of_oldest: usize,
    /// Whether there are more than were counted.
    has_more: bool,
}

/// What was due from a position on up to now, piece by piece.
fn pieces<'s>(
    series: &'s Series,
    position: Position,
    person: &'s Person,
    now: jiff::Timestamp,
) -> impl Iterator<Item = DueOccurrences> + 's {
    let mut position = Some(position);
    std::iter::from_fn(move || {
        let (after, begin) = (position.take()?, jiff::Timestamp::MIN);
        let piece = due_occurrences(series, &after, person, begin, now, limits::WORK_OCCURRENCES);
        let has_more = piece.next_due.is_some_and(|next| next <= now);
        position = has_more.then(|| piece.position.clone());
        Some(piece)
    })
}

/// Finds what a pause leaves out, apart from what `has_row` says has a row already.
fn left_out(
    pieces: impl Iterator<Item = DueOccurrences>,
    has_row: impl Fn(&DueOccurrence) -> bool,
) -> LeftOut {
    let mut found = LeftOut { n_of_oldest: 1, ..LeftOut::default() };
    let (mut first, mut n) = (None, 0);
    for piece in pieces {
        if n >= MOST_COUNTED {
            // Which ones are the newest is not known.
            let last = found.rows.pop_back().into_iter().collect();
            return LeftOut { rows: last, since: first, n_of_oldest: n, has_more: true };
        }
        for one in piece.occurrences.into_iter().filter(|one| !has_row(one)) {
            n += 1;
            first = first.or(Some(one.at));
            found.rows.push_back(one);
            if found.rows.len() > MOST_ROWS {
                found.rows.pop_front();
                found.n_of_oldest += 1;
                found.since = first;
            }
        }
    }
    found
}

impl Work {
    /// The occurrences of a definition that have a row although its pause is to leave them out.
    pub(crate) async fn rows_in_pause(
        &self,
        ws: WorkspaceId,
        definition: &Definition,
    ) -> Result<HashSet<Occurrence>, WorkError> {
        let mut found = HashSet::new();
        if definition.state != WorkState::Paused {
            return Ok(found);
        }
        let person = self.person();
        let Some((series, position)) = schedule_of(definition, &person) else { return Ok(found) };
        let mut n = 0;
        for piece in pieces(&series, position, &person, self.clock.now().to_jiff()) {
            found.extend(self.have_run(ws, &definition.id, &piece).await?);
            n += piece.occurrences.len();
            if n > MOST_COUNTED {
                break;
            }
        }
        Ok(found)
    }

    /// Writes rows for what fell into the pause that a step ends, or whose schedule it replaces. `have_rows` are
    /// the occurrences that have one already. Of work that is not paused there is nothing to write.
    pub(crate) fn leave_out_paused(
        &self,
        step: &mut Step,
        have_rows: &HashSet<Occurrence>,
        now: Timestamp,
    ) {
        let definition = step.definition();
        let id = definition.id.clone();
        if definition.state != WorkState::Paused {
            return;
        }
        let person = self.person();
        let Some((series, position)) = schedule_of(definition, &person) else { return };
        let has_row = |one: &DueOccurrence| have_rows.contains(&occurrence(&id, &one.id));
        let found = left_out(pieces(&series, position, &person, now.to_jiff()), has_row);
        let mut counted = found.since.map(|since| {
            let since = since.to_zoned(person.zone.clone());
            let more = if found.has_more { "More than " } else { "" };
            let (n, since) = (found.n_of_oldest, since.strftime("%Y-%m-%d %H:%M"));
            format!("{more}{n} times from {since} on were left out, because it was paused.")
        });
        for one in found.rows {
            let new = NewRun {
                depth: 0,
                occurrence: occurrence(&id, &one.id),
                scheduled_for: Some(Timestamp::from_jiff(one.at)),
                skipped: Some(SkipReason::Paused),
                revises: None,
                by: WorkCreator::Scheduler,
            };
            let run = WorkRunId::fresh(now, &*self.entropy);
            step.add_left_out(run, new, counted.take(), now);
        }
    }
}

/// The series of a definition that has one, and how far it has come. One that cannot be read is reported where it is
/// planned, and can be replaced.
fn schedule_of(definition: &Definition, person: &Person) -> Option<(Series, Position)> {
    let series = series_text::read(definition.schedule.as_deref()?, person).ok()?;
    let position = match &definition.position {
        Some(text) => serde_json::from_str(text).ok()?,
        None => Position::new(definition.created_at.to_jiff(), person),
    };
    Some((series, position))
}
