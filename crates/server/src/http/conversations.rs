//! Conversations: their list, their turns, and the agent work they are about.

use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use dormouse::view::{AgentWork, Conversation, Page, Turn};

use super::reply::{PageParams, Reply, page_size};
use super::transcript::{as_file, wants_lines};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Sent, Key, Query, id};
use crate::problem_groups::Writes;
use crate::wire::{ConversationParams, TurnParams};

/// Lists conversations, the one with the newest turn first.
#[utoipa::path(
    get,
    path = "/api/conversations",
    operation_id = "listConversations",
    tag = "conversations",
    params(PageParams),
    responses((status = 200, description = "A page of conversations.", body = Page<Conversation>)),
)]
pub(super) async fn list(app: App, Query(params): Query<PageParams>) -> Reply<Page<Conversation>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    Ok(Json(app.dormouse.conversations(&app.caller, limit, cursor).await?))
}

/// Begins a conversation.
#[utoipa::path(
    post,
    path = "/api/conversations",
    operation_id = "beginConversation",
    tag = "conversations",
    params(Key),
    request_body = ConversationParams,
    responses(
        (status = 201, description = "The new conversation.", body = Conversation, headers(
            ("Location" = String, description = "The URL of the conversation.")
        )),
        Writes
    ),
)]
pub(super) async fn begin(
    app: App,
    Key(key): Key,
    Sent(params): Sent<ConversationParams>,
) -> Result<Response, Problem> {
    let begun = app.dormouse.begin_conversation(&app.caller, &params.title, key).await?;
    let location = (header::LOCATION, format!("/api/conversations/{}", begun.id));
    Ok((StatusCode::CREATED, [location], Json(begun)).into_response())
}

/// Shows a conversation, without its turns.
#[utoipa::path(
    get,
    path = "/api/conversations/{conversation}",
    operation_id = "getConversation",
    tag = "conversations",
    responses((status = 200, description = "The conversation.", body = Conversation)),
)]
pub(super) async fn show(app: App, At(conversation): At<String>) -> Reply<Conversation> {
    Ok(Json(app.dormouse.conversation(&app.caller, &id(&conversation)?).await?))
}

/// Deletes a conversation with its turns.
///
/// Agent work that was begun there stays, and reports in a conversation of its own from now on.
#[utoipa::path(
    delete,
    path = "/api/conversations/{conversation}",
    operation_id = "deleteConversation",
    tag = "conversations",
    params(Key),
    responses(
        (status = 200, description = "The conversation as it was.", body = Conversation),
        Writes
    ),
)]
pub(super) async fn delete(
    app: App,
    At(conversation): At<String>,
    Key(key): Key,
) -> Reply<Conversation> {
    Ok(Json(app.dormouse.delete_conversation(&app.caller, &id(&conversation)?, key).await?))
}

/// Lists the turns of a conversation, newest first.
///
/// With `Accept: application/jsonl` it is the file that `/api/conversations/{conversation}/turns.jsonl`
/// answers. A turn is the same on a page and in the file.
#[utoipa::path(
    get,
    path = "/api/conversations/{conversation}/turns",
    operation_id = "listTurns",
    tag = "conversations",
    params(PageParams),
    responses((status = 200, description = "A page of turns.", content(
        (Page<Turn> = "application/json"),
        (Value = "application/jsonl")
    ))),
)]
pub(super) async fn turns(
    app: App,
    at: At<String>,
    Query(params): Query<PageParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if wants_lines(&headers) {
        return file(app, at).await;
    }
    let At(conversation) = at;
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let conversation = id(&conversation)?;
    let page = app.dormouse.conversation_turns(&app.caller, &conversation, limit, cursor).await?;
    Ok(Json(page).into_response())
}

/// Gives a conversation as a file, one JSON object a line, oldest turn first.
///
/// The first line names the conversation. The lines are those of the logs of agent work.
#[utoipa::path(
    get,
    path = "/api/conversations/{conversation}/turns.jsonl",
    operation_id = "getConversationFile",
    tag = "conversations",
    responses((
        status = 200,
        description = "The conversation.",
        content((Value = "application/jsonl")),
    )),
)]
pub(super) async fn file(app: App, At(conversation): At<String>) -> Result<Response, Problem> {
    let file = app.dormouse.conversation_file(&app.caller, &id(&conversation)?).await?;
    as_file(file, None).await
}

/// Adds a turn of the person. Nothing answers it.
#[utoipa::path(
    post,
    path = "/api/conversations/{conversation}/turns",
    operation_id = "addTurn",
    tag = "conversations",
    params(Key),
    request_body = TurnParams,
    responses((status = 200, description = "The conversation.", body = Conversation), Writes),
)]
pub(super) async fn add_turn(
    app: App,
    At(conversation): At<String>,
    Key(key): Key,
    Sent(params): Sent<TurnParams>,
) -> Reply<Conversation> {
    let (conversation, turn) = (id(&conversation)?, params.read()?);
    Ok(Json(app.dormouse.add_turn(&app.caller, &conversation, turn, key).await?))
}

/// Lists the agent work that a conversation is about, newest first.
#[utoipa::path(
    get,
    path = "/api/conversations/{conversation}/tasks",
    operation_id = "listWorkOfConversation",
    tag = "conversations",
    params(PageParams),
    responses((status = 200, description = "A page of agent work.", body = Page<AgentWork>)),
)]
pub(super) async fn work(
    app: App,
    At(conversation): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<AgentWork>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let conversation = id(&conversation)?;
    Ok(Json(app.dormouse.work_of_conversation(&app.caller, &conversation, limit, cursor).await?))
}

/// Lists the conversations that are about agent work, newest first.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/conversations",
    operation_id = "listConversationsOfWork",
    tag = "conversations",
    params(PageParams),
    responses((status = 200, description = "A page of conversations.", body = Page<Conversation>)),
)]
pub(super) async fn of_work(
    app: App,
    At(work): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<Conversation>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let work = id(&work)?;
    Ok(Json(app.dormouse.conversations_of_work(&app.caller, &work, limit, cursor).await?))
}

/// Opens the conversation of agent work: the one in which it was begun.
///
/// If it was begun elsewhere, or that conversation was deleted, it is one that is bound to the work, which
/// is begun if need be.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/conversation",
    operation_id = "openConversation",
    tag = "conversations",
    responses((status = 200, description = "The conversation.", body = Conversation), Writes),
)]
pub(super) async fn open(app: App, At(work): At<String>) -> Reply<Conversation> {
    Ok(Json(app.dormouse.open_conversation(&app.caller, &id(&work)?).await?))
}
