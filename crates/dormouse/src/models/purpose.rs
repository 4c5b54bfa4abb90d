//! Which model does what: one thinks, and another one may fold memory.

use dormouse_types::audit::AuditAction;
use dormouse_types::{Caller, Scope};

use super::{BUILT_IN, ModelsView};
use crate::request::require;
use crate::{Dormouse, Error};

dormouse_types::closed_list! {
    /// What a model is used for.
    pub enum Purpose, "purpose of a model" {
        /// The turns of wakes.
        Thinking = "thinking",
        /// Folding the memory of agents.
        Summarising = "summarising",
    }
}

impl Dormouse {
    /// Chooses the model that folds the memory of the agents that ask the model of the workspace.
    /// `None` means the one that thinks. A provider that was only found is added.
    ///
    /// Errors: the built-in model, which writes no summaries; its provider is neither added nor
    /// found; the model cannot be built.
    pub async fn summarise_with(
        &self,
        caller: &Caller,
        id: Option<&str>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        ensure_writes_summaries(id.unwrap_or_default(), Purpose::Summarising)?;
        self.edit_models(
            caller,
            AuditAction::ModelsSummarise,
            id.unwrap_or("thinking"),
            |settings| {
                if let Some(id) = id {
                    self.know(settings, id)?;
                }
                settings.summarising = id.map(str::to_owned);
                Ok(())
            },
        )
        .await
    }
}

/// Refuses the built-in model where summaries are to be written.
pub(super) fn ensure_writes_summaries(id: &str, purpose: Purpose) -> Result<(), Error> {
    if purpose == Purpose::Summarising && id == BUILT_IN {
        let message = "the built-in rules write no summaries: choose a language model".into();
        return Err(Error::Invalid { field: "model", message });
    }
    Ok(())
}
