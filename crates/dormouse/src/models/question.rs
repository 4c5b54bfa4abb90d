//! What a person is shown before a model is chosen.

use std::time::Duration;

use dormouse_agents::template::stock;
use dormouse_store::agent::agent_entity::{Agent, Automation};
use dormouse_store::agent::wake_run;
use dormouse_store::agent::work::definition::Definition;
use dormouse_store::agent::work::run;
use dormouse_store::in_list;
use dormouse_types::model_settings::{KeySource, ModelSettings, Provider};
use dormouse_types::port::ModelClass;
use dormouse_types::spend::{Budgets, Price};
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, Caller, Scope, TemplateId, Timestamp, WorkId};

use super::purpose::ensure_writes_summaries;
use super::{BUILT_IN, ChosenBy, KeptBackAgents, ModelQuestion, ModelUse, Purpose, ShortestRun};
use crate::request::require;
use crate::{Dormouse, Error};

/// What a request of a wake contains, for the question.
const SENT: [&str; 7] = [
    "the task: title, status, dates, estimate, labels, category",
    "its checklists and notes",
    "of tasks linked to it: title, status, priority, dates, times, labels, and the whole of the last report, up to 4 KiB",
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
pub(super) const NAMED: usize = 20;

/// What a request contains that folds memory.
const SENT_TO_SUMMARISE: [&str; 2] = [
    "older notes of the task and of the agent, once there are many",
    "the summary of what is older than those",
];

/// What a request of a run of agent work contains.
const SENT_BY_WORK: [&str; 4] = [
    "the title, instructions and steps of the agent work, and your corrections",
    "what its earlier runs did and said, your answers to their questions, and the body of a call that starts it",
    "the tasks that its runs look into: title, status, dates, category, checklists and notes",
    "lists of your tasks, where a run calls for them",
];

/// What a request of a session about a template contains.
const SENT_BY_SESSIONS: [&str; 4] = [
    "both directives of the template that a session is about, its last versions, and what you say in the session",
    "figures of the agents that follow it: wakes, failures, cost, and your decisions by kind of proposal",
    "the last reports and observations of these agents, shortened",
    "what the model noted in earlier sessions",
];

/// What each request contains, and what none does.
pub(super) fn contents(provider: &Provider, uses: &[ModelUse]) -> (Vec<String>, Vec<String>) {
    let of = |one: &ModelUse| match one {
        ModelUse::Wakes => &SENT[..],
        ModelUse::Runs => &SENT_BY_WORK[..],
        ModelUse::Sessions => &SENT_BY_SESSIONS[..],
        ModelUse::Summaries => &SENT_TO_SUMMARISE[..],
    };
    let sent = uses.iter().flat_map(of).map(|one| (*one).to_owned()).collect();
    (sent, never_sent(provider, uses))
}

/// What a provider is never sent.
fn never_sent(provider: &Provider, uses: &[ModelUse]) -> Vec<String> {
    let private = "tasks and notes that are private, and what was made from them";
    let categories = "tasks of other categories than those that you allowed";
    let is_of_one_task = |one: &ModelUse| matches!(one, ModelUse::Wakes | ModelUse::Summaries);
    let always: &[&str] = match uses.iter().all(is_of_one_task) {
        true => &[
            "the keys of providers",
            "tasks that are not linked to it, and the names of agents and tokens",
        ],
        // Runs may look into every task, and a session is about all agents that follow a template.
        false => &["the keys of providers, and the names of tokens"],
    };
    let private = (!provider.is_own).then_some(private);
    let categories = provider.categories.is_some().then_some(categories);
    private.into_iter().chain(categories).chain(always.iter().copied()).map(str::to_owned).collect()
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
    /// Nobody yet: a template of this kind is being made.
    NewTemplate(TemplateKind),
    /// An agent that is being made.
    NewAgent,
    /// The runs of a piece of agent work.
    Work(WorkId),
    /// The runs of agent work that is being made.
    NewWork,
}

/// Those who would ask the model, and those who would not.
struct InScope<'a> {
    agents: Vec<&'a Agent>,
    /// How many agents stay with a model of their own.
    stay: usize,
    work: Vec<Definition>,
    /// How many agents are being made.
    new_agents: usize,
    /// How many pieces of agent work are being made.
    new_work: usize,
    /// What the model would be used for.
    uses: Vec<ModelUse>,
}

impl InScope<'_> {
    /// Those of whom nobody asks the model yet.
    fn nobody(uses: Vec<ModelUse>) -> Self {
        Self { agents: Vec::new(), stay: 0, work: Vec::new(), new_agents: 0, new_work: 0, uses }
    }
}

/// What a template of a kind uses its model for; `leads` is whether sessions about templates follow it.
fn uses_of_kind(kind: TemplateKind, leads: bool) -> Vec<ModelUse> {
    match kind {
        TemplateKind::TaskAgent => vec![ModelUse::Wakes],
        TemplateKind::AgentWork => vec![ModelUse::Runs],
        TemplateKind::Improver if leads => vec![ModelUse::Sessions],
        // Sessions follow the one that comes with the program; agents may follow any.
        TemplateKind::Improver => vec![ModelUse::Wakes],
    }
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

    /// What a person should know before an agent, a template or agent work gets a model of its own.
    ///
    /// Errors: no such agent, template or work, or the model cannot be built.
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
        ensure_writes_summaries(id, purpose)?;
        let settings = self.model_settings(caller).await?;
        let (model, provider) = if id == BUILT_IN {
            (self.source.built_in.clone(), None)
        } else {
            let (provider, _) = self.provider_of(&settings, id)?;
            let wrong = |message| Error::Invalid { field: "model", message };
            (self.build(&settings, id).map_err(wrong)?, Some(provider))
        };
        let agents = self.live_agents(caller).await?;
        let found = self.in_scope(caller, &agents, scope).await?;
        let is_thinking = purpose == Purpose::Thinking;
        let InScope { agents: change, stay, work, new_agents, new_work, uses } = found;
        let uses = if is_thinking { uses } else { vec![ModelUse::Summaries] };
        let kept_back = match &provider {
            Some(provider) => self.kept_from(caller, provider, &change).await?,
            None => KeptBackAgents::default(),
        };
        let is_paid = model.class() == ModelClass::Paid;
        let off = if is_thinking && is_paid { self.automations_off(&change) } else { Vec::new() };
        let wakes = self.wakes_of_the_week(caller, &change).await?;
        let runs = if is_thinking { self.runs_of_the_week(caller, &work).await? } else { 0 };
        let price = model.price().filter(|_| is_paid && is_thinking);
        let cost_a_day = price.map(|price| cost_a_day(&price, wakes.saturating_add(runs)));
        let tool_mode = settings.known(id).and_then(|known| known.tool_mode);
        let shortest_run = is_paid.then(|| ShortestRun::of(&*model, tool_mode, TYPICAL_BYTES));
        // What summarises is asked once.
        let shortest_run = shortest_run.map(|run| if is_thinking { run } else { run.one_call() });
        // A test that came back without a key showed that none is needed.
        let needs_none =
            settings.known(id).is_some_and(|it| it.tool_mode.is_some() && !it.with_key);
        let misses_key = provider.as_ref().is_some_and(|provider| {
            let has_none = self.source.host.key(provider).source == KeySource::None;
            !provider.is_own && has_none && !needs_none
        });
        let (sent, never_sent) =
            provider.as_ref().map(|provider| contents(provider, &uses)).unwrap_or_default();
        let agents = change.len() + new_agents;
        let budget_a_day = match (is_thinking, scope) {
            (true, QuestionScope::Workspace | QuestionScope::Work(_) | QuestionScope::NewWork)
            | (false, _) => settings.budgets.workspace_day,
            (true, _) => budget_of(&settings.budgets, agents, &work),
        };
        Ok(ModelQuestion {
            price_source: cost_a_day.and_then(|_| self.price_source(&settings, id)),
            is_agreed: self.is_agreed(&settings, id, scope, (&change, &work)),
            one_call: shortest_run.map(|run| run.first),
            too_small: shortest_run.map(|run| run.too_small(&settings.budgets)).unwrap_or_default(),
            misses_key,
            id: id.to_owned(),
            sent,
            never_sent,
            uses,
            kept_back,
            categories: provider.as_ref().and_then(|provider| provider.categories.clone()),
            sent_to: provider.map_or_else(|| "here".to_owned(), |provider| provider.base_url),
            agents,
            agent_work: if is_thinking { work.len() + new_work } else { 0 },
            agents_that_stay: stay,
            automations_off: off.len(),
            automations_off_names: off.into_iter().take(NAMED).collect(),
            wakes_a_day: a_day(wakes),
            runs_a_day: a_day(runs),
            cost_a_day,
            budget_a_day,
        })
    }

    /// Who would ask the model, and how many stay with one of their own.
    async fn in_scope<'a>(
        &self,
        caller: &Caller,
        agents: &'a [Agent],
        scope: &QuestionScope,
    ) -> Result<InScope<'a>, Error> {
        let ws = caller.workspace;
        let all = agents.iter();
        let of_agents = |(agents, stay): (Vec<&'a Agent>, Vec<&'a Agent>), work, uses| InScope {
            agents,
            stay: stay.len(),
            work,
            ..InScope::nobody(uses)
        };
        let editor = stock::of_kind(TemplateKind::Improver).id();
        Ok(match scope {
            QuestionScope::Workspace => {
                let has_none = |one: &Definition| self.name_for_work(one).is_none();
                let work = self.work_that(caller, has_none).await?;
                let runs = (!work.is_empty()).then_some(ModelUse::Runs);
                let sessions = self.models.of_template(&editor).is_none();
                let sessions = sessions.then_some(ModelUse::Sessions);
                let uses = [ModelUse::Wakes].into_iter().chain(runs).chain(sessions).collect();
                of_agents(all.partition(|agent| self.own_name(agent).is_none()), work, uses)
            }
            QuestionScope::Agent(id) => {
                let found: Vec<&Agent> = all.filter(|agent| agent.id == *id).collect();
                if found.is_empty() {
                    return Err(Error::NotFound { what: "agent", id: id.to_string() });
                }
                of_agents((found, Vec::new()), Vec::new(), vec![ModelUse::Wakes])
            }
            QuestionScope::Template(id) => {
                // Refuses one that is not there.
                let template = self.queries.template(ws, id).await?.template;
                let is_stock = *id == stock::DEFAULT.id();
                let follows = |agent: &&Agent| match &agent.config.template_id {
                    Some(template) => template == id,
                    None => is_stock,
                };
                let agents = all.filter(follows).partition(|agent| agent.config.model.is_none());
                let follows =
                    |one: &Definition| one.template.as_ref() == Some(id) && one.model.is_none();
                let work = self.work_that(caller, follows).await?;
                let kind = template.kind.known().unwrap_or(TemplateKind::TaskAgent);
                let mut uses = uses_of_kind(kind, *id == editor);
                if !work.is_empty() && !uses.contains(&ModelUse::Runs) {
                    uses.push(ModelUse::Runs);
                }
                of_agents(agents, work, uses)
            }
            QuestionScope::NewTemplate(kind) => InScope::nobody(uses_of_kind(*kind, false)),
            QuestionScope::NewAgent => {
                InScope { new_agents: 1, ..InScope::nobody(vec![ModelUse::Wakes]) }
            }
            QuestionScope::Work(id) => InScope {
                work: vec![self.work.definition(ws, id).await?],
                ..InScope::nobody(vec![ModelUse::Runs])
            },
            QuestionScope::NewWork => {
                InScope { new_work: 1, ..InScope::nobody(vec![ModelUse::Runs]) }
            }
        })
    }

    /// The agent work with a language model of which something is true.
    pub(super) async fn work_that(
        &self,
        caller: &Caller,
        is_meant: impl Fn(&Definition) -> bool,
    ) -> Result<Vec<Definition>, Error> {
        let mut all = self.work.definitions(caller.workspace).await?;
        all.retain(|one| one.built_in.is_none() && is_meant(one));
        Ok(all)
    }

    /// The name of the model that runs of a definition ask, if it is not that of the workspace.
    pub(super) fn name_for_work(&self, work: &Definition) -> Option<String> {
        let of_template = || self.models.of_template(work.template.as_ref()?);
        work.model.clone().or_else(of_template)
    }

    /// The name of the model that an agent asks, if it is not that of the workspace.
    fn own_name(&self, agent: &Agent) -> Option<String> {
        let (own, template) = (&agent.config.model, &agent.config.template_id);
        self.models.name_for(own.as_deref(), template.as_ref())
    }

    /// The names of the agents that changes wake by themselves now, and would not with a model that
    /// costs money.
    pub(super) fn automations_off(&self, agents: &[&Agent]) -> Vec<String> {
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

    /// How many wakes of these agents, which would ask the model, completed in the last seven days.
    pub(super) async fn wakes_of_the_week(
        &self,
        caller: &Caller,
        agents: &[&Agent],
    ) -> Result<i64, Error> {
        let ws = caller.workspace;
        let since = self.a_week_ago();
        let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id.clone()).collect();
        let mut wakes: i64 = 0;
        for ids in ids.chunks(in_list::MOST) {
            let some = self.store.first(wake_run::completed_of_since(ws, ids, since)).await?;
            wakes = wakes.saturating_add(some.unwrap_or(0));
        }
        Ok(wakes)
    }

    /// How many runs of agent work started in the last seven days.
    pub(super) async fn runs_of_the_week(
        &self,
        caller: &Caller,
        work: &[Definition],
    ) -> Result<i64, Error> {
        let ids: Vec<WorkId> = work.iter().map(|work| work.id.clone()).collect();
        let mut runs: i64 = 0;
        for ids in ids.chunks(in_list::MOST) {
            let since = self.a_week_ago();
            let some =
                self.store.first(run::started_of_since(caller.workspace, ids, since)).await?;
            runs = runs.saturating_add(some.unwrap_or(0));
        }
        Ok(runs)
    }

    fn a_week_ago(&self) -> Timestamp {
        let week = i64::try_from(WEEK.as_micros()).unwrap_or(i64::MAX);
        Timestamp::from_micros(self.clock.now().micros().saturating_sub(week))
    }

    /// Whether the choice sends nothing to anybody whom a person did not agree to before: nothing leaves this
    /// machine, or it is the model that a person chose for the workspace, or nothing changes.
    fn is_agreed(
        &self,
        settings: &ModelSettings,
        id: &str,
        scope: &QuestionScope,
        (agents, work): (&[&Agent], &[Definition]),
    ) -> bool {
        let (chosen, by) = self.chosen(settings);
        let is_now = match scope {
            QuestionScope::Agent(_) => {
                agents.iter().all(|agent| self.own_name(agent).as_deref() == Some(id))
            }
            QuestionScope::Work(_) => work.iter().all(|work| {
                work.built_in.is_none() && self.name_for_work(work).as_deref() == Some(id)
            }),
            QuestionScope::Template(template) => {
                self.models.of_template(template).as_deref() == Some(id)
            }
            QuestionScope::Workspace
            | QuestionScope::NewTemplate(_)
            | QuestionScope::NewAgent
            | QuestionScope::NewWork => false,
        };
        id == BUILT_IN || is_now || (by != ChosenBy::Nobody && chosen == id)
    }
}

/// The most that these may spend a day: each agent has a budget of its own, and so has each run of agent work, within
/// that of all together. Units: micro-dollars.
fn budget_of(budgets: &Budgets, agents: usize, work: &[Definition]) -> i64 {
    let each = i64::try_from(agents).unwrap_or(i64::MAX).saturating_mul(budgets.agent_day);
    match work {
        [] if agents > 0 => each.min(budgets.workspace_day),
        _ => budgets.workspace_day,
    }
}

/// How many a day, of those of a week.
pub(super) fn a_day(of_the_week: i64) -> f64 {
    f64::from(u32::try_from(of_the_week).unwrap_or(u32::MAX)) / 7.0
}

/// What the wakes and runs of a week would cost a day. Units: micro-dollars.
pub(super) fn cost_a_day(price: &Price, of_the_week: i64) -> i64 {
    let one = u128::from(price.input) * u128::from(TYPICAL.0)
        + u128::from(price.output) * u128::from(TYPICAL.1);
    let week = one * u128::try_from(of_the_week).unwrap_or(0) / 1_000_000;
    i64::try_from(week / 7).unwrap_or(i64::MAX)
}
