//! The statuses of a run as a step function that refuses impossible pairs.

use dormouse_store::agent::wake_run::Status;
use dormouse_types::limits;

/// What happens to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// It ended well.
    Completed,
    /// Nothing had changed.
    NothingChanged,
    /// It ended badly.
    Failed,
    /// Its owner died; `crashes` counts this one.
    Crashed {
        /// Crashes of this run so far.
        crashes: i64,
    },
    /// A graceful stop, or a provider that is away: counts nothing.
    PutBack,
    /// It is claimed again.
    Resumed,
}

/// An event that cannot happen to a run in this status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a run that is {} cannot be {event:?}", .status.name())]
pub struct Impossible {
    /// Its status.
    pub status: Status,
    /// The event.
    pub event: Event,
}

/// The status after an event.
pub fn after(status: Status, event: Event) -> Result<Status, Impossible> {
    match (status, event) {
        (Status::Started, Event::Completed) => Ok(Status::Completed),
        (Status::Started, Event::NothingChanged) => Ok(Status::Skipped),
        (Status::Started, Event::Failed) => Ok(Status::Failed),
        (Status::Started, Event::Crashed { crashes }) if crashes >= limits::CRASHES_TO_ABANDON => {
            Ok(Status::Abandoned)
        }
        (Status::Started, Event::Crashed { .. } | Event::PutBack) => Ok(Status::Queued),
        (Status::Queued, Event::Resumed) => Ok(Status::Started),
        (
            Status::Queued
            | Status::Started
            | Status::Completed
            | Status::Skipped
            | Status::Failed
            | Status::Abandoned,
            _,
        ) => Err(Impossible { status, event }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_ended_stays_ended() {
        let events = [
            Event::Completed,
            Event::NothingChanged,
            Event::Failed,
            Event::Crashed { crashes: 1 },
            Event::PutBack,
            Event::Resumed,
        ];
        for status in [Status::Completed, Status::Skipped, Status::Failed, Status::Abandoned] {
            for event in events {
                assert_eq!(after(status, event), Err(Impossible { status, event }));
            }
        }
    }

    #[test]
    fn the_third_crash_gives_a_run_up() {
        assert_eq!(after(Status::Started, Event::Crashed { crashes: 2 }), Ok(Status::Queued));
        assert_eq!(after(Status::Started, Event::Crashed { crashes: 3 }), Ok(Status::Abandoned));
    }
}
