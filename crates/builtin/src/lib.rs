//! The built-in rules model: deterministic, offline, free.
//!
//! It reads the data of a request's fragments and answers with calls like any other model: a
//! report, proposals with the sentence that supports them, observations. The same request always
//! gets the same answer.
//!
//! Does not own: tools and their validation, decisions about proposals, when an agent wakes.
//!
//! Reading order: [`input`], [`read`], [`settle`], [`report`], [`propose`], [`observe`], [`lang`], [`answer`],
//! [`evolve`], [`offloaded`]; apart from them, [`work`].

pub mod input;
pub mod read;
pub mod report;
pub mod propose;
pub mod settle;
pub mod observe;
pub mod lang;
pub mod directive;
pub mod answer;
pub mod evolve;
pub mod offloaded;
pub mod work;

use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll};

use dormouse_types::model::{ModelError, Request, TurnEvent, Usage};
use dormouse_types::port::{BoxStream, Model, ModelClass};
use futures_core::Stream;

pub use input::Input;
pub use offloaded::Offloaded;

/// The rules model.
#[derive(Debug, Clone, Copy, Default)]
pub struct Builtin;

impl Model for Builtin {
    fn name(&self) -> &str {
        "builtin"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    /// The rules read only the notes of a task: a message to the agent is not evidence they can
    /// quote.
    fn reads_messages(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        Box::pin(Events(events(request)))
    }
}

/// Computes the answer to a request.
fn events(request: &Request) -> VecDeque<TurnEvent> {
    let mut events: VecDeque<TurnEvent> = match evolve::answer(request) {
        Some(evolve::Answer { text, call }) => {
            std::iter::once(TurnEvent::Text(text)).chain(call.map(TurnEvent::Call)).collect()
        }
        None => answer::calls(request).into_iter().map(TurnEvent::Call).collect(),
    };
    events.push_back(TurnEvent::Usage(Usage::default()));
    events.push_back(TurnEvent::End { ended: true });
    events
}

/// A stream whose events are all available at once.
struct Events(VecDeque<TurnEvent>);

impl Stream for Events {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(self.0.pop_front().map(Ok))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}
