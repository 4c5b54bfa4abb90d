//! The statuses of a run as a step function that refuses impossible pairs.

use dormouse_store::agent::wake_run::Status;

/// What happens to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// The run succeeded.
    Completed,
    /// Nothing had changed.
    NothingChanged,
    /// The run failed.
    Failed,
    /// Its owner died.
    Crashed,
    /// The program stops or the provider is unavailable; no failure is counted.
    Requeued,
    /// It was claimed again.
    Resumed,
    /// It was queued and is not resumed: it crashed too often, or a person cancelled its wake.
    GivenUp,
    /// A person cancelled the run itself, while it was under way or waited to be resumed.
    Cancelled,
}

/// An event that cannot happen in the run's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a run that is {} cannot be {event:?}", .status.name())]
pub struct Impossible {
    /// The run's status.
    pub status: Status,
    /// The refused event.
    pub event: Event,
}

/// Returns the status after an event.
pub fn after(status: Status, event: Event) -> Result<Status, Impossible> {
    match (status, event) {
        (Status::Started, Event::Completed) => Ok(Status::Completed),
        (Status::Started, Event::NothingChanged) => Ok(Status::Skipped),
        (Status::Started, Event::Failed) => Ok(Status::Failed),
        (Status::Started | Status::Queued, Event::Cancelled) => Ok(Status::Failed),
        (Status::Started, Event::Crashed | Event::Requeued) => Ok(Status::Queued),
        (Status::Queued, Event::Resumed) => Ok(Status::Started),
        (Status::Queued, Event::GivenUp) => Ok(Status::Abandoned),
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
            Event::Crashed,
            Event::Requeued,
            Event::Resumed,
            Event::GivenUp,
            Event::Cancelled,
        ];
        for status in [Status::Completed, Status::Skipped, Status::Failed, Status::Abandoned] {
            for event in events {
                assert_eq!(after(status, event), Err(Impossible { status, event }));
            }
        }
    }

    #[test]
    fn a_run_that_waits_is_resumed_or_given_up_and_one_that_runs_is_not() {
        assert_eq!(after(Status::Started, Event::Crashed), Ok(Status::Queued));
        assert_eq!(after(Status::Queued, Event::Resumed), Ok(Status::Started));
        assert_eq!(after(Status::Queued, Event::GivenUp), Ok(Status::Abandoned));
        for status in [Status::Queued, Status::Started] {
            assert_eq!(after(status, Event::Cancelled), Ok(Status::Failed));
        }
        let event = Event::GivenUp;
        let status = Status::Started;
        assert_eq!(after(status, event), Err(Impossible { status, event }));
    }
}
