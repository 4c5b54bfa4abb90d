//! Request bodies about rules and the policies of tools.

use dormouse::{NewPolicy, NewRule};
use dormouse_types::DecisionId;
use dormouse_types::rule::{Condition, RuleHolder, ToolPolicy};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::read::Reading;
use crate::Problem;

/// A rule to make. It holds back what fits before it is opened.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct RuleParams {
    /// The task, agent or template that it is about.
    #[schema(value_type = RuleHolder)]
    holder: String,
    /// The tool, by any of its names.
    tool: String,
    /// When it holds; left out: for whatever the tool proposes.
    condition: Option<Condition>,
    /// The verdicts that it was suggested for.
    #[serde(default)]
    #[schema(value_type = Vec<DecisionId>)]
    decisions: Vec<String>,
}

impl RuleParams {
    pub(crate) fn read(self) -> Result<NewRule, Problem> {
        let mut reading = Reading::default();
        let holder: Option<RuleHolder> = reading.parse("/holder", Some(self.holder));
        let decisions = self.decisions.into_iter();
        let decisions: Vec<DecisionId> =
            decisions.filter_map(|id| reading.parse("/decisions", Some(id))).collect();
        let (tool, condition) = (self.tool, self.condition);
        let new = holder.map(|holder| NewRule { holder, tool, condition, decisions });
        Ok(reading.finish(new)?.expect("a holder that cannot be read is a problem"))
    }
}

/// Whose rules are listed.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct RuleFilter {
    /// Only rules about this task, agent, template, version of a template or agent work.
    #[param(value_type = Option<RuleHolder>)]
    pub(crate) holder: Option<String>,
}

/// What rules are suggested for.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(crate) struct SuggestionFilter {
    /// The task, agent or template.
    #[param(value_type = RuleHolder)]
    pub(crate) holder: String,
}

/// What a tool may do.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolPolicyParams {
    /// `forbid`, `ask` or `auto`.
    #[schema(value_type = ToolPolicy)]
    policy: String,
}

impl ToolPolicyParams {
    pub(crate) fn read(self, version: i64, tool: String) -> Result<NewPolicy, Problem> {
        let mut reading = Reading::default();
        let policy: Option<ToolPolicy> = reading.parse("/policy", Some(self.policy));
        let new = policy.map(|policy| NewPolicy { version, tool, policy });
        Ok(reading.finish(new)?.expect("a policy that cannot be read is a problem"))
    }
}
