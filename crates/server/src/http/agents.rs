//! Agents: their state, what they wrote, their runs and the prompts of these.

use axum::Json;
use axum::extract::State;
use dormouse::view::{Agent, Decision, Message, Page, Prompt, Report, Wake};
use dormouse_types::{AgentId, RunKey};
use serde::Deserialize;

use super::{Reply, page_size, whole};
use crate::extract::{At, Json as Body, Key, Query, id};
use crate::wire::{AgentPatch, WakeParams};
use crate::{App, Problem};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    find: Option<String>,
    lifecycle: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct LimitParams {
    limit: Option<usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParams {
    thread: Option<String>,
    limit: Option<usize>,
}

pub(super) async fn list(
    State(app): State<App>,
    Query(params): Query<ListParams>,
) -> Reply<Page<Agent>> {
    Ok(whole(match params.find {
        Some(find) => app.dormouse.find_agents(&app.caller, &find).await?,
        None => app.dormouse.agents(&app.caller, params.lifecycle).await?,
    }))
}

pub(super) async fn show(State(app): State<App>, At(agent): At<String>) -> Reply<Agent> {
    Ok(Json(app.dormouse.agent(&app.caller, &id(&agent)?).await?))
}

pub(super) async fn edit(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
    Body(patch): Body<AgentPatch>,
) -> Reply<Agent> {
    let agent: AgentId = id(&agent)?;
    Ok(Json(app.dormouse.set_automation(&app.caller, &agent, &patch.automation, key).await?))
}

pub(super) async fn destroy(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.destroy_agent(&app.caller, &id(&agent)?, key).await?))
}

pub(super) async fn wake(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
    Body(params): Body<WakeParams>,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.wake_agent(&app.caller, &id(&agent)?, params.message, key).await?))
}

pub(super) async fn reanalyse(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.reanalyse_agent(&app.caller, &id(&agent)?, key).await?))
}

pub(super) async fn pause(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.pause_agent(&app.caller, &id(&agent)?, key).await?))
}

pub(super) async fn resume(
    State(app): State<App>,
    At(agent): At<String>,
    Key(key): Key,
) -> Reply<Agent> {
    Ok(Json(app.dormouse.resume_agent(&app.caller, &id(&agent)?, key).await?))
}

pub(super) async fn report(State(app): State<App>, At(agent): At<String>) -> Reply<Report> {
    let agent: AgentId = id(&agent)?;
    match app.dormouse.report(&app.caller, &agent).await? {
        Some(report) => Ok(Json(report)),
        None => Err(Problem::not_found(format!(
            "agent {agent} has no report yet: it writes one when it wakes"
        ))),
    }
}

pub(super) async fn reports(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Report>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.reports(&app.caller, &id(&agent)?, limit).await?))
}

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

pub(super) async fn decisions(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Decision>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.decisions(&app.caller, &id(&agent)?, limit).await?))
}

pub(super) async fn wakes(
    State(app): State<App>,
    At(agent): At<String>,
    Query(params): Query<LimitParams>,
) -> Reply<Page<Wake>> {
    let limit = page_size(params.limit)?;
    Ok(whole(app.dormouse.wakes(&app.caller, &id(&agent)?, limit).await?))
}

pub(super) async fn run(
    State(app): State<App>,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<Wake> {
    Ok(Json(app.dormouse.wake(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

pub(super) async fn prompt(
    State(app): State<App>,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<Page<Prompt>> {
    Ok(whole(app.dormouse.prompts(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}
