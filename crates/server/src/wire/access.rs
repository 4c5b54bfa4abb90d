//! Request bodies about access.

use std::fmt;

use dormouse::NewToken;
use dormouse_types::{Scope, TokenKind};
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::Reading;
use crate::Problem;

/// A one-time code.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CodeParams {
    /// The part after `#code=` in the URL of the page.
    pub(crate) code: String,
}

// Keeps the code out of logs.
impl fmt::Debug for CodeParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeParams(…)")
    }
}

/// A grantable scope, by name.
pub(crate) struct OfferedScope;

impl PartialSchema for OfferedScope {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new()
            .schema_type(Type::String)
            .enum_values(Some(Scope::OFFERED.iter().map(|scope| scope.name())))
            .description(Some("What a token may do."))
            .build()
            .into()
    }
}

impl ToSchema for OfferedScope {}

/// A token to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TokenParams {
    /// Its display name.
    name: String,
    /// Its scopes: at least one, and only scopes the caller has.
    #[schema(value_type = Vec<OfferedScope>)]
    scopes: Vec<String>,
    /// Its kind, `person` by default. An `agent` or `mcp` token never decides.
    #[schema(value_type = Option<TokenKind>)]
    kind: Option<String>,
    /// Days until it expires; by default it does not.
    expires_in_days: Option<u32>,
}

impl TokenParams {
    /// The parsed values, or every invalid one.
    pub(crate) fn read(self) -> Result<NewToken, Problem> {
        let mut reading = Reading::default();
        let scopes = (0..).zip(self.scopes);
        let scopes: Vec<Scope> = scopes
            .filter_map(|(n, name): (usize, _)| reading.parse(&format!("/scopes/{n}"), Some(name)))
            .collect();
        let kind = reading.parse("/kind", self.kind).unwrap_or(TokenKind::Person);
        let expires_in_days = self.expires_in_days;
        reading.finish(NewToken { name: self.name, kind, scopes, expires_in_days })
    }
}
