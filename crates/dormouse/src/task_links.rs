//! Links between tasks: read, create, remove.

use dormouse_journal::{Edit, TaskView};
use dormouse_types::task::{LinkDirection, LinkKind};
use dormouse_types::{Caller, Scope, TaskId, TaskLinkId};

use crate::request::{edit_ctx, require};
use crate::view::{LinkedTask, Task, TaskLink};
use crate::{Dormouse, Error};

/// The visible links of a task, newest first.
pub(crate) fn views(view: &TaskView) -> Vec<TaskLink> {
    view.shown_links()
        .map(|edge| {
            let (link, other) = (&edge.doc.value, edge.other.clone());
            let direction =
                if link.from_id == *view.id() { LinkDirection::Out } else { LinkDirection::In };
            TaskLink {
                id: link.id.clone(),
                kind: link.kind.clone(),
                direction,
                task: LinkedTask { id: other.id, title: other.title, status: other.status },
                created_at: link.created_at,
            }
        })
        .collect()
}

impl Dormouse {
    /// The links of a task to live tasks, newest first.
    ///
    /// Errors: no such task.
    pub async fn task_links(&self, caller: &Caller, id: &TaskId) -> Result<Vec<TaskLink>, Error> {
        require(caller, Scope::Read)?;
        Ok(views(&self.journal.task(caller.workspace, id).await?))
    }

    /// Links a task to another; both change. With `if_match`, only if the first has that revision.
    ///
    /// Errors: a missing or deleted task, a link to itself, an existing link, too many links.
    pub async fn link_task(
        &self,
        caller: &Caller,
        id: &TaskId,
        (kind, to): (LinkKind, TaskId),
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let request = (id, kind, &to);
        let ctx = edit_ctx(caller, "link.add", &request, if_match, key.as_deref())?;
        let edit = Edit::Link { to, kind };
        self.journal.edit(caller.workspace, id, &[edit], &ctx).await?;
        self.read_task(caller.workspace, id).await
    }

    /// Removes a link of a task, whichever of the two created it; both change.
    ///
    /// Errors: the task has no such link.
    pub async fn unlink_task(
        &self,
        caller: &Caller,
        id: &TaskId,
        link: &TaskLinkId,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<Task, Error> {
        require(caller, Scope::Edit)?;
        let ctx = edit_ctx(caller, "link.remove", &(id, link), if_match, key.as_deref())?;
        let edit = Edit::Unlink(link.clone());
        self.journal.edit(caller.workspace, id, &[edit], &ctx).await?;
        self.read_task(caller.workspace, id).await
    }
}
