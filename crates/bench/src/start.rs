//! How long a program takes from its start to its first claim, with a crowd asleep in the store.

use std::path::PathBuf;

use anyhow::Context as _;
use dormouse_agents::wake::policy::merge_window;
use dormouse_types::port::{Clock as _, ModelClass};
use serde::Serialize;

use crate::clock::millis;
use crate::crowd::{Crowd, WORKSPACES};
use crate::machine::Machine;
use crate::median;
use crate::place::Place;
use crate::world::World;

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Sleeping agents; one of them is due.
    pub agents: usize,
    /// Starts; the medians are reported.
    pub samples: usize,
    /// Where the data is to lie.
    pub folder: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// Sleeping agents.
    pub agents: usize,
    /// Spread over these.
    pub workspaces: usize,
    /// Units: bytes. Both databases.
    pub disk_bytes: u64,
    /// Units: milliseconds. Opening both databases.
    pub open_ms: f64,
    /// Units: milliseconds. From there to the first durable claim.
    pub claim_ms: f64,
    /// Units: milliseconds. Both.
    pub first_claim_ms: f64,
}

/// Fills a store and starts on it again and again.
///
/// Errors: no folder can be made, the disk is full, the run does not complete.
pub async fn run(options: &Options) -> anyhow::Result<Figures> {
    let place = Place::new(options.folder.as_deref())?;
    let machine = Machine::of(place.path());
    let crowd = Crowd::fill(&place, options.agents).await?;
    let disk_bytes = place.bytes()?;
    let (mut opens, mut claims) = (Vec::new(), Vec::new());
    for sample in 0..options.samples.max(1) {
        make_one_due(&place, &crowd, sample).await?;
        let clock = crate::clock::ShiftedClock::default();
        let began = clock.now();
        let opened = place.open()?;
        let open = clock.now();
        opened.clock.advance(merge_window(ModelClass::Free));
        let started = opened.clock.now();
        World::new(&opened, 1).serve(1, 1).await?;
        let claimed = opened.tape.first("run.claim").context("nothing was claimed")?;
        opens.push(millis(began, open));
        claims.push(millis(started, claimed));
    }
    let (open_ms, claim_ms) = (median(opens), median(claims));
    Ok(Figures {
        machine,
        agents: crowd.len(),
        workspaces: WORKSPACES,
        disk_bytes,
        open_ms,
        claim_ms,
        first_claim_ms: open_ms + claim_ms,
    })
}

/// Writes a note to the task of one agent, so that it is due once the merge window has passed.
pub(crate) async fn make_one_due(
    place: &Place,
    crowd: &Crowd,
    number: usize,
) -> anyhow::Result<()> {
    let opened = place.open()?;
    let world = World::new(&opened, 1);
    let ws = crowd.note(&world, number).await?;
    world.route(ws).await
}
