//! Views of access: the plain data returned to users and programs.

use std::fmt;

use dormouse_types::closed_list::Listed;
use dormouse_types::{Scope, Timestamp, TokenId, TokenKind};
use serde::{Deserialize, Serialize};

/// A secret that grants access. It is returned once, to its requester, and never stored.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Secret(pub String);

// Keeps the secret out of logs.
impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// A token, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Token {
    /// Its public name.
    pub id: TokenId,
    /// What its owner calls it.
    pub name: String,
    /// The kind of holder.
    pub kind: Listed<TokenKind>,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it was created.
    pub created_at: Timestamp,
    /// Its creator.
    pub created_by: String,
    /// When it was last used, to the minute.
    pub last_used_at: Option<Timestamp>,
    /// When it expires.
    pub expires_at: Option<Timestamp>,
    /// When it was revoked.
    pub revoked_at: Option<Timestamp>,
    /// Whether it is valid.
    pub is_live: bool,
    /// Whether it is the caller's own token.
    pub is_own: bool,
}

/// A newly created token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CreatedToken {
    /// The secret: `dm_` and 43 characters. It is not returned again.
    pub token: Secret,
    /// The stored token.
    pub details: Token,
}

/// A one-time code; it belongs after `#code=` in the URL of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Code {
    /// The code, to exchange once for a token.
    pub code: Secret,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The result of exchanging a code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Exchanged {
    /// The secret: `dm_` and 43 characters. It is not returned again.
    pub token: Secret,
    /// What it may do.
    pub scopes: Vec<Scope>,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// What opens one socket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Ticket {
    /// The ticket, for one use after `?ticket=` in the URL of the socket.
    pub ticket: Secret,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The caller and the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Access {
    /// The version of the server.
    pub version: String,
    /// The workspace of the token.
    pub workspace: i64,
    /// The caller: `owner`, or `token:` and the name of a token.
    pub actor: String,
    /// What they may do.
    pub scopes: Vec<Scope>,
    /// The model that agents use.
    pub server: ServerFacts,
}

/// The model that agents use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ServerFacts {
    /// The model that agents use.
    pub model: String,
    /// Whether the model is built in or runs on this machine, so that using it costs nothing.
    pub is_local: bool,
    /// The time zone of the workspace, by its IANA name: schedules without a zone follow its clock.
    pub zone: String,
}
