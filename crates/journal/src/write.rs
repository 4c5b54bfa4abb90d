//! The one place that reads, decides and commits, and decides again if another write came first.

use std::convert::Infallible;
use std::error::Error;

use dormouse_store::journal::task::{StatusEntry, Task};
use dormouse_store::journal::{fence, label, task, touched};
use dormouse_store::{
    Audit, ChangeRow, Commit, Committed, Db, MaybeRefused as _, Once, Op, Policy, Refusal, receipt,
    retry,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::caller::{Actor, By};
use dormouse_types::change::What;
use dormouse_types::task::{Flags, Status};
use dormouse_types::{Digest, Id as _, Origin, Seq, TaskId, Timestamp, WorkspaceId, hash};
use serde::{Deserialize, Serialize};

use crate::Journal;
use crate::decide::decide;
use crate::decision::{CreatedId, Decided, EditContext};
use crate::edit::{Edit, NewTask};
use crate::effect::Effect;
use crate::error::{JournalError, RuleError};
use crate::view::TaskView;

/// Who edits, and under which conditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditCtx {
    /// Where the edit comes from.
    pub origin: Origin,
    /// Whose edit it is.
    pub actor: Actor,
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
    pub fn new(origin: Origin, actor: Actor) -> Self {
        Self { origin, actor, if_match: None, once: None, fence: None, depth: 0 }
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

/// What an edit did.
#[derive(Debug, Clone)]
pub struct Edited {
    pub task: TaskId,
    /// Its revision after the edit; unchanged if nothing changed.
    pub revision: i64,
    /// The position of the change; `None` if nothing was written.
    pub seq: Option<Seq>,
    /// What changed.
    pub what: Vec<What>,
    /// What undo needs.
    pub effects: Vec<Effect>,
    /// Created ids, in order.
    pub made: Vec<String>,
    /// Whether this is the stored answer to an earlier, equal request.
    pub replayed: bool,
    /// The task as the edit left it; after a replay, the task as it is now.
    pub view: TaskView,
}

/// What the receipt of an edit stores: the answer to repeated requests.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Answer {
    pub(crate) task: TaskId,
    revision: i64,
    what: Vec<What>,
    pub(crate) effects: Vec<Effect>,
    made: Vec<String>,
}

/// Decides the edits of a task from its present state. It runs again if another write came first.
///
/// A closure that returns edits is a rule.
pub trait Rule {
    /// Why it refuses.
    type Refusal: Error + 'static;

    /// The edits that this state of the task requires.
    fn edits(&self, view: &TaskView) -> Result<Vec<Edit>, Self::Refusal>;

    /// Further ops for the commit of these edits, now that the ids are known.
    fn record(&self, _decided: &Decided) -> Vec<Op> {
        Vec::new()
    }

    /// The label of the commit, unless it is an ordinary edit.
    fn label(&self) -> Option<&'static str> {
        None
    }
}

impl<R: Error + 'static, F: Fn(&TaskView) -> Result<Vec<Edit>, R>> Rule for F {
    type Refusal = R;

    fn edits(&self, view: &TaskView) -> Result<Vec<Edit>, R> {
        self(view)
    }
}

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
        let rule = |_: &TaskView| {
            let title = (!new.title.trim().is_empty()).then(|| Edit::Title(new.title.clone()));
            Ok::<_, Infallible>(title.into_iter().chain(new.edits.iter().cloned()).collect())
        };
        plain(self.create_with(ws, ctx, &rule).await)
    }

    /// Creates a task by a rule that sees an empty one.
    pub(crate) async fn create_with<R: Rule>(
        &self,
        ws: WorkspaceId,
        ctx: &EditCtx,
        rule: &R,
    ) -> Result<Edited, RuleError<R::Refusal>> {
        if let Some(earlier) = self.replay(ws, ctx).await? {
            return Ok(earlier);
        }
        let by = self.edit_context(ws, &ctx.origin);
        let id = TaskId::fresh(by.at, by.entropy);
        let definitions = self.store.all(label::definitions(ws)).await;
        let definitions = definitions.map_err(JournalError::from)?;
        let mut view = TaskView::blank(blank(&id, by.at), definitions);
        let edits = rule.edits(&view).map_err(RuleError::Rule)?;
        self.load_link_targets(ws, &mut view, &edits).await?;
        let mut decided = decide(&view, &edits, &by).map_err(JournalError::from)?;
        decided.made.insert(0, CreatedId::Task(id));
        Ok(self.send(ws, ctx, self.commit_of(ws, ctx, rule, &view, decided)).await?)
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
        plain(self.edit_with(ws, task, ctx, &rule).await)
    }

    /// Edits a task by a rule that sees its current state, and again if another write came first.
    ///
    /// Errors: as [`Journal::edit`]; what the rule refuses.
    pub async fn edit_with<R: Rule>(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        ctx: &EditCtx,
        rule: &R,
    ) -> Result<Edited, RuleError<R::Refusal>> {
        self.edit_seen(ws, task, None, ctx, rule).await
    }

    /// Edits a task as [`Journal::edit_with`] does, for a caller that has just read it: that view is
    /// tried first. The revision guard refuses a commit on top of a view that is no longer true, and
    /// what the rule refuses, or leaves as it is, is decided once more on fresh rows.
    ///
    /// Errors: as [`Journal::edit_with`].
    pub async fn edit_seen<R: Rule>(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        mut seen: Option<TaskView>,
        ctx: &EditCtx,
        rule: &R,
    ) -> Result<Edited, RuleError<R::Refusal>> {
        if let Some(earlier) = self.replay(ws, ctx).await? {
            return Ok(earlier);
        }
        let result = retry(Policy::CONTENDED, &[Refusal::Stale], || {
            let seen = seen.take();
            async move {
                if let Some(view) = seen
                    && let Ok((view, decided)) = self.decide_on(ws, view, ctx, rule).await
                    && !decided.is_empty()
                {
                    let commit = self.commit_of(ws, ctx, rule, &view, decided);
                    return Ok(self.send(ws, ctx, commit).await?);
                }
                let view = self.task(ws, task).await?;
                let (view, decided) = self.decide_on(ws, view, ctx, rule).await?;
                Ok(self.send(ws, ctx, self.commit_of(ws, ctx, rule, &view, decided)).await?)
            }
        })
        .await
        .map_err(|error: RuleError<R::Refusal>| match error.refusal() {
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

    /// Decides the edits of a rule on a view of the task.
    async fn decide_on<R: Rule>(
        &self,
        ws: WorkspaceId,
        mut view: TaskView,
        ctx: &EditCtx,
        rule: &R,
    ) -> Result<(TaskView, Decided), RuleError<R::Refusal>> {
        // After a refusal, the next attempt reports both revisions here.
        if let Some(expected) = ctx.if_match.filter(|expected| *expected != view.revision) {
            let (task, found) = (view.id().clone(), view.revision);
            return Err(JournalError::Precondition { task, expected, found }.into());
        }
        let edits = rule.edits(&view).map_err(RuleError::Rule)?;
        self.load_link_targets(ws, &mut view, &edits).await?;
        let by = self.edit_context(ws, &ctx.origin);
        let decided = decide(&view, &edits, &by).map_err(JournalError::from)?;
        Ok((view, decided))
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
        let rule = |view: &TaskView| crate::effect::undo(view, effects);
        match self.edit_with(ws, task, ctx, &rule).await {
            Ok(edited) => Ok(edited),
            Err(RuleError::Rule(changed)) => Err(changed.into()),
            Err(RuleError::Journal(error)) => Err(error),
        }
    }

    /// The stored answer to an equal request. This is checked before `if_match`: the first attempt
    /// advanced the revision, and a repetition must get the same answer.
    pub(crate) async fn replay(
        &self,
        ws: WorkspaceId,
        ctx: &EditCtx,
    ) -> Result<Option<Edited>, JournalError> {
        let Some(once) = &ctx.once else { return Ok(None) };
        let Some(receipt) = self.store.first(receipt::by_id(Db::Journal, ws, &once.id)).await?
        else {
            return Ok(None);
        };
        if receipt.request != once.request {
            return Err(JournalError::Reused { id: once.id.clone() });
        }
        self.replayed(ws, &once.id, &receipt.answer, receipt.seq).await.map(Some)
    }

    /// Returns a stored answer, with the task as it is now: the receipt does not hold the task.
    async fn replayed(
        &self,
        ws: WorkspaceId,
        id: &str,
        answer: &str,
        seq: Seq,
    ) -> Result<Edited, JournalError> {
        let Answer { task, revision, what, effects, made } = serde_json::from_str(answer)
            .map_err(|source| JournalError::Stored { what: "answer", id: id.to_owned(), source })?;
        let view = self.task(ws, &task).await?;
        Ok(Edited { task, revision, seq: Some(seq), what, effects, made, replayed: true, view })
    }

    /// Builds the commit of a decided edit.
    ///
    /// Its parts guard each other. The fence comes first, so an owner that lost its lease writes
    /// nothing. The revision guard refuses an edit decided on rows that have changed since. The
    /// receipt is written even if nothing else is, so that a repeated request gets the same answer
    /// without being decided again. Receipt, change row and audit line share the transaction of the
    /// edit: a crash leaves all of them or none.
    pub(crate) fn commit_of(
        &self,
        ws: WorkspaceId,
        ctx: &EditCtx,
        rule: &impl Rule,
        before: &TaskView,
        decided: Decided,
    ) -> (Commit, Edited) {
        let is_new = before.revision == 0;
        let ordinary = if is_new { "journal.create" } else { "journal.edit" };
        let label = rule.label().unwrap_or(ordinary);
        let extra = rule.record(&decided);
        let id = decided.after.id().clone();
        let answer = Answer {
            task: id.clone(),
            revision: decided.after.revision,
            what: decided.what.clone(),
            effects: decided.effects.clone(),
            made: decided.made.iter().map(|made| made.id().to_owned()).collect(),
        };
        let mut commit = Commit::new(label, Db::Journal, ws);
        if let Some((holder, epoch)) = &ctx.fence {
            commit = commit.ops(fence::pass(ws, holder, *epoch));
        }
        let stored = || serde_json::to_string(&answer).expect("answers are plain data");
        let effects = serde_json::to_string(&answer.effects).expect("effects are plain data");
        if let Some(OnceKey { id, request }) = ctx.once.clone() {
            commit = commit.once(Once { id, request, answer: stored(), effects: Some(effects) });
        } else if !answer.effects.is_empty() {
            // What it did is kept as well: a task is shown as it was by undoing its later changes. Two who
            // make the same change of the same revision at once made it together.
            let request =
                hash::joined(&["edit", id.as_str(), &answer.revision.to_string(), &effects]);
            let id = request.to_string();
            commit = commit.once(Once { id, request, answer: stored(), effects: Some(effects) });
        }
        if !decided.is_empty() {
            if !is_new {
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
            let action = if is_new { AuditAction::TaskCreate } else { AuditAction::TaskEdit };
            commit = commit.ops(decided.ops).ops(touches).change(change).audit(Audit {
                actor: ctx.actor.clone(),
                action,
                object: id.to_string(),
                detail: fields.join(","),
            });
        }
        let Answer { task, revision, what, effects, made } = answer;
        let (view, replayed) = (decided.after, false);
        let edited = Edited { task, revision, seq: None, what, effects, made, replayed, view };
        (commit.ops(extra), edited)
    }

    /// Commits, unless there is nothing to write.
    pub(crate) async fn send(
        &self,
        ws: WorkspaceId,
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
                let id = ctx.once.as_ref().map_or("", |once| &once.id);
                self.replayed(ws, id, &answer, seq).await
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

/// Removes the refusal that a rule without one cannot return.
pub(crate) fn plain(result: Result<Edited, RuleError<Infallible>>) -> Result<Edited, JournalError> {
    result.map_err(|RuleError::Journal(error)| error)
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
        flags: Flags::NONE,
        created_at: at,
        updated_at: at,
        deleted_at: None,
        absences: Vec::new(),
    }
}
