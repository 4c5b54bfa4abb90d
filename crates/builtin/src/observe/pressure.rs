//! Notes when the task becomes more urgent.

use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::ObservationPriority;

use super::{Observation, cut, is_new};
use crate::Input;
use crate::propose::patterns;
use crate::propose::statement::Statement;

/// Notes a raised priority and escalating words.
pub fn observe(input: &Input<'_>, statements: &[Statement<'_>]) -> Vec<Observation> {
    let rules = input.lang.propose;
    let words = &rules.observe;
    let mut found = Vec::new();
    for change in &input.delta.changes {
        if let What::FieldSet(FieldChange {
            field: FieldRef::Priority,
            from,
            to: Some(FieldValue::Priority { priority: to }),
        }) = &change.what
        {
            let from = from.as_ref().and_then(FieldValue::priority).unwrap_or_default();
            if *to < from {
                let n = input.trend.map_or(1, |trend| trend.n_raises);
                let template =
                    if n > 1 { words.priority_raised_again } else { words.priority_raised };
                let text = template.replace("{nth}", &words.nth(n));
                let text = text.replace("{from}", from.name()).replace("{to}", to.name());
                found.push(Observation::of_work(text, ObservationPriority::Notable));
            }
        }
    }
    let patterns = patterns::of(input.lang);
    let newest = statements
        .iter()
        .filter(|statement| is_new(input, statement) && statement.is_about_task(input))
        .filter(|statement| {
            statement.find(&patterns.escalated).is_some_and(|found| statement.holds(&found, rules))
        })
        .max_by_key(|statement| statement.rank);
    if let Some(statement) = newest {
        let text = words.pressure.replace("{quote}", &cut(&statement.evidence().quote));
        found.push(Observation::of_work(text, ObservationPriority::Notable));
    }
    found
}
