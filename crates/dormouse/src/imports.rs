//! Import: the file is read into drafts, whatever its format, then written with one commit per task.

use dormouse_agents::AgentError;
use dormouse_agents::lifecycle::NewAgent;
use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, Format};
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
    /// What the file is read as; by default what its content looks like.
    pub format: Option<Format>,
}

impl Dormouse {
    /// How a file is read. A date without a year stays text: read again a year later, the same file
    /// would say another day.
    fn reading(&self, options: ImportOptions) -> plan::Options {
        let read = ReadOptions { zone: self.zone.clone(), ..ReadOptions::default() };
        plan::Options { format: options.format, read }
    }

    /// Imports a task list.
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
        let reading = plan::read(name, bytes, &self.reading(options))?;
        let total = reading.tasks.len();
        on_event(ImportEvent::Read {
            file: name.to_owned(),
            format: reading.format,
            tasks: total,
            items: reading.tasks.iter().map(|task| task.items.len()).sum(),
            entries: reading.tasks.iter().map(|task| task.entries.len()).sum(),
        });
        for remark in reading.remarks {
            on_event(ImportEvent::Remark { line: remark.line, message: remark.message });
        }
        let ctx = edit_ctx(caller, "import", &name, None, None)?;
        let (mut created, mut updated, mut unchanged) = (0, 0, 0);
        for (done, draft) in (1..).zip(&reading.tasks) {
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
