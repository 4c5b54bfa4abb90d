//! Scopes and idempotency: what every method checks first.

use dormouse_agents::lifecycle::RequestContext;
use dormouse_changes::Decider;
use dormouse_journal::{EditCtx, OnceKey};
use dormouse_store::Once;
use dormouse_types::problem::ProblemKind;
use dormouse_types::{Caller, Origin, Scope, TaskId, hash, limits};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::Error;

/// Refuses a caller without a scope.
pub(crate) fn require(caller: &Caller, scope: Scope) -> Result<(), Error> {
    Ok(dormouse_access::require(caller, scope)?)
}

/// The receipt id of an idempotency key, derived from the caller and the key.
pub(crate) fn receipt_id(caller: &Caller, key: Option<&str>) -> Result<Option<String>, Error> {
    let Some(key) = key else { return Ok(None) };
    let length = key.chars().count();
    if length == 0 {
        return Err(Error::Invalid {
            field: "Idempotency-Key",
            message: "it is empty; leave it out, or give 1 to 128 characters".into(),
        });
    }
    limits::IDEMPOTENCY_KEY.check(length)?;
    Ok(Some(hash::joined(&["http", &caller.actor.to_string(), key]).0))
}

/// The context of a journal edit, done at most once per key.
pub(crate) fn edit_ctx(
    caller: &Caller,
    verb: &str,
    request: &impl Serialize,
    if_match: Option<i64>,
    key: Option<&str>,
) -> Result<EditCtx, Error> {
    let mut ctx = EditCtx::new(Origin::Person { via: None }, caller.actor.clone());
    ctx.if_match = if_match;
    if let Some(id) = receipt_id(caller, key)? {
        let body = hash::canonical(&(verb, request)).expect("a request is plain data");
        ctx.once = Some(OnceKey { id, request: hash::sha256(body) });
    }
    Ok(ctx)
}

/// The answer to a request that deletes something, to be kept in its receipt: what is there. Empty if nothing
/// is, which is no error yet: the request may be a repeated one.
pub(crate) fn answer_of<T: Serialize>(found: Result<T, Error>) -> Result<String, Error> {
    match found {
        Ok(view) => Ok(serde_json::to_string(&view).expect("a view is plain data")),
        Err(error) if error.kind() == ProblemKind::NotFound => Ok(String::new()),
        Err(error) => Err(error),
    }
}

/// The view in an answer that [`answer_of`] made.
///
/// Errors: an earlier version kept only the id. Then it is gone, as before.
pub(crate) fn answered<T: DeserializeOwned>(
    answer: &str,
    (what, id): (&'static str, &impl ToString),
) -> Result<T, Error> {
    serde_json::from_str(answer).map_err(|_| Error::NotFound { what, id: id.to_string() })
}

/// The context of a request to an agent.
pub(crate) fn request_context(caller: &Caller, key: Option<&str>) -> Result<RequestContext, Error> {
    Ok(RequestContext { actor: caller.actor.clone(), key: receipt_id(caller, key)? })
}

/// The context of a decision, made at most once per receipt; `task` is the one that the request names.
pub(crate) fn decider(caller: &Caller, once: Option<Once>, task: Option<TaskId>) -> Decider {
    Decider { ws: caller.workspace, actor: caller.actor.clone(), once, task }
}
