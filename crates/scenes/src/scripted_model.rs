//! A scripted model that a crash interrupts: what was requested and lost is requested again, and then
//! answered in other words.

use std::sync::{Mutex, PoisonError};

use dormouse_testkit::scripted::Answer;
use dormouse_testkit::scripted::Script;
use dormouse_types::RunKey;
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass};

use crate::scene::Answers;

/// Answers one question after the other.
#[derive(Debug)]
pub struct ScriptedModel {
    /// One script for each question that is still to come, and one without an answer after them.
    scripts: Vec<Script>,
    requests: Mutex<Vec<Request>>,
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
        Self { scripts, requests: Mutex::default() }
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

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let number = {
            let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
            requests.push(request.clone());
            requests.len() - 1
        };
        self.scripts[number.min(self.scripts.len() - 1)].ask(request)
    }
}
