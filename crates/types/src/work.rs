//! Agent work: the closed lists of its records, and what may become of a run.

use crate::closed_list;

closed_list! {
    /// Whether a definition of agent work runs by a schedule or once, now.
    pub enum WorkType, "type" {
        /// By a schedule.
        Scheduled = "scheduled",
        /// Once, as soon as there is room for it.
        Immediate = "immediate",
    }
}

closed_list! {
    /// Where a definition of agent work comes from.
    pub enum WorkSource, "source of agent work" {
        /// A calendar; the reference is the UID of the event.
        Caldav = "caldav",
        /// A conversation; the reference is its id.
        Conversation = "conversation",
        /// A signed call from outside; the reference is the hook.
        Webhook = "webhook",
        /// A person, by command or page.
        Manual = "manual",
        /// A change of the journal; the reference is the filter.
        JournalEvent = "journalEvent",
        /// A proposal of an agent that the person confirmed; the reference is the change item.
        Agent = "agent",
    }
}

closed_list! {
    /// Who made a definition or a run of agent work.
    pub enum WorkCreator, "creator" {
        /// A schedule that was due.
        Scheduler = "scheduler",
        /// A person.
        User = "user",
        /// An agent, by a proposal, in a conversation or with a token of its own.
        Agent = "agent",
    }
}

closed_list! {
    /// What a definition of agent work is up to, as the public list shows it.
    #[derive(Default)]
    pub enum WorkStatus, "status" {
        /// Nothing has run yet, or a run waits for its turn.
        #[default]
        Pending = "pending",
        /// A run is under way.
        Running = "running",
        /// The latest run ended well, found nothing to do, or was left out.
        Completed = "completed",
        /// The latest run ended without a result.
        Failed = "failed",
        /// It waits for the person, or the person paused it.
        Paused = "paused",
    }
}

closed_list! {
    /// Whether a definition of agent work may start runs.
    #[derive(Default)]
    pub enum WorkState, "state of agent work" {
        /// It may.
        #[default]
        Active = "active",
        /// Not until the person resumes it.
        Paused = "paused",
        /// Not until the person resumes it: the data was restored, and it may have run elsewhere since.
        Held = "held",
        /// Not until what is wrong with it is mended.
        Disabled = "disabled",
        /// Never again; its history stays.
        Archived = "archived",
    }
}

impl WorkState {
    /// Whether it can become another one.
    pub fn may_become(self, to: Self) -> bool {
        match to {
            Self::Paused => matches!(self, Self::Active | Self::Held),
            Self::Held => self == Self::Active,
            Self::Active => matches!(self, Self::Paused | Self::Held | Self::Disabled),
            Self::Disabled | Self::Archived => true,
        }
    }
}

closed_list! {
    /// What is done with agent work besides editing it.
    pub enum WorkAction, "action" {
        /// It starts nothing until it is resumed.
        Pause = "pause",
        /// It starts runs again.
        Resume = "resume",
        /// The run that is under way or waits is ended.
        Cancel = "cancel",
        /// It never runs again; its history stays.
        Archive = "archive",
    }
}

closed_list! {
    /// The exact state of a run of agent work.
    pub enum RunState, "state of a run" {
        /// It waits for its turn, or for the time of its next attempt.
        Queued = "queued",
        /// A node works on it.
        Running = "running",
        /// It ended and left a result.
        Succeeded = "succeeded",
        /// It ended and found nothing to do.
        NoOp = "no_op",
        /// It had a question for the person, and goes on with the answer.
        NeedsInput = "needs_input",
        /// It ended without saying how; the person decides what it was worth.
        NeedsReview = "needs_review",
        /// It ended with an error.
        Failed = "failed",
        /// A person ended it.
        Cancelled = "cancelled",
        /// The process that worked on it died.
        Interrupted = "interrupted",
        /// It took longer than a run may.
        TimedOut = "timed_out",
        /// It was due and never started; its reason is a [`SkipReason`].
        Skipped = "skipped",
        /// Nobody answered its question in time.
        Expired = "expired",
    }
}

closed_list! {
    /// Why an occurrence was left out.
    pub enum SkipReason, "reason" {
        /// It was due while nothing ran, or the clock was set past it, and the policy leaves such occurrences out.
        Missed = "missed",
        /// An earlier run was still under way.
        Overlap = "overlap",
        /// The definition was paused, archived or deleted before its turn came.
        Paused = "paused",
        /// It happens once, and was suspended when it was due.
        Suspended = "suspended",
        /// Changes started as many runs within the hour as they may.
        TooMany = "tooMany",
    }
}

closed_list! {
    /// What starts the first run of new work.
    pub enum WorkStart, "start" {
        /// Nothing has to happen: it runs once, at once.
        Now = "now",
        /// Its schedule.
        Schedule = "schedule",
        /// A change of tasks.
        Changes = "changes",
        /// A call of a hook.
        Calls = "calls",
    }
}

closed_list! {
    /// What started a run of agent work.
    pub enum RunStart, "start of a run" {
        /// Its schedule: it was due.
        Schedule = "schedule",
        /// A change of a task.
        Change = "change",
        /// A call of a hook.
        Call = "call",
        /// A request, or that the work was made without anything that starts it.
        Request = "request",
    }
}

closed_list! {
    /// The policy for occurrences that were due while nothing ran, or that the clock was set past.
    #[derive(Default)]
    pub enum CatchUp, "catch-up policy" {
        /// They are left out.
        Skip = "skip",
        /// The newest runs.
        #[default]
        Once = "once",
        /// All run, one after another.
        All = "all",
    }
}

closed_list! {
    /// The policy for an occurrence that is due while an earlier run is under way.
    #[derive(Default)]
    pub enum Overlap, "overlap policy" {
        /// It is left out.
        Skip = "skip",
        /// One waits, further ones are left out.
        #[default]
        Queue = "queue",
        /// It runs alongside the earlier one.
        Parallel = "parallel",
    }
}

closed_list! {
    /// How a run says that it ended.
    pub enum WorkOutcome, "outcome" {
        /// It did what its instructions say.
        Done = "done",
        /// There was nothing to do.
        NoOp = "no_op",
        /// It could not do it.
        Failed = "failed",
    }
}

/// What happens to a run of agent work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEvent {
    /// A node claimed it.
    Started,
    /// It ended with an outcome.
    Ended(WorkOutcome),
    /// It has a question for the person.
    Asked,
    /// The person answered.
    Answered,
    /// Nobody answered in time.
    Expired,
    /// It ended without an outcome.
    EndedWithoutOutcome,
    /// The person takes what it left for its result.
    Approved,
    /// The person does not.
    Declined,
    /// An attempt failed, and another one follows.
    AttemptFailed,
    /// The last attempt failed.
    GaveUp,
    /// It took too long.
    TimedOut,
    /// Its process died.
    Crashed,
    /// The program stops, or its model cannot be called now.
    Requeued,
    /// A person ended it.
    Cancelled,
    /// Its turn will not come.
    Skipped,
    /// A person wants it to be tried again.
    Retried,
}

/// An event that cannot happen in the state of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a run that is {} cannot be {event:?}", .state.name())]
pub struct ImpossibleEvent {
    /// The state of the run.
    pub state: RunState,
    /// The event.
    pub event: RunEvent,
}

impl RunState {
    /// The state after an event.
    ///
    /// Errors: the event cannot happen in this state.
    pub fn after(self, event: RunEvent) -> Result<Self, ImpossibleEvent> {
        let next = match (self, event) {
            (Self::Queued | Self::Interrupted, RunEvent::Started) => Self::Running,
            (Self::Running, RunEvent::Ended(WorkOutcome::Done)) => Self::Succeeded,
            (Self::Running, RunEvent::Ended(WorkOutcome::NoOp)) => Self::NoOp,
            (Self::Running, RunEvent::Ended(WorkOutcome::Failed) | RunEvent::GaveUp) => {
                Self::Failed
            }
            (Self::Running, RunEvent::Asked) => Self::NeedsInput,
            (Self::Running, RunEvent::EndedWithoutOutcome) => Self::NeedsReview,
            (Self::Running, RunEvent::AttemptFailed | RunEvent::Requeued) => Self::Queued,
            (Self::Running, RunEvent::TimedOut) => Self::TimedOut,
            (Self::Running | Self::Queued, RunEvent::Crashed) => Self::Interrupted,
            (Self::NeedsInput, RunEvent::Answered) => Self::Queued,
            (Self::NeedsInput, RunEvent::Expired) => Self::Expired,
            (Self::NeedsReview, RunEvent::Approved) => Self::Succeeded,
            (Self::NeedsReview, RunEvent::Declined) => Self::Failed,
            (Self::Queued, RunEvent::Skipped) => Self::Skipped,
            (
                Self::Queued
                | Self::Running
                | Self::NeedsInput
                | Self::NeedsReview
                | Self::Interrupted,
                RunEvent::Cancelled,
            ) => Self::Cancelled,
            (
                Self::NeedsReview
                | Self::Failed
                | Self::Interrupted
                | Self::TimedOut
                | Self::Expired,
                RunEvent::Retried,
            ) => Self::Queued,
            (state, event) => return Err(ImpossibleEvent { state, event }),
        };
        Ok(next)
    }

    /// Whether it keeps later runs of its definition waiting. One that waits for the person does not.
    pub fn holds_its_place(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether it waits for the person.
    pub fn waits_for_the_person(self) -> bool {
        matches!(self, Self::NeedsInput | Self::NeedsReview)
    }

    /// Whether nothing more happens to it by itself.
    pub fn is_over(self) -> bool {
        !self.holds_its_place() && !self.waits_for_the_person()
    }
}

/// The public status of a definition, from its own state and that of its latest run.
pub fn public_status(definition: WorkState, run: Option<RunState>) -> WorkStatus {
    match (definition, run) {
        (_, Some(RunState::Running)) => WorkStatus::Running,
        (WorkState::Paused | WorkState::Held, _)
        | (_, Some(RunState::NeedsInput | RunState::NeedsReview)) => WorkStatus::Paused,
        (_, None | Some(RunState::Queued)) => WorkStatus::Pending,
        (_, Some(RunState::Succeeded | RunState::NoOp | RunState::Skipped)) => {
            WorkStatus::Completed
        }
        (
            _,
            Some(
                RunState::Failed
                | RunState::Cancelled
                | RunState::Interrupted
                | RunState::TimedOut
                | RunState::Expired,
            ),
        ) => WorkStatus::Failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EVENTS: &[(RunEvent, &str)] = &[
        (RunEvent::Started, "started"),
        (RunEvent::Ended(WorkOutcome::Done), "done"),
        (RunEvent::Ended(WorkOutcome::NoOp), "nothing to do"),
        (RunEvent::Ended(WorkOutcome::Failed), "said it failed"),
        (RunEvent::Asked, "asked"),
        (RunEvent::Answered, "answered"),
        (RunEvent::Expired, "expired"),
        (RunEvent::EndedWithoutOutcome, "no outcome"),
        (RunEvent::Approved, "approved"),
        (RunEvent::Declined, "declined"),
        (RunEvent::AttemptFailed, "attempt failed"),
        (RunEvent::GaveUp, "gave up"),
        (RunEvent::TimedOut, "timed out"),
        (RunEvent::Crashed, "crashed"),
        (RunEvent::Requeued, "requeued"),
        (RunEvent::Cancelled, "cancelled"),
        (RunEvent::Skipped, "skipped"),
        (RunEvent::Retried, "retried"),
    ];

    /// Every transition there is; what is not in the table is refused.
    const TABLE: &[(&str, &str, &str)] = &[
        ("queued", "started", "running"),
        ("queued", "crashed", "interrupted"),
        ("queued", "cancelled", "cancelled"),
        ("queued", "skipped", "skipped"),
        ("running", "done", "succeeded"),
        ("running", "nothing to do", "no_op"),
        ("running", "said it failed", "failed"),
        ("running", "asked", "needs_input"),
        ("running", "no outcome", "needs_review"),
        ("running", "attempt failed", "queued"),
        ("running", "gave up", "failed"),
        ("running", "timed out", "timed_out"),
        ("running", "crashed", "interrupted"),
        ("running", "requeued", "queued"),
        ("running", "cancelled", "cancelled"),
        ("needs_input", "answered", "queued"),
        ("needs_input", "expired", "expired"),
        ("needs_input", "cancelled", "cancelled"),
        ("needs_review", "approved", "succeeded"),
        ("needs_review", "declined", "failed"),
        ("needs_review", "retried", "queued"),
        ("needs_review", "cancelled", "cancelled"),
        ("failed", "retried", "queued"),
        ("interrupted", "started", "running"),
        ("interrupted", "retried", "queued"),
        ("interrupted", "cancelled", "cancelled"),
        ("timed_out", "retried", "queued"),
        ("expired", "retried", "queued"),
    ];

    #[test]
    fn a_run_moves_as_the_table_says_and_in_no_other_way() {
        let mut found = Vec::new();
        for state in RunState::ALL {
            for (event, name) in EVENTS {
                if let Ok(next) = state.after(*event) {
                    found.push((state.name(), *name, next.name()));
                }
            }
        }
        let mut expected = TABLE.to_vec();
        expected.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_is_over_is_left_only_by_a_person_or_by_a_run_that_resumes() {
        for state in RunState::ALL.iter().filter(|state| state.is_over()) {
            for (event, name) in EVENTS {
                let by_whom =
                    matches!(event, RunEvent::Retried | RunEvent::Cancelled | RunEvent::Started);
                assert!(state.after(*event).is_err() || by_whom, "{state} {name}");
            }
        }
    }

    #[test]
    fn the_five_public_statuses_come_from_the_exact_state() {
        let of = |run| public_status(WorkState::Active, run).name();
        let table = [
            ("queued", "pending"),
            ("running", "running"),
            ("succeeded", "completed"),
            ("no_op", "completed"),
            ("needs_input", "paused"),
            ("needs_review", "paused"),
            ("failed", "failed"),
            ("cancelled", "failed"),
            ("interrupted", "failed"),
            ("timed_out", "failed"),
            ("skipped", "completed"),
            ("expired", "failed"),
        ];
        let found: Vec<_> =
            RunState::ALL.iter().map(|state| (state.name(), of(Some(*state)))).collect();
        assert_eq!(found, table);
        assert_eq!(of(None), "pending");
        let paused = |run| public_status(WorkState::Paused, run);
        assert_eq!(paused(None), WorkStatus::Paused);
        assert_eq!(paused(Some(RunState::Succeeded)), WorkStatus::Paused);
        assert_eq!(paused(Some(RunState::Running)), WorkStatus::Running, "it may still end");
    }
}
