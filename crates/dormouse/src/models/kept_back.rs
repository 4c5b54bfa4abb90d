//! Which categories a provider may be sent, and which agents that keeps from it.

use std::collections::BTreeMap;

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::subscription;
use dormouse_store::in_list;
use dormouse_store::journal::privacy::{self, PrivacyFacts};
use dormouse_types::audit::AuditAction;
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::model_settings::{AllowedCategories, ModelSettings, Provider, split_id};
use dormouse_types::{AgentId, Caller, Scope};

use super::{KeptBackAgents, ModelsView};
use crate::request::require;
use crate::{Dormouse, Error};

/// The most categories of a list.
const MOST: usize = 1000;

impl Dormouse {
    /// Sets which tasks a provider may be sent, by their categories; `None` means all. A provider
    /// that was only found is added, and stays unused. It counts from the next request on.
    ///
    /// Errors: there is no such provider, or no such category.
    pub async fn set_provider_categories(
        &self,
        caller: &Caller,
        name: &str,
        categories: Option<AllowedCategories>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let categories = match categories {
            None => None,
            Some(only) => Some(self.known_categories(caller, only).await?),
        };
        self.edit_models(caller, AuditAction::ModelsCategories, name, |settings| {
            let (found, _) = self.provider_of(settings, &format!("{name}/*"))?;
            if settings.provider(name).is_none() {
                settings.providers.push(found);
                settings.providers.sort_by(|a, b| a.name.cmp(&b.name));
            }
            for provider in settings.providers.iter_mut().filter(|known| known.name == name) {
                provider.categories.clone_from(&categories);
            }
            Ok(())
        })
        .await
    }

    /// Checks a list, and sorts it by id.
    async fn known_categories(
        &self,
        caller: &Caller,
        mut only: AllowedCategories,
    ) -> Result<AllowedCategories, Error> {
        only.ids.sort_unstable();
        only.ids.dedup();
        let wrong = |message| Error::Invalid { field: "categories", message };
        if only.ids.len() > MOST {
            return Err(wrong(format!("give {MOST} categories at most")));
        }
        let known = self.categories(caller).await?;
        match only.ids.iter().find(|id| known.iter().all(|one| one.id != **id)) {
            None => Ok(only),
            Some(id) => {
                Err(wrong(format!("there is no category {id}: list the categories for their ids")))
            }
        }
    }

    /// Counts the agents whose tasks a provider may not be sent, of those that are given.
    pub(super) async fn kept_from(
        &self,
        caller: &Caller,
        provider: &Provider,
        agents: &[&Agent],
    ) -> Result<KeptBackAgents, Error> {
        let facts = self.facts_of_tasks(caller, agents).await?;
        Ok(counted(provider, agents.iter().filter_map(|agent| facts.get(&agent.id))))
    }

    /// Counts for each provider the agents that ask one of its models and whose tasks it may not be
    /// sent.
    pub(super) async fn kept_from_each(
        &self,
        caller: &Caller,
        settings: &ModelSettings,
        default: &str,
    ) -> Result<BTreeMap<String, KeptBackAgents>, Error> {
        let agents = self.live_agents(caller).await?;
        let agents: Vec<&Agent> = agents.iter().collect();
        let facts = self.facts_of_tasks(caller, &agents).await?;
        let asks = |agent: &Agent, provider: &Provider| {
            let model = self.name_of_model(agent, default);
            split_id(&model).is_some_and(|(name, _)| name == provider.name)
        };
        let of = |provider: &Provider| {
            let its = agents.iter().filter(|agent| asks(agent, provider));
            counted(provider, its.filter_map(|agent| facts.get(&agent.id)))
        };
        let each = settings.providers.iter();
        Ok(each.map(|provider| (provider.name.clone(), of(provider))).collect())
    }

    /// Reads what decides who may be sent the tasks of agents. One that cannot be read is `None`.
    async fn facts_of_tasks(
        &self,
        caller: &Caller,
        agents: &[&Agent],
    ) -> Result<BTreeMap<AgentId, Option<PrivacyFacts>>, Error> {
        let ws = caller.workspace;
        let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        let mut facts = BTreeMap::new();
        for ids in ids.chunks(in_list::MOST) {
            let own = self.store.all(subscription::own_of_agents(ws, ids)).await?;
            let tasks: Vec<String> = own.iter().map(|own| own.task.to_string()).collect();
            let rows = self.store.all(privacy::of_some(ws, &tasks)).await?.into_iter();
            let by_task: BTreeMap<String, Option<PrivacyFacts>> =
                rows.map(|row| (row.id, row.facts)).collect();
            facts.extend(own.into_iter().filter_map(|own| {
                let of_task = by_task.get(&own.task.to_string())?;
                Some((own.agent, of_task.clone()))
            }));
        }
        Ok(facts)
    }
}

fn counted<'f>(
    provider: &Provider,
    tasks: impl Iterator<Item = &'f Option<PrivacyFacts>>,
) -> KeptBackAgents {
    let mut counted = KeptBackAgents::default();
    for facts in tasks {
        match kept_back(provider, facts.as_ref()) {
            Some(KeptBackReason::Private) => counted.private += 1,
            Some(KeptBackReason::Category) => counted.category += 1,
            None => {}
        }
    }
    counted
}

/// Why a provider may not be sent a task; the same rule as that of the gate.
fn kept_back(provider: &Provider, facts: Option<&PrivacyFacts>) -> Option<KeptBackReason> {
    let Some(facts) = facts else { return Some(KeptBackReason::Private) };
    if facts.is_private && !provider.is_own {
        return Some(KeptBackReason::Private);
    }
    let only = provider.categories.as_ref()?;
    (!only.allows(facts.category.as_ref())).then_some(KeptBackReason::Category)
}
