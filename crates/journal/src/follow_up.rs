//! Tasks that follow up on another, and what an operation did to which task.

use dormouse_store::journal::label;
use dormouse_store::{Db, MaybeRefused as _, Policy, Refusal, receipt, retry};
use dormouse_types::task::{Flag, LinkKind};
use dormouse_types::{Id as _, OperationId, TaskId, WorkspaceId};

use crate::Journal;
use crate::decide::decide;
use crate::decision::CreatedId;
use crate::edit::{Edit, NewTask};
use crate::effect::{Changed, Effect};
use crate::error::{JournalError, RuleError};
use crate::view::{LinkTarget, TaskView};
use crate::write::{Answer, EditCtx, Edited, blank};

/// What an operation did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The task that it edited or made.
    pub task: TaskId,
    /// What undo needs.
    pub effects: Vec<Effect>,
}

impl Applied {
    /// The task that has what it made: that of a moved item is the one that the item went to.
    pub fn is_in(&self) -> &TaskId {
        let moved = self.effects.iter().find_map(|effect| match effect {
            Effect::ItemTask { to, .. } => Some(to),
            _ => None,
        });
        moved.unwrap_or(&self.task)
    }

    /// Whether it made the task.
    pub fn made_task(&self) -> bool {
        let is_made =
            |effect: &Effect| matches!(effect, Effect::Task(both) if !both.before && both.after);
        self.effects.iter().any(is_made)
    }
}

impl Journal {
    /// Creates a task that follows up on another: in its category, private if it is, and linked to it.
    ///
    /// The rule sees the other task. Both are guarded by one commit: what the new task takes from the
    /// other is what the other has at that moment.
    ///
    /// Errors: what the rule refuses; the other task is deleted or unknown; others keep editing it.
    pub async fn create_follow_up<R: std::error::Error + 'static>(
        &self,
        ws: WorkspaceId,
        source: &TaskId,
        ctx: &EditCtx,
        rule: impl Fn(&TaskView) -> Result<NewTask, R>,
    ) -> Result<Edited, RuleError<R>> {
        if let Some(earlier) = self.replay(ws, ctx).await? {
            return Ok(earlier);
        }
        let result = retry(Policy::CONTENDED, &[Refusal::Stale], || async {
            let from = self.task(ws, source).await?;
            let new = rule(&from).map_err(RuleError::Rule)?;
            let by = self.edit_context(ws, &ctx.origin);
            let id = TaskId::fresh(by.at, by.entropy);
            let definitions = self.store.all(label::definitions(ws)).await;
            let definitions = definitions.map_err(JournalError::from)?;
            let mut view = TaskView::blank(blank(&id, by.at), definitions);
            let mut edits = vec![Edit::Title(new.title)];
            edits.extend(from.task.value.category_id.clone().map(|id| Edit::Category(Some(id))));
            if from.task.value.flags.private {
                edits.push(Edit::Flag { flag: Flag::Private, is_set: true });
            }
            edits.extend(new.edits);
            edits.push(Edit::Link { to: source.clone(), kind: LinkKind::FollowUpOf });
            view.ends.push(LinkTarget::whole(from));
            let mut decided = decide(&view, &edits, &by).map_err(JournalError::from)?;
            decided.made.insert(0, CreatedId::Task(id));
            let rule = |_: &TaskView| Ok::<_, std::convert::Infallible>(Vec::new());
            Ok(self.send(ws, ctx, self.commit_of(ws, ctx, &rule, &view, decided)).await?)
        })
        .await
        .map_err(|error: RuleError<R>| match error.refusal() {
            Some(Refusal::Stale) => JournalError::Conflict { task: source.clone() }.into(),
            _ => error,
        });
        if result.is_err()
            && let Some(earlier) = self.replay(ws, ctx).await?
        {
            return Ok(earlier);
        }
        result
    }

    /// Reads what an operation did from its receipt; `None` if it was not applied.
    pub async fn applied(
        &self,
        ws: WorkspaceId,
        operation: &OperationId,
    ) -> Result<Option<Applied>, JournalError> {
        let id = operation.as_str();
        let Some(receipt) = self.store.first(receipt::by_id(Db::Journal, ws, id)).await? else {
            return Ok(None);
        };
        let stored = |source| JournalError::Stored { what: "answer", id: id.to_owned(), source };
        let Answer { task, effects, .. } = serde_json::from_str(&receipt.answer).map_err(stored)?;
        Ok(Some(Applied { task, effects }))
    }
}

/// Refuses to take back a task that holds more than what the same effects put there: a person may have
/// worked in it since.
///
/// Errors: what it holds besides.
pub fn holds_only(view: &TaskView, title: &str, effects: &[Effect]) -> Result<(), Changed> {
    let changed = |now: &str| Changed {
        field: "task".into(),
        now: now.into(),
        set: "as it was created".into(),
    };
    let moved =
        |id| effects.iter().any(|it| matches!(it, Effect::ItemTask { item, .. } if item == id));
    let wrote =
        |id| effects.iter().any(|it| matches!(it, Effect::Entry { entry, .. } if entry == id));
    let linked =
        |id| effects.iter().any(|it| matches!(it, Effect::Link { link, .. } if link == id));
    if view.task.value.title != title {
        return Err(changed("renamed"));
    }
    if !view.items.iter().all(|doc| moved(&doc.value.id)) {
        return Err(changed("a task with checklist items of its own"));
    }
    if !view.entries.iter().all(|doc| wrote(&doc.value.id)) {
        return Err(changed("a task with entries of its own"));
    }
    if !view.links.iter().all(|edge| linked(&edge.doc.value.id)) {
        return Err(changed("linked to other tasks"));
    }
    Ok(())
}
