//! Which scopes a caller has, and which a kind of token can hold.

use dormouse_types::closed_list::Listed;
use dormouse_types::{Caller, Scope, TokenKind};

use crate::AccessError;

/// Refuses a caller without a scope.
pub fn require(caller: &Caller, scope: Scope) -> Result<(), AccessError> {
    if caller.may(scope) {
        return Ok(());
    }
    Err(AccessError::ScopeMissing { scope: scope.name() })
}

/// Each scope once, in canonical order.
pub fn in_order(scopes: &[Scope]) -> Vec<Scope> {
    Scope::ALL.iter().copied().filter(|scope| scopes.contains(scope)).collect()
}

/// What a token of a kind may do at most, whatever its row says. An unknown kind, from a newer
/// version, may do nothing.
pub(crate) fn grantable(kind: &Listed<TokenKind>, mut scopes: Vec<Scope>) -> Vec<Scope> {
    scopes.retain(|scope| kind.known().is_some_and(|kind| kind.can_hold(*scope)));
    scopes
}

/// Refuses a new token without scopes, or with a scope that its kind can never hold.
pub(crate) fn check(kind: TokenKind, scopes: &[Scope]) -> Result<(), AccessError> {
    let invalid = |message: String| AccessError::Invalid { field: "scopes", message };
    if scopes.is_empty() {
        return Err(invalid("name at least one of read, edit, decide, admin".to_owned()));
    }
    match scopes.iter().find(|scope| !kind.can_hold(**scope)) {
        None => Ok(()),
        Some(scope) => Err(invalid(format!(
            "a token of kind {} can never hold `{}`: proposals are decided by people",
            kind.name(),
            scope.name()
        ))),
    }
}

/// The scopes as one text for the audit log.
pub(crate) fn names(scopes: &[Scope]) -> String {
    scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_limits_what_a_row_grants_and_an_unknown_kind_grants_nothing() {
        let all = Scope::ALL.to_vec();
        assert!(!grantable(&TokenKind::Agent.into(), all.clone()).contains(&Scope::Decide));
        assert!(grantable(&TokenKind::Person.into(), all.clone()).contains(&Scope::Decide));
        assert_eq!(grantable(&Listed::named("robot"), all), []);
    }

    #[test]
    fn a_new_token_holds_at_least_one_scope_and_only_those_of_its_kind() {
        assert!(check(TokenKind::Person, &[]).is_err());
        assert!(check(TokenKind::Agent, &[Scope::Read, Scope::Decide]).is_err());
        assert!(check(TokenKind::Agent, &[Scope::Read]).is_ok());
    }

    #[test]
    fn scopes_are_listed_once_and_in_order() {
        let given = [Scope::Decide, Scope::Read, Scope::Decide];
        assert_eq!(in_order(&given), [Scope::Read, Scope::Decide]);
        assert_eq!(names(&in_order(&given)), "read decide");
    }
}
