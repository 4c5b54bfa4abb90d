//! One task: the whole of it, its links, its activity; labels and categories.

use dormouse_journal::{Edited, TaskReviewState, TaskView};
use dormouse_store::agent::agent_entity::{self, Lifecycle};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::entity;
use dormouse_store::change_log;
use dormouse_types::task::LinkDirection;
use dormouse_types::{AgentId, CategoryId, LabelId, Origin, Seq, TaskId, WorkspaceId};

use crate::proposals::Counts;
use crate::view::{Activity, ChangeOrigin, LinkedTask, Named, Task, TaskLink};
use crate::{Queries, QueryError};

impl Queries {
    /// A task, whole.
    pub async fn task(&self, ws: WorkspaceId, id: &TaskId) -> Result<Task, QueryError> {
        let view = self.journal.task(ws, id).await?;
        self.task_view(ws, &view).await
    }

    /// A task as an edit left it, with the position of the events that it contains.
    ///
    /// Every commit that touches a task raises its revision, and an edit is refused on an older one:
    /// so the view contains what was committed to the journal up to the edit. Of the agent store it
    /// contains what was there before its agent and its proposals are read here.
    pub async fn edited_task(&self, ws: WorkspaceId, edited: &Edited) -> Result<Task, QueryError> {
        let cursor = match edited.seq {
            Some(written) => Some(self.cursor_at(ws, written).await?.to_string()),
            None => None,
        };
        Ok(Task { cursor, ..self.task_view(ws, &edited.view).await? })
    }

    /// The view of a task that was read already.
    pub async fn task_view(&self, ws: WorkspaceId, view: &TaskView) -> Result<Task, QueryError> {
        let of_task = change_item::open_of_tasks(ws, std::slice::from_ref(view.id()));
        let items = self.store.all(of_task).await?;
        self.task_view_with(ws, view, &items).await
    }

    /// The view of a task that was read already, as were the items about it: at least the open ones.
    pub(crate) async fn task_view_with(
        &self,
        ws: WorkspaceId,
        view: &TaskView,
        items: &[Item],
    ) -> Result<Task, QueryError> {
        let state = dormouse_journal::state(view, &self.zone.get());
        let task = &view.task.value;
        let counts = Counts::of(items, &TaskReviewState::of(view), self.clock.now());
        let category = task.category_id.as_ref().and_then(|id| {
            let known = view.categories.iter().find(|category| category.id == *id)?;
            Some(Named { id: known.id.clone(), name: known.name.clone() })
        });
        Ok(Task {
            id: task.id.clone(),
            revision: view.revision,
            title: task.title.clone(),
            status: task.status.status,
            status_reason: task.status.reason.clone(),
            status_history: task.status_history.clone(),
            priority: task.priority,
            due_on: task.due_on,
            estimate_minutes: task.estimate_minutes,
            time_spent_minutes: state.time_spent_minutes,
            language: task.language_code.clone(),
            category,
            labels: state.labels,
            starred: task.flags.starred,
            private: task.flags.private,
            suppressed_labels: state.suppressed_labels,
            items: state.items,
            entries: state.entries,
            links: link_views(view),
            agent: self.live_agent(ws, &task.id).await?,
            open_proposals: counts.open,
            put_off_proposals: counts.put_off,
            created_at: task.created_at,
            updated_at: task.updated_at,
            deleted_at: task.deleted_at,
            cursor: None,
        })
    }

    /// The labels of the workspace, by name.
    pub async fn labels(&self, ws: WorkspaceId) -> Result<Vec<Named<LabelId>>, QueryError> {
        let labels = self.journal.labels(ws).await?;
        Ok(labels.into_iter().map(|label| Named { id: label.id, name: label.name }).collect())
    }

    /// The categories of the workspace, by name.
    pub async fn categories(&self, ws: WorkspaceId) -> Result<Vec<Named<CategoryId>>, QueryError> {
        let all = self.journal.categories(ws).await?;
        Ok(all.into_iter().map(|one| Named { id: one.id, name: one.name }).collect())
    }

    /// What happened to a task, oldest first.
    pub async fn task_activity(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<Vec<Activity>, QueryError> {
        self.journal.task(ws, id).await?;
        self.activity_after(ws, id, Seq(0)).await
    }

    /// What happened to a task after a position, oldest first.
    pub(crate) async fn activity_after(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
        position: Seq,
    ) -> Result<Vec<Activity>, QueryError> {
        let changes = self.store.all(change_log::of_task(ws, id, position, Seq(i64::MAX))).await?;
        Ok(changes
            .into_iter()
            .map(|change| Activity {
                seq: change.seq.0,
                at: change.at,
                origin: match &change.origin {
                    Origin::Person { .. } => ChangeOrigin::Person,
                    Origin::Agent { .. } => ChangeOrigin::Agent,
                    Origin::Work { .. } => ChangeOrigin::Work,
                    Origin::Import => ChangeOrigin::Import,
                    Origin::Unknown => ChangeOrigin::Unknown,
                },
                what: change.what_of(id).cloned().collect(),
            })
            .collect())
    }

    /// The links of a task to live tasks, newest first.
    ///
    /// Errors: no such task.
    pub async fn task_links(
        &self,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<Vec<TaskLink>, QueryError> {
        Ok(link_views(&self.journal.task(ws, id).await?))
    }

    async fn live_agent(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
    ) -> Result<Option<AgentId>, QueryError> {
        // A damaged agent is reported when requested; it does not hide its task.
        let agents = entity::each(agent_entity::of_task(ws, task));
        let agents = self.store.all(agents).await?.into_iter().flatten();
        let live = agents.into_iter().find(|a| a.doc.value.lifecycle != Lifecycle::Destroyed);
        Ok(live.map(|agent| agent.doc.value.id))
    }
}

/// The visible links of a task, newest first.
fn link_views(view: &TaskView) -> Vec<TaskLink> {
    view.shown_links()
        .map(|edge| {
            let (link, other) = (&edge.doc.value, edge.other.clone());
            let direction =
                if link.from_id == *view.id() { LinkDirection::Out } else { LinkDirection::In };
            TaskLink {
                id: link.id.clone(),
                kind: link.kind.clone(),
                direction,
                task: LinkedTask {
                    id: other.id,
                    title: other.title,
                    status: other.status,
                    private: other.is_private,
                },
                created_at: link.created_at,
            }
        })
        .collect()
}
