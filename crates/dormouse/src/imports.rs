//! Import: a file is read and corrected as a plan, then written with one commit per task.
//!
//! What a person corrected is kept under the file's name before the first task is written, so the
//! next import of the file, and an import that goes on after it was interrupted, do the same.

mod missing;
mod moved;
mod options;
mod plan;
mod renamed_copy;
mod same_titles;

use dormouse_agents::AgentError;
use dormouse_agents::lifecycle::NewAgent;
use dormouse_formats::plan::{self as formats_plan, AgentChoice, Planned, deserves_agent};
use dormouse_journal::{JournalError, Outcome};
use dormouse_store::retry::{Policy, retry};
use dormouse_store::{MaybeRefused as _, Refusal};
use dormouse_types::{AgentId, Caller, Id as _, Scope, TaskId, hash};

use crate::request::{edit_ctx, request_context, require};
use crate::view::{ImportEvent, ImportOutcome};
use crate::{Dormouse, Error};

pub use dormouse_formats::csv::Column;
pub use dormouse_formats::intake::DayOrder;
pub use dormouse_formats::plan::Correction;
pub use options::{ImportAgents, ImportFile, ImportOptions};
pub use plan::{ImportPlan, ImportRemark, ImportText, LineRun, TaskPlan};

use plan::{Base, PlannedFile, ReadPurpose};

/// How often an import reads the plan again that another import of the file changed meanwhile.
const ATTEMPTS: Policy = Policy::Attempts(3);

/// The refusals that mean that another import of the file kept its plan meanwhile.
const MOVED: [Refusal; 2] = [Refusal::Exists, Refusal::Missing];

impl Dormouse {
    /// Whether the caller may import, to be known before a large file is taken in.
    ///
    /// Errors: the caller lacks the scope.
    pub fn may_import(&self, caller: &Caller) -> Result<(), Error> {
        require(caller, Scope::Edit)
    }

    /// Decodes a file, for a client that shows its text beside the plan. Writes nothing.
    ///
    /// Errors: the file is neither UTF-8 nor for certain another encoding.
    pub fn import_text(&self, caller: &Caller, file: &ImportFile) -> Result<ImportText, Error> {
        require(caller, Scope::Edit)?;
        file.check()?;
        let text = formats_plan::decode(&file.name, &file.bytes)?;
        let guessed_encoding = formats_plan::guessed_encoding(&file.bytes).map(str::to_owned);
        Ok(ImportText { text, guessed_encoding })
    }

    /// Reads a file and shows what an import would write. Writes nothing.
    ///
    /// Errors: the file cannot be read as text; a correction that is not possible; a digest that is
    /// not the plan's.
    pub async fn plan_import(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
    ) -> Result<ImportPlan, Error> {
        require(caller, Scope::Edit)?;
        file.check()?;
        let base = self.base(caller, file, options, ReadPurpose::Plan).await?;
        base.check(options)?;
        let mut made = self.made(file, options, &base).await?;
        self.add_remarks(caller, file, options, &mut made).await?;
        let drafts: Vec<_> = made.planned.tasks.iter().map(|task| &task.draft).collect();
        let known = self.journal.import_known(caller.workspace, &file.name, &drafts).await?;
        Ok(plan::view(&base, made, known))
    }

    /// Imports a task list.
    ///
    /// An invalid file writes nothing. Each `Task` event is sent once its task is durable; running
    /// an interrupted import again continues it.
    ///
    /// Errors: those of [`Self::plan_import`]; corrections without the digest of their plan.
    pub async fn import(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        on_event: &mut (dyn FnMut(ImportEvent) + Send),
    ) -> Result<(), Error> {
        require(caller, Scope::Edit)?;
        file.check()?;
        if options.digest.is_none() && !options.corrections.is_empty() {
            let message = "missing: send the digest of the plan that the corrections are for";
            return Err(Error::Invalid { field: "digest", message: message.into() });
        }
        let kept = retry(ATTEMPTS, &MOVED, || self.keep_plan(caller, file, options)).await;
        let planned = kept.map_err(|error| match error.refusal() {
            Some(refusal) if MOVED.contains(&refusal) => {
                Error::PlanChanged { file: file.name.clone() }
            }
            _ => error,
        })?;
        self.write(caller, file, options, planned, on_event).await
    }

    /// Plans an import and keeps what the plan settled.
    async fn keep_plan(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
    ) -> Result<Planned, Error> {
        let base = self.base(caller, file, options, ReadPurpose::Write).await?;
        base.check(options)?;
        let mut made = self.made(file, options, &base).await?;
        self.add_remarks(caller, file, options, &mut made).await?;
        self.keep(caller, file, options, &base, &made).await?;
        Ok(made.planned)
    }

    /// Adds what is to be said about earlier imports of the file.
    async fn add_remarks(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        made: &mut PlannedFile,
    ) -> Result<(), Error> {
        let doubled = self.doubled(caller, file, &made.moved).await?;
        let missing = self.missing(caller, file, made).await?;
        // What is known of a copy says more than that the titles are the same.
        let again = match self.copied(caller, file, options, made).await? {
            Some(copied) => Some(copied),
            None => self.same_titles(caller, file, made).await?,
        };
        let all = doubled.into_iter().chain(missing).chain(again);
        made.planned.remarks.extend(all);
        made.planned.remarks.sort_by_key(|remark| remark.line);
        Ok(())
    }

    /// Keeps what the plan of an import settled. Refused if another import of the file did so since
    /// `base` was read.
    async fn keep(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        base: &Base,
        made: &PlannedFile,
    ) -> Result<(), Error> {
        let Some(value) = base.to_keep(options, &made.planned) else { return Ok(()) };
        let ctx = edit_ctx(caller, "import", &file.name, None, None)?;
        let (ws, seen) = (caller.workspace, base.stored());
        Ok(self.journal.keep_import_corrections(ws, &file.name, seen, &value, &ctx).await?)
    }

    async fn write(
        &self,
        caller: &Caller,
        file: &ImportFile,
        options: &ImportOptions,
        planned: Planned,
        on_event: &mut (dyn FnMut(ImportEvent) + Send),
    ) -> Result<(), Error> {
        let total = planned.tasks.len();
        on_event(ImportEvent::Read {
            file: file.name.clone(),
            format: planned.format,
            tasks: total,
            items: planned.tasks.iter().map(|task| task.draft.items.len()).sum(),
            entries: planned.tasks.iter().map(|task| task.draft.entries.len()).sum(),
        });
        for remark in planned.remarks {
            on_event(ImportEvent::Remark { line: remark.line, message: remark.message });
        }
        let ctx = edit_ctx(caller, "import", &file.name, None, None)?;
        let (mut created, mut updated, mut unchanged, mut refused) = (0, 0, 0, 0);
        for (done, task) in (1..).zip(planned.tasks) {
            let draft = &task.draft;
            let imported = self.journal.import(caller.workspace, &file.name, draft, &ctx).await;
            let imported = match imported {
                Ok(imported) => imported,
                // What one task cannot hold, together with what it has here, stops no other task.
                Err(JournalError::Edit(error)) => {
                    refused += 1;
                    let message = format!("\"{}\" was not written: {error}", draft.title);
                    on_event(ImportEvent::Remark { line: draft.line, message });
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let outcome = match imported.outcome {
                Outcome::Created => {
                    created += 1;
                    ImportOutcome::Created
                }
                Outcome::Updated { .. } => {
                    updated += 1;
                    ImportOutcome::Updated
                }
                Outcome::Unchanged => {
                    unchanged += 1;
                    ImportOutcome::Unchanged
                }
            };
            let suggests_agent = deserves_agent(&task.draft) == AgentChoice::Give;
            let agent_id = if options.agents.gives(task.draft.status, task.agent, suggests_agent) {
                self.agent_of_import(caller, &imported.task).await?
            } else {
                None
            };
            on_event(ImportEvent::Task {
                task_id: imported.task,
                title: task.draft.title,
                line: task.draft.line,
                outcome,
                kept: imported.kept,
                agent_id,
                done,
                total,
            });
        }
        on_event(ImportEvent::Done { created, updated, unchanged, refused });
        Ok(())
    }

    /// The agent of an imported task, created if it never had one: one that a person destroyed stays
    /// destroyed.
    async fn agent_of_import(
        &self,
        caller: &Caller,
        task: &TaskId,
    ) -> Result<Option<AgentId>, Error> {
        let key = hash::joined(&["import-agent", task.as_str()]).0;
        let by = request_context(caller, Some(&key))?;
        match self.agents.create(caller.workspace, task, &NewAgent::default(), &by).await {
            Ok(agent) => Ok(Some(agent.doc.value)
                .filter(|agent| agent.destroyed_at.is_none())
                .map(|agent| agent.id)),
            Err(AgentError::Exists { agent, .. }) => Ok(Some(agent)),
            Err(error) => Err(error.into()),
        }
    }
}
