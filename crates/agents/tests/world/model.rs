//! A scripted model that can be blocked, made to fail, and counted.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use dormouse_testkit::scripted::Script;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass};
use futures_util::Stream;

/// A gate in front of a script: each request passes when it is allowed to.
pub struct BlockingModel {
    script: Arc<Script>,
    state: Arc<Mutex<State>>,
}

struct State {
    class: ModelClass,
    /// How many requests may pass; `None` means all.
    permits: Option<usize>,
    waiting: Vec<Waker>,
    away: Option<ModelError>,
    asks: usize,
    open: usize,
    most: usize,
}

impl BlockingModel {
    pub fn before(script: Arc<Script>) -> Self {
        let state = State {
            class: ModelClass::Free,
            permits: None,
            waiting: Vec::new(),
            away: None,
            asks: 0,
            open: 0,
            most: 0,
        };
        Self { script, state: Arc::new(Mutex::new(state)) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    fn pass(&self, permits: Option<usize>) {
        let waiting = {
            let mut state = self.state();
            state.permits = permits;
            std::mem::take(&mut state.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Blocks all requests from now on.
    pub fn close(&self) {
        self.pass(Some(0));
    }

    /// Lets one more request pass.
    pub fn let_one_pass(&self) {
        let permits = self.state().permits;
        self.pass(permits.map(|n| n + 1));
    }

    /// Lets all requests pass.
    pub fn open(&self) {
        self.pass(None);
    }

    /// Makes the provider fail from now on.
    pub fn goes_away(&self, why: ProviderUnavailable) {
        self.goes_away_saying(why, "503 Service Unavailable");
    }

    pub fn goes_away_saying(&self, why: ProviderUnavailable, detail: &str) {
        let detail = detail.into();
        self.state().away = Some(ModelError::Provider {
            provider: "script".into(),
            why,
            detail,
            retry_after: None,
        });
    }

    /// Makes the provider refuse for this long, as with `retry-after`.
    pub fn asks_to_wait(&self, wait: std::time::Duration) {
        self.state().away = Some(ModelError::Provider {
            provider: "script".into(),
            why: ProviderUnavailable::Quota,
            detail: "429 Too Many Requests".into(),
            retry_after: Some(wait),
        });
    }

    /// Makes the provider answer again.
    pub fn comes_back(&self) {
        self.state().away = None;
    }

    /// Makes the model a paid one.
    pub fn is_paid(&self) {
        self.state().class = ModelClass::Paid;
    }

    /// Number of requests so far, including those that failed.
    pub fn asks(&self) -> usize {
        self.state().asks
    }

    /// Number of requests waiting for their answer now, and the most there ever were.
    pub fn at_once(&self) -> (usize, usize) {
        let state = self.state();
        (state.open, state.most)
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Model for BlockingModel {
    fn name(&self) -> &str {
        self.script.name()
    }

    fn class(&self) -> ModelClass {
        self.state().class
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let mut state = self.state();
        state.asks += 1;
        state.open += 1;
        state.most = state.most.max(state.open);
        let away = state.away.clone();
        drop(state);
        let script = &self.script;
        let answer: Answer<'a> = match away {
            Some(error) => Box::new(move || {
                let failed: BoxStream<'a, _> =
                    Box::pin(futures_util::stream::iter([Err(error.clone())]));
                failed
            }),
            None => Box::new(move || script.ask(request)),
        };
        Box::pin(Passing { state: self.state.clone(), answer, passed: None })
    }
}

type Answer<'a> = Box<dyn FnMut() -> BoxStream<'a, Result<TurnEvent, ModelError>> + Send + 'a>;

/// A request before or after the gate.
struct Passing<'a> {
    state: Arc<Mutex<State>>,
    answer: Answer<'a>,
    passed: Option<BoxStream<'a, Result<TurnEvent, ModelError>>>,
}

impl Stream for Passing<'_> {
    type Item = Result<TurnEvent, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.passed.is_none() {
            {
                let mut state = lock(&self.state);
                match &mut state.permits {
                    None => {}
                    Some(0) => {
                        state.waiting.push(context.waker().clone());
                        return Poll::Pending;
                    }
                    Some(n) => *n -= 1,
                }
            }
            let stream = (self.answer)();
            self.passed = Some(stream);
        }
        self.passed.as_mut().expect("it has passed").as_mut().poll_next(context)
    }
}

impl Drop for Passing<'_> {
    fn drop(&mut self) {
        lock(&self.state).open -= 1;
    }
}
