//! Which template an agent follows, and what that means for its wakes.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::template::{self, Template};
use dormouse_types::template::TemplateKind;
use dormouse_types::{CategoryId, TemplateId, WorkspaceId};

use super::edit::of_kind;
use super::effective::Effective;
use super::{TemplateError, stock};
use crate::context::system;
use crate::{AgentError, Agents};

impl Agents {
    /// What the active version of an agent's template tells it now. Without a row it is what comes with
    /// the program: an agent never goes without directives.
    pub(crate) async fn effective(
        &self,
        ws: WorkspaceId,
        agent: &Agent,
    ) -> Result<Effective, AgentError> {
        let id = agent.config.template_id.clone().unwrap_or_else(|| stock::DEFAULT.id());
        self.effective_of(ws, &id, TemplateKind::TaskAgent).await
    }

    async fn effective_of(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        kind: TemplateKind,
    ) -> Result<Effective, AgentError> {
        let version = self.store.first(template::active(ws, id)).await?;
        Ok(version.map_or_else(
            || Effective::stock(kind),
            |version| Effective::of(&version.doc.value, kind),
        ))
    }

    /// The system prompt of agent work that follows a template: these rules, then the directives of its
    /// active version; and those directives with that version.
    pub async fn system_of_work(
        &self,
        ws: WorkspaceId,
        template: &TemplateId,
        rules: &str,
    ) -> Result<(String, Effective), AgentError> {
        let effective = self.effective_of(ws, template, TemplateKind::AgentWork).await?;
        Ok((system::with_directives(rules, &effective), effective))
    }

    /// A template that an agent, or work, of this kind may be assigned.
    ///
    /// Errors: it is not there, archived, without an active version, or for something else.
    pub async fn assignable(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        kind: TemplateKind,
    ) -> Result<Stored<Template>, AgentError> {
        let template = self.template(ws, id).await?;
        of_kind(&template.doc.value, kind)?;
        if template.doc.value.archived_at.is_some() {
            Err(TemplateError::Archived { template: id.clone() })?;
        }
        self.active_version(ws, id).await?;
        Ok(template)
    }

    /// The template that new agents of tasks of this category follow, if one is the default of it.
    pub(crate) async fn template_of_category(
        &self,
        ws: WorkspaceId,
        category: Option<&CategoryId>,
    ) -> Result<Option<Stored<Template>>, AgentError> {
        let Some(category) = category else { return Ok(None) };
        let templates = self.store.each(entity::of_kind::<Template>(ws)).await?;
        Ok(templates.into_iter().flatten().find(|stored| {
            let template = &stored.doc.value;
            template.archived_at.is_none() && template.category_ids.contains(category)
        }))
    }
}
