//! Which processes live, and how one dies.

use std::sync::Arc;
use std::time::Duration;

use crate::locks::lock;
use crate::sim_state::{OUTSIDE, SimState};

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
        (shared.start)(&shared, machine);
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
