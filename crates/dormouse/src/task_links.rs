//! Links between tasks: create and remove.

use dormouse_journal::Edit;
use dormouse_types::task::LinkKind;
use dormouse_types::{Caller, Scope, TaskId, TaskLinkId};

use crate::request::{edit_ctx, require};
use crate::view::Task;
use crate::{Dormouse, Error};

impl Dormouse {
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
        let edited = self.journal.edit(caller.workspace, id, &[edit], &ctx).await?;
        Ok(self.queries.edited_task(caller.workspace, &edited).await?)
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
        let edited = self.journal.edit(caller.workspace, id, &[edit], &ctx).await?;
        Ok(self.queries.edited_task(caller.workspace, &edited).await?)
    }
}
