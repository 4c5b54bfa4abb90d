//! Agents: their state, what they wrote, their runs and the prompts of these.

use axum::Json;
use axum::extract::State;
use dormouse::view::{Agent, Decision, Message, Page, Prompt, Report, Wake};
use dormouse_types::{AgentId, RunKey, ThreadId};
use serde::Deserialize;
use utoipa::IntoParams;

use super::{Reply, page_size, whole};
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::openapi::{Agents, Writes};
use crate::wire::{AgentPatch, WakeParams};
use crate::{App, Problem};

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Those a person may mean: by an id, its end, a name, or words of the title of the task. It
    /// stands alone.
    find: Option<String>,
    /// Those of this lifecycle: `created`, `active`, `dormant`, `destroyed`.
    lifecycle: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitParams {
    /// At most so many.
    limit: Option<usize>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParams {
    /// Those of this thread.
    #[param(value_type = Option<ThreadId>)]
    thread: Option<String>,
    /// At most so many.
    limit: Option<usize>,
}

/// Lists every agent that ever existed, newest first.
#[utoipa::path(
    get,
    path = "/api/agents",
    operation_id = "listAgents",
    tag = "agents",
    params(ListParams),
    responses((status = 200, description = "The agents.", body = Page<Agent>)),
)]
pub(super) async fn list(
    State(app): State<App>,
    Query(params): Query<ListParams>,
) -> Reply<Page<Agent>> {
    Ok(whole(match params.find {
        Some(find) => app.dormouse.find_agents(&app.caller, &find).await?,
        None => app.dormouse.agents(&app.caller, params.lifecycle).await?,
    }))
}

/// Shows an agent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}",
    operation_id = "getAgent",
    tag = "agents",
    responses((status = 200, description = "The agent.", body = Agent)),
)]
pub(super) async fn show(State(app): State<App>, At(agent): At<String>) -> Reply<Agent> {
    Ok(Json(app.dormouse.agent(&app.caller, &id(&agent)?).await?))
}

/// Sets whether changes wake an agent by themselves.
#[utoipa::path(
    patch,
    path = "/api/agents/{agent}",
    operation_id = "editAgent",
    tag = "agents",
    params(Key),
    request_body = AgentPatch,
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn edit(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
    Body(patch): Body<AgentPatch>,
) -> Reply<Agent> {
    let agent: AgentId = id(&agent)?;
    Ok(Json(app.dormouse.set_automation(&app.caller, &agent, &patch.automation, key).await?))
}

/// Destroys an agent; what it wrote stays.
#[utoipa::path(
    delete,
    path = "/api/agents/{agent}",
    operation_id = "destroyAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Writes),
)]
pub(super) async fn destroy(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.destroy_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Wakes an agent, and says something to it.
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
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
    Body(params): Body<WakeParams>,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.wake_agent(&app.caller, &id(&agent)?, params.message, key).await?))
}

/// Has an agent look at everything afresh.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/reanalyse",
    operation_id = "reanalyseAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn reanalyse(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.reanalyse_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Pauses an agent: changes start no run.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/pause",
    operation_id = "pauseAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn pause(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.pause_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Resumes an agent; what it missed is seen.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/resume",
    operation_id = "resumeAgent",
    tag = "agents",
    params(Key),
    responses((status = 200, description = "The agent.", body = Agent), Agents),
)]
pub(super) async fn resume(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.resume_agent(&app.caller, &id(&agent)?, key).await?))
}

/// Shows the report of an agent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/report",
    operation_id = "getReport",
    tag = "agents",
    responses((status = 200, description = "Its latest report.", body = Report)),
)]
pub(super) async fn report(State(app): State<App>, At(agent): At<String>) -> Reply<Report> {
    let agent: AgentId = id(&agent)?;
    match app.dormouse.report(&app.caller, &agent).await? {
        Some(report) => Ok(Json(report)),
        None => Err(Problem::not_found(format!(
            "agent {agent} has no report yet: it writes one when it wakes"
        ))),
    }
}

/// Lists the reports of an agent, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/reports",
    operation_id = "listReports",
    tag = "agents",
    params(LimitParams),
    responses((status = 200, description = "Its reports.", body = Page<Report>)),
)]
pub(super) async fn reports(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Report>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.reports(&app.caller, &id(&agent)?, limit).await?))
}

/// Lists the messages of an agent, oldest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/messages",
    operation_id = "listMessages",
    tag = "agents",
    params(MessageParams),
    responses((status = 200, description = "Its messages.", body = Page<Message>)),
)]
pub(super) async fn messages(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<MessageParams>,
) -> Reply<Page<Message>> {
    let (limit, agent) = (page_size(params.limit)?, id(&agent)?);
    let thread = match params.thread {
        Some(thread) => Some(id(&thread)?),
        None => None,
    };
    Ok(whole(app.dormouse.messages(&app.caller, &agent, thread, limit).await?))
}

/// Lists the decisions about an agent's proposals, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/decisions",
    operation_id = "listAgentDecisions",
    tag = "agents",
    params(LimitParams),
    responses((status = 200, description = "The decisions.", body = Page<Decision>)),
)]
pub(super) async fn decisions(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Decision>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.decisions(&app.caller, &id(&agent)?, limit).await?))
}

/// Lists the runs of an agent, newest first; one that waits stands on top.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes",
    operation_id = "listWakes",
    tag = "agents",
    params(LimitParams),
    responses((status = 200, description = "Its runs.", body = Page<Wake>)),
)]
pub(super) async fn wakes(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Wake>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.wakes(&app.caller, &id(&agent)?, limit).await?))
}

/// Shows a run.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}",
    operation_id = "getWake",
    tag = "agents",
    responses((status = 200, description = "The run.", body = Wake)),
)]
pub(super) async fn run(
    State(app): State<App>,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<Wake> {
    Ok(Json(app.dormouse.wake(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

/// Shows the prompts of a run as they were sent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}/prompt",
    operation_id = "getPrompts",
    tag = "agents",
    responses((status = 200, description = "One prompt for each turn.", body = Page<Prompt>)),
)]
pub(super) async fn prompt(
    State(app): State<App>,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<Page<Prompt>> {
    Ok(whole(app.dormouse.prompts(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}
