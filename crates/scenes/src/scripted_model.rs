//! A scripted model that a crash interrupts: what was requested and lost is requested again, and then
//! answered in other words.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use dormouse_testkit::scripted::Answer;
use dormouse_testkit::scripted::Script;
use dormouse_types::RunKey;
use dormouse_types::model::{ModelError, ProviderState, Request, TurnEvent, Usage};
use dormouse_types::port::{
    BoxStream, Faults, Model, ModelClass, ModelLocation, OutgoingRequest, Point, Stage,
};
use dormouse_types::spend::Price;
use futures_util::stream::{self, StreamExt as _};

use crate::scene::Answers;

/// The provider of a hosted model.
pub const PROVIDER: &str = "acme";
/// A dollar a million in, ten out.
const PRICE: Price =
    Price { input: 1_000_000, cached_input: 1_000_000, cache_write: 1_000_000, output: 10_000_000 };
/// Units: bytes. The body of each request of a hosted model.
const BODY: usize = 10_000;
/// Units: tokens. So small that three long notes are folded.
const WINDOW: u64 = 7_400;
/// Units: tokens.
const MOST_OUTPUT: u64 = 100;
/// The fault point of each piece that a hosted model streams.
pub const PIECE: &str = "model.piece";
/// What each call of a hosted model uses.
const USED: Usage =
    Usage { input: 2500, cached_input: 0, cache_write: 0, output: 50, reasoning: 0, cost: None };

/// Where a model runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In this process: its answers come whole, and cost nothing.
    Here,
    /// With a provider.
    Hosted,
}

/// Answers one question after the other.
pub struct ScriptedModel {
    place: Place,
    /// One script for each question that is still to come, and one without an answer after them.
    scripts: Vec<Script>,
    requests: Mutex<Vec<Request>>,
    /// Called with each piece of an answer that arrives.
    faults: OnceLock<Weak<dyn Faults>>,
}

impl fmt::Debug for ScriptedModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { place, scripts, requests, faults: _ } = self;
        let mut debug = f.debug_struct("ScriptedModel");
        debug.field("place", place).field("scripts", scripts).field("requests", requests);
        debug.finish_non_exhaustive()
    }
}

impl ScriptedModel {
    /// The model at the beginning of a scene.
    pub fn new(answers: &[Answers]) -> Self {
        Self::of(answers.iter().map(|answers| answers.first.clone()))
    }

    /// The model of a process that starts after `n_requests` questions; the answer to the last one was
    /// lost if it was `in_flight`.
    pub fn after(answers: &[Answers], n_requests: usize, in_flight: bool) -> Self {
        let later = answers.iter().skip(n_requests).map(|answers| answers.first.clone());
        match n_requests.checked_sub(1).and_then(|last| answers.get(last)) {
            Some(lost) if in_flight => Self::of(std::iter::once(lost.again.clone()).chain(later)),
            Some(_) | None => Self::of(later),
        }
    }

    fn of(answers: impl Iterator<Item = Answer>) -> Self {
        let mut scripts: Vec<_> = answers.map(|answer| Script::in_order([answer])).collect();
        scripts.push(Script::default());
        let (requests, faults) = (Mutex::default(), OnceLock::new());
        Self { place: Place::Here, scripts, requests, faults }
    }

    /// From now on each piece of an answer is a fault point, as long as somebody holds them.
    pub fn streams_past(&self, faults: &Arc<dyn Faults>) {
        drop(self.faults.set(Arc::downgrade(faults)));
    }

    /// A piece of an answer arrives.
    fn piece(&self) {
        if let Some(faults) = self.faults.get().and_then(Weak::upgrade) {
            faults.pass(Point { stage: Stage::BeforeEffect, label: PIECE });
        }
    }

    /// The same model at a provider.
    #[must_use]
    pub fn hosted(self) -> Self {
        Self { place: Place::Hosted, ..self }
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Every question so far: which turn of which run.
    pub fn questions(&self) -> Vec<(RunKey, u32)> {
        self.requests().into_iter().map(|request| (request.run_key, request.turn)).collect()
    }
}

impl Model for ScriptedModel {
    fn name(&self) -> &str {
        "script"
    }

    fn provider(&self) -> &str {
        match self.place {
            Place::Here => self.name(),
            Place::Hosted => PROVIDER,
        }
    }

    fn class(&self) -> ModelClass {
        match self.place {
            Place::Here => ModelClass::Free,
            Place::Hosted => ModelClass::Paid,
        }
    }

    fn location(&self) -> ModelLocation {
        match self.place {
            Place::Here => ModelLocation::BuiltIn,
            Place::Hosted => ModelLocation::Elsewhere,
        }
    }

    fn price(&self) -> Option<Price> {
        match self.place {
            Place::Here => None,
            Place::Hosted => Some(PRICE),
        }
    }

    fn window(&self) -> Option<u64> {
        match self.place {
            Place::Here => None,
            Place::Hosted => Some(WINDOW),
        }
    }

    fn max_output(&self) -> u64 {
        match self.place {
            Place::Here => 0,
            Place::Hosted => MOST_OUTPUT,
        }
    }

    fn outgoing(&self, _request: &Request) -> Option<OutgoingRequest> {
        match self.place {
            Place::Here => None,
            Place::Hosted => {
                let (url, headers) = ("https://acme.example/v1/messages".into(), Vec::new());
                Some(OutgoingRequest { method: "POST", url, headers, body: "x".repeat(BODY) })
            }
        }
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let number = {
            let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.push(request.clone());
            requests.len() - 1
        };
        let answer = self.scripts[number.min(self.scripts.len() - 1)].ask(request);
        match self.place {
            Place::Here => answer,
            Place::Hosted => match missing_state(request) {
                Some(detail) => Box::pin(stream::iter([Err(ModelError::Request { detail })])),
                None => {
                    let pieces =
                        answer.flat_map(move |event| stream::iter(streamed(event, request)));
                    Box::pin(pieces.inspect(move |_| self.piece()))
                }
            },
        }
    }
}

/// What a hosted model wants back with one of its turns.
fn state(run: &RunKey, turn: usize) -> ProviderState {
    ProviderState { provider: PROVIDER.into(), data: format!("{run} turn {turn}") }
}

/// A provider refuses turns without the part that it sent with them.
fn missing_state(request: &Request) -> Option<String> {
    let turns = request.turns.iter().enumerate();
    let mut lost = turns
        .filter(|(n, turn)| turn.provider_state.as_ref() != Some(&state(&request.run_key, n + 1)));
    lost.next().map(|(n, turn)| format!("turn {} has {:?}", n + 1, turn.provider_state))
}

/// An event as a provider sends it: the arguments of a call in two pieces first, and at the end what
/// it wants back and what was used.
fn streamed(
    event: Result<TurnEvent, ModelError>,
    request: &Request,
) -> Vec<Result<TurnEvent, ModelError>> {
    match event {
        Ok(TurnEvent::Call(call)) => {
            let json = call.args.to_string();
            let middle = (json.len() / 2..).find(|at| json.is_char_boundary(*at)).unwrap_or(0);
            let piece = |json: &str| TurnEvent::CallDelta {
                index: 0,
                name: call.name.clone(),
                json: json.to_owned(),
            };
            let pieces = [piece(&json[..middle]), piece(&json[middle..])];
            pieces.into_iter().chain([TurnEvent::Call(call)]).map(Ok).collect()
        }
        Ok(TurnEvent::Usage(_)) => {
            let turn = usize::try_from(request.turn).unwrap_or(0);
            let state = TurnEvent::State(state(&request.run_key, turn));
            vec![Ok(state), Ok(TurnEvent::Usage(USED))]
        }
        other => vec![other],
    }
}
