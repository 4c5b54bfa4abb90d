//! Models that are reached over the network.
//!
//! One file for each format: a pure function from a request to the bytes of a body, and a pure
//! decoder from the events of an answer to those of a turn. [`answer`] joins them to a connection.

mod config;
mod json;
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
mod answer;
mod probe;
mod list;

use std::sync::Arc;

use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{
    BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest, Patience,
};
use dormouse_types::spend::Price;

pub use config::{ModelConfig, ModelId, ModelIdError, Rung, WireFormat};
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
}

impl RemoteModel {
    /// The model that `config` describes. Its name is `provider/model`.
    pub fn new(config: ModelConfig, transport: Arc<dyn Transport>) -> Self {
        let name = format!("{}/{}", config.provider, config.model.as_str());
        Self { name, config, transport, is_probed: true }
    }

    /// The same model, whose rung nobody has found out: that of its settings is only where to begin.
    #[must_use]
    pub fn unprobed(self) -> Self {
        Self { is_probed: false, ..self }
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
        answer::ask(self.transport.as_ref(), &self.config, request)
    }
}
