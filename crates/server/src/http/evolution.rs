//! Sessions in which a person and a model evolve a template.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{EvolutionDetail, EvolutionSession, Page, TemplateDetail};

use super::reply::{PageParams, Reply, page_size};
use super::templates::{Tagged, tagged};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Sent, Key, Query, id};
use crate::problem_groups::{EvolutionApprovals, Evolutions, NewEvolutions};
use crate::wire::{ApprovalParams, EvolutionMessageParams, EvolutionParams, RejectionParams};

/// A session that was started.
pub(super) struct Started(EvolutionDetail);

impl IntoResponse for Started {
    fn into_response(self) -> Response {
        let Self(detail) = self;
        let EvolutionSession { id, template_id, .. } = &detail.session;
        let url = format!("/api/templates/{template_id}/evolution/sessions/{id}");
        (StatusCode::CREATED, [(header::LOCATION, url)], Json(detail)).into_response()
    }
}

/// Shows the session of a template that goes on, with everything that was said.
///
/// While `isAnswering`, a run is about to add an answer; the event `evolution:changed` says that it did.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/evolution",
    operation_id = "getEvolution",
    tag = "templates",
    responses((status = 200, description = "The session.", body = EvolutionDetail)),
)]
pub(super) async fn show(app: App, At(template): At<String>) -> Reply<EvolutionDetail> {
    Ok(Json(app.dormouse.evolution(&app.caller, &id(&template)?, None).await?))
}

/// Starts a session about a template. A run answers what you say, or says what it finds by itself.
///
/// A template has one session that goes on: the problem `evolution-active` names it.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution",
    operation_id = "startEvolution",
    tag = "templates",
    params(Key),
    request_body = EvolutionParams,
    responses(
        (status = 201, description = "The session.", body = EvolutionDetail, headers(
            ("Location" = String, description = "The URL of the session.")
        )),
        NewEvolutions
    ),
)]
pub(super) async fn start(
    app: App,
    At(template): At<String>,
    Key(key): Key,
    Sent(params): Sent<EvolutionParams>,
) -> Result<Started, Problem> {
    let (template, message) = (id(&template)?, params.message.as_deref());
    Ok(Started(app.dormouse.start_evolution(&app.caller, &template, message, key).await?))
}

/// Says something in the session of a template. A run answers it.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution/messages",
    operation_id = "sayInEvolution",
    tag = "templates",
    params(Key),
    request_body = EvolutionMessageParams,
    responses(
        (status = 200, description = "The session.", body = EvolutionDetail),
        Evolutions
    ),
)]
pub(super) async fn say(
    app: App,
    At(template): At<String>,
    Key(key): Key,
    Sent(params): Sent<EvolutionMessageParams>,
) -> Reply<EvolutionDetail> {
    let template = id(&template)?;
    Ok(Json(app.dormouse.say_in_evolution(&app.caller, &template, &params.message, key).await?))
}

/// Makes a proposal the active version of the template, and completes the session.
///
/// The version before is archived; model and profile stay. It is refused if another version is active than
/// the proposal was made for.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution/approve",
    operation_id = "approveEvolution",
    tag = "templates",
    params(Key),
    request_body = ApprovalParams,
    responses(
        (status = 200, description = "The template.", body = TemplateDetail, headers(
            ("ETag" = String, description = "The revision of the template.")
        )),
        EvolutionApprovals
    ),
)]
pub(super) async fn approve(
    app: App,
    At(template): At<String>,
    Key(key): Key,
    Sent(params): Sent<ApprovalParams>,
) -> Result<Tagged, Problem> {
    let (template, approval) = (id(&template)?, params.into());
    let approved = app.dormouse.approve_evolution(&app.caller, &template, &approval, key).await?;
    Ok(tagged(approved))
}

/// Turns a proposal down. Nothing about the template changes; the model reads it with its next answer.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution/reject",
    operation_id = "rejectEvolution",
    tag = "templates",
    params(Key),
    request_body = RejectionParams,
    responses(
        (status = 200, description = "The session.", body = EvolutionDetail),
        Evolutions
    ),
)]
pub(super) async fn reject(
    app: App,
    At(template): At<String>,
    Key(key): Key,
    Sent(params): Sent<RejectionParams>,
) -> Reply<EvolutionDetail> {
    let (template, RejectionParams { proposal, reason }) = (id(&template)?, params);
    let rejected = app.dormouse.reject_evolution(&app.caller, &template, proposal, &reason, key);
    Ok(Json(rejected.await?))
}

/// Ends the session of a template without a new version. An answer under way is dropped.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution/abandon",
    operation_id = "abandonEvolution",
    tag = "templates",
    params(Key),
    responses(
        (status = 200, description = "The session.", body = EvolutionDetail),
        Evolutions
    ),
)]
pub(super) async fn abandon(
    app: App,
    At(template): At<String>,
    Key(key): Key,
) -> Reply<EvolutionDetail> {
    let template = id(&template)?;
    Ok(Json(app.dormouse.abandon_evolution(&app.caller, &template, key).await?))
}

/// Ends the answer that is under way or waits. The session goes on.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/evolution/cancel",
    operation_id = "cancelEvolutionAnswer",
    tag = "templates",
    params(Key),
    responses(
        (status = 200, description = "The session.", body = EvolutionDetail),
        Evolutions
    ),
)]
pub(super) async fn cancel(
    app: App,
    At(template): At<String>,
    Key(key): Key,
) -> Reply<EvolutionDetail> {
    let template = id(&template)?;
    Ok(Json(app.dormouse.cancel_evolution_answer(&app.caller, &template, key).await?))
}

/// Lists the sessions of a template, newest first.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/evolution/sessions",
    operation_id = "listEvolutions",
    tag = "templates",
    params(PageParams),
    responses((status = 200, description = "A page of sessions.", body = Page<EvolutionSession>)),
)]
pub(super) async fn sessions(
    app: App,
    At(template): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<EvolutionSession>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let template = id(&template)?;
    Ok(Json(app.dormouse.evolution_sessions(&app.caller, &template, limit, cursor).await?))
}

/// Shows a session of a template with everything that was said.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/evolution/sessions/{session}",
    operation_id = "getEvolutionSession",
    tag = "templates",
    responses((status = 200, description = "The session.", body = EvolutionDetail)),
)]
pub(super) async fn session(
    app: App,
    At((template, session)): At<(String, String)>,
) -> Reply<EvolutionDetail> {
    let (template, session) = (id(&template)?, id(&session)?);
    Ok(Json(app.dormouse.evolution(&app.caller, &template, Some(&session)).await?))
}
