//! Templates that work follows, and the port to their texts.

use std::fmt;

use dormouse_runs::RunError;
use dormouse_store::Op;
use dormouse_types::model::Directives;
use dormouse_types::port::BoxFuture;
use dormouse_types::{TemplateId, TemplateVersionId, WorkspaceId};

/// The texts of templates, as the room that holds them gives them.
pub trait Templates: Send + Sync {
    /// The system prompt of a run: these rules of the program, then the directives of the active version of a
    /// template.
    fn system<'a>(
        &'a self,
        ws: WorkspaceId,
        template: &'a TemplateId,
        rules: &'a str,
    ) -> BoxFuture<'a, Result<System, RunError>>;
}

/// Where there are no templates, and no work follows one.
#[derive(Debug, Clone, Copy)]
pub struct NoTemplates;

impl Templates for NoTemplates {
    fn system<'a>(
        &'a self,
        _: WorkspaceId,
        template: &'a TemplateId,
        _: &'a str,
    ) -> BoxFuture<'a, Result<System, RunError>> {
        let error = RunError::Broken(format!("there is no template {template} here"));
        Box::pin(std::future::ready(Err(error)))
    }
}

/// A system prompt, with the directives in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    pub text: String,
    pub directives: Directives,
    /// The version that the directives are of; `None` if there is no row and they are those of the program.
    pub version: Option<TemplateVersionId>,
}

/// A template that work may follow, as it was read.
#[derive(Clone)]
pub struct Followed {
    pub id: TemplateId,
    /// Refuses the commit if the template was changed since.
    pub guard: Op,
}

/// Says nothing of the guard: a repeated request is the same whatever happened to the template meanwhile.
impl fmt::Debug for Followed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.id)
    }
}
