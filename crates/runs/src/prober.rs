//! How a model calls tools is found out by a call that must come back, before it is first used.
//!
//! What such a call shows is kept with the model, in settings that this room does not own: the call comes in
//! through a port.

use dormouse_store::Op;
use dormouse_types::model::ModelError;
use dormouse_types::port::BoxFuture;
use dormouse_types::{HolderId, WorkspaceId};

use crate::handler::RunError;

/// Finds out how models call tools, and forgets it.
pub trait Prober: Send + Sync {
    /// Finds out how a model calls tools, and makes that known: the next look at the registry gives a model of
    /// which it is. The calls are reserved and paid like any others.
    ///
    /// Errors: nothing was found out; the run waits or ends.
    fn probe<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), NotProbed>>;

    /// Forgets how a model calls tools, because that way does not hold any more; the next run that uses it finds it
    /// out again. A model that called nothing is tried again for that once. Returns whether anything was forgotten.
    fn forget<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
        model: &'a str,
        sign: Sign,
    ) -> BoxFuture<'a, Result<bool, RunError>>;
}

/// What shows that the known way to call tools may not hold any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// The server refused it.
    Refused,
    /// A turn forced a call, and the answer has none: a server that drops tools says nothing about it.
    CalledNothing,
}

/// Why it was not found out how a model calls tools.
#[derive(Debug)]
pub enum NotProbed {
    /// The provider cannot be asked, or refuses; or the model calls no tool in any way.
    Model(ModelError),
    /// The budget of all agents leaves no room for the calls.
    OverBudget {
        /// The sentence for a person.
        reason: String,
        /// Notes that there is no room.
        held: Vec<Op>,
    },
    /// Calls that cost money are switched off.
    PaidCallsOff,
    /// Its provider was changed while the calls were made, so that what they showed is of another server.
    SettingsChanged,
    Store(RunError),
}

impl From<RunError> for NotProbed {
    fn from(error: RunError) -> Self {
        Self::Store(error)
    }
}

/// Words by which servers name the ways to call tools when they refuse one.
const WAYS: [&str; 6] =
    ["tool", "function call", "function_call", "functions", "response_format", "json_schema"];

/// Returns whether a server refuses the way in which it was sent tools, by what it says: a model that took
/// them when it was tried may have been replaced at the same address.
pub fn refuses_tools(error: &ModelError) -> bool {
    let ModelError::Rejected { detail } = error else { return false };
    let detail = detail.to_lowercase();
    WAYS.iter().any(|way| detail.contains(way))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_refusal_that_names_tools_is_about_how_they_are_called() {
        let rejected = |detail: &str| ModelError::Rejected { detail: detail.to_owned() };
        for detail in [
            "script does not support tools",
            "Tool use is not enabled for this model",
            "`response_format` of type json_schema is not available",
            "Unknown field: function_call",
        ] {
            assert!(refuses_tools(&rejected(detail)), "{detail}");
        }
        for detail in ["the context window is 4096", "the content is not allowed", ""] {
            assert!(!refuses_tools(&rejected(detail)), "{detail}");
        }
        assert!(!refuses_tools(&ModelError::Request { detail: "tools broke off".into() }));
    }
}
