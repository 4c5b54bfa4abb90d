//! Making, editing, copying, archiving and deleting templates.
//!
//! Every write replaces the row of the template as it was read, so whatever is decided about a template
//! or its versions is decided one after another, on any number of nodes.

use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::template::{self, SPLIT, Template, TemplateVersion};
use dormouse_store::agent::work::definition;
use dormouse_store::{
    ChangeRow, Commit, Db, MaybeRefused as _, Once, Op, Policy, Refusal, receipt, retry,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::rule::ToolPolicy;
use dormouse_types::template::{TemplateKind, TemplateVersionStatus};
use dormouse_types::{
    CategoryId, EventKind, Id as _, Origin, TemplateId, TemplateVersionId, Timestamp, WorkspaceId,
    limits,
};

use super::effective::Effective;
use super::{TemplateError, stock};
use crate::lifecycle::{RequestContext, audit, once};
use crate::{AgentError, Agents};

/// How often a request is decided before it fails as busy.
const ATTEMPTS: Policy = Policy::CONTENDED;

/// A policy to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPolicy {
    /// The number of the version that the person saw as the active one.
    pub version: i64,
    /// The tool, by any of its names.
    pub tool: String,
    pub policy: ToolPolicy,
}

/// A template to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTemplate {
    pub name: String,
    pub kind: TemplateKind,
    /// Empty means the default of the kind.
    pub general_directive: String,
    /// Empty means the default of the kind.
    pub report_directive: String,
    /// The model that its agents ask; `None` is that of the workspace.
    pub model_id: Option<String>,
    pub profile_id: Option<String>,
    /// The categories whose new agents follow it.
    pub category_ids: Vec<CategoryId>,
}

/// What is changed about a template. `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplatePatch {
    pub name: Option<String>,
    pub general_directive: Option<String>,
    pub report_directive: Option<String>,
    /// The inner `None` is the model of the workspace.
    pub model_id: Option<Option<String>>,
    pub profile_id: Option<Option<String>>,
    pub category_ids: Option<Vec<CategoryId>>,
    /// Whether it is out of use for new agents.
    pub is_archived: Option<bool>,
    /// A new version is written as a draft, and the active one stays.
    pub is_draft: bool,
}

/// A proposal of a session to approve, as the person saw it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approval {
    /// The number of the proposal.
    pub proposal: i64,
    /// The version that the person compared it with.
    pub base_version: i64,
}

/// A change of a template: its row, and what is written besides.
pub(super) struct Change {
    pub(super) template: Stored<Template>,
    pub(super) now: Timestamp,
    pub(super) ops: Vec<Op>,
    /// What clients learn besides.
    pub(super) news: Vec<ChangeRow>,
}

impl Change {
    /// Writes a version over the one that was read.
    pub(super) fn replace(&mut self, ws: WorkspaceId, version: &Stored<TemplateVersion>) {
        self.ops.push(entity::replace(ws, version));
    }

    /// Adds a version; it is the newest.
    pub(super) fn add(&mut self, ws: WorkspaceId, version: &TemplateVersion) {
        self.template.doc.value.newest_version = version.version;
        self.ops.push(entity::insert(ws, version));
    }
}

/// What a request does to a template, for its receipt and the audit log.
pub(super) struct Request<'a> {
    pub(super) action: AuditAction,
    pub(super) subject: String,
    /// The revision that the person saw.
    pub(super) if_match: Option<i64>,
    pub(super) context: &'a RequestContext,
    /// What a repeated request is answered with.
    pub(super) answer: &'a str,
    pub(super) wanted: Wanted<'a>,
}

/// A change that is wanted.
pub(super) enum Wanted<'a> {
    Edit(&'a TemplatePatch),
    Activate(i64),
    RollBack(i64),
    Delete,
    /// A tool gets another policy.
    Policy(&'a NewPolicy),
    /// The proposal of a session becomes the active version.
    Approve(&'a Approval),
}

/// The texts and settings of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub(super) general: String,
    pub(super) report: String,
    pub(super) model: Option<String>,
    pub(super) profile: Option<String>,
}

impl Content {
    /// What a version holds. One of the older shape that was never filled is its one text.
    pub(super) fn of(version: &TemplateVersion) -> Self {
        let general =
            if version.is_legacy() { &version.directives } else { &version.general_directive };
        Self {
            general: general.clone(),
            report: version.report_directive.clone(),
            model: version.model_id.clone(),
            profile: version.profile_id.clone(),
        }
    }

    fn checked(self) -> Result<Self, AgentError> {
        Ok(Self {
            general: directive("generalDirective", &self.general)?,
            report: directive("reportDirective", &self.report)?,
            model: setting("modelId", self.model)?,
            profile: setting("profileId", self.profile)?,
        })
    }

    /// A version with this content.
    pub(super) fn version(
        self,
        id: TemplateVersionId,
        template: &Template,
        status: TemplateVersionStatus,
        author: &RequestContext,
        now: Timestamp,
    ) -> TemplateVersion {
        let mut version = TemplateVersion {
            id,
            agent_id: template.id.clone(),
            version: template.newest_version + 1,
            status: Listed::Known(status),
            directives: String::new(),
            general_directive: self.general,
            report_directive: self.report,
            authored_by: author.actor.to_string(),
            created_at: now,
            model_id: self.model,
            profile_id: self.profile,
            schema_version: SPLIT,
            deleted_at: None,
        };
        version.directives = Effective::of(&version, kind_of(template)).joined();
        version
    }
}

/// The kind of a template; one that a newer version made is treated as for task agents.
pub(super) fn kind_of(template: &Template) -> TemplateKind {
    template.kind.known().unwrap_or(TemplateKind::TaskAgent)
}

/// Checks a directive: its size, and that a prompt can hold it.
pub(super) fn directive(field: &'static str, text: &str) -> Result<String, AgentError> {
    let text = text.replace("\r\n", "\n");
    limits::DIRECTIVE.check(text.len())?;
    let refuse = |message: &str| Err(TemplateError::Text { field, message: message.to_owned() });
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        refuse("the directive contains control characters: leave them out")?;
    }
    if text.chars().any(reorders) {
        refuse(
            "the directive contains characters that change the direction of what follows, so it would read differently from what agents are told: leave them out",
        )?;
    }
    if has_fence(&text) {
        refuse(
            "the directive contains <data> or </data>, which are reserved for marking untrusted text: leave them out",
        )?;
    }
    Ok(if text.trim().is_empty() { String::new() } else { text })
}

/// Whether a character changes the order in which the text around it is shown.
///
/// Source: Unicode Standard Annex 9, explicit formatting characters. Marks such as U+200F, which belong
/// to texts in Arabic and Hebrew, are none of them.
fn reorders(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a text contains what a model may take for the mark of data.
fn has_fence(text: &str) -> bool {
    text.split('<').skip(1).any(|rest| {
        let word = rest.trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        word.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("data"))
    })
}

fn setting(field: &'static str, text: Option<String>) -> Result<Option<String>, AgentError> {
    let Some(text) = text else { return Ok(None) };
    let text = one_line(field, &text)?;
    limits::TEMPLATE_SETTING.check(text.chars().count())?;
    Ok(Some(text))
}

fn name(text: &str) -> Result<String, AgentError> {
    let text = one_line("name", text)?;
    limits::TEMPLATE_NAME.check(text.chars().count())?;
    Ok(text)
}

fn one_line(field: &'static str, text: &str) -> Result<String, TemplateError> {
    let text = text.trim();
    if text.is_empty() || text.chars().any(char::is_control) {
        let message = format!("{field} must be text on one line");
        return Err(TemplateError::Text { field, message });
    }
    Ok(text.to_owned())
}

impl Agents {
    /// A template that is not deleted.
    pub async fn template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<Stored<Template>, AgentError> {
        let found = self.store.first(entity::by_id::<Template>(ws, id.as_str())).await?;
        let found = found.filter(|found| found.doc.value.deleted_at.is_none());
        Ok(found.ok_or_else(|| TemplateError::NotFound { template: id.clone() })?)
    }

    /// Makes a template; its first version is active.
    ///
    /// Errors: a text is too long or cannot be held by a prompt; there is no such category; there are too
    /// many templates.
    pub async fn create_template(
        &self,
        ws: WorkspaceId,
        new: &NewTemplate,
        context: &RequestContext,
    ) -> Result<TemplateId, AgentError> {
        self.made(ws, new, AuditAction::TemplateCreate, context).await
    }

    /// Copies a template: its active version is the first one of the copy, which is the default of no
    /// category.
    pub async fn duplicate_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        name: Option<&str>,
        context: &RequestContext,
    ) -> Result<TemplateId, AgentError> {
        let template = self.template(ws, id).await?.doc.value;
        let Content { general, report, model, profile } =
            Content::of(&self.active_version(ws, id).await?.doc.value);
        let short =
            |name: &str| name.chars().take(limits::TEMPLATE_NAME.max - 5).collect::<String>();
        let new = NewTemplate {
            name: name.map_or_else(
                || format!("{} copy", short(&template.display_name)),
                ToOwned::to_owned,
            ),
            kind: kind_of(&template),
            general_directive: general,
            report_directive: report,
            model_id: model,
            profile_id: profile,
            category_ids: Vec::new(),
        };
        self.made(ws, &new, AuditAction::TemplateDuplicate, context).await
    }

    async fn made(
        &self,
        ws: WorkspaceId,
        new: &NewTemplate,
        action: AuditAction,
        context: &RequestContext,
    ) -> Result<TemplateId, AgentError> {
        let now = self.clock.now();
        let id = TemplateId::fresh(now, &*self.entropy);
        let content = Content {
            general: new.general_directive.clone(),
            report: new.report_directive.clone(),
            model: new.model_id.clone(),
            profile: new.profile_id.clone(),
        };
        let content = content.checked()?;
        let mut template = Template {
            id: id.clone(),
            agent_id: id.clone(),
            kind: Listed::Known(new.kind),
            display_name: name(&new.name)?,
            category_ids: new.category_ids.clone(),
            newest_version: 0,
            revision: 1,
            created_at: now,
            updated_at: now,
            archived_at: None,
            deleted_at: None,
        };
        let there = self.store.each(entity::of_kind::<Template>(ws)).await?.len();
        limits::TEMPLATES.check(there + 1)?;
        let version = TemplateVersionId::fresh(now, &*self.entropy);
        let version =
            content.version(version, &template, TemplateVersionStatus::Active, context, now);
        template.newest_version = version.version;
        let others = self.without_categories(ws, &id, &new.category_ids, now).await?;
        let mut commit = Commit::new("template.create", Db::Agent, ws)
            .op(entity::insert(ws, &template))
            .op(entity::insert(ws, &version))
            .ops(others)
            .change(changed(&id))
            .audit(audit(context, action, id.as_str()));
        commit.once = once(context, action.name(), &format!("{new:?}"), id.as_str());
        let committed = self.store.commit(commit).await.map_err(|error| busy(&id, error.into()))?;
        match committed.replayed {
            Some(answer) => answer.parse().map_err(crate::error::broken),
            None => Ok(id),
        }
    }

    /// Changes a template. Other texts or settings make a new version, which is active from then on unless
    /// it is to be a draft.
    ///
    /// Errors: as [`Agents::create_template`]; the template is not at the revision of `if_match`.
    pub async fn edit_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        patch: &TemplatePatch,
        if_match: Option<i64>,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let only_archives = TemplatePatch { is_archived: None, ..patch.clone() };
        let action = if only_archives == TemplatePatch::default() && patch.is_archived.is_some() {
            AuditAction::TemplateArchive
        } else {
            AuditAction::TemplateEdit
        };
        let (subject, wanted) = (format!("{id}|{patch:?}"), Wanted::Edit(patch));
        let answer = id.as_str();
        let request = Request { action, subject, if_match, context, answer, wanted };
        self.change_template(ws, id, &request).await.map(drop)
    }

    async fn edited(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        patch: &TemplatePatch,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        if let Some(new) = &patch.name {
            change.template.doc.value.display_name = name(new)?;
        }
        if let Some(archives) = patch.is_archived {
            if archives && id == stock::DEFAULT.id() {
                Err(TemplateError::IsDefault { template: id.clone() })?;
            }
            let template = &mut change.template.doc.value;
            template.archived_at = archives.then(|| template.archived_at.unwrap_or(change.now));
            if archives {
                template.category_ids.clear();
            }
        }
        if let Some(categories) = &patch.category_ids {
            let template = &mut change.template.doc.value;
            if !categories.is_empty() {
                of_kind(template, TemplateKind::TaskAgent)?;
                if template.archived_at.is_some() {
                    Err(TemplateError::Archived { template: id.clone() })?;
                }
            }
            template.category_ids.clone_from(categories);
            let now = change.now;
            change.ops.extend(self.without_categories(ws, &id, categories, now).await?);
        }
        self.with_new_content(ws, change, patch, context).await
    }

    async fn with_new_content(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        patch: &TemplatePatch,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let TemplatePatch { general_directive, report_directive, model_id, profile_id, .. } = patch;
        if general_directive.is_none()
            && report_directive.is_none()
            && model_id.is_none()
            && profile_id.is_none()
        {
            return Ok(());
        }
        let active = self.active_version(ws, &change.template.doc.value.id).await?;
        let before = Content::of(&active.doc.value);
        let content = Content {
            general: general_directive.clone().unwrap_or_else(|| before.general.clone()),
            report: report_directive.clone().unwrap_or_else(|| before.report.clone()),
            model: model_id.clone().unwrap_or_else(|| before.model.clone()),
            profile: profile_id.clone().unwrap_or_else(|| before.profile.clone()),
        };
        let content = content.checked()?;
        if content == before {
            return Ok(());
        }
        if patch.is_draft {
            return self.add_version(ws, change, content, TemplateVersionStatus::Draft, context);
        }
        self.retire(ws, change, active);
        self.add_version(ws, change, content, TemplateVersionStatus::Active, context)
    }

    /// Deletes a template that no agent follows. Its versions stay for the reports that name them. Returns the
    /// answer to the request: the one that was given, or for a repeated request the first one.
    ///
    /// Errors: agents follow it, or it is the default of all that name none.
    pub async fn delete_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        if_match: Option<i64>,
        answer: &str,
        context: &RequestContext,
    ) -> Result<String, AgentError> {
        let (action, wanted) = (AuditAction::TemplateDelete, Wanted::Delete);
        let subject = id.to_string();
        let request = Request { action, subject, if_match, context, answer, wanted };
        let first = self.change_template(ws, id, &request).await?;
        Ok(first.unwrap_or_else(|| answer.to_owned()))
    }

    async fn deleted(&self, ws: WorkspaceId, change: &mut Change) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        if id == stock::DEFAULT.id() {
            Err(TemplateError::IsDefault { template: id.clone() })?;
        }
        let n_agents = self.agents_of_template(ws, &id).await?;
        let counts = self.store.all(definition::count_by_template(ws)).await?;
        let n_work = counts.iter().find(|(of, _)| *of == id).map_or(0, |(_, count)| *count);
        if n_agents + n_work > 0 {
            Err(TemplateError::InUse { template: id.clone(), n_agents, n_work })?;
        }
        self.abandon_with_template(ws, change).await?;
        // An agent, or work, may come to follow it between the count and the commit.
        change.ops.push(template::unused(ws, &id));
        change.template.doc.value.deleted_at = Some(change.now);
        Ok(())
    }

    /// How many agents that are not destroyed follow a template.
    pub async fn agents_of_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<usize, AgentError> {
        use dormouse_store::agent::agent_entity::count_by_template;
        let counts = self.store.all(count_by_template(ws)).await?;
        let default = stock::DEFAULT.id();
        let its = counts.iter().filter(|(of, _)| of.as_ref().unwrap_or(&default) == id);
        Ok(its.map(|(_, count)| count).sum())
    }

    /// Takes categories away from the templates that are their default now: a category has one.
    async fn without_categories(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        categories: &[CategoryId],
        now: Timestamp,
    ) -> Result<Vec<Op>, AgentError> {
        if categories.is_empty() {
            return Ok(Vec::new());
        }
        let known = self.journal.categories(ws).await?;
        let is_unknown = |category: &&CategoryId| !known.iter().any(|it| it.id == **category);
        if let Some(category) = categories.iter().find(is_unknown) {
            Err(TemplateError::NoCategory { category: category.clone() })?;
        }
        let mut ops = Vec::new();
        for mut other in
            self.store.each(entity::of_kind::<Template>(ws)).await?.into_iter().flatten()
        {
            let template = &mut other.doc.value;
            let before = template.category_ids.len();
            template.category_ids.retain(|category| !categories.contains(category));
            if template.id == *id || template.category_ids.len() == before {
                continue;
            }
            template.revision += 1;
            template.updated_at = now;
            ops.push(entity::replace(ws, &other));
        }
        Ok(ops)
    }

    /// Carries out one change of a template: on its row as it was read, again if another request came
    /// first, and once per idempotency key.
    pub(super) async fn change_template(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        request: &Request<'_>,
    ) -> Result<Option<String>, AgentError> {
        let Request { action, subject, context, answer, .. } = request;
        let once = once(context, action.name(), subject, answer);
        if let Some(once) = &once {
            let receipt = receipt::by_id(Db::Agent, ws, &once.id);
            if let Some(receipt) = self.store.first(receipt).await? {
                // A repeated request: it was carried out then, whatever has happened since.
                let same = receipt.request == once.request;
                let id = once.id.clone();
                return if same {
                    Ok(Some(receipt.answer))
                } else {
                    Err(AgentError::Reused { id })
                };
            }
        }
        let result = retry(ATTEMPTS, &[Refusal::Stale, Refusal::LeaseLost], || {
            self.change_template_once(ws, id, request, once.clone())
        });
        result.await.map_err(|error| busy(id, error))
    }

    async fn change_template_once(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        request: &Request<'_>,
        once: Option<Once>,
    ) -> Result<Option<String>, AgentError> {
        let Request { action, if_match, context, wanted, .. } = request;
        let template = self.template(ws, id).await?;
        let found = template.doc.value.revision;
        if let Some(expected) = if_match.filter(|expected| *expected != found) {
            Err(TemplateError::Changed { template: id.clone(), expected, found })?;
        }
        let before = template.doc.value.clone();
        let mut change =
            Change { template, now: self.clock.now(), ops: Vec::new(), news: Vec::new() };
        match wanted {
            Wanted::Edit(patch) => self.edited(ws, &mut change, patch, context).await?,
            Wanted::Activate(number) => self.activated(ws, &mut change, *number).await?,
            Wanted::RollBack(number) => self.rolled_back(ws, &mut change, *number, context).await?,
            Wanted::Delete => self.deleted(ws, &mut change).await?,
            Wanted::Policy(new) => self.with_policy(ws, &mut change, new, context).await?,
            Wanted::Approve(approval) => self.approved(ws, &mut change, approval, context).await?,
        }
        if change.template.doc.value == before && change.ops.is_empty() {
            if let Some(once) = once {
                let noted = Commit::new("template.unchanged", Db::Agent, ws).once(once);
                return Ok(self.store.commit(noted).await?.replayed);
            }
            return Ok(None);
        }
        let template = &mut change.template.doc.value;
        template.revision += 1;
        template.updated_at = change.now;
        let mut commit = Commit::new("template.change", Db::Agent, ws)
            .op(entity::replace(ws, &change.template))
            .ops(change.ops)
            .change(changed(id))
            .changes(change.news)
            .audit(audit(context, *action, id.as_str()));
        commit.once = once;
        Ok(self.store.commit(commit).await?.replayed)
    }
}

/// Refuses a template that is not for this kind.
pub(super) fn of_kind(template: &Template, wanted: TemplateKind) -> Result<(), TemplateError> {
    if template.kind.known() == Some(wanted) {
        return Ok(());
    }
    let kind = template.kind.name().to_owned();
    Err(TemplateError::WrongKind { template: template.id.clone(), kind, wanted })
}

fn changed(id: &TemplateId) -> ChangeRow {
    ChangeRow::agent(Origin::Person { via: None }, EventKind::TemplateChanged, None, id.as_str())
}

pub(super) fn busy(id: &TemplateId, error: AgentError) -> AgentError {
    match error.refusal() {
        Some(Refusal::Stale | Refusal::LeaseLost) => {
            TemplateError::Busy { template: id.clone() }.into()
        }
        _ => error,
    }
}
