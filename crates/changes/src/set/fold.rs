//! Derives the status of a set, and which of its items are shown, from its items.

use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::change_set::SetStatus;
use dormouse_types::limits;

/// Returns the status of a set with these item states; their order does not matter.
pub fn status<'a>(states: impl IntoIterator<Item = &'a State>) -> SetStatus {
    let (mut open, mut decided, mut expired) = (0, 0, 0);
    for state in states {
        match state {
            State::Pending | State::Deferred | State::Applying => open += 1,
            State::Expired => expired += 1,
            State::Confirmed | State::Rejected | State::Retracted => decided += 1,
        }
    }
    match (open, decided, expired) {
        (0, _, 0) => SetStatus::Resolved,
        (0, _, _) => SetStatus::Expired,
        (_, 0, 0) => SetStatus::Pending,
        (_, _, _) => SetStatus::PartiallyResolved,
    }
}

/// Returns the indexes of the items to show: the first ten that are open and not deferred.
pub fn shown_indexes(items: &[Item]) -> Vec<i64> {
    items
        .iter()
        .filter(|item| matches!(item.state, State::Pending | State::Applying))
        .take(limits::ITEMS_SHOWN.max)
        .map(|item| item.index)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(states: &[State], expected: SetStatus) {
        assert_eq!(status(states), expected, "{states:?}");
    }

    #[test]
    fn a_set_is_the_fold_of_its_items() {
        check(&[State::Pending, State::Deferred], SetStatus::Pending);
        check(&[State::Pending, State::Confirmed], SetStatus::PartiallyResolved);
        check(&[State::Rejected, State::Rejected], SetStatus::Resolved);
        check(&[State::Confirmed, State::Expired], SetStatus::Expired);
        check(&[State::Pending, State::Expired], SetStatus::PartiallyResolved);
        check(&[], SetStatus::Resolved);
    }

    fn any_state() -> impl Strategy<Value = State> {
        prop::sample::select(State::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn order_does_not_matter(mut states in prop::collection::vec(any_state(), 0..12)) {
            let there = status(&states);
            states.reverse();
            prop_assert_eq!(there, status(&states));
            states.sort_by_key(|state| state.name());
            prop_assert_eq!(there, status(&states));
        }

        #[test]
        fn a_set_is_open_exactly_while_an_item_is(
            states in prop::collection::vec(any_state(), 0..12)
        ) {
            let open = states.iter().any(|state| state.is_open());
            let there = status(&states);
            prop_assert_eq!(
                open,
                matches!(there, SetStatus::Pending | SetStatus::PartiallyResolved)
            );
        }
    }
}
