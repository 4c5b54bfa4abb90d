//! What happens to machines and clocks while a play goes on.

use std::sync::Arc;
use std::time::Duration;

use dormouse_types::port::Clock as _;
use dormouse_types::{Timestamp, limits};

use crate::faults::Fault;
use crate::sim_state::{SimState, OUTSIDE, lock};
use crate::node;

/// Units: microseconds.
const HOUR: i64 = 3_600_000_000;

/// Freezes nodes, turns clocks and stops processes, as long as somebody is there.
pub(crate) async fn run_faults(hub: Arc<SimState>) {
    while !hub.is_empty_of_people() {
        let wait = 2 + hub.draw(|chance| chance.below(40));
        hub.wait(Duration::from_secs(wait)).await;
        if hub.strikes(Fault::Freeze) {
            freeze(&hub);
        }
        if hub.strikes(Fault::Stop)
            && let Some(place) = node::any(&hub)
        {
            let stop = lock(&hub.nodes)[place].stop.take();
            hub.trace(format_args!("{} is told to stop", node::name(&hub, place)));
            // One that was told before is told nothing.
            let _ = stop.map(|stop| stop.send(()));
        }
        if hub.strikes(Fault::Jump) {
            let machine = hub.draw(|chance| chance.place(hub.dials.len()));
            let ahead = hub.draw(|chance| *chance.pick(&[-HOUR, HOUR, 0]).unwrap_or(&0));
            hub.trace(format_args!("the clock of machine {machine} is {ahead} us ahead"));
            hub.dials[machine].set_ahead(ahead);
        }
        if hub.strikes(Fault::JumpOfAll) {
            let by = if hub.draw(|chance| chance.one_in(2)) { HOUR } else { -HOUR };
            hub.trace(format_args!("all clocks jump by {by} us"));
            hub.clock.set(Timestamp::from_micros(hub.clock.now().micros() + by));
        }
        if hub.strikes(Fault::Leap) {
            let hours = 1 + hub.draw(|chance| chance.below(8 * 24));
            hub.trace(format_args!("all machines sleep for {hours} h"));
            hub.clock.set(hub.clock.now() + Duration::from_secs(hours * 3600));
        }
    }
}

fn freeze(hub: &Arc<SimState>) {
    let Some(place) = node::any(hub) else { return };
    let time = limits::LEASE_SECONDS + 5 + hub.draw(|chance| chance.below(120));
    let name = node::name(hub, place);
    hub.trace(format_args!("{name} freezes for {time} s"));
    lock(&hub.nodes)[place].is_frozen = true;
    let shared = hub.clone();
    hub.spawn(OUTSIDE, format!("{name} is frozen"), async move {
        shared.wait(Duration::from_secs(time)).await;
        shared.trace(format_args!("{name} goes on"));
        // A play that ended has no nodes any more.
        if let Some(node) = lock(&shared.nodes).get_mut(place) {
            node.is_frozen = false;
        }
    });
}
