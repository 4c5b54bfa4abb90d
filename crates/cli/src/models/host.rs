//! The port [`ModelHost`], over the adapters.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dormouse_adapters::http::{BaseUrl, Secret, Transport};
use dormouse_adapters::models::{
    MissingKey, ModelConfig, ModelId, RemoteModel, list, probe, probe_request,
};
use dormouse_types::limits;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request};
use dormouse_types::model_settings::{
    ApiFormat, FailedTest, KeySource, KeyState, KnownModel, ListedPrice, ModelHost, ModelTest,
    OfferedModel, Provider, ToolMode,
};
use dormouse_types::port::{BoxFuture, Clock, Model, ModelClass, ModelLocation};
use futures_util::future::{Either, join_all, select};

use super::environment::{Environment, variable_of};
use super::keys::KeyFile;
use super::known;
use super::prices::PriceTable;
use crate::key_variables::KEY_VARIABLES;

/// Units: characters. The name of a provider is part of commands and tables.
const MAX_NAME: usize = 40;
/// Units: characters. Of a shorter key, four would be too large a part to show.
const SHOWN_FROM: usize = 12;
/// The ends of addresses of requests, which a person may paste instead of the address of the server.
const REQUEST_PATHS: &[&str] = &["/chat/completions", "/responses", "/messages", "/models"];

/// What a host is made of.
pub struct Parts {
    /// Sends requests.
    pub transport: Arc<dyn Transport>,
    /// Limits how long a server may take.
    pub clock: Arc<dyn Clock>,
    /// The keys of the environment.
    pub environment: Environment,
    /// The key file; or why there is none.
    pub keys: Result<KeyFile, String>,
    pub prices: PriceTable,
    /// What is wrong with the price table of the person.
    pub price_problem: Option<String>,
    /// The servers to look for on this machine.
    pub local_servers: Vec<Provider>,
    /// The name of this node, if others share its database.
    pub node: Option<String>,
}

/// Models, keys and prices of this process.
pub struct Host {
    parts: Parts,
    /// The origins of servers that refused a test call without a key, if another node may have one.
    want_keys: Mutex<BTreeSet<String>>,
}

/// A key and its origin.
struct Found {
    key: Option<Secret>,
    source: KeySource,
    variable: Option<String>,
}

impl Host {
    /// A host of these parts.
    pub fn new(parts: Parts) -> Self {
        Self { parts, want_keys: Mutex::default() }
    }

    /// The key of a provider: that of the environment, else that of the key file.
    ///
    /// Errors: a key is there, but cannot be used, or must not be sent to this address.
    fn find_key(&self, provider: &str, base: &BaseUrl) -> Result<Found, String> {
        let found = self.look_for_key(provider, base)?;
        if found.key.is_some() {
            ensure_unread(provider, base)?;
        }
        Ok(found)
    }

    fn look_for_key(&self, provider: &str, base: &BaseUrl) -> Result<Found, String> {
        if let Some(variable) = self.parts.environment.find(provider, base) {
            let key = Some(variable.key.clone()?);
            let variable = Some(variable.name.clone());
            return Ok(Found { key, source: KeySource::Environment, variable });
        }
        let key = match &self.parts.keys {
            Ok(file) => file.key(provider, base).map_err(|wrong| wrong.to_string())?,
            Err(_) => None,
        };
        let source = if key.is_some() { KeySource::KeyFile } else { KeySource::None };
        Ok(Found { key, source, variable: None })
    }

    /// What calls of a model need, with a key if there is one.
    fn config(
        &self,
        provider: &Provider,
        model: ModelId,
        known: Option<&KnownModel>,
    ) -> Result<ModelConfig, String> {
        let base = base(provider)?;
        let key = self.find_key(&provider.name, &base)?.key;
        let price = known.and_then(|known| known.price);
        let price =
            price.or_else(|| self.price(provider, model.as_str()).map(|listed| listed.price));
        let (location, class, price) = if provider.is_own {
            (ModelLocation::OwnServer, ModelClass::Free, None)
        } else {
            (ModelLocation::Elsewhere, ModelClass::Paid, price)
        };
        Ok(ModelConfig {
            provider: provider.name.clone(),
            base,
            format: provider.format,
            model,
            key,
            window: known.and_then(KnownModel::window),
            max_output_tokens: limits::MODEL_OUTPUT_TOKENS,
            location,
            class,
            price,
            rung: rung(provider, known.and_then(|known| known.tool_mode)),
            output_limit: known.and_then(|known| known.output_limit),
            forced_call: known.and_then(|known| known.forced_call),
        })
    }

    /// Which key is missing here: that of a provider to which nobody is let without one, or of a model that was
    /// tested with one.
    fn missing_key(
        &self,
        provider: &Provider,
        config: &ModelConfig,
        known: Option<&KnownModel>,
    ) -> Option<MissingKey> {
        let is_known = known::by_address(&config.base).is_some();
        let is_needed = is_known || known.is_some_and(|known| known.with_key);
        (config.key.is_none() && is_needed).then(|| self.absent_key(provider, config))
    }

    /// The key of a provider that this process does not have.
    fn absent_key(&self, provider: &Provider, config: &ModelConfig) -> MissingKey {
        let variable = variable_for(&provider.name, &config.base);
        let name = &provider.name;
        let (fact, advice) = match &self.parts.node {
            Some(node) => (
                format!("the node {node} has no key for {name}"),
                format!("set {variable} or {variable}_FILE there"),
            ),
            None => (
                format!("there is no key for {name}"),
                format!("`dormouse models key {name}`, or set {variable}"),
            ),
        };
        MissingKey { fact, advice, may_be_elsewhere: self.parts.node.is_some() }
    }

    /// Which key is missing here by what the server answered to a request without one.
    fn refused_without(&self, provider: &Provider, config: &ModelConfig) -> Option<MissingKey> {
        let is_known = self.want_keys().contains(&config.base.origin());
        (config.key.is_none() && is_known).then(|| self.absent_key(provider, config))
    }

    fn want_keys(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.want_keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What requests that name no model need.
    fn list_config(&self, provider: &Provider) -> Result<ModelConfig, ModelError> {
        let config =
            model_id(&provider.name, "any").and_then(|model| self.config(provider, model, None));
        config.map_err(|detail| ModelError::Request { detail })
    }

    async fn list_within(
        &self,
        config: &ModelConfig,
        limit: Duration,
    ) -> Result<Vec<OfferedModel>, ModelError> {
        let listed = list(self.parts.transport.as_ref(), config);
        let listed = self.within(limit, config, listed).await?;
        let offered = listed.into_iter().map(|model| OfferedModel {
            name: model.id,
            window: model.window,
            calls_tools: model.calls_tools,
        });
        Ok(offered.collect())
    }

    /// Waits for `work`, and drops it after `limit`, which closes its connection.
    async fn within<T, E: From<ModelError>>(
        &self,
        limit: Duration,
        config: &ModelConfig,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        match select(std::pin::pin!(work), self.parts.clock.sleep(limit)).await {
            Either::Left((done, _)) => done,
            Either::Right(((), _)) => Err(ModelError::Provider {
                provider: config.provider.clone(),
                why: ProviderUnavailable::Outage,
                detail: format!(
                    "{} did not answer within {} seconds",
                    config.base.origin(),
                    limit.as_secs()
                ),
                retry_after: None,
            }
            .into()),
        }
    }

    async fn tested(&self, provider: &Provider, name: &str) -> Result<ModelTest, FailedTest> {
        let config = model_id(&provider.name, name)
            .and_then(|model| self.config(provider, model, None))
            .map_err(|detail| ModelError::Request { detail })?;
        if let Some(missing) = self.missing_key(provider, &config, None) {
            return Err(missing.error(&provider.name).into());
        }
        let probed = probe(self.parts.transport.as_ref(), &config, self.parts.clock.as_ref());
        let probed = self.within(config.patience().run, &config, probed).await;
        let probed = probed.map_err(|failed| match failed.error {
            ModelError::Provider { why: ProviderUnavailable::Authentication, .. }
                if config.key.is_none() =>
            {
                let missing = self.absent_key(provider, &config);
                if missing.may_be_elsewhere {
                    self.want_keys().insert(config.base.origin());
                }
                let error = missing.refused(&provider.name);
                FailedTest { error, ..failed }
            }
            _ => failed,
        })?;
        self.want_keys().remove(&config.base.origin());
        // The test has succeeded; a server that lists nothing does not change that.
        let limit = Duration::from_secs(limits::MODEL_LIST_SECONDS);
        let offered = self.list_within(&config, limit).await.unwrap_or_default();
        let window = offered.iter().find(|model| model.name == name).and_then(|it| it.window);
        Ok(ModelTest {
            tool_mode: probed.rung,
            first_event: probed.first_event,
            usage: probed.usage,
            is_counted: probed.is_counted,
            is_cut: probed.is_cut,
            window,
            output_limit: probed.output_limit,
            forced_call: probed.forced_call,
            failures: probed.failures,
        })
    }

    async fn servers(&self) -> Vec<(Provider, Vec<OfferedModel>)> {
        let limit = Duration::from_secs(limits::LOCAL_DISCOVERY_SECONDS);
        let looks = self.parts.local_servers.iter().map(async |provider| {
            // Whatever listens there is sent no key.
            let config = ModelConfig { key: None, ..self.list_config(provider).ok()? };
            let offered = self.list_within(&config, limit).await.ok()?;
            Some((provider.clone(), offered))
        });
        join_all(looks).await.into_iter().flatten().collect()
    }
}

/// Refuses to send a key where others can read it on the way.
fn ensure_unread(provider: &str, base: &BaseUrl) -> Result<(), String> {
    if !base.is_readable_on_the_way() {
        return Ok(());
    }
    Err(format!(
        "{} is neither encrypted nor in your own network, so that others could read the key of {provider} on the way: \
         give {provider} an address that begins with https",
        base.origin()
    ))
}

impl ModelHost for Host {
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        let config = self.config(provider, model_id(&provider.name, name)?, known)?;
        let missing = self.missing_key(provider, &config, known);
        let is_probed = known.is_some_and(|known| known.tool_mode.is_some());
        let refused = || self.refused_without(provider, &config).filter(|_| !is_probed);
        let missing = missing.or_else(refused);
        let mut model = RemoteModel::new(config, Arc::clone(&self.parts.transport));
        if let Some(missing) = missing {
            model = model.without_key(missing);
        }
        Ok(Arc::new(if is_probed { model } else { model.unprobed() }))
    }

    fn checked(&self, provider: Provider) -> Result<Provider, String> {
        check_name(&provider.name)?;
        let base = BaseUrl::parse(provider.base_url.trim()).map_err(|wrong| wrong.to_string())?;
        let address = base.to_string();
        if let Some(path) = REQUEST_PATHS.iter().find(|path| address.ends_with(**path)) {
            return Err(format!(
                "leave out {path}: the address is that of the server, {}",
                address.trim_end_matches(path)
            ));
        }
        if let Some(known) = known::by_address(&base).filter(|it| !it.speaks(provider.format)) {
            return Err(format!(
                "{} does not speak the format {}: choose {}",
                base.origin(),
                provider.format,
                known.format
            ));
        }
        if let Some(known) = known::by_host(&base).filter(|_| provider.is_own) {
            return Err(format!(
                "{} belongs to the provider {}: it is not your own server",
                base.origin(),
                known.name
            ));
        }
        Ok(Provider { base_url: address, ..provider })
    }

    fn found(&self) -> Vec<Provider> {
        let has_key = |provider: &Provider| {
            let base = BaseUrl::parse(&provider.base_url).ok();
            let variable = base.and_then(|base| self.parts.environment.find(&provider.name, &base));
            variable.is_some_and(|variable| variable.key.is_ok())
        };
        known::PROVIDERS.iter().map(known::KnownProvider::provider).filter(has_key).collect()
    }

    fn known(&self) -> Vec<Provider> {
        known::PROVIDERS.iter().map(known::KnownProvider::provider).collect()
    }

    fn local(&self) -> Vec<Provider> {
        self.parts.local_servers.clone()
    }

    fn key(&self, provider: &Provider) -> KeyState {
        let none = KeyState { source: KeySource::None, variable: None, last_four: None };
        let Ok(base) = base(provider) else { return none };
        match self.find_key(&provider.name, &base) {
            Ok(Found { key, source, variable }) => {
                KeyState { source, variable, last_four: key.as_ref().and_then(last_four) }
            }
            // A call, a list or a test says what is wrong with the key.
            Err(_) => match self.parts.environment.find(&provider.name, &base) {
                Some(variable) => KeyState {
                    source: KeySource::Environment,
                    variable: Some(variable.name.clone()),
                    last_four: None,
                },
                None => none,
            },
        }
    }

    fn set_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), String> {
        let base = base(provider)?;
        let variable = variable_for(&provider.name, &base);
        let file =
            self.parts.keys.as_ref().map_err(|why| {
                format!("{why}: set {variable}, or name a file with {variable}_FILE")
            })?;
        let Some(key) = key else {
            return file.remove(&provider.name).map_err(|wrong| wrong.to_string());
        };
        ensure_unread(&provider.name, &base)?;
        if let Some(variable) = self.parts.environment.find(&provider.name, &base) {
            return Err(format!(
                "{} is set and goes before the key file: change it there, or unset it first",
                variable.name
            ));
        }
        let secret = Secret::new(key.trim()).map_err(|wrong| wrong.to_string())?;
        file.set(&provider.name, &base, &secret).map_err(|wrong| wrong.to_string())
    }

    fn price(&self, provider: &Provider, name: &str) -> Option<ListedPrice> {
        if provider.is_own {
            return None;
        }
        let known = BaseUrl::parse(&provider.base_url).ok().and_then(|it| known::by_address(&it));
        self.parts.prices.price(&provider.name, known.map(|known| known.name), name).cloned()
    }

    fn priced(&self) -> Vec<String> {
        self.parts.prices.own_providers()
    }

    fn list<'a>(
        &'a self,
        provider: &'a Provider,
    ) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        Box::pin(async move {
            let limit = Duration::from_secs(limits::MODEL_LIST_SECONDS);
            self.list_within(&self.list_config(provider)?, limit).await
        })
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        Box::pin(self.tested(provider, name))
    }

    fn test_request(&self) -> Option<Request> {
        Some(probe_request())
    }

    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        Box::pin(self.servers())
    }

    fn problems(&self) -> Vec<String> {
        let keys = self.parts.keys.as_ref().ok().and_then(|file| file.check().err());
        let keys = keys.map(|wrong| format!("{wrong}; no key in it is used"));
        let variables = self.parts.environment.problems().map(str::to_owned);
        variables.chain(keys).chain(self.parts.price_problem.clone()).collect()
    }
}

/// How a model calls tools; before a test showed it, where a preview of its requests begins. No run asks a
/// model before that is known.
///
/// Hosted models take tools. On a person's own server it depends on the chat template of the model,
/// and one that has none drops the tools without a word, while a JSON schema is enforced by the
/// server.
fn rung(provider: &Provider, tested: Option<ToolMode>) -> ToolMode {
    match (tested, provider.format) {
        (Some(tested), _) => tested,
        (None, ApiFormat::ChatCompletions) if provider.is_own => ToolMode::Schema,
        (
            None,
            ApiFormat::ChatCompletions
            | ApiFormat::Responses
            | ApiFormat::Anthropic
            | ApiFormat::Gemini,
        ) => ToolMode::Native,
    }
}

fn base(provider: &Provider) -> Result<BaseUrl, String> {
    BaseUrl::parse(provider.base_url.trim())
        .map_err(|wrong| format!("provider {}: {wrong}", provider.name))
}

fn model_id(provider: &str, name: &str) -> Result<ModelId, String> {
    ModelId::new(name).map_err(|wrong| format!("a model of {provider} cannot be used: {wrong}"))
}

fn check_name(name: &str) -> Result<(), String> {
    let is_name = (1..=MAX_NAME).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.')
        && name.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !is_name {
        let shown: String = name.chars().take(MAX_NAME).collect();
        return Err(format!(
            "{shown:?} cannot be the name of a provider: use 1 to {MAX_NAME} letters, digits, `-` \
             and `.`, with a letter or digit first"
        ));
    }
    if name == "builtin" {
        return Err("builtin is the name of the built-in model: choose another one".into());
    }
    if variable_of(name).ends_with("_FILE") {
        return Err(format!(
            "a provider cannot be called {name}: {} would name the file of a key",
            variable_of(name)
        ));
    }
    Ok(())
}

/// The variable to suggest for the key of a provider.
fn variable_for(name: &str, base: &BaseUrl) -> String {
    let is_known = known::by_name(name).is_some_and(|known| known.is_at(base));
    let known = KEY_VARIABLES.iter().find(|(known, _)| is_known && *known == name);
    let first = known.and_then(|(_, variables)| variables.first());
    first.map_or_else(|| variable_of(name), |variable| (*variable).to_owned())
}

fn last_four(key: &Secret) -> Option<String> {
    let text = key.expose();
    if text.len() < SHOWN_FROM {
        return None;
    }
    text.get(text.len() - 4..).map(str::to_owned)
}

#[cfg(test)]
#[path = "host_tests.rs"]
mod tests;
