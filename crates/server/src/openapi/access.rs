//! The scope that an operation needs, for the document. The facade does the actual check; a test
//! calls every operation with every scope and compares.

use dormouse_types::Scope;
use dormouse_types::problem::ProblemKind;
use serde_json::{Value, json};

/// What the caller needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Needs {
    /// A token with this scope.
    Scope(Scope),
    /// Any valid token.
    Token,
    /// Nothing: the request carries its own proof.
    Nothing,
}

/// Exceptions from the default, which is `read` for reading and `edit` for changing.
const OTHERS: &[(&str, Needs)] = &[
    ("decideItem", Needs::Scope(Scope::Decide)),
    ("decideTaskItems", Needs::Scope(Scope::Decide)),
    ("confirmAll", Needs::Scope(Scope::Decide)),
    ("dismissAll", Needs::Scope(Scope::Decide)),
    ("acknowledgeNeed", Needs::Scope(Scope::Decide)),
    ("markDelivery", Needs::Scope(Scope::Decide)),
    ("readDeliveries", Needs::Scope(Scope::Decide)),
    ("takeBackAcknowledgement", Needs::Scope(Scope::Decide)),
    ("answerWorkQuestion", Needs::Scope(Scope::Decide)),
    ("reviewWorkRun", Needs::Scope(Scope::Decide)),
    ("addRule", Needs::Scope(Scope::Decide)),
    ("removeRule", Needs::Scope(Scope::Decide)),
    ("setToolPolicy", Needs::Scope(Scope::Decide)),
    ("getAccess", Needs::Token),
    ("getOpenApi", Needs::Token),
    ("createTemplate", Needs::Scope(Scope::Admin)),
    ("editTemplate", Needs::Scope(Scope::Admin)),
    ("deleteTemplate", Needs::Scope(Scope::Admin)),
    ("duplicateTemplate", Needs::Scope(Scope::Admin)),
    ("activateTemplateVersion", Needs::Scope(Scope::Admin)),
    ("rollBackTemplate", Needs::Scope(Scope::Admin)),
    ("startEvolution", Needs::Scope(Scope::Admin)),
    ("sayInEvolution", Needs::Scope(Scope::Admin)),
    ("approveEvolution", Needs::Scope(Scope::Admin)),
    ("rejectEvolution", Needs::Scope(Scope::Admin)),
    ("abandonEvolution", Needs::Scope(Scope::Admin)),
    ("cancelEvolutionAnswer", Needs::Scope(Scope::Admin)),
    ("addWorkHook", Needs::Scope(Scope::Admin)),
    ("rotateWorkHook", Needs::Scope(Scope::Admin)),
    ("removeWorkHook", Needs::Scope(Scope::Admin)),
    ("callHook", Needs::Nothing),
    ("exchangeCode", Needs::Nothing),
    ("openSocket", Needs::Nothing),
    ("previewWake", Needs::Scope(Scope::Read)),
    ("readWorkInstruction", Needs::Scope(Scope::Read)),
    ("previewWork", Needs::Scope(Scope::Read)),
    ("tryWork", Needs::Scope(Scope::Read)),
    ("createTicket", Needs::Scope(Scope::Read)),
    ("removeLine", Needs::Scope(Scope::Admin)),
    ("createCode", Needs::Scope(Scope::Admin)),
    ("listTokens", Needs::Scope(Scope::Admin)),
    ("createToken", Needs::Scope(Scope::Admin)),
    ("revokeToken", Needs::Scope(Scope::Admin)),
    ("putProvider", Needs::Scope(Scope::Admin)),
    ("removeProvider", Needs::Scope(Scope::Admin)),
    ("setProviderKey", Needs::Scope(Scope::Admin)),
    ("findModelServers", Needs::Scope(Scope::Admin)),
    ("listOfferedModels", Needs::Scope(Scope::Admin)),
    ("testModel", Needs::Scope(Scope::Admin)),
    ("forgetModel", Needs::Scope(Scope::Admin)),
    ("editSettings", Needs::Scope(Scope::Admin)),
    ("useModel", Needs::Scope(Scope::Admin)),
    ("setPaidCalls", Needs::Scope(Scope::Admin)),
    ("setBudgets", Needs::Scope(Scope::Admin)),
    ("setModelPrice", Needs::Scope(Scope::Admin)),
    ("setModelWindow", Needs::Scope(Scope::Admin)),
    ("setProviderCategories", Needs::Scope(Scope::Admin)),
    ("listAudit", Needs::Scope(Scope::Admin)),
    ("allowOnceMore", Needs::Scope(Scope::Admin)),
];

/// The requirement of an operation.
pub(super) fn needs(method: &str, operation: &str) -> Needs {
    match OTHERS.iter().find(|(other, _)| *other == operation) {
        Some((_, needs)) => *needs,
        None if method == "get" => Needs::Scope(Scope::Read),
        None => Needs::Scope(Scope::Edit),
    }
}

impl Needs {
    /// The problem if it is not met.
    pub(super) fn problems(self) -> &'static [ProblemKind] {
        match self {
            Self::Scope(_) => &[ProblemKind::TokenMissing, ProblemKind::ScopeMissing],
            Self::Token => &[ProblemKind::TokenMissing],
            Self::Nothing => &[],
        }
    }

    /// Adds the requirement to an operation: `x-scope` is the name of the scope, or `any` if every
    /// token will do. There is no `x-scope` if no token is needed.
    pub(super) fn describe(self, operation: &mut Value) {
        match self {
            Self::Scope(scope) => operation["x-scope"] = json!(scope.name()),
            Self::Token => operation["x-scope"] = json!("any"),
            Self::Nothing => operation["security"] = json!([]),
        }
    }
}
