//! What is sent to come in.

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
    /// What stands behind `#code=` in the address of the page.
    pub(crate) code: String,
}

// It is not for logs.
impl fmt::Debug for CodeParams {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CodeParams(…)")
    }
}

/// A scope by its name, of those that allow something.
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

/// A token to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct TokenParams {
    /// What its owner calls it.
    name: String,
    /// What it may do: at least one, and none that whoever asks lacks.
    #[schema(value_type = Vec<OfferedScope>)]
    scopes: Vec<String>,
    /// Who holds it; `person` when left out. An `agent` or `mcp` token never decides.
    #[schema(value_type = Option<TokenKind>)]
    kind: Option<String>,
    /// When it ends by itself, in days; never when left out.
    expires_in_days: Option<u32>,
}

impl TokenParams {
    /// The values, or what is wrong with them.
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
