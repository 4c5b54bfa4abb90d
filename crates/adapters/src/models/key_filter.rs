//! Keeps the key of a provider out of what its answers say: a gateway may repeat the headers that it
//! was sent, and what a model says is stored.

use dormouse_types::model::TurnEvent;
use serde_json::Value;

use crate::http::Secret;

/// Units: bytes. A shorter key is a word that a person made up for a server that needs none, such as
/// the name of the server, and models say such words.
const SHORTEST_KEY: usize = 16;

/// Replaces the key in the events of a turn, also where it comes in pieces.
pub(crate) struct KeyFilter {
    key: Option<Secret>,
    held: Option<Held>,
}

/// The end of what came so far, which may be the beginning of the key.
struct Held {
    place: Place,
    text: String,
}

#[derive(Clone, PartialEq, Eq)]
enum Place {
    Text,
    Arguments { index: usize, name: String },
}

impl Place {
    fn event(&self, text: String) -> TurnEvent {
        match self {
            Self::Text => TurnEvent::Text(text),
            Self::Arguments { index, name } => {
                TurnEvent::CallDelta { index: *index, name: name.clone(), json: text }
            }
        }
    }
}

impl KeyFilter {
    /// A filter for the answers of a provider with this key.
    pub(crate) fn new(key: Option<&Secret>) -> Self {
        let key = key.filter(|key| key.expose().len() >= SHORTEST_KEY).cloned();
        Self { key, held: None }
    }

    /// Returns the events that can be shown after one more.
    pub(crate) fn pass(&mut self, event: TurnEvent) -> Vec<TurnEvent> {
        let Some(key) = self.key.clone() else { return vec![event] };
        let (place, piece) = match event {
            TurnEvent::Text(text) => (Place::Text, text),
            TurnEvent::CallDelta { index, name, json } => (Place::Arguments { index, name }, json),
            whole @ (TurnEvent::Call(_)
            | TurnEvent::State(_)
            | TurnEvent::Usage(_)
            | TurnEvent::End { .. }) => {
                return self.rest().into_iter().chain([without(&key, whole)]).collect();
            }
        };
        // An empty piece says only that the model is at work.
        if piece.is_empty() {
            return vec![place.event(piece)];
        }
        let mut shown = Vec::new();
        let before = match self.held.take() {
            Some(held) if held.place == place => held.text,
            Some(held) => {
                shown.push(held.place.event(held.text));
                String::new()
            }
            None => String::new(),
        };
        let mut text = key.hide_in(&(before + &piece));
        let held = text.split_off(text.len() - begun(key.expose(), &text));
        shown.push(place.event(text));
        if !held.is_empty() {
            self.held = Some(Held { place, text: held });
        }
        shown
    }

    /// Returns what is held back: nothing follows that could make it the key.
    pub(crate) fn rest(&mut self) -> Option<TurnEvent> {
        self.held.take().map(|held| held.place.event(held.text))
    }
}

/// The length of the longest end of `text` that is the beginning of `key`. Units: bytes.
fn begun(key: &str, text: &str) -> usize {
    let most = (key.len() - 1).min(text.len());
    (1..=most).rev().find(|n| text.ends_with(&key[..*n])).unwrap_or(0)
}

fn without(key: &Secret, event: TurnEvent) -> TurnEvent {
    match event {
        TurnEvent::Call(mut call) => {
            call.id = key.hide_in(&call.id);
            call.name = key.hide_in(&call.name);
            hide(key, &mut call.args);
            TurnEvent::Call(call)
        }
        TurnEvent::State(mut state) => {
            state.data = key.hide_in(&state.data);
            TurnEvent::State(state)
        }
        TurnEvent::Text(_)
        | TurnEvent::CallDelta { .. }
        | TurnEvent::Usage(_)
        | TurnEvent::End { .. } => event,
    }
}

fn hide(key: &Secret, value: &mut Value) {
    match value {
        Value::String(text) => *text = key.hide_in(text),
        Value::Array(items) => items.iter_mut().for_each(|item| hide(key, item)),
        Value::Object(members) => {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(name, mut member)| {
                    hide(key, &mut member);
                    (key.hide_in(&name), member)
                })
                .collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::model::{ProviderState, ToolCall};
    use serde_json::json;

    use super::*;

    const KEY: &str = "sk-sk-very-secret-1234";

    fn all(key: &str, events: Vec<TurnEvent>) -> Vec<TurnEvent> {
        let mut filter = KeyFilter::new(Some(&Secret::new(key).expect("a key")));
        let mut out: Vec<_> = events.into_iter().flat_map(|event| filter.pass(event)).collect();
        out.extend(filter.rest());
        out
    }

    fn text_of(events: &[TurnEvent]) -> String {
        let text = |event: &TurnEvent| match event {
            TurnEvent::Text(text) => text.clone(),
            other => format!("[{other:?}]"),
        };
        events.iter().map(text).collect()
    }

    #[test]
    fn a_key_is_hidden_however_it_is_cut_and_nothing_else_changes() {
        let sample = format!("Bearer {KEY}, sk-sk-sk-very, {KEY}{KEY} – é sk-");
        let expected = "Bearer (not shown), sk-sk-sk-very, (not shown)(not shown) – é sk-";
        for size in 1..=sample.chars().count() {
            let chars: Vec<char> = sample.chars().collect();
            let pieces = chars.chunks(size).map(|piece| TurnEvent::Text(piece.iter().collect()));
            let out = all(KEY, pieces.collect());
            assert_eq!(text_of(&out), expected, "in pieces of {size}");
        }
    }

    #[test]
    fn calls_their_previews_and_states_do_not_have_the_key() {
        let delta =
            |json: &str| TurnEvent::CallDelta { index: 0, name: "note".into(), json: json.into() };
        let call = ToolCall {
            id: format!("id-{KEY}"),
            name: "note".into(),
            args: json!({ "a": [{ KEY: format!("it is {KEY}!") }], "n": 7 }),
        };
        let state = ProviderState { provider: "p".into(), data: format!("[\"{KEY}\"]") };
        let events = vec![
            TurnEvent::Text("Hm sk-sk".into()),
            delta("{\"a\":\"sk-sk-very"),
            delta("-secret-1234\"}"),
            TurnEvent::Call(call),
            TurnEvent::State(state),
            TurnEvent::End { ended: false },
        ];
        let out = all(KEY, events);
        let shown = format!("{out:?}");
        assert!(!shown.contains("secret-1234"), "{shown}");
        assert!(shown.contains("it is (not shown)!") && shown.contains("Number(7)"), "{shown}");
        assert!(shown.contains("Text(\"sk-sk\")"), "what was no key is shown after all: {shown}");
        assert_eq!(out.last(), Some(&TurnEvent::End { ended: false }));
    }

    #[test]
    fn the_made_up_key_of_a_server_that_needs_none_is_a_word_like_any_other() {
        let out = all("lm-studio", vec![TurnEvent::Text("Start lm-studio first.".into())]);
        assert_eq!(text_of(&out), "Start lm-studio first.");
    }
}
