//! Models that are reached over the network.
//!
//! One file for each format: a pure function from a request to the bytes of a body, and a pure
//! decoder from the events of an answer to those of a turn. [`answer`] joins them to a connection.

mod config;
mod json;
mod forced_call;
mod conversation;
mod state;
mod repair;
mod usage;
mod failure;
mod assembly;
mod chat_completions;
mod responses;
mod anthropic;
mod gemini;
mod gemini_partial;
mod rungs;
mod rung_preview;
mod input;
mod wire;
mod key_filter;
mod refused_choice;
mod answer;
mod probe;
mod list;

use std::sync::Arc;

use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::{
    BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest, Patience,
};
use dormouse_types::spend::Price;
use futures_util::stream;

pub use config::{ModelConfig, ModelId, ModelIdError, default_base_url};
pub use dormouse_types::model_settings::{ApiFormat, ToolMode};
pub use failure::WireError;
pub use input::Input;
pub use list::{ListedModel, list};
pub use probe::{Probe, probe, probe_request};
pub use wire::{Decoder, http_request};

use crate::http::Transport;

/// A model of a provider.
pub struct RemoteModel {
    name: String,
    config: ModelConfig,
    transport: Arc<dyn Transport>,
    is_probed: bool,
    missing_key: Option<MissingKey>,
}

/// A key that a model needs and this process does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingKey {
    /// Who has no key for what.
    pub fact: String,
    /// What to do, in words that name the variable.
    pub advice: String,
    /// Whether another process of the same database may have it.
    pub may_be_elsewhere: bool,
}

impl MissingKey {
    /// The error of a call that is not made.
    pub fn error(&self, provider: &str) -> ModelError {
        ModelError::Provider {
            provider: provider.to_owned(),
            why: ProviderUnavailable::Configuration,
            detail: format!("{}, so that nothing is sent: {}", self.fact, self.advice),
            retry_after: None,
        }
    }

    /// The error of a call without the key, which the provider refused. Nobody else is held by it if they may have
    /// the key.
    pub fn refused(&self, provider: &str) -> ModelError {
        ModelError::Provider {
            provider: provider.to_owned(),
            why: match self.may_be_elsewhere {
                true => ProviderUnavailable::Configuration,
                false => ProviderUnavailable::Authentication,
            },
            detail: format!("its server wants a key, and {}: {}", self.fact, self.advice),
            retry_after: None,
        }
    }
}

impl RemoteModel {
    /// The model that `config` describes. Its name is `provider/model`.
    pub fn new(config: ModelConfig, transport: Arc<dyn Transport>) -> Self {
        let name = format!("{}/{}", config.provider, config.model.as_str());
        Self { name, config, transport, is_probed: true, missing_key: None }
    }

    /// The same model, whose rung nobody has found out: that of its settings is only where to begin.
    #[must_use]
    pub fn unprobed(self) -> Self {
        Self { is_probed: false, ..self }
    }

    /// The same model, which sends nothing as long as its key is missing.
    #[must_use]
    pub fn without_key(self, missing: MissingKey) -> Self {
        Self { missing_key: Some(missing), ..self }
    }

    /// How it was set up.
    pub fn config(&self) -> &ModelConfig {
        &self.config
    }
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn provider(&self) -> &str {
        &self.config.provider
    }

    fn class(&self) -> ModelClass {
        self.config.class
    }

    fn location(&self) -> ModelLocation {
        self.config.location
    }

    fn is_probed(&self) -> bool {
        self.is_probed
    }

    fn lacks_key(&self) -> bool {
        self.missing_key.as_ref().is_some_and(|missing| missing.may_be_elsewhere)
    }

    fn patience(&self) -> Patience {
        self.config.patience()
    }

    fn price(&self) -> Option<Price> {
        self.config.price
    }

    fn window(&self) -> Option<u64> {
        self.config.window
    }

    fn max_output(&self) -> u64 {
        u64::from(self.config.max_output_tokens)
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        Some(http_request(request, &self.config).redacted())
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        if let Some(missing) = &self.missing_key {
            let error = missing.error(&self.config.provider);
            return Box::pin(stream::iter([Err(error)]));
        }
        answer::ask(self.transport.as_ref(), &self.config, request)
    }
}
