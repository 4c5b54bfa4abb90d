//! When an agent wakes next, why, and what holds it back.

use dormouse_types::Timestamp;
use dormouse_types::agent::{TimerKind, WakeReason};
use dormouse_types::closed_list;
use dormouse_types::closed_list::Listed;
use serde::{Deserialize, Serialize};

closed_list! {
    /// Why an agent is to wake.
    pub enum ScheduledReason, "reason" {
        /// Another try after a failed run.
        BackOff = "backOff",
        /// The agent was created.
        Creation = "creation",
        /// The due date is near.
        DueDate = "dueDate",
        /// An interrupted run continues.
        Interrupted = "interrupted",
        /// A person requested a full fresh analysis.
        Reanalysis = "reanalysis",
        /// Something changed.
        Subscription = "subscription",
        /// A time was reached.
        Timer = "timer",
        /// A person requested a run or sent a message.
        UserInitiated = "userInitiated",
        /// A person set the time.
        WakeAt = "wakeAt",
    }
}

impl From<WakeReason> for ScheduledReason {
    fn from(reason: WakeReason) -> Self {
        match reason {
            WakeReason::Subscription => Self::Subscription,
            WakeReason::Timer => Self::Timer,
            WakeReason::Creation => Self::Creation,
            WakeReason::Reanalysis => Self::Reanalysis,
            WakeReason::UserInitiated => Self::UserInitiated,
        }
    }
}

impl From<TimerKind> for ScheduledReason {
    fn from(kind: TimerKind) -> Self {
        match kind {
            TimerKind::DueDate => Self::DueDate,
            TimerKind::WakeAt => Self::WakeAt,
        }
    }
}

closed_list! {
    /// What holds a scheduled wake back.
    pub enum HeldBy, "value" {
        /// Automatic wakes are held back until a time; the wake was moved there.
        SleepUntil = "sleepUntil",
        /// Runs failed; the wake was moved to the next try.
        BackOff = "backOff",
        /// Automation is off; the agent does not wake.
        Automation = "automation",
        /// The agent is dormant and does not wake.
        Dormant = "dormant",
        /// A budget of the day has no room for the next call; the wake was moved to the next day.
        Budget = "budget",
        /// The provider of its model is not available; the wake was moved to the next try.
        Provider = "provider",
        /// Calls that cost money are switched off.
        PaidCalls = "paidCalls",
    }
}

/// A scheduled wake: when, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduledWake {
    /// When the agent wakes; none if it does not wake automatically and no time is set.
    pub at: Option<Timestamp>,
    /// Why it wakes.
    pub reason: Listed<ScheduledReason>,
    /// What it is about: of `dueDate` the day.
    pub about: Option<String>,
    /// What holds it back.
    pub held_by: Option<Listed<HeldBy>>,
}
