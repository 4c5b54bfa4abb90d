//! Versions: which is active, activating another, going back to an older text.

use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::template::{self, TemplateVersion};
use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::template::TemplateVersionStatus;
use dormouse_types::{Id as _, TemplateId, TemplateVersionId, Timestamp, WorkspaceId, limits};

use super::TemplateError;
use super::edit::{Change, Content, Request, Wanted};
use super::policy::end_of_version;
use crate::lifecycle::RequestContext;
use crate::{AgentError, Agents};

/// How many versions are read at once when one is looked for.
const AT_ONCE: i64 = 50;

impl Agents {
    /// The active version of a template.
    pub async fn active_version(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<Stored<TemplateVersion>, AgentError> {
        let active = self.store.first(template::active(ws, id)).await?;
        Ok(active.ok_or_else(|| TemplateError::NoActive { template: id.clone() })?)
    }

    /// A version of a template by its number.
    pub async fn template_version(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        number: i64,
    ) -> Result<Stored<TemplateVersion>, AgentError> {
        let mut after = (Timestamp::from_micros(i64::MAX), "~".to_owned());
        loop {
            let (at, last) = (after.0, after.1.as_str());
            let page = entity::page_of_agent::<TemplateVersion>(ws, id, (at, last), AT_ONCE);
            let page = self.store.all(page).await?;
            let Some(end) = page.last().map(|end| &end.columns) else {
                return Err(
                    TemplateError::NoVersion { template: id.clone(), version: number }.into()
                );
            };
            after = (end.created_at, end.id.clone());
            let found = page.into_iter().find(|found| found.doc.value.version == number);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// Makes a version the active one; the one before it is archived. Agents follow it from their next
    /// wake on.
    ///
    /// Errors: there is no such version; the template is not at the revision of `if_match`.
    pub async fn activate_template_version(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        number: i64,
        if_match: Option<i64>,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let (action, subject) = (AuditAction::TemplateActivate, format!("{id}|{number}"));
        let wanted = Wanted::Activate(number);
        let answer = id.as_str();
        let request = Request { action, subject, if_match, context, answer, wanted };
        self.change_template(ws, id, &request).await.map(drop)
    }

    pub(super) async fn activated(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        number: i64,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        let mut chosen = self.template_version(ws, &id, number).await?;
        if chosen.doc.value.is_active() {
            return Ok(());
        }
        self.retire_active(ws, change, &id).await?;
        chosen.doc.value.status = Listed::Known(TemplateVersionStatus::Active);
        change.replace(ws, &chosen);
        Ok(())
    }

    /// Goes back to an older version: a new one gets its texts and settings and is active.
    ///
    /// Errors: as [`Agents::activate_template_version`].
    pub async fn roll_back_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        number: i64,
        if_match: Option<i64>,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let (action, subject) = (AuditAction::TemplateRollback, format!("{id}|{number}"));
        let wanted = Wanted::RollBack(number);
        let answer = id.as_str();
        let request = Request { action, subject, if_match, context, answer, wanted };
        self.change_template(ws, id, &request).await.map(drop)
    }

    pub(super) async fn rolled_back(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        number: i64,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        let content = Content::of(&self.template_version(ws, &id, number).await?.doc.value);
        self.retire_active(ws, change, &id).await?;
        self.add_version(ws, change, content, TemplateVersionStatus::Active, context)
    }

    /// Archives the active version of a template, if it has one.
    async fn retire_active(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        id: &TemplateId,
    ) -> Result<(), AgentError> {
        if let Some(active) = self.store.first(template::active(ws, id)).await? {
            self.retire(ws, change, active);
        }
        Ok(())
    }

    /// Archives the version that was active.
    pub(super) fn retire(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        mut active: Stored<TemplateVersion>,
    ) {
        active.doc.value.status = Listed::Known(TemplateVersionStatus::Archived);
        change.replace(ws, &active);
        change.ops.push(end_of_version(ws, &active.doc.value.id, change.now));
    }

    /// Adds a version with this content.
    pub(super) fn add_version(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        content: Content,
        status: TemplateVersionStatus,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let template = &change.template.doc.value;
        let count = usize::try_from(template.newest_version + 1).unwrap_or(usize::MAX);
        limits::TEMPLATE_VERSIONS.check(count)?;
        let id = TemplateVersionId::fresh(change.now, &*self.entropy);
        let version = content.version(id, template, status, context, change.now);
        change.add(ws, &version);
        Ok(())
    }
}
