//! An agent's history: reports, messages, tool calls, decisions, runs and their prompts, and its
//! upcoming wakes.

use axum::Json;
use dormouse::MessageFilter;
use dormouse::view::{
    AgentState, Checkpoint, Decision, KnowledgeLine, Link, MemoryHit, MemoryLine, Message, Page,
    Prompt, Report, RunOutcome, Subscription, TaskAtWake, Timer, ToolCall, Wake,
};
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::memory::Removal;
use dormouse_types::{RunKey, ThreadId};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::{PageParams, Reply, page_size, whole};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Query, id};
use crate::problem_groups::{Cancels, Forgets};
use crate::wire::Reading;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct MessageParams {
    /// Only those of this thread.
    #[param(value_type = Option<ThreadId>)]
    thread: Option<String>,
    /// Start with the newest and return a `nextCursor` even on the last page; messages written
    /// later follow it.
    #[serde(default)]
    follow: bool,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct CallParams {
    /// Only those of this thread.
    #[param(value_type = Option<ThreadId>)]
    thread: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct LinkParams {
    /// Only those of this type, such as `tool_effect`.
    #[serde(rename = "type")]
    #[param(value_type = Option<AgentLinkKind>)]
    kind: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct SearchParams {
    /// The words to look for, at most 200 characters.
    q: String,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct KnowledgeParams {
    /// The key of a run: what the agent knew when it had ended.
    at: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists the reports of an agent, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/reports",
    operation_id = "listReports",
    tag = "agents",
    params(PageParams),
    responses((status = 200, description = "Its reports.", body = Page<Report>)),
)]
pub(super) async fn reports(
    app: App,
    At(agent): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<Report>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.reports_page(&app.caller, &agent, limit, cursor).await?))
}

/// Lists the messages of an agent with their content, oldest first.
///
/// A thread is one run, or the user's decisions. Messages of one thread are grouped on a page.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/messages",
    operation_id = "listMessages",
    tag = "agents",
    params(MessageParams),
    responses((status = 200, description = "A page of its messages.", body = Page<Message>)),
)]
pub(super) async fn messages(
    app: App,
    At(agent): At<String>,
    Query(params): Query<MessageParams>,
) -> Reply<Page<Message>> {
    let filter = MessageFilter {
        limit: page_size(params.limit)?,
        thread: thread(params.thread)?,
        cursor: params.cursor,
        follow: params.follow,
    };
    Ok(Json(app.dormouse.messages_page(&app.caller, &id(&agent)?, filter).await?))
}

/// Lists tool calls with their results, oldest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/tool-calls",
    operation_id = "listToolCalls",
    tag = "agents",
    params(CallParams),
    responses((status = 200, description = "A page of its calls.", body = Page<ToolCall>)),
)]
pub(super) async fn tool_calls(
    app: App,
    At(agent): At<String>,
    Query(params): Query<CallParams>,
) -> Reply<Page<ToolCall>> {
    let (limit, agent) = (page_size(params.limit)?, id(&agent)?);
    let (thread, cursor) = (thread(params.thread)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.tool_calls(&app.caller, &agent, thread, limit, cursor).await?))
}

/// Parses a thread id. A malformed id is reported as not found.
fn thread(text: Option<String>) -> Result<Option<ThreadId>, Problem> {
    text.as_deref().map(id).transpose()
}

/// Lists what an agent remembers, line by line, newest first.
///
/// A line is a change that a completed run saw, or a note that it made. Lines never change; older ones
/// are folded into checkpoints, which language models read in their place.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/memory",
    operation_id = "listMemory",
    tag = "agents",
    params(PageParams),
    responses((status = 200, description = "A page of its log.", body = Page<MemoryLine>)),
)]
pub(super) async fn memory(
    app: App,
    At(agent): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<MemoryLine>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.memory(&app.caller, &agent, limit, cursor).await?))
}

/// Searches what an agent remembers, newest first.
///
/// A result has all the words, each from its beginning; case and accents make no difference. Lines that
/// are not folded come first, then folded ones and the summaries of checkpoints. A page may have fewer
/// results than `limit` and still a `nextCursor`.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/memory/search",
    operation_id = "searchMemory",
    tag = "agents",
    params(SearchParams),
    responses((status = 200, description = "A page of results.", body = Page<MemoryHit>)),
)]
pub(super) async fn search_memory(
    app: App,
    At(agent): At<String>,
    Query(params): Query<SearchParams>,
) -> Reply<Page<MemoryHit>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.search_memory(&app.caller, &agent, &params.q, limit, cursor).await?))
}

/// Lists what an agent knows: all that its next prompt says of its memory, each line with its source.
///
/// First the summary of older lines, then the decisions that prompts repeat, then the lines of its log,
/// newest first. Lines that the summary stands for are marked as folded. Lines that were removed are
/// left out.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/knowledge",
    operation_id = "listKnowledge",
    tag = "agents",
    params(KnowledgeParams),
    responses((status = 200, description = "A page of what it knows.", body = Page<KnowledgeLine>)),
)]
pub(super) async fn knowledge(
    app: App,
    At(agent): At<String>,
    Query(params): Query<KnowledgeParams>,
) -> Reply<Page<KnowledgeLine>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(match params.at {
        Some(key) => {
            let key = RunKey(key);
            app.dormouse.knowledge_at(&app.caller, &agent, &key, limit, cursor).await?
        }
        None => app.dormouse.knowledge(&app.caller, &agent, limit, cursor).await?,
    }))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct RemovalParams {
    /// Whether the entry that the line was made of is removed from its task as well.
    #[serde(default)]
    with_entry: bool,
}

/// Says what the removal of a line would take away.
///
/// Also how many wakes could then no longer be shown as they were. Nothing is changed.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/knowledge/{line}/removal",
    operation_id = "previewRemoval",
    tag = "agents",
    params(RemovalParams),
    responses((status = 200, description = "What it would take.", body = Removal)),
)]
pub(super) async fn removal(
    app: App,
    At((agent, line)): At<(String, String)>,
    Query(params): Query<RemovalParams>,
) -> Reply<Removal> {
    let agent = id(&agent)?;
    Ok(Json(app.dormouse.removal(&app.caller, &agent, &line, params.with_entry).await?))
}

/// The most removals that are listed: the newest ones.
const REMOVALS: u32 = 50;

/// Lists what was removed from the memory of an agent, newest first.
///
/// It says when, how much and what is left to be done, and has none of the words.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/removals",
    operation_id = "listRemovals",
    tag = "agents",
    responses((status = 200, description = "The newest 50.", body = Page<Removal>)),
)]
pub(super) async fn removals(app: App, At(agent): At<String>) -> Reply<Page<Removal>> {
    Ok(whole(app.dormouse.removals(&app.caller, &id(&agent)?, REMOVALS).await?))
}

/// Removes a line from what an agent knows, and its words from both databases.
///
/// It cannot be undone. Texts that have the words keep the rest; summaries that fold the line are
/// removed and made again by the next wake; requests with the words no longer have their digest, which
/// their wakes say. No agent is shown the entry again that the line was made of. It is refused while an
/// agent is at work that may be reading the words. To remove a line twice changes nothing.
#[utoipa::path(
    delete,
    path = "/api/agents/{agent}/knowledge/{line}",
    operation_id = "removeLine",
    tag = "agents",
    params(RemovalParams),
    responses((status = 200, description = "What it took.", body = Removal), Forgets),
)]
pub(super) async fn remove_line(
    app: App,
    At((agent, line)): At<(String, String)>,
    Query(params): Query<RemovalParams>,
) -> Reply<Removal> {
    let agent = id(&agent)?;
    Ok(Json(app.dormouse.remove_line(&app.caller, &agent, &line, params.with_entry).await?))
}

/// Lists what older lines of an agent's log were folded into, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/checkpoints",
    operation_id = "listCheckpoints",
    tag = "agents",
    responses((status = 200, description = "The newest 50.", body = Page<Checkpoint>)),
)]
pub(super) async fn checkpoints(app: App, At(agent): At<String>) -> Reply<Page<Checkpoint>> {
    Ok(whole(app.dormouse.checkpoints(&app.caller, &id(&agent)?).await?))
}

/// Lists the links from the agent or anything it wrote, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/links",
    operation_id = "listLinks",
    tag = "agents",
    params(LinkParams),
    responses((status = 200, description = "A page of its links.", body = Page<Link>)),
)]
pub(super) async fn links(
    app: App,
    At(agent): At<String>,
    Query(params): Query<LinkParams>,
) -> Reply<Page<Link>> {
    let (limit, agent) = (page_size(params.limit)?, id(&agent)?);
    let mut reading = Reading::default();
    let kind = reading.parse("?type", params.kind);
    let (kind, cursor) = (reading.finish(kind)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.agent_links(&app.caller, &agent, kind, limit, cursor).await?))
}

/// Lists what an agent watches.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/subscriptions",
    operation_id = "listSubscriptions",
    tag = "agents",
    responses((status = 200, description = "Its subscriptions.", body = Page<Subscription>)),
)]
pub(super) async fn subscriptions(app: App, At(agent): At<String>) -> Reply<Page<Subscription>> {
    Ok(whole(app.dormouse.subscriptions(&app.caller, &id(&agent)?).await?))
}

/// Lists an agent's timers, earliest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/timers",
    operation_id = "listTimers",
    tag = "agents",
    responses((status = 200, description = "Its timers.", body = Page<Timer>)),
)]
pub(super) async fn timers(app: App, At(agent): At<String>) -> Reply<Page<Timer>> {
    Ok(whole(app.dormouse.timers(&app.caller, &id(&agent)?).await?))
}

/// Shows the state that determines when an agent runs next.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/state",
    operation_id = "getAgentState",
    tag = "agents",
    responses((status = 200, description = "Its state.", body = AgentState)),
)]
pub(super) async fn state(app: App, At(agent): At<String>) -> Reply<AgentState> {
    Ok(Json(app.dormouse.agent_state(&app.caller, &id(&agent)?).await?))
}

/// Lists the decisions about an agent's proposals, newest first.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/decisions",
    operation_id = "listAgentDecisions",
    tag = "agents",
    params(PageParams),
    responses((status = 200, description = "The decisions.", body = Page<Decision>)),
)]
pub(super) async fn decisions(
    app: App,
    At(agent): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<Decision>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.decisions_page(&app.caller, &agent, limit, cursor).await?))
}

/// Lists the runs of an agent, newest first, starting with the waiting one if there is one.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes",
    operation_id = "listWakes",
    tag = "agents",
    params(PageParams),
    responses((status = 200, description = "Its runs.", body = Page<Wake>)),
)]
pub(super) async fn wakes(
    app: App,
    At(agent): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<Wake>> {
    let limit = page_size(params.limit)?;
    let (agent, cursor) = (id(&agent)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.wakes_page(&app.caller, &agent, limit, cursor).await?))
}

/// Shows a run.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}",
    operation_id = "getWake",
    tag = "agents",
    responses((status = 200, description = "The run.", body = Wake)),
)]
pub(super) async fn run(app: App, At((agent, run_key)): At<(String, String)>) -> Reply<Wake> {
    Ok(Json(app.dormouse.wake(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

/// Cancels a run that is under way, on any node, or that waits to be resumed.
///
/// It ends as failed with the failure `cancelled`, which counts for nothing. What it was to see, messages
/// included, waits for the next wake. To cancel it twice changes nothing.
#[utoipa::path(
    post,
    path = "/api/agents/{agent}/wakes/{runKey}/cancel",
    operation_id = "cancelRun",
    tag = "agents",
    responses((status = 200, description = "The run, which has ended.", body = Wake), Cancels),
)]
pub(super) async fn cancel(app: App, At((agent, run_key)): At<(String, String)>) -> Reply<Wake> {
    Ok(Json(app.dormouse.cancel_run(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

/// Shows what a run led to: its report, its proposals and its observations.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}/outcome",
    operation_id = "getWakeOutcome",
    tag = "agents",
    responses((status = 200, description = "The outcome so far.", body = RunOutcome)),
)]
pub(super) async fn outcome(
    app: App,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<RunOutcome> {
    Ok(Json(app.dormouse.wake_outcome(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

/// Shows the task of an agent as it was at a run.
///
/// The task is as the run found it; the report, the open proposals and the memory are as the run left them.
/// It is made from what is stored: each later change of the task is undone. What was removed from the
/// memory of agents is not there either. It is not found if the journal was replaced by an older copy since.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}/task",
    operation_id = "getTaskAtWake",
    tag = "agents",
    responses((status = 200, description = "The task as it was.", body = TaskAtWake)),
)]
pub(super) async fn task_at(
    app: App,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<TaskAtWake> {
    Ok(Json(app.dormouse.task_at_wake(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}

/// Shows the prompts of a run exactly as they were sent.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/wakes/{runKey}/prompt",
    operation_id = "getPrompts",
    tag = "agents",
    responses((status = 200, description = "One prompt for each turn.", body = Page<Prompt>)),
)]
pub(super) async fn prompt(
    app: App,
    At((agent, run_key)): At<(String, String)>,
) -> Reply<Page<Prompt>> {
    Ok(whole(app.dormouse.prompts(&app.caller, &id(&agent)?, &RunKey(run_key)).await?))
}
