//! Rules of the person about what agents propose.

use dormouse_types::closed_list::Listed;
use dormouse_types::field_change::FieldChange;
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder, ToolPolicy};
use dormouse_types::{DecisionId, RuleId, TaskId, Timestamp};
use serde::{Deserialize, Serialize};

/// A rule about what agents propose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Rule {
    /// Its id.
    pub id: RuleId,
    /// The task, agent, template, version of a template or agent work that it is about.
    pub holder: RuleHolder,
    /// What it does.
    pub effect: Listed<RuleEffect>,
    /// The tool, as proposals name it.
    pub tool: String,
    /// When it holds; none for whatever the tool proposes.
    pub condition: Option<Condition>,
    /// The name of the label that its condition is about.
    pub label_name: Option<String>,
    /// The verdicts that it was suggested for.
    pub decisions: Vec<DecisionId>,
    /// Who made it.
    pub made_by: String,
    /// When it was made.
    pub made_at: Timestamp,
    /// How many proposals it has held back.
    pub n_held_back: i64,
    /// When it last held one back.
    pub held_back_at: Option<Timestamp>,
}

/// A proposal that a rule did not let through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct HeldBack {
    /// The task that it was about.
    pub task_id: TaskId,
    /// What it would have changed; none if that is not known.
    pub change: Option<FieldChange>,
    /// How often the same was held back.
    pub times: i64,
    /// When it last was.
    pub at: Timestamp,
}

/// A rule that verdicts of the person speak for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SuggestedRule {
    /// What it would be about.
    pub holder: RuleHolder,
    /// The tool, as proposals name it.
    pub tool: String,
    /// When it would hold; none for whatever the tool proposes.
    pub condition: Option<Condition>,
    /// The name of the label that its condition is about.
    pub label_name: Option<String>,
    /// The rejections that speak for it, newest first.
    pub rejections: Vec<RejectedProposal>,
    /// How many proposals that it would hold back were confirmed in the same time.
    pub n_confirmed: usize,
}

/// A proposal that the person rejected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct RejectedProposal {
    /// The verdict.
    pub decision: DecisionId,
    /// The task.
    pub task_id: TaskId,
    /// What it would have changed; none if that is not known.
    pub change: Option<FieldChange>,
    /// Why the person rejected it, in their words. It plays no part in what is suggested.
    pub reason: Option<String>,
    /// When.
    pub at: Timestamp,
}

/// What a tool may do in the hands of those who follow a version of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemplateTool {
    /// The tool, as proposals name it.
    pub tool: String,
    /// Its policy.
    pub policy: ToolPolicy,
    /// Whether `auto` can be chosen: not for what costs something or leaves the machine.
    pub may_be_automatic: bool,
}
