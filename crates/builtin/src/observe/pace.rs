//! Notes what only shows over weeks: momentum, and work that goes on after a standstill.

use dormouse_types::change::What;
use dormouse_types::model::ObservationPriority;
use dormouse_types::trend::Week;

use super::Observation;
use crate::Input;
use crate::read::fold::fold;

/// Units: entries and ticks. Fewer in a week are no momentum.
const MUCH: usize = 5;

/// Units: weeks. So many without an entry or a tick are a standstill.
const QUIET: usize = 3;

/// Units: microseconds. A note about the pace is not repeated within two weeks: what it counts moves on
/// by a day each day.
const AGAIN: i64 = 14 * 24 * 3_600 * 1_000_000;

/// Notes a week with much more than those before, and the first work after a standstill.
pub fn observe(input: &Input<'_>) -> Option<Observation> {
    let (this, before) = input.trend?.weeks.split_last()?;
    if before.is_empty() || !goes_on(input) {
        return None;
    }
    let words = &input.lang.propose.observe;
    let counts: Vec<usize> = before.iter().map(count).collect();
    let n_quiet = counts.iter().rev().take_while(|n| **n == 0).count();
    let most = counts.iter().copied().max().unwrap_or_default();
    let (template, text) = if n_quiet >= QUIET {
        let template = words.after_quiet;
        (template, template.replace("{weeks}", &n_quiet.to_string()))
    } else if count(this) >= MUCH && count(this) >= 2 * most.max(1) {
        let template = words.week_of_much;
        let text = template.replace("{n}", &count(this).to_string());
        (template, text.replace("{before}", &most.to_string()))
    } else {
        return None;
    };
    let is_new = !was_noted(input, template);
    is_new.then(|| Observation::of_work(text, ObservationPriority::Routine))
}

fn count(week: &Week) -> usize {
    week.entries + week.ticks
}

/// Returns whether this wake saw work: a new entry, or an item that was ticked.
fn goes_on(input: &Input<'_>) -> bool {
    input.delta.changes.iter().any(|change| {
        matches!(change.what, What::EntryAdded { .. } | What::ItemChecked { is_checked: true, .. })
    })
}

/// Returns whether a note of this kind was made lately.
fn was_noted(input: &Input<'_>, template: &str) -> bool {
    let kind = fold(template.split('{').next().unwrap_or(template));
    let newest = input.delta.changes.iter().map(|change| change.at).max();
    input.log.observations.iter().any(|note| {
        fold(&note.text).starts_with(&kind)
            && newest.is_none_or(|now| now.micros() - note.at.micros() < AGAIN)
    })
}
