//! Notes when a due date moves.

use dormouse_types::Timestamp;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::ObservationPriority;
use jiff::civil::Date;

use super::{Observation, is_new};
use crate::Input;
use crate::propose::patterns;
use crate::propose::statement::Statement;

/// One step of the due date.
struct Step {
    at: Timestamp,
    from: Option<Date>,
    to: Date,
    /// Whether this wake is the first to see the step.
    is_new: bool,
    /// Whether its own words say that the date moved, whatever was known before.
    is_move: bool,
}

/// Notes a new move, with the dates so far.
pub fn observe(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Observation> {
    let mut steps = set(input);
    steps.extend(mentioned(input, statements));
    steps.sort_by_key(|step| step.at);
    let mut days: Vec<Date> = Vec::new();
    let mut n_moves = 0;
    let mut has_new_move = false;
    for step in &steps {
        if let Some(from) = step.from
            && days.last() != Some(&from)
            // A step that is first mentioned and then set counts once.
            && days.last() != Some(&step.to)
        {
            days.push(from);
        }
        if days.last() == Some(&step.to) {
            continue;
        }
        let is_move = step.is_move || !days.is_empty();
        days.push(step.to);
        if is_move {
            n_moves += 1;
            has_new_move |= step.is_new;
        }
    }
    if !has_new_move {
        return None;
    }
    let words = &input.lang.propose.observe;
    let nth = words.nth(n_moves);
    let days: Vec<String> = days.iter().map(Date::to_string).collect();
    let priority =
        if n_moves > 1 { ObservationPriority::Notable } else { ObservationPriority::Routine };
    let text = words.due_moved.replace("{nth}", &nth).replace("{days}", &days.join(", "));
    Some(Observation::of_work(text, priority))
}

/// Returns the changes of the field itself.
fn set(input: &Input<'_>) -> Vec<Step> {
    let seen = input.log.changes.iter().map(|change| (change, false));
    let new = input.delta.changes.iter().map(|change| (change, true));
    seen.chain(new)
        .filter_map(|(change, is_new)| match &change.what {
            What::FieldSet(FieldChange { field: FieldRef::DueDate, from, to }) => Some(Step {
                at: change.at,
                from: from.as_ref().and_then(FieldValue::day),
                to: to.as_ref()?.day()?,
                is_new,
                is_move: from.is_some(),
            }),
            _ => None,
        })
        .collect()
}

/// Returns the moves that entries mention.
fn mentioned(input: &Input<'_>, statements: &[Statement<'_>]) -> Vec<Step> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    let heard = statements.iter().filter(|statement| statement.is_about_task(input));
    heard
        .filter_map(|statement| {
            let found =
                statement.find(&patterns.moved).filter(|found| statement.holds(found, rules))?;
            let to = found.day?;
            let is_step = found.other != Some(to);
            is_step.then(|| Step {
                at: statement.rank.at,
                from: found.other,
                to,
                is_new: is_new(input, statement),
                is_move: true,
            })
        })
        .collect()
}
