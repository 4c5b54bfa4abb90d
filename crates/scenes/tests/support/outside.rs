//! Every way out of the program, counted: what it asks of providers, and the connections of its models.

use std::sync::{Arc, Mutex, PoisonError};

use dormouse_testkit::models::Host;
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::model_settings::{
    KeyState, KnownModel, ListedPrice, ModelHost, ModelTest, OfferedModel, Provider,
};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::spend::Price;

/// Counts what would leave. Nothing does.
#[derive(Clone, Default)]
pub struct Outside {
    left: Arc<Mutex<Vec<String>>>,
}

impl Outside {
    /// What left so far, a line for each request.
    pub fn left(&self) -> Vec<String> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
        let model = Host.build(provider, name, known)?;
        Ok(Arc::new(Counted { model, outside: self.clone() }))
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
        Box::pin(async move { Host.list(provider).await })
    }

    fn test<'a>(
        &'a self,
        provider: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, ModelError>> {
        self.note(format!("test {}/{name}", provider.name));
        Box::pin(async move { Host.test(provider, name).await })
    }

    fn test_request(&self) -> Option<Request> {
        Host.test_request()
    }

    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        self.note("discover".to_owned());
        Box::pin(async move { Host.discover().await })
    }
}
