//! Whether a request fits into the window of its model: one that does not is never sent.
//!
//! A server refuses such a request, or cuts it without a word; see [`crate::truncation`].

use dormouse_types::memory::{ASSUMED_WINDOW, Room, tokens};
use dormouse_types::model::Request;
use dormouse_types::model_settings::as_argument;
use dormouse_types::port::{Model, ModelLocation};

use crate::request::tools_text;

/// A request that has no room in a window. Units: tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooLarge {
    pub window: u64,
    /// What the request needs, with room for its answer.
    pub needed: u64,
}

impl TooLarge {
    /// Says what does not fit and what to do, for a person.
    pub fn reason(self, model: &str) -> String {
        let Self { window, needed } = self;
        let argument = as_argument(model);
        format!(
            "the prompt does not fit into the window of {model}: it needs about {needed} tokens with \
             room for an answer, and the window has {window}. Nothing was sent. If the model has a larger \
             window, say so: dormouse models edit {argument} --window TOKENS. If not, choose another model"
        )
    }
}

/// Returns the window that counts for a model; `None` for the built-in one, which has none.
pub fn window_of(model: &dyn Model) -> Option<u64> {
    match model.location() {
        ModelLocation::BuiltIn => None,
        ModelLocation::OwnServer | ModelLocation::Elsewhere => {
            Some(model.window().unwrap_or(ASSUMED_WINDOW))
        }
    }
}

/// Estimates the tokens of a request: what it says, what was said in earlier turns, and its tools.
pub fn size(request: &Request) -> u64 {
    let fragments = request.fragments.iter().map(|fragment| tokens(&fragment.text));
    let turns = request.turns.iter().flat_map(|turn| {
        let calls = turn.calls.iter().map(|call| tokens(&call.args.to_string()));
        let results = turn.results.iter().map(|result| tokens(&result.text));
        std::iter::once(tokens(&turn.text)).chain(calls).chain(results)
    });
    let tools = tokens(&tools_text(&request.tools));
    fragments.chain(turns).fold(tools, u64::saturating_add)
}

/// Returns why a request has no room in a window; `None` if it has.
///
/// Later turns may take half of what the first one keeps free for an answer: what they add was an answer.
pub fn too_large(request: &Request, window: u64, max_output: u64) -> Option<TooLarge> {
    let answer = Room::for_answer(window, max_output);
    let answer = if request.turns.is_empty() { answer } else { answer / 2 };
    let needed = size(request).saturating_add(answer);
    (needed > window).then_some(TooLarge { window, needed })
}
