//! Import: the file is parsed into drafts, then written with one commit per task.

use dormouse_agents::AgentError;
use dormouse_agents::lifecycle::NewAgent;
use dormouse_formats::markdown;
use dormouse_journal::Outcome;
use dormouse_types::{Caller, Id as _, Scope, hash};

use crate::request::{edit_ctx, request_context, require};
use crate::view::{ImportEvent, ImportOutcome};
use crate::{Dormouse, Error};

/// How a file is imported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ImportOptions {
    /// Gives each task an agent, unless it has one.
    pub with_agents: bool,
    /// Parse and report only; write nothing.
    pub dry_run: bool,
}

impl Dormouse {
    /// Imports a Markdown task list.
    ///
    /// An invalid file writes nothing. Each `Task` event is sent once its task is durable; running
    /// an interrupted import again continues it.
    pub async fn import(
        &self,
        caller: &Caller,
        name: &str,
        bytes: &[u8],
        options: ImportOptions,
        on_event: &mut (dyn FnMut(ImportEvent) + Send),
    ) -> Result<(), Error> {
        require(caller, Scope::Edit)?;
        let drafts = markdown::read(name, bytes)?;
        let total = drafts.tasks.len();
        on_event(ImportEvent::Read {
            file: name.to_owned(),
            tasks: total,
            items: drafts.tasks.iter().map(|task| task.items.len()).sum(),
            entries: drafts.tasks.iter().map(|task| task.entries.len()).sum(),
        });
        let remarks = drafts.not_understood.into_iter();
        for remark in remarks {
            on_event(ImportEvent::Remark { line: remark.line, message: remark.message });
        }
        let ctx = edit_ctx(caller, "import", &name, None, None)?;
        let (mut created, mut updated, mut unchanged) = (0, 0, 0);
        for (done, draft) in (1..).zip(&drafts.tasks) {
            let (title, line) = (draft.title.clone(), draft.line);
            if options.dry_run {
                on_event(ImportEvent::Task {
                    task_id: None,
                    title,
                    line,
                    outcome: ImportOutcome::Planned,
                    kept: Vec::new(),
                    agent_id: None,
                    done,
                    total,
                });
                continue;
            }
            let imported = self.journal.import(caller.workspace, name, draft, &ctx).await?;
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
            let agent_id = if options.with_agents {
                let key = hash::joined(&["import-agent", imported.task.as_str()]).0;
                let by = request_context(caller, Some(&key))?;
                let new = NewAgent::default();
                match self.agents.create(caller.workspace, &imported.task, &new, &by).await {
                    Ok(agent) => Some(agent),
                    Err(AgentError::Exists { agent, .. }) => Some(agent),
                    Err(error) => return Err(error.into()),
                }
            } else {
                None
            };
            on_event(ImportEvent::Task {
                task_id: Some(imported.task),
                title,
                line,
                outcome,
                kept: imported.kept,
                agent_id,
                done,
                total,
            });
        }
        on_event(ImportEvent::Done { created, updated, unchanged });
        Ok(())
    }
}
