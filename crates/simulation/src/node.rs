//! A node: one process on one machine. It dies, is stopped, and another one takes its place.

use std::sync::Arc;
use std::time::Duration;

use dormouse::{Dormouse, ServeOptions, Store};
use dormouse_agents::Agents;
use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_testkit::CountingEntropy;
use dormouse_types::port::{BoxFuture, Clock, Entropy, Model, NoFaults};
use tokio::sync::oneshot;

use crate::hints::NodeHints;
use crate::locks::lock;
use crate::model::FuzzModel;
use crate::process::{Node, NodeAccess};
use crate::process_life::crash;
use crate::second_kind;
use crate::sim_backend::SimBackend;
use crate::sim_state::SimState;

/// Starts a process on a machine, under a name that no other ever had.
pub(crate) fn start(sim: &Arc<SimState>, machine: usize) {
    let place = lock(&sim.nodes).len();
    let owner = format!("n{machine}.{place}");
    sim.trace(format_args!("{owner} starts"));
    let dial = sim.dials[machine].clone();
    let hints = Arc::new(NodeHints::default());
    let wire =
        SimBackend { sim: sim.clone(), node: place, owner: owner.clone(), hints: hints.clone() };
    let store = Store::new(Arc::new(wire), Arc::new(NoFaults));
    let shared_store = store.clone();
    let seed = 100 + u64::try_from(place).unwrap_or(0);
    let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(seed));
    let model: Arc<dyn Model> = Arc::new(FuzzModel {
        sim: sim.clone(),
        node: place,
        owner: owner.clone(),
        dial: dial.clone(),
    });
    let clock: Arc<dyn Clock> = Arc::new(dial);
    let (mut dormouse, agents) =
        joined(store.clone(), clock.clone(), entropy.clone(), model, &owner);
    if let Some(task) = sim.house.get() {
        let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
        let chores = second_kind::handler(store, journal, clock, entropy, task.clone());
        dormouse = dormouse.with_handler(chores);
    }
    let (stop, stopped) = oneshot::channel();
    let access =
        NodeAccess { group: place + 1, dormouse: dormouse.clone(), agents, store: shared_store };
    lock(&sim.nodes).push(Node {
        owner: owner.clone(),
        machine,
        is_alive: true,
        is_frozen: false,
        hints,
        stop: Some(stop),
        access,
    });
    let concurrency = 1 + sim.draw(|chance| chance.place(3));
    let options = ServeOptions { concurrency, offset: machine };
    let stop: BoxFuture<'static, ()> = Box::pin(async move {
        if stopped.await.is_err() {
            std::future::pending::<()>().await;
        }
    });
    let shared = sim.clone();
    sim.spawn(place + 1, format!("{owner} serves"), async move {
        if shared.is_alone() {
            // The folder's lock shows that the process before is dead.
            while let Err(error) = dormouse.recover().await {
                shared.trace(format_args!("{owner} cannot recover: {error}"));
                shared.wait(Duration::from_secs(1)).await;
            }
        }
        let voice = shared.clone();
        let mut tell = |event| voice.trace(format_args!("{owner} {event:?}"));
        dormouse.serve(options, stop, &mut tell).await;
        crash(&shared, place);
    });
}

fn joined(
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    model: Arc<dyn Model>,
    owner: &str,
) -> (Dormouse, Agents) {
    let zone = jiff::tz::TimeZone::UTC;
    let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
    let changes = Changes::new(
        store.clone(),
        journal.clone(),
        clock.clone(),
        entropy.clone(),
        zone.clone().into(),
    );
    let driver = dormouse_runs::Driver::new(
        store.clone(),
        clock.clone(),
        entropy.clone(),
        dormouse_runs::Models::new(model.clone()),
    );
    let agents = Agents::new(dormouse_agents::Parts {
        store: store.clone(),
        journal,
        changes,
        driver,
        clock: clock.clone(),
        entropy: entropy.clone(),
        zone: zone.clone().into(),
    });
    let owner = owner.to_owned();
    let dormouse = Dormouse::new(dormouse::Parts { store, clock, entropy, model, zone, owner });
    (dormouse, agents)
}
