//! Change sets and the user's decisions on their items.

use axum::Json;
use dormouse::view::{ChangeSet, DecidedItem, Outcome, Page};
use dormouse::{Shown, VerdictOf};
use dormouse_types::{TaskId, Verdict};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, whole};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::problem_groups::{Decides, Finds, Writes};
use crate::wire::{ConfirmAllParams, Decided, ShownParams, VerdictParams, known_value};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Only change sets about this task.
    #[param(value_type = Option<TaskId>)]
    task: Option<String>,
    /// Search by id, end of an id, or words of the task's title: at most 200, newest first. Cannot be combined with other
    /// filters.
    find: Option<String>,
    /// Include change sets without open items.
    #[serde(default)]
    all: bool,
}

/// Lists the change sets with open items, newest first. Excludes those of closed and deleted tasks.
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

/// Parses the name of a verdict.
pub(super) fn verdict(name: &str) -> Result<Verdict, Problem> {
    name.parse().map_err(|_| {
        Problem::not_found(format!("`{name}` is not a verdict: use confirm, reject, defer or undo"))
    })
}

/// Decides one item, as identified by the digest that was shown.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/items/{index}/{verdict}",
    operation_id = "decideItem",
    tag = "change sets",
    params(Key),
    request_body = VerdictParams,
    responses(
        (status = 200, description = "The outcome, and what is open afterwards.", body = DecidedItem),
        Decides
    ),
)]
pub(super) async fn decide(
    app: App,
    At((set, index, name)): At<(String, i64, String)>,
    Key(key): Key,
    Body(params): Body<VerdictParams>,
) -> Reply<DecidedItem> {
    let (set, verdict) = (id(&set)?, verdict(&name)?);
    let over = known_value(verdict, params.current, params.now, params.reason.as_deref())?;
    let VerdictParams { digest, reason, .. } = params;
    let wanted = VerdictOf { task: None, set, index, verdict, digest: Some(digest), reason, over };
    Ok(Json(app.dormouse.decide_item_and_list(&app.caller, wanted, key).await?))
}

/// Confirms exactly the listed items, as they were shown.
///
/// Each item has its own outcome; a refusal does not affect the others. Items whose value the user
/// set after the proposal (`value-changed`) and items that remove something (`confirm-alone`) are
/// skipped and must be confirmed individually.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/confirm-all",
    operation_id = "confirmAll",
    tag = "change sets",
    params(Key),
    request_body = ConfirmAllParams,
    responses(
        (status = 200, description = "The outcome of each, in the order of the request.", body = Page<Decided>),
        Writes
    ),
)]
pub(super) async fn confirm_all(
    app: App,
    At(set): At<String>,
    Key(key): Key,
    Body(params): Body<ConfirmAllParams>,
) -> Reply<Page<Decided>> {
    let set_id = id(&set)?;
    let items = params.items.into_iter();
    let items = items.map(|ShownParams { index, digest }| Shown { index, digest }).collect();
    let outcomes = app.dormouse.confirm_all(&app.caller, &set_id, items, key).await?;
    let answers = outcomes.into_iter().map(|(Shown { index, .. }, outcome)| match outcome {
        Ok(outcome) => Decided::Taken { set: set.clone(), index, outcome: Box::new(outcome) },
        Err(error) => Decided::Refused { set: set.clone(), index, problem: error.into() },
    });
    Ok(whole(answers.collect()))
}

/// Defers every open item of a set.
#[utoipa::path(
    post,
    path = "/api/change-sets/{set}/dismiss",
    operation_id = "dismissAll",
    tag = "change sets",
    params(Key),
    responses((status = 200, description = "The outcome of each.", body = Page<Outcome>), Writes),
)]
pub(super) async fn dismiss(app: App, At(set): At<String>, Key(key): Key) -> Reply<Page<Outcome>> {
    Ok(whole(app.dormouse.dismiss(&app.caller, &id(&set)?, key).await?))
}
