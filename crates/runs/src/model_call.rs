//! Asks a model for one turn and collects its stream.

use dormouse_types::limits;
use dormouse_types::model::{ModelError, Request, TurnEvent, Usage};
use dormouse_types::port::Model;
use futures_util::StreamExt as _;

use crate::step::LoggedTurn;

/// Receives the text of a turn while the model is still writing it, for whoever watches the run.
///
/// It is a preview: a turn counts only once it is recorded, and an answer that breaks off is not.
pub trait DeltaSink: Send + Sync {
    /// Called for each piece of text, in order.
    fn text(&self, request: &Request, delta: &str);
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSink;

impl DeltaSink for NoSink {
    fn text(&self, _request: &Request, _delta: &str) {}
}

/// Asks for one turn. Units of the usage: tokens.
pub async fn turn(
    model: &dyn Model,
    request: &Request,
    sink: &dyn DeltaSink,
) -> Result<(LoggedTurn, Usage), ModelError> {
    let mut turn =
        LoggedTurn { text: String::new(), calls: Vec::new(), results: Vec::new(), ended: false };
    let mut usage = Usage::default();
    let mut complete = false;
    let mut events = model.ask(request);
    while let Some(event) = events.next().await {
        match event? {
            TurnEvent::Text(text) => {
                sink.text(request, &text);
                turn.text.push_str(&text);
            }
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

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use dormouse_types::RunKey;
    use dormouse_types::port::{BoxStream, ModelClass};
    use futures_util::{FutureExt as _, stream};

    use super::*;

    struct Fixed(Vec<TurnEvent>);

    impl Model for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn class(&self) -> ModelClass {
            ModelClass::Free
        }

        fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
            Box::pin(stream::iter(self.0.iter().cloned().map(Ok)))
        }
    }

    #[derive(Default)]
    struct Heard(Mutex<Vec<(u32, String)>>);

    impl DeltaSink for Heard {
        fn text(&self, request: &Request, delta: &str) {
            let mut heard = self.0.lock().expect("one thread");
            heard.push((request.turn, delta.to_owned()));
        }
    }

    #[test]
    fn text_is_passed_on_piece_by_piece_and_the_usage_is_returned() {
        let usage = Usage { input: 30, cached_input: 10, output: 4 };
        let model = Fixed(vec![
            TurnEvent::Text("All ".into()),
            TurnEvent::Text("quiet.".into()),
            TurnEvent::Usage(usage),
            TurnEvent::End { ended: true },
        ]);
        let request = Request {
            run_key: RunKey("k".into()),
            turn: 2,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
        };
        let heard = Heard::default();
        let answer = turn(&model, &request, &heard).now_or_never().expect("it does not wait");
        let (turn, used) = answer.expect("an answer");
        assert_eq!((turn.text.as_str(), turn.ended, used), ("All quiet.", true, usage));
        let heard = heard.0.into_inner().expect("one thread");
        assert_eq!(heard, [(2, "All ".to_owned()), (2, "quiet.".to_owned())]);
    }
}
