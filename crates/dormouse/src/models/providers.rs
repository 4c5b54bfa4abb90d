//! Providers of models: added, changed, removed, with their keys and what they offer.

use std::time::Duration;

use dormouse_store::agent::work::definition::Definition;
use dormouse_types::audit::AuditAction;
use dormouse_types::model_settings::{KeySource, OfferedModel, Provider, split_id};
use dormouse_types::port::Patience;
use dormouse_types::work::WorkState;
use dormouse_types::{Caller, Scope};
use futures_util::future::{Either, select};

use super::{FoundServer, ModelsView, OfferedModelView};
use crate::request::require;
use crate::{Dormouse, Error};

impl Dormouse {
    /// Adds a provider, or changes the one of its name, which keeps the categories that it may be
    /// sent: those are changed by [`Dormouse::set_provider_categories`] alone. With another address or
    /// format, what tests of its models showed is forgotten in the same commit.
    ///
    /// Errors: a name or an address that is not possible.
    pub async fn put_provider(
        &self,
        caller: &Caller,
        provider: Provider,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let name = provider.name.clone();
        let wrong = |message| Error::Invalid { field: "provider", message };
        let provider = self.source.host.checked(provider).map_err(wrong)?;
        self.ensure_one_spelling(caller, &provider.name).await?;
        self.edit_models(caller, AuditAction::ModelsProvider, &name, |settings| {
            let known = settings.provider(&provider.name);
            let categories = known.and_then(|known| known.categories.clone());
            // Another server may call tools in another way, and have another window.
            let any = format!("{}/*", provider.name);
            let before = self.provider_of(settings, &any);
            if !before.is_ok_and(|(before, _)| before.is_same_server(&provider)) {
                settings.forget_tests(&provider.name);
            }
            settings.providers.retain(|known| known.name != provider.name);
            settings.providers.push(Provider { categories, ..provider.clone() });
            settings.providers.sort_by(|a, b| a.name.cmp(&b.name));
            Ok(())
        })
        .await
    }

    /// Refuses a name that differs only in upper and lower case from that of a provider that is there or known: both
    /// would read the same variable.
    async fn ensure_one_spelling(&self, caller: &Caller, name: &str) -> Result<(), Error> {
        let added = self.model_settings(caller).await?.providers;
        let known = [self.source.host.known(), self.source.host.local()].concat();
        if added.iter().any(|one| one.name == name) {
            return Ok(());
        }
        let other = added
            .iter()
            .chain(&known)
            .find(|one| one.name != name && one.name.eq_ignore_ascii_case(name));
        match other {
            None => Ok(()),
            Some(other) => {
                let other = &other.name;
                let message = format!(
                    "{name} is written {other}: write its name in that way, or choose another name"
                );
                Err(Error::Invalid { field: "provider", message })
            }
        }
    }

    /// Removes a provider, what is known of its models, and its key.
    ///
    /// Errors: the model in use, or that of an agent or of agent work, is one of its models.
    pub async fn remove_provider(&self, caller: &Caller, name: &str) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let settings = self.model_settings(caller).await?;
        let Some(provider) = settings.provider(name).cloned() else {
            return Err(self.source.no_provider(&settings, name));
        };
        let (chosen, _) = self.chosen(&settings);
        let used = self.agents_by_model(caller, &chosen).await?;
        let is_its = |id: &str| split_id(id).is_some_and(|(provider, _)| provider == name);
        let chosen = [&chosen].into_iter().chain(&settings.summarising);
        let in_use = used.keys().chain(chosen).find(|id| is_its(id));
        if let Some(id) = in_use {
            let message = format!("{id} is in use: choose another model first");
            return Err(Error::Invalid { field: "provider", message });
        }
        let works = self.work.definitions(caller.workspace).await?;
        let asks = |work: Definition| {
            let may_run = work.state != WorkState::Archived && work.built_in.is_none();
            let of_template = || self.models.of_template(work.template.as_ref()?);
            let model = work.model.clone().or_else(of_template);
            model.filter(|model| may_run && is_its(model)).map(|model| (work, model))
        };
        if let Some((work, model)) = works.into_iter().find_map(asks) {
            let message = format!(
                "agent work {} asks {model}: choose another model for it first, or archive it",
                work.id
            );
            return Err(Error::Invalid { field: "provider", message });
        }
        let view = self
            .edit_models(caller, AuditAction::ModelsRemove, name, |settings| {
                settings.providers.retain(|known| known.name != name);
                settings.models.retain(|known| !is_its(&known.id));
                Ok(())
            })
            .await?;
        if self.source.host.key(&provider).source == KeySource::KeyFile {
            self.keep_key(&provider, None)?;
        }
        Ok(view)
    }

    /// Keeps the key of a provider, or removes it. It is in no database and no export. A provider whose address is
    /// known is added with its first key.
    ///
    /// Errors: there is no such provider; a text that cannot be a key; the key file cannot be
    /// written.
    pub async fn set_provider_key(
        &self,
        caller: &Caller,
        name: &str,
        key: Option<&str>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let settings = self.model_settings(caller).await?;
        let is_it = |known: &Provider| known.name == name && key.is_some();
        let known = || self.source.host.known().into_iter().find(is_it);
        let Some(provider) = settings.provider(name).cloned().or_else(known) else {
            return Err(self.source.no_provider(&settings, name));
        };
        self.keep_key(&provider, key)?;
        // The revision rises, so that models are built again with the new key.
        self.edit_models(caller, AuditAction::ModelsKey, name, |settings| {
            if key.is_some() {
                settings.add(&provider);
            }
            Ok(())
        })
        .await
    }

    fn keep_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), Error> {
        let wrong = |message| Error::Invalid { field: "key", message };
        self.source.host.set_key(provider, key).map_err(wrong)
    }

    /// The models that a provider offers, with what they cost.
    pub async fn offered_models(
        &self,
        caller: &Caller,
        name: &str,
    ) -> Result<Vec<OfferedModelView>, Error> {
        require(caller, Scope::Admin)?;
        let settings = self.model_settings(caller).await?;
        let (provider, _) = self.provider_of(&settings, &format!("{name}/*"))?;
        let limit = Patience::default().first.min(Duration::from_secs(30));
        let listed = self.source.host.list(&provider);
        let listed = match select(listed, self.clock.sleep(limit)).await {
            Either::Left((listed, _)) => listed.map_err(|e| Error::Model(e.to_string()))?,
            Either::Right(((), _)) => {
                return Err(Error::Model(format!(
                    "{} did not list its models within {} seconds",
                    provider.base_url,
                    limit.as_secs()
                )));
            }
        };
        let price = |model: &str| {
            let known = settings.known(&format!("{}/{model}", provider.name));
            let set = known.and_then(|known| known.price);
            set.or_else(|| Some(self.source.host.price(&provider, model)?.price))
        };
        let view = |OfferedModel { name, window, calls_tools }: OfferedModel| OfferedModelView {
            price: price(&name).filter(|_| !provider.is_own),
            is_free: provider.is_own,
            name,
            window,
            calls_tools,
        };
        Ok(listed.into_iter().map(view).collect())
    }

    /// Looks for model servers on this machine. None is added.
    pub async fn find_servers(&self, caller: &Caller) -> Result<Vec<FoundServer>, Error> {
        require(caller, Scope::Admin)?;
        let found = self.source.host.discover().await.into_iter();
        Ok(found.map(|(provider, models)| FoundServer { provider, models }).collect())
    }
}
