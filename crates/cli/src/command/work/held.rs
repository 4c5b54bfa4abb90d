//! Why a run of agent work has to wait: the model that it asks cannot be used.

use dormouse::view::{AgentWork, Attention, AttentionCause, Page};
use dormouse_types::work::RunState;
use serde_json::Value;

use crate::client::Client;
use crate::failure::Failure;

/// The entries of what needs the person that can keep agent work waiting, and the model of the workspace.
pub struct Holds {
    entries: Vec<Attention>,
    model: String,
}

impl Holds {
    /// Reads them.
    ///
    /// Errors: they cannot be read.
    pub async fn read(client: &Client) -> Result<Self, Failure> {
        let page: Page<Attention> = client.get("/api/needs-attention?limit=200").await?.read()?;
        let mut entries = page.items;
        entries.retain(|one| match &one.cause {
            AttentionCause::ModelSetup { .. } | AttentionCause::Provider { .. } => true,
            AttentionCause::Budget { .. } => one.agent_id.is_none(),
            _ => false,
        });
        // Who may not see the models may see what needs attention.
        let models: Option<Value> = match entries.is_empty() {
            true => None,
            false => client.get("/api/models").await.ok().and_then(|reply| reply.read().ok()),
        };
        let model = models.as_ref().and_then(|view| view["model"].as_str()).unwrap_or_default();
        Ok(Self { model: model.to_owned(), entries })
    }

    /// Why a run of this work waits that has not begun; `None` if nothing is known to keep it waiting.
    pub fn reason(&self, work: &AgentWork) -> Option<String> {
        let is_queued = work.run_state == Some(RunState::Queued);
        if !is_queued || work.built_in.is_some() {
            return None;
        }
        // A template may name another model than the workspace.
        let own = work.model.as_deref();
        let model = own.or_else(|| work.template_id.is_none().then_some(&*self.model))?;
        let holds = |one: &&Attention| match &one.cause {
            AttentionCause::ModelSetup { provider, .. }
            | AttentionCause::Provider { provider, .. } => is_of(model, provider),
            _ => true,
        };
        self.entries.iter().find(holds).map(Attention::words)
    }
}

/// Whether a model is the one that is named, or of the provider that is.
fn is_of(model: &str, named: &str) -> bool {
    model == named || model.strip_prefix(named).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::is_of;

    #[test]
    fn a_model_is_held_with_its_provider_or_alone() {
        assert!(is_of("far/big", "far") && is_of("far/big", "far/big"));
        assert!(!is_of("far/big", "far/bi") && !is_of("farther/big", "far"));
    }
}
