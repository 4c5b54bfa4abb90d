//! Request bodies about templates.

use dormouse::{NewTemplate, TemplatePatch as Patch};
use dormouse_types::CategoryId;
use dormouse_types::template::TemplateKind;
use serde::Deserialize;
use utoipa::ToSchema;

use super::read::{Reading, present};
use crate::Problem;

/// A template to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TemplateParams {
    /// Its name.
    name: String,
    /// What it is for; `taskAgent` if left out.
    #[schema(value_type = Option<TemplateKind>)]
    kind: Option<String>,
    /// How an agent works and talks: persona, tools, objective. Left out or empty: the default.
    #[serde(default)]
    general_directive: String,
    /// What its reports look like. Left out or empty: the default.
    #[serde(default)]
    report_directive: String,
    /// The model that its agents ask, `builtin` or `provider/model`; left out: that of the workspace.
    model_id: Option<String>,
    /// The profile that another program gave it: kept, and without effect.
    profile_id: Option<String>,
}

impl TemplateParams {
    pub(crate) fn read(self) -> Result<NewTemplate, Problem> {
        let mut reading = Reading::default();
        let kind = reading.parse("/kind", self.kind);
        reading.finish(NewTemplate {
            name: self.name,
            kind: kind.unwrap_or(TemplateKind::TaskAgent),
            general_directive: self.general_directive,
            report_directive: self.report_directive,
            model_id: self.model_id,
            profile_id: self.profile_id,
            category_ids: Vec::new(),
        })
    }
}

/// What is changed about a template. Fields left out are unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct TemplatePatch {
    /// Its name.
    name: Option<String>,
    /// How an agent works and talks; empty means the default. Another text makes a new version.
    general_directive: Option<String>,
    /// What its reports look like; empty means the default. Another text makes a new version.
    report_directive: Option<String>,
    /// The model that its agents ask; `null` is that of the workspace. Another one makes a new version.
    #[serde(default, deserialize_with = "present")]
    model_id: Option<Option<String>>,
    /// The profile of inference; `null` is none. Another one makes a new version.
    #[serde(default, deserialize_with = "present")]
    profile_id: Option<Option<String>>,
    /// The categories whose new agents follow it. Each has one template at most: it is removed from the
    /// one before.
    #[schema(value_type = Option<Vec<CategoryId>>)]
    category_ids: Option<Vec<String>>,
    /// Whether it is out of use for new agents. Those that follow it go on.
    archived: Option<bool>,
    /// Whether the new version is a draft, which nobody follows until it is activated.
    #[serde(default)]
    draft: bool,
}

impl TemplatePatch {
    pub(crate) fn read(self) -> Result<Patch, Problem> {
        let mut reading = Reading::default();
        let category_ids = self.category_ids.map(|ids| {
            let read = ids.into_iter().filter_map(|id| reading.parse("/categoryIds", Some(id)));
            read.collect()
        });
        reading.finish(Patch {
            name: self.name,
            general_directive: self.general_directive,
            report_directive: self.report_directive,
            model_id: self.model_id,
            profile_id: self.profile_id,
            category_ids,
            is_archived: self.archived,
            is_draft: self.draft,
        })
    }
}

/// A copy of a template.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DuplicateParams {
    /// Its name; that of the template with “copy” if left out.
    pub(crate) name: Option<String>,
}
