//! Hooks of agent work, and what came of their calls.

use dormouse_access::view::Secret;
use dormouse_types::work_hook::{HookForm, HookRefusal};
use dormouse_types::{HookId, Timestamp, WorkId, WorkRunId};
use serde::{Deserialize, Serialize};

/// An address that a program outside calls to start a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkHook {
    /// Its id.
    pub id: HookId,
    /// The agent work whose runs its calls start.
    pub task_id: WorkId,
    /// What the person calls it.
    pub name: String,
    /// How its calls are signed.
    pub form: HookForm,
    /// The path that is called, below the address of the server. It identifies the hook, and authorises
    /// nothing.
    pub path: String,
    /// The secrets that are accepted, oldest first.
    pub secrets: Vec<WorkHookSecret>,
    /// When it was made.
    pub created: Timestamp,
    /// The newest calls that started runs, newest first.
    pub calls: Vec<WorkHookCall>,
    /// The newest hours in which it was called, newest first.
    pub hours: Vec<WorkHookHour>,
}

/// A secret of a hook, without the secret itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkHookSecret {
    /// Its number within the hook, from 1.
    pub n: i64,
    /// When it was made.
    pub created: Timestamp,
    /// Until when it is accepted, if there is a newer one.
    pub expires_at: Option<Timestamp>,
}

/// A call that started a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkHookCall {
    /// The id that the sender gave it.
    pub delivery_id: String,
    /// The run.
    pub run_id: WorkRunId,
    /// The address that it came from.
    pub sender: String,
    /// The size of its body in bytes.
    pub bytes: usize,
    /// When it came.
    pub at: Timestamp,
}

/// How many calls there were in an hour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkHookHour {
    /// When the hour began.
    pub hour: Timestamp,
    /// Calls that started a run.
    pub started: i64,
    /// Calls that came again.
    pub repeated: i64,
    /// Calls that were refused, by the reason; only reasons that there were.
    pub refused: Vec<WorkHookRefused>,
    /// Why the last of them was refused.
    pub last_refusal: Option<HookRefusal>,
    /// The address that it came from.
    pub last_sender: Option<String>,
    /// When that was.
    pub last_at: Option<Timestamp>,
}

/// How many calls were refused for a reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkHookRefused {
    /// The reason.
    pub why: HookRefusal,
    /// How many.
    pub n: i64,
}

/// A hook with a new secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreatedWorkHook {
    /// The secret that calls are signed with. It is not returned again.
    pub secret: Secret,
    /// The hook.
    pub hook: WorkHook,
}

/// What an accepted call led to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ReceivedCall {
    /// The run.
    pub run_id: WorkRunId,
    /// Whether an earlier call with the same id started it.
    pub is_repeated: bool,
}
