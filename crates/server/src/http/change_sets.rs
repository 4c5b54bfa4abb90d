//! Change sets and the person's verdicts on their items.

use axum::Json;
use axum::extract::State;
use dormouse::Verdict;
use dormouse::view::{ChangeSet, Outcome, Page};
use serde::Deserialize;

use super::{Reply, whole};
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::wire::VerdictParams;
use crate::{App, Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    task: Option<String>,
    find: Option<String>,
    #[serde(default)]
    all: bool,
}

pub(super) async fn list(
    State(app): State<App>,
    Query(params): Query<ListParams>,
) -> Reply<Page<ChangeSet>> {
    if let Some(find) = params.find {
        return Ok(whole(app.dormouse.find_sets(&app.caller, &find).await?));
    }
    let task = match params.task {
        Some(task) => Some(id(&task)?),
        None => None,
    };
    Ok(whole(app.dormouse.change_sets(&app.caller, task, params.all).await?))
}

pub(super) async fn show(State(app): State<App>, At(set): At<String>) -> Reply<ChangeSet> {
    Ok(Json(app.dormouse.change_set(&app.caller, &id(&set)?).await?))
}

/// Reads a verdict by its name.
pub(super) fn verdict(name: &str) -> Result<Verdict, Problem> {
    match name {
        "confirm" => Ok(Verdict::Confirm),
        "reject" => Ok(Verdict::Reject),
        "defer" => Ok(Verdict::Defer),
        "undo" => Ok(Verdict::Undo),
        other => Err(Problem::not_found(format!(
            "`{other}` is no verdict: use confirm, reject, defer or undo"
        ))),
    }
}

pub(super) async fn decide(
    State(app): State<App>,
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

pub(super) async fn confirm_all(
    State(app): State<App>,
    At(set): At<String>,
    Key(key): Key,
) -> Reply<Page<Outcome>> {
    Ok(whole(app.dormouse.confirm_all(&app.caller, &id(&set)?, key).await?))
}

pub(super) async fn dismiss(
    State(app): State<App>,
    At(set): At<String>,
    Key(key): Key,
) -> Reply<Page<Outcome>> {
    Ok(whole(app.dormouse.dismiss(&app.caller, &id(&set)?, key).await?))
}
