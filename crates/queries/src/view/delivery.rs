//! Notices to the person about agent work.

use dormouse_types::delivery::{DeliveryKind, DeliveryState, DeliveryTarget};
use dormouse_types::{DeliveryId, Timestamp, WorkId, WorkRunId};
use serde::{Deserialize, Serialize};

/// A notice to the person about agent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Delivery {
    /// Its id: the same however often it is shown.
    pub id: DeliveryId,
    /// Where it is shown.
    pub target: DeliveryTarget,
    /// What it is about.
    pub kind: DeliveryKind,
    /// How far it has come.
    pub state: DeliveryState,
    /// The definition.
    pub task_id: WorkId,
    /// Its title; `None` if it was deleted.
    pub title: Option<String>,
    /// The run.
    pub run_id: WorkRunId,
    /// What it asks, the title of its result, or why it failed, as the run has it now.
    pub text: Option<String>,
    /// How often its target showed it, or tried to.
    pub attempts: i64,
    /// When it was written, together with what it tells.
    pub created: Timestamp,
    /// When its target showed it first.
    pub delivered_at: Option<Timestamp>,
    /// When the person saw it, or had dealt with what it tells.
    pub read_at: Option<Timestamp>,
}
