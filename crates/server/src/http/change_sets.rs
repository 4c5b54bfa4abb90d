//! Change sets and the person's verdicts on their items.

use axum::Json;
use dormouse::Verdict;
use dormouse::view::{ChangeSet, Outcome, Page};
use dormouse_types::TaskId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Reply, whole};
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::openapi::{Decides, Finds, Writes};
use crate::wire::{VerdictName, VerdictParams};
use crate::{App, Problem};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Those about this task.
    #[param(value_type = Option<TaskId>)]
    task: Option<String>,
    /// Those a person may mean: by an id, its end, or words of the title of the task. It stands
    /// alone.
    find: Option<String>,
    /// Those without open items too.
    #[serde(default)]
    all: bool,
}

/// Lists the change sets with open items, newest first.
#[utoipa::path(
    get,
    path = "/api/change-sets",
    operation_id = "listChangeSets",
    tag = "change sets",
    params(ListParams),
    responses((status = 200, description = "The change sets.", body = Page<ChangeSet>), Finds),
)]
pub(super) async fn list(app: App, Query(params): Query<ListParams>) -> Reply<Page<ChangeSet>> {
    if let Some(find) = params.find {
        return Ok(whole(app.dormouse.find_sets(&app.caller, &find).await?));
    }
    let task = match params.task {
        Some(task) => Some(id(&task)?),
        None => None,
    };
    Ok(whole(app.dormouse.change_sets(&app.caller, task, params.all).await?))
}

/// Shows a change set with its items.
#[utoipa::path(
    get,
    path = "/api/change-sets/{set}",
    operation_id = "getChangeSet",
    tag = "change sets",
    responses((status = 200, description = "The change set.", body = ChangeSet)),
)]
pub(super) async fn show(app: App, At(set): At<String>) -> Reply<ChangeSet> {
    Ok(Json(app.dormouse.change_set(&app.caller, &id(&set)?).await?))
}

/// Reads a verdict by its name.
pub(super) fn verdict(name: &str) -> Result<Verdict, Problem> {
    let known = VerdictName::ALL.into_iter().find(|(known, _)| *known == name);
    known.map(|(_, verdict)| verdict).ok_or_else(|| {
        Problem::not_found(format!("`{name}` is no verdict: use confirm, reject, defer or undo"))
    })
}

/// Decides one item, as it was shown.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/items/{index}/{verdict}",
    operation_id = "decideItem",
    tag = "change sets",
    params(Key),
    request_body = VerdictParams,
    responses((status = 200, description = "What the verdict led to.", body = Outcome), Decides),
)]
pub(super) async fn decide(
    app: App,
    At((set, index, name)): At<(String, i64, String)>,
    Key(key): Key,
    Body(params): Body<VerdictParams>,
) -> Reply<Outcome> {
    let (set, verdict) = (id(&set)?, verdict(&name)?);
    let digest = Some(params.digest);
    Ok(Json(
        app.dormouse.decide(&app.caller, &set, index, verdict, digest, params.reason, key).await?,
    ))
}

/// Confirms every open item that is shown and takes nothing away.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/confirm-all",
    operation_id = "confirmAll",
    tag = "change sets",
    params(Key),
    responses((status = 200, description = "What became of each.", body = Page<Outcome>), Writes),
)]
pub(super) async fn confirm_all(
    app: App,
    At(set): At<String>,
    Key(key): Key,
) -> Reply<Page<Outcome>> {
    Ok(whole(app.dormouse.confirm_all(&app.caller, &id(&set)?, key).await?))
}

/// Puts every open item of a set off.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/dismiss",
    operation_id = "dismissAll",
    tag = "change sets",
    params(Key),
    responses((status = 200, description = "What became of each.", body = Page<Outcome>), Writes),
)]
pub(super) async fn dismiss(app: App, At(set): At<String>, Key(key): Key) -> Reply<Page<Outcome>> {
    Ok(whole(app.dormouse.dismiss(&app.caller, &id(&set)?, key).await?))
}
