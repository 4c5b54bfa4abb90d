//! The test call that a run makes before it first asks a model (ADR 31): what it shows is kept with the model
//! and told.

use std::sync::{PoisonError, RwLock};

use dormouse_runs::{NotProbed, Prober, RunError, Sign};
use dormouse_store::agent::model_setting::{self, StoredSettings};
use dormouse_store::{Audit, ChangeRow, Commit, Db, Policy, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::model::{ModelError, ProviderUnavailable};
use dormouse_types::model_settings::{
    ForcedCall, KnownModel, ModelSettings, ModelTest, Provider, ToolMode, as_argument,
};
use dormouse_types::port::BoxFuture;
use dormouse_types::{EventKind, HolderId, Origin, WorkspaceId};

use super::test_call::{ModelTests, TestError, note_test};

/// What a row of the audit log says of a model that was tried in vain.
const CALLS_NOTHING: &str = "it called no tool in any of the three ways";

/// Tries models for runs, once the program has models to try.
#[derive(Default)]
pub(crate) struct RunProber(RwLock<Option<ModelTests>>);

impl RunProber {
    pub(crate) fn set(&self, tests: ModelTests) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(tests);
    }

    fn tests(&self) -> Option<ModelTests> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Prober for RunProber {
    fn probe<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
        model: &'a str,
    ) -> BoxFuture<'a, Result<(), NotProbed>> {
        Box::pin(async move {
            match self.tests() {
                Some(tests) => tests.probe(ws, holder, model).await,
                None => Ok(()),
            }
        })
    }

    fn forget<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
        model: &'a str,
        sign: Sign,
    ) -> BoxFuture<'a, Result<bool, RunError>> {
        Box::pin(async move {
            match self.tests() {
                Some(tests) => tests.forget(ws, holder, model, sign).await,
                None => Ok(false),
            }
        })
    }
}

impl ModelTests {
    async fn probe(&self, ws: WorkspaceId, holder: &HolderId, id: &str) -> Result<(), NotProbed> {
        let _one = self.probing.lock().await;
        let settings = self.settings(ws).await?.settings;
        let known = settings.known(id);
        if known.is_some_and(|known| known.calls_nothing) {
            return Err(calls_nothing(id));
        }
        if known.is_none_or(|known| known.tool_mode.is_none()) {
            let (provider, name) = self
                .source
                .provider_of(&settings, id)
                .map_err(|error| unusable(id, error.to_string()))?;
            let shown = self.call(ws, &settings, &provider, name).await;
            if matches!(shown, Err(TestError::Model(_))) {
                // It may have shown that a key is missing here.
                self.source.forget_loaded();
                self.load().await?;
            }
            let shown = shown.map_err(|error| not_probed(id, &provider, error))?.shown;
            if shown.is_open() {
                return Err(cut_short(&shown));
            }
            self.note_probe(ws, holder, (id, &provider), &shown).await?;
            self.load().await?;
            // Another node may have found it out first: what that one kept holds.
            let kept = self.settings(ws).await?.settings;
            if kept.known(id).is_some_and(|known| known.calls_nothing) {
                return Err(calls_nothing(id));
            }
            if kept.known(id).is_none_or(|known| known.tool_mode.is_none()) {
                return Err(NotProbed::SettingsChanged);
            }
            return Ok(());
        }
        self.load().await?;
        Ok(())
    }

    /// Keeps what a probe showed, unless the provider was moved to another server meanwhile, or another node found
    /// it out first: all use what that one kept.
    async fn note_probe(
        &self,
        ws: WorkspaceId,
        holder: &HolderId,
        (id, provider): (&str, &Provider),
        shown: &ModelTest,
    ) -> Result<(), RunError> {
        let has_key = self.has_key(provider);
        let note = |settings: &mut ModelSettings| {
            let now = self.source.provider_of(settings, id);
            let is_same = now.is_ok_and(|(now, _)| now.is_same_server(provider));
            let is_known = settings
                .known(id)
                .is_some_and(|known| known.tool_mode.is_some() || known.calls_nothing);
            let is_new = is_same && !is_known;
            if is_new {
                note_test(settings, id, shown, has_key);
            }
            is_new
        };
        let showed = showed(shown);
        let probed = (AuditAction::ModelsProbe, showed.as_str());
        self.edit(ws, holder, ("models.probe", id), probed, note).await?;
        Ok(())
    }

    /// Forgets how a model calls tools. One that called nothing is tried again once: that it is disobedient is no
    /// reason to pay for a test again and again. Returns whether it was known.
    async fn forget(
        &self,
        ws: WorkspaceId,
        holder: &HolderId,
        id: &str,
        sign: Sign,
    ) -> Result<bool, RunError> {
        let is_doubted = |known: &KnownModel| match sign {
            Sign::Refused => known.tool_mode.is_some(),
            // Where nothing forces a call, an answer without one says nothing of the server.
            Sign::CalledNothing => {
                known.tool_mode == Some(ToolMode::Native)
                    && !known.was_silent
                    && known.forced_call != Some(ForcedCall::Auto)
            }
        };
        let forget = |settings: &mut ModelSettings| {
            let known = settings.models.iter_mut().find(|known| known.id == id);
            let Some(known) = known.filter(|known| is_doubted(known)) else { return false };
            known.tool_mode = None;
            known.why_not_native = None;
            known.was_silent |= sign == Sign::CalledNothing;
            true
        };
        let why = match sign {
            Sign::Refused => "its server refused how it was sent tools",
            Sign::CalledNothing => "it called no tool although it had to",
        };
        let audit = (AuditAction::ModelsForget, why);
        let is_forgotten = self.edit(ws, holder, ("models.forget", id), audit, forget).await?;
        self.load().await?;
        Ok(is_forgotten)
    }

    /// Edits what is known of a model, and tells it: a row of the audit log, and an event. Wakes that wait for
    /// something else go on waiting. Returns whether there was anything to edit.
    async fn edit(
        &self,
        ws: WorkspaceId,
        holder: &HolderId,
        (label, id): (&'static str, &str),
        (action, detail): (AuditAction, &str),
        edit: impl Fn(&mut ModelSettings) -> bool,
    ) -> Result<bool, RunError> {
        retry(Policy::CONTENDED, &[Refusal::Stale], || async {
            let StoredSettings { revision, mut settings } = self.settings(ws).await?;
            if !edit(&mut settings) {
                return Ok(false);
            }
            let origin = Origin::Person { via: None };
            let commit = Commit::new(label, Db::Agent, ws)
                .op(model_setting::put(ws, revision, &settings))
                .change(ChangeRow::agent(origin, EventKind::ModelsChanged, None, id))
                .audit(Audit {
                    actor: holder.into(),
                    action,
                    object: id.to_owned(),
                    detail: detail.to_owned(),
                });
            self.store.commit(commit).await?;
            Ok(true)
        })
        .await
    }

    async fn settings(&self, ws: WorkspaceId) -> Result<StoredSettings, RunError> {
        let stored = self.store.first(model_setting::of_workspace(ws)).await?;
        let none = || StoredSettings { revision: 0, settings: ModelSettings::default() };
        Ok(stored.unwrap_or_else(none))
    }

    async fn load(&self) -> Result<(), RunError> {
        let loaded = self.source.load(&self.store, &self.models).await;
        loaded.map_err(|error| RunError::Broken(error.to_string()))
    }
}

fn not_probed(id: &str, provider: &Provider, error: TestError) -> NotProbed {
    match error {
        TestError::Invalid(detail) => unusable(id, detail),
        TestError::OverBudget { reason, held } => NotProbed::OverBudget { reason, held },
        TestError::PaidCallsOff => NotProbed::PaidCallsOff,
        TestError::Late(detail) => NotProbed::Model(ModelError::Provider {
            provider: provider.name.clone(),
            why: ProviderUnavailable::Outage,
            detail,
            retry_after: None,
        }),
        TestError::Model(failed) => NotProbed::Model(failed.error),
        TestError::Commit(error) => RunError::from(error).into(),
    }
}

/// What a row of the audit log says of a test: the way that was found, and why it is not the best one.
pub(super) fn showed(shown: &ModelTest) -> String {
    match (shown.tool_mode, shown.why_not_native()) {
        (None, _) if shown.is_open() => "it was cut while it thought".to_owned(),
        (None, _) => CALLS_NOTHING.to_owned(),
        (Some(mode), None) => mode.name().to_owned(),
        (Some(mode), Some(why)) => format!("{mode}; not {}: {why}", ToolMode::Native),
    }
}

/// The model was tried, and cannot do what agents need.
fn calls_nothing(id: &str) -> NotProbed {
    let detail = format!(
        "it called no tool in any of the three ways, and agents work by calling tools. It is not tried again by \
         itself: choose another model, or test it with `dormouse models test {}` once its server has changed",
        as_argument(id)
    );
    unusable(id, detail)
}

/// The model thought too long to be heard: this wake fails, as it would if a turn of it were cut, and the next one
/// tries again.
fn cut_short(shown: &ModelTest) -> NotProbed {
    let why = shown.failures.first().map_or("it was cut while it thought", |(_, why)| why);
    let detail = format!(
        "a test call showed nothing of how it calls tools: {why}. Let it think less, or choose another model"
    );
    NotProbed::Model(ModelError::Request { detail })
}

/// The model is held, and needs the person.
fn unusable(id: &str, detail: String) -> NotProbed {
    NotProbed::Model(ModelError::Provider {
        provider: id.to_owned(),
        why: ProviderUnavailable::Configuration,
        detail,
        retry_after: None,
    })
}
