//! Providers and models for tests: nothing leaves the process.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use dormouse_types::RunKey;
use dormouse_types::model::{
    ModelError, ProviderUnavailable, Request, ToolChoice, TurnEvent, Usage,
};
use dormouse_types::model_settings::{
    ApiFormat, FailedTest, KeySource, KeyState, KnownModel, ListedPrice, ModelHost, ModelTest,
    OfferedModel, Provider, ToolMode,
};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::spend::Price;
use futures_core::Stream;

/// A dollar a million in, five out.
pub const PRICE: Price =
    Price { input: 1_000_000, cached_input: 100_000, cache_write: 1_000_000, output: 5_000_000 };

/// A provider of this name, at an address of its own. `home` is a person's own server.
pub fn provider(name: &str) -> Provider {
    Provider {
        name: name.to_owned(),
        format: ApiFormat::ChatCompletions,
        base_url: format!("https://{name}.example/v1"),
        is_own: name == "home",
        categories: None,
    }
}

/// Finds the key of `acme`, knows the address of `known`, builds whatever it is given but a model called `broken`, and keeps no key.
/// Its models answer nothing. How those called `new`, `refusing` and `silent` call tools is not known before a test;
/// `refusing` takes no tools, `silent` says something and calls none though a test shows that it does, `mute` calls none in any way, and `thinker` is cut while it thinks. A test of `counted` and of `partly-counted` takes two calls, of which the
/// provider counts both or one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Host;

/// An answer that ends at once.
struct Nothing;

impl Stream for Nothing {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(None)
    }
}

/// A refusal of tools, and nothing more.
struct Refusal;

impl Stream for Refusal {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let detail = "this model does not support tools".into();
        Poll::Ready(Some(Err(ModelError::Rejected { detail })))
    }
}

/// A text, and no call.
fn words() -> BoxStream<'static, Result<TurnEvent, ModelError>> {
    let events = [TurnEvent::Text("Fine.".into()), TurnEvent::End { ended: false }];
    Box::pin(Listed(events.map(Ok).into_iter().collect()))
}

/// What a model answers, in order.
struct Listed(VecDeque<Result<TurnEvent, ModelError>>);

impl Stream for Listed {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}

struct Remote {
    id: String,
    is_probed: bool,
    provider: String,
    is_own: bool,
    price: Price,
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.id
    }

    fn provider(&self) -> &str {
        &self.provider
    }

    fn class(&self) -> ModelClass {
        if self.is_own { ModelClass::Free } else { ModelClass::Paid }
    }

    fn location(&self) -> ModelLocation {
        if self.is_own { ModelLocation::OwnServer } else { ModelLocation::Elsewhere }
    }

    fn is_probed(&self) -> bool {
        self.is_probed
    }

    fn price(&self) -> Option<Price> {
        (!self.is_own).then_some(self.price)
    }

    fn max_output(&self) -> u64 {
        100
    }

    fn outgoing(&self, _: &Request) -> Option<OutgoingRequest> {
        let (url, body) = ("https://acme.example".into(), "{}".into());
        Some(OutgoingRequest { method: "POST", url, headers: Vec::new(), body })
    }

    fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        match self.id.as_str() {
            id if id.ends_with("/refusing") => Box::pin(Refusal),
            id if id.ends_with("/silent") => words(),
            _ => Box::pin(Nothing),
        }
    }
}

impl ModelHost for Host {
    fn build(
        &self,
        provider: &Provider,
        name: &str,
        known: Option<&KnownModel>,
    ) -> Result<Arc<dyn Model>, String> {
        if name == "broken" {
            return Err("the key of acme has a line break".into());
        }
        let id = format!("{}/{name}", provider.name);
        let (provider, is_own) = (provider.name.clone(), provider.is_own);
        let price = known.and_then(|known| known.price).unwrap_or(PRICE);
        let is_new = ["new", "refusing", "mute", "silent", "thinker"].contains(&name);
        let is_probed = !is_new || known.is_some_and(|known| known.tool_mode.is_some());
        Ok(Arc::new(Remote { id, is_probed, provider, is_own, price }))
    }

    fn checked(&self, provider: Provider) -> Result<Provider, String> {
        if provider.name.contains('/') { Err("a name has no slash".into()) } else { Ok(provider) }
    }

    fn found(&self) -> Vec<Provider> {
        vec![provider("acme")]
    }

    fn known(&self) -> Vec<Provider> {
        vec![provider("acme"), provider("known")]
    }

    fn key(&self, _: &Provider) -> KeyState {
        KeyState { source: KeySource::None, variable: None, last_four: None }
    }

    fn set_key(&self, _: &Provider, _: Option<&str>) -> Result<(), String> {
        Ok(())
    }

    fn price(&self, _: &Provider, _: &str) -> Option<ListedPrice> {
        let (on, source) = ("2026-01-01".into(), "https://prices.example".into());
        Some(ListedPrice { price: PRICE, on, source })
    }

    fn list<'a>(&'a self, _: &'a Provider) -> BoxFuture<'a, Result<Vec<OfferedModel>, ModelError>> {
        let small =
            OfferedModel { name: "small".into(), window: Some(8192), calls_tools: Some(true) };
        Box::pin(std::future::ready(Ok(vec![small])))
    }

    fn test_request(&self) -> Option<Request> {
        Some(Request {
            run_key: RunKey("test".into()),
            turn: 1,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Required,
        })
    }

    fn discover(&self) -> BoxFuture<'_, Vec<(Provider, Vec<OfferedModel>)>> {
        Box::pin(std::future::ready(vec![(provider("home"), Vec::new())]))
    }

    fn test<'a>(
        &'a self,
        _: &'a Provider,
        name: &'a str,
    ) -> BoxFuture<'a, Result<ModelTest, FailedTest>> {
        let tried = |mode| (mode, "it called no tool".to_owned());
        let usage = Usage { input: 9, output: 4, ..Usage::default() };
        let (counted, is_counted) = match name {
            "counted" => (Some(usage), true),
            "partly-counted" => (Some(usage), false),
            "refused-each-way" => (None, true),
            _ => (None, false),
        };
        let unknown = || ModelError::Provider {
            provider: "acme".to_owned(),
            why: ProviderUnavailable::Configuration,
            detail: "there is no such model".to_owned(),
            retry_after: None,
        };
        let failed = match name {
            "missing" => Some(unknown().into()),
            "missing-later" => {
                Some(FailedTest { error: unknown(), usage: Some(usage), is_counted: true })
            }
            "missing-after-silence" => {
                Some(FailedTest { error: unknown(), usage: None, is_counted: false })
            }
            _ => None,
        };
        if let Some(failed) = failed {
            return Box::pin(std::future::ready(Err(failed)));
        }
        Box::pin(std::future::ready(Ok(ModelTest {
            tool_mode: match name {
                "mute" | "thinker" | "refused-each-way" => None,
                "silent" => Some(ToolMode::Native),
                _ => Some(ToolMode::Schema),
            },
            first_event: None,
            usage: counted,
            is_counted,
            is_cut: name == "thinker",
            window: Some(8192),
            output_limit: None,
            forced_call: None,
            failures: counted.map(|_| tried(ToolMode::Native)).into_iter().collect(),
        })))
    }
}
