//! Models: which there are, which one thinks, what they cost.
//!
//! A key or a server that was found makes a provider usable; nothing is sent to it until a person
//! chose it. No model ever steps in for another.

mod indirect;
mod kept_back;
mod loading;
mod once_more;
mod price;
mod probing;
mod provider_question;
mod forgetting;
mod providers;
mod purpose;
mod question;
mod test_call;
mod test_model;
mod view;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;

use dormouse_store::agent::agent_entity::{Agent, Lifecycle};
use dormouse_store::agent::breaker::{self, Breaker};
use dormouse_store::agent::{entity, model_call, model_setting, spend, wake_queue};
use dormouse_store::{Audit, ChangeRow, Commit, CommitError, Db, Policy, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::memory::FoldLimits;
use dormouse_types::model_settings::{KnownModel, ModelHost, ModelSettings, Provider};
use dormouse_types::port::{Model, ModelClass};
use dormouse_types::spend::Budgets;
use dormouse_types::{Caller, EventKind, Origin, Scope};
use jiff::civil::Date;

pub use indirect::{ModelChoice, OwnModel};
pub use once_more::BudgetScope;
pub(crate) use probing::RunProber;
pub use purpose::Purpose;
pub use question::QuestionScope;
pub(crate) use view::ShortestRun;
pub use view::{
    ChosenBy, FoundServer, KeptBackAgents, ModelQuestion, ModelTestView, ModelUse, ModelView,
    ModelsView, OfferedModelView, PriceSource, ProviderQuestion, ProviderView, TestFailure,
    TooSmallBudget, UsageDay, WindowSource,
};

use crate::request::require;
use crate::{Dormouse, Error};

/// The name of the model that is built in.
pub const BUILT_IN: &str = "builtin";

/// How often an edit of the settings is decided on fresh rows.
const ATTEMPTS: Policy = Policy::CONTENDED;

/// Units: micro-dollars, or tokens. A budget above it is a mistake.
const LARGEST_BUDGET: i64 = 1_000_000_000_000;

/// The most days of one answer about usage.
const USAGE_DAYS: i32 = 400;

/// An edit of the settings that cannot be made.
enum EditError {
    /// Refused in words.
    No(Error),
    /// The store.
    Commit(CommitError),
}

impl From<CommitError> for EditError {
    fn from(error: CommitError) -> Self {
        Self::Commit(error)
    }
}

impl From<dormouse_store::ReadError> for EditError {
    fn from(error: dormouse_store::ReadError) -> Self {
        Self::No(error.into())
    }
}

impl dormouse_store::MaybeRefused for EditError {
    fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::No(_) => None,
            Self::Commit(error) => error.refusal(),
        }
    }
}

impl Dormouse {
    /// The same services with other models besides the built-in one. `by_environment` names the model
    /// of workspaces in which nobody chose one.
    ///
    /// Call [`Dormouse::load_models`] before any agent runs.
    #[must_use]
    pub fn with_model_host(
        mut self,
        host: Arc<dyn ModelHost>,
        by_environment: Option<String>,
    ) -> Self {
        self.source.host = host;
        self.source.by_environment = by_environment;
        self.prober.set(self.model_tests());
        self
    }

    /// Makes the models of the workspace known to its agents, if the settings have changed since.
    ///
    /// Errors: the settings cannot be read; the models stay as they are.
    pub async fn load_models(&self) -> Result<(), Error> {
        self.source.load(&self.store, &self.models).await
    }

    fn build(&self, settings: &ModelSettings, id: &str) -> Result<Arc<dyn Model>, String> {
        self.source.build(settings, id)
    }

    /// Builds a model that a person asks about, whether or not it is known here.
    pub(crate) async fn model_to_be(
        &self,
        caller: &Caller,
        id: &str,
    ) -> Result<Arc<dyn Model>, Error> {
        if id == BUILT_IN {
            return Ok(self.source.built_in.clone());
        }
        let settings = self.model_settings(caller).await?;
        self.provider_of(&settings, id)?;
        self.build(&settings, id).map_err(|message| Error::Invalid { field: "model", message })
    }

    fn provider_of<'a>(
        &self,
        settings: &ModelSettings,
        id: &'a str,
    ) -> Result<(Provider, &'a str), Error> {
        self.source.provider_of(settings, id)
    }

    fn chosen(&self, settings: &ModelSettings) -> (String, ChosenBy) {
        self.source.chosen(settings)
    }

    pub(crate) async fn model_settings(&self, caller: &Caller) -> Result<ModelSettings, Error> {
        let stored = self.store.first(model_setting::of_workspace(caller.workspace)).await?;
        Ok(stored.map(|stored| stored.settings).unwrap_or_default())
    }

    /// Edits the settings and makes them known; the edit is decided again if somebody else's came
    /// first. Whatever wakes waited for, a provider, a budget or the switch, may be another matter
    /// with the new settings: they are due at once, and put off again if it is not. A provider that was
    /// held is asked again only if the edit is about it.
    async fn edit_models(
        &self,
        caller: &Caller,
        action: AuditAction,
        object: &str,
        edit: impl Fn(&mut ModelSettings) -> Result<(), Error>,
    ) -> Result<ModelsView, Error> {
        self.edit_models_with(caller, (action, String::new()), object, edit).await
    }

    /// The same with a detail for the audit log.
    async fn edit_models_with(
        &self,
        caller: &Caller,
        (action, detail): (AuditAction, String),
        object: &str,
        edit: impl Fn(&mut ModelSettings) -> Result<(), Error>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        let ws = caller.workspace;
        let edited = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let stored = self.store.first(model_setting::of_workspace(ws)).await?;
            let revision = stored.as_ref().map_or(0, |stored| stored.revision);
            let mut settings = stored.map(|stored| stored.settings).unwrap_or_default();
            edit(&mut settings).map_err(EditError::No)?;
            let closed = self.store.all(breaker::all(ws)).await?;
            let is_freed = |closed: &&Breaker| is_freed(action, object, &closed.provider);
            let again = closed.iter().filter(is_freed);
            let again = again.map(|closed| breaker::delete(ws, &closed.provider));
            let now = self.clock.now();
            let commit = Commit::new("models.edit", Db::Agent, ws)
                .op(model_setting::put(ws, revision, &settings))
                .ops(again)
                .op(spend::end_holds(ws, now.day_in(&self.zone.get())))
                .op(wake_queue::release_put_off(ws, now))
                .change(ChangeRow::agent(
                    Origin::Person { via: None },
                    EventKind::ModelsChanged,
                    None,
                    object,
                ))
                .audit(Audit {
                    actor: caller.actor.clone(),
                    action,
                    object: object.to_owned(),
                    detail: detail.clone(),
                });
            self.store.commit(commit).await?;
            Ok::<_, EditError>(())
        })
        .await;
        match edited {
            Ok(()) => {}
            Err(EditError::No(error)) => return Err(error),
            Err(EditError::Commit(error)) => return Err(error.into()),
        }
        self.load_models().await?;
        self.view_of_models(caller).await
    }

    /// Providers, models and budgets.
    pub async fn models(&self, caller: &Caller) -> Result<ModelsView, Error> {
        require(caller, Scope::Read)?;
        self.view_of_models(caller).await
    }

    async fn view_of_models(&self, caller: &Caller) -> Result<ModelsView, Error> {
        let settings = self.model_settings(caller).await?;
        let (model, chosen_by) = self.chosen(&settings);
        let agents = self.agents_by_model(caller, &model).await?;
        let mut ids: Vec<&str> = vec![BUILT_IN];
        ids.extend(settings.models.iter().map(|known| known.id.as_str()));
        if !ids.contains(&model.as_str()) {
            ids.push(&model);
        }
        let models = ids.into_iter().map(|id| self.model_view(&settings, id, &agents)).collect();
        let is_added = |found: &Provider| settings.provider(&found.name).is_some();
        let found = self.source.host.found().into_iter().filter(|found| !is_added(found));
        let mut kept_from = self.kept_from_each(caller, &settings, &model).await?;
        let mut view = |provider: Provider| {
            let kept_back = kept_from.remove(&provider.name).unwrap_or_default();
            self.provider_view(provider, kept_back)
        };
        Ok(ModelsView {
            chosen_by,
            models,
            providers: settings.providers.iter().cloned().map(&mut view).collect(),
            found: found.map(&mut view).collect(),
            known: self.source.host.known(),
            summarising: settings.summarising,
            paid_calls: settings.paid_calls,
            budgets: settings.budgets,
            problems: self.problems_of_models(&settings.providers),
            model,
        })
    }

    /// What is wrong with keys and prices: also prices of a provider that nobody knows.
    fn problems_of_models(&self, added: &[Provider]) -> Vec<String> {
        let host = &self.source.host;
        let others = [host.known(), host.local(), host.found()].concat();
        let is_there = |name: &String| added.iter().chain(&others).any(|one| one.name == *name);
        let strange = host.priced().into_iter().filter(|name| !is_there(name)).map(|name| {
            format!("your prices name the provider {name}, which is neither added nor known: correct its name, or add it")
        });
        host.problems().into_iter().chain(strange).collect()
    }

    fn model_view(
        &self,
        settings: &ModelSettings,
        id: &str,
        agents: &BTreeMap<String, usize>,
    ) -> ModelView {
        let built = if id == BUILT_IN {
            Ok(self.source.built_in.clone())
        } else {
            self.build(settings, id)
        };
        let known = settings.known(id);
        let window = (id != BUILT_IN).then(|| view::window_of(known));
        let (window, window_source) = window.unzip();
        let folds = window.map(FoldLimits::of_window);
        ModelView {
            tool_mode: known.and_then(|known| known.tool_mode),
            why_not_native: known.and_then(|known| known.why_not_native.clone()),
            calls_nothing: known.is_some_and(|known| known.calls_nothing),
            window,
            window_source,
            folds_at: folds.map(|folds| folds.fold_at),
            keeps: folds.map(|folds| folds.keep),
            price: built.as_ref().ok().and_then(|model| model.price()),
            price_source: self.price_source(settings, id),
            is_free: built.as_ref().is_ok_and(|model| model.class() == ModelClass::Free),
            agents: agents.get(id).copied().unwrap_or_default(),
            problem: built.err(),
            id: id.to_owned(),
        }
    }

    fn provider_view(&self, provider: Provider, kept_back: KeptBackAgents) -> ProviderView {
        let key = self.source.host.key(&provider);
        ProviderView {
            provider,
            key: key.source,
            key_variable: key.variable,
            key_last_four: key.last_four,
            kept_back,
        }
    }

    /// How many agents ask each model. Destroyed ones ask none.
    async fn agents_by_model(
        &self,
        caller: &Caller,
        default: &str,
    ) -> Result<BTreeMap<String, usize>, Error> {
        let mut counted = BTreeMap::new();
        for agent in self.live_agents(caller).await? {
            let model = self.name_of_model(&agent, default);
            *counted.entry(model).or_default() += 1;
        }
        Ok(counted)
    }

    /// The name of the model that an agent asks: its own, that of its template, or the default.
    pub(crate) fn name_of_model(&self, agent: &Agent, default: &str) -> String {
        let (own, template) = (&agent.config.model, &agent.config.template_id);
        let name = self.models.name_for(own.as_deref(), template.as_ref());
        name.unwrap_or_else(|| default.to_owned())
    }

    async fn live_agents(&self, caller: &Caller) -> Result<Vec<Agent>, Error> {
        let all = self.store.each(entity::of_kind::<Agent>(caller.workspace)).await?;
        let all = all.into_iter().flatten().map(|stored| stored.doc.value);
        Ok(all.filter(|agent| agent.lifecycle != Lifecycle::Destroyed).collect())
    }

    /// Makes a model that of the workspace: all agents without one of their own ask it from their
    /// next wake on. A provider that was only found is added.
    ///
    /// Errors: its provider is neither added nor found, or the model cannot be built.
    pub async fn use_model(&self, caller: &Caller, id: &str) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        self.edit_models(caller, AuditAction::ModelsUse, id, |settings| {
            self.know(settings, id)?;
            settings.model = Some(id.to_owned());
            Ok(())
        })
        .await
    }

    /// Makes a model known, so that an agent can ask it.
    pub(crate) async fn know_model(&self, caller: &Caller, id: &str) -> Result<(), Error> {
        if id == BUILT_IN || self.model_settings(caller).await?.known(id).is_some() {
            return Ok(());
        }
        self.edit_models(caller, AuditAction::ModelsKnow, id, |settings| self.know(settings, id))
            .await?;
        Ok(())
    }

    fn know(&self, settings: &mut ModelSettings, id: &str) -> Result<(), Error> {
        if id == BUILT_IN {
            return Ok(());
        }
        let (provider, _) = self.provider_of(settings, id)?;
        settings.add(&provider);
        let wrong = |message| Error::Invalid { field: "model", message };
        self.build(settings, id).map_err(wrong)?;
        if settings.known(id).is_none() {
            settings.models.push(KnownModel::new(id));
        }
        Ok(())
    }

    /// Allows calls that cost money, or forbids them: none begins, and those under way end.
    pub async fn set_paid_calls(
        &self,
        caller: &Caller,
        allowed: PaidCalls,
    ) -> Result<ModelsView, Error> {
        let (action, value) = match allowed {
            PaidCalls::Allowed => (AuditAction::ModelsOn, true),
            PaidCalls::Off => (AuditAction::ModelsOff, false),
        };
        self.edit_models(caller, action, "paidCalls", |settings| {
            settings.paid_calls = value;
            Ok(())
        })
        .await
    }

    /// Sets what may be spent. A budget of 0 allows no call.
    ///
    /// Errors: a negative budget, or one that must be a mistake.
    pub async fn set_budgets(
        &self,
        caller: &Caller,
        budgets: Budgets,
    ) -> Result<ModelsView, Error> {
        let Budgets { workspace_day, agent_day, wake, unpriced_day } = budgets;
        for (field, value) in [
            ("workspaceDay", workspace_day),
            ("agentDay", agent_day),
            ("wake", wake),
            ("unpricedDay", unpriced_day),
        ] {
            if !(0..=LARGEST_BUDGET).contains(&value) {
                let message = format!("{value} is not possible: give 0 to {LARGEST_BUDGET}");
                return Err(Error::Invalid { field, message });
            }
        }
        self.edit_models(caller, AuditAction::ModelsBudgets, "budgets", |settings| {
            settings.budgets = budgets;
            Ok(())
        })
        .await
    }

    /// The use of models per day, oldest first. Both days are included.
    ///
    /// Errors: more than 400 days.
    pub async fn usage(
        &self,
        caller: &Caller,
        from: Option<Date>,
        to: Option<Date>,
    ) -> Result<Vec<UsageDay>, Error> {
        require(caller, Scope::Read)?;
        let today = self.clock.now().day_in(&self.zone.get());
        let to = to.unwrap_or(today);
        let from = from.unwrap_or_else(|| to.saturating_sub(jiff::Span::new().days(13)));
        if from > to {
            let message = format!("{from} is after `to`, {to}: give the earlier day first");
            return Err(Error::Invalid { field: "from", message });
        }
        let days = (to - from).get_days();
        if days > USAGE_DAYS {
            let message = format!("{days} days are too many: ask for {USAGE_DAYS} at most");
            return Err(Error::Invalid { field: "from", message });
        }
        let rows = self.store.all(model_call::per_day(caller.workspace, from, to)).await?;
        Ok(rows.into_iter().map(usage_day).collect())
    }
}

/// Whether calls that cost money may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaidCalls {
    /// They may.
    Allowed,
    /// None may.
    Off,
}

fn usage_day(row: model_call::DayUsage) -> UsageDay {
    UsageDay {
        day: row.day,
        model: row.model,
        calls: row.calls,
        cost: row.cost,
        unit: row.unit,
        input_tokens: row.usage.input,
        cached_input_tokens: row.usage.cached_input,
        output_tokens: row.usage.output,
    }
}

/// Returns whether an edit may have mended what holds a provider, or a model of it: its address, its key, that it
/// was tested, or that it was chosen.
fn is_freed(action: AuditAction, object: &str, held: &str) -> bool {
    let provider =
        |model: &str| model.split_once('/').map_or(model.to_owned(), |it| it.0.to_owned());
    match action {
        AuditAction::ModelsProvider
        | AuditAction::ModelsRemove
        | AuditAction::ModelsKey
        | AuditAction::ModelsTest
        | AuditAction::ModelsUse => provider(held) == provider(object),
        _ => false,
    }
}
