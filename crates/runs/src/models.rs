//! The models that runs may ask.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, PoisonError, RwLock};

use dormouse_types::TemplateId;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation};
use futures_util::stream;

/// A registry of models by name, with the one that agents ask if their row names none. Clones share
/// it: a model that is added or chosen is so for all of them at once.
///
/// The model of an agent decides its cost class, its provider and so its circuit breaker; ask the
/// registry for each run instead of keeping a model.
#[derive(Clone)]
pub struct Models {
    state: Arc<RwLock<State>>,
}

#[derive(Clone)]
struct State {
    /// The model of agents whose row names none.
    default: Arc<dyn Model>,
    /// The model that folds the memory of those agents; `None` means the one that thinks.
    summarising: Option<Arc<dyn Model>>,
    /// Every model, by name.
    known: BTreeMap<String, Arc<dyn Model>>,
    /// The revision of the settings that all of this was made of; `None` if it was made of none.
    revision: Option<i64>,
    /// The models that templates name; `None` is the template of agents without one of their own.
    by_template: BTreeMap<Option<TemplateId>, String>,
}

impl Models {
    /// Creates a registry with one model.
    pub fn new(default: Arc<dyn Model>) -> Self {
        let known = BTreeMap::from([(default.name().to_owned(), default.clone())]);
        Self {
            state: Arc::new(RwLock::new(State {
                default,
                summarising: None,
                known,
                revision: None,
                by_template: BTreeMap::new(),
            })),
        }
    }

    /// Returns the same registry with another model, under its name.
    #[must_use]
    pub fn with(self, model: Arc<dyn Model>) -> Self {
        self.change(|state| {
            state.known.insert(model.name().to_owned(), model);
        });
        self
    }

    /// Returns a registry of its own with one more model, under its name. This one and its clones
    /// stay as they are.
    #[must_use]
    pub fn copied_with(&self, model: Arc<dyn Model>) -> Self {
        let mut state = self.read(State::clone);
        state.known.insert(model.name().to_owned(), model);
        Self { state: Arc::new(RwLock::new(state)) }
    }

    /// Replaces all models, the one that agents ask if their row names none, and the one that folds
    /// their memory. A name of a model that is not among them means one that answers nothing; see
    /// [`Models::named`].
    pub fn replace(
        &self,
        models: impl IntoIterator<Item = Arc<dyn Model>>,
        default: &str,
        summarising: Option<&str>,
    ) {
        let known: BTreeMap<String, Arc<dyn Model>> =
            models.into_iter().map(|model| (model.name().to_owned(), model)).collect();
        let of_name = |name: &str| known.get(name).cloned().unwrap_or_else(|| missing(name));
        let (default, summarising) = (of_name(default), summarising.map(of_name));
        self.change(|state| {
            (state.default, state.summarising, state.known) = (default, summarising, known);
        });
    }

    /// Returns the model that folds the memory of an agent which asks `thinking`. It is another one
    /// only for agents that ask the default: a person who chose a model for an agent chose who reads it.
    pub fn summarising_for(&self, thinking: &Arc<dyn Model>) -> Arc<dyn Model> {
        let chosen = self.read(|state| {
            let is_default = state.default.name() == thinking.name();
            state.summarising.clone().filter(|_| is_default)
        });
        chosen.unwrap_or_else(|| thinking.clone())
    }

    /// Returns the model that agents ask if their row names none.
    pub fn default_model(&self) -> Arc<dyn Model> {
        self.read(|state| state.default.clone())
    }

    /// Returns the providers of the models, each once.
    pub fn providers(&self) -> BTreeSet<String> {
        self.read(|state| {
            let all = state.known.values().chain([&state.default]).chain(&state.summarising);
            all.map(|model| model.provider().to_owned()).collect()
        })
    }

    /// Returns every model, by name.
    pub fn all(&self) -> Vec<Arc<dyn Model>> {
        self.read(|state| state.known.values().cloned().collect())
    }

    /// Returns the model of this name; no name means the default.
    ///
    /// A name that is not registered gets a model that answers no request and says so. No other
    /// model steps in: a person chose who reads their tasks.
    pub fn named(&self, name: Option<&str>) -> Arc<dyn Model> {
        let Some(name) = name else { return self.default_model() };
        self.read(|state| state.known.get(name).cloned()).unwrap_or_else(|| missing(name))
    }

    /// Notes which revision of the settings the models were made of.
    pub fn set_revision(&self, revision: i64) {
        self.change(|state| state.revision = Some(revision));
    }

    /// Returns whether the models were made of older settings than those of this revision: somebody
    /// changed them a moment ago, and this process has yet to hear of it.
    pub fn are_older_than(&self, revision: i64) -> bool {
        self.read(|state| state.revision.is_some_and(|made_of| made_of < revision))
    }

    /// Replaces what the active versions of templates say about models: a name for each that names one.
    pub fn set_templates(&self, by_template: BTreeMap<Option<TemplateId>, String>) {
        self.change(|state| state.by_template = by_template);
    }

    /// Returns the name of the model that an agent asks: its own, else that of its template. `None` means
    /// the default.
    pub fn name_for(&self, own: Option<&str>, template: Option<&TemplateId>) -> Option<String> {
        own.map(ToOwned::to_owned)
            .or_else(|| self.read(|state| state.by_template.get(&template.cloned()).cloned()))
    }

    /// Returns the name of the model that the active version of a template names.
    pub fn of_template(&self, template: &TemplateId) -> Option<String> {
        self.read(|state| state.by_template.get(&Some(template.clone())).cloned())
    }

    /// Returns the names of the models that the active versions of templates name.
    pub fn named_by_templates(&self) -> BTreeSet<String> {
        self.read(|state| state.by_template.values().cloned().collect())
    }

    /// Returns the model that an agent asks.
    pub fn of_agent(&self, own: Option<&str>, template: Option<&TemplateId>) -> Arc<dyn Model> {
        self.named(self.name_for(own, template).as_deref())
    }

    fn read<T>(&self, of: impl FnOnce(&State) -> T) -> T {
        of(&self.state.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, by: impl FnOnce(&mut State)) {
        by(&mut self.state.write().unwrap_or_else(PoisonError::into_inner));
    }
}

fn missing(name: &str) -> Arc<dyn Model> {
    let why = "it is not set up here: add its provider with `dormouse models add`, or choose \
               another model for the agent";
    unusable(name, why)
}

/// Returns a model that answers every request with the reason why it cannot be used.
pub fn unusable(name: &str, why: &str) -> Arc<dyn Model> {
    Arc::new(Unusable { name: name.to_owned(), why: why.to_owned() })
}

/// A model that is not set up here, or not rightly.
struct Unusable {
    name: String,
    why: String,
}

impl Model for Unusable {
    fn name(&self) -> &str {
        &self.name
    }

    fn class(&self) -> ModelClass {
        ModelClass::Paid
    }

    fn location(&self) -> ModelLocation {
        ModelLocation::Elsewhere
    }

    fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        Box::pin(stream::iter([Err(ModelError::Provider {
            provider: self.name.clone(),
            why: ProviderUnavailable::Configuration,
            detail: self.why.clone(),
            retry_after: None,
        })]))
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{FutureExt as _, StreamExt as _};

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
    fn a_registered_name_gets_its_model_and_no_name_the_default() {
        let models = Models::new(Arc::new(Named("near"))).with(Arc::new(Named("far")));
        let name_of = |name: Option<&str>| models.named(name).name().to_owned();
        assert_eq!([Some("far"), Some("near"), None].map(name_of), ["far", "near", "near"]);
    }

    #[test]
    fn no_model_steps_in_for_one_that_is_not_set_up() {
        let models = Models::new(Arc::new(Named("near")));
        let gone = models.named(Some("acme/large"));
        assert_eq!((gone.name(), gone.class()), ("acme/large", ModelClass::Paid));
        let request = Request {
            run_key: dormouse_types::RunKey("k".into()),
            turn: 1,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: dormouse_types::model::ToolChoice::Auto,
        };
        let answer = gone.ask(&request).next().now_or_never().flatten();
        let Some(Err(error)) = answer else { panic!("{answer:?}") };
        assert!(error.to_string().contains("`dormouse models add`"), "{error}");
    }

    #[test]
    fn a_choice_holds_for_every_clone() {
        let models = Models::new(Arc::new(Named("near")));
        let clone = models.clone();
        let both: [Arc<dyn Model>; 2] = [Arc::new(Named("near")), Arc::new(Named("far"))];
        models.replace(both, "far", None);
        assert_eq!(clone.default_model().name(), "far");
        models.replace([Arc::new(Named("near")) as Arc<dyn Model>], "far", None);
        assert_eq!(clone.default_model().class(), ModelClass::Paid, "it is missing now");
    }

    #[test]
    fn the_model_that_summarises_does_so_only_for_agents_that_ask_the_default() {
        let models = Models::new(Arc::new(Named("near")));
        let all = ["near", "far", "brief"].map(|name| Arc::new(Named(name)) as Arc<dyn Model>);
        let of = |name| models.summarising_for(&models.named(Some(name))).name().to_owned();
        models.replace(all.clone(), "near", Some("brief"));
        assert_eq!(["near", "far"].map(of), ["brief", "far"]);
        models.replace(all, "near", None);
        assert_eq!(of("near"), "near");
        models.replace([Arc::new(Named("near")) as Arc<dyn Model>], "near", Some("gone"));
        let gone = models.summarising_for(&models.default_model());
        assert_eq!((gone.name(), gone.class()), ("gone", ModelClass::Paid), "nothing steps in");
    }
}
