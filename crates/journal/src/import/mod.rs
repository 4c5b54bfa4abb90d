//! Imports a draft into the journal, and imports it again after its file changed.
//!
//! One commit per task, with a receipt under the import's key: an interrupted import can be run
//! again and continues. Values changed here since the last import are kept and reported.

mod content;
mod correction;
mod entry_order;
mod imported_task;
mod missing;
mod own;
mod paragraphs;
mod plan;
mod titles;

use dormouse_store::journal::{imported, task};
use dormouse_store::{Op, Policy, Refusal, in_list, retry};
use dormouse_types::{Digest, Id as _, Origin, Seq, TaskId, Timestamp, WorkspaceId, draft, hash};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

use crate::Journal;
use crate::decision::Decided;
use crate::edit::Edit;
use crate::error::{JournalError, RuleError};
use crate::view::TaskView;
use crate::write::{EditCtx, Edited, OnceKey, Rule};
use content::{Content, Last};
pub use imported_task::ImportedTask;
pub use missing::Missing;
use plan::Plan;

/// The result of importing a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The task it was imported as.
    pub task: TaskId,
    /// What the import did.
    pub outcome: Outcome,
    /// What differs from the file and was kept: values that were changed here, and items that left the file.
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

/// What an import of a draft would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The task that it would change; `None` if its key is new, so that a task would be created.
    pub task: Option<TaskId>,
    /// What of the task would be changed.
    pub changes: Vec<String>,
    /// What differs from the file and would stay: values that were changed here, and items that left the file.
    pub kept: Vec<String>,
}

/// A draft and the result of looking up its key.
enum Prepared {
    /// Its key is new.
    New(Content),
    /// It is what was last imported as this task.
    Same(TaskId),
    /// What was last imported as this task cannot be read.
    Damaged(TaskId),
    /// It was imported as this task, or exported from it.
    Again(TaskId, Box<ImportRule>),
}

/// What stays of a task whose last import cannot be read: one damaged row stops no other task, and overwrites
/// nothing of a person's.
const UNREADABLE: &str = "everything (what was last imported cannot be read)";

impl Journal {
    /// What an import of each draft of a file would do, in their order. Writes nothing.
    pub async fn import_known(
        &self,
        ws: WorkspaceId,
        file: &str,
        drafts: &[&draft::Task],
    ) -> Result<Vec<Known>, JournalError> {
        let mut known = Vec::with_capacity(drafts.len());
        for drafts in drafts.chunks(in_list::MOST) {
            let keys: Vec<String> =
                drafts.iter().map(|draft| import_key(file, &draft.key)).collect();
            let rows = self.store.all(imported::by_keys(ws, &keys)).await?;
            let mut rows: BTreeMap<String, imported::Imported> = rows.into_iter().collect();
            for (draft, key) in drafts.iter().zip(keys) {
                let row = rows.remove(&key);
                known.push(self.known(ws, self.prepared(ws, key, row, draft).await?).await?);
            }
        }
        Ok(known)
    }

    /// How many drafts of a file would change a task that is there, instead of creating one.
    pub async fn n_imported(
        &self,
        ws: WorkspaceId,
        file: &str,
        drafts: &[&draft::Task],
    ) -> Result<usize, JournalError> {
        let mut n = 0;
        for drafts in drafts.chunks(in_list::MOST) {
            let (keys, known) = self.import_keys(ws, file, drafts).await?;
            for (draft, key) in drafts.iter().zip(keys) {
                let is_known = known.contains(&key) || self.own_export(ws, draft).await?.is_some();
                n += usize::from(is_known);
            }
        }
        Ok(n)
    }

    /// The keys of drafts, and those of them that an import has written. At most [`in_list::MOST`] drafts.
    pub(super) async fn import_keys(
        &self,
        ws: WorkspaceId,
        file: &str,
        drafts: &[&draft::Task],
    ) -> Result<(Vec<String>, BTreeSet<String>), JournalError> {
        let keys: Vec<String> = drafts.iter().map(|draft| import_key(file, &draft.key)).collect();
        let rows = self.store.all(imported::by_keys(ws, &keys)).await?;
        let known = rows.into_iter().map(|(key, _)| key).collect();
        Ok((keys, known))
    }

    async fn known(&self, ws: WorkspaceId, prepared: Prepared) -> Result<Known, JournalError> {
        Ok(match prepared {
            Prepared::New(_) => Known::default(),
            Prepared::Same(task) => Known { task: Some(task), ..Known::default() },
            Prepared::Damaged(task) => {
                Known { task: Some(task), kept: vec![UNREADABLE.to_owned()], ..Known::default() }
            }
            Prepared::Again(task, rule) => {
                let view = self.task(ws, &task).await?;
                if view.deleted_at().is_some() {
                    let kept = vec![Deleted::KEPT.to_owned()];
                    return Ok(Known { task: Some(task), kept, ..Known::default() });
                }
                let (plan, _) = rule.plan(&view);
                Known { task: Some(task), changes: plan.changes, kept: plan.kept }
            }
        })
    }

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
        // Another import of the same list may come first: what it wrote is then what this one compares with.
        retry(Policy::CONTENDED, &[Refusal::ImportMoved], || self.import_once(ws, file, draft, ctx))
            .await
    }

    async fn import_once(
        &self,
        ws: WorkspaceId,
        file: &str,
        draft: &draft::Task,
        ctx: &EditCtx,
    ) -> Result<Imported, JournalError> {
        let key = import_key(file, &draft.key);
        let ctx = EditCtx { origin: Origin::Import, if_match: None, ..ctx.clone() };
        let row = self.store.first(imported::by_key(ws, &key)).await?;
        let unchanged =
            |task, kept| Imported { task, outcome: Outcome::Unchanged, kept, seq: None };
        match self.prepared(ws, key.clone(), row, draft).await? {
            Prepared::New(content) => {
                let digest = content.digest();
                self.import_new(ws, key, content, digest, ctx).await
            }
            Prepared::Same(task) => Ok(unchanged(task, Vec::new())),
            Prepared::Damaged(task) => Ok(unchanged(task, vec![UNREADABLE.to_owned()])),
            Prepared::Again(task, rule) => {
                self.define_for(ws, &rule.content, &ctx).await?;
                self.import_again(ws, task, *rule, ctx).await
            }
        }
    }

    /// Compares a draft with what is known of its key.
    async fn prepared(
        &self,
        ws: WorkspaceId,
        key: String,
        row: Option<imported::Imported>,
        draft: &draft::Task,
    ) -> Result<Prepared, JournalError> {
        let content = Content::of(draft);
        let Some(row) = row else {
            let Some((task, as_of)) = self.own_export(ws, draft).await? else {
                return Ok(Prepared::New(content));
            };
            let rule = ImportRule::new(ws, key, None, Last::default(), content);
            let export = Some(Export { as_of, is_new: true });
            return Ok(Prepared::Again(task, Box::new(ImportRule { export, ..rule })));
        };
        let (task, last) = match last_import(&key, &row)? {
            (task, Some(last)) => (task, last),
            (task, None) => return Ok(Prepared::Damaged(task)),
        };
        if last.digest.as_ref() == Some(&content.digest()) && last.is_whole() {
            return Ok(Prepared::Same(task));
        }
        let own = self.own_export(ws, draft).await?;
        let export = own
            .filter(|(own, _)| *own == task)
            .map(|(_, as_of)| Export { as_of, is_new: as_of > last.as_of });
        let rule = ImportRule::new(ws, key, Some(row.value), last, content);
        Ok(Prepared::Again(task, Box::new(ImportRule { export, ..rule })))
    }

    /// The task of this workspace that a draft was exported from, and when that was last changed then.
    pub(super) async fn own_export(
        &self,
        ws: WorkspaceId,
        draft: &draft::Task,
    ) -> Result<Option<(TaskId, Option<Timestamp>)>, JournalError> {
        let Some(id) = draft.own_id() else { return Ok(None) };
        let row = self.store.first(task::by_id(ws, &id)).await?;
        Ok(row.map(|_| (id, draft.as_of)))
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
        let ctx = EditCtx { once: Some(once(&key, &digest, 0)), ..ctx };
        let rule = ImportRule::new(ws, key, None, Last::default(), content);
        let edited = match compared(self.create_with(ws, &ctx, &rule).await)? {
            Ok(edited) => edited,
            Err(deleted) => return Ok(deleted.imported()),
        };
        let kept = rule.planned().kept;
        // Another import of the file had created it since this one looked.
        let outcome = if edited.replayed { Outcome::Unchanged } else { Outcome::Created };
        Ok(Imported { task: edited.task, outcome, kept, seq: edited.seq })
    }

    async fn import_again(
        &self,
        ws: WorkspaceId,
        task: TaskId,
        rule: ImportRule,
        ctx: EditCtx,
    ) -> Result<Imported, JournalError> {
        let once = once(&rule.key, &rule.content.digest(), rule.last.n);
        let ctx = EditCtx { once: Some(once), ..ctx };
        let edited = match compared(self.edit_with(ws, &task, &ctx, &rule).await)? {
            Ok(edited) => edited,
            Err(deleted) => return Ok(deleted.imported()),
        };
        let Plan { edits, kept, .. } = rule.planned();
        let outcome = match edits.len() {
            0 => Outcome::Unchanged,
            changes => Outcome::Updated { changes },
        };
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

/// The key under which a draft of a file is recognized.
///
/// The name of the file ends at the first `|` without a backslash before it, so that two files
/// never share a key. A key that no index could hold is cut, with its digest in place of the rest.
fn import_key(file: &str, draft: &str) -> String {
    let file = file.replace('\\', r"\\").replace('|', r"\|");
    if draft.len() <= KEY_MAX {
        return [file.as_str(), draft].join("|");
    }
    let start = &draft[..draft.floor_char_boundary(KEY_MAX / 2)];
    format!("{file}|{start}…{}", hash::sha256(draft))
}

/// Units: bytes. Postgres indexes values of up to about 2,700.
const KEY_MAX: usize = 1_000;

/// The task of a key, and the content of its last import if that can be read.
fn last_import(
    key: &str,
    row: &imported::Imported,
) -> Result<(TaskId, Option<Last>), JournalError> {
    let task = row.entity_id.parse().map_err(|error: dormouse_types::id::IdError| {
        let source = serde::de::Error::custom(error.to_string());
        JournalError::Stored { what: "import", id: key.to_owned(), source }
    })?;
    Ok((task, serde_json::from_str(&row.value).ok()))
}

/// The receipt of one import of one task. The count distinguishes a return to an older version of
/// the file from a repeated import.
fn once(key: &str, digest: &Digest, n: u64) -> OnceKey {
    let id = hash::joined(&["import", key, digest.as_str(), &n.to_string()]);
    OnceKey { id: id.to_string(), request: digest.clone() }
}

/// The task of an import is deleted here. Nothing is recorded, since nothing was compared: once the task is
/// restored, the file brings what it has changed.
#[derive(Debug, thiserror::Error)]
#[error("task {task} is deleted, and an import leaves it so")]
struct Deleted {
    task: TaskId,
}

impl Deleted {
    /// What stays, for a person to read.
    const KEPT: &'static str = "task (deleted in Dormouse)";

    fn imported(self) -> Imported {
        let kept = vec![Self::KEPT.to_owned()];
        Imported { task: self.task, outcome: Outcome::Unchanged, kept, seq: None }
    }
}

/// Sets the refusal of the rule apart from the errors of the journal.
fn compared(
    result: Result<Edited, RuleError<Deleted>>,
) -> Result<Result<Edited, Deleted>, JournalError> {
    match result {
        Ok(edited) => Ok(Ok(edited)),
        Err(RuleError::Rule(deleted)) => Ok(Err(deleted)),
        Err(RuleError::Journal(error)) => Err(error),
    }
}

/// An export of the task that it is imported as.
#[derive(Debug, Clone, Copy)]
struct Export {
    /// When the task was last changed before.
    as_of: Option<Timestamp>,
    /// Whether no import has compared the task with it, or a later one, yet.
    is_new: bool,
}

/// The rule of an import: what the file changed since the last import.
struct ImportRule {
    ws: WorkspaceId,
    key: String,
    /// The record of the last import as it was read; `None` if the key is new.
    was: Option<String>,
    last: Last,
    content: Content,
    /// What is known of the file if it was exported from this task.
    export: Option<Export>,
    /// The plan of the last attempt, which the commit records and the caller reports.
    planned: Mutex<(Plan, own::Base)>,
}

impl ImportRule {
    fn new(
        ws: WorkspaceId,
        key: String,
        was: Option<String>,
        last: Last,
        content: Content,
    ) -> Self {
        Self { ws, key, was, last, content, export: None, planned: Mutex::default() }
    }

    /// What the task is compared with.
    fn base(&self, view: &TaskView) -> own::Base {
        let Some(Export { as_of, is_new }) = self.export else {
            let (last, content) = (self.last.clone(), self.content.clone());
            return own::Base { last, content, changed_here: BTreeSet::new() };
        };
        let base = own::base(view, &self.content, as_of, &self.last);
        match is_new {
            true => own::Base { last: Last { as_of, ..base.last }, ..base },
            false => own::Base { last: self.last.clone(), changed_here: BTreeSet::new(), ..base },
        }
    }

    /// What it does to the task, and what that was compared with.
    fn plan(&self, view: &TaskView) -> (Plan, own::Base) {
        let base = self.base(view);
        (plan::plan(view, &base.last, &base.content, &base.changed_here), base)
    }

    /// Returns the plan of the last attempt; an empty one if an earlier request had done the work.
    fn planned(&self) -> Plan {
        self.planned.lock().unwrap_or_else(PoisonError::into_inner).0.clone()
    }
}

impl Rule for ImportRule {
    type Refusal = Deleted;

    fn edits(&self, view: &TaskView) -> Result<Vec<Edit>, Deleted> {
        if view.deleted_at().is_some() {
            return Err(Deleted { task: view.id().clone() });
        }
        let (plan, base) = self.plan(view);
        let edits = plan.edits.clone();
        *self.planned.lock().unwrap_or_else(PoisonError::into_inner) = (plan, base);
        Ok(edits)
    }

    /// What this import wrote, in the commit that wrote it: the next import of the file compares
    /// with it, and after a crash must not take its own values for a person's.
    fn record(&self, decided: &Decided) -> Vec<Op> {
        let (plan, base) = self.planned.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let next = plan::after(base.last, &base.content, &plan, &decided.made);
        let next = Last { digest: Some(self.content.digest()), ..next };
        let value = serde_json::to_string(&next).expect("imports are plain data");
        let (key, task) = (&self.key, decided.after.id());
        vec![imported::put(self.ws, key, task.as_str(), &value, self.was.as_deref())]
    }

    fn label(&self) -> Option<&'static str> {
        Some("journal.import")
    }
}
