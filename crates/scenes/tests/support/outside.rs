//! Every way out of the program, counted twice: at the port by which it asks providers, and at the one outbound client,
//! through which all requests of models, lists and tests go.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_adapters::http::{BaseUrl, HttpAnswer, HttpError, HttpRequest, Method, Transport};
use dormouse_adapters::models::{
    ApiFormat, ModelConfig, ModelId, RemoteModel, ToolMode, list, probe,
};
use dormouse_testkit::ManualClock;
use dormouse_testkit::models::Host;
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::model_settings::{
    FailedTest, KeyState, KnownModel, ListedPrice, ModelHost, ModelTest, OfferedModel, Provider,
};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::spend::Price;
use futures_util::FutureExt as _;

use super::wire;

/// Counts what would leave. Nothing does.
#[derive(Clone, Default)]
pub struct Outside {
    left: Arc<Mutex<Vec<String>>>,
    client: Arc<Client>,
}

/// Replaces the outbound client: counts each request, and connects to nothing.
#[derive(Default)]
struct Client(Mutex<Vec<String>>);

impl Transport for Client {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        let OutgoingRequest { method, url, .. } = request.redacted();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(format!("{method} {url}"));
        Box::pin(async { Err(HttpError::HostName { origin: "nowhere".into() }) })
    }
}

impl Outside {
    /// What left so far, a line for each request.
    pub fn left(&self) -> Vec<String> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was given to the outbound client so far, a line for each request.
    pub fn sent(&self) -> Vec<String> {
        self.client.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Fetches an address, as a tool would that the program does not have.
    pub fn fetch(&self, url: &str) {
        self.note(format!("fetch {url}"));
        let (address, _) = url.split_once('?').unwrap_or((url, ""));
        let base = BaseUrl::parse(address).expect("an address");
        let target = base.join("/fetched");
        let (headers, body) = (Vec::new(), String::new());
        let request = HttpRequest { method: Method::Get, target, headers, body };
        let answer = self.client.send(&request).now_or_never();
        assert!(answer.is_some_and(|answer| answer.is_err()), "it connects to nothing");
    }

    /// How a model of a provider is reached: through the client that counts.
    fn config(provider: &Provider, name: &str) -> Result<ModelConfig, String> {
        Ok(ModelConfig {
            base: BaseUrl::parse(&provider.base_url).map_err(|error| error.to_string())?,
            provider: provider.name.clone(),
            model: ModelId::new(name).map_err(|error| error.to_string())?,
            ..wire::config(ApiFormat::ChatCompletions, ToolMode::Native)
        })
    }

    pub fn note(&self, what: String) {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }
}

/// A model elsewhere, each of whose calls is counted.
struct Counted {
    model: Arc<dyn Model>,
    outside: Outside,
}

impl Model for Counted {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn provider(&self) -> &str {
        self.model.provider()
    }

    fn class(&self) -> ModelClass {
        self.model.class()
    }

    fn location(&self) -> ModelLocation {
        self.model.location()
    }

    fn price(&self) -> Option<Price> {
        self.model.price()
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        self.model.outgoing(request)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.outside.note(format!("ask {}", self.name()));
        self.model.ask(request)
    }
}

impl ModelHost for Outside {
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        Host.build(provider, name, known)?;
        let model = RemoteModel::new(Self::config(provider, name)?, self.client.clone());
        Ok(Arc::new(Counted { model: Arc::new(model), outside: self.clone() }))
    }

    fn checked(&self, provider: Provider) -> Result<Provider, String> {
        Host.checked(provider)
    }

    fn found(&self) -> Vec<Provider> {
        Host.found()
    }

    fn key(&self, provider: &Provider) -> KeyState {
        Host.key(provider)
    }

    fn set_key(&self, provider: &Provider, key: Option<&str>) -> Result<(), String> {
        Host.set_key(provider, key)
    }

    fn price(&self, provider: &Provider, name: &str) -> Option<ListedPrice> {
        Host.price(provider, name)
    }

    fn list<'a>(
        &'a self,
        provider: &'a Provider,
    ) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        self.note(format!("list {}", provider.name));
        Box::pin(async move {
            let config = Self::config(provider, "any");
            list(&*self.client, &config.map_err(|detail| ModelError::Request { detail })?).await?;
            Host.list(provider).await
        })
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        self.note(format!("test {}/{name}", provider.name));
        Box::pin(async move {
            let config = Self::config(provider, name);
            let config = config.map_err(|detail| ModelError::Request { detail })?;
            probe(&*self.client, &config, &ManualClock::at("2026-03-02T09:00:00Z")).await?;
            Host.test(provider, name).await
        })
    }

    fn test_request(&self) -> Option<Request> {
        Host.test_request()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        self.note("discover".to_owned());
        Box::pin(async move { Host.discover().await })
    }
}
