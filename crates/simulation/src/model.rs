//! A model that never says the same twice, and does everything that a model should not do.

use std::sync::Arc;
use std::time::Duration;

use dormouse_types::limits;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request};
use dormouse_types::port::{
    BoxStream, Clock as _, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use dormouse_types::spend::Price;
use futures_util::Stream;
use futures_util::stream::{self, StreamExt as _};

use crate::answers::{self, Streamed};
use crate::faults::Fault;
use crate::oracle::{self, Asking};
use crate::process_life;
use crate::sim_backend::Turn;
use crate::sim_state::SimState;
use crate::terms::{MOST_OUTPUT, PROVIDER, Place};
use crate::time::SkewedClock;
use crate::work_watch;

/// The model of one node.
pub(crate) struct FuzzModel {
    pub(crate) sim: Arc<SimState>,
    /// The place of the node among all that were started.
    pub(crate) node: usize,
    pub(crate) owner: String,
    pub(crate) dial: SkewedClock,
}

impl Model for FuzzModel {
    fn name(&self) -> &str {
        "oddball"
    }

    fn provider(&self) -> &str {
        match self.sim.terms.place {
            Place::BuiltIn | Place::OwnServer => self.name(),
            Place::Provider => PROVIDER,
        }
    }

    fn class(&self) -> ModelClass {
        self.sim.terms.class()
    }

    fn location(&self) -> ModelLocation {
        self.sim.terms.location()
    }

    fn price(&self) -> Option<Price> {
        self.sim.terms.price
    }

    fn window(&self) -> Option<u64> {
        Some(self.sim.terms.window)
    }

    fn max_output(&self) -> u64 {
        MOST_OUTPUT
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        match self.sim.terms.place {
            Place::BuiltIn => None,
            Place::OwnServer | Place::Provider => {
                let (url, headers) = ("https://acme.example/v1/turns".into(), Vec::new());
                Some(OutgoingRequest { method: "POST", url, headers, body: body(request) })
            }
        }
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Streamed> {
        let answer = stream::once(self.answer(request));
        Box::pin(answer.flat_map(|(asking, events)| self.sent(asking, events)))
    }
}

/// A request as a provider gets it.
fn body(request: &Request) -> String {
    let texts: Vec<&str> = request.fragments.iter().map(|it| it.text.as_str()).collect();
    serde_json::to_string(&(texts, &request.turns)).unwrap_or_default()
}

impl FuzzModel {
    async fn answer(&self, request: &Request) -> (Option<Asking>, Vec<Streamed>) {
        let sim = &self.sim;
        let body = body(request);
        let is_work = work_watch::is_work(request);
        let asking = match is_work {
            true => {
                work_watch::model_called(sim, &self.owner, request, &body);
                None
            }
            false => Some(oracle::model_called(sim, &self.owner, request, &body)),
        };
        let strikes = |fault| sim.strikes(fault);
        if strikes(Fault::Stall) {
            let longest = limits::MODEL_SECONDS + 60;
            let stall = 30 + sim.draw(|chance| chance.below(longest));
            self.dial.sleep_until(self.dial.now() + Duration::from_secs(stall)).await;
        }
        for _ in 0..sim.draw(|chance| chance.below(4)) {
            Turn::of_others().await;
        }
        if sim.draw(|chance| chance.one_in(6)) {
            let millis = sim.draw(|chance| chance.below(8000));
            self.dial.sleep_until(self.dial.now() + Duration::from_millis(millis)).await;
        }
        let mut events = if strikes(Fault::Unavailable) {
            let whys = [
                ProviderUnavailable::Outage,
                ProviderUnavailable::Quota,
                ProviderUnavailable::Authentication,
                ProviderUnavailable::Unreachable,
            ];
            let why = sim
                .draw(|chance| chance.pick(&whys).copied())
                .unwrap_or(ProviderUnavailable::Outage);
            vec![Err(self.away(why))]
        } else if strikes(Fault::Refusal) {
            vec![Err(ModelError::Request { detail: "too long".into() })]
        } else {
            let nonsense = strikes(Fault::Nonsense);
            let terms = (&sim.terms, body.len());
            sim.draw(|chance| match is_work {
                true => work_watch::answer(nonsense, chance),
                false => answers::answer(request, terms, nonsense, chance),
            })
        };
        if sim.terms.place != Place::BuiltIn && strikes(Fault::CutAnswer) {
            events.truncate(sim.draw(|chance| chance.place(events.len())));
            match sim.draw(|chance| chance.below(3)) {
                0 => events.push(Err(self.away(ProviderUnavailable::Outage))),
                1 => events.push(Err(ModelError::Request { detail: "it broke off".into() })),
                _ => {}
            }
        }
        (asking, events)
    }

    fn away(&self, why: ProviderUnavailable) -> ModelError {
        let provider = self.provider().to_owned();
        ModelError::Provider { provider, why, detail: "away".into(), retry_after: None }
    }

    /// The events as they arrive: others go on between two of them, and the node may die.
    fn sent(
        &self,
        asking: Option<Asking>,
        events: Vec<Streamed>,
    ) -> impl Stream<Item = Streamed> + '_ {
        let asking = match self.sim.terms.place {
            // It answers at once; what is shown piece by piece is shown afterwards.
            Place::BuiltIn => None,
            Place::OwnServer | Place::Provider => asking,
        };
        stream::unfold((asking, events.into_iter()), move |(asking, mut events)| async move {
            let event = events.next()?;
            if asking.is_some() {
                self.pause().await;
            }
            Some((event, (asking, events)))
        })
    }

    async fn pause(&self) {
        let sim = &self.sim;
        if sim.strikes(Fault::CrashInAnswer) {
            sim.trace(format_args!("{} dies in the middle of an answer", self.owner));
            process_life::crash(sim, self.node);
            return std::future::pending().await;
        }
        match sim.draw(|chance| chance.below(16)) {
            0 => {
                let millis = 1 + sim.draw(|chance| chance.below(4000));
                self.dial.sleep_until(self.dial.now() + Duration::from_millis(millis)).await;
            }
            1..4 => Turn::of_others().await,
            _ => {}
        }
    }
}
