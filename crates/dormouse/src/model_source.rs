//! Where the models of a workspace come from.

use std::sync::{Arc, PoisonError, RwLock};

use dormouse_types::model_settings::{ModelHost, NoModels};
use dormouse_types::port::Model;

/// What the facade needs besides the settings of the workspace.
#[derive(Clone)]
pub(crate) struct ModelSource {
    /// Builds, lists and tests models.
    pub(crate) host: Arc<dyn ModelHost>,
    /// The model that is built in.
    pub(crate) built_in: Arc<dyn Model>,
    /// The model that the environment names, for workspaces in which nobody chose one.
    pub(crate) by_environment: Option<String>,
    /// What the registry was made from; `None` before the first time.
    pub(crate) made_of: Arc<RwLock<Option<LoadedFrom>>>,
}

/// The revision of the settings of models, and the mark of the templates.
pub(crate) type LoadedFrom = (i64, (i64, i64));

impl ModelSource {
    /// Creates the source of a process that has no other model yet.
    pub(crate) fn of_built_in(model: Arc<dyn Model>) -> Self {
        Self {
            host: Arc::new(NoModels),
            built_in: model,
            by_environment: None,
            made_of: Arc::new(RwLock::new(None)),
        }
    }

    /// Makes the next load build all models again, even if no setting has changed.
    pub(crate) fn forget_loaded(&self) {
        *self.made_of.write().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
