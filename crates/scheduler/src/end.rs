//! How a run ended.

use dormouse_store::agent::wake_run::Run;
use dormouse_types::HolderId;

/// How a run ended, for its caller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// The run completed and its results are stored.
    Completed {
        /// Whether it reached the cap on turns.
        cut: bool,
    },
    /// Nothing had changed, so the model was not called.
    Skipped,
    /// The run failed, and the failure counter of its holder was raised.
    Failed {
        /// Error that ended the run.
        error: String,
    },
    /// The run is queued to be resumed; no failure was counted.
    Requeued {
        /// Why it was requeued.
        reason: String,
    },
    /// The provider is unavailable; the run is queued to be resumed, and no failure was counted
    /// against its holder.
    ProviderUnavailable {
        /// The provider's error.
        reason: String,
    },
    /// A person cancelled the run while it was under way; no failure was counted.
    Cancelled,
    /// Another process owns the run now.
    LeaseLost,
}

/// A run that ended in this process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinishedRun {
    /// Holder that the run belongs to.
    pub holder: HolderId,
    /// The run as it was claimed.
    pub run: Run,
    /// How it ended.
    pub end: End,
}
