//! How much a model reads and writes in one turn, as a person says it or its server states it.

use dormouse_types::audit::AuditAction;
use dormouse_types::{Caller, Scope};

use super::{BUILT_IN, ModelsView};
use crate::request::require;
use crate::{Dormouse, Error};

/// Units: tokens. In less, the rules of an agent and its tools do not fit.
const SMALLEST: u64 = 2_048;
/// Units: tokens. A window above it is a mistake.
const LARGEST: u64 = 100_000_000;

impl Dormouse {
    /// Sets the context window of a model, which goes before what its server states; `None` means
    /// that again. It counts from the next wake on. Units: tokens.
    ///
    /// Errors: there is no such provider; the built-in model, which has no window; a window that must
    /// be a mistake.
    pub async fn set_model_window(
        &self,
        caller: &Caller,
        id: &str,
        window: Option<u64>,
    ) -> Result<ModelsView, Error> {
        require(caller, Scope::Admin)?;
        if id == BUILT_IN {
            let message = "the built-in model has no window".into();
            return Err(Error::Invalid { field: "model", message });
        }
        if let Some(tokens) = window.filter(|tokens| !(SMALLEST..=LARGEST).contains(tokens)) {
            let message = format!(
                "{tokens} tokens is not possible: give the window that the server was started with, \
                 {SMALLEST} to {LARGEST}"
            );
            return Err(Error::Invalid { field: "window", message });
        }
        self.edit_models(caller, AuditAction::ModelsWindow, id, |settings| {
            self.provider_of(settings, id)?;
            self.know(settings, id)?;
            for known in settings.models.iter_mut().filter(|known| known.id == id) {
                known.own_window = window;
            }
            Ok(())
        })
        .await
    }
}
