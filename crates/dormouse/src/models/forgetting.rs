//! A model that nobody asks any more is taken off the list.

use dormouse_store::agent::work::definition::Definition;
use dormouse_types::audit::AuditAction;
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::work::WorkState;
use dormouse_types::{Caller, Scope};

use super::{BUILT_IN, ModelsView};
use crate::request::require;
use crate::{Dormouse, Error};

impl Dormouse {
    /// Takes a model off the list of those that were chosen or tested, with the price and the window that a person
    /// set for it. Its provider still offers it.
    ///
    /// Errors: it is not on the list; the workspace, an agent, a template or agent work uses it.
    pub async fn forget_model(&self, caller: &Caller, id: &str) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let settings = self.model_settings(caller).await?;
        if settings.known(id).is_none() {
            return Err(Error::NotFound { what: "model", id: id.to_owned() });
        }
        if let Some(who) = self.user_of(caller, &settings, id).await? {
            let message = format!("{id} is in use by {who}: choose another model there first");
            return Err(Error::Invalid { field: "model", message });
        }
        self.edit_models(caller, AuditAction::ModelsUnlist, id, |settings| {
            settings.models.retain(|known| known.id != id);
            Ok(())
        })
        .await
    }

    /// Somebody who uses a model, in words.
    async fn user_of(
        &self,
        caller: &Caller,
        settings: &ModelSettings,
        id: &str,
    ) -> Result<Option<String>, Error> {
        let (chosen, _) = self.chosen(settings);
        if id == BUILT_IN || chosen == id {
            return Ok(Some("the workspace".into()));
        }
        if settings.summarising.as_deref() == Some(id) {
            return Ok(Some("the workspace, for summarising".into()));
        }
        if self.models.named_by_templates().contains(id) {
            return Ok(Some("a template".into()));
        }
        let uses = |name: Option<String>| name.as_deref() == Some(id);
        let agents = self.live_agents(caller).await?;
        let agent = agents.iter().find(|agent| {
            let (own, template) = (&agent.config.model, &agent.config.template_id);
            uses(self.models.name_for(own.as_deref(), template.as_ref()))
        });
        if let Some(agent) = agent {
            return Ok(Some(format!("the agent {}", agent.display_name)));
        }
        let asks =
            |work: &Definition| work.state != WorkState::Archived && uses(self.name_for_work(work));
        let work = self.work_that(caller, asks).await?;
        Ok(work.first().map(|work| format!("the agent work {}", work.title)))
    }
}
