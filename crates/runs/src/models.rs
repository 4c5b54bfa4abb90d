//! The models that runs may ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use dormouse_types::port::Model;

/// A registry of models by name, with one that is asked by default. Cheap to clone.
///
/// The model of an agent decides its cost class, its provider and so its circuit breaker; ask the
/// registry for each run instead of keeping a model.
#[derive(Clone)]
pub struct Models {
    default: Arc<dyn Model>,
    others: Arc<BTreeMap<String, Arc<dyn Model>>>,
}

impl Models {
    /// Creates a registry with one model.
    pub fn new(default: Arc<dyn Model>) -> Self {
        Self { default, others: Arc::default() }
    }

    /// Returns the same registry with another model, under its name.
    #[must_use]
    pub fn with(mut self, model: Arc<dyn Model>) -> Self {
        Arc::make_mut(&mut self.others).insert(model.name().to_owned(), model);
        self
    }

    /// Returns the model that agents ask if their row names none.
    pub fn default_model(&self) -> &Arc<dyn Model> {
        &self.default
    }

    /// Returns the providers of the models, each once.
    pub fn providers(&self) -> BTreeSet<&str> {
        let others = self.others.values().map(|model| model.provider());
        others.chain([self.default.provider()]).collect()
    }

    /// Returns the model of this name. A name that is not registered means the default, so an agent
    /// whose model was removed keeps working.
    pub fn named(&self, name: Option<&str>) -> &Arc<dyn Model> {
        name.and_then(|name| self.others.get(name)).unwrap_or(&self.default)
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::model::{ModelError, Request, TurnEvent};
    use dormouse_types::port::{BoxStream, ModelClass};

    use super::*;

    struct Named(&'static str);

    impl Model for Named {
        fn name(&self) -> &str {
            self.0
        }

        fn class(&self) -> ModelClass {
            ModelClass::Paid
        }

        fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
            Box::pin(futures_util::stream::empty())
        }
    }

    #[test]
    fn a_registered_name_gets_its_model_and_any_other_the_default() {
        let models = Models::new(Arc::new(Named("near"))).with(Arc::new(Named("far")));
        let name_of = |name: Option<&str>| models.named(name).name().to_owned();
        assert_eq!(
            [Some("far"), Some("near"), Some("gone"), None].map(name_of),
            ["far", "near", "near", "near"]
        );
    }
}
