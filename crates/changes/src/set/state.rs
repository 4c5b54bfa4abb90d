//! The life of an item as a step function that refuses impossible pairs.

use dormouse_store::agent::change_item::State;

/// What happens to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The person confirms.
    Confirm,
    /// The journal was written.
    Applied,
    /// Applying failed but may succeed later.
    Failed,
    /// It can never be applied, or its agent withdraws it.
    Retract,
    /// The person rejects.
    Reject,
    /// The person defers.
    Defer,
    /// Its time passed without a decision.
    Expire,
    /// The person undid the verdict, and the journal was restored.
    Undone,
}

/// An event that cannot happen in the item's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an item that is {} cannot take {event:?}", .state.name())]
pub struct Impossible {
    /// The item's state.
    pub state: State,
    /// The refused event.
    pub event: Event,
}

/// Returns the state after an event.
pub fn after(state: State, event: Event) -> Result<State, Impossible> {
    match (state, event) {
        (State::Pending | State::Deferred, Event::Confirm) => Ok(State::Applying),
        (State::Applying, Event::Applied) => Ok(State::Confirmed),
        (State::Applying, Event::Failed)
        | (State::Confirmed | State::Rejected | State::Deferred, Event::Undone) => {
            Ok(State::Pending)
        }
        (State::Applying | State::Pending | State::Deferred, Event::Retract) => {
            Ok(State::Retracted)
        }
        (State::Pending | State::Deferred, Event::Reject) => Ok(State::Rejected),
        (State::Pending | State::Deferred, Event::Defer) => Ok(State::Deferred),
        (State::Pending | State::Deferred, Event::Expire) => Ok(State::Expired),
        (
            State::Pending
            | State::Deferred
            | State::Applying
            | State::Confirmed
            | State::Rejected
            | State::Retracted
            | State::Expired,
            _,
        ) => Err(Impossible { state, event }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_is_over() {
        for event in [Event::Confirm, Event::Reject, Event::Defer, Event::Undone, Event::Expire] {
            assert!(after(State::Retracted, event).is_err());
            assert!(after(State::Expired, event).is_err());
        }
    }

    #[test]
    fn only_a_verdict_can_be_undone() {
        assert_eq!(after(State::Confirmed, Event::Undone), Ok(State::Pending));
        assert_eq!(after(State::Rejected, Event::Undone), Ok(State::Pending));
        assert!(after(State::Pending, Event::Undone).is_err());
    }
}
