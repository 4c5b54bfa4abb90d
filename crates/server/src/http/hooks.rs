//! Hooks of agent work, and the address that programs outside call.

use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use dormouse::Dormouse;
use dormouse::view::{CreatedWorkHook, Page, ReceivedCall, WorkHook};
use dormouse::work_hooks::{HookHeaders, IncomingCall};
use dormouse_types::limits::HOOK_BODY;

use super::reply::Reply;
use crate::Problem;
use crate::app::App;
use crate::auth::address;
use crate::extract::{At, Json as Sent, collect, id};
use crate::problem_groups::{Hooks, NewHooks, Writes};
use crate::wire::{HookParams, HookRotationParams};

/// Lists the hooks of agent work, with their newest calls and what was refused.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/hooks",
    operation_id = "listWorkHooks",
    tag = "agent work",
    responses((status = 200, description = "All hooks of the work.", body = Page<WorkHook>)),
)]
pub(super) async fn list(app: App, At(work): At<String>) -> Reply<Page<WorkHook>> {
    Ok(Json(app.dormouse.work_hooks(&app.caller, &id(&work)?).await?))
}

/// Makes a hook. Its secret is in this answer, and in no other.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/hooks",
    operation_id = "addWorkHook",
    tag = "agent work",
    request_body = HookParams,
    responses(
        (status = 201, description = "The hook with its secret.", body = CreatedWorkHook),
        NewHooks
    ),
)]
pub(super) async fn add(
    app: App,
    At(work): At<String>,
    Sent(params): Sent<HookParams>,
) -> Result<Response, Problem> {
    let made = app.dormouse.add_work_hook(&app.caller, &id(&work)?, params.read()?).await?;
    Ok((StatusCode::CREATED, Json(made)).into_response())
}

/// Gives a hook a new secret, which is in this answer and in no other.
///
/// Older ones are accepted for another day, unless they end now.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/hooks/{hook}/rotate",
    operation_id = "rotateWorkHook",
    tag = "agent work",
    request_body = HookRotationParams,
    responses(
        (status = 200, description = "The hook with its new secret.", body = CreatedWorkHook),
        NewHooks
    ),
)]
pub(super) async fn rotate(
    app: App,
    At((work, hook)): At<(String, String)>,
    Sent(params): Sent<HookRotationParams>,
) -> Reply<CreatedWorkHook> {
    let (work, hook, old) = (id(&work)?, id(&hook)?, params.old());
    let given = params.secret.as_deref();
    Ok(Json(app.dormouse.rotate_work_hook(&app.caller, &work, &hook, given, old).await?))
}

/// Removes a hook: its address starts nothing any more. What it started stays.
#[utoipa::path(
    delete,
    path = "/api/tasks/{work}/hooks/{hook}",
    operation_id = "removeWorkHook",
    tag = "agent work",
    responses((status = 200, description = "The hook as it was.", body = WorkHook), Writes),
)]
pub(super) async fn remove(app: App, At((work, hook)): At<(String, String)>) -> Reply<WorkHook> {
    Ok(Json(app.dormouse.remove_work_hook(&app.caller, &id(&work)?, &id(&hook)?).await?))
}

/// Starts a run of the agent work of a hook, or answers with the run that the same call started.
///
/// No token is needed: the call is signed with a secret of the hook. In the form `standard` its headers
/// are `webhook-id`, `webhook-timestamp` and `webhook-signature`, as Standard Webhooks says; in the form
/// `gitHost` they are `x-hub-signature-256` and `x-github-delivery` or `x-gitea-delivery`. The body is any
/// text in UTF-8.
#[utoipa::path(
    post,
    path = "/api/hooks/{hook}",
    operation_id = "callHook",
    tag = "agent work",
    request_body(description = "What is sent to the run.", content((Value = "application/json"))),
    responses(
        (status = 200, description = "The run; `isRepeated` if this call started it before.", body = ReceivedCall),
        Hooks
    ),
)]
pub(super) async fn call(
    State(dormouse): State<Dormouse>,
    At(hook): At<String>,
    request: Request,
) -> Reply<ReceivedCall> {
    let sender = address(&request).to_string();
    let (head, body) = request.into_parts();
    let headers =
        HookHeaders::read(|name| head.headers.get(name).and_then(|value| value.to_str().ok()));
    let body = collect(body, HOOK_BODY).await?.to_vec();
    Ok(Json(dormouse.receive_call(&IncomingCall { hook, headers, body, sender }).await?))
}
