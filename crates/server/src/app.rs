//! What a handler works with.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use dormouse::Dormouse;
use dormouse_types::Caller;

use crate::Problem;

/// The state of a handler: the services and the caller.
///
/// A layer before the routes sets the caller. Without one, every request is refused.
pub(crate) struct App {
    pub(crate) dormouse: Dormouse,
    pub(crate) caller: Caller,
}

impl FromRequestParts<Dormouse> for App {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, dormouse: &Dormouse) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(Problem::unauthorised)?;
        Ok(Self { dormouse: dormouse.clone(), caller })
    }
}
