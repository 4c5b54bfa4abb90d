//! How the task went over its last weeks, counted from what a wake has read anyway.

use dormouse_runs::gate::{Part, Piece};
use dormouse_store::agent::source::Source;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::{DeltaChange, TaskState};
use dormouse_types::trend::{DueMove, Raise, Trend, Week};
use jiff::ToSpan as _;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// Counts the moves of a task's due date, the raises of its priority, and the entries and ticks of its
/// last weeks.
///
/// A private entry is not counted: how much somebody writes in private is private.
pub fn of<'a>(
    changes: impl IntoIterator<Item = &'a DeltaChange>,
    task: &TaskState,
    today: Date,
    zone: &TimeZone,
) -> Trend {
    let mut trend = Trend::default();
    for change in changes {
        let What::FieldSet(FieldChange { field, from, to: Some(to) }) = &change.what else {
            continue;
        };
        let on = change.on;
        if *field == FieldRef::DueDate
            && let (Some(from), Some(to)) = (from.as_ref().and_then(FieldValue::day), to.day())
            && from != to
        {
            trend.n_moves += 1;
            trend.moves.push(DueMove { on, from, to });
        }
        if *field == FieldRef::Priority
            && let Some(to) = to.priority()
            // A task without a priority counts as one of the usual.
            && let from = from.as_ref().and_then(FieldValue::priority).unwrap_or_default()
            && to < from
        {
            trend.n_raises += 1;
            trend.raises.push(Raise { on, from, to });
        }
    }
    trend.moves.drain(..trend.moves.len().saturating_sub(Trend::STEPS));
    trend.raises.drain(..trend.raises.len().saturating_sub(Trend::STEPS));
    trend.weeks = weeks(task, today, zone);
    trend
}

/// Counts the weeks since the task was made, the one that ends today last.
fn weeks(task: &TaskState, today: Date, zone: &TimeZone) -> Vec<Week> {
    let made_on = task.created_at.day_in(zone);
    let starts = (0..Trend::WEEKS).rev().filter_map(|back| {
        let days = i64::try_from(back * 7 + 6).ok()?;
        today.checked_sub(days.days()).ok()
    });
    let mut weeks: Vec<Week> = starts
        .filter(|from| from.checked_add(7.days()).is_ok_and(|end| end > made_on))
        .map(|from| Week { from, entries: 0, ticks: 0 })
        .collect();
    let place = |weeks: &[Week], day: Date| {
        (day <= today).then(|| weeks.iter().rposition(|week| week.from <= day)).flatten()
    };
    for entry in task.entries.iter().filter(|entry| !entry.private) {
        if let Some(n) = place(&weeks, entry.on) {
            weeks[n].entries += 1;
        }
    }
    for item in task.items.iter().filter(|item| item.is_checked && !item.is_archived) {
        let day = item.checked_at.map(|at| at.day_in(zone));
        if let Some(n) = day.and_then(|day| place(&weeks, day)) {
            weeks[n].ticks += 1;
        }
    }
    weeks
}

/// Renders the figures; nothing if there is nothing to say.
pub fn render(trend: &Trend, task: &TaskState) -> Vec<Part> {
    if trend.is_empty() {
        return Vec::new();
    }
    let mut lines = Vec::new();
    let times = |n: usize| if n == 1 { "once".to_owned() } else { format!("{n} times") };
    let steps = |what: &str, n: usize, shown: Vec<String>| {
        let newest = if n > shown.len() { ", the newest" } else { "" };
        (n > 0).then(|| format!("{what} {}{newest}: {}", times(n), shown.join("; ")))
    };
    let moves = trend.moves.iter().map(|one| format!("{} -> {} on {}", one.from, one.to, one.on));
    let raises = trend.raises.iter().map(|one| format!("{} -> {} on {}", one.from, one.to, one.on));
    lines.extend(steps("Due date moved", trend.n_moves, moves.collect()));
    lines.extend(steps("Priority raised", trend.n_raises, raises.collect()));
    let weeks = trend.weeks.iter();
    let weeks: Vec<String> = weeks
        .map(|week| {
            let entries = if week.entries == 1 { "entry" } else { "entries" };
            format!("from {}: {} {entries}, {} ticked", week.from, week.entries, week.ticks)
        })
        .collect();
    lines.push(format!("Weeks, the last one ends today: {}", weeks.join("; ")));
    vec![Part::new(Piece::Other, lines.join("\n"), vec![Source::Task(task.id.clone())])]
}
