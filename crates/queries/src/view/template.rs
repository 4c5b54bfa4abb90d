//! Templates and their versions.

use dormouse_types::closed_list::Listed;
use dormouse_types::directive::UnderstoodDirectives;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};
use dormouse_types::{CategoryId, TemplateId, TemplateVersionId, Timestamp};
use serde::{Deserialize, Serialize};

use super::TemplateTool;

/// A template, without its texts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Template {
    /// Its id.
    pub id: TemplateId,
    /// What it is for.
    pub kind: Listed<TemplateKind>,
    /// Its name.
    pub display_name: String,
    /// The categories whose new agents follow it.
    pub category_ids: Vec<CategoryId>,
    /// Whether agents follow it that have no template of their own.
    pub is_default: bool,
    /// The number of its active version; none if none is active.
    pub active_version: Option<i64>,
    /// The number of its newest version.
    pub newest_version: i64,
    /// The model that its active version names; none is that of the workspace.
    pub model_id: Option<String>,
    /// How many agents follow it.
    pub n_agents: usize,
    /// Rises with each change; its ETag.
    pub revision: i64,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was last changed.
    pub updated_at: Timestamp,
    /// Since when new agents cannot follow it.
    pub archived_at: Option<Timestamp>,
}

/// A template with its active version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemplateDetail {
    /// The template.
    pub template: Template,
    /// Its active version; none if none is active.
    pub version: Option<TemplateVersion>,
    /// What each tool that proposes may do in the hands of those who follow the active version.
    #[serde(default)]
    pub tools: Vec<TemplateTool>,
}

/// A version of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TemplateVersion {
    /// Its id.
    pub id: TemplateVersionId,
    /// Its template.
    pub agent_id: TemplateId,
    /// Its number, from 1.
    pub version: i64,
    /// Where it is in its life.
    pub status: Listed<TemplateVersionStatus>,
    /// Both texts in one, for programs that know no other field.
    pub directives: String,
    /// How an agent works and talks; empty means the default.
    pub general_directive: String,
    /// What its reports look like; empty means the default.
    pub report_directive: String,
    /// Who wrote it; `system` for what comes with the program.
    pub authored_by: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// The model that its agents ask; none is that of the workspace.
    pub model_id: Option<String>,
    /// The profile that another program gave it: kept, and without effect.
    pub profile_id: Option<String>,
    /// What the built-in model understands of both directives; none in a list, and if the program has
    /// no rules.
    pub understood: Option<UnderstoodDirectives>,
}
