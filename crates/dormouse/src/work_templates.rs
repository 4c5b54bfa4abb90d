//! The templates that agent work follows, from the room of agents.

use dormouse_agents::Agents;
use dormouse_runs::RunError;
use dormouse_types::port::BoxFuture;
use dormouse_types::{TemplateId, WorkspaceId};
use dormouse_work::Templates;
use dormouse_work::templates::System;

/// Templates as agents read them.
pub(crate) struct TemplatesOfAgents(pub(crate) Agents);

impl Templates for TemplatesOfAgents {
    fn system<'a>(
        &'a self,
        ws: WorkspaceId,
        template: &'a TemplateId,
        rules: &'a str,
    ) -> BoxFuture<'a, Result<System, RunError>> {
        Box::pin(async move {
            let (text, effective) = self.0.system_of_work(ws, template, rules).await?;
            Ok(System { text, directives: effective.directives, version: effective.version })
        })
    }
}
