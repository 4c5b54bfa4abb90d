//! Links between tasks. Every write returns the task in the path.

use dormouse::view::{Page, TaskLink};

use super::reply::{Reply, whole};
use super::tasks::{Added, Tagged};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, IfMatch, Json as Body, Key, id};
use crate::problem_groups::{Edits, Links};
use crate::wire::LinkParams;

/// Lists the links of a task to live tasks, newest first.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/links",
    operation_id = "listTaskLinks",
    tag = "task parts",
    responses((status = 200, description = "Every link of the task.", body = Page<TaskLink>)),
)]
pub(super) async fn list(app: App, At(task): At<String>) -> Reply<Page<TaskLink>> {
    Ok(whole(app.dormouse.task_links(&app.caller, &id(&task)?).await?))
}

/// Links a task to another. The single link is shown on both.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/links",
    operation_id = "addTaskLink",
    tag = "task parts",
    params(IfMatch, Key),
    request_body = LinkParams,
    responses(Added, Links),
)]
pub(super) async fn add(
    app: App,
    At(task): At<String>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
    Body(params): Body<LinkParams>,
) -> Result<Added, Problem> {
    let (task, link) = (id(&task)?, params.read()?);
    Ok(Added(app.dormouse.link_task(&app.caller, &task, link, revision, key).await?))
}

/// Removes a link from both of its tasks.
#[utoipa::path(
    delete,
    path = "/api/journal/tasks/{task}/links/{link}",
    operation_id = "removeTaskLink",
    tag = "task parts",
    params(IfMatch, Key),
    responses(Tagged, Edits)
)]
pub(super) async fn remove(
    app: App,
    At((task, link)): At<(String, String)>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    let (task, link) = (id(&task)?, id(&link)?);
    Ok(Tagged(app.dormouse.unlink_task(&app.caller, &task, &link, revision, key).await?))
}
