//! How the settings of a workspace become the models that its agents can ask.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use dormouse_agents::template::stock;
use dormouse_runs::Models;
use dormouse_runs::models::unusable;
use dormouse_store::Store;
use dormouse_store::agent::{model_setting, template};
use dormouse_types::TemplateId;
use dormouse_types::missing_provider::HowToAdd;
use dormouse_types::model_settings::{ModelSettings, Provider, split_id};
use dormouse_types::port::Model;

use super::{BUILT_IN, ChosenBy};
use crate::model_source::ModelSource;
use crate::{Error, WORKSPACE};

impl ModelSource {
    /// Makes the models of the workspace known to its agents, if the settings have changed since.
    ///
    /// Errors: the settings cannot be read; the models stay as they are.
    pub(crate) async fn load(&self, store: &Store, models: &Models) -> Result<(), Error> {
        let stored = store.first(model_setting::of_workspace(WORKSPACE)).await?;
        let revision = stored.as_ref().map_or(0, |stored| stored.revision);
        let settings = stored.map(|stored| stored.settings).unwrap_or_default();
        let mark = store.first(template::mark(WORKSPACE)).await?.unwrap_or_default();
        let made_of = Some((revision, mark));
        if *self.made_of.read().unwrap_or_else(PoisonError::into_inner) == made_of {
            return Ok(());
        }
        let of_templates = self.of_templates(store).await?;
        let mut loaded = self.made_of.write().unwrap_or_else(PoisonError::into_inner);
        self.register(models, &settings, of_templates);
        models.set_revision(revision);
        *loaded = made_of;
        Ok(())
    }

    /// The models that the active versions of templates name. A damaged version names none; it is reported
    /// where versions are listed.
    async fn of_templates(
        &self,
        store: &Store,
    ) -> Result<BTreeMap<Option<TemplateId>, String>, Error> {
        let active = store.each(template::active_of_all(WORKSPACE)).await?;
        let mut models = BTreeMap::new();
        for version in active.into_iter().flatten().map(|version| version.doc.value) {
            let Some(model) = version.model_id else { continue };
            if version.agent_id == stock::DEFAULT.id() {
                models.insert(None, self.registered(&model));
            }
            models.insert(Some(version.agent_id), self.registered(&model));
        }
        Ok(models)
    }

    /// The name under which a model is registered that a person names.
    fn registered(&self, id: &str) -> String {
        if id == BUILT_IN { self.built_in.name() } else { id }.to_owned()
    }

    fn register(
        &self,
        registry: &Models,
        settings: &ModelSettings,
        of_templates: BTreeMap<Option<TemplateId>, String>,
    ) {
        let (chosen, _) = self.chosen(settings);
        let known = settings.models.iter().map(|known| known.id.as_str());
        let summarising = settings.summarising.as_deref();
        let ids: std::collections::BTreeSet<&str> = known
            .chain([chosen.as_str()])
            .chain(summarising)
            .chain(of_templates.values().map(String::as_str))
            .filter(|id| *id != BUILT_IN && *id != self.built_in.name())
            .collect();
        let models = ids
            .into_iter()
            .map(|id| self.build(settings, id).unwrap_or_else(|why| unusable(id, &why)));
        let models: Vec<_> = models.chain([self.built_in.clone()]).collect();
        let chosen = if chosen == BUILT_IN { self.built_in.name().to_owned() } else { chosen };
        registry.replace(models, &chosen, summarising);
        registry.set_templates(of_templates);
    }

    pub(super) fn build(
        &self,
        settings: &ModelSettings,
        id: &str,
    ) -> Result<Arc<dyn Model>, String> {
        let (provider, name) = self.provider_of(settings, id).map_err(|e| e.to_string())?;
        self.host.build(&provider, name, settings.known(id))
    }

    /// The provider of a model, added or found, and the model's name there.
    pub(super) fn provider_of<'a>(
        &self,
        settings: &ModelSettings,
        id: &'a str,
    ) -> Result<(Provider, &'a str), Error> {
        let Some((provider, name)) = split_id(id) else {
            let message = format!("`{id}` is no model: write provider/model, or {BUILT_IN}");
            return Err(Error::Invalid { field: "model", message });
        };
        let added = settings.provider(provider).cloned();
        let found = || self.host.found().into_iter().find(|found| found.name == provider);
        match added.or_else(found) {
            Some(provider) => Ok((provider, name)),
            None => Err(self.no_provider(settings, provider)),
        }
    }

    /// The error of a provider that was neither added nor found.
    pub(super) fn no_provider(&self, settings: &ModelSettings, name: &str) -> Error {
        let (known, local) = (self.host.known(), self.host.local());
        let how = HowToAdd::of(name, &settings.providers, &known, &local);
        Error::NoProvider { name: name.to_owned(), how }
    }

    /// The model in use, and what decided it.
    pub(super) fn chosen(&self, settings: &ModelSettings) -> (String, ChosenBy) {
        match (&settings.model, &self.by_environment) {
            (Some(model), _) => (model.clone(), ChosenBy::Person),
            (None, Some(model)) => (model.clone(), ChosenBy::Environment),
            (None, None) => (BUILT_IN.to_owned(), ChosenBy::Nobody),
        }
    }
}
