//! What it costs to find out whom an edit concerns, with few agents and with many.

use std::path::{Path, PathBuf};

use dormouse_types::port::Clock as _;
use serde::Serialize;

use crate::clock::millis;
use crate::crowd::{Crowd, WORKSPACES};
use crate::machine::Machine;
use crate::place::Place;
use crate::world::{World, count};
use crate::{median, percentile};

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Sleeping agents, one point for each.
    pub agents: Vec<usize>,
    /// Edits that are routed.
    pub edits: usize,
    /// Where the data is to lie.
    pub folder: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// One for each number of agents.
    pub points: Vec<Point>,
}

/// One number of agents.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Sleeping agents.
    pub agents: usize,
    /// Spread over these.
    pub workspaces: usize,
    /// Edits that were routed.
    pub edits: usize,
    /// Units: microseconds. Routing one edit, its durable commit included.
    pub p50_us: f64,
    /// Units: microseconds.
    pub p99_us: f64,
    /// Units: microseconds. Finding out whom it concerns and how, without the commit.
    pub match_us: f64,
    /// Statements read for one edit.
    pub reads: f64,
}

/// Measures every point.
///
/// Errors: no folder can be made, the store fails.
pub async fn run(options: &Options, mut tell: impl FnMut(&Point)) -> anyhow::Result<Figures> {
    let mut points = Vec::new();
    let mut machine = None;
    for agents in &options.agents {
        let place = Place::new(options.folder.as_deref())?;
        machine.get_or_insert_with(|| Machine::of(place.path()));
        let point = point(&place, *agents, options.edits.max(1)).await?;
        tell(&point);
        points.push(point);
    }
    let machine = machine.unwrap_or_else(|| Machine::of(Path::new(".")));
    Ok(Figures { machine, points })
}

async fn point(place: &Place, agents: usize, edits: usize) -> anyhow::Result<Point> {
    let crowd = Crowd::fill(place, agents).await?;
    let opened = place.open()?;
    let world = World::new(&opened, 1);
    let (mut whole, mut matching) = (Vec::new(), Vec::new());
    let mut n_reads = 0;
    for n in 0..edits {
        let ws = crowd.note(&world, n * crowd.len() / edits).await?;
        let (began, in_commits) = (opened.clock.now(), opened.tape.in_commits());
        let reads = opened.tape.n_reads();
        world.route(ws).await?;
        let us = millis(began, opened.clock.now()) * 1000.0;
        let us_in_commits = count(usize::try_from(opened.tape.in_commits() - in_commits)?);
        whole.push(us);
        matching.push(us - us_in_commits);
        n_reads += usize::try_from(opened.tape.n_reads() - reads)?;
    }
    Ok(Point {
        agents: crowd.len(),
        workspaces: WORKSPACES,
        edits,
        p50_us: percentile(whole.iter().copied(), 50.0),
        p99_us: percentile(whole.iter().copied(), 99.0),
        match_us: median(matching),
        reads: count(n_reads) / count(edits),
    })
}
