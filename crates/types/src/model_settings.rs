//! Which providers and models a workspace knows, which one is in use, and what may be spent.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::id::CategoryId;
use crate::model::{ModelError, Request, Usage};
use crate::port::{BoxFuture, Model};
use crate::spend::{Budgets, Price};

crate::closed_list! {
    /// The wire format of a provider.
    pub enum ApiFormat, "API format" {
        /// OpenAI's Chat Completions, which most servers speak.
        ChatCompletions = "chatCompletions",
        /// OpenAI's Responses.
        Responses = "responses",
        /// Anthropic's Messages.
        Anthropic = "anthropic",
        /// Google's Gemini.
        Gemini = "gemini",
    }
}

crate::closed_list! {
    /// How a model calls tools.
    pub enum ToolMode, "tool mode" {
        /// It calls tools itself.
        Native = "native",
        /// It fills in a form: no tools are sent, but one JSON schema.
        Schema = "schema",
        /// It writes JSON in its text.
        Text = "text",
    }
}

impl ToolMode {
    /// How many calls the shortest run takes. A model that calls tools itself ends a run by an answer without calls;
    /// in the other ways it says with its calls that it has finished.
    pub fn shortest_run(self) -> u32 {
        match self {
            Self::Native => 2,
            Self::Schema | Self::Text => 1,
        }
    }
}

crate::closed_list! {
    /// The member of a request in Chat Completions that limits how long the answer may be.
    pub enum OutputLimit, "limit of output" {
        /// The name that most servers know.
        MaxTokens = "maxTokens",
        /// The newer name, the only one that OpenAI's own models take.
        MaxCompletionTokens = "maxCompletionTokens",
    }
}

crate::closed_list! {
    /// What a server takes where a call is forced, if it does not take that a tool is named.
    pub enum ForcedCall, "forced call" {
        /// That some tool is called.
        Required = "required",
        /// No force: the prompt says that a tool has to be called.
        Auto = "auto",
    }
}

/// The model settings of a workspace.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelSettings {
    /// Providers, by name.
    pub providers: Vec<Provider>,
    /// Models whose way to call tools, window or price is known.
    pub models: Vec<KnownModel>,
    /// The model in use, `provider/model`; `None` until a person chose one.
    pub model: Option<String>,
    /// The model that folds the memory of agents without a model of their own, `provider/model`;
    /// `None` means the one that thinks.
    pub summarising: Option<String>,
    /// Whether calls that cost money may be made.
    pub paid_calls: bool,
    /// What may be spent.
    pub budgets: Budgets,
}

/// A provider of models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Provider {
    /// Its name, the first part of `provider/model`. Letters, digits, `-`, `.`.
    pub name: String,
    /// Its wire format.
    pub format: ApiFormat,
    /// The address that paths are appended to.
    pub base_url: String,
    /// Whether the person says that it is their own server: data sent to it stays with the person,
    /// and calls cost nothing.
    pub is_own: bool,
    /// The tasks that it may be sent, by their categories; `None` means all.
    #[serde(default)]
    pub categories: Option<AllowedCategories>,
}

/// The tasks that a provider may be sent, by their categories.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllowedCategories {
    /// Tasks of these categories.
    pub ids: Vec<CategoryId>,
    /// Tasks without a category.
    pub uncategorised: bool,
}

impl AllowedCategories {
    /// Returns whether a task of this category may be sent.
    pub fn allows(&self, category: Option<&CategoryId>) -> bool {
        category.map_or(self.uncategorised, |category| self.ids.contains(category))
    }
}

/// What is known of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct KnownModel {
    /// `provider/model`.
    pub id: String,
    /// How it calls tools, as a test call showed; `None` before the first test.
    pub tool_mode: Option<ToolMode>,
    /// Why it does not call tools itself, as that test call showed; `None` if it does, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not_native: Option<String>,
    /// The member that limits its answers, if its server refused the usual one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_limit: Option<OutputLimit>,
    /// What its server takes where a call is forced, if it refused the usual choice of a tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forced_call: Option<ForcedCall>,
    /// Whether that was forgotten because a turn forced a call and got none. It is not forgotten for that again
    /// until a person tests the model, or its provider is another server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub was_silent: bool,
    /// Whether a test call showed that it calls tools in no way. It is not tried again by itself: a person tests it,
    /// or its provider is another server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub calls_nothing: bool,
    /// Whether the test call that came back was made with a key: a process without one sends this model nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub with_key: bool,
    /// Its context window, as its server states it. Units: tokens.
    pub window: Option<u64>,
    /// The context window that a person set, which goes before the stated one. Units: tokens.
    #[serde(default)]
    pub own_window: Option<u64>,
    /// The price that a person set; `None` means that of the price table.
    pub price: Option<Price>,
    /// The day on which they set it.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>, format = Date))]
    pub priced_on: Option<Date>,
}

/// A price, and where it comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedPrice {
    /// The price.
    pub price: Price,
    /// The day on which it was found. Shape: `YYYY-MM-DD`.
    pub on: String,
    /// Where it was found.
    pub source: String,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            models: Vec::new(),
            model: None,
            summarising: None,
            paid_calls: true,
            budgets: Budgets::default(),
        }
    }
}

impl ModelSettings {
    /// The provider of this name.
    pub fn provider(&self, name: &str) -> Option<&Provider> {
        self.providers.iter().find(|provider| provider.name == name)
    }

    /// Adds a provider, unless there is one of its name.
    pub fn add(&mut self, provider: &Provider) {
        if self.provider(&provider.name).is_none() {
            self.providers.push(provider.clone());
            self.providers.sort_by(|a, b| a.name.cmp(&b.name));
        }
    }

    /// What is known of a model.
    pub fn known(&self, id: &str) -> Option<&KnownModel> {
        self.models.iter().find(|known| known.id == id)
    }

    /// Forgets what test calls showed of the models of a provider. What a person set stays.
    pub fn forget_tests(&mut self, provider: &str) {
        let is_its =
            |known: &&mut KnownModel| split_id(&known.id).is_some_and(|(of, _)| of == provider);
        for known in self.models.iter_mut().filter(is_its) {
            known.tool_mode = None;
            known.why_not_native = None;
            known.output_limit = None;
            known.forced_call = None;
            known.was_silent = false;
            known.calls_nothing = false;
            known.with_key = false;
            known.window = None;
        }
    }
}

impl Provider {
    /// Returns whether both name the same server, spoken to in the same way, so that what a test call of
    /// one showed holds for the other.
    pub fn is_same_server(&self, other: &Self) -> bool {
        self.base_url == other.base_url && self.format == other.format
    }
}

impl KnownModel {
    /// A model of which nothing is known.
    pub fn new(id: &str) -> Self {
        Self {
            id: id.to_owned(),
            tool_mode: None,
            why_not_native: None,
            output_limit: None,
            forced_call: None,
            was_silent: false,
            calls_nothing: false,
            with_key: false,
            window: None,
            own_window: None,
            price: None,
            priced_on: None,
        }
    }

    /// Its context window, as a person set it or its server states it; `None` if neither says. Units:
    /// tokens.
    pub fn window(&self) -> Option<u64> {
        self.own_window.or(self.window)
    }
}

/// Splits `provider/model` at the first `/`; `None` if a part is empty.
pub fn split_id(id: &str) -> Option<(&str, &str)> {
    id.split_once('/').filter(|(provider, model)| !provider.is_empty() && !model.is_empty())
}

/// The id of a model as one argument of a command: a server may name a model by its file.
pub fn as_argument(id: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:@+=,%".contains(c);
    if id.chars().all(is_plain) {
        id.to_owned()
    } else {
        format!("'{}'", id.replace('\'', r"'\''"))
    }
}

crate::closed_list! {
    /// Where the key of a provider comes from.
    pub enum KeySource, "source of a key" {
        /// No key is set; many local servers need none.
        None = "none",
        /// A variable of the environment, or the file that one names.
        Environment = "environment",
        /// The key file in the configuration folder.
        KeyFile = "keyFile",
    }
}

/// The key of a provider, without the key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyState {
    /// Where it comes from.
    pub source: KeySource,
    /// The name of the variable, if it comes from the environment.
    pub variable: Option<String>,
    /// The last four characters of a key of at least 12.
    pub last_four: Option<String>,
}

/// A model that a server offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OfferedModel {
    /// Its name on the server, the second part of `provider/model`.
    pub name: String,
    /// Its context window, where the server says so. Units: tokens.
    pub window: Option<u64>,
    /// Whether it calls tools, where the server says so.
    pub calls_tools: Option<bool>,
}

/// What a test call of a model showed.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTest {
    /// The best way in which the tool call came back; `None` if it came back in none.
    pub tool_mode: Option<ToolMode>,
    /// From the request to the first event of the answer.
    pub first_event: Option<Duration>,
    /// What the calls used together, as far as the server says so.
    pub usage: Option<Usage>,
    /// Whether it is known of every call what it used: the server said so, or refused to serve it.
    pub is_counted: bool,
    /// Whether an answer was cut at the limit of output tokens while the model thought.
    pub is_cut: bool,
    /// What the server says of its context window. Units: tokens.
    pub window: Option<u64>,
    /// The member that limits its answers, if its server refused the usual one.
    pub output_limit: Option<OutputLimit>,
    /// What its server takes where a call is forced, if it refused the usual choice of a tool.
    pub forced_call: Option<ForcedCall>,
    /// Why better ways do not work, in order.
    pub failures: Vec<(ToolMode, String)>,
}

impl ModelTest {
    /// Whether it showed nothing: no call came back, and nobody knows whether one would have come after a longer
    /// thought.
    pub fn is_open(&self) -> bool {
        self.tool_mode.is_none() && self.is_cut
    }

    /// Why the model does not call tools itself; `None` if it does.
    pub fn why_not_native(&self) -> Option<&str> {
        let native = self.failures.iter().find(|(mode, _)| *mode == ToolMode::Native);
        native.map(|(_, why)| why.as_str())
    }
}

/// A test that ended with an error, and what its calls used until then.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedTest {
    /// Why it ended.
    pub error: ModelError,
    /// What the calls used together, as far as the server says so.
    pub usage: Option<Usage>,
    /// Whether it is known of every call what it used: the server said so, or refused to serve it.
    pub is_counted: bool,
}

impl From<ModelError> for FailedTest {
    /// The error of the only call.
    fn from(error: ModelError) -> Self {
        Self { usage: None, is_counted: error.costs_nothing(), error }
    }
}

/// Where models, keys and prices come from; implemented by the composition root.
pub trait ModelHost: Send + Sync {
    /// Builds a model of a provider. `known` is what earlier tests and the person said about it.
    ///
    /// Errors: in words, what is wrong with the address, the name or the key.
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String>;

    /// Checks a provider before it is stored, and returns it with its address in one spelling.
    ///
    /// Errors: in words, what is wrong with its name or address.
    fn checked(&self, provider: Provider) -> Result<Provider, String>;

    /// Providers whose keys or servers were found, and which nobody added yet. Usable, not in use.
    fn found(&self) -> Vec<Provider>;

    /// Providers whose addresses and formats are known, whether or not they were added.
    fn known(&self) -> Vec<Provider> {
        Vec::new()
    }

    /// The servers that may be on this machine, with the addresses that they use by default.
    fn local(&self) -> Vec<Provider> {
        Vec::new()
    }

    /// The state of a provider's key.
    fn key(&self, provider: &Provider) -> KeyState;

    /// Keeps a key for a provider and its address, or removes it. The key is in no database.
    ///
    /// Errors: in words, why it cannot be kept.
    fn set_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), String>;

    /// The price of a model by the price table; `None` if it is not listed.
    fn price(&self, provider: &Provider, name: &str) -> Option<ListedPrice>;

    /// The providers that a person's own prices name.
    fn priced(&self) -> Vec<String> {
        Vec::new()
    }

    /// The models that a provider offers, by name.
    fn list<'a>(
        &'a self,
        provider: &'a Provider,
    ) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>>;

    /// Makes real calls, at most four that are served, with a tool that must come back.
    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>>;

    /// The request of a test call, to find out what it may cost; `None` if a test sends nothing.
    fn test_request(&self) -> Option<Request> {
        None
    }

    /// Looks for model servers on this machine, at the addresses that they use by default. A server
    /// that does not answer soon is left out. [`Provider::is_own`] is a suggestion: the person
    /// confirms it, because a server on this machine may forward what it gets.
    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    /// What is wrong with variables and files of keys and prices, one sentence each. What is wrong is
    /// not used; everything else works.
    fn problems(&self) -> Vec<String> {
        Vec::new()
    }
}

/// No models besides the one that is built in.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModels;

impl ModelHost for NoModels {
    fn build(
        &self,
        _: &Provider,
        _: &str,
        _: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        Err("this program has no models besides the built-in one".into())
    }

    fn checked(&self, _: Provider) -> Result<Provider, String> {
        Err("this program has no models besides the built-in one".into())
    }

    fn found(&self) -> Vec<Provider> {
        Vec::new()
    }

    fn key(&self, _: &Provider) -> KeyState {
        KeyState { source: KeySource::None, variable: None, last_four: None }
    }

    fn set_key(&self, _: &Provider, _: Option<&str>) -> Result<(), String> {
        Err("this program keeps no keys".into())
    }

    fn price(&self, _: &Provider, _: &str) -> Option<ListedPrice> {
        None
    }

    fn list<'a>(&'a self, _: &'a Provider) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        _: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        let detail = format!("there is no provider {}", provider.name);
        Box::pin(std::future::ready(Err(ModelError::Request { detail }.into())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_was_stored_before_forced_calls_were_known_is_read() {
        let stored = r#"{"id":"a/b","toolMode":"native","outputLimit":"maxTokens","window":8192,"price":null,"pricedOn":null}"#;
        let read: KnownModel = serde_json::from_str(stored).expect("it reads");
        let known = KnownModel {
            tool_mode: Some(ToolMode::Native),
            output_limit: Some(OutputLimit::MaxTokens),
            window: Some(8192),
            ..KnownModel::new("a/b")
        };
        assert_eq!(read, known);
        let forced = KnownModel { forced_call: Some(ForcedCall::Auto), ..known };
        let text = serde_json::to_string(&forced).expect("it is written");
        assert_eq!(serde_json::from_str::<KnownModel>(&text).expect("it reads"), forced);
    }

    #[test]
    fn an_id_with_spaces_is_one_argument() {
        assert_eq!(as_argument("openai/gpt-5:x"), "openai/gpt-5:x");
        assert_eq!(as_argument("own/My Model Q4.gguf"), "'own/My Model Q4.gguf'");
        assert_eq!(as_argument("own/it's"), r"'own/it'\''s'");
    }
}
