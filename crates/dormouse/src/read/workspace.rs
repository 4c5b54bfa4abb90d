//! The workspace: overview, recent reports, operations, events, export.

use dormouse_queries::events::Since;
use dormouse_queries::export;
use dormouse_types::{Caller, Scope, TaskId};

use crate::request::require;
use crate::view::{AuditEntry, Operation, Overview, Page, RecentReport};
use crate::{Dormouse, Error, OperationFilter};

/// An export in progress: pieces of text that together form one JSON document.
pub struct Export(export::Export);

impl Export {
    /// The next piece of the document; `None` after the last one.
    ///
    /// Errors: rows cannot be read; the document is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        Ok(self.0.next().await?)
    }
}

impl Dormouse {
    /// The counts of tasks, agents and open proposals.
    pub async fn overview(&self, caller: &Caller) -> Result<Overview, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.overview(caller.workspace).await?)
    }

    /// A page of the latest reports of all agents that have a task, newest first.
    pub async fn recent_reports(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<RecentReport>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.recent_reports(caller.workspace, limit, cursor).await?)
    }

    /// A page of the audit log, newest first: who did what, and what was refused.
    ///
    /// Scope: admin.
    pub async fn audit(
        &self,
        caller: &Caller,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AuditEntry>, Error> {
        require(caller, Scope::Admin)?;
        Ok(self.queries.audit(caller.workspace, limit, cursor).await?)
    }

    /// A page of the operations that cross the two databases.
    pub async fn operations(
        &self,
        caller: &Caller,
        filter: OperationFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Operation>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.operations(caller.workspace, filter, limit, cursor).await?)
    }

    /// The events after a cursor; without one, no events and the cursor to start from.
    ///
    /// Errors: text that is not a cursor.
    pub async fn events_since(
        &self,
        caller: &Caller,
        cursor: Option<&str>,
    ) -> Result<Since, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.events_since(caller.workspace, cursor).await?)
    }

    /// Starts an export of the workspace, or of one task.
    ///
    /// Errors: no such task.
    pub async fn export(&self, caller: &Caller, only: Option<TaskId>) -> Result<Export, Error> {
        require(caller, Scope::Read)?;
        let export = self.queries.export(caller.workspace, only).await?;
        Ok(Export(export))
    }

    /// Receives hints that [`Dormouse::events_since`] may have news. Hints can be lost, so the
    /// receiver must also poll.
    pub fn hints(&self) -> dormouse_store::Hints {
        self.queries.hints()
    }
}
