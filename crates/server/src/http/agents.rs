//! Agents: list, show, configure, wake, pause, destroy.

use axum::Json;
use dormouse::AgentFilter;
use dormouse::view::{Agent, Page, Report, StoppedAgent};
use dormouse::wake_preview::WakePreview;
use dormouse_types::AgentId;
use dormouse_types::agent::{AgentActivity, Lifecycle};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{Reply, page_size};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Body, Key, Listing, Lists, Many, id};
use crate::problem_groups::{AgentEdits, Agents, Writes};
use crate::wire::{AgentPatch, PreviewParams, Reading, WakeParams, Wanted};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Search by id, end of an id, name, or words of the task's title. Cannot be combined with
    /// other filters.
    find: Option<String>,
    /// Only agents in this lifecycle.
    #[param(value_type = Option<Lifecycle>)]
    lifecycle: Option<String>,
    /// Only agents that are `asleep`, `queued` (they wake within about a minute) or `running`.
    #[serde(default)]
    #[param(value_type = Option<Vec<AgentActivity>>)]
    activity: Many,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

impl Lists for ListParams {
    const LISTS: &'static [&'static str] = &["activity"];
}

/// Lists all agents, including destroyed ones, newest first.
///
/// `activity` may be repeated, or hold several values separated by commas; any of them matches.
#[utoipa::path(
    get,
    path = "/api/agents",
    operation_id = "listAgents",
    tag = "agents",
    params(ListParams),
    responses((status = 200, description = "A page of agents.", body = Page<Agent>)),
)]
pub(super) async fn list(app: App, Listing(params): Listing<ListParams>) -> Reply<Page<Agent>> {
    let limit = page_size(params.limit)?;
    if let Some(find) = params.find {
        let cursor = params.cursor.as_deref();
        return Ok(Json(app.dormouse.find_agents(&app.caller, &find, limit, cursor).await?));
    }
    let mut reading = Reading::default();
    let lifecycle = reading.parse("?lifecycle", params.lifecycle);
    let activities = params.activity.0.into_iter();
    let activities = activities.filter_map(|it| reading.parse("?activity", Some(it))).collect();
    let filter = reading.finish(AgentFilter { lifecycle, activities })?;
    let cursor = params.cursor.as_deref();
    Ok(Json(app.dormouse.agents(&app.caller, &filter, limit, cursor).await?))
}

/// Shows an agent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}",
    operation_id = "getAgent",
    tag = "agents",
    responses((status = 200, description = "The agent.", body = Agent)),
)]
pub(super) async fn show(app: App, At(agent): At<String>) -> Reply<Agent> {
    Ok(Json(app.dormouse.agent(&app.caller, &id(&agent)?).await?))
}

/// Changes the settings of an agent: when it wakes, the model it asks, the template it follows.
#[utoipa::path(
    patch,
    path = "/api/agents/{agent}",
    operation_id = "editAgent",
    tag = "agents",
    params(Key),
    request_body = AgentPatch,
    responses((status = 200, description = "The agent.", body = Agent), AgentEdits),
)]
pub(super) async fn edit(
    app: App,
    At(agent): At<String>,
    Key(key): Key,
    Body(patch): Body<AgentPatch>,
) -> Reply<Agent> {
    let agent: AgentId = id(&agent)?;
    Ok(Json(app.dormouse.edit_agent(&app.caller, &agent, patch.read()?, key).await?))
}

/// Destroys an agent; its reports and messages are kept.
///
/// `unheard` lists the messages that were not delivered to a completed run.
#[utoipa::path(
    delete,
    path = "/api/agents/{agent}",
    operation_id = "destroyAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = StoppedAgent), Writes),
)]
pub(super) async fn destroy(app: App, At(agent): At<String>, Key(key): Key) -> Reply<StoppedAgent> {
    Ok(Json(app.dormouse.destroy_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Wakes an agent, optionally with a message; `at` schedules the wake.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/wake",
    operation_id = "wakeAgent",
    tag = "agents",
    params(Key),
    request_body = WakeParams,
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn wake(
    app: App,
    At(agent): At<String>,
    Key(key): Key,
    Body(params): Body<WakeParams>,
) -> Reply<Agent> {
    let agent: AgentId = id(&agent)?;
    Ok(Json(match params.read()? {
        Wanted::Now(message) => app.dormouse.wake_agent(&app.caller, &agent, message, key).await?,
        Wanted::At(at) => app.dormouse.wake_agent_at(&app.caller, &agent, at, key).await?,
    }))
}

/// Shows what a wake would send now, byte for byte, without waking the agent.
///
/// A wake on the same state sends the same body. Nothing is written or sent.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/wake/preview",
    operation_id = "previewWake",
    tag = "agents",
    request_body = PreviewParams,
    responses((status = 200, description = "What would be sent.", body = WakePreview), Agents),
)]
pub(super) async fn preview(
    app: App,
    At(agent): At<String>,
    Body(params): Body<PreviewParams>,
) -> Reply<WakePreview> {
    let (message, model) = (params.message.as_deref(), params.model.as_deref());
    let agent: AgentId = id(&agent)?;
    Ok(Json(app.dormouse.preview_wake(&app.caller, &agent, message, model).await?))
}

/// Cancels the waiting wake; the next wake covers the changes.
///
/// `unheard` lists the messages that were cancelled with the wake; no later wake delivers them.
#[utoipa::path(
    delete,
    path = "/api/agents/{agent}/wake",
    operation_id = "cancelWake",
    tag = "agents",
    responses((status = 200, description = "The agent.", body = StoppedAgent), Agents),
)]
pub(super) async fn cancel(app: App, At(agent): At<String>) -> Reply<StoppedAgent> {
    Ok(Json(app.dormouse.cancel_wake(&app.caller, &id(&agent)?).await?))
}

/// Has an agent reanalyse its task from scratch.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/reanalyse",
    operation_id = "reanalyseAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn reanalyse(app: App, At(agent): At<String>, Key(key): Key) -> Reply<Agent> {
    Ok(Json(app.dormouse.reanalyse_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Pauses an agent: changes do not wake it.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/pause",
    operation_id = "pauseAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn pause(app: App, At(agent): At<String>, Key(key): Key) -> Reply<Agent> {
    Ok(Json(app.dormouse.pause_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Resumes an agent; it catches up on what it missed.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/resume",
    operation_id = "resumeAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn resume(app: App, At(agent): At<String>, Key(key): Key) -> Reply<Agent> {
    Ok(Json(app.dormouse.resume_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Shows the latest report of an agent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/report",
    operation_id = "getReport",
    tag = "agents",
    responses((status = 200, description = "Its latest report.", body = Report)),
)]
pub(super) async fn report(app: App, At(agent): At<String>) -> Reply<Report> {
    let agent: AgentId = id(&agent)?;
    match app.dormouse.report(&app.caller, &agent).await? {
        Some(report) => Ok(Json(report)),
        None => Err(Problem::not_found(format!(
            "agent {agent} has no report yet: it writes one when it wakes"
        ))),
    }
}
