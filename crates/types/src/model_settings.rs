//! Which providers and models a workspace knows, which one is in use, and what may be spent.

use serde::{Deserialize, Serialize};

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
    /// Whether the person says that it is their own server: what it gets has not left the house,
    /// and it costs nothing.
    pub is_own: bool,
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
    /// Its context window. Units: tokens.
    pub window: Option<u64>,
    /// The price that a person set; `None` means that of the price table.
    pub price: Option<Price>,
}

impl Default for ModelSettings {
    fn default() -> Self {
        Self {
            providers: Vec::new(),
            models: Vec::new(),
            model: None,
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

    /// What is known of a model.
    pub fn known(&self, id: &str) -> Option<&KnownModel> {
        self.models.iter().find(|known| known.id == id)
    }
}

/// Splits `provider/model` at the first `/`; `None` if a part is empty.
pub fn split_id(id: &str) -> Option<(&str, &str)> {
    id.split_once('/').filter(|(provider, model)| !provider.is_empty() && !model.is_empty())
}
