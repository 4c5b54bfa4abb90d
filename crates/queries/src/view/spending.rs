//! What models cost on a day.

use dormouse_types::Timestamp;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// What was spent on models on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spending {
    /// The day in the workspace's time zone.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Date))]
    pub day: Date,
    /// On models with a price. Units: micro-dollars.
    pub money: Spent,
    /// On models without one. Units: tokens; none for a single agent, which has no such budget.
    pub tokens: Option<Spent>,
}

/// What was spent of a budget.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Spent {
    /// Spent, and reserved by calls that have not ended or whose process died.
    pub used: i64,
    /// The budget of a day.
    pub budget: i64,
    /// What a person allowed beyond it for this day.
    pub extra: i64,
    /// Since when there is no room for the next call; none if there is.
    pub held_since: Option<Timestamp>,
    /// What that call may cost; none if there is room.
    pub next_call: Option<i64>,
}
