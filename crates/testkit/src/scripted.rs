//! A model that answers from a script, for tests.

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};

use dormouse_types::RunKey;
use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent, Usage};
use dormouse_types::port::{BoxStream, Model, ModelClass};
use futures_core::Stream;
use serde_json::Value;

/// One scripted answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A complete turn.
    Turn {
        /// Text next to the calls.
        text: String,
        /// Calls, in order.
        calls: Vec<ToolCall>,
        /// Whether the model asks for no further turn.
        ended: bool,
    },
    Fails(ModelError),
}

impl Answer {
    /// Creates a last turn that makes these calls.
    pub fn calls<'a>(calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls
            .into_iter()
            .enumerate()
            .map(|(at, (name, args))| ToolCall {
                id: format!("call-{}", at + 1),
                name: name.to_owned(),
                args,
            })
            .collect();
        Self::Turn { text: String::new(), calls, ended: true }
    }

    /// Turns this into a turn after which the model expects another one.
    pub fn and_goes_on(self) -> Self {
        match self {
            Self::Turn { text, calls, .. } => Self::Turn { text, calls, ended: false },
            Self::Fails(error) => Self::Fails(error),
        }
    }
}

/// A model that reads its answers from a list.
///
/// An answer set for a run and turn takes precedence; otherwise the next one in the list is used.
/// The same (run, turn) always gets the same answer, so a run replayed after a crash meets the same
/// model.
#[derive(Debug, Default)]
pub struct Script {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    given: BTreeMap<(RunKey, u32), Answer>,
    next: VecDeque<Answer>,
    requests: Vec<Request>,
}

impl Script {
    /// Creates a model that gives these answers in order, whichever run asks.
    pub fn in_order(answers: impl IntoIterator<Item = Answer>) -> Self {
        let state = State { next: answers.into_iter().collect(), ..State::default() };
        Self { state: Mutex::new(state) }
    }

    /// Sets the answer to one turn of one run.
    #[must_use]
    pub fn with(self, run_key: RunKey, turn: u32, answer: Answer) -> Self {
        self.state().given.insert((run_key, turn), answer);
        self
    }

    /// Appends an answer to the list.
    pub fn push(&self, answer: Answer) {
        self.state().next.push_back(answer);
    }

    /// Returns every request so far, in order, including replayed ones.
    pub fn requests(&self) -> Vec<Request> {
        self.state().requests.clone()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn answer(&self, request: &Request) -> Answer {
        let mut state = self.state();
        state.requests.push(request.clone());
        let at = (request.run_key.clone(), request.turn);
        if let Some(answer) = state.given.get(&at) {
            return answer.clone();
        }
        let Some(answer) = state.next.pop_front() else {
            let detail = format!("the script has no answer for turn {} of run {}", at.1, at.0);
            return Answer::Fails(ModelError::Request { detail });
        };
        state.given.insert(at, answer.clone());
        answer
    }
}

impl Model for Script {
    fn name(&self) -> &str {
        "script"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        Box::pin(Events(events(self.answer(request))))
    }
}

/// Streams an answer the way a model would.
fn events(answer: Answer) -> VecDeque<Result<TurnEvent, ModelError>> {
    match answer {
        Answer::Fails(error) => VecDeque::from([Err(error)]),
        Answer::Turn { text, calls, ended } => {
            let mut events = VecDeque::new();
            if !text.is_empty() {
                events.push_back(Ok(TurnEvent::Text(text)));
            }
            events.extend(calls.into_iter().map(|call| Ok(TurnEvent::Call(call))));
            events.push_back(Ok(TurnEvent::Usage(Usage::default())));
            events.push_back(Ok(TurnEvent::End { ended }));
            events
        }
    }
}

struct Events(VecDeque<Result<TurnEvent, ModelError>>);

impl Stream for Events {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::model::ToolChoice;

    use super::*;

    fn request(run_key: &str, turn: u32) -> Request {
        let run_key = RunKey(run_key.to_owned());
        Request {
            run_key,
            turn,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
        }
    }

    fn says(text: &str) -> Answer {
        Answer::Turn { text: text.to_owned(), calls: Vec::new(), ended: true }
    }

    #[test]
    fn a_replayed_turn_gets_the_same_answer() {
        let script = Script::in_order([says("one"), says("two")]);
        assert_eq!(script.answer(&request("a", 1)), says("one"));
        assert_eq!(script.answer(&request("b", 1)), says("two"));
        assert_eq!(script.answer(&request("a", 1)), says("one"));
        assert_eq!(script.requests().len(), 3);
    }

    #[test]
    fn an_answer_for_one_run_is_not_taken_from_the_list() {
        let script = Script::in_order([says("list")]).with(RunKey("b".into()), 2, says("named"));
        assert_eq!(script.answer(&request("b", 2)), says("named"));
        assert_eq!(script.answer(&request("b", 1)), says("list"));
        assert!(matches!(script.answer(&request("b", 3)), Answer::Fails(_)));
    }

    #[test]
    fn a_turn_streams_text_calls_usage_and_its_end() {
        let turn = Answer::calls([("finish", Value::Null)]).and_goes_on();
        let streamed: Vec<_> = events(turn).into_iter().collect();
        let call = ToolCall { id: "call-1".into(), name: "finish".into(), args: Value::Null };
        assert_eq!(
            streamed,
            [
                Ok(TurnEvent::Call(call)),
                Ok(TurnEvent::Usage(Usage::default())),
                Ok(TurnEvent::End { ended: false }),
            ]
        );
    }
}
