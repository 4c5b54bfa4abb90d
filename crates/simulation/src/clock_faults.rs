//! What happens to machines and clocks while a play goes on.

use std::sync::Arc;
use std::time::Duration;

use dormouse_types::port::Clock as _;
use dormouse_types::{Timestamp, limits};

use crate::faults::Fault;
use crate::locks::lock;
use crate::process_life;
use crate::sim_state::{OUTSIDE, SimState};

/// Units: microseconds.
const HOUR: i64 = 3_600_000_000;

/// Freezes nodes, turns clocks and stops processes, as long as somebody is there.
pub(crate) async fn run_faults(sim: Arc<SimState>) {
    while !sim.is_empty_of_people() {
        let wait = 2 + sim.draw(|chance| chance.below(40));
        sim.wait(Duration::from_secs(wait)).await;
        if sim.strikes(Fault::Freeze) {
            freeze(&sim);
        }
        if sim.strikes(Fault::Stop)
            && let Some(place) = process_life::any(&sim)
        {
            let stop = lock(&sim.nodes)[place].stop.take();
            sim.trace(format_args!("{} is stopped", process_life::name(&sim, place)));
            // One that is stopping already is left alone.
            let _ = stop.map(|stop| stop.send(()));
        }
        if sim.strikes(Fault::Jump) {
            let machine = sim.draw(|chance| chance.place(sim.dials.len()));
            let ahead = sim.draw(|chance| *chance.pick(&[-HOUR, HOUR, 0]).unwrap_or(&0));
            sim.trace(format_args!("the clock of machine {machine} is {ahead} us ahead"));
            sim.dials[machine].set_ahead(ahead);
        }
        if sim.strikes(Fault::JumpOfAll) {
            let by = if sim.draw(|chance| chance.one_in(2)) { HOUR } else { -HOUR };
            sim.trace(format_args!("all clocks jump by {by} us"));
            sim.clock.set(Timestamp::from_micros(sim.clock.now().micros() + by));
        }
        if sim.strikes(Fault::Leap) {
            let hours = 1 + sim.draw(|chance| chance.below(8 * 24));
            sim.trace(format_args!("all machines sleep for {hours} h"));
            sim.clock.set(sim.clock.now() + Duration::from_secs(hours * 3600));
        }
    }
}

fn freeze(sim: &Arc<SimState>) {
    let Some(place) = process_life::any(sim) else { return };
    let time = limits::LEASE_SECONDS + 5 + sim.draw(|chance| chance.below(120));
    let name = process_life::name(sim, place);
    sim.trace(format_args!("{name} freezes for {time} s"));
    lock(&sim.nodes)[place].is_frozen = true;
    let shared = sim.clone();
    sim.spawn(OUTSIDE, format!("{name} is frozen"), async move {
        shared.wait(Duration::from_secs(time)).await;
        shared.trace(format_args!("{name} goes on"));
        // A play that ended has no nodes any more.
        if let Some(node) = lock(&shared.nodes).get_mut(place) {
            node.is_frozen = false;
        }
    });
}
