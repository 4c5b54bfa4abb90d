//! What a sleeping agent costs in memory: the difference between a program with a crowd in its store
//! and one with hardly anybody, after both served one wake.
//!
//! Each program is a process of its own: what was allocated while a store was filled does not count.
//! The caller starts them; [`resident`] is what runs in them.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use dormouse_agents::wake::policy::merge_window;
use dormouse_types::port::ModelClass;
use serde::Serialize;

use crate::crowd::{Crowd, WORKSPACES};
use crate::machine::{Machine, resident_bytes};
use crate::place::{self, Place};
use crate::start::make_one_due;
use crate::world::{World, count};

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Sleeping agents.
    pub agents: usize,
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
    /// Units: bytes. Held by the program with all of them.
    pub resident_bytes: u64,
    /// Units: bytes. Held by the program with one agent in each workspace.
    pub base_bytes: u64,
    /// Units: bytes. What each agent adds.
    pub bytes_per_agent: f64,
    /// Units: bytes. Both databases.
    pub disk_bytes: u64,
    /// Units: bytes. The share of each agent.
    pub disk_bytes_per_agent: f64,
}

/// Fills two stores and asks for each what a process that served one wake on it holds.
///
/// Errors: the disk is full, the process fails.
pub async fn run(
    options: &Options,
    mut measure: impl AsyncFnMut(&Path) -> anyhow::Result<u64>,
) -> anyhow::Result<Figures> {
    let few = Place::new(options.folder.as_deref())?;
    let crowd = Crowd::fill(&few, WORKSPACES).await?;
    make_one_due(&few, &crowd, 0).await?;
    let base_bytes = measure(few.path()).await?;
    let many = Place::new(options.folder.as_deref())?;
    let crowd = Crowd::fill(&many, options.agents).await?;
    make_one_due(&many, &crowd, crowd.len() / 2).await?;
    let disk_bytes = many.bytes()?;
    let resident_bytes = measure(many.path()).await?;
    let more = count(usize::try_from(resident_bytes.saturating_sub(base_bytes))?);
    Ok(Figures {
        machine: Machine::of(many.path()),
        agents: crowd.len(),
        resident_bytes,
        base_bytes,
        bytes_per_agent: more / count(crowd.len()),
        disk_bytes,
        disk_bytes_per_agent: count(usize::try_from(disk_bytes)?) / count(crowd.len()),
    })
}

/// Opens a store, serves the one wake that is due in it, and says what this process holds then.
///
/// Units: bytes.
/// Errors: the store cannot be opened, the run does not complete.
pub async fn resident(folder: &Path) -> anyhow::Result<u64> {
    let opened = place::open(folder)?;
    opened.clock.advance(merge_window(ModelClass::Free));
    World::new(&opened, 1).serve(1, 1).await.context("the wake that is due did not run")?;
    resident_bytes()
}
