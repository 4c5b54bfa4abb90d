//! The arguments of calls: their schema for the model, and how they are read.

use dormouse_types::limits::{Beyond, Limit};
use dormouse_types::model::ToolSpec;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

pub(super) fn spec<A: JsonSchema>(name: &str, description: &str) -> ToolSpec {
    let mut parameters = schemars::schema_for!(A).to_value();
    if let Some(map) = parameters.as_object_mut() {
        map.remove("$schema");
        map.remove("title");
    }
    ToolSpec { name: name.into(), description: description.into(), parameters }
}

pub(super) fn arguments<A: DeserializeOwned>(args: &Value, example: &str) -> Result<A, String> {
    serde_json::from_value(args.clone()).map_err(|e| format!("{e}; expected {example}"))
}

pub(super) fn within(checked: Result<(), Beyond>) -> Result<(), String> {
    checked.map_err(|beyond| beyond.to_string())
}

pub(super) fn characters(text: &str, what: &str, limit: Limit) -> Result<String, String> {
    within(limit.check(text.trim().chars().count()))?;
    filled(text, what)
}

pub(super) fn bytes(text: &str, what: &str, limit: Limit) -> Result<String, String> {
    within(limit.check(text.trim().len()))?;
    filled(text, what)
}

fn filled(text: &str, what: &str) -> Result<String, String> {
    let text = text.trim();
    if text.is_empty() { Err(format!("the {what} is empty; write it")) } else { Ok(text.into()) }
}
