//! Templates: their list, one with its active version, and the versions.

use dormouse_agents::template::stock;
use dormouse_store::agent::agent_entity::count_by_template;
use dormouse_store::agent::entity::{self, Line};
use dormouse_store::agent::template::{self, Template as Stored, TemplateVersion as StoredVersion};
use dormouse_types::template::TemplateKind;
use dormouse_types::{TemplateId, WorkspaceId};

use crate::view::{Page, Template, TemplateDetail, TemplateVersion};
use crate::{Queries, QueryError, page};

impl Queries {
    /// All templates, those of the program first, then the oldest first; archived ones included.
    pub async fn templates(&self, ws: WorkspaceId) -> Result<Page<Template>, QueryError> {
        let rows = self.store.each(entity::of_kind::<Stored>(ws)).await?;
        let active = self.store.each(template::active_of_all(ws)).await?;
        let active: Vec<StoredVersion> =
            active.into_iter().flatten().map(|version| version.doc.value).collect();
        let counts = self.store.all(count_by_template(ws)).await?;
        let mut damaged = Vec::new();
        let mut items = Vec::new();
        for row in rows {
            match row {
                Ok(row) => {
                    let template = row.doc.value;
                    let version = active.iter().find(|version| version.agent_id == template.id);
                    items.push(view(template, version, &counts));
                }
                Err(error) => damaged.push(error.to_string()),
            }
        }
        let place = |template: &Template| {
            stock::ALL.iter().position(|stock| stock.id() == template.id).unwrap_or(usize::MAX)
        };
        items.sort_by(|a, b| (place(a), a.created_at, &a.id).cmp(&(place(b), b.created_at, &b.id)));
        Ok(Page { items, next_cursor: None, damaged })
    }

    /// A template with its active version.
    pub async fn template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<TemplateDetail, QueryError> {
        let template = self.agents.template(ws, id).await?.doc.value;
        let version = self.store.first(template::active(ws, id)).await?;
        let version = version.map(|version| version.doc.value);
        let counts = self.store.all(count_by_template(ws)).await?;
        let kind = template.kind.known().unwrap_or(TemplateKind::TaskAgent);
        let tools = self.tools_of(ws, kind, version.as_ref()).await?;
        let template = view(template, version.as_ref(), &counts);
        Ok(TemplateDetail { template, version: version.map(version_view), tools })
    }

    /// A version of a template.
    pub async fn template_version(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        number: i64,
    ) -> Result<TemplateVersion, QueryError> {
        self.agents.template(ws, id).await?;
        Ok(version_view(self.agents.template_version(ws, id, number).await?.doc.value))
    }

    /// A page of the versions of a template, newest first.
    pub async fn template_versions(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<TemplateVersion>, QueryError> {
        self.agents.template(ws, id).await?;
        let (at, last) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let rows = page::rows_to_read(limit);
        let lines = entity::lines(entity::page_of_agent::<StoredVersion>(
            ws,
            id,
            (at, last.as_str()),
            rows,
        ));
        let lines: Vec<Line<StoredVersion>> = self.store.all(lines).await?;
        let read = page::page_of(lines, limit, |line| page::cursor_of(line.created_at, &line.id));
        let Page { items: lines, next_cursor, mut damaged } = read;
        let mut items = Vec::new();
        for line in lines {
            match line.row {
                Ok(row) => items.push(version_view(row.doc.value)),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        Ok(Page { items, next_cursor, damaged })
    }
}

fn view(
    template: Stored,
    version: Option<&StoredVersion>,
    counts: &[(Option<TemplateId>, usize)],
) -> Template {
    let default = stock::DEFAULT.id();
    let its = counts.iter().filter(|(of, _)| of.as_ref().unwrap_or(&default) == &template.id);
    Template {
        n_agents: its.map(|(_, count)| count).sum(),
        is_default: template.id == default,
        active_version: version.map(|version| version.version),
        model_id: version.and_then(|version| version.model_id.clone()),
        // A row of an older shape does not say it; its active version is the newest that is known.
        newest_version: template.newest_version.max(version.map_or(0, |version| version.version)),
        id: template.id,
        kind: template.kind,
        display_name: template.display_name,
        category_ids: template.category_ids,
        revision: template.revision,
        created_at: template.created_at,
        updated_at: template.updated_at,
        archived_at: template.archived_at,
    }
}

fn version_view(version: StoredVersion) -> TemplateVersion {
    TemplateVersion {
        id: version.id,
        agent_id: version.agent_id,
        version: version.version,
        status: version.status,
        directives: version.directives,
        general_directive: version.general_directive,
        report_directive: version.report_directive,
        authored_by: version.authored_by,
        created_at: version.created_at,
        model_id: version.model_id,
        profile_id: version.profile_id,
        understood: None,
    }
}
