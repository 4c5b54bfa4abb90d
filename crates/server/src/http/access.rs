//! Access: the caller, exchange of one-time codes, tickets, tokens.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use dormouse::Dormouse;
use dormouse::view::{Access, Code, CreatedToken, Exchanged, Page, Ticket, Token};

use super::reply::{Reply, whole};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Body, id};
use crate::problem_groups::{Codes, Tickets, Writes};
use crate::wire::{CodeParams, TokenParams};

/// Shows the caller, their scopes and the version of the server.
#[utoipa::path(
    get,
    path = "/api/access",
    operation_id = "getAccess",
    tag = "access",
    responses((status = 200, description = "The caller and the server.", body = Access)),
)]
pub(super) async fn show(app: App) -> Reply<Access> {
    Ok(Json(app.dormouse.access(&app.caller).await?))
}

/// Exchanges a one-time code for the token of a page.
#[utoipa::path(
    post,
    path = "/api/access/exchange",
    operation_id = "exchangeCode",
    tag = "access",
    request_body = CodeParams,
    responses((status = 200, description = "The token, shown only once.", body = Exchanged), Codes),
)]
pub(super) async fn exchange(
    State(dormouse): State<Dormouse>,
    Body(params): Body<CodeParams>,
) -> Reply<Exchanged> {
    Ok(Json(dormouse.exchange(&params.code).await?))
}

/// Creates a one-time code for a page, which gets the caller's rights.
#[utoipa::path(
    post,
    path = "/api/access/codes",
    operation_id = "createCode",
    tag = "access",
    responses((status = 201, description = "The code, shown only once.", body = Code), Writes),
)]
pub(super) async fn create_code(app: App) -> Result<(StatusCode, Json<Code>), Problem> {
    Ok((StatusCode::CREATED, Json(app.dormouse.new_code(&app.caller).await?)))
}

/// Creates a ticket that opens one socket.
#[utoipa::path(
    post,
    path = "/api/ws-tickets",
    operation_id = "createTicket",
    tag = "access",
    responses((status = 201, description = "The ticket, shown only once.", body = Ticket), Tickets),
)]
pub(super) async fn create_ticket(app: App) -> Result<(StatusCode, Json<Ticket>), Problem> {
    Ok((StatusCode::CREATED, Json(app.dormouse.new_ticket(&app.caller).await?)))
}

/// Lists the tokens of the workspace, newest first.
#[utoipa::path(
    get,
    path = "/api/tokens",
    operation_id = "listTokens",
    tag = "access",
    responses((status = 200, description = "Every token.", body = Page<Token>)),
)]
pub(super) async fn tokens(app: App) -> Reply<Page<Token>> {
    Ok(whole(app.dormouse.list_tokens(&app.caller).await?))
}

/// Creates a token. It cannot have more rights than the caller.
#[utoipa::path(
    post,
    path = "/api/tokens",
    operation_id = "createToken",
    tag = "access",
    request_body = TokenParams,
    responses((status = 201, description = "The token, shown only once.", body = CreatedToken), Tickets),
)]
pub(super) async fn create_token(
    app: App,
    Body(params): Body<TokenParams>,
) -> Result<(StatusCode, Json<CreatedToken>), Problem> {
    let created = app.dormouse.create_token(&app.caller, params.read()?).await?;
    Ok((StatusCode::CREATED, Json(created)))
}

/// Revokes a token, effective immediately. A token can revoke itself without a scope.
#[utoipa::path(
    delete,
    path = "/api/tokens/{token}",
    operation_id = "revokeToken",
    tag = "access",
    responses((status = 200, description = "The token.", body = Token), Writes),
)]
pub(super) async fn revoke(app: App, At(token): At<String>) -> Reply<Token> {
    Ok(Json(app.dormouse.revoke_token(&app.caller, &id(&token)?).await?))
}
