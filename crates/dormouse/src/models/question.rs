//! What a person is shown before a model is chosen.

use std::time::Duration;

use dormouse_store::agent::agent_entity::{Agent, Automation};
use dormouse_store::agent::wake_run;
use dormouse_types::model_settings::{KeySource, Provider};
use dormouse_types::port::ModelClass;
use dormouse_types::spend::reservation;
use dormouse_types::{Caller, Scope};

use super::{BUILT_IN, KeptBackAgents, ModelQuestion, Purpose, TooSmallBudget};
use crate::request::require;
use crate::{Dormouse, Error};

/// What a request of a wake contains, for the question.
const SENT: [&str; 7] = [
    "the task: title, status, dates, estimate, labels, category",
    "its checklists and notes",
    "of tasks linked to it: title, status, dates, and the summary of the last report",
    "what changed since the last wake",
    "what the agent noted earlier, and the summary of its last report",
    "your latest decisions on its proposals, with their reasons",
    "what you say to the agent",
];

/// What a typical wake sends and gets, for an estimate before there are figures. Units: tokens.
const TYPICAL: (u64, u64) = (6_000, 1_000);

/// Units: bytes. The size of such a request, at four bytes a token.
const TYPICAL_BYTES: u64 = 4 * TYPICAL.0;

/// The most agents that are named.
const NAMED: usize = 20;

/// What a request contains that folds memory.
const SENT_TO_SUMMARISE: [&str; 2] = [
    "older notes of the task and of the agent, once there are many",
    "the summary of what is older than those",
];

/// What a provider is never sent.
fn never_sent(provider: &Provider) -> Vec<String> {
    let private = "tasks and notes that are private, and what was made from them";
    let categories = "tasks of other categories than those that you allowed";
    let always = [
        "the keys of providers",
        "tasks that are not linked to it, and the names of agents and tokens",
    ];
    let private = (!provider.is_own).then_some(private);
    let categories = provider.categories.is_some().then_some(categories);
    private.into_iter().chain(categories).chain(always).map(str::to_owned).collect()
}

impl Dormouse {
    /// What a person should know before [`Dormouse::use_model`] or [`Dormouse::summarise_with`].
    pub async fn model_question(
        &self,
        caller: &Caller,
        id: &str,
        purpose: Purpose,
    ) -> Result<ModelQuestion, Error> {
        require(caller, Scope::Read)?;
        let settings = self.model_settings(caller).await?;
        let (model, provider) = if id == BUILT_IN {
            (self.source.built_in.clone(), None)
        } else {
            let (provider, _) = self.provider_of(&settings, id)?;
            let wrong = |message| Error::Invalid { field: "model", message };
            (self.build(&settings, id).map_err(wrong)?, Some(provider))
        };
        let agents = self.live_agents(caller).await?;
        let (stay, change): (Vec<&Agent>, Vec<&Agent>) = agents.iter().partition(|agent| {
            let (own, template) = (&agent.config.model, &agent.config.template_id);
            self.models.name_for(own.as_deref(), template.as_ref()).is_some()
        });
        let kept_back = match &provider {
            Some(provider) => self.kept_from(caller, provider, &change).await?,
            None => KeptBackAgents::default(),
        };
        let was_free = self.models.default_model().class() == ModelClass::Free;
        let is_paid = model.class() == ModelClass::Paid;
        let goes_off =
            |agent: &&&Agent| agent.config.automation == Automation::Auto && !agent.config.by_name;
        let is_thinking = purpose == Purpose::Thinking;
        let turns_off = is_thinking && is_paid && was_free;
        let mut off: Vec<String> = Vec::new();
        if turns_off {
            let agents = change.iter().filter(goes_off);
            off.extend(agents.map(|agent| agent.display_name.clone()));
        }
        off.sort();
        let week = Duration::from_secs(7 * 24 * 3600);
        let now = self.clock.now();
        let since = dormouse_types::Timestamp::from_micros(
            now.micros().saturating_sub(i64::try_from(week.as_micros()).unwrap_or(i64::MAX)),
        );
        let wakes = self.store.first(wake_run::completed_since(caller.workspace, since)).await?;
        let wakes_a_day = f64::from(u32::try_from(wakes.unwrap_or(0)).unwrap_or(u32::MAX)) / 7.0;
        let cost_a_day = model.price().filter(|_| is_paid && is_thinking).map(|price| {
            let wake = u128::from(price.input) * u128::from(TYPICAL.0)
                + u128::from(price.output) * u128::from(TYPICAL.1);
            let week = wake * u128::try_from(wakes.unwrap_or(0)).unwrap_or(0) / 1_000_000;
            i64::try_from(week / 7).unwrap_or(i64::MAX)
        });
        let one_call =
            is_paid.then(|| reservation(model.price().as_ref(), TYPICAL_BYTES, model.max_output()));
        let misses_key = provider.as_ref().is_some_and(|provider| {
            !provider.is_own && self.source.host.key(provider).source == KeySource::None
        });
        Ok(ModelQuestion {
            one_call,
            too_small: one_call
                .map(|call| TooSmallBudget::for_call(&settings.budgets, call))
                .unwrap_or_default(),
            misses_key,
            id: id.to_owned(),
            sent: match (&provider, purpose) {
                (None, _) => Vec::new(),
                (Some(_), Purpose::Thinking) => SENT.map(str::to_owned).to_vec(),
                (Some(_), Purpose::Summarising) => SENT_TO_SUMMARISE.map(str::to_owned).to_vec(),
            },
            never_sent: provider.as_ref().map(never_sent).unwrap_or_default(),
            kept_back,
            categories: provider.as_ref().and_then(|provider| provider.categories.clone()),
            sent_to: provider.map_or_else(|| "here".to_owned(), |provider| provider.base_url),
            agents: change.len(),
            agents_that_stay: stay.len(),
            automations_off: off.len(),
            automations_off_names: off.into_iter().take(NAMED).collect(),
            wakes_a_day,
            cost_a_day,
            budget_a_day: settings.budgets.workspace_day,
        })
    }
}
