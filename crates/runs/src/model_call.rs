//! Asks a model for one turn and collects its stream.

use dormouse_types::limits;
use dormouse_types::model::{ModelError, Request, TurnEvent, Usage};
use dormouse_types::port::Model;
use futures_util::StreamExt as _;

use crate::step::LoggedTurn;

/// Asks for one turn. Units of the usage: tokens.
pub async fn turn(model: &dyn Model, request: &Request) -> Result<(LoggedTurn, Usage), ModelError> {
    let mut turn =
        LoggedTurn { text: String::new(), calls: Vec::new(), results: Vec::new(), ended: false };
    let mut usage = Usage::default();
    let mut complete = false;
    let mut events = model.ask(request);
    while let Some(event) = events.next().await {
        match event? {
            TurnEvent::Text(text) => turn.text.push_str(&text),
            TurnEvent::Call(call) => turn.calls.push(call),
            TurnEvent::Usage(tokens) => usage = tokens,
            TurnEvent::End { ended } => {
                turn.ended = ended;
                complete = true;
            }
        }
    }
    if !complete {
        return Err(ModelError::Request { detail: "the answer broke off".into() });
    }
    // Calls beyond the cap are dropped: a model that makes that many has lost its way.
    turn.calls.truncate(limits::CALLS_PER_WAKE.max);
    unique_ids(&mut turn);
    turn.results = vec![None; turn.calls.len()];
    Ok((turn, usage))
}

/// Gives calls without a unique id a new one, because results are matched by id.
fn unique_ids(turn: &mut LoggedTurn) {
    let mut seen = std::collections::BTreeSet::new();
    for (n, call) in turn.calls.iter_mut().enumerate() {
        if call.id.is_empty() || !seen.insert(call.id.clone()) {
            call.id = format!("call-{}-{}", n + 1, call.id);
            seen.insert(call.id.clone());
        }
    }
}
