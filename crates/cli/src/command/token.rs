//! `dormouse token`: access for other programs.

use clap::{Args, Subcommand};
use dormouse::view::{CreatedToken, Page, Token};
use dormouse_types::{Id as _, Scope, TokenKind};
use serde_json::json;

use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{line, time};

/// The token commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a token for a program; it is shown only once
    Create(CreateParams),
    /// List tokens, newest first
    List,
    /// Revoke a token, effective immediately
    Revoke(RevokeParams),
}

#[derive(Debug, Args)]
pub struct CreateParams {
    /// A name that says what the token is for
    #[arg(long)]
    name: String,
    /// Its scopes: read, edit, decide, admin; separate several with commas
    #[arg(long = "scope", required = true, value_delimiter = ',', value_parser = scope)]
    scopes: Vec<Scope>,
    /// The kind of holder: person, agent or mcp. An agent or mcp token never decides
    #[arg(long, default_value = "person", value_parser = kind)]
    kind: TokenKind,
    /// Days until it expires [default: never]
    #[arg(long, value_name = "DAYS")]
    expires: Option<u32>,
}

#[derive(Debug, Args)]
pub struct RevokeParams {
    /// The token: the end of its id, or words of its name
    token: String,
}

fn scope(text: &str) -> Result<Scope, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}

fn kind(text: &str) -> Result<TokenKind, String> {
    text.parse().map_err(|e: dormouse_types::task::NotListed| e.to_string())
}

pub async fn run(session: &mut Session, command: Command) -> Result<(), Failure> {
    match command {
        Command::Create(params) => create(session, params).await,
        Command::List => list(session).await,
        Command::Revoke(params) => revoke(session, params).await,
    }
}

async fn create(session: &mut Session, params: CreateParams) -> Result<(), Failure> {
    let body = json!({
        "name": params.name,
        "scopes": params.scopes,
        "kind": params.kind,
        "expiresInDays": params.expires,
    });
    let reply = session.client.post("/api/tokens", body).await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let made: CreatedToken = reply.read()?;
    session.screen.say(made.token.0);
    let details = made.details;
    let (short, name, scopes) = (details.id.short(), line(&details.name), words(&details.scopes));
    crate::terminal::note(&format!("token {short} for {name}: {scopes}; it is not shown again"));
    Ok(())
}

async fn list(session: &mut Session) -> Result<(), Failure> {
    let reply = session.client.get("/api/tokens").await?;
    if session.print_body(&reply) {
        return Ok(());
    }
    let page: Page<Token> = reply.read()?;
    if page.items.is_empty() {
        session.screen.say("No tokens. `dormouse open` signs a browser in.");
        return Ok(());
    }
    let mut table = Table::new([
        ("id", Fit::Whole),
        ("name", Fit::Cut),
        ("kind", Fit::Drop(3)),
        ("scopes", Fit::Whole),
        ("last used", Fit::Drop(1)),
        ("ends", Fit::Drop(2)),
    ]);
    for token in &page.items {
        let minute = |at| time::minute(at, &session.zone);
        let ends = match (token.revoked_at, token.expires_at) {
            (Some(at), _) => format!("revoked {}", minute(at)),
            (None, Some(at)) => minute(at),
            (None, None) => "never".to_owned(),
        };
        table.row([
            token.id.short().to_owned(),
            token.name.clone(),
            token.kind.to_string(),
            words(&token.scopes),
            token.last_used_at.map_or_else(|| "never".to_owned(), minute),
            ends,
        ]);
    }
    let (width, style) = (session.screen.width(), session.screen.style());
    session.screen.say(table.render(width, style));
    Ok(())
}

async fn revoke(session: &mut Session, params: RevokeParams) -> Result<(), Failure> {
    let token = find::token(session, &params.token).await?;
    let reply = session.client.delete(&format!("/api/tokens/{}", token.id)).await?;
    if !session.print_body(&reply) {
        let (short, name) = (token.id.short(), line(&token.name));
        session.screen.say(format!("revoked {short}  {name}"));
    }
    Ok(())
}

fn words(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(",")
}
