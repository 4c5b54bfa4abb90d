//! Who may come in: tokens, codes, tickets.

use std::fmt;

use dormouse_types::{Scope, Timestamp, TokenId};
use serde::{Deserialize, Serialize};

/// What opens a door. It is told once, to whoever asked for it, and kept by nobody here.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Secret(pub String);

// It is not for logs.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A token, without what opens the door.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Its public name.
    pub id: TokenId,
    /// What its owner calls it.
    pub name: String,
    /// Who holds it: `person`, `agent` or `mcp`.
    pub kind: String,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was made.
    pub created_at: Timestamp,
    /// By whom.
    pub created_by: String,
    /// When it was last used, give or take a minute.
    pub last_used_at: Option<Timestamp>,
    /// When it ends by itself.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether it opens anything.
    pub is_live: bool,
    /// Whether it is the token that asks.
    pub is_own: bool,
}

/// A token that was just made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreatedToken {
    /// What opens the door: `dm_` and 43 characters. It is not told again.
    pub token: Secret,
    /// What is kept of it.
    pub details: Token,
}

/// A one-time code: it belongs behind `#code=` in the address of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// What is exchanged for a token, once.
    pub code: Secret,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// What a code was exchanged for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exchanged {
    /// What opens the door: `dm_` and 43 characters. It is not told again.
    pub token: Secret,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it ends by itself.
    pub expires_at: Timestamp,
}

/// What opens one socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// What stands behind `?ticket=` in the address of the socket, once.
    pub ticket: Secret,
    /// When it ends.
    pub expires_at: Timestamp,
}

/// Who asks, and who answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// The version of the program that answers.
    pub version: String,
    /// The workspace that the token opens.
    pub workspace: i64,
    /// Who asks: `owner`, or `token:` and the name of a token.
    pub actor: String,
    /// What they may do.
    pub scopes: Vec<Scope>,
    /// What stands behind the answers.
    pub server: ServerFacts,
}

/// What stands behind the answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ServerFacts {
    /// The model that agents ask.
    pub model: String,
    /// Whether the model is built in or runs on this machine, so that asking it costs nothing.
    pub is_local: bool,
}
