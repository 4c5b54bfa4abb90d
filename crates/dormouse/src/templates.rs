//! Templates: the persona and directives that agents follow, in versions.

use dormouse_agents::template::{NewTemplate, TemplatePatch};
use dormouse_store::agent::wake_queue;
use dormouse_store::{Commit, Db};
use dormouse_types::model::Directives;
use dormouse_types::{Caller, Scope, TemplateId, limits};

use crate::request::{answer_of, answered, request_context, require};
use crate::view::{Page, Template, TemplateDetail, TemplateMetrics, TemplateVersion};
use crate::{Dormouse, Error};

impl Dormouse {
    /// All templates, archived ones included.
    pub async fn templates(&self, caller: &Caller) -> Result<Page<Template>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.templates(caller.workspace).await?)
    }

    /// A template with its active version.
    pub async fn template(
        &self,
        caller: &Caller,
        id: &TemplateId,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Read)?;
        self.template_view(caller, id).await
    }

    /// A page of the versions of a template, newest first. What is understood of their texts is not in
    /// it: [`Dormouse::template_version`] says so of one.
    pub async fn template_versions(
        &self,
        caller: &Caller,
        id: &TemplateId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<TemplateVersion>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        Ok(self.queries.template_versions(caller.workspace, id, limit, cursor).await?)
    }

    /// A version of a template.
    pub async fn template_version(
        &self,
        caller: &Caller,
        id: &TemplateId,
        number: i64,
    ) -> Result<TemplateVersion, Error> {
        require(caller, Scope::Read)?;
        let version = self.queries.template_version(caller.workspace, id, number).await?;
        Ok(self.with_understood(version))
    }

    /// How a template has done in the last 26 weeks: its wakes, what their models cost, and the outcome of
    /// their proposals.
    pub async fn template_metrics(
        &self,
        caller: &Caller,
        id: &TemplateId,
    ) -> Result<TemplateMetrics, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.template_metrics(caller.workspace, id).await?)
    }

    /// Makes a template; its first version is active.
    ///
    /// It needs the scope `admin`, as every change of a template does: it decides what agents do.
    ///
    /// Errors: a text is too long, or no prompt can hold it; no such category or model.
    pub async fn create_template(
        &self,
        caller: &Caller,
        new: NewTemplate,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        self.know_template_model(caller, new.model_id.as_deref()).await?;
        let id = self.agents.create_template(caller.workspace, &new, &by).await?;
        self.after_template_change(caller, &id, None).await
    }

    /// Changes a template. Other texts or settings make a new version; with `if_match`, only if the template
    /// has that revision.
    pub async fn edit_template(
        &self,
        caller: &Caller,
        id: &TemplateId,
        patch: TemplatePatch,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let before = self.models.of_template(id);
        let by = request_context(caller, key.as_deref())?;
        let model = patch.model_id.as_ref().and_then(Option::as_deref);
        self.know_template_model(caller, model).await?;
        self.agents.edit_template(caller.workspace, id, &patch, if_match, &by).await?;
        self.after_template_change(caller, id, before).await
    }

    /// Makes a version the active one: agents follow it from their next wake on.
    pub async fn activate_template_version(
        &self,
        caller: &Caller,
        id: &TemplateId,
        number: i64,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let before = self.models.of_template(id);
        let by = request_context(caller, key.as_deref())?;
        let ws = caller.workspace;
        self.agents.activate_template_version(ws, id, number, if_match, &by).await?;
        self.after_template_change(caller, id, before).await
    }

    /// Goes back to an older version: a new one gets its texts and settings and is active.
    pub async fn roll_back_template(
        &self,
        caller: &Caller,
        id: &TemplateId,
        number: i64,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let before = self.models.of_template(id);
        let by = request_context(caller, key.as_deref())?;
        self.agents.roll_back_template(caller.workspace, id, number, if_match, &by).await?;
        self.after_template_change(caller, id, before).await
    }

    /// Copies a template with its active version.
    pub async fn duplicate_template(
        &self,
        caller: &Caller,
        id: &TemplateId,
        name: Option<&str>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let copy = self.agents.duplicate_template(caller.workspace, id, name, &by).await?;
        self.after_template_change(caller, &copy, None).await
    }

    /// Deletes a template that no agent follows, and returns it as it was.
    ///
    /// Errors: agents follow it.
    pub async fn delete_template(
        &self,
        caller: &Caller,
        id: &TemplateId,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let answer = answer_of(self.template_view(caller, id).await)?;
        let answer =
            self.agents.delete_template(caller.workspace, id, if_match, &answer, &by).await?;
        self.load_models().await?;
        answered(&answer, ("template", id))
    }

    /// Refuses a caller who may not choose the model that a template names.
    pub(crate) async fn check_template_model(
        &self,
        caller: &Caller,
        template: &TemplateId,
    ) -> Result<(), Error> {
        let version = self.queries.template(caller.workspace, template).await?.version;
        match version.and_then(|version| version.model_id) {
            Some(_) => require(caller, Scope::Admin),
            None => Ok(()),
        }
    }

    async fn know_template_model(&self, caller: &Caller, model: Option<&str>) -> Result<(), Error> {
        match model {
            Some(model) => self.know_model(caller, model).await,
            None => Ok(()),
        }
    }

    /// Makes the model of a template known to its agents. If it is another one than `before`, the wakes that
    /// waited for that are due at once, as they are after a change of the settings of models.
    pub(crate) async fn after_template_change(
        &self,
        caller: &Caller,
        id: &TemplateId,
        before: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        self.load_models().await?;
        if self.models.of_template(id) != before {
            let ws = caller.workspace;
            let due = wake_queue::release_put_off(ws, self.clock.now());
            let release = Commit::new("template.release", Db::Agent, ws).op(due);
            self.store.commit(release).await?;
        }
        self.template_view(caller, id).await
    }

    async fn template_view(
        &self,
        caller: &Caller,
        id: &TemplateId,
    ) -> Result<TemplateDetail, Error> {
        let detail = self.queries.template(caller.workspace, id).await?;
        let version = detail.version.map(|version| self.with_understood(version));
        Ok(TemplateDetail { version, ..detail })
    }

    /// Adds what the built-in model understands of a version.
    fn with_understood(&self, version: TemplateVersion) -> TemplateVersion {
        let directives = Directives {
            general: version.general_directive.clone(),
            report: version.report_directive.clone(),
        };
        let understood = self.directive_rules.as_ref().map(|rules| rules.read(&directives));
        TemplateVersion { understood, ..version }
    }

    /// Writes the templates that come with the program, and fills versions that an older one wrote. Call it
    /// at start; it writes nothing the second time.
    ///
    /// Errors: the store cannot be read or written.
    pub async fn seed_templates(&self) -> Result<(), Error> {
        Ok(self.agents.seed_templates(crate::WORKSPACE).await?)
    }
}
