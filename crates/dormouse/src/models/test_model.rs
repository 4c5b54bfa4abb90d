//! The test of a model that a person requests.

use std::sync::Arc;

use dormouse_types::audit::AuditAction;
use dormouse_types::{Caller, Scope};

use super::probing::showed;
use super::test_call::{ModelTests, PAID_OFF, TestError, note_test, test_view};
use super::view::ModelTestView;
use crate::request::require;
use crate::{Dormouse, Error};

impl Dormouse {
    /// Makes real calls of a model with a tool that must come back, at most four that are served, and keeps what
    /// they showed. They count in the budget of the day of all agents.
    ///
    /// Errors: the provider cannot be reached or refuses; there is no such model; paid calls are
    /// switched off; the budget leaves no room.
    pub async fn test_model(&self, caller: &Caller, id: &str) -> Result<ModelTestView, Error> {
        require(caller, Scope::Admin)?;
        let settings = self.model_settings(caller).await?;
        let (provider, name) = self.provider_of(&settings, id)?;
        let tests = self.model_tests();
        let tested = tests.call(caller.workspace, &settings, &provider, name).await;
        let wrong = |message| Error::Invalid { field: "model", message };
        let tested = tested.map_err(|error| match error {
            TestError::Invalid(message) => wrong(message),
            TestError::OverBudget { reason, .. } => wrong(reason),
            TestError::PaidCallsOff => wrong(PAID_OFF.to_owned()),
            TestError::Late(error) => Error::Model(error),
            TestError::Model(failed) => Error::Model(failed.error.to_string()),
            TestError::Commit(error) => error.into(),
        })?;
        let has_key = tests.has_key(&provider);
        let audit = (AuditAction::ModelsTest, showed(&tested.shown));
        self.edit_models_with(caller, audit, id, |settings| {
            // It says nothing of another server, which the provider may have been moved to meanwhile.
            let now = self.provider_of(settings, id);
            if now.is_ok_and(|(now, _)| now.is_same_server(&provider)) {
                note_test(settings, id, &tested.shown, has_key);
                // A person saw what it does: whether it obeys is watched again.
                let known = settings.models.iter_mut().find(|known| known.id == id);
                known.into_iter().for_each(|known| known.was_silent = false);
            }
            Ok(())
        })
        .await?;
        Ok(test_view(id, &tested, provider.is_own))
    }

    pub(crate) fn model_tests(&self) -> ModelTests {
        ModelTests {
            store: self.store.clone(),
            models: self.models.clone(),
            source: self.source.clone(),
            clock: self.clock.clone(),
            entropy: self.entropy.clone(),
            zone: self.zone.clone(),
            probing: Arc::default(),
        }
    }
}
