//! Which scope an operation needs, as the description tells it. What is checked stands in the
//! facade; a test sends every operation with every scope and compares.

use dormouse_types::Scope;
use serde_json::{Value, json};

/// What whoever asks must hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// A token with this scope.
    Scope(Scope),
    /// A token, whatever it may do.
    Token,
    /// Nothing: what is sent speaks for itself.
    Nothing,
}

/// Operations that need something else than their method tells: `read` to look at something, `edit`
/// to change it.
const OTHERS: &[(&str, Needs)] = &[
    ("decideItem", Needs::Scope(Scope::Decide)),
    ("decideTaskItems", Needs::Scope(Scope::Decide)),
    ("confirmAll", Needs::Scope(Scope::Decide)),
    ("dismissAll", Needs::Scope(Scope::Decide)),
    ("getAccess", Needs::Token),
    ("getOpenApi", Needs::Token),
    ("exchangeCode", Needs::Nothing),
    ("openSocket", Needs::Nothing),
    ("createTicket", Needs::Scope(Scope::Read)),
    ("createCode", Needs::Scope(Scope::Admin)),
    ("listTokens", Needs::Scope(Scope::Admin)),
    ("createToken", Needs::Scope(Scope::Admin)),
    ("revokeToken", Needs::Scope(Scope::Admin)),
];

/// What an operation needs.
pub(super) fn needs(method: &str, operation: &str) -> Needs {
    match OTHERS.iter().find(|(other, _)| *other == operation) {
        Some((_, needs)) => *needs,
        None if method == "get" => Needs::Scope(Scope::Read),
        None => Needs::Scope(Scope::Edit),
    }
}

impl Needs {
    /// How it is refused.
    pub(super) fn problems(self) -> &'static [&'static str] {
        match self {
            Self::Scope(_) => &["token-missing", "scope-missing"],
            Self::Token => &["token-missing"],
            Self::Nothing => &[],
        }
    }

    /// Says it in the description of an operation: `x-scope` is the name of the scope, or `any` where
    /// every token will do. Where none is needed there is no `x-scope`.
    pub(super) fn describe(self, operation: &mut Value) {
        match self {
            Self::Scope(scope) => operation["x-scope"] = json!(scope.name()),
            Self::Token => operation["x-scope"] = json!("any"),
            Self::Nothing => operation["security"] = json!([]),
        }
    }
}
