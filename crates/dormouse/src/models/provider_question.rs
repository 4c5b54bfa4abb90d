//! What a person is shown before a provider that is in use gets another address, or begins or ceases to be their own.

use std::collections::BTreeSet;

use dormouse_agents::template::stock;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::work::definition::Definition;
use dormouse_types::model_settings::{KeySource, ModelSettings, Provider, split_id};
use dormouse_types::template::TemplateKind;
use dormouse_types::work::WorkState;
use dormouse_types::{Caller, Scope};

use super::question::{NAMED, a_day, contents, cost_a_day};
use super::{KeptBackAgents, ModelUse, ProviderQuestion};
use crate::request::require;
use crate::{Dormouse, Error};

/// Who uses the models of a provider.
struct InUse<'a> {
    /// The models, by name; one that only new agents would ask is among them.
    models: BTreeSet<String>,
    agents: Vec<&'a Agent>,
    work: Vec<Definition>,
    uses: Vec<ModelUse>,
}

impl Dormouse {
    /// What a person should know before [`Dormouse::put_provider`].
    ///
    /// Errors: a name or an address that is not possible.
    pub async fn provider_question(
        &self,
        caller: &Caller,
        provider: Provider,
    ) -> Result<ProviderQuestion, Error> {
        require(caller, Scope::Read)?;
        let wrong = |message| Error::Invalid { field: "provider", message };
        let after = self.source.host.checked(provider).map_err(wrong)?;
        let settings = self.model_settings(caller).await?;
        let any = format!("{}/*", after.name);
        let before = self.provider_of(&settings, &any);
        let before = before.map_or_else(|_| after.clone(), |(before, _)| before);
        let after = Provider { categories: before.categories.clone(), ..after };
        let live = self.live_agents(caller).await?;
        let InUse { models, agents, work, uses } =
            self.in_use(caller, &settings, &after.name, &live).await?;
        let kept_back = self.kept_from(caller, &after, &agents).await?;
        let kept_now = self.kept_from(caller, &before, &agents).await?;
        let becomes_own = after.is_own && !before.is_own;
        let becomes_paid = before.is_own && !after.is_own;
        let off = if becomes_paid { self.automations_off(&agents) } else { Vec::new() };
        let (wakes, runs, cost_a_day) =
            self.cost_of_use(caller, &settings, &after, (&models, &agents, &work)).await?;
        let (sent, never_sent) = contents(&after, &uses);
        let has_no_key = self.source.host.key(&after).source == KeySource::None;
        let is_same = before.base_url == after.base_url && before.is_own == after.is_own;
        let total = |kept: KeptBackAgents| kept.private + kept.category;
        Ok(ProviderQuestion {
            is_agreed: models.is_empty() || is_same,
            models: models.into_iter().collect(),
            sent_to_now: before.base_url,
            becomes_own,
            becomes_paid,
            uses,
            sent,
            never_sent,
            agents: agents.len(),
            agent_work: work.len(),
            opened_agents: total(kept_now).saturating_sub(total(kept_back)),
            kept_back,
            automations_off: off.len(),
            automations_off_names: off.into_iter().take(NAMED).collect(),
            wakes_a_day: a_day(wakes),
            runs_a_day: a_day(runs),
            cost_a_day,
            is_free: after.is_own,
            budget_a_day: settings.budgets.workspace_day,
            misses_key: has_no_key && !after.is_own,
            sent_to: after.base_url,
        })
    }

    /// The models of a provider that somebody asks, or would ask without a further question.
    async fn in_use<'a>(
        &self,
        caller: &Caller,
        settings: &ModelSettings,
        provider: &str,
        live: &'a [Agent],
    ) -> Result<InUse<'a>, Error> {
        let is_its = |id: &str| split_id(id).is_some_and(|(of, _)| of == provider);
        let (chosen, _) = self.chosen(settings);
        let agents: Vec<&Agent> =
            live.iter().filter(|agent| is_its(&self.name_of_model(agent, &chosen))).collect();
        let of_work = |one: &Definition| self.name_for_work(one).unwrap_or_else(|| chosen.clone());
        let asks = |one: &Definition| one.state != WorkState::Archived && is_its(&of_work(one));
        let work = self.work_that(caller, asks).await?;
        let editor = stock::of_kind(TemplateKind::Improver).id();
        let of_sessions = self.models.of_template(&editor).unwrap_or_else(|| chosen.clone());
        let summarising = settings.summarising.as_deref().filter(|id| is_its(id));
        let is_chosen = is_its(&chosen);
        let templates = self.models.named_by_templates();
        let models: BTreeSet<String> = (agents.iter())
            .map(|agent| self.name_of_model(agent, &chosen))
            .chain(work.iter().map(of_work))
            .chain(templates.into_iter().filter(|id| is_its(id)))
            .chain(is_chosen.then(|| chosen.clone()))
            .chain(summarising.map(str::to_owned))
            .collect();
        let thinks = models.iter().any(|id| Some(id.as_str()) != summarising);
        let uses = [
            (!agents.is_empty() || thinks).then_some(ModelUse::Wakes),
            (!work.is_empty()).then_some(ModelUse::Runs),
            is_its(&of_sessions).then_some(ModelUse::Sessions),
            summarising.map(|_| ModelUse::Summaries),
        ];
        Ok(InUse { models, agents, work, uses: uses.into_iter().flatten().collect() })
    }

    /// How many wakes and runs there were in the last week, and what as many would cost a day.
    async fn cost_of_use(
        &self,
        caller: &Caller,
        settings: &ModelSettings,
        provider: &Provider,
        (models, agents, work): (&BTreeSet<String>, &[&Agent], &[Definition]),
    ) -> Result<(i64, i64, Option<i64>), Error> {
        let (chosen, _) = self.chosen(settings);
        let (mut wakes, mut runs, mut cost) = (0_i64, 0_i64, Some(0_i64));
        for id in models {
            let its: Vec<&Agent> = (agents.iter().copied())
                .filter(|agent| self.name_of_model(agent, &chosen) == *id)
                .collect();
            let of_work = |one: &&Definition| {
                self.name_for_work(one).unwrap_or_else(|| chosen.clone()) == *id
            };
            let its_work: Vec<Definition> = work.iter().filter(of_work).cloned().collect();
            let n_wakes = self.wakes_of_the_week(caller, &its).await?;
            let n_runs = self.runs_of_the_week(caller, &its_work).await?;
            wakes = wakes.saturating_add(n_wakes);
            runs = runs.saturating_add(n_runs);
            let price = settings.known(id).and_then(|known| known.price);
            let listed = || {
                let (_, name) = split_id(id)?;
                self.source.host.price(provider, name).map(|listed| listed.price)
            };
            let price = price.or_else(listed).filter(|_| !provider.is_own);
            cost = match (cost, price) {
                (Some(cost), Some(price)) => {
                    let more = cost_a_day(&price, n_wakes.saturating_add(n_runs));
                    Some(cost.saturating_add(more))
                }
                _ => None,
            };
        }
        Ok((wakes, runs, cost))
    }
}
