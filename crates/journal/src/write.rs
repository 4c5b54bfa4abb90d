//! The one place that reads, decides and commits, and decides again if another write came first.

use std::convert::Infallible;

use dormouse_store::journal::task::{StatusEntry, Task};
use dormouse_store::journal::{fence, label, task, touched};
use dormouse_store::{
    Audit, ChangeRow, Commit, Committed, Db, MaybeRefused as _, Once, Op, Policy, Refusal, receipt,
    retry,
};
use dormouse_types::caller::By;
use dormouse_types::change::What;
use dormouse_types::task::Status;
use dormouse_types::{Digest, Id as _, Origin, Seq, TaskId, Timestamp, WorkspaceId};
use serde::{Deserialize, Serialize};

use crate::Journal;
use crate::decide::{CreatedId, Decided, EditContext, decide};
use crate::edit::{Edit, NewTask};
use crate::effect::Effect;
use crate::error::{JournalError, RuleError};
use crate::view::TaskView;

/// How many times an edit is decided before it fails as contended.
const ATTEMPTS: usize = 3;

/// Who edits, and under which conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditCtx {
    /// Where the edit comes from.
    pub origin: Origin,
    /// Who is responsible, as the audit log names them: `owner`, `token:…`, `agent:…`.
    pub actor: String,
    /// Apply only at this revision.
    pub if_match: Option<i64>,
    /// Apply at most once under this id.
    pub once: Option<OnceKey>,
    /// The lease that covers the write: holder and epoch.
    pub fence: Option<(String, i64)>,
    /// How many agent-work results led here.
    pub depth: i64,
}

impl EditCtx {
    /// An unconditional edit.
    pub fn new(origin: Origin, actor: impl Into<String>) -> Self {
        Self { origin, actor: actor.into(), if_match: None, once: None, fence: None, depth: 0 }
    }
}

/// The id of a receipt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OnceKey {
    /// An operation id, an import key, or the hash of an idempotency key.
    pub id: String,
    /// The digest of the request: the same id with another digest is refused.
    pub request: Digest,
}

/// What an edit did. The receipt stores it as the answer to repeated requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Edited {
    /// The task.
    pub task: TaskId,
    /// Its revision now; unchanged if nothing changed.
    pub revision: i64,
    /// The position of the change; `None` if nothing was written.
    #[serde(skip)]
    pub seq: Option<Seq>,
    /// What changed.
    pub what: Vec<What>,
    /// What undo needs.
    pub effects: Vec<Effect>,
    /// Created ids, in order.
    pub made: Vec<String>,
    /// Whether this is the stored answer to an earlier, equal request.
    #[serde(skip)]
    pub replayed: bool,
}

/// Further ops that an import adds to a commit once the ids are known.
pub(crate) type ExtraOps = Box<dyn FnOnce(&Decided) -> Vec<Op> + Send>;

impl Journal {
    pub(crate) fn edit_context<'a>(
        &'a self,
        ws: WorkspaceId,
        origin: &'a Origin,
    ) -> EditContext<'a> {
        EditContext { ws, origin, at: self.clock.now(), entropy: &*self.entropy }
    }

    /// Creates a task.
    ///
    /// Errors: a refused edit; a receipt of another request.
    pub async fn create(
        &self,
        ws: WorkspaceId,
        new: &NewTask,
        ctx: &EditCtx,
    ) -> Result<Edited, JournalError> {
        self.create_sealed(ws, new, ctx, "journal.create", Box::new(|_| Vec::new())).await
    }

    pub(crate) async fn create_sealed(
        &self,
        ws: WorkspaceId,
        new: &NewTask,
        ctx: &EditCtx,
        label: &'static str,
        seal: ExtraOps,
    ) -> Result<Edited, JournalError> {
        if let Some(earlier) = self.replay(ws, ctx).await? {
            return Ok(earlier);
        }
        let by = self.edit_context(ws, &ctx.origin);
        let id = TaskId::fresh(by.at, by.entropy);
        let definitions = self.store.all(label::definitions(ws)).await?;
        let mut view = TaskView::blank(blank(&id, by.at), definitions);
        self.load_link_targets(ws, &mut view, &new.edits).await?;
        let mut edits = new.edits.clone();
        if !new.title.trim().is_empty() {
            edits.insert(0, Edit::Title(new.title.clone()));
        }
        let mut decided = decide(&view, &edits, &by)?;
        decided.made.insert(0, CreatedId::Task(id));
        let commit = self.commit_of(ws, ctx, label, &view, decided, seal);
        self.send(ctx, commit).await
    }

    /// Edits a task.
    ///
    /// Errors: a refused edit, an unknown task, a revision that is not `if_match`, three
    /// conflicting edits by others in a row, a raised fence.
    pub async fn edit(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        edits: &[Edit],
        ctx: &EditCtx,
    ) -> Result<Edited, JournalError> {
        let rule = |_: &TaskView| Ok::<_, Infallible>(edits.to_vec());
        match self.edit_with(ws, task, ctx, rule).await {
            Ok(edited) => Ok(edited),
            Err(RuleError::Journal(error)) => Err(error),
        }
    }

    /// Edits a task by a rule that sees its current state, and again if another write came first.
    ///
    /// Errors: as [`Journal::edit`]; what the rule refuses.
    pub async fn edit_with<R, F>(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        ctx: &EditCtx,
        rule: F,
    ) -> Result<Edited, RuleError<R>>
    where
        R: std::error::Error + 'static,
        F: Fn(&TaskView) -> Result<Vec<Edit>, R>,
    {
        let rule = move |view: &TaskView| {
            let seal: ExtraOps = Box::new(|_| Vec::new());
            rule(view).map(|edits| (edits, seal))
        };
        self.edit_sealed(ws, task, ctx, "journal.edit", rule).await
    }

    /// Undoes the effects of an edit.
    ///
    /// Errors: as [`Journal::edit`]; a field no longer has the value that was set.
    pub async fn undo(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        effects: &[Effect],
        ctx: &EditCtx,
    ) -> Result<Edited, JournalError> {
        match self.edit_with(ws, task, ctx, |view| crate::effect::undo(view, effects)).await {
            Ok(edited) => Ok(edited),
            Err(RuleError::Rule(changed)) => Err(changed.into()),
            Err(RuleError::Journal(error)) => Err(error),
        }
    }

    pub(crate) async fn edit_sealed<R, F>(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        ctx: &EditCtx,
        label: &'static str,
        rule: F,
    ) -> Result<Edited, RuleError<R>>
    where
        R: std::error::Error + 'static,
        F: Fn(&TaskView) -> Result<(Vec<Edit>, ExtraOps), R>,
    {
        if let Some(earlier) = self.replay(ws, ctx).await? {
            return Ok(earlier);
        }
        let result = retry(Policy::Attempts(ATTEMPTS), &[Refusal::Stale], || {
            self.attempt(ws, task, ctx, label, &rule)
        })
        .await
        .map_err(|error| match error.refusal() {
            Some(Refusal::Stale) => JournalError::Conflict { task: task.clone() }.into(),
            _ => error,
        });
        // The same request may have been applied by another process after its receipt was looked up
        // and before the task was read; the rule then refuses because it sees the request's own
        // effect. If the receipt cannot be read now, that error is returned, since the refusal may
        // not be the true outcome.
        if result.is_err()
            && let Some(earlier) = self.replay(ws, ctx).await?
        {
            return Ok(earlier);
        }
        result
    }

    async fn attempt<R, F>(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        ctx: &EditCtx,
        label: &'static str,
        rule: &F,
    ) -> Result<Edited, RuleError<R>>
    where
        R: std::error::Error + 'static,
        F: Fn(&TaskView) -> Result<(Vec<Edit>, ExtraOps), R>,
    {
        let mut view = self.task(ws, task).await?;
        // After a refusal, the next attempt reports both revisions here.
        if let Some(expected) = ctx.if_match
            && expected != view.revision
        {
            let (task, found) = (task.clone(), view.revision);
            return Err(JournalError::Precondition { task, expected, found }.into());
        }
        let (edits, seal) = rule(&view).map_err(RuleError::Rule)?;
        self.load_link_targets(ws, &mut view, &edits).await?;
        let by = self.edit_context(ws, &ctx.origin);
        let decided = decide(&view, &edits, &by).map_err(JournalError::from)?;
        let commit = self.commit_of(ws, ctx, label, &view, decided, seal);
        Ok(self.send(ctx, commit).await?)
    }

    /// The stored answer to an equal request. This is checked before `if_match`: the first attempt
    /// advanced the revision, and a repetition must get the same answer.
    async fn replay(&self, ws: WorkspaceId, ctx: &EditCtx) -> Result<Option<Edited>, JournalError> {
        let Some(once) = &ctx.once else { return Ok(None) };
        let Some(receipt) = self.store.first(receipt::by_id(Db::Journal, ws, &once.id)).await?
        else {
            return Ok(None);
        };
        if receipt.request != once.request {
            return Err(JournalError::Reused { id: once.id.clone() });
        }
        stored(&once.id, &receipt.answer, receipt.seq).map(Some)
    }

    /// Builds the commit of a decided edit.
    ///
    /// Its parts guard each other. The fence comes first, so an owner that lost its lease writes
    /// nothing. The revision guard refuses an edit decided on rows that have changed since. The
    /// receipt is written even if nothing else is, so that a repeated request gets the same answer
    /// without being decided again. Receipt, change row and audit line share the transaction of the
    /// edit: a crash leaves all of them or none.
    fn commit_of(
        &self,
        ws: WorkspaceId,
        ctx: &EditCtx,
        label: &'static str,
        before: &TaskView,
        decided: Decided,
        seal: ExtraOps,
    ) -> (Commit, Edited) {
        let extra = seal(&decided);
        let id = decided.after.id().clone();
        let edited = Edited {
            task: id.clone(),
            revision: decided.after.revision,
            seq: None,
            what: decided.what.clone(),
            effects: decided.effects.clone(),
            made: decided.made.iter().map(|made| made.id().to_owned()).collect(),
            replayed: false,
        };
        let mut commit = Commit::new(label, Db::Journal, ws);
        if let Some((holder, epoch)) = &ctx.fence {
            commit = commit.ops(fence::pass(ws, holder, *epoch));
        }
        if let Some(once) = &ctx.once {
            commit = commit.once(Once {
                id: once.id.clone(),
                request: once.request.clone(),
                answer: serde_json::to_string(&edited).expect("answers are plain data"),
                effects: Some(
                    serde_json::to_string(&edited.effects).expect("effects are plain data"),
                ),
            });
        }
        if !decided.is_empty() {
            if before.revision > 0 {
                commit = commit.op(task::guard(ws, &id, before.revision));
            }
            let mut touched = vec![id.clone()];
            touched.extend(decided.others);
            let touches: Vec<Op> = touched.iter().map(|task| touched::insert(ws, task)).collect();
            let mut change = ChangeRow::journal(ctx.origin.clone(), touched, decided.what);
            change.neighbours = decided.neighbours;
            change.depth = ctx.depth;
            let mut fields: Vec<String> = decided.effects.iter().map(Effect::field).collect();
            fields.dedup();
            let action = if before.revision > 0 { "task.edit" } else { "task.create" };
            commit = commit.ops(decided.ops).ops(touches).change(change).audit(Audit {
                actor: ctx.actor.clone(),
                action,
                object: id.to_string(),
                detail: fields.join(","),
            });
        }
        (commit.ops(extra), edited)
    }

    /// Commits, unless there is nothing to write.
    async fn send(
        &self,
        ctx: &EditCtx,
        (commit, mut edited): (Commit, Edited),
    ) -> Result<Edited, JournalError> {
        let only_fence =
            commit.changes.is_empty() && commit.ops.len() <= ctx.fence.iter().len() * 2;
        if commit.once.is_none() && only_fence {
            return Ok(edited);
        }
        match self.store.commit(commit).await {
            Ok(Committed { seq, replayed: None }) => {
                edited.seq = Some(seq);
                Ok(edited)
            }
            Ok(Committed { seq, replayed: Some(answer) }) => {
                stored(ctx.once.as_ref().map_or("", |once| &once.id), &answer, seq)
            }
            Err(error) => match (error.refusal(), &ctx.fence) {
                (Some(Refusal::Fenced), Some((holder, epoch))) => {
                    Err(JournalError::Fenced { holder: holder.clone(), epoch: *epoch })
                }
                _ => Err(error.into()),
            },
        }
    }
}

fn stored(id: &str, answer: &str, seq: Seq) -> Result<Edited, JournalError> {
    let edited: Edited = serde_json::from_str(answer).map_err(|source| JournalError::Stored {
        what: "answer",
        id: id.to_owned(),
        source,
    })?;
    Ok(Edited { seq: Some(seq), replayed: true, ..edited })
}

/// A new task with default values.
pub(crate) fn blank(id: &TaskId, at: Timestamp) -> Task {
    let status = StatusEntry { status: Status::Open, reason: None, created_at: at };
    Task {
        id: id.clone(),
        title: String::new(),
        status_history: vec![status.clone()],
        status,
        priority: None,
        due_on: None,
        estimate_minutes: None,
        language_code: None,
        language_source: By::User,
        category_id: None,
        label_ids: Vec::new(),
        ai_suppressed_label_ids: Vec::new(),
        created_at: at,
        updated_at: at,
        deleted_at: None,
        absences: Vec::new(),
    }
}
