//! How a template does.

use dormouse_types::TemplateId;
use dormouse_types::template::MetricJudgement;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

/// How a template has done in the last 26 weeks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemplateMetrics {
    /// The template.
    pub template_id: TemplateId,
    /// The first day that is counted, a Monday in the workspace's time zone.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Date))]
    pub from: Date,
    /// All of it.
    pub total: Metrics,
    /// Per version that was followed, newest first; last those wakes whose version is not known.
    pub versions: Vec<VersionMetrics>,
    /// Per model, the one with most wakes first.
    pub models: Vec<ModelMetrics>,
    /// Per tool, the one with most proposals first.
    pub tools: Vec<ToolMetrics>,
    /// Per week, oldest first; weeks without wakes are included.
    pub weeks: Vec<WeekMetrics>,
    /// The active version beside the one before; none if no other version was followed in this time.
    pub comparison: Option<VersionComparison>,
}

/// Wakes, what their models used, and the outcome of their proposals.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Wakes that completed or failed. Wakes with nothing to do, and those that a person cancelled, are not
    /// counted.
    pub wakes: i64,
    /// Those that failed or were abandoned.
    pub failed: i64,
    /// Their share. Units: percent; none of fewer than 20 wakes.
    pub failure_rate: Option<i64>,
    /// Tokens that models read.
    pub input_tokens: i64,
    /// Tokens that models wrote.
    pub output_tokens: i64,
    /// Tokens read and written per wake; none of fewer than 20 wakes.
    pub tokens_per_wake: Option<i64>,
    /// What models with a price cost. Units: micro-dollars.
    pub cost: i64,
    /// The same per wake; none of fewer than 20 wakes.
    pub cost_per_wake: Option<i64>,
    /// The outcome of the proposals.
    pub decisions: DecisionCounts,
}

/// The outcome of proposals. Each counts where it is now: one that is undone and decided again counts once.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DecisionCounts {
    /// Confirmed by a person.
    pub confirmed: i64,
    /// Rejected by a person.
    pub rejected: i64,
    /// Put off, and still open.
    pub deferred: i64,
    /// Not decided in time.
    pub expired: i64,
    /// Applied by a rule, without a decision.
    pub by_rule: i64,
    /// The share of the confirmed among the confirmed and the rejected. Units: percent; none of fewer than 20.
    pub confirm_rate: Option<i64>,
}

/// The metrics of a version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionMetrics {
    /// Its number; none if it is not known which version was followed.
    pub version: Option<i64>,
    /// What it did.
    pub metrics: Metrics,
}

/// The metrics of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ModelMetrics {
    /// Its name; none if it is not known which model was asked.
    pub model: Option<String>,
    /// What it did.
    pub metrics: Metrics,
}

/// The outcome of the proposals of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolMetrics {
    /// The tool.
    pub tool: String,
    /// The outcome of its proposals.
    pub decisions: DecisionCounts,
}

/// The metrics of a week.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WeekMetrics {
    /// Its Monday in the workspace's time zone.
    #[cfg_attr(feature = "openapi", schema(value_type = String, format = Date))]
    pub from: Date,
    /// What happened in it. A decision counts in the week in which it was made.
    pub metrics: Metrics,
}

/// The active version beside the one before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct VersionComparison {
    /// The active version.
    pub version: i64,
    /// The version before.
    pub before: i64,
    /// The share of wakes that failed. Units: percent.
    pub failures: MetricChange,
    /// The share of proposals that were confirmed. Units: percent.
    pub confirmed: MetricChange,
    /// Tokens per wake.
    pub tokens: MetricChange,
    /// Cost per wake. Units: micro-dollars.
    pub cost: MetricChange,
    /// The share of confirmed proposals of each tool that has decisions under both versions.
    pub tools: Vec<ToolChange>,
}

/// A figure of both versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct MetricChange {
    /// That of the active version; none if there is too little to count.
    pub now: Option<i64>,
    /// That of the version before; none if there is too little to count.
    pub before: Option<i64>,
    /// What the difference means.
    pub judgement: MetricJudgement,
}

/// How proposals of a tool are decided under both versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ToolChange {
    /// The tool.
    pub tool: String,
    /// The share of the confirmed. Units: percent.
    pub confirmed: MetricChange,
}
