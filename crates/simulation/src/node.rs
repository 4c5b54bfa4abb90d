//! A node: one process on one machine. It dies, is stopped, and another one takes its place.

use std::sync::Arc;
use std::time::Duration;

use dormouse::{Dormouse, ServeOptions, Store};
use dormouse_agents::Agents;
use dormouse_changes::Changes;
use dormouse_journal::Journal;
use dormouse_testkit::CountingEntropy;
use dormouse_types::port::{BoxFuture, Clock, Entropy, Model, NoFaults};
use tokio::sync::{oneshot, watch};

use crate::model::FuzzModel;
use crate::second_kind;
use crate::sim_backend::SimBackend;
use crate::sim_state::{OUTSIDE, SimState, lock};

/// A process that was started.
pub(crate) struct Node {
    pub(crate) owner: String,
    machine: usize,
    pub(crate) is_alive: bool,
    pub(crate) is_frozen: bool,
    pub(crate) hints: Arc<watch::Sender<u64>>,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) hands: Hands,
}

/// What a person can reach through a node.
#[derive(Clone)]
pub(crate) struct Hands {
    /// The group of the node's tasks.
    pub(crate) group: usize,
    pub(crate) dormouse: Dormouse,
    /// What the facade does not show.
    pub(crate) agents: Agents,
}

/// Starts a process on a machine, under a name that no other ever had.
pub(crate) fn start(sim: &Arc<SimState>, machine: usize) {
    let place = lock(&sim.nodes).len();
    let owner = format!("n{machine}.{place}");
    sim.trace(format_args!("{owner} starts"));
    let dial = sim.dials[machine].clone();
    let hints = Arc::new(watch::Sender::new(0));
    let wire =
        SimBackend { sim: sim.clone(), node: place, owner: owner.clone(), hints: hints.clone() };
    let store = Store::new(Arc::new(wire), Arc::new(NoFaults));
    let seed = 100 + u64::try_from(place).unwrap_or(0);
    let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(seed));
    let model: Arc<dyn Model> =
        Arc::new(FuzzModel { sim: sim.clone(), owner: owner.clone(), dial: dial.clone() });
    let clock: Arc<dyn Clock> = Arc::new(dial);
    let (mut dormouse, agents) =
        joined(store.clone(), clock.clone(), entropy.clone(), model, &owner);
    if let Some(task) = sim.house.get() {
        let journal = Journal::new(store.clone(), clock.clone(), entropy.clone());
        let chores = second_kind::handler(store, journal, clock, entropy, task.clone());
        dormouse = dormouse.with_handler(chores);
    }
    let (stop, stopped) = oneshot::channel();
    let hands = Hands { group: place + 1, dormouse: dormouse.clone(), agents };
    lock(&sim.nodes).push(Node {
        owner: owner.clone(),
        machine,
        is_alive: true,
        is_frozen: false,
        hints,
        stop: Some(stop),
        hands,
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
    let changes =
        Changes::new(store.clone(), journal.clone(), clock.clone(), entropy.clone(), zone.clone());
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
        zone: zone.clone(),
        owner: owner.to_owned(),
    });
    let owner = owner.to_owned();
    let dormouse = Dormouse::new(dormouse::Parts { store, clock, entropy, model, zone, owner });
    (dormouse, agents)
}

/// Ends a process at once; after a while another one starts on its machine.
pub(crate) fn crash(sim: &Arc<SimState>, place: usize) {
    let machine = {
        let mut nodes = lock(&sim.nodes);
        let Some(node) = nodes.get_mut(place).filter(|node| node.is_alive) else { return };
        node.is_alive = false;
        node.machine
    };
    let away = match sim.draw(|chance| chance.below(4)) {
        0 => 0,
        1 | 2 => 1 + sim.draw(|chance| chance.below(20)),
        _ => 60 + sim.draw(|chance| chance.below(120)),
    };
    let shared = sim.clone();
    sim.spawn(OUTSIDE, format!("machine {machine} is down"), async move {
        shared.wait(Duration::from_secs(away)).await;
        start(&shared, machine);
    });
}

/// A process that is alive, if there is one.
pub(crate) fn any(sim: &SimState) -> Option<usize> {
    let alive: Vec<usize> = {
        let nodes = lock(&sim.nodes);
        (0..nodes.len()).filter(|at| nodes[*at].is_alive).collect()
    };
    sim.draw(|chance| chance.pick(&alive).copied())
}

/// The name of a process.
pub(crate) fn name(sim: &SimState, place: usize) -> String {
    lock(&sim.nodes).get(place).map(|node| node.owner.clone()).unwrap_or_default()
}
