//! Engines on the Postgres server that the tests of a process share.

use std::sync::Arc;

use dormouse_store::backend::postgres::{Options, Postgres, Time};
use dormouse_testkit::postgres::{Server, connections};
use dormouse_types::port::{Clock, Entropy};

/// An engine on two fresh schemas, on whose database it is as late as by the clock.
pub fn fresh(clock: &Arc<dyn Clock>, entropy: &dyn Entropy) -> Postgres {
    let server = Server::shared();
    let options = Options {
        url: server.url(),
        prefix: server.prefix(),
        time: Time::Clock(clock.clone()),
        clock: clock.clone(),
    };
    let engine = connections().block_on(Postgres::connect(options, entropy));
    engine.expect("two schemas of this version")
}
