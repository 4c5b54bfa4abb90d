//! Why a run ends before its model ended it.

use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::port::Model;

use crate::model_call::FailedCall;

/// Why a run ends before its model ended it, with what is recorded.
#[derive(Clone, Copy)]
pub(crate) enum EarlyEnd<'e> {
    /// There is no room for another turn.
    NoRoom(NoRoom),
    /// The model gave no answer that can be used to a later turn.
    Unanswered(&'e FailedCall),
    /// The model may not see any more what it has read: the rest is not sent.
    Hidden(KeptBackReason),
    /// The time of a run is up.
    OverTime,
    /// Calls that cost money were switched off.
    PaidCallsOff,
    /// A person deleted the task.
    TaskDeleted,
}

/// Where there is no room for another turn.
#[derive(Clone, Copy)]
pub(crate) enum NoRoom {
    Window,
    WakeCap,
    DayBudget,
}

impl EarlyEnd<'_> {
    /// Returns what the log says of a run of `model` that ends so.
    pub(crate) fn reason(self, model: &dyn Model) -> String {
        let (name, provider) = (model.name(), model.provider());
        match self {
            Self::NoRoom(NoRoom::Window) => {
                format!("ended early: {name} has no room for another turn")
            }
            Self::NoRoom(NoRoom::WakeCap) => {
                "ended early: what one wake may spend has no room for another turn".into()
            }
            Self::NoRoom(NoRoom::DayBudget) => {
                "ended early: the budget of today has no room for another turn".into()
            }
            Self::Unanswered(failed) => {
                format!("ended early, because the call for its next turn failed: {}", failed.error)
            }
            Self::Hidden(KeptBackReason::Private) => format!(
                "ended early: something that it had read became private, and {name} is not a model of your \
                 own, so nothing more was sent"
            ),
            Self::Hidden(KeptBackReason::Category) => format!(
                "ended early: something that it had read is of a category now that may not be sent to \
                 {provider}, so nothing more was sent"
            ),
            Self::OverTime => {
                format!("ended early: {name} was still writing when the time of a run was up")
            }
            Self::PaidCallsOff => {
                "ended early: calls that cost money were switched off before another turn".into()
            }
            Self::TaskDeleted => {
                format!("ended early: its task was deleted, so {name} was sent nothing more")
            }
        }
    }
}
