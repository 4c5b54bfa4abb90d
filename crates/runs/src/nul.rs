//! U+0000 in an answer of a model, which not every database can store.
//!
//! A person who sends it gets an error. A model does not: its answer is paid, and a commit that fails would have the same
//! turn asked and paid again. So the character is replaced where the answer enters, on every engine alike.

use dormouse_types::model::{ModelError, ToolCall};
use serde_json::{Map, Value};

use crate::step::LoggedTurn;

/// What stands for the character.
const REPLACEMENT: &str = "\u{fffd}";

/// Replaces it in everything that is stored of a turn.
///
/// What a provider wants back is the JSON of its adapter, which has the character as an escape and stays as it came.
pub(crate) fn replace_in_turn(turn: &mut LoggedTurn) {
    replace(&mut turn.text);
    for ToolCall { id, name, args } in &mut turn.calls {
        replace(id);
        replace(name);
        replace_in_value(args);
    }
    if let Some(state) = &mut turn.provider_state {
        replace(&mut state.data);
    }
}

/// Replaces it in the words of a failure.
pub(crate) fn replace_in_failure(error: &mut ModelError) {
    match error {
        ModelError::Provider { detail, .. }
        | ModelError::Rejected { detail }
        | ModelError::Request { detail } => replace(detail),
    }
}

fn replace(text: &mut String) {
    if text.contains('\0') {
        *text = text.replace('\0', REPLACEMENT);
    }
}

fn replace_in_value(value: &mut Value) {
    match value {
        Value::String(text) => replace(text),
        Value::Array(items) => items.iter_mut().for_each(replace_in_value),
        Value::Object(members) => {
            members.values_mut().for_each(replace_in_value);
            if members.keys().any(|key| key.contains('\0')) {
                let renamed = std::mem::take(members).into_iter();
                let renamed = renamed.map(|(key, value)| (key.replace('\0', REPLACEMENT), value));
                *members = renamed.collect::<Map<_, _>>();
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
