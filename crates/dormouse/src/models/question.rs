//! What a person is shown before a model is chosen.

use std::time::Duration;

use dormouse_agents::template::stock;
use dormouse_store::agent::agent_entity::{Agent, Automation};
use dormouse_store::agent::wake_run;
use dormouse_store::in_list;
use dormouse_types::model_settings::{KeySource, ModelSettings, Provider};
use dormouse_types::port::ModelClass;
use dormouse_types::spend::reservation;
use dormouse_types::{AgentId, Caller, Scope, TemplateId, Timestamp};

use super::{BUILT_IN, ChosenBy, KeptBackAgents, ModelQuestion, Purpose, TooSmallBudget};
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

/// The wakes of this time are what a model would cost a day.
const WEEK: Duration = Duration::from_secs(7 * 24 * 3600);

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

/// Who would ask the model that a person is choosing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum QuestionScope {
    /// All agents without a model of their own or of their template.
    Workspace,
    /// One agent, which gets a model of its own.
    Agent(AgentId),
    /// The agents that follow a template and have no model of their own.
    Template(TemplateId),
    /// Nobody yet: the template is being made.
    NewTemplate,
}

impl Dormouse {
    /// What a person should know before [`Dormouse::use_model`] or [`Dormouse::summarise_with`].
    pub async fn model_question(
        &self,
        caller: &Caller,
        id: &str,
        purpose: Purpose,
    ) -> Result<ModelQuestion, Error> {
        self.question_about(caller, id, purpose, &QuestionScope::Workspace).await
    }

    /// What a person should know before an agent or a template gets a model of its own.
    ///
    /// Errors: no such agent or template, or the model cannot be built.
    pub async fn own_model_question(
        &self,
        caller: &Caller,
        id: &str,
        scope: &QuestionScope,
    ) -> Result<ModelQuestion, Error> {
        self.question_about(caller, id, Purpose::Thinking, scope).await
    }

    async fn question_about(
        &self,
        caller: &Caller,
        id: &str,
        purpose: Purpose,
        scope: &QuestionScope,
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
        let (change, stay) = self.in_scope(caller, &agents, scope).await?;
        let kept_back = match &provider {
            Some(provider) => self.kept_from(caller, provider, &change).await?,
            None => KeptBackAgents::default(),
        };
        let is_paid = model.class() == ModelClass::Paid;
        let is_thinking = purpose == Purpose::Thinking;
        let off = if is_thinking && is_paid { self.automations_off(&change) } else { Vec::new() };
        let wakes = self.wakes_of_the_week(caller, scope, &change).await?;
        let wakes_a_day = f64::from(u32::try_from(wakes).unwrap_or(u32::MAX)) / 7.0;
        let cost_a_day = model.price().filter(|_| is_paid && is_thinking).map(|price| {
            let wake = u128::from(price.input) * u128::from(TYPICAL.0)
                + u128::from(price.output) * u128::from(TYPICAL.1);
            let week = wake * u128::try_from(wakes).unwrap_or(0) / 1_000_000;
            i64::try_from(week / 7).unwrap_or(i64::MAX)
        });
        let one_call =
            is_paid.then(|| reservation(model.price().as_ref(), TYPICAL_BYTES, model.max_output()));
        let misses_key = provider.as_ref().is_some_and(|provider| {
            !provider.is_own && self.source.host.key(provider).source == KeySource::None
        });
        Ok(ModelQuestion {
            is_agreed: self.is_agreed(&settings, id, scope, &change),
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
            agents_that_stay: stay,
            automations_off: off.len(),
            automations_off_names: off.into_iter().take(NAMED).collect(),
            wakes_a_day,
            cost_a_day,
            budget_a_day: settings.budgets.workspace_day,
        })
    }

    /// The agents that would ask the model, and how many stay with one of their own.
    async fn in_scope<'a>(
        &self,
        caller: &Caller,
        agents: &'a [Agent],
        scope: &QuestionScope,
    ) -> Result<(Vec<&'a Agent>, usize), Error> {
        let all = agents.iter();
        let (change, stay): (Vec<&Agent>, Vec<&Agent>) = match scope {
            QuestionScope::Workspace => all.partition(|agent| self.own_name(agent).is_none()),
            QuestionScope::Agent(id) => {
                let found: Vec<&Agent> = all.filter(|agent| agent.id == *id).collect();
                if found.is_empty() {
                    return Err(Error::NotFound { what: "agent", id: id.to_string() });
                }
                (found, Vec::new())
            }
            QuestionScope::Template(id) => {
                // Refuses one that is not there.
                self.queries.template(caller.workspace, id).await?;
                let is_stock = *id == stock::DEFAULT.id();
                let follows = |agent: &&Agent| match &agent.config.template_id {
                    Some(template) => template == id,
                    None => is_stock,
                };
                all.filter(follows).partition(|agent| agent.config.model.is_none())
            }
            QuestionScope::NewTemplate => (Vec::new(), Vec::new()),
        };
        Ok((change, stay.len()))
    }

    /// The name of the model that an agent asks, if it is not that of the workspace.
    fn own_name(&self, agent: &Agent) -> Option<String> {
        let (own, template) = (&agent.config.model, &agent.config.template_id);
        self.models.name_for(own.as_deref(), template.as_ref())
    }

    /// The names of the agents that changes wake by themselves now, and would not with a model that
    /// costs money.
    fn automations_off(&self, agents: &[&Agent]) -> Vec<String> {
        let goes_off = |agent: &&&Agent| {
            let now = self.models.named(self.own_name(agent).as_deref());
            agent.config.automation == Automation::Auto
                && !agent.config.by_name
                && now.class() == ModelClass::Free
        };
        let off = agents.iter().filter(goes_off);
        let mut off: Vec<String> = off.map(|agent| agent.display_name.clone()).collect();
        off.sort();
        off
    }

    /// How many wakes completed in the last seven days: those of the workspace, or those of the agents that
    /// would ask the model.
    async fn wakes_of_the_week(
        &self,
        caller: &Caller,
        scope: &QuestionScope,
        agents: &[&Agent],
    ) -> Result<i64, Error> {
        let ws = caller.workspace;
        let week = i64::try_from(WEEK.as_micros()).unwrap_or(i64::MAX);
        let since = Timestamp::from_micros(self.clock.now().micros().saturating_sub(week));
        if *scope == QuestionScope::Workspace {
            let wakes = self.store.first(wake_run::completed_since(ws, since)).await?;
            return Ok(wakes.unwrap_or(0));
        }
        let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        let mut wakes: i64 = 0;
        for ids in ids.chunks(in_list::MOST) {
            let some = self.store.first(wake_run::completed_of_since(ws, ids, since)).await?;
            wakes = wakes.saturating_add(some.unwrap_or(0));
        }
        Ok(wakes)
    }

    /// Whether the choice sends nothing to anybody whom a person did not agree to before: nothing leaves this
    /// machine, or it is the model that a person chose for the workspace, or nothing changes.
    fn is_agreed(
        &self,
        settings: &ModelSettings,
        id: &str,
        scope: &QuestionScope,
        change: &[&Agent],
    ) -> bool {
        let (chosen, by) = self.chosen(settings);
        let is_now = match scope {
            QuestionScope::Agent(_) => {
                change.iter().all(|agent| self.own_name(agent).as_deref() == Some(id))
            }
            QuestionScope::Template(template) => {
                self.models.of_template(template).as_deref() == Some(id)
            }
            QuestionScope::Workspace | QuestionScope::NewTemplate => false,
        };
        id == BUILT_IN || is_now || (by != ChosenBy::Nobody && chosen == id)
    }
}
