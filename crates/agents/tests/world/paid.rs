//! A model of a provider far away, with a price.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity;
use dormouse_store::{Commit, Db};
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, OutgoingRequest};
use dormouse_types::spend::Price;
use dormouse_types::{AgentId, Id as _};

use super::{WS, World, now};

/// A dollar a million in, ten out: a request of 10,000 bytes reserves 5,000 micro-dollars for the
/// input and 1,000 for 100 tokens of output.
const PRICE: Price =
    Price { input: 1_000_000, cached_input: 1_000_000, cache_write: 1_000_000, output: 10_000_000 };

/// What a call reserves. Units: micro-dollars.
pub const RESERVED: i64 = 6_000;

/// Its name.
pub const PAID: &str = "acme/large";

/// How its calls are answered.
pub trait Answers: Send + Sync {
    fn answer(&self, request: &Request) -> BoxStream<'static, Result<TurnEvent, ModelError>>;
}

/// A model that costs money.
#[derive(Default)]
pub struct Paid<A>(pub A);

impl<A: Answers> Model for Paid<A> {
    fn name(&self) -> &str {
        PAID
    }

    fn provider(&self) -> &str {
        "acme"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Paid
    }

    fn price(&self) -> Option<Price> {
        Some(PRICE)
    }

    fn max_output(&self) -> u64 {
        100
    }

    fn outgoing(&self, _: &Request) -> Option<OutgoingRequest> {
        let (url, headers) = ("https://acme.example/v1/messages".into(), Vec::new());
        Some(OutgoingRequest { method: "POST", url, headers, body: "x".repeat(10_000) })
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.answer(request)
    }
}

impl World {
    /// Gives an agent the model that costs money.
    pub fn pays(&self, agent: &AgentId) {
        let row = entity::by_id::<Agent>(WS, agent.as_str());
        let mut row = now(self.store.first(row)).expect("readable").expect("an agent");
        row.doc.value.config.model = Some(PAID.into());
        let commit = Commit::new("test", Db::Agent, WS).op(entity::replace(WS, &row));
        now(self.store.commit(commit)).expect("committed");
    }
}
