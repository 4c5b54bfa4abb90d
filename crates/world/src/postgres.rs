//! Engines on the Postgres server that the tests of a process share.

use std::sync::{Arc, OnceLock};

use dormouse_store::backend::postgres::{OpenError, Options, Postgres, Time};
use dormouse_testkit::postgres::Server;
use dormouse_types::port::{Clock, Entropy};
use tokio::runtime::{Builder, Runtime};

static CONNECTIONS: OnceLock<Runtime> = OnceLock::new();

/// The runtime for the connections of all tests; [`crate::wait`] only waits.
pub fn connections() -> &'static Runtime {
    CONNECTIONS.get_or_init(|| {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(2).enable_all().build().expect("a runtime for connections")
    })
}

/// Whether any test of this process has asked a server.
pub(crate) fn is_used() -> bool {
    CONNECTIONS.get().is_some()
}

/// An engine on two fresh schemas of the shared server.
pub fn fresh(clock: &Arc<dyn Clock>, entropy: &dyn Entropy) -> Postgres {
    let server = Server::shared();
    connect(server.url(), &server.prefix(), clock, entropy).expect("two schemas of this version")
}

/// An engine on the schemas with a prefix, on whose database it is as late as by the clock.
///
/// Errors: as [`Postgres::connect`].
pub fn connect(
    url: String,
    prefix: &str,
    clock: &Arc<dyn Clock>,
    entropy: &dyn Entropy,
) -> Result<Postgres, OpenError> {
    let time = Time::Clock(clock.clone());
    let options = Options { url, prefix: prefix.to_owned(), time, clock: clock.clone() };
    connections().block_on(Postgres::connect(options, entropy))
}
