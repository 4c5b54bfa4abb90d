//! Imports a draft into the journal, and imports it again after its file changed.
//!
//! One commit per task, with a receipt under the import's key: an interrupted import can be run
//! again and continues. Values changed here since the last import are kept and reported.

mod content;
mod plan;

use dormouse_store::journal::label::Definition;
use dormouse_store::journal::{imported, label};
use dormouse_types::{Digest, Id as _, Origin, Seq, TaskId, WorkspaceId, draft, hash};
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use crate::Journal;
use crate::edit::NewTask;
use crate::error::{JournalError, RuleError};
use crate::view::TaskView;
use crate::write::{EditCtx, ExtraOps, OnceKey, blank};
use content::{Content, Last};
use plan::Plan;

/// The result of importing a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The task it was imported as.
    pub task: TaskId,
    /// What the import did.
    pub outcome: Outcome,
    /// Values that differ from the file and were kept because they were changed here.
    pub kept: Vec<String>,
    /// The position of the change; `None` if nothing was written.
    pub seq: Option<Seq>,
}

/// What an import did to a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The task was created.
    Created,
    /// The task existed and was changed.
    Updated {
        /// How many.
        changes: usize,
    },
    /// The task existed and was not changed.
    Unchanged,
}

impl Journal {
    /// Imports one draft of a file.
    ///
    /// `file` identifies the file across imports: its front-matter id or name. Labels and
    /// categories missing in the workspace are created by name. Nothing is ever deleted.
    /// Errors: a value beyond a limit; as [`Journal::edit`].
    pub async fn import(
        &self,
        ws: WorkspaceId,
        file: &str,
        draft: &draft::Task,
        ctx: &EditCtx,
    ) -> Result<Imported, JournalError> {
        let key = [file, draft.key.as_str()].join("|");
        let content = Content::of(draft);
        let digest = content.digest();
        let ctx = EditCtx { origin: Origin::Import, if_match: None, ..ctx.clone() };
        let Some(row) = self.store.first(imported::by_key(ws, &key)).await? else {
            return self.import_new(ws, key, content, digest, ctx).await;
        };
        let stored = |source| JournalError::Stored { what: "import", id: key.clone(), source };
        let last: Last = serde_json::from_str(&row.value).map_err(stored)?;
        let task: TaskId = row.entity_id.parse().map_err(|e: dormouse_types::id::IdError| {
            JournalError::Stored {
                what: "import",
                id: key.clone(),
                source: serde::de::Error::custom(e.to_string()),
            }
        })?;
        if last.digest.as_ref() == Some(&digest) {
            return Ok(Imported { task, outcome: Outcome::Unchanged, kept: Vec::new(), seq: None });
        }
        self.define_for(ws, &content, &ctx).await?;
        self.import_again(ws, task, key, &content, &last, ctx).await
    }

    async fn import_new(
        &self,
        ws: WorkspaceId,
        key: String,
        content: Content,
        digest: Digest,
        ctx: EditCtx,
    ) -> Result<Imported, JournalError> {
        self.define_for(ws, &content, &ctx).await?;
        let definitions: Vec<Definition> = self.store.all(label::definitions(ws)).await?;
        let at = self.clock.now();
        let empty = TaskView::blank(blank(&TaskId::fresh(at, &*self.entropy), at), definitions);
        let last = Last::default();
        let plan = plan::plan(&empty, &last, &content);
        let ctx = EditCtx { once: Some(once(&key, &digest, last.n)), ..ctx };
        let new = NewTask { title: String::new(), edits: plan.edits.clone() };
        let kept = plan.kept.clone();
        let seal = seal(ws, key, last, content, plan);
        let edited = self.create_sealed(ws, &new, &ctx, "journal.import", seal).await?;
        Ok(Imported { task: edited.task, outcome: Outcome::Created, kept, seq: edited.seq })
    }

    async fn import_again(
        &self,
        ws: WorkspaceId,
        task: TaskId,
        key: String,
        content: &Content,
        last: &Last,
        ctx: EditCtx,
    ) -> Result<Imported, JournalError> {
        let ctx = EditCtx { once: Some(once(&key, &content.digest(), last.n)), ..ctx };
        // What the last attempt planned; the rule may run more than once.
        let planned = Mutex::new((0, Vec::new()));
        let rule = |view: &TaskView| {
            let plan = plan::plan(view, last, content);
            let edits = plan.edits.clone();
            *planned.lock().unwrap_or_else(PoisonError::into_inner) =
                (edits.len(), plan.kept.clone());
            let seal = seal(ws, key.clone(), last.clone(), content.clone(), plan);
            Ok::<_, Infallible>((edits, seal))
        };
        let edited = match self.edit_sealed(ws, &task, &ctx, "journal.import", rule).await {
            Ok(edited) => edited,
            Err(RuleError::Journal(error)) => return Err(error),
        };
        let (changes, kept) = planned.into_inner().unwrap_or_else(PoisonError::into_inner);
        let outcome = if changes == 0 { Outcome::Unchanged } else { Outcome::Updated { changes } };
        Ok(Imported { task, outcome, kept, seq: edited.seq })
    }

    /// Creates the labels and the category that the draft names.
    async fn define_for(
        &self,
        ws: WorkspaceId,
        content: &Content,
        ctx: &EditCtx,
    ) -> Result<(), JournalError> {
        for name in &content.labels {
            self.ensure_label(ws, name, ctx).await?;
        }
        if let Some(name) = &content.category {
            self.ensure_category(ws, name, ctx).await?;
        }
        Ok(())
    }
}

/// The receipt of one import of one task. The count distinguishes a return to an older version of
/// the file from a repeated import.
fn once(key: &str, digest: &Digest, n: u64) -> OnceKey {
    let id = hash::joined(&["import", key, digest.as_str(), &n.to_string()]);
    OnceKey { id: id.to_string(), request: digest.clone() }
}

fn seal(ws: WorkspaceId, key: String, last: Last, content: Content, plan: Plan) -> ExtraOps {
    Box::new(move |decided| {
        let next = plan::after(last, &content, &plan, &decided.made);
        let value = serde_json::to_string(&next).expect("imports are plain data");
        vec![imported::put(ws, &key, decided.after.id().as_str(), &value)]
    })
}
