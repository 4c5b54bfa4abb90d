//! Sessions in which a person and a model evolve a template.

use dormouse_agents::template::evolution::Approval;
use dormouse_types::{Caller, EvolutionSessionId, Scope, TemplateId, limits};

use crate::request::{request_context, require};
use crate::view::{EvolutionDetail, EvolutionSession, Page, TemplateDetail};
use crate::{Dormouse, Error};

impl Dormouse {
    /// The session of a template that goes on; with an id that one.
    pub async fn evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        session: Option<&EvolutionSessionId>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.evolution(caller.workspace, template, session).await?)
    }

    /// A page of the sessions of a template, newest first.
    pub async fn evolution_sessions(
        &self,
        caller: &Caller,
        template: &TemplateId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<EvolutionSession>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        let ws = caller.workspace;
        Ok(self.queries.evolution_sessions(ws, template, limit, cursor).await?)
    }

    /// Starts a session about a template. A run answers `message`, or says what it finds by itself.
    ///
    /// It needs the scope `admin`, as everything in a session does: it decides what agents do, and a model
    /// may cost something.
    ///
    /// Errors: the template has a session; it is archived.
    pub async fn start_evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        message: Option<&str>,
        key: Option<String>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let ws = caller.workspace;
        let session = self.agents.start_evolution(ws, template, message, &by).await?;
        self.evolution_view(caller, template, &session).await
    }

    /// Says something in the session of a template. A run answers it.
    pub async fn say_in_evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        message: &str,
        key: Option<String>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let ws = caller.workspace;
        let session = self.agents.say_in_evolution(ws, template, message, &by).await?;
        self.evolution_view(caller, template, &session).await
    }

    /// Makes a proposal the active version of its template, and completes the session.
    ///
    /// Errors: no such proposal waits; another version is active than it was made for.
    pub async fn approve_evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        approval: &Approval,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let before = self.models.of_template(template);
        self.agents.approve_evolution(caller.workspace, template, approval, &by).await?;
        self.after_template_change(caller, template, before).await
    }

    /// Turns a proposal down, `None` the one that waits. The model reads it with its next answer.
    pub async fn reject_evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        proposal: Option<i64>,
        reason: &str,
        key: Option<String>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let ws = caller.workspace;
        let session = self.agents.reject_evolution(ws, template, proposal, reason, &by).await?;
        self.evolution_view(caller, template, &session).await
    }

    /// Ends the session of a template without a new version.
    pub async fn abandon_evolution(
        &self,
        caller: &Caller,
        template: &TemplateId,
        key: Option<String>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let session = self.agents.abandon_evolution(caller.workspace, template, &by).await?;
        self.evolution_view(caller, template, &session).await
    }

    /// Ends the answer that is under way or waits; the session goes on.
    pub async fn cancel_evolution_answer(
        &self,
        caller: &Caller,
        template: &TemplateId,
        key: Option<String>,
    ) -> Result<EvolutionDetail, Error> {
        require(caller, Scope::Admin)?;
        let by = request_context(caller, key.as_deref())?;
        let ws = caller.workspace;
        let session = self.agents.cancel_evolution_answer(ws, template, &by).await?;
        self.evolution_view(caller, template, &session).await
    }

    /// The answer to a change: a caller who may make it sees what came of it.
    async fn evolution_view(
        &self,
        caller: &Caller,
        template: &TemplateId,
        session: &EvolutionSessionId,
    ) -> Result<EvolutionDetail, Error> {
        Ok(self.queries.evolution(caller.workspace, template, Some(session)).await?)
    }
}
