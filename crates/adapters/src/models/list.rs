//! The models that a server offers.

use dormouse_types::model::ModelError;
use serde_json::Value;

use super::ApiFormat;
use super::answer::{json, success, wrong_type};
use super::config::{ModelConfig, ModelId};
use super::failure::{self, WireError};
use crate::http::{HeaderText, HttpRequest, Method, Transport};

/// A model in a server's list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// Its id, as [`ModelConfig::model`] takes it.
    pub id: String,
    /// Units: tokens. Its context window, where the server says so.
    pub window: Option<u64>,
    /// Whether it calls tools, where the server says so.
    pub calls_tools: Option<bool>,
}

/// More than any server offers.
const MAX_MODELS: usize = 5000;

/// Asks the server for its models, sorted by id. `config.model` has no influence. A list longer than
/// one page is read to the end of its first thousand.
///
/// Errors: as for a call.
pub async fn list(
    transport: &dyn Transport,
    config: &ModelConfig,
) -> Result<Vec<ListedModel>, ModelError> {
    fetch(transport, config).await.map_err(|error| error.into_model_error(config))
}

async fn fetch(
    transport: &dyn Transport,
    config: &ModelConfig,
) -> Result<Vec<ListedModel>, WireError> {
    let path = match config.format {
        ApiFormat::ChatCompletions | ApiFormat::Responses => "/models",
        ApiFormat::Anthropic => "/models?limit=1000",
        ApiFormat::Gemini => "/models?pageSize=1000",
    };
    let mut headers = vec![("accept", HeaderText::Plain("application/json".to_owned()))];
    headers.extend(config.headers());
    let target = config.target(path);
    let request = HttpRequest { method: Method::Get, target, headers, body: String::new() };
    let origin = request.target.origin();
    let answer = success(transport.send(&request).await?, config).await?;
    match answer.media_type().as_str() {
        "application/json" | "text/plain" | "" => {
            let answer = json(answer, &origin).await?;
            let models = read(&answer, config.format).map(|models| without_key(models, config));
            models.ok_or_else(|| match answer.get("error") {
                Some(error) if !error.is_null() => failure::of_object(&answer, config),
                Some(_) | None => {
                    WireError::malformed(format!("{origin} answered without a list of models"))
                }
            })
        }
        other => Err(wrong_type(&origin, other)),
    }
}

/// The models whose ids can be shown: a server may list the key that it was sent.
fn without_key(mut models: Vec<ListedModel>, config: &ModelConfig) -> Vec<ListedModel> {
    if let Some(key) = &config.key {
        models.retain(|model| !key.is_in(&model.id));
    }
    models
}

/// Reads a list, in the shape of any of the formats; `None` if it is none.
fn read(answer: &Value, format: ApiFormat) -> Option<Vec<ListedModel>> {
    let items = ["data", "models"].iter().find_map(|name| answer.get(*name)?.as_array());
    let items = items.or_else(|| answer.as_array())?;
    let mut models: Vec<_> =
        items.iter().take(MAX_MODELS).filter_map(|item| model(item, format)).collect();
    models.sort_by(|a, b| a.id.cmp(&b.id));
    models.dedup_by(|a, b| a.id == b.id);
    Some(models)
}

/// One model; `None` if it has no id that can be used, or cannot write text.
///
/// Sources for the window: OpenRouter `context_length`, vLLM `max_model_len`, Mistral
/// `max_context_length`, llama.cpp `meta.n_ctx` and `meta.n_ctx_train`, Groq `context_window`,
/// Anthropic `max_input_tokens`, Gemini `inputTokenLimit`.
fn model(item: &Value, format: ApiFormat) -> Option<ListedModel> {
    let names = ["id", "name", "model"];
    let id = item.as_str().or_else(|| names.iter().find_map(|name| item.get(*name)?.as_str()))?;
    let id = match format {
        // Gemini lists the paths of its models. Elsewhere, a folder of this name is part of an id.
        ApiFormat::Gemini => id.strip_prefix("models/").unwrap_or(id),
        ApiFormat::ChatCompletions | ApiFormat::Responses | ApiFormat::Anthropic => id,
    };
    let id = ModelId::new(id).ok()?;
    let strings = |name: &str| {
        let items = item.get(name).and_then(Value::as_array)?;
        Some(items.iter().filter_map(Value::as_str).collect::<Vec<_>>())
    };
    if strings("supportedGenerationMethods").is_some_and(|it| !it.contains(&"generateContent")) {
        return None;
    }
    let windows = [
        "/context_length",
        "/max_model_len",
        "/max_context_length",
        "/meta/n_ctx",
        "/meta/n_ctx_train",
        "/context_window",
        "/max_input_tokens",
        "/inputTokenLimit",
    ];
    let window = windows.iter().find_map(|path| item.pointer(path)?.as_u64());
    let calls_tools = item
        .pointer("/capabilities/function_calling")
        .and_then(Value::as_bool)
        .or_else(|| strings("supported_parameters").map(|it| it.contains(&"tools")));
    Some(ListedModel {
        id: id.as_str().to_owned(),
        window: window.filter(|window| *window > 0),
        calls_tools,
    })
}
